"""A home: one directory with the log, the projections, the books and, unless it lies elsewhere, the master key."""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import apsw
from filelock import FileLock

from eunoe.gateway import takeover
from eunoe.infra.settings import Settings as Configuration
from eunoe.processors.embedded import Embedded
from eunoe.processors.extracting import Extractor
from eunoe.processors.forgetting.heads import Publisher
from eunoe.stores.books.bills import Bills
from eunoe.stores.books.database import Database
from eunoe.stores.books.keyring import BooksKeyring, recovered
from eunoe.stores.books.master import KeyCommand, KeyFile, KeyValue, MasterKeySource
from eunoe.stores.books.receipts import Receipts
from eunoe.stores.lexical import SqliteLexical
from eunoe.stores.projections import FORMAT, Projections
from eunoe.streams.errors import BadInput, EunoeError, KeyringLost, LogDamaged, LogError, WaitTimeout
from eunoe.streams.events import Settings
from eunoe.streams.local_log import LocalLog
from eunoe.streams.log import entry

LOG, BOOKS, PROJECTIONS, MASTER = takeover.LOG, takeover.BOOKS, takeover.PROJECTIONS, "master.key"
LEASE = "projector.lock"
PROOF = ".proof"
SETTINGS_SCOPE = "."
"""Scope of the home's own events. No interaction can have it: a segment of dots is refused."""


class Home:
    """Everything that stands behind one directory, opened in the order in which it depends on itself."""

    def __init__(self, path: Path, settings: Configuration, extractor: Extractor, clock: Callable[[], float]) -> None:
        self.path, self.settings, self.clock, self.extractor = path, settings, clock, extractor
        self.source = master_key_source(path, settings)
        opened: list[Callable[[], None]] = []
        try:
            self._make_directory()
            with self.lock():
                self._finish_restore()
                fresh = not (path / LOG).exists()
                if not fresh and not (path / BOOKS).exists():
                    raise KeyringLost(f"{path / BOOKS} is missing: restore it from a backup; the log needs its keys")
                self.database = Database(path / BOOKS)
                opened.append(self.database.close)
                if isinstance(self.source, KeyFile):
                    recovered(self.database, self.source)
                self.keyring = BooksKeyring(self.database, self.source, fresh=fresh)
                if fresh and self.keyring.counts()["streams"] > 1:
                    raise LogError(
                        f"{path / LOG} is missing, and the keyring has keys for it: restore it from a backup"
                    )
                self.bills = Bills(self.database, self.keyring.purpose("uses"), clock)
                self.receipts = Receipts(self.database)
                self.log = LocalLog(path / LOG, self.keyring, partitions=settings.partitions, clock=clock)
                opened.append(self.log.close)
                self.heads = self._publisher()
                if self.log.find(SETTINGS_SCOPE, "init") is None:
                    self.log.append([entry(self._first_settings(extractor))])
                self.projections = self._opened_projections()
                opened.append(self.projections.close)
            self.runtime = Embedded(self.log, self.projections, lexical_index, extractor, path / LEASE)
            with suppress(WaitTimeout), self.runtime.lease(0):
                self.projections.put_away()
                shutil.rmtree(path / PROOF, ignore_errors=True)  # a home beside this one, left by a killed proof
        except BaseException:
            for close in reversed(opened):
                close()
            raise

    def _finish_restore(self) -> None:
        """What a kill left of a restore is finished or taken away by whoever opens the home next."""
        if (self.path / takeover.READY).exists():
            with FileLock(self.path / LEASE):
                takeover.finished(self.path)
        takeover.swept(self.path)

    def _publisher(self) -> Publisher:
        said = self.settings
        return Publisher(
            self.log, self.keyring, self.now,
            home=self.path, file=said.heads_file, command=said.heads_command, every=said.heads_every,
        )  # fmt: skip

    def now(self) -> str:
        """The time as RFC 3339, in UTC."""
        return time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(self.clock()))

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Held while the home is opened, and while its master key changes. Raises LogError."""
        lock = FileLock(self.path / "home.lock")
        try:
            lock.acquire()
        except OSError as error:
            raise LogError(f"{self.path / 'home.lock'} can't be opened ({error.strerror})") from None
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def copying(self) -> Iterator[None]:
        """Held while the log is copied and while something is forgotten: bytes go at once where nobody reads them."""
        with FileLock(self.path / "backup.lock"):
            yield

    def _make_directory(self) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        except (FileExistsError, NotADirectoryError):
            raise BadInput(f"{self.path} is a file; give a directory") from None
        except OSError as error:
            raise LogError(f"{self.path} can't be made or opened ({error.strerror})") from None

    def _first_settings(self, extractor: Extractor) -> Settings:
        """What the log means in this home, said once, by the home itself."""
        values = {"extractor": extractor.version, "context_turns": 3, "policy": "default", "generation": 1}
        return Settings(
            scope=SETTINGS_SCOPE, id="init", subjects=(SETTINGS_SCOPE,), at=self.now(), actor="init", values=values
        )

    def _opened_projections(self) -> Projections:
        """The projections; of another format they are left aside, and grow anew from the log."""
        link = self.path / PROJECTIONS
        projections = Projections(link, self.log.partitions)
        with suppress(LogDamaged, apsw.Error):  # a damaged one is no loss: the log gives it back
            if projections.format() == FORMAT:
                return projections
        with suppress(EunoeError, apsw.Error):
            projections.close()
        link.unlink()
        return Projections(link, self.log.partitions)

    def size(self) -> dict[str, int]:
        """Bytes on disk by part, write-ahead files included."""
        parts = {"log": LOG, "keyring": BOOKS, "projections": "projections-"}
        return {
            name: sum(f.stat().st_size for f in self.path.iterdir() if f.name.startswith(prefix) and not f.is_symlink())
            for name, prefix in parts.items()
        }

    def close(self) -> None:
        """Finish the batch in work and close all files."""
        with ExitStack() as closing:  # the last named first, and all of them whatever one raises
            for close in (self.database.close, self.log.close, self.projections.close):
                closing.callback(close)
            for close in (self.bills.flush, self.heads.close, self.runtime.stop):
                closing.callback(close)


def lexical_index(connection: apsw.Connection) -> SqliteLexical:
    """The lexical index of a projection file."""
    return SqliteLexical(connection)


def master_key_source(path: Path, settings: Configuration) -> MasterKeySource:
    """Where this home's master key comes from: value, command or file, as the settings say."""
    if settings.master_key is not None:
        return KeyValue(settings.master_key.get_secret_value())
    if settings.master_key_command is not None:
        return KeyCommand(settings.master_key_command)
    return KeyFile(settings.master_key_file or path / MASTER)


def exists(path: Path) -> bool:
    """Whether a home stands there."""
    return (path / LOG).exists()
