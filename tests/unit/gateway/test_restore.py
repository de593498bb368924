"""Restoring beside a home that went on: nothing forgotten comes back, and a kill leaves one or the other."""

import shutil

import pytest

from eunoe import Memory
from eunoe.gateway import restoring, takeover
from eunoe.stores.books import recovery
from eunoe.streams import local_log
from eunoe.streams.errors import (
    BadInput,
    Forgotten,
    KeyMissing,
    LogError,
    MasterKeyMissing,
    WrongMasterKey,
)
from tests.unit.gateway.saving import CANARY, PASSPHRASE, TURNS, refused, say, turns_of

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
