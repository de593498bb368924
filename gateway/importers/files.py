"""Files at the edge: lines as a stream, documents as a whole, JSON that is only what JSON should be."""

import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from eunoe.streams.errors import BadInput, Rejected

LINE_BYTES = 16 << 20
DOCUMENT_BYTES = 64 << 20
_BOM = b"\xef\xbb\xbf"
_OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


def opened(path: str | Path) -> BinaryIO:
    """The file, open for reading behind a byte order mark. Raises BadInput when it isn't a readable file."""
    if not isinstance(path, str | Path):
        raise BadInput("name a file by its path")
    name = Path(path).name[:80]
    try:
        mode = Path(path).stat().st_mode
        if not stat.S_ISREG(mode):
            kind = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
            raise BadInput(f"{name!r} is {kind}; name a file to import")
        file = Path(path).open("rb")  # noqa: SIM115 - handed to the caller, who closes it
        head = file.read(4)
    except FileNotFoundError:
        raise BadInput(f"{name!r} does not exist") from None
    except PermissionError:
        raise BadInput(f"{name!r} may not be read; check its permissions") from None
    except (OSError, ValueError) as error:
        raise BadInput(f"{name!r} can't be read ({type(error).__name__})") from None
    if head.startswith(_OTHER_ENCODINGS):
        file.close()
        raise BadInput(f"{name!r} is UTF-16 or UTF-32 text; save it as UTF-8")
    file.seek(3 if head.startswith(_BOM) else 0)
    return file


def lines(path: str | Path) -> Iterator[tuple[int, bytes | None, float]]:
    """(number from 1, line without its end, share of the file read); None for a line over `LINE_BYTES`.

    Blank lines are left out. Never holds more than one line in memory.
    """
    with opened(path) as file:
        size = max(1, Path(path).stat().st_size)
        number = 0
        while line := file.readline(LINE_BYTES + 1):
            number += 1
            whole: bytes | None = line
            while len(line) > LINE_BYTES and not line.endswith(b"\n"):
                whole, line = None, file.readline(LINE_BYTES + 1)
            if whole is None or whole.strip():
                yield number, whole and whole.rstrip(b"\r\n"), min(1.0, file.tell() / size)


def line_value(raw: bytes | None) -> Any:
    """The JSON value of one of `lines`. Raises Rejected."""
    if raw is None:
        raise Rejected(f"longer than {LINE_BYTES >> 20} MiB")
    return loads(raw)


def document(path: str | Path) -> Any:
    """The one JSON document that the file is. Raises BadInput."""
    with opened(path) as file:
        raw = file.read(DOCUMENT_BYTES + 1)
    name = Path(path).name
    if len(raw) > DOCUMENT_BYTES:
        raise BadInput(f"{name!r} is one document of more than {DOCUMENT_BYTES >> 20} MiB; split it")
    try:
        return loads(raw)
    except Rejected as refused:
        raise BadInput(f"{name!r} can't be read: {refused.reason}") from None


def loads(raw: bytes) -> Any:
    """The value that JSON text names; repeated keys, NaN and infinities are refused. Raises Rejected."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Rejected(f"not UTF-8 at byte {error.start + 1}") from None
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise Rejected(f"not valid JSON at character {error.pos + 1}") from None
    except RecursionError:
        raise Rejected("nested too deeply") from None
    except ValueError:  # an integer of thousands of digits
        raise Rejected("holds a number that is too long") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise Rejected("an object repeats a key")
    return made


def _constant(_: str) -> NoReturn:
    raise Rejected("holds a number that is not finite")
