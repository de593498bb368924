"""What a projection is, and what the parts of the projection store offer to the rest.

A projection holds nothing that the log (and its keyring) can't give back. It keeps its own positions beside its
rows, in the same transaction, and is *erasable*: whatever holds content can be found, purged and scanned.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

import msgspec

from eunoe.streams.events import Kind, Precision, Role


class Source(msgspec.Struct, frozen=True):
    """One interaction that a memory stands on. `event` is the reporter's id (the parent's for a chunk)."""

    event: str
    session: str
    role: Role
    at: str
    chunk: int = 0
    start: int = 0
    end: int = 0


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """A settled memory: what recall, files, people and digests see.

    number: row number inside one projection file; never leaves it and enters no digest.
    id: stable, a function of the first living source. scope: its path.
    at: event time of the first source, `key` the same as UTC microseconds (streams.times.order_key).
    last_confirmed: event time of the latest source.
    """

    number: int
    id: str
    scope: str
    kind: Kind
    text: str
    sources: tuple[Source, ...]
    at: str
    key: int
    last_confirmed: str
    about: str | None = None
    attribute: str | None = None
    value: str | None = None
    negative: bool = False
    valid_from: str | None = None
    valid_until: str | None = None
    precision: Precision | None = None
    confidence: float = 1.0
    system: str = "eunoe"
    slots: dict[str, str] | None = None
    untrusted: bool = False
    contested_by: tuple[str, ...] = ()
    superseded_by: str | None = None
    retired: bool = False


class Hit(msgspec.Struct, frozen=True):
    """One answer of an index: a memory's row number and its score, higher is better."""

    number: int
    score: float


class Memories(Protocol):
    """Reads over settled memories. Every method is safe from any thread."""

    def scopes(self) -> list[str]:
        """Paths of all scopes that hold at least one event."""

    def scope_number(self, scope: str) -> int | None:
        """The number that stands for a scope in this projection; None when it is unknown."""

    def many(self, numbers: Iterable[int]) -> dict[int, Memory]:
        """The memories with these row numbers; unknown ones are left out."""

    def get(self, memory_id: str) -> Memory | None:
        """By id, through lineage: an id that was settled into another memory finds that one."""

    def listing(self, scope: str, *, kind: Kind | None = None, retired: bool = False) -> Iterator[Memory]:
        """All memories of one scope, by event time."""

    def neighbours(self, numbers: Iterable[int]) -> Mapping[int, tuple[int | None, int | None]]:
        """For each episode: the row numbers of the episodes of the turn before and after it in its session."""


class Lexical(Protocol):
    """An inverted index over terms. It takes and returns terms and numbers, never text (a server may hold it)."""

    def add(self, rows: Sequence[tuple[int, int, Sequence[str]]]) -> None:
        """Index (memory number, scope number, terms); a number that is there already is replaced."""

    def remove(self, numbers: Sequence[int]) -> None:
        """Drop these rows so that no byte of their terms stays. Unknown numbers are ignored."""

    def search(self, scope: int, terms: Sequence[str], limit: int) -> list[Hit]:
        """Best `limit` rows of one scope by BM25, best first, ties by number. No terms, no hits."""
