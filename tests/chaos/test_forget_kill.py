"""kill -9 inside a forget: after the next opening it is finished or never begun, and there is exactly one receipt.

A child process forgets under a profiler that counts calls, C calls included, and kills itself at a seeded one.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from eunoe import Memory
from eunoe.processors.extracting import Extractor
from eunoe.processors.forgetting.receipt import problems
from tests.property.histories import found_bytes
from tests.property.worlds import Plain, say
from tests.unit.forgetting.conftest import as_json

KILLS = 100 if os.environ.get("EUNOE_SOAK") else 20
WORD = "zqhgtrvbnmkjhgfdzx"
ROOT = Path(__file__).parents[2]
CHILD = """
import json, os, signal, sys
sys.path.insert(0, sys.argv[1])
from tests.chaos.test_forget_kill import opened
memory, left = opened(sys.argv[2]), int(sys.argv[3])
count = 0
def counted(frame, event, argument):
    global count
    count += 1
    if count == left:
        os.kill(os.getpid(), signal.SIGKILL)
sys.setprofile(counted)
receipt = memory.forget(scope="user/1")
sys.setprofile(None)
print(json.dumps([count, receipt.request_id]))
memory.close()
"""


def opened(path) -> Memory:
    """A memory with the plain extractor, driven by hand."""
    return Memory.open(path, background=False, extractor=Extractor(Plain(), "plain/1"))


def child(home, calls: int) -> subprocess.CompletedProcess:
    """Forget in another process, which dies at this call."""
    command = [sys.executable, "-c", CHILD, str(ROOT), str(home), str(calls)]
    return subprocess.run(command, capture_output=True, check=False, cwd=home.parent)


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A closed home of two scopes with one subject in both, a correction and a report; and how many calls it takes."""
    path = tmp_path_factory.mktemp("kill") / "home"
    with opened(path) as memory:
        for n in range(8):
            for scope, word in (("user/1", WORD), ("user/2", "hello")):
                text = f"{word} city={'Oslo' if n % 2 else 'Graz'} day{n}"
                memory.record_many([say(f"e{n}", text, n, scope=scope, subject=["ana", scope])])
        memory.settle()
        fact = memory.memories("user/1", "fact")[0]
        memory.edit(fact.id, f"{WORD} corrected")
        memory.report("r-1", outcome="helped", used=[fact.id, memory.memories("user/2")[0].id])
        wanted = [m.id for m in memory.memories("user/2")]
    trial = path.with_name("trial")
    shutil.copytree(path, trial, symlinks=True)
    done = child(trial, 0)
    assert done.returncode == 0, done.stderr.decode()
    return path, json.loads(done.stdout)[0], wanted


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
@pytest.mark.parametrize("seed", range(KILLS))
def test_finished_or_not_begun(template, tmp_path, seed):
    path, calls, wanted = template
    home = tmp_path / "home"
    shutil.copytree(path, home, symlinks=True)
    # evenly over the whole forget, at a random call in each part
    at = int(calls * (seed + random.Random(seed).random()) / KILLS) + 1
    assert child(home, at).returncode == -signal.SIGKILL

    with opened(home) as memory:
        receipts = memory.receipts()
        begun = bool(receipts)
        assert len(receipts) == begun
        assert memory.verify().ok
        if begun:
            assert problems(as_json(receipts[0]), receipts[0].public_key) == []
            assert "user/1" not in memory.scopes()
            assert found_bytes(home, [WORD]) == []
        else:
            assert len(memory.memories("user/1", "episode")) == 8
            memory.forget(scope="user/1")
        assert len(memory.receipts()) == 1
        assert [m.id for m in memory.memories("user/2")] == wanted
        assert len(memory.receipts()[0].records) == 8 + 8 + 1
    with opened(home) as memory:  # once more: nothing is left to do, nothing is done twice
        assert len(memory.receipts()) == 1
        assert found_bytes(home, [WORD]) == []
        if seed % 5 == 0:
            proof = memory.prove(canaries=[WORD[5:]])
            assert proof.ok, proof
