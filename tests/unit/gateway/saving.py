"""A small home to back up, and what the tests of backups ask of one."""

import pytest

from eunoe import Memory
from eunoe.streams.errors import BadInput

CANARY = "Quixworth"
PASSPHRASE = "seven owls on a wire"
TURNS = (
    ("user/1", "a1", f"I live in {CANARY} with two cats."),
    ("user/1", "a2", "I like lychees."),
    ("user/2", "b1", "I live in Bergen."),
    ("user/2", "b2", "We ship through GitHub Actions, never by hand."),
    ("team/blue", "c1", "Our standup is at nine."),
)


def say(memory, scope, id, text, **more):
    return memory.record(text, scope=scope, id=id, at="2025-03-03T09:00:00+01:00", **more)


def turns_of(memory, scope):
    return sorted({line.id for line in memory.log(scope) if line.kind == "interaction"})


def refused(backup, tmp_path, key, error=BadInput, home="new", **more):
    """Restoring fails with one clear error, and leaves the directory as it was."""
    target = tmp_path / home
    before = sorted(path.name for path in target.iterdir()) if target.exists() else None
    with pytest.raises(error) as raised:
        Memory.restore(backup, target, key, **more)
    assert CANARY not in str(raised.value) and key not in str(raised.value)
    assert (sorted(path.name for path in target.iterdir()) if target.exists() else None) == before
    return str(raised.value)
