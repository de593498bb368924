"""What one commit of the local log writes: sealed, numbered and chained rows, built on the partitions' heads."""

from os import urandom
from typing import NamedTuple

import apsw
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from eunoe.streams.errors import LogDamaged
from eunoe.streams.frames import Envelope, body_hash, chained, encode_envelope
from eunoe.streams.keyring import Keyring, SubjectKey
from eunoe.streams.local_tree import grow
from eunoe.streams.log import Appended, Entry
from eunoe.streams.partitioning import partition_of
from eunoe.streams.places import SHIFT
from eunoe.streams.sealing import KEY_BYTES, NONCE_BYTES, split
from eunoe.streams.sqlite_files import rows

_NOISE = 16 + KEY_BYTES + 2 * NONCE_BYTES  # record id, data key, nonces of body and share


def head_of(connection: apsw.Connection, partition: int) -> tuple[int, bytes]:
    """Position and hash of a partition's last record. Raises LogDamaged when there is none."""
    found = rows(
        connection,
        "select row, hash from record where row >= ? and row < ? order by row desc limit 1",
        (partition << SHIFT, (partition + 1) << SHIFT),
    )
    if not found:
        raise LogDamaged("the partition has lost all its records", partition, 0)
    return found[0][0] - (partition << SHIFT), found[0][1]


class _Place(NamedTuple):
    """Where and for whom an entry is sealed: looked up once a batch for each scope and its subjects."""

    partition: int
    stream: bytes
    subjects: list[SubjectKey]
    pseudonyms: tuple[bytes, ...]


class Batch:
    """Rows of one commit.

    heads: position and hash of each partition, as far as they are known. known: rows of ids that stand in the log.
    added: rows of the ids that this commit adds.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        keyring: Keyring,
        partitions: int,
        stamp: tuple[int, bytes, int],
        heads: dict[int, tuple[int, bytes]],
        known: dict[int, int],
    ) -> None:
        self._connection, self._keyring, self._partitions = connection, keyring, partitions
        self._epoch, self._writer, self._written = stamp
        self.heads = heads
        self._places: dict[tuple[str, tuple[str, ...]], _Place] = {}
        self._known = known
        self.added: dict[int, int] = {}
        self._at: dict[int, Entry] = {}
        self._records: list[tuple[int, bytes, bytes, bytes]] = []
        self._datakeys: list[tuple[int, int, int, bytes]] = []

    def known(self, mac: int) -> int | None:
        """The row where an id stands, in this batch or before it."""
        return self.added.get(mac, self._known.get(mac))

    def bodies_at(self, row: int) -> list[tuple[str, bytes]]:
        """The bodies of an entry of this very batch."""
        one = self._at.get(row)
        return [(one.schema, body) for body in one.bodies] if one else []

    def add(self, mac: int, one: Entry) -> Appended:
        """Seal, number and chain an entry's records behind what its partition holds."""
        place = self._places.get((one.scope, one.subjects)) or self._place(one)
        partition = place.partition
        head, previous = self.heads.get(partition) or head_of(self._connection, partition)
        first, count = head + 1, len(one.bodies)
        for body in one.bodies:
            head += 1
            previous = self._record(place, head, previous, one, body, count)
            count = 1
        self.heads[partition] = (head, previous)
        row = (partition << SHIFT) + first
        self.added[mac], self._at[row] = row, one
        return Appended(partition, first, duplicate=False)

    def _place(self, one: Entry) -> _Place:
        subjects = [self._keyring.subject(name) for name in one.subjects]
        place = _Place(
            partition_of(one.scope, self._partitions),
            self._keyring.stream(one.scope),
            subjects,
            tuple(subject.pseudonym for subject in subjects),
        )
        self._places[one.scope, one.subjects] = place
        return place

    def _record(self, place: _Place, number: int, previous: bytes, one: Entry, body: bytes, count: int) -> bytes:
        """Seal one body under a fresh data key and chain it; the hash of the new record."""
        row, noise = (place.partition << SHIFT) + number, urandom(_NOISE)
        record, data_key, nonce, wrapping = noise[:16], noise[16:48], noise[48:60], noise[60:]
        envelope = Envelope(  # by position: this line runs for every record
            record, place.stream, place.pseudonyms, one.schema, len(body), self._epoch, self._writer, number,
            self._written, None, one.covers, count,
        )  # fmt: skip
        frame = encode_envelope(envelope)
        sealed = nonce + AESGCM(data_key).encrypt(nonce, body, record + place.stream + one.schema.encode())
        digest = chained(previous, frame, body_hash(sealed))
        self._records.append((row, frame, sealed, digest))
        for subject, share in zip(place.subjects, split(data_key, len(place.subjects)), strict=True):
            wrapped = wrapping + subject.cipher.encrypt(wrapping, share, record)
            self._datakeys.append((subject.number, row, subject.version, wrapped))
        return digest

    def write(self) -> None:
        """Insert all of it; the caller's transaction commits."""
        if not self._records:
            return
        self._connection.executemany("insert into record values(?, ?, ?, null, ?)", self._records)
        self._connection.executemany("insert into datakey values(?, ?, ?, ?)", self._datakeys)
        grow(self._connection, [record[0] for record in self._records])
