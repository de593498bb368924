"""Backups of a memory in use, and memories out of backups: whole or not at all."""

import asyncio
import json
import os
import random
import stat
import threading
import zipfile
from pathlib import Path

import pytest

from eunoe import AsyncMemory, Memory
from eunoe.gateway import archive
from eunoe.infra.settings import load_settings
from eunoe.stores.books import recovery
from eunoe.streams.errors import (
    BadInput,
    EunoeError,
    HomeNewer,
    LogError,
    WrongRecoveryKey,
)
from eunoe.streams.frames import EPOCH_SCHEMA
from tests.unit.gateway.saving import CANARY, PASSPHRASE, TURNS, refused, say, turns_of

FLIPS = 400 if os.environ.get("EUNOE_SOAK") else 40


# -- making one ------------------------------------------------------------------------------------


def test_a_backup_becomes_the_same_memory_elsewhere(saved, tmp_path, opened):
    backup, key, digest = saved
    done = Memory.restore(backup, tmp_path / "new", key)
    memory = opened(tmp_path / "new")
    assert memory.digest() == digest
    assert memory.verify().ok
    assert memory.rebuild().same_as_live
    assert (done.replaced, done.discarded, done.master_key, done.forgotten.records) == (False, 0, "restored", 0)
    assert CANARY in memory.recall("where do they live?", scope="user/1", wait=True).text
    assert not say(memory, "user/1", "a9", "I moved to Oslo.").duplicate
    assert say(memory, *TURNS[0]).duplicate


def test_the_restored_home_is_the_same_home_with_a_new_writer(saved, home, tmp_path, opened):
    backup, key, _ = saved
    before = opened(home).keys()["public_key"]
    done = Memory.restore(backup, tmp_path / "new", key)
    memory = opened(tmp_path / "new")
    assert memory.keys()["public_key"] == before
    assert done.epoch == 2
    epochs = [line for line in memory.log() if line.kind == "epoch"]
    assert len(epochs) == 2 * len(memory.status().partitions)
    log = memory._home.log
    last = [r for r in log.read(0, -1, 1000) if r.envelope.schema == EPOCH_SCHEMA]
    assert [r.envelope.epoch for r in last] == [1, 2] and last[0].envelope.writer != last[1].envelope.writer


def test_what_was_made_is_said(home, tmp_path, opened):
    memory = opened(home)
    memory.make_recovery_key()
    done = memory.backup(tmp_path)
    path = Path(done.path)
    assert path.parent == tmp_path and path.suffix == ".eunoe-backup"
    assert done.bytes == path.stat().st_size and done.lock == "key"
    assert done.records == 4 + 1 + 2 * len(TURNS) + 1  # epochs, settings, turns with results, the recovery key's act
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(zipfile.ZipFile(path).namelist()) == ["books.db", "log.db", "manifest.json"]
    manifest = json.loads(zipfile.ZipFile(path).read("manifest.json"))
    assert {head["partition"] for head in manifest["heads"]} == {0, 1, 2, 3}
    assert sum(head["position"] + 1 for head in manifest["heads"]) == done.records


def test_a_backup_shows_no_text_and_no_key(saved, home):
    backup, key, _ = saved
    content = backup.read_bytes()
    assert CANARY.encode() not in content and key.encode() not in content
    assert (home / "master.key").read_bytes().strip() not in content
    assert key not in "".join(str(path.read_bytes()) for path in home.iterdir() if path.is_file())


def test_a_passphrase_opens_what_was_made_for_it(home, tmp_path, opened):
    memory = opened(home)
    with pytest.raises(BadInput, match="12 characters"):
        memory.backup(tmp_path / "b", "too short")
    assert memory.backup(tmp_path / "b", PASSPHRASE).lock == "passphrase"
    assert Memory.restore(tmp_path / "b", tmp_path / "new", PASSPHRASE).records
    with pytest.raises(WrongRecoveryKey):
        Memory.restore(tmp_path / "b", tmp_path / "other", PASSPHRASE + "s")


def test_without_any_recovery_key_there_is_no_backup(home, tmp_path, opened):
    with pytest.raises(BadInput, match="keys recovery"):
        opened(home).backup(tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_a_recovery_key_is_made_once_and_another_only_when_asked(home, tmp_path, opened):
    memory = opened(home)
    first = memory.make_recovery_key()
    with pytest.raises(BadInput, match="already"):
        memory.make_recovery_key()
    memory.backup(tmp_path / "one")
    second = memory.make_recovery_key(again=True)
    memory.backup(tmp_path / "two")
    with pytest.raises(WrongRecoveryKey):
        Memory.restore(tmp_path / "one", tmp_path / "new", second)
    Memory.restore(tmp_path / "one", tmp_path / "new", first)
    Memory.restore(tmp_path / "two", tmp_path / "newer", second)


@pytest.mark.parametrize("target", ["home/inside", "there", "no/such/folder"])
def test_where_a_backup_may_not_lie(home, tmp_path, opened, target):
    (tmp_path / "there").write_text("mine")
    memory = opened(home)
    with pytest.raises(BadInput):
        memory.backup(tmp_path / target, PASSPHRASE)
    assert (tmp_path / "there").read_text() == "mine"


def test_while_others_write_a_backup_holds_one_moment(home, tmp_path, opened):
    memory = opened(home)
    stop = threading.Event()

    def write(scope):
        with Memory.open(home, background=False) as other:
            for n in range(10_000):
                if stop.is_set():
                    return
                say(other, scope, f"n{n}", f"turn {n}")

    threads = [threading.Thread(target=write, args=(f"new/{n}",)) for n in range(2)]
    for thread in threads:
        thread.start()
    try:
        done = [memory.backup(tmp_path / f"b{n}", PASSPHRASE) for n in range(3)]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    for n, one in enumerate(done):
        Memory.restore(one.path, tmp_path / f"r{n}", PASSPHRASE)
        with Memory.open(tmp_path / f"r{n}", background=False) as restored:
            assert restored.verify().ok
            for scope in ("new/0", "new/1"):
                if scope in restored.scopes():
                    held = turns_of(restored, scope)
                    assert len(held) == max(int(name[1:]) for name in held) + 1, "a turn between two others is missing"
            restored.settle()
            assert restored.rebuild().same_as_live


@pytest.mark.parametrize("broken", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_a_stopped_backup_leaves_nothing(home, tmp_path, opened, broken):
    memory = opened(home)
    before = sorted(path.name for path in tmp_path.iterdir())

    def stop(share):
        if share > 0.6:
            raise broken

    with pytest.raises((KeyboardInterrupt, EunoeError)):
        memory.backup(tmp_path / "b", PASSPHRASE, progress=stop)
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert memory.backup(tmp_path / "b", PASSPHRASE).records


def test_progress_grows_to_the_end(saved, home, tmp_path, opened):
    shares = []
    opened(home).backup(tmp_path / "b", PASSPHRASE, progress=shares.append)
    assert shares == sorted(shares) and shares[-1] == 1.0
    shares.clear()
    Memory.restore(tmp_path / "b", tmp_path / "new", PASSPHRASE, progress=shares.append)
    assert shares == sorted(shares) and shares[-1] == 1.0


def test_settings_go_with_it_but_never_over_those_that_are_there(home, tmp_path, opened):
    (home / "eunoe.toml").write_text("default_budget = 321\n")
    opened(home).backup(tmp_path / "b", PASSPHRASE)
    Memory.restore(tmp_path / "b", tmp_path / "new", PASSPHRASE)
    assert load_settings(home=tmp_path / "new").default_budget == 321
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "eunoe.toml").write_text("default_budget = 5\n")
    Memory.restore(tmp_path / "b", tmp_path / "own", PASSPHRASE)
    assert load_settings(home=tmp_path / "own").default_budget == 5


# -- what a backup may not be ----------------------------------------------------------------------


@pytest.mark.parametrize("length", [0, 3, 100, -1, -1000])
def test_a_cut_backup(saved, tmp_path, length):
    backup, key, _ = saved
    content = backup.read_bytes()
    cut = tmp_path / "cut"
    cut.write_bytes(content[:length])
    said = refused(cut, tmp_path, key)
    assert ("no backup" if 0 <= length <= 3 else "cut or damaged") in said


def test_every_flipped_byte_is_found(saved, tmp_path):
    backup, key, _ = saved
    content, chance = backup.read_bytes(), random.Random(20251201)
    places = [0, 3, len(content) - 1, len(content) - 64, *(chance.randrange(len(content)) for _ in range(FLIPS))]
    for place in places:
        changed = bytearray(content)
        changed[place] ^= 1 << chance.randrange(8)
        (tmp_path / "flipped").write_bytes(changed)
        refused(tmp_path / "flipped", tmp_path, key)


def rewritten(backup, target, changes, manifest=lambda fields: fields):
    """A backup made anew by somebody who has no key: whole by its sum, with other files or another manifest."""
    with zipfile.ZipFile(backup) as given:
        files = {name: given.read(name) for name in given.namelist()}
    files.update(changes)
    files["manifest.json"] = json.dumps(manifest(json.loads(files["manifest.json"]))).encode()
    with zipfile.ZipFile(target, "w") as made:
        for name, content in files.items():
            made.writestr(name, content)
        made.comment = bytes(64)
    content = target.read_bytes()[:-64]
    target.write_bytes(content + archive.hashlib.sha256(content).hexdigest().encode())


def test_a_backup_that_was_written_anew_with_another_log(saved, tmp_path):
    backup, key, _ = saved
    rewritten(backup, tmp_path / "anew", {"log.db": b"SQLite format 3\x00" + bytes(4096)})
    assert "log.db" in refused(tmp_path / "anew", tmp_path, key)


def test_a_manifest_that_was_changed(saved, tmp_path):
    backup, key, _ = saved
    rewritten(backup, tmp_path / "anew", {}, lambda fields: {**fields, "records": 1})
    assert "manifest" in refused(tmp_path / "anew", tmp_path, key)


def test_a_backup_of_a_later_release(saved, tmp_path):
    backup, key, _ = saved
    rewritten(backup, tmp_path / "anew", {}, lambda fields: {"format": 2, "other": fields})
    assert "upgrade" in refused(tmp_path / "anew", tmp_path, key, HomeNewer)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04 but no zip" + bytes(200)])
def test_what_is_no_backup(tmp_path, content):
    (tmp_path / "b").write_bytes(content)
    refused(tmp_path / "b", tmp_path, recovery.new_key())
    refused(tmp_path / "missing", tmp_path, recovery.new_key())


def test_a_wrong_recovery_key(saved, tmp_path):
    backup, _, _ = saved
    refused(backup, tmp_path, recovery.new_key(), WrongRecoveryKey)
    refused(backup, tmp_path, "some other words", WrongRecoveryKey)


def test_a_directory_that_holds_something_else(saved, tmp_path):
    backup, key, _ = saved
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "letters.txt").write_text("mine")
    refused(backup, tmp_path, key)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(LogError):
        Memory.restore(backup, tmp_path / "file", key)


def test_another_home_is_never_replaced(saved, tmp_path):
    backup, key, _ = saved
    with Memory.open(tmp_path / "new", background=False) as memory:
        say(memory, "user/7", "x", "I live in Lisbon.")
    assert "another home" in refused(backup, tmp_path, key, replace=True)
    with Memory.open(tmp_path / "new", background=False) as memory:
        assert turns_of(memory, "user/7") == ["x"]


def test_the_same_home_is_replaced_only_when_asked(saved, tmp_path):
    backup, key, _ = saved
    assert "--replace" in refused(backup, tmp_path, key, home="home")


def test_the_same_awaited(home, tmp_path):
    async def run():
        async with await AsyncMemory.open(home, background=False) as memory:
            key = await memory.make_recovery_key()
            made = await memory.backup(tmp_path / "b")
            restored = await AsyncMemory.restore(made.path, tmp_path / "new", key)
            assert [one.counts["records"] for one in await memory.audit(kind="backup")] == [made.records]
            return made.records, restored.records

    made, restored = asyncio.run(run())
    assert made == restored
