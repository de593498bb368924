"""Chats in OpenAI's form and LoCoMo documents."""

import json
from pathlib import Path
from typing import Any

import pytest

from eunoe.gateway.importers import Defaults, ImportLine, detect, read
from eunoe.gateway.importers.locomo import session_time
from eunoe.processors.ingestion.draft import Draft
from eunoe.streams.errors import BadInput

CHAT: dict[str, Any] = {
    "id": "chat-7",
    "scope": "user/ana",
    "created_at": 1770000000,
    "messages": [
        {"role": "developer", "content": "You are a careful helper."},
        {
            "role": "user",
            "name": "Ana",
            "content": [{"type": "text", "text": "Is staging up?"}, {"type": "image_url"}],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "status", "arguments": '{"env": "staging"}'},
                },
                {"id": "c2", "type": "function", "function": {"name": "uptime", "arguments": "not json"}},
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "503 from the proxy", "is_error": True},
        {
            "role": "assistant",
            "content": "It answers 503.",
            "timestamp": "2026-02-02T05:00:00+02:00",
            "id": "m-5",
        },
    ],
}


def put(folder: Path, value: object, name: str = "chat.json") -> Path:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=1))
    return path


def drafts(found: list[ImportLine]) -> list[Draft]:
    assert [line.reason for line in found if line.reason] == []
    return [line.draft for line in found if line.draft]


def test_a_chat_becomes_turns_with_calls_and_results_joined(tmp_path: Path) -> None:
    path = put(tmp_path, CHAT)
    assert detect(path) == "openai"
    system, user, failed, answer, unanswered = drafts(list(read(path)))
    assert (system.role, system.text, system.session) == ("system", "You are a careful helper.", "chat-7")
    assert (user.speaker, user.text, user.meta) == ("Ana", "Is staging up?", {"parts": ["image_url"]})
    assert (failed.role, failed.text) == ("tool", "503 from the proxy")
    assert failed.tool is not None
    assert failed.tool.model_dump() == {
        "name": "status",
        "input": {"env": "staging"},
        "output": "503 from the proxy",
        "error": "503 from the proxy",
    }
    assert (answer.id, answer.at) == ("m-5", "2026-02-02T05:00:00+02:00")
    assert unanswered.tool is not None
    assert (unanswered.tool.name, unanswered.tool.input, unanswered.text) == ("uptime", "not json", "")
    assert [d.order for d in (system, user, failed, answer)] == [0, 1, 3, 4]
    assert system.at == "2026-02-02T02:40:00+00:00"


def test_every_shape_of_file_gives_the_same_turns(tmp_path: Path) -> None:
    plain = {"scope": "user/ana", "session": "s", "at": "2026-01-05T08:00:00Z"}
    messages = [{"role": "user", "content": "One"}, {"role": "assistant", "content": "Two"}]
    talk = plain | {"messages": messages}
    shapes = {
        "object.json": json.dumps(talk, indent=2),
        "list.json": json.dumps([talk]),
        "lines.jsonl": json.dumps(talk) + "\n" + json.dumps(plain | {"messages": []}),
        "bare.json": json.dumps([m | plain for m in messages]),
        "messages.jsonl": "\n".join(json.dumps(m | plain) for m in messages),
    }
    for name, text in shapes.items():
        path = put(tmp_path, text, name)
        assert detect(path) == "openai"
        found = drafts(list(read(path)))
        assert [(d.role, d.text, d.session, d.scope, d.order) for d in found] == [
            ("user", "One", "s", "user/ana", 0),
            ("assistant", "Two", "s", "user/ana", 1),
        ]


def test_what_the_caller_knows_fills_the_gaps(tmp_path: Path) -> None:
    path = put(tmp_path, [{"messages": [{"role": "user", "content": "Hi there"}]}] * 2, "talks.json")
    refused = list(read(path))
    assert [line.reason for line in refused] == ["scope: missing"] * 2
    found = drafts(list(read(path, defaults=Defaults(scope="user/b", at="2026-01-01T00:00:00Z"))))
    assert [d.session for d in found] == ["talks-1", "talks-2"]


def test_messages_that_hold_nothing_are_refused_by_number(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "Fine"},
        5,
        {"role": "user", "content": ""},
        {"role": "judge", "content": "x"},
    ]
    talk = {"scope": "user/ana", "session": "s", "at": "2026-01-05T08:00:00Z", "messages": messages}
    found = list(read(put(tmp_path, talk)))
    assert [(line.number, line.reason) for line in found] == [
        (1, None),
        (2, "not an object"),
        (3, "text: must not be empty unless a tool is given"),
        (4, "role: must be one of user, assistant, tool, system, observation, feedback"),
    ]
    found = list(read(put(tmp_path, json.dumps(talk) + "\n" + json.dumps(talk)), "openai"))
    assert [(line.number, line.reason) for line in found][1] == (1, "message 2: not an object")


def test_a_chat_cut_short_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not valid JSON"):
        list(read(put(tmp_path, json.dumps(CHAT, indent=1)[:300]), "openai"))


# -- LoCoMo ------------------------------------------------------------------------------------------

TALK: dict[str, Any] = {
    "sample_id": "pair-1",
    "qa": [],
    "conversation": {
        "speaker_a": "Nell",
        "speaker_b": "Oskar",
        "session_10_date_time": "12:05 am on 9 June, 2024",
        "session_10": [{"speaker": "Oskar", "dia_id": "D10:1", "text": "Back from the lake!"}],
        "session_2_date_time": "1:56 pm on 8 May, 2024",
        "session_2": [
            {"speaker": "Nell", "dia_id": "D2:1", "text": "Look at this.", "blip_caption": "a red canoe"},
            {"speaker": "Oskar", "dia_id": "D2:2", "text": "Lovely."},
        ],
        "session_3_date_time": "2:00 pm on 9 May, 2024",
    },
}


def test_locomo_ids_scopes_sessions_and_times(tmp_path: Path) -> None:
    for value in (TALK, [TALK]):
        path = put(tmp_path, value)
        assert detect(path) == "locomo"
        first, second, third = drafts(list(read(path)))
        assert first.model_dump(exclude_none=True) == {
            "id": "pair-1:D2:1",
            "scope": "locomo/pair-1",
            "session": "session_2",
            "role": "user",
            "speaker": "Nell",
            "subject": ("pair-1/Nell",),
            "order": 0,
            "text": "Look at this.",
            "at": "2024-05-08T13:56:00",
            "meta": {"caption": "a red canoe"},
        }
        assert (second.order, second.subject, second.meta) == (1, ("pair-1/Oskar",), None)
        assert (third.session, third.order, third.at) == ("session_10", 0, "2024-06-09T00:05:00")


def test_locomo_turns_that_are_broken_are_refused_one_by_one(tmp_path: Path) -> None:
    turns = [
        {"speaker": "Nell", "dia_id": "D1:1", "text": "Hello you"},
        None,
        {"speaker": "Nell"},
        {"dia_id": 4, "speaker": "N"},
    ]
    conversation = {"session_1": turns, "session_1_date_time": "9:00 am on 1 May, 2024"}
    conversation |= {"session_2": turns[:1], "session_2_date_time": "some day"}
    found = list(read(put(tmp_path, {"sample_id": "p", "conversation": conversation})))
    assert [(line.number, line.draft is not None) for line in found] == [
        (1, True),
        (2, False),
        (3, False),
        (4, False),
        (5, False),
    ]
    assert found[4].reason == "its session has no time such as 1:56 pm on 8 May, 2023"


def test_a_document_that_is_not_locomo_is_bad_input(tmp_path: Path) -> None:
    for value in ({"a": 1}, [TALK, {"sample_id": "x"}], []):
        if value:
            with pytest.raises(BadInput, match="sample_id"):
                list(read(put(tmp_path, value), "locomo"))
    assert list(read(put(tmp_path, "[]"), "locomo")) == []


@pytest.mark.parametrize(
    ("said", "time"),
    [
        ("12:00 pm on 1 January, 2023", "2023-01-01T12:00:00"),
        ("12:30 am on 29 February, 2024", "2024-02-29T00:30:00"),
        ("11:59 PM on 31 December, 2022", "2022-12-31T23:59:00"),
        ("13:00 pm on 1 May, 2023", None),
        ("1:00 pm on 31 June, 2023", None),
        ("1:00 pm on 3 Brumaire, 2023", None),
        ("noon", None),
        (None, None),
    ],
)
def test_the_times_of_sessions(said: object, time: str | None) -> None:
    assert session_time(said) == time
