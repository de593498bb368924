"""The embedded log: the contract, and what only one file promises."""

import os
import random
import shutil
import threading
from pathlib import Path

import apsw
import pytest

from eunoe.stores.books.database import Database
from eunoe.stores.books.keyring import BooksKeyring
from eunoe.stores.books.master import KeyFile
from eunoe.streams import local_lookup
from eunoe.streams.errors import EunoeError, IdReused, KeyMissing, LogDamaged, LogError, SchemaTooNew
from eunoe.streams.local_batch import SHIFT, Batch
from eunoe.streams.local_log import LocalLog
from eunoe.streams.log import entry
from eunoe.streams.partitioning import partition_of
from tests.contract.log import SCOPE, LogContract, LogDamageContract, events, parts, placed, turn

FLIPS = 1500 if os.environ.get("EUNOE_SOAK") else 150
SEED = 20250303


class Place:
    """A directory with a keyring and a log, opened as often as a test likes."""

    def __init__(self, path):
        self.path, self.opened = path, []

    def open(self, partitions=4) -> LocalLog:
        database = Database(self.path / "books.db")
        self.opened.append(database)
        fresh = not (self.path / "log.db").exists()
        keyring = BooksKeyring(database, KeyFile(self.path / "master.key"), fresh=fresh)
        log = LocalLog(self.path / "log.db", keyring, partitions=partitions)
        self.opened.append(log)
        return log

    def close(self):
        while self.opened:
            self.opened.pop().close()

    def sql(self, *statements):
        """Change the closed file behind everybody's back, and open it again."""
        self.close()
        connection = apsw.Connection(str(self.path / "log.db"))
        for statement, values in statements:
            connection.execute(statement, values).fetchall()
        connection.close()
        return self.open()


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path)
    yield made
    made.close()


@pytest.fixture
def log(place):
    return place.open()


def flipped(data: bytes, bit: int = 3) -> bytes:
    """The same bytes with one bit of the middle one flipped."""
    changed = bytearray(data)
    changed[len(data) // 2] ^= 1 << bit
    return bytes(changed)


class Hooks:
    """What the contracts need to know of this backend."""

    @pytest.fixture(autouse=True)
    def _place(self, place):
        self.files = place

    def reopened(self, log):
        self.files.close()
        return self.files.open()

    def forget_subject(self, log, name):
        log.keyring.retire(log.keyring.subject(name))
        return self.reopened(log)


class TestLocalLog(Hooks, LogContract):
    """The contract over one file."""


class TestLocalLogDamage(Hooks, LogDamageContract):
    """Damage by SQL, behind the log's back."""

    def tamper(self, log, partition, position, part):
        row = (partition << SHIFT) + position
        if part == "lookup":
            mac = log._lookup.mac(SCOPE, f"e{position - 1}")
            return self.files.sql(("update recent set mac = ? where mac = ?", (mac ^ 8, mac)))
        table = "datakey" if part == "share" else "record"
        column = part
        reader = log._reader()
        data = reader.execute(f"select {column} from {table} where row = ?", (row,)).fetchall()[0][0]
        return self.files.sql((f"update {table} set {column} = ? where row = ?", (flipped(data), row)))

    def rearrange(self, log, partition, places):
        base, aside = partition << SHIFT, 1 << 38
        moved = {source: target for source, target in places.items() if target is not None}
        gone = [("delete from record where row = ?", (base + n,)) for n, target in places.items() if target is None]
        away = [("update record set row = ? where row = ?", (base + n + aside, base + n)) for n in moved]
        back = [("update record set row = ? where row = ?", (base + t, base + n + aside)) for n, t in moved.items()]
        return self.files.sql(*gone, *away, *back)

    def duplicate(self, log, partition, position):
        base = partition << SHIFT
        ups = [
            ("update record set row = ? where row = ?", (base + n + 1, base + n))
            for n in range(log.head(partition), position, -1)
        ]
        copy = "insert into record select row + 1, envelope, ciphertext, body_hash, hash from record where row = ?"
        return self.files.sql(*ups, (copy, (base + position,)))

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ("update datakey set version = 9 where row = ?", "key is missing"),
            ("delete from datakey where row = ? and subject = 1", "key is missing"),
            ("update record set ciphertext = null where row = ?", "hash does not continue"),
            ("update record set ciphertext = 'text' where row = ?", ""),
            ("update record set envelope = 7 where row = ?", ""),
            ("update record set envelope = x'' where row = ?", ""),
            ("update record set hash = 'text' where row = ?", ""),
            ("update record set body_hash = zeroblob(32) where row = ?", ""),
            ("update datakey set share = x'00' where row = ?", "too short"),
            ("update datakey set share = 'text' where row = ?", ""),
            ("update datakey set share = null where row = ?", ""),
            ("update datakey set version = 'x' where row = ?", ""),
            ("update recent set row = row + 1 where row = ?", "look-up"),
            ("update recent set row = 'x' where row = ?", "look-up"),
            ("delete from recent where row = ?", "look-up"),
        ],
    )
    def test_other_damage_to_one_record(self, filled, change, reason):
        log = self.files.sql((change, ((self.place << SHIFT) + 5,)))
        assert self.first_bad(log) == (self.place, 5)
        assert reason in log.verify().first_bad.reason

    def test_a_record_of_a_partition_that_there_is_not(self, filled):
        copy = "insert into record select row + (9 << 40), envelope, ciphertext, body_hash, hash from record limit 1"
        with pytest.raises(LogDamaged):
            self.files.sql((copy, ()))


def test_a_cut_tail_makes_no_crash_of_an_id_that_stood_there(place, log):
    log.append([entry(turn(f"e{n}")) for n in range(5)])
    partition = partition_of(SCOPE, 4)
    log = place.sql(("delete from record where row > ?", ((partition << SHIFT) + 3,)))
    with pytest.raises(LogDamaged):
        log.append([entry(turn("e4"))])
    assert log.head(partition) == 3


@pytest.mark.parametrize(
    "change",
    [
        "delete from meta where name = 'partitions'", "update meta set value = 3 where name = 'partitions'",
        "update meta set value = 0 where name = 'partitions'", "update meta set value = 'x' where name = 'partitions'",
        "update meta set value = 5 where name = 'partitions'", "update meta set value = null where name = 'format'",
        "delete from meta", "update meta set value = 'x' where name = 'epoch'",
        "update meta set value = null where name = 'writer'", "update meta set value = 'x' where name = 'generation'",
        "drop table meta", "drop table record", "drop table datakey", "drop table recent", "drop table lookup",
        "update meta set name = cast(x'ff41' as text) where name = 'epoch'",
    ],
)  # fmt: skip
def test_a_damaged_frame_of_the_file_is_one_clear_error(place, log, change):
    log.append([entry(turn(scope=f"user/{n}")) for n in range(12)])
    with pytest.raises(EunoeError):
        again = place.sql((change, ()))
        again.append([entry(turn("more", scope=f"user/{n}")) for n in range(12)])
        assert again.verify().ok is False
        raise LogDamaged("found by verify")


def test_a_newer_format_says_so(place, log):
    with pytest.raises(SchemaTooNew, match="upgrade"):
        place.sql(("update meta set value = 2 where name = 'format'", ()))


def test_another_homes_keyring_is_refused(place, log, tmp_path):
    place.close()
    other = Place(tmp_path / "other")
    other.path.mkdir()
    other.open()
    other.close()
    shutil.copy(other.path / "books.db", place.path / "books.db")
    shutil.copy(other.path / "master.key", place.path / "master.key")
    with pytest.raises(LogError, match="another keyring"):
        place.open()


@pytest.mark.parametrize("name", ["log.db"])
@pytest.mark.parametrize("content", [b"", b"not a database at all, but some text" * 99, b"SQLite format 3\x00"])
def test_a_file_that_is_no_log(place, log, name, content):
    log.append([entry(turn())])
    place.close()
    for suffix in ("-wal", "-shm"):
        (place.path / (name + suffix)).unlink(missing_ok=True)
    (place.path / name).write_bytes(content)
    if content:
        with pytest.raises(LogError):
            place.open()
    else:  # an empty file is an empty database; that records are gone is for the projections to say
        assert place.open().verify().records == 4


def test_after_closing_every_call_raises_an_error_of_ours(place, log):
    log.append([entry(turn())])
    held = log.read(partition_of(SCOPE, 4), -1, 9)
    place.opened.remove(log)
    log.close()
    log.close()
    calls = (lambda: log.append([entry(turn("e2"))]), lambda: log.head(0), lambda: log.read(0, -1, 1),
             lambda: log.open(held), lambda: log.wait([0, 0, 0, 0], 0))  # fmt: skip
    for call in calls:
        with pytest.raises(LogError, match="closed"):
            call()
    assert not log.verify().ok


def test_many_short_threads_leave_no_connection_behind(log):
    log.append([entry(turn())])
    log.head(0)
    if not Path("/proc/self/fd").exists():
        pytest.skip("no /proc here to count open files")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(60):
        thread = threading.Thread(target=lambda: log.read(0, -1, 5))
        thread.start()
        thread.join()
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 6


@pytest.mark.parametrize("merge_at", [1, 2, 7])
def test_two_logs_of_one_file_see_each_others_ids_while_look_ups_merge(place, log, monkeypatch, merge_at):
    monkeypatch.setattr(local_lookup, "MERGE_AT", merge_at)
    other, choose, first = place.open(), random.Random(merge_at), {}
    for _ in range(120):
        size = choose.choice([1, 3])
        batch = [turn(f"e{choose.randrange(60)}", scope=f"user/{choose.randrange(3)}") for _ in range(size)]
        outcomes = choose.choice([log, other]).append([entry(event) for event in batch])
        for event, outcome in zip(batch, outcomes, strict=True):
            where = (placed(outcome).partition, placed(outcome).position)
            known = first.setdefault((event.scope, event.id), where)
            assert known == where and (placed(outcome).duplicate or known is where)
    assert len(events(log)) == len(first)
    for (scope, id), where in first.items():
        assert log.find(scope, id) == other.find(scope, id) == where
    assert log.verify().ok and other.verify().ok


def test_a_failed_append_leaves_nothing_and_the_next_one_works(place, log, monkeypatch):
    log.append([entry(turn("e0"))])
    written = Batch.write

    def half(self):
        written(self)
        raise RuntimeError("cut off")

    monkeypatch.setattr(Batch, "write", half)
    with pytest.raises(RuntimeError):
        log.append([entry(turn("e1")), entry(turn("e2", scope="user/2"))])
    monkeypatch.undo()
    assert len(events(log)) == 1
    again = log.append([entry(turn("e1", "Another text.")), entry(turn("e2", scope="user/2"))])
    assert [placed(o).duplicate for o in again] == [False, False]
    assert log.verify().ok


def test_the_file_holds_no_word_of_the_content(place, log):
    log.append([entry(turn("order-4711", "Zanzibar", scope="user/quagga", session="sess-9", subjects=("Okapi",)))])
    log.append([entry(*parts("order-4712", ("Zanzibar ", "quagga")))])
    place.close()
    for path in place.path.iterdir():
        data = path.read_bytes()
        for word in (b"order-471", b"Zanzibar", b"quagga", b"sess-9", b"Okapi"):
            assert word not in data, path.name


# -- bytes of the file flipped -----------------------------------------------------------------------


def outcome_of(place, told):
    """What becomes of a log whose file was changed: `found` by an error or by verify, or `same` as before."""
    try:
        log = place.open()
        verification = log.verify()
        if not verification.ok:
            assert verification.first_bad is not None
            return "found"
        if {key: event for key, (_, event) in events(log).items()} != told:
            return "wrong"
        whole = [entry(event) for event in told.values() if event.chunks == 1]
        for outcome in log.append(whole):
            if isinstance(outcome, IdReused) or not outcome.duplicate:
                return "wrong"
        log.append([entry(turn("one-more", scope=f"user/{n}")) for n in range(8)])
        return "same" if log.verify().ok else "found"
    except EunoeError:
        return "found"
    finally:
        place.close()


@pytest.mark.slow
def test_any_flipped_byte_of_the_file_is_found_or_was_in_unused_space(place, log):
    log.append([entry(turn(f"e{n}", "x" * (n * 37 % 400), scope=f"user/{n % 5}")) for n in range(60)])
    log.append([entry(*parts(scope=f"user/{n}")) for n in range(3)])
    told = {key: event for key, (_, event) in events(log).items()}
    place.close()
    whole = (place.path / "log.db").read_bytes()
    choose, seen = random.Random(SEED), {"found": 0, "same": 0}
    for _ in range(FLIPS):
        at = choose.randrange(len(whole)) if choose.random() < 0.9 else choose.randrange(200)
        changed = bytearray(whole)
        changed[at] ^= 1 << choose.randrange(8)
        (place.path / "log.db").write_bytes(changed)
        for suffix in ("-wal", "-shm"):
            (place.path / f"log.db{suffix}").unlink(missing_ok=True)
        got = outcome_of(place, told)
        assert got in seen, f"byte {at} of {len(whole)} flipped to {changed[at]:#x} (seed {SEED}): {got}"
        seen[got] += 1
    assert seen["found"] > FLIPS / 3


def test_key_missing_names_the_place_but_not_the_subject(place, log):
    log.append([entry(turn(subjects=("Okapi Jones",)))])
    log.keyring.retire(log.keyring.subject("Okapi Jones"))
    with pytest.raises(KeyMissing) as missing:
        log.open(log.read(partition_of(SCOPE, 4), 0, 5))
    assert "Okapi" not in str(missing.value)
    assert f"record 1 of partition {partition_of(SCOPE, 4)}" in str(missing.value)
