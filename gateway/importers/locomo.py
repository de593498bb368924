"""LoCoMo conversations (Maharana et al., ACL 2024): long talks between two people, in dated sessions."""

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from eunoe.gateway.importers import files
from eunoe.gateway.importers.lines import ImportLine, drafted
from eunoe.streams.errors import BadInput

_SESSION = re.compile(r"session_(\d{1,6})")
_TIME = re.compile(r"(\d{1,2}):(\d{2})\s*([ap])\.?m\.?\s+on\s+(\d{1,2})\s+([A-Za-z]+),?\s+(\d{4})", re.IGNORECASE)
_MONTHS = [
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
]


def read(path: str | Path) -> Iterator[ImportLine]:
    """Lines numbered through the file, turn by turn. Raises BadInput when the file is no LoCoMo document."""
    talks = conversations(files.document(path))
    turns = [
        (talk, session, index) for talk in talks for session in sessions(talk) for index in _indexes(talk, session)
    ]
    for number, (talk, session, index) in enumerate(turns, 1):
        mapping = _mapping(talk, session, index)
        done = number / len(turns)
        if isinstance(mapping, str):
            yield ImportLine(number, reason=mapping, done=done)
        else:
            yield drafted(number, mapping, done)


def conversations(document: Any) -> list[dict[str, Any]]:
    """The conversation objects of a document that is one of them or a list. Raises BadInput."""
    talks = document if isinstance(document, list) else [document]
    for talk in talks:
        if not is_conversation(talk):
            raise BadInput("not a LoCoMo document: it needs `sample_id` and `conversation`")
    return talks


def is_conversation(value: Any) -> bool:
    """Whether a JSON value looks like one LoCoMo conversation."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("sample_id"), str)
        and isinstance(value.get("conversation"), dict)
    )


def sessions(talk: dict[str, Any]) -> list[str]:
    """Names of the sessions that hold turns, by number."""
    found = [(int(m[1]), k) for k in talk["conversation"] if (m := _SESSION.fullmatch(k))]
    return [name for _, name in sorted(found) if isinstance(talk["conversation"][name], list)]


def session_time(said: Any) -> str | None:
    """`1:56 pm on 8 May, 2023` as an ISO time without an offset; None when it isn't one."""
    match = _TIME.fullmatch(said.strip()) if isinstance(said, str) else None
    if not match:
        return None
    hour, minute, half, day, month, year = match.groups()
    if month.casefold() not in _MONTHS or not 1 <= int(hour) <= 12:
        return None
    try:
        moment = datetime(
            int(year),
            _MONTHS.index(month.casefold()) + 1,
            int(day),
            int(hour) % 12 + (12 if half.casefold() == "p" else 0),
            int(minute),
        )
    except ValueError:
        return None
    return moment.isoformat()


def _indexes(talk: dict[str, Any], session: str) -> range:
    return range(len(talk["conversation"][session]))


def _mapping(talk: dict[str, Any], session: str, index: int) -> dict[str, Any] | str:
    """The fields of one turn, or why it has none."""
    turn = talk["conversation"][session][index]
    at = session_time(talk["conversation"].get(f"{session}_date_time"))
    if not isinstance(turn, dict):
        return "not an object"
    if not isinstance(turn.get("dia_id"), str) or not isinstance(turn.get("speaker"), str):
        return "needs `dia_id` and `speaker`"
    if at is None:
        return "its session has no time such as 1:56 pm on 8 May, 2023"
    sample = talk["sample_id"]
    caption = turn.get("blip_caption")
    return {
        "id": f"{sample}:{turn['dia_id']}",
        "scope": f"locomo/{sample}",
        "session": session,
        "role": "user",
        "speaker": turn["speaker"],
        "subject": f"{sample}/{turn['speaker']}",
        "order": index,
        "text": turn.get("text"),
        "at": at,
        "meta": {"caption": caption} if isinstance(caption, str) and caption else None,
    }
