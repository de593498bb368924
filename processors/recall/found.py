"""What a recall gives back. Its JSON is part of the public surface."""

from typing import Protocol

import msgspec

from eunoe.streams.events import Kind, Role


class Waiting(Protocol):
    """How far the projections are behind the log."""

    @property
    def events(self) -> int:
        """Events that can't be recalled yet."""

    @property
    def seconds(self) -> float:
        """How long the oldest of them has waited."""


class Staleness(msgspec.Struct, frozen=True):
    """What isn't constructed yet, and for how many seconds the oldest of it has waited."""

    events: int = 0
    seconds: float = 0.0


class FoundSource(msgspec.Struct, frozen=True):
    """One interaction that an item stands on, by the id its reporter gave it."""

    event: str
    session: str
    role: Role
    at: str


class FoundItem(msgspec.Struct, frozen=True, kw_only=True):
    """One memory, or as much of it as fits. `text` stands in the context's text exactly as it is here."""

    id: str
    scope: str
    kind: Kind
    text: str
    tokens: int
    score: float
    sources: tuple[FoundSource, ...]
    valid_from: str | None = None
    valid_until: str | None = None
    last_confirmed: str
    possibly_outdated: bool = False
    confidence: float = 1.0
    system: str = "eunoe"
    contested_by: tuple[str, ...] = ()
    superseded_by: str | None = None
    untrusted: bool = False


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A context for an agent: `tokens` counts all of `text` and is never above `budget`."""

    id: str
    query: str
    scopes: tuple[str, ...]
    budget: int
    tokens: int
    staleness: Staleness
    text: str
    items: tuple[FoundItem, ...]
