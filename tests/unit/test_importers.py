"""Readers of foreign files: what comes out, and what is refused and how."""

import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eunoe.gateway.importers import Defaults, ImportLine, detect, files, read
from eunoe.streams.errors import BadInput

TURN = {
    "id": "t-1",
    "scope": "user/ana",
    "session": "s-1",
    "role": "user",
    "text": "We keep bees on the roof.",
    "at": "2026-03-04T09:30:00+01:00",
}


def written(folder: Path, content: str | bytes, name: str = "history.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
    return path


def lines_of(folder: Path, *rows: object, **options: object) -> list[ImportLine]:
    text = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
    return list(read(written(folder, text), **options))  # type: ignore[arg-type]


# -- our own form ----------------------------------------------------------------------------------


def test_a_line_keeps_every_field(tmp_path: Path) -> None:
    full = TURN | {
        "agent": "builder",
        "speaker": "Ana",
        "subject": ["ana", "home/roof"],
        "order": 4,
        "tool": {"name": "shell", "input": {"cmd": "ls"}, "output": ["a"], "error": None},
        "meta": {"client": "web", "n": 1.5},
    }
    (line,) = lines_of(tmp_path, full)
    assert line.number == 1 and line.reason is None and line.draft is not None
    dumped = line.draft.model_dump(exclude_none=True)
    assert dumped.pop("subject") == ("ana", "home/roof")
    assert dumped.pop("tool") == {"name": "shell", "input": {"cmd": "ls"}, "output": ["a"]}
    assert dumped == {k: v for k, v in full.items() if k not in ("subject", "tool")}


def test_subject_defaults_to_the_scope_and_a_time_without_zone_stays_so(tmp_path: Path) -> None:
    (line,) = lines_of(tmp_path, TURN | {"at": "2026-03-04T09:30:00"})
    assert line.draft is not None
    assert line.draft.subjects == ("user/ana",)
    assert line.draft.at == "2026-03-04T09:30:00"


def test_broken_lines_are_refused_by_number_and_the_rest_comes_through(tmp_path: Path) -> None:
    rows = [TURN, "{broken", "", TURN | {"role": "boss"}, "[1]", TURN | {"text": "\ud800"}, TURN]
    found = lines_of(tmp_path, *rows, format="jsonl")
    assert [line.number for line in found] == [1, 2, 4, 5, 6, 7]
    assert [line.draft is not None for line in found] == [True, False, False, False, False, True]
    assert [line.reason for line in found if line.reason] == [
        "not valid JSON at character 2",
        "role: must be one of user, assistant, tool, system, observation, feedback",
        "not an object",
        "text: holds a lone surrogate",
    ]
    assert found[-1].done == 1.0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"scope": "user//ana"}, "scope: has an empty segment"),
        ({"scope": "/ana"}, "scope: has an empty segment"),
        ({"scope": "a/../b"}, "scope: has a segment that is only dots"),
        ({"scope": "a/b/c/d/e/f/g/h/i"}, "scope: has more than 8 segments"),
        ({"scope": "a\u0007"}, "scope: holds a control character"),
        ({"scope": "x" * 257}, "scope: longer than 256 characters"),
        ({"scope": None}, "scope: missing"),
        ({"session": ""}, "session: must not be empty"),
        ({"session": "s" * 257}, "session: longer than 256 characters"),
        ({"id": "i" * 257}, "id: longer than 256 characters"),
        ({"speaker": "n" * 129}, "speaker: longer than 128 characters"),
        ({"subject": [str(n) for n in range(17)]}, "subject: names more than 16"),
        ({"subject": {"a": 1}}, "subject: must be a name or a list of names"),
        ({"order": 1.5}, "order: must be a whole number"),
        ({"order": 2**63}, "order: must fit in 64 bits"),
        ({"text": "nul \u0000"}, "text: holds a NUL character"),
        ({"text": "  \n"}, "text: must not be empty unless a tool is given"),
        ({"text": 7}, "text: must be text"),
        ({"text": "x" * 1_000_001}, "text: longer than 1,000,000 characters"),
        ({"at": "last week"}, "at: not an RFC 3339 time such as 2026-05-12T09:30:00+02:00"),
        ({"at": 1770000000}, "at: must be text"),
        ({"tool": {"input": 1}}, "tool: name: must be text"),
        (
            {"tool": {"name": "x", "code": 1}},
            "tool: has an unknown field; known are name, input, output, error",
        ),
        ({"meta": []}, "meta: must be an object"),
        ({"meta": {"n": 2**64}}, "meta: holds an integer of more than 64 bits"),
        ({"meta": {"blob": "x" * (1 << 20)}}, "meta: is larger than 1,048,576 bytes"),
    ],
)
def test_each_refusal_says_what_is_wrong(tmp_path: Path, change: dict[str, object], reason: str) -> None:
    (line,) = lines_of(tmp_path, TURN | change, format="jsonl")
    assert line.draft is None
    assert line.reason == reason


def test_a_refusal_repeats_nothing_of_the_content(tmp_path: Path) -> None:
    secret = "hunter2-is-the-word"
    rows = [
        TURN | {"role": secret},
        TURN | {secret: 1},
        TURN | {"at": secret},
        TURN | {"meta": {"a": {secret: 2**70}}},
    ]
    for line in lines_of(tmp_path, *rows, '{"' + secret, format="jsonl"):
        assert line.reason and secret not in line.reason


def test_only_a_tool_turn_may_be_silent(tmp_path: Path) -> None:
    (line,) = lines_of(tmp_path, TURN | {"role": "tool", "text": "", "tool": {"name": "ls"}})
    assert line.draft is not None and line.draft.text == ""


@pytest.mark.parametrize("text", ["word " * 8_000, "x" * 20_000, "漢" * 20_000, "🐝", "🐝🏽\u200d♀️ 🐝"])
def test_long_unbroken_and_wordless_turns_are_taken_as_they_are(tmp_path: Path, text: str) -> None:
    start = time.process_time()
    (line,) = lines_of(tmp_path, TURN | {"text": text})
    assert line.draft is not None and line.draft.text == text
    assert time.process_time() - start < 1


def test_a_file_read_twice_gives_the_same(tmp_path: Path) -> None:
    rows = [TURN, "{", {k: v for k, v in TURN.items() if k != "id"}]
    assert lines_of(tmp_path, *rows) == lines_of(tmp_path, *rows)


def test_json_that_is_not_json_is_refused(tmp_path: Path) -> None:
    base = json.dumps(TURN)[:-1]
    rows = [
        base + ', "meta": {"a": NaN}}',
        base + ', "text": "again"}',
        base + ', "meta": ' + "[" * 50_000 + "]" * 50_000 + "}",
        base + ', "order": ' + "9" * 5_000 + "}",
        base + ', "meta": {"a": ' + "[" * 70 + "]" * 70 + "}}",
    ]
    assert [line.reason for line in lines_of(tmp_path, *rows, format="jsonl")] == [
        "holds a number that is not finite",
        "an object repeats a key",
        "nested too deeply",
        "holds a number that is too long",
        "meta: is nested deeper than 64",
    ]


def test_byte_order_mark_windows_ends_and_blank_lines(tmp_path: Path) -> None:
    row = json.dumps(TURN).encode()
    path = written(tmp_path, b"\xef\xbb\xbf" + row + b"\r\n\r\n  \r\n" + row + b"\r\n")
    found = list(read(path))
    assert [line.number for line in found] == [1, 4]
    assert all(line.draft is not None and line.draft.text == TURN["text"] for line in found)


def test_bytes_that_are_not_utf8_cost_their_line_only(tmp_path: Path) -> None:
    row = json.dumps(TURN).encode()
    found = list(read(written(tmp_path, row + b'\n{"text": "\xff"}\n' + row)))
    assert [line.reason for line in found] == [None, "not UTF-8 at byte 11", None]


def test_an_endless_line_is_skipped_without_holding_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LINE_BYTES", 1 << 20)
    row = json.dumps(TURN).encode()
    found = list(read(written(tmp_path, row + b"\n" + b"x" * (5 << 20) + b"\n" + row)))
    assert [(line.number, line.reason) for line in found] == [(1, None), (2, "longer than 1 MiB"), (3, None)]


def test_defaults_fill_what_a_line_leaves_out(tmp_path: Path) -> None:
    bare = {"role": "user", "text": "Hello there", "scope": "user/own"}
    given_ = Defaults(scope="user/other", session="s-9", at="2026-01-01T00:00:00Z")
    (line,) = lines_of(tmp_path, bare, defaults=given_)
    assert line.draft is not None
    assert (line.draft.scope, line.draft.session) == ("user/own", "s-9")
    assert line.draft.at == "2026-01-01T00:00:00+00:00"


# -- files that can't be read ------------------------------------------------------------------------


def test_unreadable_files_are_bad_input(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    utf16 = written(tmp_path, json.dumps(TURN).encode("utf-16"), "wide.jsonl")
    for path in (tmp_path, tmp_path / "none.jsonl", fifo, utf16, "a\x00b", Path("/dev/null")):
        with pytest.raises(BadInput):
            read(path, "jsonl")


@pytest.mark.parametrize(
    "content",
    ["just words", "{}", "[]", "[[]]", '{"a": 1}\n{"b": 2}', "\x00\x01\x02", '"text"', "<html>", "{"],
)
def test_a_file_of_no_known_format_is_bad_input(tmp_path: Path, content: str) -> None:
    with pytest.raises(BadInput):
        list(read(written(tmp_path, content)))


def test_an_unknown_format_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="jsonl, openai, locomo"):
        read(written(tmp_path, json.dumps(TURN)), "csv")


def test_an_empty_file_is_an_empty_history(tmp_path: Path) -> None:
    assert list(read(written(tmp_path, "\n\n"))) == []


def test_a_broken_first_line_does_not_hide_the_format(tmp_path: Path) -> None:
    assert detect(written(tmp_path, "{oops\n" + json.dumps(TURN))) == "jsonl"


# -- fuzz --------------------------------------------------------------------------------------------

_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=()), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
_field = st.sampled_from([*TURN, "tool", "meta", "subject", "order", "messages", "content", "conversation"])
_line = st.builds(lambda k, v: json.dumps(TURN | {k: v}).encode(), _field, _json) | st.builds(
    lambda v: json.dumps(v).encode(), _json
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(_line | st.binary(max_size=40), max_size=5),
    st.sampled_from(["jsonl", "openai", "locomo", None]),
    st.binary(max_size=3),
)
def test_whatever_a_file_holds_it_is_read_or_refused(
    tmp_path: Path, rows: list[bytes], format: str | None, end: bytes
) -> None:
    path = written(tmp_path, b"\n".join(rows) + end)
    start = time.process_time()
    try:
        for line in read(path, format, Defaults(scope="user/x", at="2026-01-01T00:00:00Z")):
            assert (line.draft is None) == bool(line.reason)
            assert line.number >= 1 and 0 <= line.done <= 1
            if line.draft:
                line.draft.model_dump_json().encode("utf-8")
    except BadInput as error:
        assert str(error)
    assert time.process_time() - start < 1
