"""Backups of a memory in use, and memories out of backups: whole or not at all, and nothing forgotten comes back."""

import json
import os
import random
import shutil
import stat
import threading
import zipfile
from pathlib import Path

import pytest

from eunoe import Memory
from eunoe.gateway import archive, restoring, takeover
from eunoe.infra.settings import load_settings
from eunoe.stores.books import recovery
from eunoe.streams import local_log
from eunoe.streams.errors import (
    BadInput,
    EunoeError,
    Forgotten,
    HomeNewer,
    KeyMissing,
    LogError,
    MasterKeyMissing,
    WrongMasterKey,
    WrongRecoveryKey,
)
from eunoe.streams.frames import EPOCH_SCHEMA

CANARY = "Quixworth"
PASSPHRASE = "seven owls on a wire"
FLIPS = 400 if os.environ.get("EUNOE_SOAK") else 40
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


def refused(backup, tmp_path, key, error=BadInput, home="new", **more):
    """Restoring fails with one clear error, and leaves the directory as it was."""
    target = tmp_path / home
    before = sorted(path.name for path in target.iterdir()) if target.exists() else None
    with pytest.raises(error) as raised:
        Memory.restore(backup, target, key, **more)
    assert CANARY not in str(raised.value) and key not in str(raised.value)
    assert (sorted(path.name for path in target.iterdir()) if target.exists() else None) == before
    return str(raised.value)


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


# -- beside a home that went on ---------------------------------------------------------------------


def restored(saved, home, **more):
    backup, key, _ = saved
    return Memory.restore(backup, home, key, replace=True, **more)


def nothing_of_it(home):
    """No file of the home holds the canary."""
    hits = [path.name for path in home.iterdir() if path.is_file() and CANARY.encode() in path.read_bytes()]
    assert not hits


def never_had(tmp_path, turns, opened):
    memory = opened(tmp_path / "never")
    for turn in turns:
        say(memory, *turn)
    return memory.digest()


def test_what_was_forgotten_since_is_forgotten_in_the_backup_too(saved, home, tmp_path, opened):
    with Memory.open(home, background=False) as memory:
        request = memory.forget(subject="user/1", reason="asked", actor="dpo").request_id
    done = restored(saved, home)
    assert (done.forgotten.requests, done.forgotten.records, done.forgotten.keys) == (1, 4, 1)
    assert done.forgotten.names == 3  # two events and the subject
    nothing_of_it(home)
    memory = opened(home)
    memory.settle()
    nothing_of_it(home)
    assert memory.verify().ok and memory.rebuild().same_as_live
    assert memory.digest() == never_had(tmp_path, TURNS[2:], opened)
    assert memory.keys()["subjects"] == 3  # the home's own, user/2, team/blue
    with pytest.raises(Forgotten):
        say(memory, *TURNS[0])
    with pytest.raises(Forgotten):
        say(memory, "user/1", "a7", "I like plums.")
    (receipt,) = memory.receipts()
    assert receipt.request_id == request and len(receipt.records) == 4
    (asked,) = memory.audit(kind="forget")
    assert (asked.actor, asked.reason, asked.counts) == ("dpo", "asked", {"records": 4})


@pytest.mark.parametrize(
    ("named", "left"),
    [
        ({"scope": "user/1"}, TURNS[2:]),
        ({"scope": "user/1", "event": "a1"}, TURNS[1:]),
        ({"scope": "user/1", "session": "default"}, TURNS[2:]),
    ],
)
def test_every_kind_of_forget_is_carried_over(saved, home, tmp_path, opened, named, left):
    with Memory.open(home, background=False) as memory:
        memory.forget(**named)
    assert restored(saved, home).forgotten.requests == 1
    memory = opened(home)
    memory.settle()
    nothing_of_it(home)
    assert memory.verify().ok
    assert memory.digest() == never_had(tmp_path, left, opened)
    with pytest.raises(Forgotten):
        say(memory, *TURNS[0])


def test_a_redaction_is_carried_over_with_its_tombstone(saved, home, opened):
    with Memory.open(home, background=False) as memory:
        memory.redact(scope="user/1", event="a1", actor="dpo")
        live = memory.digest()
    restored(saved, home)
    memory = opened(home)
    assert memory.digest() == live
    (stone,) = memory.audit(kind="tombstone")
    assert (stone.scope, stone.session, stone.actor) == ("user/1", "default", "dpo")
    nothing_of_it(home)


def test_many_forgets_are_each_their_own_request(saved, home, opened):
    with Memory.open(home, background=False) as memory:
        requests = {memory.forget(scope="user/1", event=event).request_id for event in ("a1", "a2")}
        requests.add(memory.forget(subject="team/blue").request_id)
    done = restored(saved, home)
    assert (done.forgotten.requests, done.forgotten.records) == (3, 6)
    memory = opened(home)
    memory.settle()
    assert {receipt.request_id for receipt in memory.receipts()} == requests
    assert memory.scopes() == ["user/2"]
    again = Memory.restore(saved[0], home.with_name("beside"), saved[1])
    assert again.forgotten.requests == 0, "an empty directory knows of no forget"


def test_a_backup_that_knows_the_forget_drops_nothing_more(home, tmp_path, opened):
    with Memory.open(home, background=False) as memory:
        memory.forget(subject="user/1")
        memory.backup(tmp_path / "b", PASSPHRASE)
        say(memory, "user/2", "b3", "I have a dog.")
    done = Memory.restore(tmp_path / "b", home, PASSPHRASE, replace=True)
    assert done.forgotten.requests == 0 and done.discarded > 0
    memory = opened(home)
    assert turns_of(memory, "user/2") == ["b1", "b2"]
    assert len(memory.receipts()) == 1
    with pytest.raises(Forgotten):
        say(memory, *TURNS[0])


def test_what_came_in_again_after_a_readmission_does_not_bring_back_what_was_forgotten(saved, home, opened):
    with Memory.open(home, background=False) as memory:
        memory.forget(subject="user/1")
        memory.readmit(subject="user/1")
        say(memory, "user/1", "a2", "I like plums now.")
    assert restored(saved, home).forgotten.records == 4
    memory = opened(home)
    memory.settle()
    nothing_of_it(home)
    assert "user/1" not in memory.scopes()


def test_turns_that_only_the_backup_has_are_held_against_the_forget(home, tmp_path, opened):
    """Two lines of one home: what the one forgot by name, the other recorded under ids that the first never saw."""
    with Memory.open(home, background=False) as memory:
        memory.backup(tmp_path / "early", PASSPHRASE)
        say(memory, "user/1", "a3", f"My sister moved to {CANARY}.", order=9)
        say(memory, "user/2", "b3", "I have a dog.", order=9)
        memory.settle()
        memory.backup(tmp_path / "late", PASSPHRASE)
    Memory.restore(tmp_path / "early", home, PASSPHRASE, replace=True)
    with Memory.open(home, background=False) as memory:
        memory.forget(subject="user/1")
    done = Memory.restore(tmp_path / "late", home, PASSPHRASE, replace=True)
    assert done.forgotten.records == 6  # three turns and what was made of each
    memory = opened(home)
    memory.settle()
    nothing_of_it(home)
    assert memory.verify().ok
    assert memory.digest() == never_had(tmp_path, [*TURNS[2:], ("user/2", "b3", "I have a dog.")], opened)


def test_who_has_the_home_open_goes_on_with_what_was_restored(saved, home, opened):
    memory = opened(home)
    say(memory, "user/3", "d1", "I play the cello.")
    memory.settle()
    restored(saved, home)
    memory.settle()
    assert memory.scopes() == ["team/blue", "user/1", "user/2"]
    assert not say(memory, "user/3", "d1", "I play the viola.").duplicate
    other = opened(home)
    other.settle()
    assert turns_of(other, "user/3") == ["d1"] and other.verify().ok
    stamps = {r.envelope.epoch for p in range(4) for r in other._home.log.read(p, -1, 99) if r.envelope.number > 8}
    assert stamps <= {2}


def test_nothing_is_appended_while_the_files_change(saved, home, opened):
    memory = opened(home)
    log = memory._home.log.path
    connection = local_log.connect(log)
    connection.execute("insert into meta values('restoring', 1)")
    with pytest.raises(LogError, match="being restored"):
        say(memory, "user/2", "b9", "I have a dog.")
    opened(home)  # whoever opens it holds the home: the restore is over
    assert not say(memory, "user/2", "b9", "I have a dog.").duplicate
    connection.close()


@pytest.mark.parametrize("step", ["copy_log", "copy_books", "_emptied", "_set"])
def test_a_kill_while_it_takes_over_is_finished_by_the_next_one(saved, home, opened, monkeypatch, step):
    with Memory.open(home, background=False) as memory:
        memory.forget(subject="user/1")
        say(memory, "user/2", "b3", "I have a dog.")

    real, calls = getattr(takeover, step), []

    def dies(*arguments):
        calls.append(arguments)
        if step != "_set" or len(calls) > 1:  # the first one only prepares
            raise KeyboardInterrupt
        return real(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(takeover, step, dies)
        with pytest.raises(KeyboardInterrupt):
            restored(saved, home)
    memory = opened(home)
    memory.settle()
    assert turns_of(memory, "user/2") == ["b1", "b2"]
    assert memory.verify().ok
    assert say(memory, "user/2", "b4", "I have a cat.").position
    nothing_of_it(home)
    assert not [path.name for path in home.iterdir() if path.name.startswith("rest")]


@pytest.mark.parametrize("step", ["_prepared", "_folded", "closed"])
def test_a_restore_that_fails_before_it_is_complete_changes_nothing(saved, home, tmp_path, monkeypatch, step):
    def fails(*arguments):
        raise KeyboardInterrupt

    with Memory.open(home, background=False) as memory:
        before = memory.digest()
    with monkeypatch.context() as patched:
        patched.setattr(restoring, step, fails)
        for target in (home, tmp_path / "new"):
            with pytest.raises(KeyboardInterrupt):
                restored(saved, target)
    assert not (tmp_path / "new").exists()
    with Memory.open(home, background=False) as memory:
        assert memory.digest() == before and memory.verify().ok


def test_what_a_killed_restore_left_is_swept_away(saved, tmp_path, opened):
    (tmp_path / "new" / "restoring-00ff").mkdir(parents=True)
    (tmp_path / "new" / "restoring-00ff" / "log.db").write_bytes(b"half")
    shutil.copy(saved[0], tmp_path / "b")
    with pytest.raises(BadInput):
        Memory.restore(tmp_path / "b", tmp_path / "home", saved[1])
    Memory.restore(tmp_path / "b", tmp_path / "new", saved[1])
    assert not list((tmp_path / "new").glob("restoring-*"))
    assert opened(tmp_path / "new").verify().ok


def test_a_home_that_cant_say_what_it_forgot_is_not_replaced(saved, home, tmp_path):
    with Memory.open(home, background=False) as memory:
        place = memory.forget(subject="user/1").request
    connection = local_log.connect(home / "log.db")
    row = (place.partition << 40) + place.position
    connection.execute("update record set ciphertext = zeroblob(80) where row = ?", (row,))
    connection.close()
    assert "empty directory" in refused(saved[0], tmp_path, saved[1], home="home", replace=True)


# -- master keys -----------------------------------------------------------------------------------


def test_the_master_key_that_the_settings_name_is_kept(saved, tmp_path, opened, monkeypatch):
    given = recovery.new_key()
    monkeypatch.setenv("EUNOE_MASTER_KEY", given)
    done = Memory.restore(saved[0], tmp_path / "new", saved[1])
    assert done.master_key == "kept" and not (tmp_path / "new" / "master.key").exists()
    assert opened(tmp_path / "new").digest() == saved[2]
    monkeypatch.setenv("EUNOE_MASTER_KEY", recovery.new_key())
    with pytest.raises(WrongMasterKey):
        opened(tmp_path / "new")


def test_after_a_rotation_the_home_keeps_its_new_master_key(saved, home, opened):
    with Memory.open(home, background=False) as memory:
        memory.rotate_master()
        memory.rotate_subject("user/2")
    key = (home / "master.key").read_bytes()
    assert restored(saved, home).master_key == "kept"
    assert (home / "master.key").read_bytes() == key
    memory = opened(home)
    assert memory.digest() == saved[2] and memory.verify().ok


def test_a_missing_master_key_stops_a_replacement(saved, home, tmp_path):
    (home / "master.key").unlink()
    refused(saved[0], tmp_path, saved[1], MasterKeyMissing, home="home", replace=True)
    assert not (home / "master.key").exists()


def test_a_new_version_of_a_key_does_not_close_an_older_backup(saved, home, tmp_path, opened):
    """Said in the docs as it is: only deleting the backup does."""
    with Memory.open(home, background=False) as memory:
        memory.rotate_subject("user/1")
        memory.rotate_master()
        memory.forget(subject="user/1")
    Memory.restore(saved[0], tmp_path / "elsewhere", saved[1])
    assert CANARY in opened(tmp_path / "elsewhere").recall("where do they live?", scope="user/1", wait=True).text


# -- an older keyring beside a newer log ------------------------------------------------------------


def test_an_older_keyring_beside_a_newer_log_revives_nothing(home, opened):
    shutil.copy(home / "books.db", home.with_name("books.old"))
    with Memory.open(home, background=False) as memory:
        memory.forget(subject="user/1")
        digest, subjects = memory.digest(), memory.keys()["subjects"]
    for name in ("books.db", "books.db-wal", "books.db-shm"):
        (home / name).unlink(missing_ok=True)
    shutil.copy(home.with_name("books.old"), home / "books.db")
    memory = opened(home)
    assert memory.keys()["subjects"] == subjects
    assert memory.digest() == digest and memory.verify().ok
    assert len(memory.receipts()) == 1
    assert memory.memories("user/1", retired=True) == [] and "user/1" not in memory.scopes()
    nothing_of_it(home)


def test_a_keyring_that_lost_keys_without_a_forget_says_so(home, opened):
    books = home.with_name("books.old")
    shutil.copy(home / "books.db", books)
    with Memory.open(home, background=False) as memory:
        say(memory, "user/9", "z1", "I am new here.")
    for name in ("books.db", "books.db-wal", "books.db-shm"):
        (home / name).unlink(missing_ok=True)
    shutil.copy(books, home / "books.db")
    with pytest.raises(KeyMissing):
        opened(home).settle()
