"""A full disk and files that may not be written: one clear error each, and what was acknowledged is all there."""

import os
import threading
import time

import pytest

from eunoe.streams.errors import EunoeError, LogError, StorageFull
from tests.property.worlds import World, opened, say

NO_LIMIT = 1 << 30


def limit(connection, spare):
    """Let a file grow by so many pages and no more."""
    connection.execute("pragma wal_checkpoint(truncate)").fetchall()
    pages = connection.execute("pragma page_count").fetchall()[0][0]
    connection.execute(f"pragma max_page_count = {pages + spare}").fetchall()


def free(connection):
    connection.execute(f"pragma max_page_count = {NO_LIMIT}").fetchall()


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path / "home")
    made.record(say("first", "likes=tea"))
    made.settle()
    yield made
    made.close()


def test_a_full_log_keeps_what_it_acknowledged(world):
    log, told, refused = world.home.log, ["first"], []
    limit(log._writer, 12)
    for n in range(60):
        batch = [say(f"e{n}-{k}", f"likes=thing{n} " + "x" * 700, n) for k in range(3)]
        try:
            told += [one.id for one in world.record(*batch)]
        except StorageFull as full:
            refused.append(n)
            assert "full" in str(full) and "likes" not in str(full)
    assert refused and len(told) > 1
    assert sorted(line.id for line in world.log() if line.kind == "interaction") == sorted(told)
    assert world.verify().ok
    free(log._writer)
    for n in refused:
        assert not world.record(say(f"e{n}-0", f"likes=thing{n} " + "x" * 700, n))[0].duplicate
    assert world.settle() == [] and world.verify().ok and world.rebuild().same_as_live


def test_a_full_log_after_a_reopening(tmp_path):
    with opened(tmp_path / "home") as world:
        limit(world.home.log._writer, 4)
        with pytest.raises(StorageFull):
            for n in range(100):
                world.record(say(f"e{n}", "x" * 900, n))
        stored = sum(line.kind == "interaction" for line in world.log())
    with opened(tmp_path / "home") as world:
        assert sum(line.kind == "interaction" for line in world.log()) == stored == n
        assert world.verify().ok and not world.record(say(f"e{n}", "x" * 900, n))[0].duplicate


def test_a_full_projection_loses_nothing_and_goes_on_when_there_is_room(world):
    writer = world.home.projections.writer()
    limit(writer, 2)
    world.record(*[say(f"e{n}", f"likes=thing{n} " + "words " * 60, n) for n in range(120)])
    before = world.home.projections.positions()
    with pytest.raises(StorageFull):
        world.settle()
    assert world.home.projections.positions() >= before
    assert [m.text for m in world.memories_of.listing("user/1", kind="fact")][:1] == ["user likes tea"]
    free(world.home.projections.writer())
    assert world.settle() == [] and len(world.facts()) == 121
    assert world.rebuild().same_as_live


def test_the_background_projector_waits_for_room(tmp_path):
    world = World(tmp_path / "home")
    try:
        limit(world.home.projections.writer(), 1)
        world.runtime.start()
        world.record(*[say(f"e{n}", f"likes=thing{n} " + "words " * 60, n) for n in range(120)])
        time.sleep(1.0)
        assert world.status().waiting == "projection"
        with world.runtime.lease():
            free(world.home.projections.writer())
        ended = time.monotonic() + 20
        while not world.runtime.settled() and time.monotonic() < ended:
            time.sleep(0.05)
        assert world.runtime.settled()
    finally:
        world.close()


def test_a_rebuild_without_room_leaves_the_live_file(world, monkeypatch):
    world.record(*[say(f"e{n}", f"likes=thing{n}", n) for n in range(30)])
    digest, projections = world.digest(), world.home.projections
    fresh = projections._fresh

    def small():
        path = fresh()
        monkeypatch.setattr("eunoe.stores.projections.connect", limited(path))
        return path

    def limited(path):
        from eunoe.streams.sqlite_files import connect

        def opening(which, **options):
            connection = connect(which, **options)
            if which == path:
                limit(connection, 1)
            return connection

        return opening

    monkeypatch.setattr(projections, "_fresh", small)
    with pytest.raises(StorageFull):
        world.rebuild()
    monkeypatch.undo()
    assert world.digest() == digest
    assert len([p for p in world.home.path.iterdir() if p.name.endswith(".db") and "projections" in p.name]) == 2
    assert world.rebuild().same_as_live


def test_full_books_take_no_new_names_and_old_ones_still_work(world):
    database = world.home.database
    with database.write() as connection:
        pages = connection.exec_driver_sql("pragma page_count").scalar_one()
    from sqlalchemy import event

    def small(connection, _):
        connection.execute(f"pragma max_page_count = {pages}")

    event.listen(database._engine, "connect", small)
    database._engine.dispose()
    try:
        with pytest.raises(StorageFull):
            for n in range(400):
                world.record(say("a", "likes=tea", scope=f"user/new{n}"))
        assert not world.record(say("more", "likes=rice", 1))[0].duplicate
    finally:
        event.remove(database._engine, "connect", small)
        database._engine.dispose()
    assert world.verify().ok and world.texts() == ["user likes rice", "user likes tea"]
    assert not world.record(say("b", "likes=figs", scope="user/after"))[0].duplicate


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everything")
@pytest.mark.parametrize("name", ["log.db", "books.db"])
def test_files_that_may_not_be_written(tmp_path, name):
    with opened(tmp_path / "home") as world:
        world.record(say("a", "likes=tea"))
        world.settle()
    (tmp_path / "home" / name).chmod(0o400)
    with pytest.raises(EunoeError), opened(tmp_path / "home") as world:
        world.record(say("b", "likes=rice", scope="user/other"))
    (tmp_path / "home" / name).chmod(0o600)
    with opened(tmp_path / "home") as world:
        assert world.texts() == ["user likes tea"]


@pytest.mark.parametrize("name", ["log.db", "books.db", "projections.db", "master.key", "home.lock", "projector.lock"])
def test_a_folder_in_the_place_of_a_file(tmp_path, name):
    home = tmp_path / "home"
    (home / name).mkdir(parents=True)
    with pytest.raises(EunoeError):
        World(home)


def test_a_home_that_is_a_file(tmp_path):
    (tmp_path / "home").write_text("no folder")
    with pytest.raises(EunoeError):
        World(tmp_path / "home")
    with pytest.raises(EunoeError):
        World(tmp_path / "home" / "below")


def test_a_log_that_is_shorter_than_the_projection_says_so(tmp_path):
    import apsw

    with opened(tmp_path / "home", partitions=1) as world:
        world.record(*[say(f"e{n}", f"likes=thing{n}", n) for n in range(9)])
        world.settle()
        head = world.home.log.head(0)
    connection = apsw.Connection(str(tmp_path / "home/log.db"))
    connection.execute("delete from record where row > ?", (head - 3,))
    connection.close()
    try:
        world = World(tmp_path / "home")
    except LogError:
        return  # a log that holds its own tree notices at once
    try:
        assert not world.verify().ok
        with pytest.raises(LogError):
            world.settle()
    finally:
        world.close()


def test_many_threads_of_a_service_leave_no_files_open(world):
    folder = "/proc/self/fd"
    if not os.path.exists(folder):  # noqa: PTH110
        pytest.skip("no /proc here to count open files")
    world.facts()
    before = len(os.listdir(folder))  # noqa: PTH208
    for _ in range(50):
        thread = threading.Thread(target=lambda: (world.facts(), world.status()))
        thread.start()
        thread.join()
    assert len(os.listdir(folder)) <= before + 8  # noqa: PTH208
