"""SQLite files through apsw: how they are opened, and what its errors mean to us."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from eunoe.streams.errors import LogDamaged, LogError, StorageFull, WaitTimeout
from eunoe.streams.scrubbing import checkpointed

BUSY_SECONDS = 60
CACHE_KIB = 65_536
CHECKPOINT_PAGES = 4000
_PRAGMAS = ("journal_mode=wal", "synchronous=full", "secure_delete=on", "wal_autocheckpoint=0")


def connect(path: Path, *, read_only: bool = False, create: bool = True) -> apsw.Connection:
    """A connection in WAL mode, synchronous FULL, secure delete on. Pragmas go one by one: apsw stops at a row.

    Checkpoints are ours (`streams.scrubbing`): a reader makes none, also not when it is the last one to close.
    """
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
    with translated(path.name):
        connection = apsw.Connection(str(path), flags=flags)
        connection.set_busy_handler(_patience())
        for pragma in (*_PRAGMAS, f"cache_size=-{CACHE_KIB}"):
            connection.execute(f"pragma {pragma}").fetchall()
        if read_only:
            connection.execute("pragma query_only=on").fetchall()
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        else:
            connection.set_wal_hook(_checkpoint)
    return connection


def _checkpoint(connection: apsw.Connection, _: str, pages: int) -> int:
    """After a commit: when enough has gathered in the write-ahead file, move it, as far as no reader needs it."""
    if pages >= CHECKPOINT_PAGES:
        checkpointed(connection.db_filename("main"), empty=False)
    return apsw.SQLITE_OK


def _patience() -> Callable[[int], bool]:
    """Short sleeps with a ceiling, so that many writers take turns; SQLite's own back-off starves some."""

    def busy(tries: int) -> bool:
        time.sleep(min(0.0002 * (tries + 1), 0.005))
        return tries < BUSY_SECONDS / 0.005

    return busy


def rows(connection: apsw.Connection, statement: str, values: Sequence[Any] = ()) -> list[Any]:
    """All rows of a statement as tuples, with the statement reset before this returns."""
    try:
        return connection.execute(statement, values).fetchall()
    except UnicodeDecodeError:
        raise apsw.CorruptError("text that is not UTF-8") from None


def folded(connection: apsw.Connection) -> None:
    """Fold the write-ahead file back and empty it, as far as no reader stands in the way; keep no page in memory."""
    path = Path(connection.db_filename("main"))
    if path.exists():  # else a rebuild has taken its place
        checkpointed(str(path), empty=True, busy=_patience())
    connection.execute("pragma shrink_memory").fetchall()


@contextmanager
def immediate(connection: apsw.Connection) -> Iterator[apsw.Connection]:
    """A write transaction that holds the file's lock from its first statement; undone on any error."""
    connection.execute("begin immediate")
    try:
        yield connection
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise


@contextmanager
def translated(name: str) -> Iterator[None]:
    """apsw's errors as ours, naming the file but never what is in it."""
    try:
        yield
    except apsw.FullError:
        raise StorageFull(f"the disk is full: {name} could not grow. Nothing of this write was stored.") from None
    except (apsw.CorruptError, apsw.NotADBError, apsw.FormatError) as error:
        raise LogDamaged(f"{name} is damaged ({type(error).__name__}); restore it from a backup") from None
    except apsw.BusyError:
        raise WaitTimeout(f"{name} was locked by another process for {BUSY_SECONDS} s") from None
    except apsw.ConnectionClosedError:
        raise LogError(f"{name} was closed; open the memory again") from None
    except (apsw.IOError, apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError) as error:
        raise LogError(f"{name} can't be read or written ({type(error).__name__}); check disk and rights") from None
    except apsw.Error as error:  # its tables are not those that we made
        raise LogDamaged(
            f"{name} is not as it was written ({type(error).__name__}); restore it from a backup"
        ) from None
