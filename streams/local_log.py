"""The event log as one SQLite file: records, data keys and look-ups change in one commit.

Row key = (partition << 40) + position, so that a partition's records lie side by side and (partition, position)
needs no index of its own. Data keys are keyed (subject, row), so that a subject's go with one range delete.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from weakref import WeakSet

import apsw

from eunoe.streams import carrying, guard, local_epoch, local_erasure, local_lookup, local_refusals, local_tree
from eunoe.streams.carrying import Carry, Forgets
from eunoe.streams.errors import Forgotten, IdReused, KeyMissing, LogDamaged, LogError, SchemaTooNew
from eunoe.streams.events import Forget
from eunoe.streams.keyring import Keyring, SubjectKey
from eunoe.streams.local_batch import Batch, head_of
from eunoe.streams.local_lookup import Lookup
from eunoe.streams.local_reader import bodies_of, records_from
from eunoe.streams.log import Appended, Entry, Erasure, Heads, Opened, Outcome, Record, Verification, entry
from eunoe.streams.places import SHIFT, Place, number_of, place_of
from eunoe.streams.schemas import event_of, same_content
from eunoe.streams.sealing import seal, unseal
from eunoe.streams.sqlite_files import connect, folded, immediate, rows, translated
from eunoe.streams.verification import verified

FORMAT = 1
RESTORING = "restoring"
"""In `meta` while a restored log takes the file's place: nothing is appended until its keyring stands there too."""
_TABLES = (
    "create table record(row integer primary key, envelope blob not null, ciphertext blob, body_hash blob,"
    " hash blob not null)",
    "create table datakey(subject integer, row integer, version integer, share blob, primary key(subject, row))"
    " without rowid",
    *local_lookup.TABLES,
    *local_erasure.TABLES,
    guard.TABLE,
    local_refusals.TABLE,
    local_tree.TABLE,
    "create table meta(name text primary key, value) without rowid",
)
_META = {"format": int, "home": bytes, "partitions": int, "epoch": int, "writer": bytes, "generation": int}


class LocalLog:
    """See `eunoe.streams.log.Log`. Any number of processes and threads may append to one file.

    The file's write lock is the fence: each append holds it and builds on the heads that it finds under it.
    """

    def __init__(
        self, path: Path, keyring: Keyring, *, partitions: int = 4, clock: Callable[[], float] = time.time
    ) -> None:
        self.path, self.keyring, self._clock = path, keyring, clock
        self._lock, self._local, self._grown = threading.RLock(), threading.local(), threading.Condition()
        self._readers: WeakSet[apsw.Connection] = WeakSet()  # a thread that ends closes its own
        self._writer = connect(path)
        with self._errors():
            self._create(partitions)
            meta = self._meta()
            self._writer.execute("delete from meta where name = ?", (RESTORING,))  # whoever opens it holds the home
        if meta["home"] != keyring.home:
            raise LogError(f"{path.name} belongs to another keyring; put back the books.db it was made with")
        self.partitions: int = meta["partitions"]
        self._stamp: tuple[int, bytes] = (meta["epoch"], meta["writer"])
        self._generation, self._seen = meta["generation"], -1
        self._heads: dict[int, tuple[int, bytes]] = {}
        self._lookup = Lookup(self._writer, keyring.purpose("lookup"))
        self._guard = guard.Guard(self._writer, keyring.purpose("suppression"))
        self._destroy_again()

    def _create(self, partitions: int) -> None:
        with immediate(self._writer):
            if rows(self._writer, "select 1 from sqlite_master where name = 'meta'"):
                return
            for statement in _TABLES:
                self._writer.execute(statement)
            home, now = self.keyring.home, int(self._clock() * 1000)
            writer = local_epoch.begin(self._writer, home, partitions, 1, now)
            values = (("format", FORMAT), ("home", home), ("partitions", partitions))
            state = (("epoch", 1), ("writer", writer), ("generation", 0))
            self._writer.executemany("insert into meta values(?, ?)", (*values, *state))

    def _meta(self) -> dict[str, Any]:
        """What the file says of itself, checked. Raises SchemaTooNew, LogDamaged."""
        meta = dict(rows(self._writer, "select name, value from meta"))
        if isinstance(meta.get("format"), int) and meta["format"] > FORMAT:
            raise SchemaTooNew(f"{self.path.name} was written by a later release; upgrade Eunoe to read it")
        first, last = rows(self._writer, "select min(row), max(row) from record")[0]
        if not all(isinstance(meta.get(name), kind) for name, kind in _META.items()) or (
            last is not None and not 0 <= first <= last < meta["partitions"] << SHIFT
        ):
            raise LogDamaged(f"{self.path.name} does not say what it is any more; restore it from a backup")
        return meta

    # -- appending --------------------------------------------------------------------------------

    def append(self, entries: Sequence[Entry]) -> list[Outcome]:
        if not entries:
            return []
        with self._writing():
            outcomes = self._placed(entries)
            refused = sum(isinstance(outcome, Forgotten) for outcome in outcomes)
            if refused:
                local_refusals.note(self._writer, self._clock(), refused)
        return outcomes

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """The write lock and one transaction. What is remembered between writes goes when one is undone."""
        with self._lock, self._errors():
            try:
                with immediate(self._writer):
                    yield
            except BaseException:
                self._forget_state()
                raise
        with self._grown:
            self._grown.notify_all()

    def _prepare(self, entries: Sequence[Entry]) -> None:
        """What seals must be durable first; for other events it is made once the guard let them in."""
        for one in entries:
            self.keyring.stream(one.scope)
            for subject in one.subjects:
                self.keyring.subject(subject)

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
        refusal = self._guard.refusal(lambda: event_of(one.schema, one.bodies[0]))
        if refusal is not None:
            return refusal
        row = batch.known(mac)
        if row is None:
            return batch.add(mac, one)
        found = Appended(*place_of(row), duplicate=True)
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
        count = records[0].envelope.count if records else 1
        records = records_from(self._writer, self.keyring, place.partition, place.position, count)
        if len(records) < count:
            raise LogDamaged("a record that the look-up names is missing", place.partition, place.position)
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
        self._guard.refresh()
        said = dict(rows(self._writer, "select name, value from meta"))
        if RESTORING in said:
            raise LogError("this memory is being restored; try again in a moment")
        if said["generation"] != self._generation:
            self._generation, self._stamp = said["generation"], (said["epoch"], said["writer"])
            self.keyring.refresh()
            self._destroy_again()  # whoever forgot may have been killed before: nothing is sealed under such a key
            self._lookup.forget()
            self._lookup.refresh()

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

    def find(self, scope: str, event: str) -> Place | None:
        """Where the event with this id starts: (partition, position)."""
        return self._finder()(scope, event)

    def _finder(self) -> Callable[[str, str], Place | None]:
        rows_of = local_lookup.finder(self._reader)

        def find(scope: str, event: str) -> Place | None:
            with self._errors():
                row = rows_of(self._lookup.mac(scope, event))
            return None if row is None else place_of(row)

        return find

    def head(self, partition: int) -> int:
        with self._errors():
            return head_of(self._reader(), partition)[0]

    def node(self, partition: int, level: int, index: int) -> bytes:
        """Hash of a perfect subtree of a partition's hash tree."""
        with self._errors():
            return local_tree.node(self._reader(), partition, level, index)

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

    def verify(self, heads: Heads | None = None) -> Verification:
        return verified(self, self._finder(), heads or {})

    # -- erasing ----------------------------------------------------------------------------------

    def erase(self, request: Forget, erasure: Erasure, stones: Sequence[Forget] = ()) -> Appended:
        """Record a request and drop what it covers, in one commit; then destroy the keys and empty what lingers."""
        self._prepare([entry(request), *map(entry, stones)])
        with self._lock, self._errors():
            with self._writing():
                outcome = self._erase(request, erasure, stones)
            self._destroy_again()
            folded(self._writer)
        return outcome

    def _erase(self, request: Forget, erasure: Erasure, stones: Sequence[Forget]) -> Appended:
        """Under the lock: the request, the bytes, the look-ups, the guard and the keys to destroy."""
        erasure = local_erasure.with_late(self, self._guard, erasure)
        covers = local_erasure.record_ids(self._writer, erasure.places) + erasure.pseudonyms
        outcome = self._placed([entry(request, covers=covers), *map(entry, stones)])[0]
        assert isinstance(outcome, Appended)
        row = number_of((outcome.partition, outcome.position))
        local_erasure.drop(self._writer, self.keyring, erasure.places, row)
        self._lookup.drop([self._lookup.mac(scope, event) for scope, event in erasure.ids])
        self._guard.suppress(erasure.names, row)
        gone = {*erasure.pseudonyms, *local_erasure.orphaned(self._writer, self.keyring, erasure.places)}
        self._writer.executemany("insert or ignore into destroyed values(?)", [(pseudonym,) for pseudonym in gone])
        self._writer.execute("insert into request values(?, ?, null)", (row, request.id))
        self._writer.execute("update meta set value = value + 1 where name = 'generation'")
        return outcome

    def complete(self, completion: Forget) -> Appended:
        """Record that a request is done with, once everything that follows from it is. Once only."""
        with self._lock, self._errors():
            with self._writing():
                (outcome,) = self._placed([entry(completion)])
                assert isinstance(outcome, Appended)
                row = number_of((outcome.partition, outcome.position))
                self._writer.execute(
                    "update request set completed = ? where id = ? and completed is null", (row, completion.completes)
                )
            folded(self._writer)  # a kill may have left what was erased in the write-ahead file
        return outcome

    def requests(self) -> list[tuple[str, Place, Place | None]]:
        """Every request: its id, its place, and the place of its completion where there is one."""
        with self._errors():
            found = rows(self._reader(), "select id, row, completed from request order by row")
        return [(name, place_of(row), None if done is None else place_of(done)) for name, row, done in found]

    def refused(self, names: Sequence[str]) -> set[str]:
        """Those of these names that are refused whatever their time."""
        with self._errors():
            return guard.Guard(self._reader(), self.keyring.purpose("suppression")).for_ever(names)

    def readmit(self, request: Forget, names: Sequence[str]) -> int:
        """Record that these may come in again; how many were refused before."""
        with self._writing():
            self._placed([entry(request)])
            return self._guard.lift(names)

    def refusals(self) -> dict[str, int]:
        """How many events the guard refused, by ISO date."""
        with self._errors():
            return local_refusals.by_day(self._reader())

    def generation(self) -> int:
        """A number that grows with every forget and rotation, whichever process did it."""
        with self._errors():
            return int(rows(self._reader(), "select value from meta where name = 'generation'")[0][0])

    def erased_by(self, partition: int, position: int) -> list[Place]:
        """Places of the records that the request at this place dropped."""
        with self._errors():
            return local_erasure.dropped_by(self._reader(), partition, position)

    def sealed_to(self, subject: str) -> list[Place]:
        """Places of the records that a subject's key opens."""
        number = self.keyring.find_subject(subject)
        if number is None:
            return []
        with self._errors():
            found = rows(self._reader(), "select row from datakey where subject = ? order by row", (number,))
        return [place_of(row) for (row,) in found]

    def _destroy_again(self) -> None:
        """Keys that the log says are destroyed are destroyed, also where a keyring was restored."""
        if gone := sorted(local_erasure.destroyed(self._writer)):
            self.keyring.destroy(gone)

    def forgotten(self) -> Forgets:
        """All that was forgotten here, for another log of this home. Raises LogDamaged where that can't be said."""
        with self._errors():
            return carrying.forgotten_in(self, self._reader())

    def carry(self, forgets: Forgets) -> Carry:
        """Forget what another log of this home forgot. Nobody else may have this one open."""
        with self._errors():
            return carrying.carry(self, self._reader(), self.keyring.purpose("suppression"), forgets)

    # -- keys and files ---------------------------------------------------------------------------

    def begin_epoch(self, above: int = 0) -> int:
        """A new writer goes on from here, as after a restore; the epoch's number, higher than `above`."""
        with self._writing():
            epoch, now = max(self._stamp[0], above) + 1, int(self._clock() * 1000)
            writer = local_epoch.begin(self._writer, self.keyring.home, self.partitions, epoch, now)
            self._generation = max(self._generation + 1, now)  # no earlier one is the same, of whatever log
            state = (("epoch", epoch), ("writer", writer), ("generation", self._generation))
            self._writer.executemany("insert or replace into meta values(?, ?)", state)
            self._stamp = (epoch, writer)
            self._forget_state()
        return epoch

    def rewrap(self, old: SubjectKey, new: SubjectKey) -> int:
        """Wrap all shares of a subject's earlier keys, up to `old`, under a later version; how many."""
        with self._writing():
            held = rows(
                self._writer,
                "select row, version, share from datakey where subject = ? and version <= ?",
                (old.number, old.version),
            )
            for row, version, share in held:
                partition, position = place_of(row)
                record = records_from(self._writer, self.keyring, partition, position, 1)[0].envelope.record
                key = self.keyring.key(old.number, version)
                if key is None:
                    raise KeyMissing(partition, position)
                wrapped = seal(new.secret, unseal(key.secret, share, record), record)
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
                self._readers.add(connection)
        return connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        with translated(self.path.name):
            yield

    def close(self) -> None:
        with self._lock:
            for connection in list(self._readers):
                connection.close()
            with suppress(LogError), self._errors():  # closed before, or no room to fold: what is stored stays
                folded(self._writer)
            self._writer.close()
