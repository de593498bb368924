"""Extraction by rules: the facts, skills and the episode of a turn. It sees only its unit, and decides by text alone.

Items come from the anchor only. Its context says whom a pronoun means, what the anchor answers, and what failed
before a fix.
"""

import msgspec

from eunoe.processors.extraction.turns import result_of
from eunoe.processors.units import Unit
from eunoe.streams.events import Item

VERSION = "rules/1"


class Extraction(msgspec.Struct, frozen=True):
    """What a unit's anchor gives. `reason` says why it holds no fact or skill; None when it holds one.

    Reasons: empty, system_prompt, recalled, small_talk, question, hypothetical, request, assistant_turn,
    tool_output, observation, injected_instruction, quoted, no_fact.
    """

    items: tuple[Item, ...]
    reason: str | None


def extract(unit: Unit) -> Extraction:
    """The facts, skills and the episode of a unit's last member. Pure; raises on no text."""
    return Extraction(*result_of(unit))
