"""The fold of one page of events into the projection, inside one transaction.

Interactions make turns, turns make units, a unit's result makes items, items settle into memories by group.
A result whose unit is no turn's unit any more is inert. Nothing here calls an extractor, a model or a clock.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import cast

import msgspec

from eunoe.processors.projection.corrections import Corrections
from eunoe.processors.projection.results import (
    Group,
    alias_inert,
    drop_items,
    give_items,
    member,
    settle_group,
)
from eunoe.processors.projection.rows import Place, Rows, TurnRow
from eunoe.processors.projection.windows import changed_turns
from eunoe.stores.memories import DROPPED, PARKED, PENDING
from eunoe.streams.events import AnyEvent, Correction, Decision, Dropped, Interaction, Result, Settings
from eunoe.streams.log import Opened
from eunoe.streams.sqlite_files import rows
from eunoe.streams.times import key_of

Fetch = Callable[[Sequence[tuple[int, int]]], list[AnyEvent]]
"""Events at (partition, position) places of the log, in the order asked."""


class Fold:
    """Takes a page of opened records; `finish` brings turns, units, items and memories up to date."""

    def __init__(self, target: Rows, fetch: Fetch) -> None:
        self._rows, self._fetch, self._db = target, fetch, target.connection
        self._corrections = Corrections(target.connection)
        self._new: dict[int, list[Place]] = defaultdict(list)
        self._turns: list[tuple[int, int, int, str, int, int, int]] = []
        self._seen: dict[tuple[int, int], AnyEvent] = {}
        self._results: dict[bytes, Result] = {}
        self._places: list[tuple[bytes, int, int]] = []
        self._groups: set[Group] = set()
        self._retold: set[int] = set()
        self._decisions: list[Decision] = []
        self._paths: dict[int, str] = {}
        self._scope_of: dict[int, int] = {}

    def take(self, opened: Opened) -> None:
        """One event of the page, in the log's order."""
        event, place = opened.event, (opened.record.partition, opened.record.position)
        match event:
            case Interaction():
                self._seen[place] = event
                self._interaction(event, place)
            case Result():
                unit = bytes.fromhex(event.unit)
                self._results.setdefault(unit, event)
                self._places.append((unit, *place))
                self._scope(event.scope)
            case Correction():
                groups, turns = self._corrections.take(self._scope(event.scope), event)
                self._groups |= groups
                self._retold |= turns
            case Decision():
                self._decisions.append(event)
            case Dropped():
                scope = self._scope(event.scope)
                self._db.execute("insert or ignore into dropped values(?, ?, ?)", (scope, event.session, event.target))
            case Settings():
                values = [(name, msgspec.json.encode(value).decode()) for name, value in event.values.items()]
                self._db.executemany("insert or replace into setting values(?, ?)", values)
            case _:
                pass  # the log's own records, cuts, blocks and notes have no rows here

    def finish(self) -> None:
        """Bring everything that the page touched up to date."""
        self._rows.add_turns(self._turns)
        self._db.executemany("insert or ignore into result values(?, ?, ?)", self._places)
        changed = [turn for session, places in self._new.items() for turn in self._units(session, places)]
        known = {turn.number for turn in changed}
        self._tell(changed + self._anchors(known) + self._turns_of(self._retold - known))
        for scope, group in sorted(self._groups):
            settle_group(self._rows, scope, self._paths[scope], group, self._corrections.of(scope))
        for decision in self._decisions:
            self._decide(decision)

    # -- events -----------------------------------------------------------------------------------

    def _scope(self, path: str) -> int:
        number = self._rows.scope(path)
        self._paths[number] = path
        return number

    def _interaction(self, event: Interaction, place: tuple[int, int]) -> None:
        scope = self._scope(event.scope)
        session = self._rows.session(scope, event.session)
        self._scope_of[session] = scope
        order = -1 if event.order is None else event.order
        where: Place = (key_of(event.at), order, event.id, event.chunk)
        self._turns.append((session, *where, *place))
        self._new[session].append(where)

    def _decide(self, event: Decision) -> None:
        """A dead letter of extraction that a person dropped leaves its turn without a result."""
        step, _, name = event.target.partition(":")
        if event.choice != "drop" or step != "extraction":
            return
        self._db.execute("delete from parked where step = ? and scope = ? and event = ?", (step, event.scope, name))
        self._db.execute(
            "update turn set state = ? where state in (?, ?) and event = ? and session in"
            " (select number from session where scope = ?)",
            (DROPPED, PENDING, PARKED, name, self._scope(event.scope)),
        )

    # -- units and results ------------------------------------------------------------------------

    def _units(self, session: int, new: list[Place]) -> list[TurnRow]:
        changed = changed_turns(self._rows, self._paths[self._scope_of[session]], session, new)
        self._db.executemany(
            "update turn set unit = ?, state = ? where number = ?", [(t.unit, PENDING, t.number) for t in changed]
        )
        return changed

    def _anchors(self, known: set[int]) -> list[TurnRow]:
        """Turns that had their unit before this page and whose result came with it."""
        found = []
        for unit, result in self._results.items():
            event, chunk = member(result.members[-1])
            turns = self._rows.turns("event = ? and chunk = ? and unit = ?", (event, chunk, unit))
            found += [turn for turn in turns if turn.number not in known]
            if not turns:
                alias_inert(self._rows, self._rows.scope(result.scope), result)
        return found

    def _turns_of(self, numbers: Iterable[int]) -> list[TurnRow]:
        return [turn for number in sorted(numbers) for turn in self._rows.turns("number = ?", (number,))]

    def _tell(self, turns: list[TurnRow]) -> None:
        """Give each turn the items of its unit's result, or none while there is no such result."""
        results = self._results_of(turns)
        places = [(t.partition, t.position) for t in turns if (t.partition, t.position) not in self._seen]
        self._seen.update(zip(places, self._fetch(places), strict=True))
        for turn in turns:
            anchor = cast(Interaction, self._seen[turn.partition, turn.position])
            scope, result = self._scope(anchor.scope), results.get(cast(bytes, turn.unit))
            self._groups |= drop_items(self._rows, scope, turn)
            if result is None:
                self._rows.replace(scope, None, turn.number, [])
            else:
                corrections = self._corrections.of(scope)
                self._groups |= give_items(self._rows, scope, turn, anchor, result, corrections)

    def _results_of(self, turns: list[TurnRow]) -> dict[bytes, Result]:
        """Results by unit: this page's, and what stands in the log for the others."""
        found, missing = dict(self._results), {}
        for turn in turns:
            unit = cast(bytes, turn.unit)
            if unit not in found:
                for place in rows(self._db, "select partition, position from result where unit = ?", (unit,)):
                    missing[unit] = place
        events = self._fetch(list(missing.values()))
        found.update(zip(missing, cast(list[Result], events), strict=True))
        return found
