"""No stale copy of deleted rows stays between the rows of a page, whoever wrote the page and whenever."""

import random
import shutil
import struct

import apsw
import pytest

from eunoe.streams import sqlite_files
from eunoe.streams.scrubbing import clean
from eunoe.streams.sqlite_files import connect, folded, immediate

WORD = b"QUOKKA"


def page(kind, cells, content, *, first=False, size=1024):
    """A page of noise with a header that says where its cells are."""
    noise = bytearray(random.Random(1).randbytes(size).replace(b"\x00", b"\x01"))
    start = 100 if first else 0
    struct.pack_into(">BHHH", noise, start, kind, 0, cells, content)
    return bytes(noise)


@pytest.mark.parametrize("kind", [2, 5, 10, 13])
@pytest.mark.parametrize("first", [False, True])
def test_only_the_middle_is_zeroed(kind, first):
    before = page(kind, 7, 900, first=first)
    after = clean(before, first)
    begin = (100 if first else 0) + (12 if kind in (2, 5) else 8) + 14
    assert after[:begin] == before[:begin]
    assert after[begin:900] == bytes(900 - begin)
    assert after[900:] == before[900:]
    assert clean(after, first) is after


@pytest.mark.parametrize(
    ("kind", "cells", "content"), [(0, 7, 900), (1, 7, 900), (13, 600, 900), (13, 7, 5_000), (13, 7, 10)]
)
def test_other_pages_and_nonsense_stay(kind, cells, content):
    before = page(kind, cells, content)
    assert clean(before, False) == before


def grown(path, rounds=300):
    """A table whose rows, of many sizes, are moved about: inserts in random order, in small commits."""
    connection, rnd = connect(path), random.Random(1)
    connection.execute("create table t(a unique, b)")
    for _ in range(rounds):
        with immediate(connection):
            rows = [(rnd.randbytes(16), WORD + rnd.randbytes(rnd.choice((20, 100, 400, 900)))) for _ in range(10)]
            connection.executemany("insert into t values(?, ?)", rows)
    with immediate(connection):
        connection.execute("delete from t where a < x'c0'")
    return connection


def left_in(connection):
    return connection.execute("select count(*) from t").fetchall()[0][0]


def test_what_is_deleted_is_nowhere(tmp_path):
    connection = grown(tmp_path / "a.db")
    folded(connection)
    left = left_in(connection)
    assert 0 < left < 3_000
    connection.close()
    assert sum(path.read_bytes().count(WORD) for path in tmp_path.iterdir()) == left
    checked = apsw.Connection(str(tmp_path / "a.db"))
    assert checked.execute("pragma integrity_check").fetchall() == [("ok",)]
    assert left_in(checked) == left
    checked.close()


def test_without_it_copies_stay(tmp_path, monkeypatch):
    """The reason for all of this. (If this fails, SQLite got better at it: then drop the scrubbing.)"""
    monkeypatch.setattr(sqlite_files, "CHECKPOINT_PAGES", 1 << 40)
    connection = grown(tmp_path / "a.db")
    connection.execute("pragma wal_checkpoint(truncate)").fetchall()
    assert (tmp_path / "a.db").read_bytes().count(WORD) > left_in(connection)
    connection.close()


def test_checkpoints_on_the_way_write_clean_too(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite_files, "CHECKPOINT_PAGES", 50)
    connection = grown(tmp_path / "a.db")
    assert (tmp_path / "a.db-wal").stat().st_size < 3_000_000  # they did take place
    folded(connection)
    assert (tmp_path / "a.db").read_bytes().count(WORD) == left_in(connection)
    connection.close()


def test_a_kill_before_the_checkpoint_is_made_good_by_the_next_one(tmp_path):
    connection = grown(tmp_path / "a.db", rounds=100)
    left_there = left_in(connection)
    left = tmp_path / "killed"
    left.mkdir()
    for path in tmp_path.glob("a.db*"):
        if not path.name.endswith("-shm"):
            shutil.copy(path, left / path.name)
    connection.close()
    assert sum(path.read_bytes().count(WORD) for path in left.iterdir()) > left_there
    reader = connect(left / "a.db", read_only=True, create=False)
    assert left_in(reader) == left_there
    reader.close()  # the last to close makes no checkpoint of its own
    connection = connect(left / "a.db")
    folded(connection)
    connection.close()
    assert sum(path.read_bytes().count(WORD) for path in left.iterdir()) == left_there
