"""kill -9 at any point: nothing acknowledged is lost, nothing stands twice, and the memory is the same in the end."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from eunoe import Memory
from eunoe.gateway.samples import history_path

SOAK = bool(os.environ.get("EUNOE_SOAK"))
KILLS = 200 if SOAK else 20
SEED = int(os.environ.get("PYTEST_SEED", "20250303"))
ROOT = Path(__file__).resolve().parents[2]


class Life:
    """One run of the worker, killed after a time or after a line."""

    def __init__(self, home: Path) -> None:
        self.acknowledged: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.worker", str(home), str(history_path())],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def lines(self):
        """Acknowledgements, as they come."""
        for line in self.process.stdout:
            if line.endswith("\n"):
                self.acknowledged.append(line.strip())
                yield line.strip()

    def run_until(self, line: int, delay: float) -> None:
        """Kill it `delay` seconds after its line of this number."""
        for seen, _ in enumerate(self.lines(), 1):
            if seen == line:
                threading.Timer(delay, self.kill).start()
        self.process.wait(60)
        self.errors = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()

    def kill(self) -> None:
        """No clean-up, no last words."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)

    @property
    def stored(self) -> dict[str, tuple[int, int]]:
        """What the caller was told: id → place."""
        words = [line.split() for line in self.acknowledged if line.startswith("stored ")]
        return {id: (int(partition), int(position)) for _, id, partition, position in words}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The digest of an uninterrupted run, its lines, and how long it took."""
    life, started = Life(tmp_path_factory.mktemp("whole") / "home"), time.monotonic()
    life.run_until(0, 0)
    assert life.process.returncode == 0, life.errors
    seconds = time.monotonic() - started
    home = Path(life.process.args[-2])
    with Memory.open(home, background=False) as memory:
        return memory.digest(), len(life.acknowledged), seconds, len(life.stored)


def check(home: Path, told: dict[str, tuple[int, int]], whole, seed: str) -> None:
    """Reopen, import again, settle: 0 lost, 0 twice, verified, the same digest, no left-overs."""
    wanted, _, _, turns = whole
    with Memory.open(home, background=False) as memory:
        assert memory.verify().ok, seed
        stood = [line for line in memory.log() if line.kind == "interaction" and "chunk" not in line.details]
        places = {line.id: (line.partition, line.position) for line in stood}
        assert len(places) == len({(line.scope, line.id) for line in stood}) == len(stood), f"twice: {seed}"
        assert {id: places.get(id) for id in told} == told, f"lost: {seed}"
        again = memory.import_file(history_path())
        assert (again.recorded + again.duplicates, again.rejected) == (turns, []), seed
        assert again.duplicates >= len(told), seed
        assert memory.settle().parked == [], seed
        assert memory.digest() == wanted, seed
        assert memory.rebuild().same_as_live and memory.verify().ok, seed
    used = (home / "projections.db").resolve().name
    left = {p.name for p in home.iterdir() if p.name.startswith(("projections", "master.key"))}
    assert left - {f"{used}-wal", f"{used}-shm"} == {"projections.db", used, "master.key"}, seed


@pytest.mark.slow
def test_killed_once_at_seeded_points(whole, tmp_path):
    """Each life is killed once: some right at a line, most between two, some while it opens."""
    _, lines, _, _ = whole
    choose = random.Random(SEED)
    for number in range(KILLS // 2):
        line, delay = choose.randrange(1, lines), choose.choice([0.0, choose.random() * 0.2])
        seed = f"seed {SEED}, kill {number}: line {line}, {delay:.3f} s later"
        life = Life(tmp_path / str(number))
        life.run_until(line, delay)
        assert life.process.returncode in (0, -signal.SIGKILL), life.errors + seed
        check(tmp_path / str(number), life.stored, whole, seed)


@pytest.mark.slow
def test_one_home_killed_again_and_again(whole, tmp_path):
    """The same home is killed many times before it is looked at: each life goes on from what the last one left."""
    _, lines, _, _ = whole
    choose, told = random.Random(SEED + 1), {}
    for number in range(KILLS - KILLS // 2):
        line, delay = choose.randrange(1, lines), choose.choice([0.0, choose.random() * 0.2])
        life = Life(tmp_path / "home")
        if number % 5 == 4:  # while it opens
            threading.Timer(0.2 + choose.random() * 1.5, life.kill).start()
        life.run_until(line, delay)
        assert life.process.returncode in (0, -signal.SIGKILL), f"{life.errors} seed {SEED}, kill {number}, line {line}"
        for id, place in life.stored.items():
            assert told.setdefault(id, place) == place, f"{id} moved: seed {SEED}, kill {number}"
    check(tmp_path / "home", told, whole, f"seed {SEED}")


@pytest.mark.slow
def test_killed_beside_another_process_that_goes_on(whole, tmp_path):
    """Two work on one home; one is killed, perhaps holding the lease; the other finishes."""
    _, lines, _, _ = whole
    choose = random.Random(SEED + 2)
    for number in range(10 if SOAK else 2):
        home = tmp_path / str(number)
        doomed, lasting = Life(home), Life(home)
        runner = threading.Thread(target=doomed.run_until, args=(choose.randrange(1, lines), choose.random() * 0.1))
        runner.start()
        lasting.run_until(0, 0)
        runner.join()
        assert lasting.process.returncode == 0, lasting.errors
        check(home, {**lasting.stored, **doomed.stored}, whole, f"seed {SEED}, pair {number}")
