"""The event log as one SQLite file: records, data keys and look-ups change in one commit.

Row key = partition * 2**40 + position, so that a partition's records lie side by side and (partition, position)
needs no index of its own. Data keys are keyed (subject, row), so that a subject's go with one range delete.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from os import urandom
from pathlib import Path

import apsw

from eunoe.streams.chain import Chain
from eunoe.streams.errors import IdReused, KeyMissing, LogDamaged, LogError, SchemaTooNew
from eunoe.streams.frames import (
    EPOCH_SCHEMA,
    Envelope,
    body_hash,
    chained,
    decode_envelope,
    encode_envelope,
    genesis,
)
from eunoe.streams.keyring import Keyring, SubjectKey
from eunoe.streams.log import Appended, Entry, Opened, Outcome, Record, Verification
from eunoe.streams.partitioning import partition_of
from eunoe.streams.schemas import event_of, same_content
from eunoe.streams.sealing import KEY_BYTES, joined, seal, split, unseal
from eunoe.streams.sqlite_files import connect, immediate, translated
from eunoe.streams.verification import verified

FORMAT = 1
_SHIFT = 40
_TABLES = """
create table record(row integer primary key, envelope blob not null, ciphertext blob, body_hash blob, hash blob not null);
create table datakey(subject integer, row integer, version integer, share blob, primary key(subject, row)) without rowid;
create table lookup(mac blob primary key, row integer) without rowid;
create table meta(name text primary key, value) without rowid;
"""


class LocalLog:
    """See `eunoe.streams.log.Log`. Any number of processes and threads may append to one file."""

    def __init__(
        self, path: Path, keyring: Keyring, *, partitions: int = 4, clock: Callable[[], float] = time.time
    ) -> None:
        self.path, self.keyring, self._clock = path, keyring, clock
        self._lock, self._local, self._grown = threading.RLock(), threading.local(), threading.Condition()
        self._readers: list[apsw.Connection] = []
        self._writer = connect(path)
        with self._errors():
            self._create(partitions)
            meta = dict(self._writer.execute("select name, value from meta").fetchall())
        if meta["format"] > FORMAT:
            raise SchemaTooNew(f"{path.name} was written by a later release; upgrade Eunoe to read it")
        if meta["home"] != keyring.home:
            raise LogError(f"{path.name} belongs to another keyring; put back the books.db it was made with")
        self.partitions, self._epoch, self._identity = meta["partitions"], meta["epoch"], meta["writer"]
        self._generation = meta["generation"]
        self._mac_key = keyring.purpose("lookup")

    def _create(self, partitions: int) -> None:
        with immediate(self._writer):
            if self._writer.execute("select 1 from sqlite_master where name = 'meta'").fetchall():
                return
            for statement in _TABLES.strip().split("\n"):
                self._writer.execute(statement)
            writer = urandom(8)
            values = {
                "format": FORMAT, "home": self.keyring.home, "partitions": partitions,
                "epoch": 1, "writer": writer, "generation": 0,
            }  # fmt: skip
            self._writer.executemany("insert into meta values(?, ?)", list(values.items()))
            for partition in range(partitions):
                envelope = Envelope(
                    urandom(16), bytes(16), (), EPOCH_SCHEMA, 0, 1, writer, 0, int(self._clock() * 1000)
                )
                frame = encode_envelope(envelope)
                digest = chained(genesis(self.keyring.home, partition), frame, body_hash(b""))
                self._writer.execute("insert into record values(?, ?, ?, null, ?)", (partition << _SHIFT, frame, b"", digest))

    # -- appending --------------------------------------------------------------------------------

    def append(self, entries: Sequence[Entry]) -> list[Outcome]:
        for one in entries:  # what seals must be durable first
            self.keyring.stream(one.scope)
            for subject in one.subjects:
                self.keyring.subject(subject)
        with self._lock, self._errors(), immediate(self._writer):
            self._notice_changed_keys()
            batch = _Batch(self._writer, self.keyring, self.partitions, self._stamp())
            outcomes = [self._place(batch, one) for one in entries]
            batch.write()
        with self._grown:
            self._grown.notify_all()
        return outcomes

    def _stamp(self) -> tuple[int, bytes, int]:
        return self._epoch, self._identity, int(self._clock() * 1000)

    def _place(self, batch: "_Batch", one: Entry) -> Outcome:
        mac = self._mac(one.scope, one.id)
        row = batch.known(mac)
        if row is None:
            return batch.add(mac, one)
        found = Appended(row >> _SHIFT, row & ((1 << _SHIFT) - 1), duplicate=True)
        if one.schema.startswith("result/"):
            return found
        stored = batch.bodies_at(row) or self._stored(row)
        same = len(stored) == len(one.bodies) and all(
            same_content(schema, body, one.schema, given) for (schema, body), given in zip(stored, one.bodies, strict=True)
        )
        return found if same else IdReused("this id was used in this scope for other content; use a new id")

    def _stored(self, row: int) -> list[tuple[str, bytes]]:
        first = self._rows(self._writer, row >> _SHIFT, row, 1)[0]
        records = self._rows(self._writer, row >> _SHIFT, row, first.envelope.count)
        return [(r.envelope.schema, body) for r, body in zip(records, self._bodies(self._writer, records), strict=True) if body is not None]

    def _mac(self, scope: str, event: str) -> bytes:
        return blake2b(f"{scope}\x00{event}".encode(), key=self._mac_key, digest_size=16).digest()

    def _notice_changed_keys(self) -> None:
        generation = self._writer.execute("select value from meta where name = 'generation'").fetchall()[0][0]
        if generation != self._generation:
            self.keyring.refresh()
            self._generation = generation

    # -- reading ----------------------------------------------------------------------------------

    def read(self, partition: int, after: int, limit: int) -> list[Record]:
        with self._errors():
            return self._rows(self._reader(), partition, (partition << _SHIFT) + after + 1, limit)

    def _rows(self, connection: apsw.Connection, partition: int, first: int, limit: int) -> list[Record]:
        """Records from a row on, with their chain followed from the record before."""
        base = partition << _SHIFT
        before = genesis(self.keyring.home, partition)
        if first > base:
            previous = connection.execute("select hash from record where row = ?", (first - 1,)).fetchall()
            if not previous:
                return []
            before = previous[0][0]
        chain, records = Chain(partition, first - base, before), []
        for row, frame, sealed, kept, digest in connection.execute(
            "select row, envelope, ciphertext, body_hash, hash from record where row >= ? and row < ? limit ?",
            (first, (partition + 1) << _SHIFT, limit),
        ):
            try:
                envelope = decode_envelope(frame)
            except Exception:
                raise LogDamaged("the envelope can't be read", partition, chain.number) from None
            chain.follow(row - base, envelope.number, frame, sealed, kept, digest)
            records.append(Record(partition, row - base, envelope, sealed, digest))
        return records

    def open(self, records: Sequence[Record]) -> list[Opened]:
        with self._errors():
            bodies = self._bodies(self._reader(), records)
        return [
            Opened(record, None if body is None else event_of(record.envelope.schema, body))
            for record, body in zip(records, bodies, strict=True)
        ]

    def _bodies(self, connection: apsw.Connection, records: Sequence[Record]) -> list[bytes | None]:
        shares = self._shares(connection, records)
        bodies: list[bytes | None] = []
        for record in records:
            envelope = record.envelope
            if envelope.schema == EPOCH_SCHEMA:
                bodies.append(None)
                continue
            parts = [shares.get((subject, record.partition, record.position)) for subject in envelope.subjects]
            if record.ciphertext is None or None in parts or not parts:
                raise KeyMissing(record.partition, record.position)
            keys = [unseal(secret, share, envelope.record) for share, secret in filter(None, parts)]
            try:
                bodies.append(unseal(joined(keys) if len(keys) > 1 else keys[0], record.ciphertext, envelope.binding))
            except LogDamaged as error:
                raise LogDamaged(error.reason, record.partition, record.position) from None
        return bodies

    def _shares(
        self, connection: apsw.Connection, records: Sequence[Record]
    ) -> dict[tuple[bytes, int, int], tuple[bytes, bytes]]:
        """(pseudonym, partition, position) → (wrapped share, subject key), with one range read a subject."""
        wanted: dict[bytes, list[int]] = defaultdict(list)
        for record in records:
            for subject in record.envelope.subjects:
                wanted[subject].append((record.partition << _SHIFT) + record.position)
        found = {}
        for pseudonym, rows in wanted.items():
            number = self.keyring.subject_by_pseudonym(pseudonym)
            if number is None:
                continue
            for row, version, share in connection.execute(
                "select row, version, share from datakey where subject = ? and row between ? and ?",
                (number, min(rows), max(rows)),
            ):
                key = self.keyring.key(number, version)
                if key is not None:
                    found[pseudonym, row >> _SHIFT, row & ((1 << _SHIFT) - 1)] = (share, key.secret)
        return found

    def find(self, scope: str, event: str) -> tuple[int, int] | None:
        """Where the event with this id starts: (partition, position)."""
        with self._errors():
            rows = self._reader().execute("select row from lookup where mac = ?", (self._mac(scope, event),)).fetchall()
        return (rows[0][0] >> _SHIFT, rows[0][0] & ((1 << _SHIFT) - 1)) if rows else None

    def head(self, partition: int) -> int:
        with self._errors():
            return _head(self._reader(), partition)[0]

    def wait(self, heads: Sequence[int], timeout: float) -> bool:
        deadline, pause = time.monotonic() + timeout, 0.002
        while all(self.head(partition) <= head for partition, head in enumerate(heads)):
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            with self._grown:  # woken by this process; other processes are seen by looking
                self._grown.wait(min(left, pause))
            pause = min(pause * 1.5, 0.05)
        return True

    def verify(self) -> Verification:
        return verified(self, lambda scope, event: self.find(scope, event))

    # -- keys -------------------------------------------------------------------------------------

    def rewrap(self, number: int, old: SubjectKey, new: SubjectKey) -> int:
        """Wrap a subject's shares anew under a later version of its key; how many."""
        with self._lock, self._errors(), immediate(self._writer):
            rows = self._writer.execute(
                "select row, share from datakey where subject = ? and version = ?", (number, old.version)
            ).fetchall()
            for row, share in rows:
                record = self._rows(self._writer, row >> _SHIFT, row, 1)[0].envelope.record
                self._writer.execute(
                    "update datakey set version = ?, share = ? where subject = ? and row = ?",
                    (new.version, seal(new.secret, unseal(old.secret, share, record), record), number, row),
                )
            self._writer.execute("update meta set value = value + 1 where name = 'generation'")
        return len(rows)

    # -- files ------------------------------------------------------------------------------------

    def _reader(self) -> apsw.Connection:
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = connect(self.path, read_only=True, create=False)
            with self._lock:
                self._readers.append(connection)
        return connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        with translated(self.path.name):
            yield

    def close(self) -> None:
        with self._lock:
            for connection in (*self._readers, self._writer):
                connection.close()
            self._readers.clear()


def _head(connection: apsw.Connection, partition: int) -> tuple[int, bytes]:
    """Position and hash of a partition's last record."""
    rows = connection.execute(
        "select row, hash from record where row >= ? and row < ? order by row desc limit 1",
        (partition << _SHIFT, (partition + 1) << _SHIFT),
    ).fetchall()
    if not rows:
        raise LogDamaged("a partition has lost all its records", partition, 0)
    return rows[0][0] - (partition << _SHIFT), rows[0][1]


class _Batch:
    """What one commit will write, with the heads that it builds on."""

    def __init__(
        self, connection: apsw.Connection, keyring: Keyring, partitions: int, stamp: tuple[int, bytes, int]
    ) -> None:
        self._connection, self._keyring, self._partitions = connection, keyring, partitions
        self._epoch, self._writer, self._written = stamp
        self._heads: dict[int, tuple[int, bytes]] = {}
        self._added: dict[bytes, tuple[int, Entry]] = {}
        self._at: dict[int, Entry] = {}
        self._records: list[tuple[int, bytes, bytes, bytes]] = []
        self._datakeys: list[tuple[int, int, int, bytes]] = []

    def known(self, mac: bytes) -> int | None:
        if mac in self._added:
            return self._added[mac][0]
        rows = self._connection.execute("select row from lookup where mac = ?", (mac,)).fetchall()
        return rows[0][0] if rows else None

    def bodies_at(self, row: int) -> list[tuple[str, bytes]]:
        """The bodies of an entry of this very batch."""
        one = self._at.get(row)
        return [(one.schema, body) for body in one.bodies] if one else []

    def add(self, mac: bytes, one: Entry) -> Appended:
        partition = partition_of(one.scope, self._partitions)
        head, previous = self._heads.get(partition) or _head(self._connection, partition)
        stream, subjects = self._keyring.stream(one.scope), [self._keyring.subject(s) for s in one.subjects]
        first = head + 1
        for index, body in enumerate(one.bodies):
            head += 1
            previous = self._record(partition, head, previous, stream, subjects, one, body, index)
        self._heads[partition] = (head, previous)
        row = (partition << _SHIFT) + first
        self._added[mac], self._at[row] = (row, one), one
        return Appended(partition, first, duplicate=False)

    def _record(
        self, partition: int, number: int, previous: bytes, stream: bytes,
        subjects: list[SubjectKey], one: Entry, body: bytes, index: int,
    ) -> bytes:  # fmt: skip
        row, noise = (partition << _SHIFT) + number, urandom(16 + KEY_BYTES)
        record, data_key = noise[:16], noise[16:]
        envelope = Envelope(
            record, stream, tuple(s.pseudonym for s in subjects), one.schema, len(body), self._epoch, self._writer,
            number, self._written, covers=one.covers, count=len(one.bodies) if index == 0 else 1,
        )  # fmt: skip
        frame, sealed = encode_envelope(envelope), seal(data_key, body, envelope.binding)
        digest = chained(previous, frame, body_hash(sealed))
        self._records.append((row, frame, sealed, digest))
        for subject, share in zip(subjects, split(data_key, len(subjects)), strict=True):
            self._datakeys.append((subject.number, row, subject.version, seal(subject.secret, share, record)))
        return digest

    def write(self) -> None:
        """Insert all of it; the caller's transaction commits."""
        if not self._records:
            return
        self._connection.executemany("insert into record values(?, ?, ?, null, ?)", self._records)
        self._connection.executemany("insert into datakey values(?, ?, ?, ?)", self._datakeys)
        self._connection.executemany("insert into lookup values(?, ?)", [(m, row) for m, (row, _) in self._added.items()])
