"""The command line as a process: pipes, interruption, the demo."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

EUNOE = [sys.executable, "-m", "eunoe.gateway.cli"]


@pytest.fixture
def environment(tmp_path):
    """A home of this test's own, and an empty HOME."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("EUNOE_")}
    return {**kept, "HOME": str(tmp_path), "EUNOE_HOME": str(tmp_path / "home")}


def turns(path, count: int):
    """A JSONL history of so many turns."""
    with path.open("w") as file:
        for number in range(count):
            turn = {"id": f"t{number}", "scope": "user/ida", "session": f"s{number // 20}", "role": "user",
                    "text": f"I moved crate number {number} to the north pier.",
                    "at": f"2025-03-{number % 28 + 1:02}T09:00:00+01:00"}  # fmt: skip
            file.write(json.dumps(turn) + "\n")
    return path


def test_a_closed_pipe_is_quiet(environment, tmp_path):
    history = turns(tmp_path / "h.jsonl", 300)
    subprocess.run([*EUNOE, "import", str(history)], env=environment, check=True, capture_output=True)
    with subprocess.Popen([*EUNOE, "log"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as log:
        assert log.stdout is not None and log.stderr is not None
        assert log.stdout.readline()
        log.stdout.close()
        assert log.stderr.read() == b""


def test_text_comes_from_standard_input(environment):
    done = subprocess.run(
        [*EUNOE, "record", "-", "--scope", "user/ida", "--json"],
        env=environment, input=b"I like lychees.\n", capture_output=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["duplicate"] is False
    log = subprocess.run([*EUNOE, "log", "--json"], env=environment, capture_output=True, check=True)
    assert "I like lychees." in [line["text"] for line in json.loads(log.stdout)]


@pytest.mark.slow
def test_an_interrupted_import_keeps_what_it_stored_and_goes_on(environment, tmp_path):
    history = turns(tmp_path / "h.jsonl", 6_000)
    running = subprocess.Popen(
        [*EUNOE, "import", str(history)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    written, deadline = tmp_path / "home" / "log.db-wal", time.monotonic() + 60
    while not (written.exists() and written.stat().st_size > 500_000) and time.monotonic() < deadline:
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert "Traceback" not in err
    assert "what is stored stays" in err
    assert not out
    done = subprocess.run(
        [*EUNOE, "import", str(history), "--no-wait", "--json"], env=environment, capture_output=True, check=True
    )
    summary = json.loads(done.stdout)
    assert summary["recorded"] + summary["duplicates"] == 6_000
    assert summary["duplicates"] > 0
    verified = subprocess.run([*EUNOE, "--no-wait", "verify", "--json"], env=environment, capture_output=True)
    assert json.loads(verified.stdout)["ok"] is True


@pytest.mark.slow
def test_the_demo_proves_itself_and_leaves_nothing(environment, tmp_path):
    before = set(tmp_path.iterdir())
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    done = subprocess.run(
        [*EUNOE, "demo"], env={**environment, "TMPDIR": str(temporary)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    live, rebuilt = (next(line for line in lines if line.strip().startswith(word)) for word in ("live", "rebuilt"))
    assert live.split()[-1] == rebuilt.split()[-1]
    assert not list(temporary.iterdir())
    assert set(tmp_path.iterdir()) == before | {temporary}
