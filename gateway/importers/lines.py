"""What a reader yields for each entry of a file."""

from collections.abc import Mapping
from typing import Any

import msgspec

from eunoe.processors.ingestion.draft import Draft
from eunoe.streams.errors import Rejected


class ImportLine(msgspec.Struct, frozen=True):
    """One entry: `draft`, or else the `reason` why there is none, which holds no content.

    number: the line in a file of lines, the entry in a file that is one document; from 1.
    done: share of the file that is read once this entry is, 0 to 1, for progress.
    """

    number: int
    draft: Draft | None = None
    reason: str | None = None
    done: float = 1.0


class Defaults(msgspec.Struct, frozen=True):
    """What the caller knows and the file may not say. What the file says goes before it."""

    scope: str | None = None
    session: str | None = None
    agent: str | None = None
    at: str | None = None

    def given(self) -> dict[str, str]:
        """The defaults that are set, by field name."""
        return {name: value for name in self.__struct_fields__ if (value := getattr(self, name)) is not None}


def drafted(number: int, mapping: Mapping[str, Any], done: float, where: str = "") -> ImportLine:
    """The line of one mapping: its draft, or why it was refused. `where` goes before the reason."""
    try:
        return ImportLine(number, draft=Draft.from_mapping(mapping), done=done)
    except Rejected as refused:
        return ImportLine(number, reason=where + refused.reason, done=done)
