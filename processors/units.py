"""Memory construction units: which turns are handed to extraction together.

A rule unit is one turn (the anchor) with up to `CONTEXT_TURNS` turns before it in its session. A unit's id is
a hash of its members, so that a turn that arrives late makes new units and leaves the old results inert.
"""

from collections.abc import Sequence
from hashlib import blake2b

import msgspec

from eunoe.streams.events import Interaction

CONTEXT_TURNS = 3


class Unit(msgspec.Struct, frozen=True):
    """`members` in the session's order; the last one is the anchor, the others are its context."""

    id: str
    members: tuple[Interaction, ...]

    @property
    def anchor(self) -> Interaction:
        return self.members[-1]

    @property
    def context(self) -> tuple[Interaction, ...]:
        return self.members[:-1]


def unit_id(scope: str, members: Sequence[tuple[str, int]]) -> str:
    """Hash of scope and member (event id, chunk) pairs, 32 hex digits."""
    digest = blake2b(digest_size=16, person=b"eunoe.unit")
    for part in (scope, *(f"{event}\x00{chunk}" for event, chunk in members)):
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(4, "big") + encoded)
    return digest.hexdigest()


def rule_unit(members: Sequence[Interaction]) -> Unit:
    """The unit of the last of `members`, the others being what stands before it in its session."""
    anchor = members[-1]
    return Unit(unit_id(anchor.scope, [(m.id, m.chunk) for m in members]), tuple(members))
