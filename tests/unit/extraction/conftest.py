"""Turns and units for the tests of extraction."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from eunoe.processors.extraction import Extraction, extract
from eunoe.processors.units import rule_unit
from eunoe.streams.events import Interaction

AT = "2026-05-12T09:30:00+02:00"  # a Tuesday
Said = Callable[..., Extraction]


def turn(text: str, number: int = 0, **fields: Any) -> Interaction:
    """A turn of Ana's, or of whom the fields say."""
    given = {"role": "user", "at": AT, "scope": "user/1", "session": "s", "id": f"t{number}", "order": number, **fields}
    if given["role"] == "user":
        given.setdefault("speaker", "Ana")
    return Interaction(text=text, **given)


@pytest.fixture
def said() -> Said:
    """said(text, context=[(role, text), …], **fields): what a turn gives after those turns."""

    def run(text: str, context: Sequence[tuple[str, str]] = (), **fields: Any) -> Extraction:
        before = [turn(words, number, role=role) for number, (role, words) in enumerate(context)]
        return extract(rule_unit([*before, turn(text, len(before), **fields)]))

    return run
