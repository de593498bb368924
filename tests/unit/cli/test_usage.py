"""Exit codes, help, errors in one line: what needs no memory."""

import subprocess
import sys
import time

import pytest

import eunoe
from eunoe.gateway.cli import files, history, upkeep
from eunoe.gateway.cli.evaluation import numbers
from eunoe.gateway.cli.run import run
from eunoe.streams.errors import BadInput, LogDamaged, UnknownScope

VERBS = [
    "init", "record", "import", "recall", "context", "log", "scopes", "verify", "rebuild", "digest", "status",
    "eval", "demo", "memories list", "memories show", "memories edit", "memories retire", "memories undo",
    "files list", "files show", "files export", "deadletters list", "deadletters show", "deadletters retry",
    "deadletters drop", "keys show", "keys rotate-master", "keys rotate-subject",
]  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(verb, capsys):
    assert run([*verb.split(), "--help"]) == 0
    assert "Usage: eunoe" in capsys.readouterr().out


def test_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"eunoe {eunoe.__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["recall", "what"],
        ["recall", "what", "--scope", "a", "--budget", "many"],
        ["recall", "what", "--scope", "a", "--budget", "0"],
        ["memories"],
        ["deadletters", "drop", "1"],
        ["import"],
        ["status", "--colour"],
    ],
)
def test_wrong_usage_is_2_and_leaves_standard_output_empty(arguments, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    written = capsys.readouterr()
    assert written.out == "" or "Usage" in written.out
    assert "Traceback" not in written.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (UnknownScope("scope is not known"), 1, "error: scope is not known\n"),
        (LogDamaged("broken chain", 1, 7), 1, "error: broken chain (partition 1, position 7); `eunoe verify`"),
        (BadInput("two\nlines"), 1, "error: two lines\n"),
        (PermissionError(13, "Permission denied", "x.db"), 1, "error: Permission denied: x.db\n"),
        (ZeroDivisionError("the secret"), 1, "ZeroDivisionError"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_what_a_verb_raises(raised, code, said, capsys, monkeypatch):
    def fail(*_, **__):
        raise raised

    monkeypatch.setattr(upkeep, "opened", fail)
    monkeypatch.delenv("EUNOE_DEBUG", raising=False)
    assert run(["scopes"]) == code
    written = capsys.readouterr()
    assert said in written.err
    assert written.err.count("\n") <= 1
    assert "the secret" not in written.err
    assert not written.out


def test_debug_shows_where(monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(upkeep, "opened", fail)
    monkeypatch.setenv("EUNOE_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        run(["scopes"])


def test_text_from_standard_input_has_to_be_text(monkeypatch):
    class Stream:
        def __init__(self, raw: bytes) -> None:
            self.buffer = self
            self.raw = raw

        def read(self) -> bytes:
            return self.raw

    monkeypatch.setattr(sys, "stdin", Stream("日記\n\n".encode()))
    assert history._standard_input() == "日記\n"
    monkeypatch.setattr(sys, "stdin", Stream(b"\xff\xfe"))
    with pytest.raises(BadInput, match="UTF-8"):
        history._standard_input()


def test_numbers():
    assert numbers("500, 1000") == [500, 1000]
    for wrong in ("", "500,", "-1", "0", "five", "٣"):
        with pytest.raises(BadInput):
            numbers(wrong)


def test_an_export_stays_in_its_folder():
    assert str(files.inside("/memory/user-1/facts/a.md")) == "memory/user-1/facts/a.md"
    for wrong in ("", "/", "../x", "/memory/../../x", "a\0b"):
        with pytest.raises(BadInput):
            files.inside(wrong)


def test_help_is_quick():
    """Half a second is the aim; the bound leaves room for a busy machine, and the imports are checked apart."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "eunoe.gateway.cli", "--help"], check=True, capture_output=True)
    assert time.perf_counter() - started < 2


def test_help_loads_nothing_heavy():
    program = (
        "import sys; from eunoe.gateway.cli.run import run; run(['--help']); "
        "print([m for m in ('pydantic', 'sqlalchemy', 'apsw', 'alembic', 'numpy', 'cryptography') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"
