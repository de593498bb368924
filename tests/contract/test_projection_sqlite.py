"""The embedded projection: the contract, and what only one file promises."""

import threading
from pathlib import Path

import pytest

from eunoe.streams.sqlite_files import rows
from tests.contract.projection import MemoriesContract
from tests.property.worlds import World, say


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path / "home")
    yield made
    made.close()


class TestSqliteMemories(MemoriesContract):
    """The contract over one file."""


def files(world):
    return sorted(p.name for p in world.home.path.iterdir() if p.name.startswith("projections"))


def test_rows_and_position_change_together(world):
    world.record(say("a", "likes=tea"))
    world.settle()
    before = world.home.projections.positions()
    with pytest.raises(RuntimeError), world.home.projections.transaction() as connection:
        connection.execute("update position set position = 99")
        connection.execute("delete from memory")
        raise RuntimeError("cut off")
    assert world.home.projections.positions() == before
    assert world.texts() == ["user likes tea"]


def test_a_rebuild_takes_the_place_of_the_file_and_readers_follow(world):
    world.record(say("a", "likes=tea"))
    world.settle()
    old, seen, go, done = world.home.projections.link.resolve(), [], threading.Event(), threading.Event()

    def read():
        seen.append(len(list(world.memories_of.listing("user/1"))))
        go.set()
        done.wait(30)
        seen.append(len(list(world.memories_of.listing("user/1"))))

    thread = threading.Thread(target=read)
    thread.start()
    go.wait(30)
    assert world.rebuild().same_as_live
    done.set()
    thread.join()
    assert seen == [2, 2]
    assert world.home.projections.link.resolve() != old and not old.exists()
    assert [name for name in files(world) if name.endswith(".db")] == sorted(
        ["projections.db", world.home.projections.link.resolve().name]
    )


def test_a_failed_rebuild_leaves_the_live_file_and_nothing_else(world, monkeypatch):
    from eunoe.processors.projection.projector import Projector

    world.record(say("a", "likes=tea"))
    world.settle()
    before, digest, page = files(world), world.digest(), Projector.page

    def failing(self):
        if self._projections is not world.home.projections:
            raise KeyboardInterrupt
        return page(self)

    monkeypatch.setattr(Projector, "page", failing)
    with pytest.raises(KeyboardInterrupt):
        world.rebuild()
    monkeypatch.undo()
    assert files(world) == before and world.digest() == digest
    assert world.rebuild().same_as_live


def test_a_home_without_its_projections_grows_them_anew(world):
    world.record(say("a", "likes=tea"), say("b", "likes=rice", 1))
    digest = world.digest()
    calls = world.plain.calls
    world.close()
    for path in world.home.path.iterdir():
        if path.name.startswith("projections"):
            path.unlink()
    with_none = World(world.home.path)
    try:
        assert with_none.digest() == digest
        assert with_none.plain.calls == 0 and calls == 2
    finally:
        with_none.close()


def test_another_format_is_left_aside_and_nothing_of_it_stays(world):
    world.record(say("a", "likes=tea"))
    digest = world.digest()
    with world.home.projections.transaction() as connection:
        connection.execute("update meta set value = 0 where name = 'format'")
    old = world.home.projections.link.resolve()
    world.close()
    again = World(world.home.path)
    try:
        assert again.digest() == digest
        assert not old.exists()
    finally:
        again.close()


def test_files_that_a_killed_rebuild_left_are_put_away(world):
    world.record(say("a", "likes=tea"))
    digest, path = world.digest(), world.home.path
    world.close()
    left = [path / f"projections-0badcafe.db{suffix}" for suffix in ("", "-wal", "-shm")]
    left.append(path / "projections.db.0badcafe")
    for one in left[:3]:
        one.write_bytes(b"half")
    left[3].symlink_to("projections-0badcafe.db")
    again = World(path)
    try:
        assert again.digest() == digest
        assert not any(one.exists() or one.is_symlink() for one in left)
        assert Path(again.home.projections.link).resolve().exists()
    finally:
        again.close()


def test_what_another_process_builds_is_not_put_away(world):
    world.record(say("a", "likes=tea"))
    world.settle()
    with world.runtime.lease(), world.home.projections.rebuilt() as beside:
        name = beside.link.name
        other = World(world.home.path)
        other.close()
        assert (world.home.path / name).exists()
        rows(beside.writer(), "select 1")
    assert world.texts() == ["user likes tea"]  # the empty file that took its place was filled from the log
