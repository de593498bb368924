"""The books' database: its engine, its transactions, its migrations."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DatabaseError, OperationalError

from eunoe.streams.errors import HomeNewer, KeyringError, StorageFull

HEAD = "0001"
_BUSY_SECONDS = 60


class Database:
    """A SQLite file through SQLAlchemy: `write()` for transactions, `read()` for single reads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": _BUSY_SECONDS})
        _listen(self._engine)
        try:
            self._migrate()
        except BaseException:
            self._engine.dispose()
            raise

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that holds the write lock from its start; committed at the end, undone on error."""
        with self._errors(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection without a transaction: each statement sees what is committed."""
        with (
            self._errors(),
            self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection,
        ):
            yield connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OperationalError as error:
            if "full" in str(error.orig):
                raise StorageFull(f"the disk is full: {self.path.name} could not grow. Nothing was written.") from None
            raise KeyringError(f"{self.path.name} can't be read or written ({error.orig})") from None
        except DatabaseError as error:
            raise KeyringError(f"{self.path.name} is damaged ({error.orig}); restore it from a backup") from None

    def _migrate(self) -> None:
        version = self._version()
        if version == HEAD:
            return
        if version is not None and version > HEAD:
            raise HomeNewer(f"{self.path.name} was migrated by a later release; upgrade Eunoe to open it")
        from alembic import command  # only a new or an old home pays for the import
        from alembic.config import Config

        config = Config()
        config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
        with self.write() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, HEAD)

    def _version(self) -> str | None:
        with self.read() as connection:
            if not connection.execute(text("select 1 from sqlite_master where name = 'alembic_version'")).first():
                return None
            row = connection.execute(text("select version_num from alembic_version")).first()
            return str(row[0]) if row else None

    def checkpoint(self) -> None:
        """Write the file anew and empty the write-ahead file, so that what was deleted lies nowhere.

        Deleting alone leaves copies that SQLite made when it moved rows between pages.
        """
        with self.read() as connection:
            connection.execute(text("vacuum"))
            connection.execute(text("pragma wal_checkpoint(truncate)")).all()

    def copy(self, path: Path) -> None:
        """What is committed now, as another file. Raises KeyringError, StorageFull."""
        copy_file(self.path, path)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def copy_file(source: Path, target: Path) -> None:
    """Write one SQLite file into another, in one transaction; who has that one open goes on with what it holds then."""
    try:
        with (
            closing(sqlite3.connect(source, timeout=_BUSY_SECONDS)) as given,
            closing(sqlite3.connect(target, timeout=_BUSY_SECONDS)) as taken,
        ):
            taken.execute("pragma secure_delete=on").fetchall()
            given.backup(taken)
            taken.execute("pragma wal_checkpoint(truncate)").fetchall()
    except sqlite3.OperationalError as error:
        if "full" in str(error):
            raise StorageFull(f"the disk is full: {target.name} could not grow") from None
        raise KeyringError(f"{source.name} can't be copied ({error})") from None
    except sqlite3.DatabaseError as error:
        raise KeyringError(f"{source.name} is damaged ({error})") from None


def _listen(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _: Any) -> None:
        connection.isolation_level = None  # we say when a transaction begins
        for pragma in ("journal_mode=wal", "synchronous=full", "secure_delete=on", "foreign_keys=on"):
            connection.execute(f"pragma {pragma}").fetchall()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if connection.get_execution_options().get("isolation_level") != "AUTOCOMMIT":
            connection.exec_driver_sql("begin immediate")
