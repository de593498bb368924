"""The log contract: append one or many, read in order, wait, verify. What a log means is a fold, the same for all.

Every backend runs the suite in tests/contract/log.py.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from eunoe.streams.errors import Rejected
from eunoe.streams.events import AnyEvent, Forget
from eunoe.streams.frames import Envelope
from eunoe.streams.places import Place
from eunoe.streams.schemas import body_of, schema_of


class Entry(msgspec.Struct, frozen=True):
    """One thing to append: (scope, id) with its body, or the bodies of its chunks. One commit holds it whole."""

    scope: str
    id: str
    schema: str
    subjects: tuple[str, ...]
    bodies: tuple[bytes, ...]
    covers: tuple[bytes, ...] = ()


class Appended(msgspec.Struct, frozen=True):
    """Where an entry stands: the position of its first record. duplicate: it stood there already."""

    partition: int
    position: int
    duplicate: bool


class Record(msgspec.Struct, frozen=True):
    """One record as stored. ciphertext is None where it was dropped."""

    partition: int
    position: int
    envelope: Envelope
    ciphertext: bytes | None
    hash: bytes


class Opened(msgspec.Struct, frozen=True):
    """A record with its event; None for the log's own records and for what was forgotten."""

    record: Record
    event: AnyEvent | None


class Bad(msgspec.Struct, frozen=True):
    """The first place where a log is not what it should be."""

    partition: int
    position: int
    reason: str


class Verification(msgspec.Struct, frozen=True):
    """What `verify` found. records counts those that were read before the first bad one."""

    ok: bool
    partitions: int
    records: int
    first_bad: Bad | None = None


Outcome = Appended | Rejected

Heads = Mapping[tuple[int, int], bytes]
"""(partition, size) → root of the hash tree over its first `size` records."""


class Erasure(msgspec.Struct, frozen=True):
    """What a forget takes from the log.

    places: (partition, position) of the records that lose keys and ciphertext. ids: (scope, id) that lose their
    look-up. names: what the guard refuses from then on, or keyed hashes of it, with time keys. pseudonyms: subjects
    and streams whose keys and names are destroyed. seen: the last position of each partition that the plan knew;
    what came in behind it goes too, where the names refuse it.
    """

    places: tuple[Place, ...]
    ids: tuple[tuple[str, str], ...]
    names: tuple[tuple[str | bytes, int | None], ...]
    pseudonyms: tuple[bytes, ...] = ()
    seen: tuple[int, ...] = ()


class Log(Protocol):
    """Append-only, sealed, chained. All methods are safe from any thread."""

    partitions: int

    def append(self, entries: Sequence[Entry]) -> list[Outcome]:
        """Append in order, in one commit; an outcome each, durable when this returns.

        A known (scope, id) with the same content is a duplicate and writes nothing; with other content its
        outcome is IdReused. Raises StorageFull, LogDamaged and keyring errors: then nothing was written.
        """

    def read(self, partition: int, after: int, limit: int) -> list[Record]:
        """Up to `limit` records with positions greater than `after` (-1: from the start), in order."""

    def open(self, records: Sequence[Record]) -> list[Opened]:
        """The events of these records. Raises KeyMissing, LogDamaged, SchemaTooNew."""

    def find(self, scope: str, event: str) -> Place | None:
        """Where the event with this id starts."""

    def head(self, partition: int) -> int:
        """The last position of a partition, -1 when it is empty."""

    def wait(self, heads: Sequence[int], timeout: float) -> bool:
        """Wait until some partition's head is past the given one; False after `timeout` seconds."""

    def node(self, partition: int, level: int, index: int) -> bytes:
        """Hash of the perfect subtree over records [index · 2^level, (index + 1) · 2^level): see `streams.merkle`."""

    def verify(self, heads: Heads | None = None) -> Verification:
        """Check numbering, chain, seals, look-ups and hash tree of every record; that what was dropped is covered by
        a request; and that the log continues these heads.
        """

    def erase(self, request: Forget, erasure: Erasure, stones: Sequence[Forget] = ()) -> Appended:
        """Record a request and drop what it covers: all of it or nothing, and again on opening where keys remain.

        stones: what a redaction leaves to see, recorded in the same commit.
        """

    def complete(self, completion: Forget) -> Appended:
        """Record that a request is done with."""

    def requests(self) -> list[tuple[str, Place, Place | None]]:
        """Every request to forget or redact: its id, its place, and the place of its completion where there is one."""

    def refused(self, names: Sequence[str]) -> set[str]:
        """Those of these names, as `streams.guard` makes them, that are refused whatever their time."""

    def readmit(self, request: Forget, names: Sequence[str]) -> int:
        """Record that these names may come in again; how many were refused before."""

    def refusals(self) -> dict[str, int]:
        """How many events the guard refused, by ISO date (UTC). It keeps no name."""

    def generation(self) -> int:
        """A number that grows with every forget and rotation, whichever process did it."""

    def erased_by(self, partition: int, position: int) -> list[Place]:
        """Places of the records that the request at this place dropped."""

    def sealed_to(self, subject: str) -> list[Place]:
        """Places of the records that a subject's key opens."""

    def close(self) -> None:
        """Let go of files; later calls raise."""


def entry(*events: AnyEvent, covers: tuple[bytes, ...] = ()) -> Entry:
    """The entry of one event, or of the chunks of one."""
    first = events[0]
    bodies = tuple(body_of(event) for event in events)
    return Entry(first.scope, first.id, schema_of(first), first.subjects, bodies, covers)
