"""What one commit of the local log writes: sealed, numbered and chained rows, built on the partitions' heads."""

from os import urandom

import apsw
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from eunoe.streams.errors import LogDamaged
from eunoe.streams.frames import Envelope, body_hash, chained, encode_envelope
from eunoe.streams.keyring import Keyring, SubjectKey
from eunoe.streams.log import Appended, Entry
from eunoe.streams.partitioning import partition_of
from eunoe.streams.sealing import KEY_BYTES, NONCE_BYTES, seal_share, split
from eunoe.streams.sqlite_files import rows

SHIFT = 40
"""Row key = (partition << SHIFT) + position."""

_RECORD = 16
_NOISE = _RECORD + KEY_BYTES + 2 * NONCE_BYTES


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


class Batch:
    """Rows of one commit. heads: position and hash of each partition, as far as they are known."""

    def __init__(
        self, connection: apsw.Connection, keyring: Keyring, partitions: int,
        stamp: tuple[int, bytes, int], heads: dict[int, tuple[int, bytes]],
    ) -> None:  # fmt: skip
        self._connection, self._keyring, self._partitions = connection, keyring, partitions
        self._epoch, self._writer, self._written = stamp
        self.heads = heads
        self._added: dict[bytes, int] = {}
        self._at: dict[int, Entry] = {}
        self._records: list[tuple[int, bytes, bytes, bytes]] = []
        self._datakeys: list[tuple[int, int, int, bytes]] = []

    def known(self, mac: bytes) -> int | None:
        """The row where an id stands, in this batch or before it."""
        if mac in self._added:
            return self._added[mac]
        found = rows(self._connection, "select row from lookup where mac = ?", (mac,))
        return found[0][0] if found else None

    def bodies_at(self, row: int) -> list[tuple[str, bytes]]:
        """The bodies of an entry of this very batch."""
        one = self._at.get(row)
        return [(one.schema, body) for body in one.bodies] if one else []

    def add(self, mac: bytes, one: Entry) -> Appended:
        """Seal, number and chain an entry's records behind what its partition holds."""
        partition = partition_of(one.scope, self._partitions)
        head, previous = self.heads.get(partition) or head_of(self._connection, partition)
        stream, subjects = self._keyring.stream(one.scope), [self._keyring.subject(s) for s in one.subjects]
        first, count = head + 1, len(one.bodies)
        for body in one.bodies:
            head += 1
            previous = self._record(partition, head, previous, stream, subjects, one, body, count)
            count = 1
        self.heads[partition] = (head, previous)
        row = (partition << SHIFT) + first
        self._added[mac], self._at[row] = row, one
        return Appended(partition, first, duplicate=False)

    def _record(
        self, partition: int, number: int, previous: bytes, stream: bytes,
        subjects: list[SubjectKey], one: Entry, body: bytes, count: int,
    ) -> bytes:  # fmt: skip
        row, noise = (partition << SHIFT) + number, urandom(_NOISE)
        record, data_key = noise[:_RECORD], noise[_RECORD : _RECORD + KEY_BYTES]
        nonce = noise[-NONCE_BYTES:]
        envelope = Envelope(
            record, stream, tuple([s.pseudonym for s in subjects]), one.schema, len(body), self._epoch, self._writer,
            number, self._written, covers=one.covers, count=count,
        )  # fmt: skip
        frame = encode_envelope(envelope)
        sealed = nonce + AESGCM(data_key).encrypt(nonce, body, envelope.binding)
        digest = chained(previous, frame, body_hash(sealed))
        self._records.append((row, frame, sealed, digest))
        nonce = noise[-2 * NONCE_BYTES : -NONCE_BYTES]
        for subject, share in zip(subjects, split(data_key, len(subjects)), strict=True):
            wrapped = seal_share(subject.cipher, nonce, share, record)
            self._datakeys.append((subject.number, row, subject.version, wrapped))
        return digest

    def write(self) -> None:
        """Insert all of it; the caller's transaction commits."""
        if not self._records:
            return
        self._connection.executemany("insert into record values(?, ?, ?, null, ?)", self._records)
        self._connection.executemany("insert into datakey values(?, ?, ?, ?)", self._datakeys)
        self._connection.executemany("insert into lookup values(?, ?)", list(self._added.items()))
