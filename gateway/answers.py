"""What the front door answers with. Each is plain data; `msgspec.to_builtins` gives its JSON."""

from typing import Any

import msgspec


class Recorded(msgspec.Struct, frozen=True):
    """Where a turn stands. duplicate: it stood there already, with the same content."""

    id: str
    partition: int
    position: int
    duplicate: bool


class Refusal(msgspec.Struct, frozen=True):
    """A line of an import that was refused, and why; never what it held."""

    line: int
    reason: str


class Imported(msgspec.Struct, frozen=True):
    """What an import did."""

    read: int
    recorded: int
    duplicates: int
    rejected: list[Refusal]
    seconds: float


class DeadLetter(msgspec.Struct, frozen=True):
    """A step that failed on an accepted event. at: seconds since 1970."""

    id: str
    step: str
    scope: str
    event: str
    partition: int
    position: int
    reason: str
    attempts: int
    at: int


class Settled(msgspec.Struct, frozen=True):
    """All that could be processed is; what is parked waits for a person."""

    parked: list[DeadLetter]


class Staleness(msgspec.Struct, frozen=True):
    """What isn't constructed yet: events, and seconds since the oldest of them was written."""

    events: int
    seconds: float


class PartitionHead(msgspec.Struct, frozen=True):
    """The last position of one partition."""

    partition: int
    head: int


class Behind(msgspec.Struct, frozen=True):
    """How many records a projection or step has before it."""

    name: str
    behind: int


class Status(msgspec.Struct, frozen=True):
    """How a home does. queue: units without a result. waiting: the step that what is stale waits for.
    failure: why projecting in the background fails now, if it does.

    refused: how many events came again that were forgotten, over all days.
    """

    runtime: str
    partitions: list[PartitionHead]
    projections: list[Behind]
    queue: int
    dead_letters: int
    staleness: Staleness
    waiting: str | None
    failure: str | None
    memories: int
    bytes: dict[str, int]
    refused: int = 0


class Rebuilt(msgspec.Struct, frozen=True):
    """A rebuild and its proof: the digest of what was made anew, and whether the live one was the same."""

    digest: str
    projections: dict[str, str]
    events: int
    seconds: float
    same_as_live: bool
    model_calls: int


class LogLine(msgspec.Struct, frozen=True):
    """One event of the log, opened."""

    partition: int
    position: int
    kind: str
    scope: str
    session: str
    id: str
    at: str
    text: str
    details: dict[str, Any]


class ContextItem(msgspec.Struct, frozen=True):
    """One thing that is in an agent's context: a turn, or a recalled memory."""

    id: str
    kind: str
    text: str
    tokens: int


class Context(msgspec.Struct, frozen=True):
    """The short-term memory of a session, oldest first, within a budget of tokens."""

    session: str
    scope: str
    budget: int
    tokens: int
    text: str
    items: list[ContextItem]
