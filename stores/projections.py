"""The embedded projections: one SQLite file, where rows and positions change in one transaction.

`projections.db` is a link to the file in use, so that a rebuild can grow a new file beside it and take its place
by one rename. A write-ahead file belongs to a file's real name, which is why the file itself is never renamed.
"""

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakSet

import apsw

from eunoe.stores import lexical, memories
from eunoe.streams.errors import LogError
from eunoe.streams.sqlite_files import connect, folded, immediate, rows, translated

FORMAT = 1
_TABLES = (
    "create table meta(name text primary key, value) without rowid",
    "create table position(partition integer primary key, position integer not null, hash blob)",
    "create table parked(step text, scope text, event text, partition integer, position integer, reason text,"
    " attempts integer, at integer, primary key(step, scope, event)) without rowid",
)


class Projections:
    """Connections to the projection file: one writer, a reader a thread, all renewed when the file was swapped."""

    def __init__(self, link: Path, partitions: int) -> None:
        self.link, self.partitions = link, partitions
        self._lock, self._local = threading.RLock(), threading.local()
        self._open: WeakSet[apsw.Connection] = WeakSet()
        if not self.link.exists():
            self._point_to(self._fresh())
        self._writer: tuple[int, apsw.Connection] | None = None

    def _fresh(self) -> Path:
        """A new, empty file with its tables, every position before the start."""
        path = self.link.with_name(f"projections-{secrets.token_hex(4)}.db")
        with translated(path.name):
            connection = connect(path)
            with immediate(connection):
                create(connection, self.partitions)
            connection.close()
        return path

    def _point_to(self, path: Path) -> None:
        temporary = self.link.with_name(f"{self.link.name}.{secrets.token_hex(4)}")
        temporary.symlink_to(path.name)
        temporary.rename(self.link)

    # -- connections ------------------------------------------------------------------------------

    def reader(self) -> apsw.Connection:
        """This thread's connection to the file that is in use now."""
        inode = self._inode()
        known: tuple[int, apsw.Connection] | None = getattr(self._local, "reader", None)
        if known is None or known[0] != inode:  # an old one closes once the last read on it lets go
            known = self._local.reader = (inode, self._connected(read_only=True))
        return known[1]

    def _inode(self) -> int:
        """Which file the link leads to. Raises LogError where it leads to none."""
        try:
            return self.link.stat().st_ino
        except OSError:
            raise LogError(f"{self.link.name} is gone; open the memory again, and it is made from the log") from None

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """One state of the projections for reads that belong together, whatever is written or swapped meanwhile."""
        with translated(self.link.name):
            connection = self.reader()
            if connection.in_transaction:  # one of these reads asks for another
                yield connection
                return
            connection.execute("begin")
            try:
                yield connection
            finally:
                if not connection.get_autocommit():
                    connection.execute("commit")

    def writer(self) -> apsw.Connection:
        """The one connection that writes; whoever uses it holds the projector's lease."""
        inode = self._inode()
        with self._lock:
            if self._writer is None or self._writer[0] != inode:
                if self._writer is not None:
                    self._writer[1].close()
                self._writer = (inode, self._connected(read_only=False))
            return self._writer[1]

    def _connected(self, *, read_only: bool) -> apsw.Connection:
        try:
            connection = connect(self.link.resolve(), read_only=read_only, create=False)
        except LogError:  # a rebuild may have taken the file's place between the two steps
            connection = connect(self.link.resolve(), read_only=read_only, create=False)
        with self._lock:
            self._open.add(connection)
        return connection

    @contextmanager
    def transaction(self) -> Iterator[apsw.Connection]:
        """Rows and positions of one batch: all of it or nothing."""
        with translated(self.link.name), immediate(self.writer()) as connection:
            yield connection

    # -- positions --------------------------------------------------------------------------------

    def positions(self, connection: apsw.Connection | None = None) -> list[int]:
        """The last position applied, a partition each; -1 before the first."""
        return [row[0] for row in rows(connection or self.reader(), "select position from position order by partition")]

    def hashes(self, connection: apsw.Connection | None = None) -> list[bytes | None]:
        """The hash of the last record applied, a partition each: another log has another one there."""
        return [row[0] for row in rows(connection or self.reader(), "select hash from position order by partition")]

    def format(self) -> int:
        """The format that the file in use was written in."""
        found = rows(self.reader(), "select value from meta where name = 'format'")
        return int(found[0][0]) if found else 0

    # -- rebuilding -------------------------------------------------------------------------------

    @contextmanager
    def rebuilt(self) -> Iterator["Projections"]:
        """A new file to fill; when the block ends well it takes the place of the one in use."""
        path = self._fresh()
        beside = Projections.__new__(Projections)
        beside.link, beside.partitions = path, self.partitions
        beside._lock, beside._local = threading.RLock(), threading.local()
        beside._open, beside._writer = WeakSet(), None
        try:
            yield beside
            beside.close()
            old = self.link.resolve()
            self._point_to(path)
            _unlink(old)
        except BaseException:
            beside.close()
            _unlink(path)
            raise

    def put_away(self) -> None:
        """Delete files that killed rebuilds left. The caller holds the projector's lease, so none is being made."""
        used = self.link.resolve().name
        for path in self.link.parent.glob("projections*"):
            if path != self.link and not path.name.startswith(used):
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close every connection that was opened here."""
        with self._lock:
            writer = None if self._writer is None else self._writer[1]
            for connection in list(self._open):
                if connection is not writer:
                    connection.close()
            if writer is not None:
                folded(writer)
                writer.close()
            self._open.clear()
            self._writer, self._local = None, threading.local()


class Scratch:
    """A projection in memory, for looking at a past state. One thread uses it, and nothing else sees it."""

    def __init__(self, partitions: int) -> None:
        self._connection = apsw.Connection(":memory:")
        with immediate(self._connection):
            create(self._connection, partitions)

    def reader(self) -> apsw.Connection:
        """The one connection."""
        return self._connection

    writer = reader

    @contextmanager
    def transaction(self) -> Iterator[apsw.Connection]:
        """All of it or nothing."""
        with immediate(self._connection):
            yield self._connection

    def close(self) -> None:
        """Let go of the memory."""
        self._connection.close()


def create(connection: apsw.Connection, partitions: int) -> None:
    """All tables of the projections, in the caller's transaction."""
    for statement in _TABLES:
        connection.execute(statement)
    memories.create(connection)
    lexical.create(connection)
    connection.execute("insert into meta values('format', ?)", (FORMAT,))
    connection.executemany("insert into position values(?, -1, null)", [(p,) for p in range(partitions)])


def advance(connection: apsw.Connection, partition: int, position: int, record_hash: bytes) -> None:
    """Move a partition's position, in the transaction that holds the rows. record_hash: of the record there."""
    connection.execute(
        "update position set position = ?, hash = ? where partition = ?", (position, record_hash, partition)
    )


def _unlink(path: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
