"""Several threads and processes on one home: one event per id, one position, and no lock error for anybody."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.property.worlds import World, opened, say

ROOT = Path(__file__).resolve().parents[3]
WRITER = """
import json, sys, threading
from pathlib import Path
from tests.property.worlds import World, say
home, worker, threads, own, same = Path(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:])
world, got, failed = World(home), {}, []
print("ready", flush=True)
sys.stdin.readline()
def write(thread):
    try:
        for n in range(same):
            (one,) = world.record(say(f"same-{n}", f"likes=thing{n}", n))
            got.setdefault(one.id, set()).add((one.partition, one.position))
        for n in range(own):
            (one,) = world.record(say(f"own-{worker}-{thread}-{n}", f"likes=other{n}", n, scope=f"user/{n % 3}"))
            got[one.id] = {(one.partition, one.position)}
            assert not one.duplicate
    except BaseException as error:
        failed.append(repr(error))
running = [threading.Thread(target=write, args=(n,)) for n in range(threads)]
for one in running: one.start()
for one in running: one.join()
world.settle()
world.close()
print(json.dumps({"failed": failed, "got": {id: sorted(places) for id, places in got.items()}}))
"""


def processes(home, count, *numbers):
    """What each of several writing processes was told."""
    running = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", WRITER, str(home), str(worker), *map(str, numbers)],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for worker in range(count)
    ]  # fmt: skip
    for one in running:
        assert one.stdout.readline() == "ready\n", one.stderr.read()
    for one in running:
        one.stdin.write("go\n")
        one.stdin.flush()
    told = []
    for one in running:
        out, err = one.communicate(timeout=120)
        assert one.returncode == 0, err
        told.append(json.loads(out))
    return told


@pytest.mark.slow
def test_four_threads_of_four_processes(tmp_path):
    own, same = 6, 8
    told = processes(tmp_path / "home", 4, 4, own, same)
    assert [one["failed"] for one in told] == [[], [], [], []]
    places = {}
    for one in told:
        for id, found in one["got"].items():
            places.setdefault(id, set()).update(map(tuple, found))
    assert all(len(found) == 1 for found in places.values()), "one id, one position"
    assert len(places) == same + 4 * 4 * own
    with opened(tmp_path / "home") as world:
        stood = [line for line in world.log() if line.kind == "interaction"]
        assert len(stood) == len(places)
        assert {line.id: {(line.partition, line.position)} for line in stood} == places
        assert world.verify().ok and world.settle() == []
        assert len([m for m in world.facts() if m.value.startswith("thing")]) == same
        assert world.rebuild().same_as_live


@pytest.mark.slow
def test_two_processes_writing_twenty_each(tmp_path):
    told = processes(tmp_path / "home", 2, 1, 20, 0)
    assert [one["failed"] for one in told] == [[], []]
    with opened(tmp_path / "home") as world:
        assert sum(line.kind == "interaction" for line in world.log()) == 40


def test_many_open_one_new_home_at_once(tmp_path):
    made, failed = [], []

    def make():
        try:
            made.append(World(tmp_path / "home"))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=make) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    try:
        assert not failed and len({world.home.keyring.home for world in made}) == 1
        for n, world in enumerate(made):
            world.record(say(f"e{n}", "likes=tea", n))
        assert len(made[0].facts()[0].sources) == 6
    finally:
        for world in made:
            world.close()


def test_a_background_projector_and_writers_and_readers(tmp_path):
    world, failed = World(tmp_path / "home"), []
    world.runtime.start()

    def write(worker):
        try:
            for n in range(25):
                world.record(say(f"{worker}-{n}", f"likes=thing{n}", n))
                list(world.memories_of.listing("user/1"))
                world.status()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert len(world.facts()) == 25 and all(len(m.sources) == 4 for m in world.facts())
    assert world.rebuild().same_as_live
    world.close()


def test_keys_change_while_another_has_the_home_open(tmp_path):
    first, second = World(tmp_path / "home"), World(tmp_path / "home")
    try:
        first.record(say("a", "likes=tea"))
        assert second.texts() == ["user likes tea"]
        assert first.rotate_subject("user/1")["version"] == 2
        second.record(say("b", "likes=rice", 1))
        assert first.rotate_master()["rewrapped"] > 0
        second.record(say("c", "likes=figs", 2), say("n", "likes=nuts", scope="user/new"))
        assert second.rotate_subject("user/1")["version"] == 3
        first.record(say("d", "likes=dates", 3))
        assert first.texts() == second.texts() == [f"user likes {what}" for what in ("dates", "figs", "rice", "tea")]
        assert first.verify().ok and second.verify().ok
        with opened(tmp_path / "home") as third:
            assert third.verify().ok and third.texts("user/new") == ["user likes nuts"]
            assert third.keys()["subject_keys"] == third.keys()["subjects"]
    finally:
        first.close()
        second.close()


def test_nobody_opens_a_home_whose_master_key_is_changing(tmp_path, monkeypatch):
    from eunoe.stores.books.master import KeyFile

    world, moved, others = World(tmp_path / "home"), KeyFile.move, []

    def slow(self, target):
        other = threading.Thread(target=lambda: others.append(World(tmp_path / "home")))
        other.start()
        other.join(0.5)
        assert not others, "the home was opened between keyring and key file"
        slow.thread = other
        return moved(self, target)

    monkeypatch.setattr(KeyFile, "move", slow)
    world.record(say("a", "likes=tea"))
    world.rotate_master()
    slow.thread.join(30)
    assert others[0].texts() == ["user likes tea"]
    others[0].close()
    world.close()


@pytest.mark.parametrize("step", ["renew", "rewrap"])
def test_a_subject_rotation_cut_short_is_finished_by_the_next(tmp_path, step):
    with opened(tmp_path / "home") as world:
        world.record(say("a", "likes=tea"))
        old, new = world.home.keyring.renew("user/1")
        if step == "rewrap":
            world.home.log.rewrap(old, new)
    with opened(tmp_path / "home") as world:
        world.record(say("b", "likes=rice", 1))
        assert world.verify().ok
        assert world.rotate_subject("user/1")["version"] == 3
        assert world.keys()["subject_keys"] == world.keys()["subjects"]
        assert world.verify().ok and len(world.facts()) == 2
