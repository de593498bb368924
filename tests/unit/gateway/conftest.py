"""A home, a backup of it, and homes that are closed again."""

from pathlib import Path

import pytest

from eunoe import Memory
from tests.unit.gateway.saving import TURNS, say


@pytest.fixture
def home(tmp_path):
    """A home with a few turns of three scopes, settled."""
    path = tmp_path / "home"
    with Memory.open(path, background=False) as memory:
        for turn in TURNS:
            say(memory, *turn)
        memory.settle()
    return path


@pytest.fixture
def saved(home, tmp_path):
    """(backup, recovery key, digest) of that home."""
    with Memory.open(home, background=False) as memory:
        key, digest = memory.make_recovery_key(), memory.digest()
        return Path(memory.backup(tmp_path / "one.eunoe-backup").path), key, digest


@pytest.fixture
def opened():
    """Open homes without background; they are closed again."""
    held = []

    def give(path, **more):
        held.append(Memory.open(path, background=False, **more))
        return held[-1]

    yield give
    for memory in held:
        memory.close()
