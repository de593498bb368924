"""A run of the command line in this process, and a home with a small history."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from eunoe.gateway.cli.run import run

SCOPE = "user/ida"
TURNS = [
    ("a1", "s1", "2025-03-03T09:00:00+01:00", "I always ship through GitHub Actions, never by hand."),
    ("a2", "s1", "2025-03-03T09:01:00+01:00", "I live in Bergen with two cats."),
    ("a3", "s2", "2025-04-07T18:30:00+02:00", "我对花生过敏。"),
]


@dataclass
class Ran:
    """What one command line did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on standard output."""
        return json.loads(self.out)


@pytest.fixture
def eunoe(tmp_path, monkeypatch, capsys) -> Callable[..., Ran]:
    """Run `eunoe` with these arguments on the home of this test, in an empty working directory."""
    monkeypatch.chdir(tmp_path)
    for name in ("EUNOE_DEBUG", "EUNOE_MASTER_KEY", "EUNOE_MASTER_KEY_FILE", "EUNOE_MASTER_KEY_COMMAND"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("EUNOE_HOME", str(tmp_path / "home"))

    def ran(*arguments: str) -> Ran:
        capsys.readouterr()
        code = run(list(arguments))
        written = capsys.readouterr()
        return Ran(code, written.out, written.err)

    return ran


@pytest.fixture
def history(tmp_path):
    """The small history as a JSONL file."""
    path = tmp_path / "history.jsonl"
    lines = [
        {"id": id, "scope": SCOPE, "session": session, "role": "user", "speaker": "Ida", "text": text, "at": at}
        for id, session, at, text in TURNS
    ]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")
    return path


@pytest.fixture
def filled(eunoe, history):
    """`eunoe` on a home that holds the small history."""
    done = eunoe("import", str(history))
    assert done.code == 0, done.err
    return eunoe
