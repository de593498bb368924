"""Ingestion: a checked report made into events. Secrets are masked, recalled text is marked, long text is cut.

An id that the reporter did not give is a hash of scope, session, role, time, text and occurrence (the how-manieth
such report of one call it is), so that the same history sent again is the same events.
"""

from collections import Counter
from collections.abc import Container
from hashlib import blake2b
from typing import Any

from eunoe.processors.ingestion import chunking, masking
from eunoe.processors.ingestion.draft import Draft
from eunoe.processors.ingestion.recalled import recalled_spans, within
from eunoe.streams.events import Interaction, Tool, Withheld


class Intake:
    """Makes the events of one call (one import, one `record_many`, one `record`), counting occurrences in it."""

    def __init__(self, *, mask: bool = True, known: Container[str] = ()) -> None:
        self._mask, self._known = mask, known
        self._occurrences: Counter[bytes] = Counter()

    def events(self, draft: Draft, order: int | None = None) -> tuple[Interaction, ...]:
        """The event of a draft, or one a chunk. `order` is used where the draft has none."""
        text, withheld = masking.mask(draft.text) if self._mask else (draft.text, ())
        tool = masking.mask_tool(draft.tool) if self._mask and draft.tool else draft.tool
        meta = masked_json(draft.meta) if self._mask and draft.meta else draft.meta
        common = {
            "scope": draft.scope,
            "id": draft.id or self._derived(draft, text),
            "subjects": draft.subjects,
            "session": draft.session,
            "role": draft.role,
            "at": draft.at,
            "agent": draft.agent,
            "speaker": draft.speaker,
            "order": draft.order if draft.order is not None else order,
        }
        recalled = recalled_spans(text, self._known)
        pieces = chunking.chunks(text)
        if len(pieces) <= 1:
            whole = Interaction(**common, text=text, tool=tool, meta=meta, withheld=withheld, recalled=recalled)
            return (whole,)
        return tuple(_chunks(common, pieces, tool, meta, withheld, recalled))

    def _derived(self, draft: Draft, text: str) -> str:
        """32 hex digits of what was reported, text after masking: the id must not tell what was withheld."""
        tool = draft.tool.model_dump_json() if draft.tool else ""
        parts = (draft.scope, draft.session, draft.role, draft.speaker or "", draft.at, text, tool)
        digest = blake2b(digest_size=16, person=b"eunoe.event")
        for part in parts:
            encoded = part.encode()
            digest.update(len(encoded).to_bytes(4, "big") + encoded)
        occurrence = self._occurrences[digest.digest()]
        self._occurrences[digest.digest()] += 1
        digest.update(occurrence.to_bytes(4, "big"))
        return digest.hexdigest()


def masked_json(value: dict[str, Any]) -> dict[str, Any]:
    """A JSON object with the secrets in its strings masked."""
    masked = masking.mask_tool(Tool(name="meta", input=value)).input
    return dict(masked)


def _chunks(
    common: dict[str, Any],
    pieces: list[str],
    tool: Tool | None,
    meta: dict[str, Any] | None,
    withheld: tuple[Withheld, ...],
    recalled: tuple[tuple[int, int], ...],
) -> list[Interaction]:
    """One event a piece, each with its share of the marks; tool and meta stand in the first."""
    made, start = [], 0
    for index, piece in enumerate(pieces):
        end = start + len(piece)
        marks = tuple(
            Withheld(kind=w.kind, start=first, end=last)
            for w in withheld
            for first, last in within([(w.start, w.end)], start, end)
        )
        made.append(
            Interaction(
                **common,
                text=piece,
                tool=tool if index == 0 else None,
                meta=meta if index == 0 else None,
                withheld=marks,
                recalled=within(recalled, start, end),
                chunk=index,
                chunks=len(pieces),
            )
        )
        start = end
    return made
