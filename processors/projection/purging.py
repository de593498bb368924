"""Purging: everything in the projection that stands on dropped records goes, in the transaction that learns of it.

What stood on other turns too settles anew without the dropped ones; turns that had one in their context get the unit
that they would have had without it.
"""

from collections.abc import Sequence

import msgspec

from eunoe.processors.projection.results import Group, drop_items
from eunoe.processors.projection.rows import Place, Rows
from eunoe.stores.memories import id_key
from eunoe.streams.sqlite_files import rows


class Purged(msgspec.Struct):
    """What a purge leaves to do: sessions with the places that turns were taken from, and groups to settle."""

    sessions: dict[int, list[Place]] = {}
    groups: set[Group] = set()
    records: int = 0


def purge(target: Rows, numbers: Sequence[int]) -> Purged:
    """Take away turns, results, corrections and traces whose records were dropped. Sessions may be left empty."""
    done, db = Purged(), target.connection
    for number in numbers:
        done.records += 1
        _purge_turn(target, number, done)
        db.execute("delete from result where number = ?", (number,))
        db.execute("delete from inert where number = ?", (number,))
        _purge_correction(target, number, done)
        for table in ("trace", "dropped", "passed"):
            db.execute(f"delete from {table} where number = ?", (number,))
        db.execute("delete from tombstone where number = ?", (number,))
    return done


def _purge_turn(target: Rows, number: int, done: Purged) -> None:
    db = target.connection
    found = rows(
        db, "select t.session, s.scope from turn t join session s on s.number = t.session where t.number = ?", (number,)
    )
    if not found:
        return
    session, scope = found[0]
    (turn,) = target.turns("number = ?", (number,))
    done.sessions.setdefault(session, []).append(turn.place)
    done.groups |= drop_items(target, scope, turn)
    target.replace(scope, None, number, [])
    db.execute("delete from alias where scope = ? and event = ? and chunk = ?", (scope, turn.event, turn.chunk))
    db.execute("delete from inert where scope = ? and event = ? and chunk = ?", (scope, turn.event, turn.chunk))
    db.execute(
        "delete from parked where event = ? and scope = (select path from scope where number = ?)", (turn.event, scope)
    )
    db.execute("delete from turn where number = ?", (number,))


def _purge_correction(target: Rows, number: int, done: Purged) -> None:
    db = target.connection
    held = rows(db, "select scope from correction where number = ?", (number,))
    if not held:
        return
    db.execute("delete from correction where number = ?", (number,))
    scope = held[0][0]
    reached = rows(db, "select distinct target from trace where number = ?", (number,))
    for (name,) in reached:
        groups = rows(
            db, "select grp from memory where scope = ? and id = ? and grp is not null", (scope, id_key(name))
        )
        groups += rows(
            db,
            "select i.grp from turn t join item i on i.turn = t.number where t.event = ? and i.scope = ?",
            (name, scope),
        )
        done.groups |= {(scope, group) for (group,) in groups}


def sweep(target: Rows) -> None:
    """Drop sessions without turns and scopes without sessions: their names are content too."""
    db = target.connection
    db.execute("delete from session where number not in (select session from turn)")
    db.execute(
        "delete from scope where number not in (select scope from session) and number not in (select scope from trace)"
    )
