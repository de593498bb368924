"""Writing the projection's rows: numbers for scopes and sessions, turns, items, memories, their index entries."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import apsw

from eunoe.processors.cues import cue_terms
from eunoe.processors.terms import terms
from eunoe.stores.contracts import Lexical, Memory
from eunoe.stores.memories import encoded, id_key
from eunoe.streams.sqlite_files import rows

Place = tuple[int, int, str, int]
"""Where a turn stands in its session: (event time key, order, event id, chunk)."""


class TurnRow(NamedTuple):
    """A turn as the units step sees it."""

    number: int
    key: int
    order: int
    event: str
    chunk: int
    unit: bytes | None

    @property
    def place(self) -> Place:
        return (self.key, self.order, self.event, self.chunk)


_TURN = "number, key, ord, event, chunk, unit"


class Rows:
    """One transaction's view of the tables, with the numbers that it has already looked up."""

    def __init__(self, connection: apsw.Connection, lexical: Lexical) -> None:
        self.connection, self.lexical = connection, lexical
        self._scopes: dict[str, int] = {}
        self._sessions: dict[tuple[int, str], int] = {}

    # -- numbers ----------------------------------------------------------------------------------

    def scope(self, path: str) -> int:
        """The number of a scope, given out on first sight."""
        if path not in self._scopes:
            self.connection.execute("insert or ignore into scope(path) values(?)", (path,))
            self._scopes[path] = rows(self.connection, "select number from scope where path = ?", (path,))[0][0]
        return self._scopes[path]

    def session(self, scope: int, name: str) -> int:
        """The number of a session, given out on first sight."""
        if (scope, name) not in self._sessions:
            self.connection.execute("insert or ignore into session(scope, name) values(?, ?)", (scope, name))
            found = rows(self.connection, "select number from session where scope = ? and name = ?", (scope, name))
            self._sessions[scope, name] = found[0][0]
        return self._sessions[scope, name]

    # -- turns ------------------------------------------------------------------------------------

    def add_turns(self, turns: Iterable[tuple[int, int, int, int, str, int]]) -> None:
        """(number, session, key, order, event, chunk) each; known ones are left as they are."""
        self.connection.executemany("insert or ignore into turn values(?, ?, ?, ?, ?, ?, null, 1)", turns)

    def turns(self, where: str, values: Sequence[object]) -> list[TurnRow]:
        """Turns by a condition on their columns."""
        return [TurnRow(*row) for row in rows(self.connection, f"select {_TURN} from turn where {where}", values)]

    def before(self, session: int, place: Place, count: int) -> list[TurnRow]:
        """Up to `count` turns of a session before a place, in order."""
        found = rows(
            self.connection,
            f"select {_TURN} from turn where session = ? and (key, ord, event, chunk) < (?, ?, ?, ?)"
            f" order by key desc, ord desc, event desc, chunk desc limit {count}",
            (session, *place),
        )
        return [TurnRow(*row) for row in reversed(found)]

    def following(self, session: int, place: Place) -> Iterable[TurnRow]:
        """The turns of a session from a place on, in order, as they are asked for."""
        for row in self.connection.execute(
            f"select {_TURN} from turn where session = ? and (key, ord, event, chunk) >= (?, ?, ?, ?)"
            " order by key, ord, event, chunk",
            (session, *place),
        ):
            yield TurnRow(*row)

    # -- memories ---------------------------------------------------------------------------------

    def alias(self, scope: int, event: str, chunk: int, names: Iterable[tuple[str, str]]) -> None:
        """Keep ids of items, as (item id, kind), findable through the turn that they were said in."""
        self.connection.executemany(
            "insert or ignore into alias values(?, ?, ?, ?, ?)",
            [(id_key(name), scope, kind, event, chunk) for name, kind in names],
        )

    def replace(self, scope: int, group: bytes | None, turn: int | None, settled: Sequence[tuple[Memory, int]]) -> None:
        """Make a group's (or an episode turn's) memories these (memory, anchor turn) and nothing else."""
        where, value = ("grp = ?", group) if group is not None else ("grp is null and turn = ?", turn)
        known = {
            row[1]: row
            for row in rows(
                self.connection,
                f"select number, id, retired, body from memory where scope = ? and {where}",
                (scope, value),
            )
        }
        for memory, anchor in settled:
            row = known.pop(id_key(memory.id), None)
            self._write(scope, group, memory, anchor, row)
        gone = [row[0] for row in known.values()]
        if gone:
            self.lexical.remove(gone)
            self.connection.executemany("delete from memory where number = ?", [(number,) for number in gone])

    def _write(
        self, scope: int, group: bytes | None, memory: Memory, turn: int, row: tuple[int, bytes, int, bytes] | None
    ) -> None:
        body = encoded(memory)
        if row is not None and row[2:] == (int(memory.retired), body):
            return
        values = (scope, id_key(memory.id), memory.kind, group, memory.key, turn, int(memory.retired), body)
        if row is not None:
            number = row[0]
            self.connection.execute(
                "update memory set scope = ?, id = ?, kind = ?, grp = ?, key = ?, turn = ?, retired = ?, body = ?"
                " where number = ?",
                (*values, number),
            )
        else:
            self.connection.execute(
                "insert or replace into memory(scope, id, kind, grp, key, turn, retired, body)"
                " values(?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )
            number = self.connection.last_insert_rowid()
        self.lexical.add([(number, scope, [*terms(memory.text), *cue_terms(memory.attribute)])])
