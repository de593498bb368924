"""Whatever the order, interleaving, repetition, paging and settling: the same history is the same memory."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eunoe.processors.extracting import Extraction
from eunoe.processors.projection import projector
from tests.property.worlds import World, digest_in_order, opened, say

SOAK = bool(os.environ.get("EUNOE_SOAK"))
ROOT = Path(__file__).resolve().parents[2]
WORDS = (
    "city=Bergen", "city=Oslo", "now city=Graz", "age=41", "age=42", "likes=tea", "now likes!=tea", "team=red", "same",
    "broke", "fixed", "hello", "likes=rice same", "likes!=tea", "team=RED city=bergen",
)  # fmt: skip
EXAMPLES = settings(
    max_examples=400 if SOAK else 12,
    deadline=None,
    derandomize=not SOAK,
    suppress_health_check=list(HealthCheck),
)


@st.composite
def histories(draw):
    """Reports with ids and an order of their own, of a few scopes and sessions, at times that may coincide."""
    count = draw(st.integers(1, 24))
    return [
        say(
            f"e{n}",
            draw(st.sampled_from(WORDS)),
            draw(st.integers(0, 40)),
            scope=f"user/{draw(st.integers(1, 3))}",
            session=draw(st.sampled_from("st")),
            day=draw(st.integers(1, 3)),
            order=n,
            speaker=draw(st.sampled_from([None, "Ana"])),
        )
        for n in range(count)
    ]


@pytest.fixture
def places(tmp_path_factory):
    """A new directory for each example."""
    return lambda: tmp_path_factory.mktemp("home") / "home"


@pytest.fixture
def paging():
    """Set page and batch sizes for one example; they are put back afterwards."""
    page, defaults = projector.PAGE, Extraction.results.__defaults__

    def set_to(pages, batch):
        projector.PAGE, Extraction.results.__defaults__ = pages, (batch,)

    yield set_to
    projector.PAGE, Extraction.results.__defaults__ = page, defaults


@EXAMPLES
@given(
    history=histories(),
    seed=st.integers(0, 2**32),
    partitions=st.sampled_from([1, 4, 12]),
    page=st.sampled_from([1, 3, 500]),
    batch=st.sampled_from([1, 3, 500]),
)
def test_any_order_any_repetition_any_paging(places, paging, history, seed, partitions, page, batch):
    wanted = digest_in_order(places(), history)
    choose, told = random.Random(seed), list(history)
    choose.shuffle(told)
    told += told[choose.randrange(len(told)) :]  # a suffix comes again
    paging(page, batch)
    with opened(places(), partitions=partitions) as world:
        while told:
            size = choose.choice([1, 2, 5, 100])
            world.record(*told[:size])
            del told[:size]
            step = choose.randrange(4)
            if step == 0:
                world.settle()
            elif step == 1:  # project without extracting, as a kill between the two leaves it
                with world.runtime.lease():
                    world.runtime.work(extract=False)
        assert world.digest() == wanted
        paging(choose.choice([1, 3, 500]), batch)
        calls = world.plain.calls
        again = world.rebuild()
        assert again.same_as_live and again.digest == wanted.digest and world.plain.calls == calls
        assert world.verify().ok


@EXAMPLES
@given(history=histories(), seed=st.integers(0, 2**32))
def test_corrections_stand_wherever_the_log_is_cut(places, history, seed):
    """Settled after each step or only at the end, rebuilt or live: corrections give the same."""
    choose, path = random.Random(seed), places()
    with opened(path) as world:
        world.record(*history)
        facts = [m for scope in world.memories_of.scopes() for m in world.listing(scope, "fact")]
        for memory in choose.sample(facts, min(3, len(facts))):
            if choose.random() < 0.5:
                world.edit(memory.id, "It is otherwise.")
            else:
                world.retire(memory.id)
            if choose.random() < 0.3:
                world.undo(memory.id)
        world.record(say("late", choose.choice(WORDS), choose.randrange(40), order=99))
        digest = world.digest()
        assert world.rebuild().same_as_live
    for file in path.iterdir():
        if file.name.startswith("projections"):
            file.unlink()
    with opened(path) as world:
        assert world.digest() == digest and world.plain.calls == 0


@EXAMPLES
@given(history=histories(), cut=st.integers(0, 24), close=st.booleans())
def test_a_prefix_and_then_the_rest_is_all(places, history, cut, close):
    path = places()
    world = World(path)
    try:
        if history[:cut]:
            world.record(*history[:cut])
        world.settle()
        if close:
            world.close()
            world = World(path)
        if history[cut:]:
            world.record(*history[cut:])
        assert world.digest() == digest_in_order(places(), history)
    finally:
        world.close()


@EXAMPLES
@given(history=histories())
def test_every_id_that_was_ever_given_out_resolves(places, history):
    with opened(places()) as world:
        given_out = {}
        for report in history:
            world.record(report)
            given_out.update({m.id: m.kind for m in world.listing(report["scope"])})
        world.rebuild()
        for id, kind in given_out.items():
            found = world.get(id)
            assert found is not None and found.kind == kind, f"{kind} {id}"


IMPORTER = """
import sys
from pathlib import Path
from tests.property.worlds import World
world = World(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for path in sys.argv[2:]:
    world.import_file(path)
    world.settle()
print(world.digest().digest)
world.close()
"""


def imported_at_once(home, *files):
    """Import each file by a process of its own, all at once."""
    running = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", IMPORTER, str(home), *map(str, several)],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for several in files
    ]  # fmt: skip
    for one in running:
        assert one.stdout.readline() == "ready\n", one.stderr.read()
    for one in running:
        one.stdin.write("\n")
        one.stdin.flush()
    for one in running:
        _, err = one.communicate(timeout=120)
        assert one.returncode == 0, err


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20 if SOAK else 2))
def test_two_processes_import_the_same_and_different_halves(tmp_path, seed):
    choose = random.Random(seed)
    history = [
        say(f"e{n}", choose.choice(WORDS), n % 600, scope=f"user/{n % 3}", session=choose.choice("st"), order=n)
        for n in range(300)
    ]
    files = {}
    for name, part in {"all": history, "first": history[:170], "second": history[130:], "back": history[::-1]}.items():
        files[name] = tmp_path / f"{name}.jsonl"
        files[name].write_text("".join(json.dumps(report) + "\n" for report in part))
    wanted = digest_in_order(tmp_path / "ordered", history)
    for name, tasks in {
        "same": ([files["all"]], [files["all"]]),
        "halves": ([files["first"]], [files["second"]]),
        "order": ([files["back"]], [files["first"], files["all"]]),
    }.items():
        imported_at_once(tmp_path / name, *tasks)
        with opened(tmp_path / name) as world:
            assert sum(line.kind == "interaction" for line in world.log()) == len(history)
            assert world.digest() == wanted and world.verify().ok and world.rebuild().same_as_live
