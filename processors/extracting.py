"""The extraction step: units whose result is not there yet, each made into one result event.

The step sees only the unit. A unit that fails parks by itself; its turn keeps its place and others go on.
"""

import logging
import time
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Protocol

import msgspec

from eunoe.processors.projection.projector import fetch, reason
from eunoe.processors.projection.results import member_name
from eunoe.processors.projection.rows import Place
from eunoe.processors.topology import EXTRACTION
from eunoe.processors.units import CONTEXT_TURNS, Unit, rule_unit
from eunoe.stores.memories import PARKED
from eunoe.stores.projections import Projections
from eunoe.streams.events import Interaction, Item, Result
from eunoe.streams.log import Log
from eunoe.streams.places import place_of
from eunoe.streams.sqlite_files import rows

STEP = EXTRACTION.name
BATCH = 256
LACKING = (
    "state = 1 and session not in (select s.number from session s join scope c on c.number = s.scope"
    " join parked p on p.scope = c.path where p.step = 'projection')"
)
"""Turns without a result whose stream goes on: of a parked one, results would wait behind what parked it."""

_log = logging.getLogger("eunoe.extraction")


class Extracted(Protocol):
    """What an extractor gives for a unit."""

    @property
    def items(self) -> tuple[Item, ...]:
        """Facts, skills and the episode."""

    @property
    def reason(self) -> str | None:
        """Why there is no fact or skill."""


Extract = Callable[[Unit], Extracted]


class Extractor(msgspec.Struct, frozen=True):
    """A way of making results: its function, and the system and version that results name."""

    extract: Extract
    version: str
    system: str = "eunoe"
    generation: int = 1

    def handle(self, unit: Unit) -> Result:
        """The result of a unit: pure, and the same id for the same unit, system and generation."""
        found, anchor = self.extract(unit), unit.anchor
        name = blake2b(digest_size=16, person=b"eunoe.result")
        for part in (unit.id, self.system, str(self.generation), ""):
            name.update(part.encode() + b"\x00")
        return Result(
            scope=anchor.scope,
            id=f"result-{name.hexdigest()}",
            subjects=tuple(dict.fromkeys(subject for member in unit.members for subject in member.subjects)),
            unit=unit.id,
            members=tuple(member_name(member.id, member.chunk) for member in unit.members),
            system=self.system,
            version=self.version,
            generation=self.generation,
            items=found.items,
            reason=found.reason,
        )


class Extraction:
    """Takes pending turns from the projection and gives their results."""

    def __init__(self, log: Log, projections: Projections, extractor: Extractor) -> None:
        self._log, self._projections, self._extractor = log, projections, extractor

    def results(self, limit: int = BATCH) -> list[Result]:
        """Results of up to `limit` pending units. Failing ones are parked on the way."""
        made = []
        for turn, unit in self._pending(limit):
            try:
                made.append(self._extractor.handle(unit))
            except Exception as error:  # whatever an extractor raises is the unit's fault, and parks it alone
                self._park(turn, unit.anchor, error)
        return made

    def _pending(self, limit: int) -> list[tuple[int, Unit]]:
        connection = self._projections.writer()
        turns = rows(
            connection,
            f"select number, session, key, ord, event, chunk from turn where {LACKING} order by number limit ?",
            (limit,),
        )
        windows = [[*self._before(row[1], row[2:6]), row[0]] for row in turns]
        events = self._interactions([number for window in windows for number in window])
        return [
            (row[0], rule_unit([events[number] for number in window]))
            for row, window in zip(turns, windows, strict=True)
            if all(number in events for number in window)  # else its members are being forgotten
        ]

    def _before(self, session: int, place: Place) -> list[int]:
        """Numbers of the turns before one, in order."""
        found = rows(
            self._projections.writer(),
            "select number from turn where session = ? and (key, ord, event, chunk) < (?, ?, ?, ?)"
            f" order by key desc, ord desc, event desc, chunk desc limit {CONTEXT_TURNS}",
            (session, *place),
        )
        return [row[0] for row in reversed(found)]

    def _interactions(self, numbers: Sequence[int]) -> dict[int, Interaction]:
        found = fetch(self._log, sorted(set(numbers)))
        return {number: event for number, event in found.items() if isinstance(event, Interaction)}

    def _park(self, turn: int, anchor: Interaction, error: Exception) -> None:
        _log.error("a unit was parked: %s", type(error).__name__)
        with self._projections.transaction() as connection:
            connection.execute("update turn set state = ? where number = ?", (PARKED, turn))
            connection.execute(
                "insert into parked values(?, ?, ?, ?, ?, ?, 1, ?) on conflict do update set"
                " attempts = attempts + 1, reason = excluded.reason",
                (STEP, anchor.scope, anchor.id, *place_of(turn), reason(error), int(time.time())),
            )
