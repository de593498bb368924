"""The projector: the loop that reads the log and folds it into the projection. A rebuild is the same loop.

A page of records is one transaction with its position. What fails on an accepted event parks its stream: later
events of the stream wait there, other streams go on. A damaged log or a missing key stops the projector instead.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence

import apsw

from eunoe.processors.projection.fold import Fetch, Fold
from eunoe.processors.projection.rows import Rows
from eunoe.processors.topology import PROJECTION
from eunoe.stores.contracts import Lexical
from eunoe.stores.projections import Projections, advance
from eunoe.streams.errors import EunoeError, LogTruncated
from eunoe.streams.events import AnyEvent, Decision, Forget
from eunoe.streams.log import Log, Opened
from eunoe.streams.places import Place, number_of, place_of
from eunoe.streams.sqlite_files import rows

PAGE = 500
_REMEMBERED = 5000
STEP = PROJECTION.name

_log = logging.getLogger("eunoe.projection")


class Projector:
    """Folds one log into one projection file. The caller holds the projector's lease."""

    def __init__(
        self,
        log: Log,
        projections: Projections,
        lexical: Callable[[apsw.Connection], Lexical],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._log, self._projections, self._lexical, self._clock = log, projections, lexical, clock
        self._lately: dict[int, AnyEvent] = {}

    def page(self) -> int:
        """Apply the next page of the partition that is furthest behind; how many records it had."""
        heads = [self._log.head(partition) for partition in range(self._log.partitions)]
        positions = self._projections.positions(self._projections.writer())
        for partition, (position, head) in enumerate(zip(positions, heads, strict=True)):
            if position > head:
                raise LogTruncated("the log is shorter than what was already read from it", partition, head)
        check_same_log(self._log, positions, self._projections.hashes(self._projections.writer()))
        partition = max(range(len(heads)), key=lambda p: heads[p] - positions[p])
        if heads[partition] == positions[partition]:
            self._go_on()
            return 0
        records = self._log.read(partition, positions[partition], PAGE)
        page = self._log.open(records)
        self._apply(partition, page)
        self._go_on()
        return len(records)

    def _apply(self, partition: int, page: Sequence[Opened]) -> None:
        try:
            self._fold(partition, page)
        except EunoeError:
            raise
        except apsw.Error:
            raise
        except Exception:
            _log.warning("a page of partition %d failed; applying it event by event", partition)
            for opened in page:
                self._one(partition, opened)

    def _one(self, partition: int, opened: Opened) -> None:
        try:
            self._fold(partition, [opened])
        except (EunoeError, apsw.Error):
            raise
        except Exception as error:
            self._park(opened, error)

    def _fold(self, partition: int, page: Sequence[Opened]) -> None:
        with self._projections.transaction() as connection:
            waiting = {row[0] for row in rows(connection, "select scope from parked where step = ?", (STEP,))}
            fold = self._new_fold(connection)
            for opened in page:
                self._pass_over(connection, opened)
                if opened.event is not None and opened.event.scope not in waiting:
                    fold.take(opened)
            fold.finish()
            last = page[-1].record
            advance(connection, partition, last.position, last.hash)

    def _new_fold(self, connection: apsw.Connection) -> Fold:
        return new_fold(self._log, connection, self._lexical(connection), self._get)

    def _get(self, numbers: Sequence[int]) -> dict[int, AnyEvent]:
        """Earlier events, the latest ones from memory: groups that grow ask for theirs again and again."""
        found = {number: self._lately[number] for number in numbers if number in self._lately}
        fresh = fetch(self._log, [number for number in numbers if number not in found])
        self._lately.update(fresh)
        while len(self._lately) > _REMEMBERED:
            del self._lately[next(iter(self._lately))]
        return found | fresh

    def forget_lately(self) -> None:
        """Keep no event in memory: the lease goes, or something was forgotten."""
        self._lately.clear()

    # -- parking ----------------------------------------------------------------------------------

    def _park(self, opened: Opened, error: Exception) -> None:
        record = opened.record
        _log.error("partition %d position %d parked: %s", record.partition, record.position, type(error).__name__)
        with self._projections.transaction() as connection:
            self._note_parked(connection, opened, error)
            advance(connection, record.partition, record.position, record.hash)

    def _note_parked(self, connection: apsw.Connection, opened: Opened, error: Exception) -> None:
        event, record = opened.event, opened.record
        assert event is not None
        connection.execute(
            "insert or replace into parked values(?, ?, ?, ?, ?, ?, 1, ?)",
            (STEP, event.scope, event.id, record.partition, record.position, reason(error), int(self._clock())),
        )

    def retry(self, scope: str, partition: int, position: int) -> None:
        """Apply a parked stream from the event that parked it on. Raises what it fails with, and leaves it parked."""
        with self._projections.transaction() as connection:
            self._unpark(connection, scope)
            fold = self._new_fold(connection)
            for opened in self._waiting(scope, partition, position - 1):
                fold.take(opened)
            fold.finish()

    def _pass_over(self, connection: apsw.Connection, opened: Opened) -> None:
        """Mark the dead letters that a person dropped, or whose event was forgotten: their streams are to go on.

        No attempts is the mark. It is set with the position of the event that says so, so that no kill loses it.
        """
        match opened.event:
            case Decision(choice="drop") as event if event.target.startswith(f"{STEP}:"):
                connection.execute(
                    "update parked set attempts = 0 where step = ? and scope = ? and event = ?",
                    (STEP, event.scope, event.target.removeprefix(f"{STEP}:")),
                )
            case Forget():
                connection.executemany(
                    "update parked set attempts = 0 where step = ? and partition = ? and position = ?",
                    [(STEP, *p) for p in self._log.erased_by(opened.record.partition, opened.record.position)],
                )
            case _:
                pass

    def _go_on(self) -> None:
        """Apply what waits in streams whose dead letter is passed over, one event a transaction."""
        marked = "select scope, partition, position from parked where step = ? and attempts = 0 limit 1"
        while found := rows(self._projections.writer(), marked, (STEP,)):
            scope, partition, position = found[0]
            if all(self._passed(scope, opened) for opened in self._waiting(scope, partition, position)):
                with self._projections.transaction() as connection:
                    self._unpark(connection, scope)

    def _passed(self, scope: str, opened: Opened) -> bool:
        """Apply one waiting event and move the dead letter behind it; park the stream there where it fails."""
        try:
            with self._projections.transaction() as connection:
                fold = self._new_fold(connection)
                fold.take(opened)
                fold.finish()
                connection.execute(
                    "update parked set position = ? where step = ? and scope = ?", (opened.record.position, STEP, scope)
                )
            return True
        except (EunoeError, apsw.Error):
            raise
        except Exception as error:
            later = list(self._waiting(scope, opened.record.partition, opened.record.position))
            with self._projections.transaction() as connection:
                self._unpark(connection, scope)
                self._note_parked(connection, opened, error)
                for one in later:  # it may have been dropped already, further on in the stream
                    self._pass_over(connection, one)
            return False

    def _unpark(self, connection: apsw.Connection, scope: str) -> None:
        connection.execute("delete from parked where step = ? and scope = ?", (STEP, scope))

    def _waiting(self, scope: str, partition: int, after: int) -> Iterator[Opened]:
        """Events of a stream behind a position, as far as the projection stands."""
        until = self._projections.positions(self._projections.writer())[partition]
        while after < until and (records := self._log.read(partition, after, PAGE)):
            for opened in self._log.open([r for r in records if r.position <= until]):
                if opened.event is not None and opened.event.scope == scope:
                    yield opened
            after = records[-1].position


def check_same_log(log: Log, positions: Sequence[int], hashes: Sequence[bytes | None]) -> None:
    """Raise LogTruncated where the log holds another record than the one that was applied at a position."""
    for partition, (position, held) in enumerate(zip(positions, hashes, strict=True)):
        records = log.read(partition, position - 1, 1) if position >= 0 else []
        if position >= 0 and (not records or records[0].hash != held):
            raise LogTruncated("this is not the log that was read before: it was put back or cut", partition, position)


def reason(error: Exception) -> str:
    """What a dead letter says of an error: its kind, and its words only where they are ours."""
    return f"{type(error).__name__}: {error}" if isinstance(error, EunoeError) else type(error).__name__


def new_fold(log: Log, connection: apsw.Connection, lexical: Lexical, get: Fetch | None = None) -> Fold:
    """A fold of events of a log into a projection's transaction. get: how it reads earlier events."""

    def erased(number: int) -> list[int]:
        return [number_of(place) for place in log.erased_by(*place_of(number))]

    return Fold(Rows(connection, lexical), get or (lambda numbers: fetch(log, numbers)), erased)


def fetch(log: Log, numbers: Sequence[int]) -> dict[int, AnyEvent]:
    """Events at numbered places of a log; dropped ones are left out. Neighbours are read together."""
    found: dict[int, AnyEvent] = {}
    for partition, first, last in _runs([place_of(number) for number in numbers]):
        for opened in log.open(log.read(partition, first - 1, last - first + 1)):
            if opened.event is not None:
                found[number_of((partition, opened.record.position))] = opened.event
    return {number: found[number] for number in numbers if number in found}


def _runs(places: Sequence[Place], gap: int = 8, longest: int = 2000) -> list[tuple[int, int, int]]:
    """(partition, first, last) ranges that cover the places, joined where they lie close."""
    runs: list[tuple[int, int, int]] = []
    for partition, position in sorted(set(places)):
        if runs and runs[-1][0] == partition and position - runs[-1][2] <= gap and position - runs[-1][1] < longest:
            runs[-1] = (partition, runs[-1][1], position)
        else:
            runs.append((partition, position, position))
    return runs
