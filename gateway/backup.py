"""Backups of a home in use, as one file that a recovery key opens.

A backup holds keys: whoever has it and the recovery key reads all that the home held then, also what is forgotten
later; restoring it forgets that again (`gateway.restoring`), reading it elsewhere does not. Without the recovery key
it shows sizes, counts, times of writing, random pseudonyms, bills and the settings. A new version of a subject's key,
or of the master key, does not close an older backup, which holds the older one: only deleting it does. So keep backups
no longer than you need them, and count their age into what you promise to those who ask to be forgotten.
"""

import secrets
import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack
from errno import ENOSPC
from pathlib import Path

import msgspec

from eunoe import __version__
from eunoe.gateway.archive import Manifest, Progress, written
from eunoe.gateway.auditing import act, note
from eunoe.gateway.home import BOOKS, LOG, Home
from eunoe.gateway.restoring import Restored, restore
from eunoe.infra.settings import FILE as SETTINGS
from eunoe.infra.settings import Settings, load_settings
from eunoe.processors.forgetting.heads import own_key
from eunoe.processors.forgetting.receipt import ChainHead
from eunoe.stores.books.recovery import Lock, RecoveryLock, lock_of
from eunoe.streams.errors import BadInput, LogError, StorageFull
from eunoe.streams.local_batch import head_of
from eunoe.streams.local_copy import copy, held_still
from eunoe.streams.sqlite_files import connect, rows, translated

SUFFIX = ".eunoe-backup"


class BackedUp(msgspec.Struct, frozen=True):
    """A backup that was made. lock: `key` or `passphrase`, whichever opens it."""

    path: str
    bytes: int
    home: str
    at: str
    records: int
    heads: tuple[ChainHead, ...]
    lock: str


def back_up(home: Home, target: Path, words: str | None, now: str, progress: Progress) -> BackedUp:
    """Write a backup into a folder or to a new file. Others may record meanwhile; a forget waits for its end.

    words: a recovery key or passphrase; without it, the key that was made for this home counts. Raises BadInput.
    """
    lock = _lock(home, words)
    path = _target(home, target, now)
    own_key(home.keyring)  # a restored home signs with the same key
    work = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        work.mkdir(0o700)
        with home.copying():
            master = _copied(home, work, lambda share: progress(share / 2))
        files = {name: work / name for name in (LOG, BOOKS)}
        if (home.path / SETTINGS).exists():
            files[SETTINGS] = home.path / SETTINGS
        manifest = _manifest(work / LOG, now, lock)
        whole = written(work / path.name, files, manifest, master, lambda share: progress(0.5 + share / 2))
        (work / path.name).rename(path)
    except OSError as error:
        if error.errno == ENOSPC:
            raise StorageFull(f"the disk is full: {path.name} was not made") from None
        raise LogError(f"{path.parent} can't be written to ({error.strerror})") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)
    kind = "passphrase" if lock.salt else "key"
    return BackedUp(str(path), path.stat().st_size, whole.home, now, whole.records, whole.heads, kind)


def _lock(home: Home, words: str | None) -> Lock:
    if words is not None:
        return lock_of(words)
    lock = RecoveryLock(home.database, home.keyring).lock()
    if lock is None:
        raise BadInput("a backup needs a recovery key: make one with `eunoe keys recovery`, or give one")
    return lock


def _target(home: Home, target: Path, now: str) -> Path:
    path = target
    if target.is_dir():
        stamp = "".join(letter for letter in now[:19] if letter.isdigit() or letter == "T")
        path = target / f"eunoe-{home.keyring.home.hex()[:8]}-{stamp}{SUFFIX}"
    if path.exists():
        raise BadInput(f"{path} is there already; a backup never takes another one's place")
    if not path.parent.is_dir():
        raise BadInput(f"{path.parent} is no folder")
    if path.resolve().is_relative_to(home.path.resolve()):
        raise BadInput("a backup must not lie in the home that it is of")
    return path


def _copied(home: Home, work: Path, progress: Progress) -> bytes:
    """Log and keyring as they stood at one moment, in a folder; the master key that opens that keyring."""
    masters = []

    def keyring() -> None:
        with home.database.write():  # no key comes or goes between the log's moment and this
            home.database.copy(work / BOOKS)
        masters.append(home.keyring.master())

    home.bills.flush()
    with ExitStack() as stack:
        with home.lock():  # the master key stays the same for that moment
            source = stack.enter_context(held_still(home.log.path, keyring))
        copy(source, work / LOG, progress)
    return masters[0]


def _manifest(log: Path, now: str, lock: Lock) -> Manifest:
    """What the copied log says of itself."""
    with translated(log.name):
        connection = connect(log, create=False)
        try:
            meta = dict(rows(connection, "select name, value from meta"))
            heads = [(partition, *head_of(connection, partition)) for partition in range(meta["partitions"])]
        finally:
            connection.close()
    return Manifest(
        eunoe=__version__,
        home=meta["home"].hex(),
        at=now,
        partitions=meta["partitions"],
        records=sum(position + 1 for _, position, _ in heads),
        epoch=meta["epoch"],
        heads=tuple(ChainHead(partition, position, digest.hex()) for partition, position, digest in heads),
        files={},
        lock=lock,
    )


class BackupDoor:
    """Backups of a memory, and memories out of backups."""

    _home: Home

    def backup(
        self, target: str | Path, recovery_key: str | None = None, *, actor: str = "user",
        progress: Progress = lambda share: None,
    ) -> BackedUp:  # fmt: skip
        """Log, keyring and settings as they stand now, as one file; recording goes on meanwhile.

        target: a folder or a new file outside the home. recovery_key: a key or a passphrase, else the key that
        `make_recovery_key` made. The file holds keys: what is forgotten later can be read from it by whoever has it and
        the recovery key, until it is deleted; new versions of keys don't change that. Raises BadInput, StorageFull.
        """
        done = back_up(self._home, Path(target), recovery_key, self._home.now(), progress)
        note(self._home, act("backup", self._home.now(), actor, counts={"records": done.records}))
        return done

    def make_recovery_key(self, *, again: bool = False, actor: str = "user") -> str:
        """A key that opens this home's later backups. It is given once and stored nowhere. Raises BadInput."""
        words = RecoveryLock(self._home.database, self._home.keyring).make(again=again)
        note(self._home, act("rotate", self._home.now(), actor, reason="recovery key"))
        return words

    @staticmethod
    def restore(
        backup: str | Path, home: str | Path, recovery_key: str, *, replace: bool = False, actor: str = "user",
        settings: Settings | None = None, clock: Callable[[], float] = time.time,
        progress: Progress = lambda share: None,
    ) -> Restored:  # fmt: skip
        """A home from a backup: in an empty directory, or with `replace` in the place of the same home.

        What the home that stands there has forgotten is forgotten in the restored one before it can be opened; what
        else it has that the backup lacks is lost. Raises BadInput, WrongRecoveryKey, HomeNewer, and changes nothing.
        """
        settings = settings or load_settings(home=Path(home))
        return restore(
            Path(backup), Path(home), recovery_key, settings,
            replace=replace, actor=actor, clock=clock, progress=progress,
        )  # fmt: skip
