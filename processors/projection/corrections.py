"""Corrections by people, kept with the projection: each settling of their scope looks at them again."""

from typing import Any

import apsw
import msgspec

from eunoe.processors.projection.settling import group_of
from eunoe.stores.memories import id_key
from eunoe.streams.events import Correction, Item
from eunoe.streams.sqlite_files import rows

_encode, _decode = msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder().decode


class Corrections:
    """The corrections of the scopes that one transaction touches."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._db = connection
        self._known: dict[int, list[Correction]] = {}

    def of(self, scope: int) -> list[Correction]:
        """Those in force in a scope, in the log's order."""
        if scope not in self._known:
            found = rows(
                self._db, "select body from correction where scope = ? and undone = 0 order by number", (scope,)
            )
            self._known[scope] = [_correction(body) for (body,) in found]
        return self._known[scope]

    def take(self, scope: int, event: Correction, number: int) -> tuple[set[tuple[int, bytes]], set[int]]:
        """Keep a correction, or take back the one that an undo names; (groups, turns) that it may change."""
        self._known.pop(scope, None)
        if event.action != "undo":
            body = _encode(event.model_dump(exclude_defaults=True))
            self._db.execute("insert or ignore into correction values(?, ?, ?, 0, ?)", (number, scope, event.id, body))
            return self._reach(scope, event)
        self._db.execute("update correction set undone = 1 where scope = ? and event = ?", (scope, event.target))
        self._db.execute(
            "insert or ignore into trace select ?, t.scope, t.session, t.target from trace t join correction c"
            " on c.number = t.number where c.scope = ? and c.event = ?",
            (number, scope, event.target),
        )
        found = rows(self._db, "select body from correction where scope = ? and event = ?", (scope, event.target))
        return self._reach(scope, _correction(found[0][0])) if found else (set(), set())

    def _reach(self, scope: int, correction: Correction) -> tuple[set[tuple[int, bytes]], set[int]]:
        """Everything of a scope that a correction may touch: its target's group, its slot, its spans' turns."""
        held = rows(
            self._db, "select grp, turn from memory where scope = ? and id = ?", (scope, id_key(correction.target))
        )
        groups = {(scope, group) for group, _ in held if group is not None}
        turns = {turn for group, turn in held if group is None}
        for single in (True, False):
            groups.add((scope, group_of(_slot(correction, single))))
        for span in correction.spans:
            for turn, group in rows(
                self._db,
                "select t.number, i.grp from turn t join session s on s.number = t.session"
                " left join item i on i.turn = t.number where t.event = ? and t.chunk = ? and s.scope = ?",
                (span.event, span.chunk, scope),
            ):
                turns.add(turn)
                if group is not None:
                    groups.add((scope, group))
        return groups, turns


def active(connection: apsw.Connection, scope: int, target: str) -> str | None:
    """Id of the newest correction in force whose target is this memory."""
    for event, body in rows(
        connection, "select event, body from correction where scope = ? and undone = 0 order by number desc", (scope,)
    ):
        if _correction(body).target == target:
            return str(event)
    return None


def _slot(correction: Correction, single: bool) -> Item:
    return Item(
        kind=correction.kind or "fact", spans=(), about=correction.about, attribute=correction.attribute,
        value=correction.value, single=single,
    )  # fmt: skip


def _correction(body: bytes) -> Correction:
    fields: dict[str, Any] = _decode(body)
    return Correction.model_validate(fields)
