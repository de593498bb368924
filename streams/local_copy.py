"""Copies of the log's file while it is in use: what it held at one moment, by SQLite's own backup."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from eunoe.streams.sqlite_files import connect, folded, immediate, rows, translated

_PAGES = 2_000
Progress = Callable[[float], None]
"""Called with the share done, 0 to 1."""


@contextmanager
def held_still(path: Path, meanwhile: Callable[[], None]) -> Iterator[apsw.Connection]:
    """A connection that goes on seeing the file as it was at one moment, however long it reads.

    meanwhile: called at that moment, when nobody can append.
    """
    with translated(path.name):
        lock, source = connect(path, create=False), connect(path, read_only=True, create=False)
        try:
            with immediate(lock):
                source.execute("begin")
                rows(source, "select count(*) from meta")  # a transaction sees from its first read on
                meanwhile()
            lock.close()
            yield source
        finally:
            lock.close()
            source.close()


def copy(source: apsw.Connection, target: Path, progress: Progress = lambda share: None) -> None:
    """Write what a connection sees into a file, in one transaction; a file that others have open they go on with."""
    with translated(target.name):
        connection = connect(target)
        try:
            with connection.backup("main", source, "main") as backup:
                while not backup.done:
                    backup.step(_PAGES)
                    progress(1 - backup.remaining / max(1, backup.page_count))
            folded(connection)
        finally:
            connection.close()


def copy_file(path: Path, target: Path) -> None:
    """`copy`, from a file that nobody else uses."""
    with translated(path.name):
        source = connect(path, create=False)
        try:
            copy(source, target)
        finally:
            source.close()
