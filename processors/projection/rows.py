"""Writing the projection's rows: numbers for scopes and sessions, turns, items, memories, their index entries."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import apsw

from eunoe.processors.cues import cue_terms
from eunoe.processors.terms import terms
from eunoe.stores.contracts import Lexical, Memory
from eunoe.stores.memories import DONE, encoded, id_key
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
        self._last: int | None = None
        self._items: list[tuple[int, int, int, bytes, bytes, str, str, str]] = []
        self._done: list[tuple[int, int]] = []
        self._gone: list[int] = []
        self._memories: list[tuple[object, ...]] = []
        self._indexed: list[tuple[int, int, list[str]]] = []

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

    def replace(
        self,
        scope: int,
        group: bytes | None,
        turn: int | None,
        settled: Sequence[tuple[Memory, int]],
        *,
        fresh: bool = False,
    ) -> None:
        """Make a group's (or an episode turn's) memories these (memory, anchor turn) and nothing else.

        fresh: there are none yet, so that nobody need look. Each group is replaced once before `flush`.
        """
        known = {} if fresh else self._known(scope, group, turn)
        for memory, anchor in settled:
            self._write(scope, group, memory, anchor, known.pop(id_key(memory.id), None))
        self._gone += [row[0] for row in known.values()]

    def _known(self, scope: int, group: bytes | None, turn: int | None) -> dict[bytes, tuple[int, bytes, int, bytes]]:
        where, value = ("grp = ?", group) if group is not None else ("grp is null and turn = ?", turn)
        found = rows(
            self.connection, f"select number, id, retired, body from memory where scope = ? and {where}", (scope, value)
        )
        return {row[1]: row for row in found}

    def _write(
        self, scope: int, group: bytes | None, memory: Memory, turn: int, row: tuple[int, bytes, int, bytes] | None
    ) -> None:
        body = encoded(memory)
        if row is not None and row[2:] == (int(memory.retired), body):
            return
        number = self._number() if row is None else row[0]
        values = (scope, id_key(memory.id), memory.kind, group, memory.key, turn, int(memory.retired), body)
        self._memories.append((number, *values))
        self._indexed.append((number, scope, [*terms(memory.text), *cue_terms(memory.attribute)]))

    def _number(self) -> int:
        """The next free row number of memories."""
        if self._last is None:
            self._last = rows(self.connection, "select coalesce(max(number), 0) from memory")[0][0]
        self._last += 1
        return self._last

    # -- items ------------------------------------------------------------------------------------

    def add_items(self, turn: int, items: Iterable[tuple[int, int, bytes, bytes, str, str, str]]) -> None:
        """A turn has its result: (place, scope, group, id, kind, at, role) of each item."""
        self._items += [(turn, *item) for item in items]
        self._done.append((DONE, turn))

    def flush_items(self) -> None:
        """Write the items, so that groups can be read."""
        self.connection.executemany("insert or replace into item values(?, ?, ?, ?, ?, ?, ?, ?)", self._items)
        self.connection.executemany("update turn set state = ? where number = ?", self._done)
        self._items, self._done = [], []

    def flush(self) -> None:
        """Write the memories and their index entries, all of one kind together. What goes, goes first."""
        self.lexical.remove(self._gone)
        self.connection.executemany("delete from memory where number = ?", [(number,) for number in self._gone])
        self.connection.executemany("insert or replace into memory values(?, ?, ?, ?, ?, ?, ?, ?, ?)", self._memories)
        self.lexical.add(self._indexed)
        self._memories, self._indexed, self._gone = [], [], []
