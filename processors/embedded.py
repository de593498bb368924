"""The embedded runtime: the same steps, driven in this process by whoever holds the projector's lease.

The log is the queue: an append is durable when it returns, and its projection may lag. One thread of one process
works at a time, in small transactions, so that a kill at any point leaves what the next one goes on from.
"""

import logging
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw
import msgspec
from filelock import FileLock, Timeout

from eunoe.processors.extracting import LACKING, Extraction, Extractor
from eunoe.processors.projection.projector import Projector, reason
from eunoe.stores.contracts import Lexical
from eunoe.stores.projections import Projections
from eunoe.streams.errors import LogError, WaitTimeout
from eunoe.streams.log import Log, entry
from eunoe.streams.sqlite_files import rows

_IDLE_SECONDS = 0.5
_LEASE_SECONDS = 0.05
_PAUSE_SECONDS = 0.005

_log = logging.getLogger("eunoe.runtime")


class Parking(msgspec.Struct, frozen=True):
    """What is parked: the step that failed, on which event, since when, and why."""

    step: str
    scope: str
    event: str
    partition: int
    position: int
    reason: str
    attempts: int
    at: int


class Embedded:
    """Runs projection and extraction until nothing is left. Safe from any thread."""

    def __init__(
        self,
        log: Log,
        projections: Projections,
        lexical: Callable[[apsw.Connection], Lexical],
        extractor: Extractor,
        lease: Path,
    ) -> None:
        self.log, self.projections, self._extractor = log, projections, extractor
        self.projector = Projector(log, projections, lexical)
        self._extraction = Extraction(log, projections, extractor)
        self._lock, self._file = threading.RLock(), FileLock(lease, thread_local=False)
        self._stopping, self._paused = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._failure: Exception | None = None

    # -- the lease and the work -------------------------------------------------------------------

    @contextmanager
    def lease(self, timeout: float = -1) -> Iterator[None]:
        """Be the one projector of this home. Raises WaitTimeout when another holds it for `timeout` seconds."""
        if not self._lock.acquire(timeout=timeout):
            raise WaitTimeout("another thread is projecting")
        try:
            try:
                self._file.acquire(timeout=timeout)
            except Timeout:
                raise WaitTimeout("another process is projecting this home") from None
            except OSError as error:
                raise LogError(f"the projector's lock can't be opened ({error.strerror})") from None
            try:
                yield
            finally:
                self.projector.forget_lately()
                self._file.release()
        finally:
            self._lock.release()

    def work(self, *, extract: bool = True, deadline: float = math.inf) -> int:
        """Under the lease: project and extract until nothing is left, a stop is asked, or it is late; how many records.

        deadline: on the monotonic clock, in seconds.
        """
        done = 0
        until = [self.log.head(partition) for partition in range(self.log.partitions)]
        while not self._stopping.is_set() and time.monotonic() <= deadline:
            count = self.projector.page()
            done += count
            # results may stand in the log behind their turns: first catch up, then extract what has none
            if count and self._behind(until):
                continue
            results = self._extraction.results() if extract else []
            if results:
                self.log.append([entry(result) for result in results])
            elif not count:
                break
        return done

    def catch_up(self) -> None:
        """Under the lease: project and extract what stands in the log now, however much comes in meanwhile."""
        self._apply()
        left = self.pending()
        while left > 0 and not self._stopping.is_set() and (results := self._extraction.results()):
            self.log.append([entry(result) for result in results])
            self._apply()
            left -= len(results)

    def _apply(self) -> None:
        until = [self.log.head(partition) for partition in range(self.log.partitions)]
        while self._behind(until) and not self._stopping.is_set() and self.projector.page():
            pass

    def _behind(self, until: list[int]) -> bool:
        positions = self.projections.positions(self.projections.writer())
        return any(have < want for have, want in zip(positions, until, strict=True))

    def settle(self, timeout: float | None = None) -> list[Parking]:
        """Until all that was recorded can be recalled; what is parked. Raises WaitTimeout, and what stops a log."""
        deadline = math.inf if timeout is None else time.monotonic() + timeout
        while not self.settled():
            if time.monotonic() > deadline:
                raise WaitTimeout(f"not settled after {timeout} s; `eunoe status` shows which step waits")
            done = 0
            with suppress(WaitTimeout), self.lease(_LEASE_SECONDS):
                done = self.work(deadline=deadline)
            if not done:
                time.sleep(_PAUSE_SECONDS)
        return self.parked()

    def settled(self) -> bool:
        """Whether every record is applied and every unit has its result, but for what is parked."""
        positions = self.projections.positions()
        heads = [self.log.head(partition) for partition in range(self.log.partitions)]
        return positions == heads and self.pending() == 0

    def pending(self) -> int:
        """Units without a result."""
        return int(rows(self.projections.reader(), f"select count(*) from turn where {LACKING}")[0][0])

    def parked(self) -> list[Parking]:
        """All dead letters, oldest first."""
        found = rows(self.projections.reader(), "select * from parked order by at, step, scope, event")
        return [Parking(*row) for row in found]

    # -- the background thread --------------------------------------------------------------------

    def start(self) -> None:
        """Work in the background until `stop`. Starting twice does nothing."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop, name="eunoe-embedded", daemon=True)
            self._thread.start()

    def _loop(self) -> None:
        while not self._stopping.is_set():
            if not self._paused.is_set():
                self._turn()
            try:
                self._wait()
            except Exception as error:
                self._note_failure(error)

    def _turn(self) -> None:
        """One stretch of work. A failure is kept for `status`, and tried again: it may pass, as a full disk does."""
        try:
            with self.lease(_LEASE_SECONDS):
                self.catch_up()  # and then let others have the lease, also while more comes in
            self._failure = None
        except WaitTimeout:
            pass
        except Exception as error:
            self._note_failure(error)

    def _note_failure(self, error: Exception) -> None:
        if type(error) is not type(self._failure):
            _log.error("projecting in the background failed: %s", type(error).__name__)
        self._failure = error
        self._stopping.wait(_IDLE_SECONDS)

    @property
    def failure(self) -> str | None:
        """Why projecting in the background fails now, if it does."""
        return None if self._failure is None else reason(self._failure)

    def _wait(self) -> None:
        """Until there is something to do, or a moment has passed."""
        if self._paused.is_set():
            self._stopping.wait(_IDLE_SECONDS / 10)
        elif self.settled():
            self.log.wait(self.projections.positions(), _IDLE_SECONDS)
        else:
            self._stopping.wait(_LEASE_SECONDS)

    def pause(self) -> None:
        """Let recording go on without projecting; what is in work is finished first."""
        self._paused.set()
        with self._lock:
            pass

    def resume(self) -> None:
        """Project again in the background."""
        self._paused.clear()

    def stop(self) -> None:
        """Finish the batch in work and end the thread."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._stopping.clear()
