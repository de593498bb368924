"""How a restored home takes the place of what stood in its directory: all of it or nothing.

The new files lie complete in a folder of the home; its renaming decides. From then on they are copied into place,
again by whoever opens the home next where a kill came between. They are copied into the files that stand there, not
put in their stead: other processes that have these open go on with the new content, and SQLite deletes the write-ahead
file of a name when the last one closes it, whatever file has that name by then.
"""

import shutil
from pathlib import Path

from eunoe.infra.settings import FILE as SETTINGS
from eunoe.stores.books.database import copy_file as copy_books
from eunoe.stores.projections import Projections
from eunoe.streams.local_copy import copy_file as copy_log
from eunoe.streams.local_log import RESTORING
from eunoe.streams.sqlite_files import connect, folded, rows, translated

READY = "restored"
LOG, BOOKS, PROJECTIONS = "log.db", "books.db", "projections.db"


def closed(log: Path) -> None:
    """Let nobody append to a prepared log until its keyring stands beside it."""
    _set(log, "insert or replace into meta values(?, 1)")


def finished(home: Path) -> bool:
    """Copy a complete restored home into place, if there is one; whether there was. The caller holds the home."""
    ready = home / READY
    if not ready.is_dir():
        return False
    copy_log(ready / LOG, home / LOG)
    copy_books(ready / BOOKS, home / BOOKS)
    if (home / PROJECTIONS).exists():
        _emptied(home)
    if (ready / SETTINGS).exists() and not (home / SETTINGS).exists():
        shutil.copyfile(ready / SETTINGS, home / SETTINGS)
    for file in (LOG, BOOKS):
        (home / file).chmod(0o600)
    done = home / f"restoring-{READY}"
    ready.rename(done)
    _set(home / LOG, "delete from meta where name = ?")
    shutil.rmtree(done, ignore_errors=True)
    return True


def swept(home: Path) -> None:
    """Take away what a killed restore left before it was complete, or after. The caller holds the home."""
    for folder in home.glob("restoring-*"):
        shutil.rmtree(folder, ignore_errors=True)


def _emptied(home: Path) -> None:
    """Projections that start anew, in a new file: what was made of another log is of no use."""
    with translated(LOG):
        log = connect(home / LOG, create=False)
        (partitions,) = rows(log, "select value from meta where name = 'partitions'")[0]
        log.close()
    projections = Projections(home / PROJECTIONS, partitions)
    with projections.rebuilt():
        pass
    projections.close()


def _set(log: Path, statement: str) -> None:
    with translated(log.name):
        connection = connect(log, create=False)
        connection.execute(statement, (RESTORING,))
        folded(connection)
        connection.close()
