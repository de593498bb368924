"""The keyring in the books: the contract, and what only it promises."""

import base64
import os
import shutil
import stat
import threading

import pytest

from eunoe.stores.books import keyring as module
from eunoe.stores.books.database import Database
from eunoe.stores.books.keyring import BooksKeyring, recovered
from eunoe.stores.books.master import KeyCommand, KeyFile, KeyValue
from eunoe.streams.errors import (
    BadInput,
    EunoeError,
    HomeNewer,
    KeyringError,
    MasterKeyMissing,
    WrongMasterKey,
)
from tests.contract.keyring import KeyringContract


class Books:
    """A directory of books, opened as often as a test likes."""

    def __init__(self, path):
        self.path, self.source, self.opened = path, KeyFile(path / "master.key"), []

    def open(self, source=None, fresh=None) -> BooksKeyring:
        new = not (self.path / "books.db").exists()
        database = Database(self.path / "books.db")
        self.opened.append(database)
        source = source or self.source
        if isinstance(source, KeyFile):
            recovered(database, source)
        return BooksKeyring(database, source, fresh=new if fresh is None else fresh)

    def close(self):
        while self.opened:
            self.opened.pop().close()

    @property
    def leftovers(self):
        return sorted(p.name for p in self.path.iterdir() if p.name.startswith("master.key") and p.name != "master.key")


@pytest.fixture
def books(tmp_path):
    made = Books(tmp_path)
    yield made
    made.close()


@pytest.fixture
def keyring(books):
    return books.open()


class TestBooksKeyring(KeyringContract):
    """The contract over one file."""

    @pytest.fixture(autouse=True)
    def _place(self, books):
        self.books = books

    def another(self, keyring):
        return self.books.open()


# -- the master key ----------------------------------------------------------------------------------


def test_the_key_file_is_its_owners_only(books, keyring):
    assert stat.S_IMODE((books.path / "master.key").stat().st_mode) == 0o600
    keyring.rotate_master(books.source)
    assert stat.S_IMODE((books.path / "master.key").stat().st_mode) == 0o600
    assert books.leftovers == []


def test_a_key_file_that_is_there_is_not_replaced(books):
    books.source.write(b"k" * 32)
    books.open()
    assert books.source.read() == b"k" * 32


def test_a_wrong_master_key_is_one_clear_error(books, keyring):
    keyring.subject("ana")
    books.close()
    books.source.path.unlink()
    books.source.write(os.urandom(32))
    with pytest.raises(WrongMasterKey) as wrong:
        books.open()
    assert books.source.path.read_text().strip() not in str(wrong.value)


def test_a_missing_master_key_is_not_made_anew(books, keyring):
    books.close()
    books.source.path.unlink()
    with pytest.raises(MasterKeyMissing, match="backup"):
        books.open()
    assert not books.source.path.exists()


@pytest.mark.parametrize("content", [b"", b"short", b"!" * 44, b"\xff\xfe\x00", base64.b64encode(b"k" * 31)])
def test_a_key_file_that_holds_no_key(books, keyring, content):
    books.close()
    books.source.path.write_bytes(content)
    with pytest.raises((BadInput, MasterKeyMissing)) as bad:
        books.open()
    assert "short" not in str(bad.value) and "!!" not in str(bad.value)


def test_a_key_by_value_and_by_command(books):
    text = base64.b64encode(b"k" * 32).decode()
    ana = books.open(KeyValue(text)).subject("ana")
    assert books.open(KeyCommand(f"echo {text}")).subject("ana").secret == ana.secret
    with pytest.raises(WrongMasterKey):
        books.open(KeyValue(base64.b64encode(b"o" * 32).decode()))
    for command in ("false", "no-such-program-anywhere", "sleep 0; exit 3"):
        with pytest.raises(MasterKeyMissing) as failed:
            books.open(KeyCommand(command))
        assert text not in str(failed.value)
    with pytest.raises(BadInput) as bad:
        books.open(KeyCommand("echo not-a-key-at-all"))
    assert "not-a-key" not in str(bad.value)


# -- the file ----------------------------------------------------------------------------------------


def test_nothing_secret_lies_in_the_clear(books, keyring):
    key = keyring.subject("Okapi Jones")
    keyring.stream("user/quagga")
    purpose = keyring.purpose("terms")
    books.close()
    master = books.source.read()
    for path in books.path.iterdir():
        if path.name == "master.key":
            continue
        data = path.read_bytes()
        for secret in (key.secret, purpose, master, b"Okapi", b"quagga"):
            assert secret not in data, path.name


@pytest.mark.parametrize("content", [b"not a database, not at all " * 50, b"SQLite format 3\x00" + b"\x00" * 200])
def test_a_damaged_file_is_one_clear_error(books, keyring, content):
    books.close()
    (books.path / "books.db").write_bytes(content)
    with pytest.raises(KeyringError, match=r"books\.db"):
        books.open()


def test_flipped_bytes_are_an_error_of_ours_or_change_nothing(books, keyring):
    import random

    before = {name: keyring.subject(name).secret for name in ("ana", "theo", "mira")}
    streams = {scope: keyring.stream(scope) for scope in ("user/1", "user/2")}
    books.close()
    path, choose, found = books.path / "books.db", random.Random(7), 0
    whole = path.read_bytes()
    for _ in range(60):
        changed = bytearray(whole)
        changed[choose.randrange(len(whole))] ^= 1 << choose.randrange(8)
        path.write_bytes(changed)
        for suffix in ("-wal", "-shm"):
            path.with_name(f"books.db{suffix}").unlink(missing_ok=True)
        try:
            again = books.open(fresh=False)
            numbers = [again.find_subject(name) for name in before]
            keys = [again.key(number, 1) for number in numbers if number is not None]
            same = [key.secret for key in keys if key] == list(before.values())
            same = same and {scope: again.find_stream(scope) for scope in streams} == streams
            found += not same
        except EunoeError:
            found += 1
        finally:
            books.close()
    assert found


def test_books_of_a_later_release_say_so(books, keyring):
    import sqlite3

    books.close()
    connection = sqlite3.connect(books.path / "books.db")
    connection.execute("update alembic_version set version_num = '9999'")
    connection.commit()
    connection.close()
    with pytest.raises(HomeNewer, match="upgrade"):
        books.open()


def test_the_migrations_make_the_tables_that_the_code_names(books, keyring):
    from sqlalchemy import inspect

    from eunoe.stores.books.tables import metadata

    database = books.opened[0]
    with database.read() as connection:
        found = inspect(connection)
        assert set(found.get_table_names()) == {*metadata.tables, "alembic_version"}
        for name, table in metadata.tables.items():
            columns = {c["name"]: (str(c["type"]), c["nullable"]) for c in found.get_columns(name)}
            wanted = {c.name: (str(c.type.compile(connection.dialect)), bool(c.nullable)) for c in table.columns}
            assert {n: t for n, (t, _) in columns.items()} == {n: t for n, (t, _) in wanted.items()}
            assert found.get_pk_constraint(name)["constrained_columns"] == [c.name for c in table.primary_key.columns]


# -- rotation ----------------------------------------------------------------------------------------


def test_a_rotated_master_key_opens_all_and_the_old_one_nothing(books, keyring):
    before = {name: keyring.subject(name).secret for name in ("ana", "theo")}
    purpose, old = keyring.purpose("terms"), books.source.read()
    count = keyring.rotate_master(books.source)
    assert count == 2 + keyring.counts()["home_keys"]
    assert books.source.read() != old
    for one in (keyring, books.open()):
        assert {name: one.subject(name).secret for name in before} == before
        assert one.purpose("terms") == purpose
    books.close()
    books.source.write(old)
    with pytest.raises(WrongMasterKey):
        books.open()


def test_another_process_goes_on_after_a_rotation(books, keyring):
    other = books.open()
    ana = keyring.subject("ana")
    keyring.rotate_master(books.source)
    assert other.subject("ana").secret == ana.secret
    theo, terms, stream = other.subject("theo"), other.purpose("terms"), other.stream("user/7")
    other.renew("ana")
    for one in (keyring, books.open()):
        one.refresh()
        assert one.subject("theo").secret == theo.secret
        assert one.purpose("terms") == terms and one.find_stream("user/7") == stream
        assert one.subject("ana").version == 2


class Killed(BaseException):
    """Stands for a process that ends here."""


STEPS = {
    "before the waiting key": (KeyFile, "make", "before"),
    "after the waiting key": (KeyFile, "make", "after"),
    "within the transaction": (module, "seal", "third"),
    "before the key file changes": (KeyFile, "move", "before"),
    "after the key file changed": (KeyFile, "move", "after"),
    "before the write-ahead file is emptied": (Database, "checkpoint", "before"),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_between_the_steps_of_a_rotation_leaves_a_home_that_opens(books, keyring, monkeypatch, step):
    before = {name: keyring.subject(name).secret for name in ("ana", "theo")}
    place, name, when = STEPS[step]
    calls, real = [], getattr(place, name)

    def cut(*arguments, **named):
        calls.append(1)
        if when == "before" or (when == "third" and len(calls) == 3):
            raise Killed
        done = real(*arguments, **named)
        if when == "after":
            raise Killed
        return done

    monkeypatch.setattr(place, name, cut)
    with pytest.raises(Killed):
        keyring.rotate_master(books.source)
    monkeypatch.undo()
    books.close()
    again = books.open()
    assert {name: again.subject(name).secret for name in before} == before
    assert books.leftovers == []
    again.rotate_master(books.source)
    assert {name: again.subject(name).secret for name in before} == before


@pytest.mark.parametrize("content", [b"", b"rubbish", b"\xff\xff"])
def test_a_waiting_key_that_is_none_is_put_away(books, keyring, content):
    ana = keyring.subject("ana").secret
    books.close()
    (books.path / "master.key.next").write_bytes(content)
    assert books.open().subject("ana").secret == ana
    assert books.leftovers == []


def test_renewing_makes_versions_and_retiring_destroys_the_old_ones(books, keyring):
    first = keyring.subject("ana")
    old, new = keyring.renew("ana")
    assert (old.version, new.version, new.pseudonym) == (1, 2, first.pseudonym)
    assert old.secret == first.secret != new.secret
    assert keyring.subject("ana").version == 2 and keyring.key(old.number, 1).secret == old.secret
    second, third = books.open().renew("ana")
    assert (second.version, third.version) == (2, 3)
    keyring.retire(second)
    assert keyring.counts()["subject_keys"] == 1
    assert keyring.key(old.number, 1) is None and keyring.key(old.number, 2) is None
    books.close()
    for path in books.path.iterdir():
        assert old.secret not in path.read_bytes()


def test_two_that_renew_at_once_make_two_versions(books, keyring):
    keyring.subject("ana")
    made, others = [], [books.open() for _ in range(4)]
    threads = [threading.Thread(target=lambda one=one: made.append(one.renew("ana")[1].version)) for one in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == [2, 3, 4, 5]


def test_a_lost_keyring_is_never_mistaken_for_a_new_one(books, keyring):
    books.close()
    shutil.copy(books.path / "books.db", books.path / "kept.db")
    (books.path / "books.db").unlink()
    other = books.open(fresh=False)  # what a home refuses to do; the log then does not take it
    books.close()
    shutil.copy(books.path / "kept.db", books.path / "books.db")
    assert other.home != books.open().home
