"""What a forget covers: the turns that were named, all that was derived from them, and what is built again.

Derived are results whose unit held a covered turn, and corrections, decisions and drops that speak of one. The cost
of planning grows with what is covered, not with the log.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

import apsw
import msgspec

from eunoe.processors.units import CONTEXT_TURNS
from eunoe.stores.contracts import Memory
from eunoe.stores.memories import SqliteMemories
from eunoe.streams.errors import NotFound
from eunoe.streams.events import AnyEvent, Interaction
from eunoe.streams.log import Log
from eunoe.streams.places import number_of
from eunoe.streams.sqlite_files import rows

TargetKind = Literal["subject", "scope", "session", "event", "memory"]


class Target(msgspec.Struct, frozen=True):
    """What a person named. scope: where, for a session or event, and as a narrowing for a subject."""

    kind: TargetKind
    name: str
    scope: str | None = None


class Turn(msgspec.Struct, frozen=True):
    """A covered turn."""

    number: int
    scope: str
    session: str
    event: str
    chunk: int


class Plan(msgspec.Struct, frozen=True):
    """What goes and what happens to the rest.

    turns: covered interactions. derived: numbers of the records that go with them. gone: ids of memories that lose
    every source. again: memories that are built again from their other sources. tainted: turns whose unit held a
    covered one and is extracted again, which is what the forget costs.
    """

    target: Target
    turns: tuple[Turn, ...]
    derived: tuple[int, ...]
    gone: tuple[str, ...]
    again: tuple[str, ...]
    tainted: int

    @property
    def numbers(self) -> tuple[int, ...]:
        """Numbers of all records that go."""
        return tuple(sorted({turn.number for turn in self.turns} | set(self.derived)))


_TURN = (
    "select t.number, c.path, s.name, t.event, t.chunk from turn t join session s on s.number = t.session"
    " join scope c on c.number = s.scope where "
)


def planned(target: Target, log: Log, connection: apsw.Connection) -> Plan:
    """The plan for a target over a settled projection. Raises NotFound where nothing is covered."""
    turns, sealed = _turns(target, log, connection)
    waiting, others = _waiting(target, log, connection)
    turns += [turn for turn in waiting if turn not in turns]
    derived = (set(sealed) | others) - {turn.number for turn in turns}
    affected = _affected(turns, connection)
    covered = {(turn.scope, turn.event) for turn in turns}
    gone = [m.id for m in affected if all((m.scope, source.event) in covered for source in m.sources)]
    again = [m.id for m in affected if m.id not in set(gone)]
    following = {number for turn in turns for number in _following(turn, connection)} - {t.number for t in turns}
    derived |= _results({turn.number for turn in turns} | following, turns, connection)
    derived |= _traces(target, turns, gone, connection)
    if not turns and not derived:
        raise NotFound(f"nothing is held of this {target.kind}; `eunoe log` and `eunoe scopes` show what is")
    return Plan(target, tuple(turns), tuple(sorted(derived)), tuple(gone), tuple(again), len(following))


def _turns(target: Target, log: Log, db: apsw.Connection) -> tuple[list[Turn], set[int]]:
    """The turns that a target names; for a whole subject, also every record that its key opens."""
    match target.kind:
        case "scope":
            return _found(db, "c.path = ?", (target.name,)), set()
        case "session":
            return _found(db, "c.path = ? and s.name = ?", (target.scope, target.name)), set()
        case "event":
            return _found(db, "c.path = ? and t.event = ?", (target.scope, target.name)), set()
        case "memory":
            memory = SqliteMemories(lambda: db).get(target.name)
            if memory is None:
                raise NotFound("no such memory; `eunoe memories list --scope …` shows their ids")
            events = {source.event for source in memory.sources}
            found = [t for event in events for t in _found(db, "c.path = ? and t.event = ?", (memory.scope, event))]
            return sorted(found, key=lambda turn: turn.number), set()
        case "subject":
            sealed = {number_of(place) for place in log.sealed_to(target.name)}
            listed = f"[{','.join(map(str, sorted(sealed)))}]"
            turns = _found(db, "t.number in (select value from json_each(?))", (listed,))
            if target.scope is None:
                return turns, sealed
            return [turn for turn in turns if turn.scope == target.scope], set()


def _waiting(target: Target, log: Log, db: apsw.Connection) -> tuple[list[Turn], set[int]]:
    """(turns, numbers of other events) that a target names among what waits, unprojected, in parked streams."""
    turns, others = [], set()
    parked = rows(db, "select distinct scope, partition, position from parked where step = 'projection'")
    heads = [row[0] for row in rows(db, "select position from position order by partition")]
    for scope, partition, position in parked:
        for opened in log.open(log.read(partition, position - 1, heads[partition] - position + 1)):
            event, number = opened.event, number_of((partition, opened.record.position))
            if event is None or event.scope != scope or not _names(target, event):
                continue
            if isinstance(event, Interaction):
                turns.append(Turn(number, scope, event.session, event.id, event.chunk))
            else:
                others.add(number)
    return turns, others


def _names(target: Target, event: AnyEvent) -> bool:
    """Whether a target names an event by what stands in the event itself."""
    match target.kind:
        case "scope":
            return event.scope == target.name
        case "session":
            return event.scope == target.scope and getattr(event, "session", None) == target.name
        case "event":
            return event.scope == target.scope and event.id == target.name
        case "subject":
            return target.name in event.subjects and target.scope in (None, event.scope)
        case _:
            return False


def _found(db: apsw.Connection, where: str, values: Sequence[object]) -> list[Turn]:
    return [Turn(*row) for row in rows(db, f"{_TURN}{where} order by t.number", values)]


def _following(turn: Turn, db: apsw.Connection) -> list[int]:
    """Turns that have this one in their context."""
    found = rows(
        db,
        "select t.number from turn t join turn o on o.session = t.session where o.number = ?"
        " and (t.key, t.ord, t.event, t.chunk) > (o.key, o.ord, o.event, o.chunk)"
        f" order by t.key, t.ord, t.event, t.chunk limit {CONTEXT_TURNS}",
        (turn.number,),
    )
    return [row[0] for row in found]


def _results(numbers: Iterable[int], turns: Sequence[Turn], db: apsw.Connection) -> set[int]:
    """Results of the units of these turns, and those without effect that held one of the covered."""
    listed = f"[{','.join(map(str, sorted(numbers)))}]"
    found = rows(
        db,
        "select r.number from json_each(?) j join turn t on t.number = j.value join result r on r.unit = t.unit",
        (listed,),
    )
    for turn in turns:
        found += rows(
            db,
            "select i.number from inert i join scope c on c.number = i.scope"
            " where i.event = ? and i.chunk = ? and c.path = ?",
            (turn.event, turn.chunk, turn.scope),
        )
    return {row[0] for row in found}


def _traces(target: Target, turns: Sequence[Turn], gone: Sequence[str], db: apsw.Connection) -> set[int]:
    """Corrections, decisions and other events that speak of what goes."""
    found = []
    spoken = {(turn.scope, turn.event) for turn in turns}
    spoken |= {(scope, name) for scope in {turn.scope for turn in turns} for name in gone}
    for scope, name in spoken:
        found += rows(
            db,
            "select t.number from trace t join scope c on c.number = t.scope where c.path = ? and t.target = ?",
            (scope, name),
        )
    if target.kind in ("scope", "session"):
        path = target.name if target.kind == "scope" else target.scope
        found += rows(
            db,
            "select t.number from trace t join scope c on c.number = t.scope where c.path = ? and (? or t.session = ?)",
            (path, target.kind == "scope", target.name),
        )
    return {row[0] for row in found}


def _affected(turns: Sequence[Turn], db: apsw.Connection) -> list[Memory]:
    """Memories that have a covered turn among their sources."""
    listed = f"[{','.join(str(turn.number) for turn in turns)}]"
    found = rows(
        db,
        "select distinct m.number from json_each(?) j join memory m on m.turn = j.value and m.grp is null"
        " union select distinct m.number from json_each(?) j join item i on i.turn = j.value"
        " join memory m on m.scope = i.scope and m.grp = i.grp",
        (listed, listed),
    )
    covered = {(turn.scope, turn.event) for turn in turns}
    memories = SqliteMemories(lambda: db).many([row[0] for row in found]).values()
    touched = [m for m in memories if any((m.scope, source.event) in covered for source in m.sources)]
    return sorted(touched, key=lambda m: (m.scope, m.key, m.id))
