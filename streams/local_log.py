"""The event log as one SQLite file: records, data keys and look-ups change in one commit.

Row key = (partition << 40) + position, so that a partition's records lie side by side and (partition, position)
needs no index of its own. Data keys are keyed (subject, row), so that a subject's go with one range delete.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import urandom
from pathlib import Path

import apsw

from eunoe.streams import local_lookup
from eunoe.streams.errors import IdReused, LogError, SchemaTooNew
from eunoe.streams.frames import EPOCH_SCHEMA, Envelope, body_hash, chained, encode_envelope, genesis
from eunoe.streams.keyring import Keyring, SubjectKey
from eunoe.streams.local_batch import SHIFT, Batch, head_of
from eunoe.streams.local_lookup import Lookup
from eunoe.streams.local_reader import bodies_of, records_from
from eunoe.streams.log import Appended, Entry, Opened, Outcome, Record, Verification
from eunoe.streams.schemas import event_of, same_content
from eunoe.streams.sealing import seal, unseal
from eunoe.streams.sqlite_files import connect, folded, immediate, rows, translated
from eunoe.streams.verification import verified

FORMAT = 1
_TABLES = (
    "create table record(row integer primary key, envelope blob not null, ciphertext blob, body_hash blob,"
    " hash blob not null)",
    "create table datakey(subject integer, row integer, version integer, share blob, primary key(subject, row))"
    " without rowid",
    *local_lookup.TABLES,
    "create table meta(name text primary key, value) without rowid",
)


class LocalLog:
    """See `eunoe.streams.log.Log`. Any number of processes and threads may append to one file.

    The file's write lock is the fence: each append holds it and builds on the heads that it finds under it.
    """

    def __init__(
        self, path: Path, keyring: Keyring, *, partitions: int = 4, clock: Callable[[], float] = time.time
    ) -> None:
        self.path, self.keyring, self._clock = path, keyring, clock
        self._lock, self._local, self._grown = threading.RLock(), threading.local(), threading.Condition()
        self._readers: list[apsw.Connection] = []
        self._writer = connect(path)
        with self._errors():
            self._create(partitions)
            meta = dict(rows(self._writer, "select name, value from meta"))
        if meta["format"] > FORMAT:
            raise SchemaTooNew(f"{path.name} was written by a later release; upgrade Eunoe to read it")
        if meta["home"] != keyring.home:
            raise LogError(f"{path.name} belongs to another keyring; put back the books.db it was made with")
        self.partitions: int = meta["partitions"]
        self._stamp: tuple[int, bytes] = (meta["epoch"], meta["writer"])
        self._generation, self._seen = meta["generation"], -1
        self._heads: dict[int, tuple[int, bytes]] = {}
        self._lookup = Lookup(self._writer, keyring.purpose("lookup"))

    def _create(self, partitions: int) -> None:
        with immediate(self._writer):
            if rows(self._writer, "select 1 from sqlite_master where name = 'meta'"):
                return
            for statement in _TABLES:
                self._writer.execute(statement)
            home, writer, now = self.keyring.home, urandom(8), int(self._clock() * 1000)
            values = (("format", FORMAT), ("home", home), ("partitions", partitions))
            state = (("epoch", 1), ("writer", writer), ("generation", 0))
            self._writer.executemany("insert into meta values(?, ?)", (*values, *state))
            for partition in range(partitions):
                frame = encode_envelope(Envelope(urandom(16), bytes(16), (), EPOCH_SCHEMA, 0, 1, writer, 0, now))
                digest = chained(genesis(home, partition), frame, body_hash(b""))
                row = (partition << SHIFT, frame, b"", digest)
                self._writer.execute("insert into record values(?, ?, ?, null, ?)", row)

    # -- appending --------------------------------------------------------------------------------

    def append(self, entries: Sequence[Entry]) -> list[Outcome]:
        for one in entries:  # what seals must be durable first
            self.keyring.stream(one.scope)
            for subject in one.subjects:
                self.keyring.subject(subject)
        with self._lock, self._errors():
            try:
                with immediate(self._writer):
                    outcomes = self._placed(entries)
            except BaseException:
                self._forget_state()
                raise
        with self._grown:
            self._grown.notify_all()
        return outcomes

    def _placed(self, entries: Sequence[Entry]) -> list[Outcome]:
        """Under the lock: check, seal, number, chain and insert."""
        self._notice_other_writers()
        macs = [self._lookup.mac(one.scope, one.id) for one in entries]
        stamp = (*self._stamp, int(self._clock() * 1000))
        known = self._lookup.known(macs)
        batch = Batch(self._writer, self.keyring, self.partitions, stamp, self._heads, known)
        outcomes = [self._place(batch, mac, one) for mac, one in zip(macs, entries, strict=True)]
        batch.write()
        if batch.added:
            self._lookup.add(batch.added.items())
        return outcomes

    def _place(self, batch: Batch, mac: int, one: Entry) -> Outcome:
        row = batch.known(mac)
        if row is None:
            return batch.add(mac, one)
        found = Appended(row >> SHIFT, row & ((1 << SHIFT) - 1), duplicate=True)
        if one.schema.startswith("result/"):
            return found  # its id already names what it was made of; the first answer stands
        stored = batch.bodies_at(row) or self._stored(found)
        same = len(stored) == len(one.bodies) and all(
            same_content(schema, body, one.schema, given)
            for (schema, body), given in zip(stored, one.bodies, strict=True)
        )
        return found if same else IdReused("this id was used in this scope for other content; use a new id")

    def _stored(self, place: Appended) -> list[tuple[str, bytes]]:
        """Schema and body of an entry's records, read under the lock."""
        records = records_from(self._writer, self.keyring, place.partition, place.position, 1)
        count = records[0].envelope.count
        records = records_from(self._writer, self.keyring, place.partition, place.position, count)
        bodies = bodies_of(self._writer, self.keyring, records)
        return [(r.envelope.schema, b) for r, b in zip(records, bodies, strict=True) if b is not None]

    def _forget_state(self) -> None:
        """What is remembered between appends may not be what stands in the file."""
        self._seen, self._heads = -1, {}
        self._lookup.forget()

    def _notice_other_writers(self) -> None:
        """Under the lock: when another connection wrote, heads and keys are not what we remember."""
        version = rows(self._writer, "pragma data_version")[0][0]
        if version == self._seen:
            return
        self._seen, self._heads = version, {}
        self._lookup.refresh()
        generation = rows(self._writer, "select value from meta where name = 'generation'")[0][0]
        if generation != self._generation:
            self._generation = generation
            self.keyring.refresh()

    # -- reading ----------------------------------------------------------------------------------

    def read(self, partition: int, after: int, limit: int) -> list[Record]:
        with self._errors():
            return records_from(self._reader(), self.keyring, partition, after + 1, limit)

    def open(self, records: Sequence[Record]) -> list[Opened]:
        with self._errors():
            bodies = bodies_of(self._reader(), self.keyring, records)
        return [
            Opened(record, None if body is None else event_of(record.envelope.schema, body))
            for record, body in zip(records, bodies, strict=True)
        ]

    def find(self, scope: str, event: str) -> tuple[int, int] | None:
        """Where the event with this id starts: (partition, position)."""
        return self._finder()(scope, event)

    def _finder(self) -> Callable[[str, str], tuple[int, int] | None]:
        rows_of = local_lookup.finder(self._reader)

        def find(scope: str, event: str) -> tuple[int, int] | None:
            with self._errors():
                row = rows_of(self._lookup.mac(scope, event))
            return None if row is None else (row >> SHIFT, row & ((1 << SHIFT) - 1))

        return find

    def head(self, partition: int) -> int:
        with self._errors():
            return head_of(self._reader(), partition)[0]

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
        return verified(self, self._finder())

    # -- keys and files ---------------------------------------------------------------------------

    def rewrap(self, old: SubjectKey, new: SubjectKey) -> int:
        """Wrap a subject's shares anew under a later version of its key; how many."""
        with self._lock, self._errors(), immediate(self._writer):
            held = rows(
                self._writer,
                "select row, share from datakey where subject = ? and version = ?",
                (old.number, old.version),
            )
            for row, share in held:
                partition, position = row >> SHIFT, row & ((1 << SHIFT) - 1)
                record = records_from(self._writer, self.keyring, partition, position, 1)[0].envelope.record
                wrapped = seal(new.secret, unseal(old.secret, share, record), record)
                self._writer.execute(
                    "update datakey set version = ?, share = ? where subject = ? and row = ?",
                    (new.version, wrapped, old.number, row),
                )
            self._writer.execute("update meta set value = value + 1 where name = 'generation'")
        return len(held)

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
            for connection in self._readers:
                connection.close()
            self._readers.clear()
            with self._errors():
                folded(self._writer)
            self._writer.close()
