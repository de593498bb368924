"""Which reader reads a file, by name or by looking at its first lines."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Literal, get_args

from eunoe.gateway.importers import files, jsonl, locomo, openai
from eunoe.gateway.importers.lines import Defaults, ImportLine
from eunoe.streams.errors import BadInput, Rejected

Format = Literal["jsonl", "openai", "locomo"]
FORMATS: tuple[Format, ...] = get_args(Format)
_LOOKED_AT = 50


def read(path: str | Path, format: str | None = None, defaults: Defaults | None = None) -> Iterator[ImportLine]:
    """The entries of a file, in its order. Without `format` it is detected.

    Raises BadInput at once when the file can't be read or is of no known format; an entry that is broken
    comes as a line with a reason.
    """
    files.opened(path).close()
    chosen = format or detect(path)
    if chosen == "jsonl":
        return jsonl.read(path, defaults or Defaults())
    if chosen == "openai":
        return openai.read(path, defaults or Defaults())
    if chosen == "locomo":
        return locomo.read(path)
    raise BadInput(f"unknown format; known are {', '.join(FORMATS)}")


def detect(path: str | Path) -> Format:
    """The format of a file by its shape. Raises BadInput when it is none that is known."""
    seen = False
    for _, raw, _ in islice(files.lines(path), _LOOKED_AT):
        seen = True
        try:
            value = files.line_value(raw)
        except Rejected:
            continue
        if found := _format_of(value):
            return found
    if not seen:
        return "jsonl"  # an empty file is an empty history
    if found := _format_of(files.document(path)):
        return found
    raise BadInput(f"{Path(path).name!r} is of no known format; known are {', '.join(FORMATS)}")


def _format_of(value: Any) -> Format | None:
    """The format that one JSON value belongs to."""
    first = value[0] if isinstance(value, list) and value else value
    if locomo.is_conversation(first):
        return "locomo"
    if openai.is_conversation(first) or openai.is_message(first):
        return "openai"
    if isinstance(value, dict) and "role" in value and ("text" in value or "tool" in value):
        return "jsonl"
    return None
