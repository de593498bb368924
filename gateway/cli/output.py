"""What a person or a program sees: one document or plain lines on standard output, the rest on standard error."""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

_WIDE = 10_000  # columns where no terminal limits them: piped lines stay whole
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def plain(text: str) -> str:
    """A text that can't steer a terminal: control and direction characters show as their escapes."""
    return "".join(
        ascii(letter)[1:-1] if (letter < " " and letter not in "\n\t") or "\x7f" <= letter <= "\x9f" or letter in _BIDI
        else letter
        for letter in text
    )  # fmt: skip


def one_line(text: str, length: int = 100) -> str:
    """The start of a text on one line, safe for a terminal."""
    line = plain(" ".join(text.split()))
    return line if len(line) <= length else line[: length - 1] + "…"


def emit(value: Any, *, indent: int | None = 2) -> None:
    """One JSON document on standard output, in UTF-8 whatever the terminal's encoding is."""
    import msgspec

    document = json.dumps(msgspec.to_builtins(value), ensure_ascii=False, indent=indent) + "\n"
    sys.stdout.flush()
    encoded = document.encode("utf-8", "backslashreplace")
    if hasattr(sys.stdout, "buffer"):
        sys.stdout.buffer.write(encoded)
    else:
        sys.stdout.write(encoded.decode("utf-8"))
    sys.stdout.flush()


def show(text: str = "") -> None:
    """A result for people, on standard output."""
    sys.stdout.write(plain(text) + "\n")
    sys.stdout.flush()


def say(text: str) -> None:
    """Words beside the result, on standard error."""
    sys.stderr.write(plain(text) + "\n")
    sys.stderr.flush()


def complain(text: str) -> None:
    """An error as one line."""
    say("error: " + " ".join(text.split()))


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], empty: str) -> None:
    """Aligned columns on standard output; `empty` is said where there is no row."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    grid = Table(*headings, box=box.SIMPLE_HEAD, pad_edge=False, highlight=False)
    for row in rows:
        grid.add_row(*(Text(plain(str(cell))) for cell in row))
    if not grid.row_count:
        say(empty)
        return
    console(sys.stdout).print(grid, soft_wrap=not sys.stdout.isatty())
    sys.stdout.flush()


def console(stream: Any) -> "Console":
    """A Rich console on a stream, as wide as a row needs where it is no terminal."""
    from rich.console import Console

    return Console(file=stream, markup=False, highlight=False, width=None if stream.isatty() else _WIDE)
