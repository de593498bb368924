"""The fold of one page of events into the projection, inside one transaction.

Interactions make turns, turns make units, a unit's result makes items, items settle into memories by group.
A result whose unit is no turn's unit any more is inert. Nothing here calls an extractor, a model or a clock.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import cast

import msgspec

from eunoe.processors.projection.corrections import Corrections
from eunoe.processors.projection.purging import purge, sweep
from eunoe.processors.projection.results import (
    Group,
    drop_items,
    give_items,
    member,
    note_inert,
    settle_group,
    standing,
)
from eunoe.processors.projection.rows import Place, Rows, TurnRow
from eunoe.processors.projection.windows import changed_turns
from eunoe.stores.memories import DROPPED, PARKED, PENDING
from eunoe.streams.events import (
    Act,
    AnyEvent,
    Block,
    Correction,
    Cut,
    Decision,
    Dropped,
    Forget,
    Interaction,
    Note,
    Result,
    Settings,
)
from eunoe.streams.log import Opened
from eunoe.streams.places import number_of
from eunoe.streams.sqlite_files import rows
from eunoe.streams.times import key_of

Fetch = Callable[[Sequence[int]], dict[int, AnyEvent]]
"""Events at numbered places of the log; dropped ones are left out."""

Erased = Callable[[int], list[int]]
"""Numbers of the records that the forget request at this place dropped."""


class Fold:
    """Takes a page of opened records; `finish` brings turns, units, items and memories up to date."""

    def __init__(self, target: Rows, fetch: Fetch, erased: Erased) -> None:
        self._rows, self._fetch, self._erased, self._db = target, fetch, erased, target.connection
        self._corrections = Corrections(target.connection)
        self._new: dict[int, list[Place]] = defaultdict(list)
        self._turns: list[tuple[int, int, int, int, str, int]] = []
        self._seen: dict[int, AnyEvent] = {}
        self._results: dict[bytes, tuple[int, Result]] = {}
        self._groups: set[Group] = set()
        self._retold: set[int] = set()
        self._decisions: list[tuple[int, Decision]] = []
        self._gone: list[int] = []
        self._paths: dict[int, str] = {}

    def take(self, opened: Opened) -> None:
        """One event of the page, in the log's order."""
        event, number = opened.event, number_of((opened.record.partition, opened.record.position))
        match event:
            case Interaction():
                self._seen[number] = event
                self._interaction(event, number)
            case Result():
                self._results.setdefault(bytes.fromhex(event.unit), (number, event))
                self._scope(event.scope)
            case Correction():
                self._correct(event, number)
            case Decision():
                self._decisions.append((number, event))
                self._trace(number, event.scope, "", [event.target.partition(":")[2]])
            case Dropped():
                parent = event.target.rpartition("#")[0]  # a chunk is named `id#n`, and goes with its event
                scope = self._trace(number, event.scope, event.session, filter(None, (event.target, parent)))
                row = (number, scope, event.session, event.target)
                self._db.execute("insert or ignore into dropped values(?, ?, ?, ?)", row)
            case Cut() | Block() | Note():
                self._trace(number, event.scope, event.session, [""])
            case Act() if event.verb == "recall":
                self._trace(number, event.scope, event.session, [""])
            case Settings():
                values = [(name, msgspec.json.encode(value).decode()) for name, value in event.values.items()]
                self._db.executemany("insert or replace into setting values(?, ?)", values)
            case Forget():
                self._gone += self._erased(number)
                self._stones(event, number)
            case None:
                pass  # the log's own records, and what was dropped

    def finish(self) -> None:
        """Bring everything that the page touched up to date."""
        purged = purge(self._rows, self._gone)
        self._groups |= purged.groups
        for session, places in purged.sessions.items():
            self._new[session] += places
        for number, decision in self._decisions:
            self._decide(number, decision)
        self._rows.add_turns(self._turns)
        results = [(number, unit) for unit, (number, _) in self._results.items()]
        self._db.executemany("insert or ignore into result values(?, ?)", results)
        changed = [turn for session, places in self._new.items() for turn in self._units(session, places)]
        known = {turn.number for turn in changed}
        self._tell(changed + self._anchors(known) + self._turns_of(self._retold - known))
        self._settle()
        if purged.records:
            sweep(self._rows)

    def _settle(self) -> None:
        """Settle what was touched. What items say is read from this page, else from the log, once for all groups."""
        held = {group: standing(self._rows, *group) for group in sorted(self._groups)}
        results = dict(self._results.values())
        missing = {one.result for items in held.values() for one in items if one.result not in results}
        results |= cast(dict[int, Result], self._fetch(sorted(missing)))
        for group, items in held.items():
            scope = group[0]
            settle_group(self._rows, group, self._path(scope), items, results, self._corrections.of(scope))
        self._rows.flush()

    # -- events -----------------------------------------------------------------------------------

    def _scope(self, path: str) -> int:
        number = self._rows.scope(path)
        self._paths[number] = path
        return number

    def _path(self, scope: int) -> str:
        if scope not in self._paths:
            self._paths[scope] = rows(self._db, "select path from scope where number = ?", (scope,))[0][0]
        return self._paths[scope]

    def _trace(self, number: int, path: str, session: str, targets: Iterable[str]) -> int:
        """Note what an event speaks of, so that it goes with it; the scope's number."""
        scope = self._scope(path)
        self._db.executemany(
            "insert or ignore into trace values(?, ?, ?, ?)", [(number, scope, session, target) for target in targets]
        )
        return scope

    def _interaction(self, event: Interaction, number: int) -> None:
        session = self._rows.session(self._scope(event.scope), event.session)
        order = -1 if event.order is None else event.order
        where: Place = (key_of(event.at), order, event.id, event.chunk)
        self._turns.append((number, session, *where))
        self._new[session].append(where)

    def _correct(self, event: Correction, number: int) -> None:
        scope = self._trace(number, event.scope, "", [event.target, *(span.event for span in event.spans)])
        groups, turns = self._corrections.take(scope, event, number)
        self._groups |= groups
        self._retold |= turns

    def _stones(self, event: Forget, number: int) -> None:
        """What stays visible of redacted turns; it goes with their scope, session or subject."""
        for session in {stone.session for stone in event.tombstones}:
            self._trace(number, event.scope, session, [""])
        self._db.executemany(
            "insert or ignore into tombstone values(?, ?, ?, ?, ?, ?)",
            [(number, stone.scope, stone.session, stone.at, event.actor, event.at) for stone in event.tombstones],
        )

    def _decide(self, number: int, event: Decision) -> None:
        """A dead letter of extraction that a person dropped leaves its turn without a result, whatever its unit.

        It is noted before the page's units are made, so that it does not matter which page it comes in.
        """
        step, _, name = event.target.partition(":")
        if event.choice != "drop" or step != "extraction":
            return
        self._db.execute("delete from parked where step = ? and scope = ? and event = ?", (step, event.scope, name))
        row = (number, self._scope(event.scope), name)
        self._db.execute("insert or ignore into passed values(?, ?, ?)", row)
        self._db.execute(
            "update turn set state = ? where state in (?, ?) and event = ? and session in"
            " (select number from session where scope = ?)",
            (DROPPED, PENDING, PARKED, name, self._scope(event.scope)),
        )

    # -- units and results ------------------------------------------------------------------------

    def _units(self, session: int, places: list[Place]) -> list[TurnRow]:
        """Turns of a session with another unit than before. Results of the units that they had are inert now."""
        found = rows(self._db, "select scope from session where number = ?", (session,))
        changed = changed_turns(self._rows, self._path(found[0][0]), session, places)
        before = [unit for _, unit in changed if unit is not None]
        for unit in before:
            self._inert(found[0][0], unit)
        self._unpark(found[0][0], [turn.event for turn, before in changed if before is not None])
        passed = {row[0] for row in rows(self._db, "select event from passed where scope = ?", (found[0][0],))}
        self._db.executemany(
            "update turn set unit = ?, state = ? where number = ?",
            [(t.unit, DROPPED if t.event in passed else PENDING, t.number) for t, _ in changed],
        )
        return [turn for turn, _ in changed]

    def _unpark(self, scope: int, events: list[str]) -> None:
        """A turn whose unit failed has another unit now, which is tried anew."""
        where = "step = 'extraction' and scope = ? and event = ?"
        for event in events:
            if not rows(self._db, f"select 1 from parked where {where}", (self._path(scope), event)):
                continue
            self._db.execute(f"delete from parked where {where}", (self._path(scope), event))
            self._db.execute(
                "update turn set state = ? where state = ? and event = ?"
                " and session in (select number from session where scope = ?)",
                (PENDING, PARKED, event, scope),
            )

    def _inert(self, scope: int, unit: bytes) -> None:
        for (number,) in rows(self._db, "select number from result where unit = ?", (unit,)):
            for event in self._fetch([number]).values():
                note_inert(self._rows, scope, number, cast(Result, event))

    def _anchors(self, known: set[int]) -> list[TurnRow]:
        """Turns that had their unit before this page and whose result came with it."""
        found = []
        for unit, (number, result) in self._results.items():
            event, chunk = member(result.members[-1])
            turns = self._rows.turns("event = ? and chunk = ? and unit = ?", (event, chunk, unit))
            found += [turn for turn in turns if turn.number not in known]
            if not turns:
                note_inert(self._rows, self._rows.scope(result.scope), number, result)
        return found

    def _turns_of(self, numbers: Iterable[int]) -> list[TurnRow]:
        return [turn for number in sorted(numbers) for turn in self._rows.turns("number = ?", (number,))]

    def _tell(self, turns: list[TurnRow]) -> None:
        """Give each turn the items of its unit's result, or none while there is no such result."""
        results, new = self._results_of(turns), {row[0] for row in self._turns}
        self._seen.update(self._fetch([turn.number for turn in turns if turn.number not in self._seen]))
        for turn in turns:
            anchor = self._seen.get(turn.number)
            if not isinstance(anchor, Interaction):
                continue  # dropped: the request stands further on in the log
            scope, result = self._scope(anchor.scope), results.get(cast(bytes, turn.unit))
            fresh = turn.number in new
            if not fresh:
                self._groups |= drop_items(self._rows, scope, turn)
            if result is None:
                self._rows.replace(scope, None, turn.number, [], fresh=fresh)
            else:
                corrections = self._corrections.of(scope)
                self._groups |= give_items(self._rows, scope, turn, anchor, result, corrections, fresh=fresh)
        self._rows.flush_items()

    def _results_of(self, turns: list[TurnRow]) -> dict[bytes, Result]:
        """Results by unit: this page's, and what stands in the log for the others."""
        found = {unit: result for unit, (_, result) in self._results.items()}
        missing: dict[int, bytes] = {}
        for turn in turns:
            unit = cast(bytes, turn.unit)
            if unit not in found:
                missing |= {row[0]: unit for row in rows(self._db, "select number from result where unit = ?", (unit,))}
        for number, event in self._fetch(list(missing)).items():
            found[missing[number]] = cast(Result, event)
        return found
