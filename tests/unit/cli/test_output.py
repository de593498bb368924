"""What reaches a terminal or a program."""

import io
import json

import msgspec
import pytest

from eunoe.gateway.cli import output


class Point(msgspec.Struct):
    x: int
    label: str | None = None


def test_a_text_cannot_steer_the_terminal():
    assert output.plain("a\x1b[31mred\x9b0m\x00\u202e") == r"a\x1b[31mred\x9b0m\x00\u202e"
    assert output.plain("two\nlines\tand 花生 é") == "two\nlines\tand 花生 é"


def test_one_line_is_cut_and_says_so():
    assert output.one_line("a\n b\t c") == "a b c"
    assert output.one_line("x" * 101) == "x" * 99 + "…"
    assert output.one_line("x" * 100) == "x" * 100


def test_emit_writes_one_document_in_the_sources_letters(capsys):
    output.emit([Point(1, "花生"), {"y": None}])
    written = capsys.readouterr()
    assert json.loads(written.out) == [{"x": 1, "label": "花生"}, {"y": None}]
    assert "花生" in written.out
    assert not written.err


def test_emit_survives_a_terminal_without_the_letters(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="ascii"))
    output.emit({"text": "花生 \ud800"})
    assert json.loads(raw.getvalue().decode("utf-8"))["text"] == "花生 \ud800"


def test_an_error_is_one_line_on_standard_error(capsys):
    output.complain("first\nsecond\x1b[0m")
    written = capsys.readouterr()
    assert written.err == "error: first second\\x1b[0m\n"
    assert not written.out


def test_a_piped_table_keeps_rows_whole(capsys):
    output.table(("id", "text"), [("m1", "long " * 60 + "[bold]end[/bold]")], "none")
    lines = [line for line in capsys.readouterr().out.splitlines() if "m1" in line]
    assert len(lines) == 1
    assert lines[0].rstrip().endswith("[bold]end[/bold]")


def test_an_empty_table_says_so_beside_the_result(capsys):
    output.table(("id",), [], "no such memory")
    written = capsys.readouterr()
    assert (written.out, written.err) == ("", "no such memory\n")


@pytest.mark.parametrize("value", ["", "\n"])
def test_show_ends_a_line(capsys, value):
    output.show(value)
    assert capsys.readouterr().out == value + "\n"
