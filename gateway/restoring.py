"""Restoring a backup into a directory, so that what was forgotten since stays forgotten.

A restored home is prepared in a folder of its own: files checked, keyring put under the master key that the settings
name, and everything that the home which stands there has forgotten is forgotten in it too. Only then does it take over
(`gateway.takeover`). Until then nothing has changed.
"""

import base64
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from errno import ENOSPC
from pathlib import Path

import msgspec
from filelock import FileLock

from eunoe.gateway.archive import Archive, Progress
from eunoe.gateway.auditing import act
from eunoe.gateway.home import BOOKS, LEASE, LOG, MASTER, master_key_source
from eunoe.gateway.takeover import READY, closed, finished, swept
from eunoe.infra.settings import FILE as SETTINGS
from eunoe.infra.settings import Settings
from eunoe.processors.forgetting.receipt import ChainHead
from eunoe.stores.books.database import Database
from eunoe.stores.books.keyring import BooksKeyring, recovered
from eunoe.stores.books.master import KeyFile, KeyValue, MasterKeySource
from eunoe.stores.books.recovery import Lock, RecoveryLock
from eunoe.streams.carrying import Carry, Forgets
from eunoe.streams.errors import BadInput, KeyMissing, LogDamaged, LogError, MasterKeyMissing, StorageFull
from eunoe.streams.local_log import LocalLog
from eunoe.streams.log import entry

_BESIDE = frozenset({SETTINGS, MASTER, "home.lock", LEASE, "backup.lock"})


class Restored(msgspec.Struct, frozen=True):
    """A home that was restored. at: when the backup was made. epoch: of the new writer.

    forgotten: what the home that stood there had forgotten and the backup had not. discarded: records of that home's
    log which the backup lacks, at least. master_key: `restored` from the backup, or `kept` as the settings name it.
    """

    path: str
    home: str
    at: str
    records: int
    epoch: int
    replaced: bool
    discarded: int
    forgotten: Carry
    master_key: str


class _Standing(msgspec.Struct, frozen=True):
    """What is taken over from the home that stands there."""

    forgets: Forgets
    records: int
    epoch: int
    purposes: dict[str, bytes]
    lock: Lock | None


def restore(
    backup: Path, home: Path, words: str, settings: Settings, *,
    replace: bool, actor: str, clock: Callable[[], float], progress: Progress,
) -> Restored:  # fmt: skip
    """Make a home of a backup, in an empty directory or, with `replace`, in place of the same home.

    words: the recovery key or passphrase. Raises BadInput, WrongRecoveryKey, HomeNewer; then nothing has changed.
    """
    archive = Archive(backup)
    master = archive.master(words)
    made = not home.exists()
    _usable(home)
    with _held(home, made):
        finished(home)
        swept(home)
        work = home / f"restoring-{secrets.token_hex(4)}"
        source, key_made = master_key_source(home, settings), False
        try:
            standing = _standing(home, source, archive, replace)
            work.mkdir(0o700)
            archive.extract(work, lambda share: progress(share * 0.7))
            done = _prepared(work, archive, master, standing, actor, clock)
            progress(0.9)
            kept = _kept(source)
            if kept is not None and kept != master:
                _put_under(work, master, kept)
            _folded(work)
            if kept is None:
                _key_file(source).write(master)
                key_made = True
            closed(work / LOG)
            work.rename(home / READY)
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            if key_made:
                _key_file(source).path.unlink(missing_ok=True)
            raise
        finished(home)
        progress(1.0)
    return Restored(
        path=str(home),
        home=archive.manifest.home,
        at=archive.manifest.at,
        records=archive.manifest.records,
        epoch=done[0],
        replaced=standing is not None,
        discarded=0 if standing is None else max(0, standing.records - archive.manifest.records),
        forgotten=done[1],
        master_key="restored" if kept is None else "kept",
    )


@contextmanager
def _held(home: Path, made: bool) -> Iterator[None]:
    """The home's locks, so that nobody opens it and nobody projects or forgets in it meanwhile."""
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(home / "home.lock"), FileLock(home / LEASE):
            try:
                yield
            except BaseException:
                if made:
                    shutil.rmtree(home, ignore_errors=True)
                raise
    except OSError as error:
        if error.errno == ENOSPC:
            raise StorageFull("the disk is full: nothing was restored") from None
        raise LogError(f"{home} can't be written to ({error.strerror or type(error).__name__})") from None


# -- what stands there ----------------------------------------------------------------------------


def _usable(home: Path) -> None:
    """Whether a directory is a home, or empty but for settings, a key and what a killed restore left."""
    if not home.is_dir() or (home / LOG).exists() or (home / READY).exists():
        return
    if any(path.name not in _BESIDE and not path.name.startswith("restoring-") for path in home.iterdir()):
        raise BadInput(f"{home} is neither empty nor a whole home; restore into an empty directory")


def _standing(home: Path, source: MasterKeySource, archive: Archive, replace: bool) -> _Standing | None:
    """What the home in the directory has forgotten; None where it is empty. Raises BadInput, KeyringError, LogError."""
    if not (home / LOG).exists():
        return None
    with _opened(home, source) as (database, keyring, log):
        if keyring.home.hex() != archive.manifest.home:
            raise BadInput(f"{archive.path.name} is of another home than {home}; restore it into an empty directory")
        if not replace:
            raise BadInput(f"there is a memory at {home}; --replace puts the backup in its place, for good")
        heads = [log.head(partition) for partition in range(log.partitions)]
        lock = RecoveryLock(database, keyring).lock()
        try:
            epoch = max(log.read(of, head - 1, 1)[0].envelope.epoch for of, head in enumerate(heads))
            return _Standing(log.forgotten(), sum(heads) + len(heads), epoch, keyring.purposes(), lock)
        except (LogDamaged, KeyMissing) as error:
            raise BadInput(
                f"what was forgotten in {home} can't be read any more ({error.reason}); restore into an empty"
                " directory, and forget there again what was forgotten since the backup"
            ) from None


@contextmanager
def _opened(
    folder: Path, source: MasterKeySource, clock: Callable[[], float] = time.time
) -> Iterator[tuple[Database, BooksKeyring, LocalLog]]:
    with ExitStack() as stack:
        database = Database(folder / BOOKS)
        stack.callback(database.close)
        if isinstance(source, KeyFile):
            recovered(database, source)
        keyring = BooksKeyring(database, source, fresh=False)
        log = LocalLog(folder / LOG, keyring, clock=clock)
        stack.callback(log.close)
        yield database, keyring, log


# -- preparing ------------------------------------------------------------------------------------


def _prepared(
    work: Path, archive: Archive, master: bytes, standing: _Standing | None, actor: str, clock: Callable[[], float]
) -> tuple[int, Carry]:
    """The files in a folder made a home that has forgotten all it should; its epoch, and what it forgot."""
    if not (work / LOG).exists() or not (work / BOOKS).exists():
        raise BadInput(f"{archive.path.name} lacks the log or the keyring")
    with _opened(work, _given(master), clock) as (database, keyring, log):
        heads = []
        for partition in range(log.partitions):
            (last,) = log.read(partition, log.head(partition) - 1, 1)
            heads.append(ChainHead(partition, last.position, last.hash.hex()))
        if keyring.home.hex() != archive.manifest.home or tuple(heads) != archive.manifest.heads:
            raise BadInput(f"{archive.path.name} was changed: its log is not the one that its manifest names")
        carried = Carry()
        if standing is not None:
            keyring.adopt(standing.purposes)
            carried = log.carry(standing.forgets)
            recovery = RecoveryLock(database, keyring)
            if standing.lock is not None:
                recovery.keep(standing.lock)
        epoch = log.begin_epoch(0 if standing is None else standing.epoch)
        counts = {"records": archive.manifest.records, "forgotten": carried.records}
        at = datetime.fromtimestamp(clock(), UTC).isoformat(timespec="seconds")
        log.append([entry(act("restore", at, actor, reason=f"backup of {archive.manifest.at}", counts=counts))])
        return epoch, carried


def _put_under(work: Path, master: bytes, kept: bytes) -> None:
    database = Database(work / BOOKS)
    try:
        BooksKeyring(database, _given(master), fresh=False).put_under(kept)
    finally:
        database.close()


def _given(master: bytes) -> KeyValue:
    return KeyValue(base64.b64encode(master).decode())


def _kept(source: MasterKeySource) -> bytes | None:
    """The master key that the settings name, or None where its file is still to be made."""
    try:
        return source.read()
    except MasterKeyMissing:
        if isinstance(source, KeyFile):
            return None
        raise


def _key_file(source: MasterKeySource) -> KeyFile:
    assert isinstance(source, KeyFile)
    return source


def _folded(work: Path) -> None:
    """Nothing but the files themselves: each was closed, so that its write-ahead file is empty."""
    for path in work.iterdir():
        if path.name.endswith(("-wal", "-shm")):
            path.unlink()
