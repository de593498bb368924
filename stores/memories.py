"""Turns, items and settled memories in the projection file. Rows only: what they mean is `processors.projection`.

Numbers of turns, results and corrections are their places in the log (`streams.places`).

turn      one interaction (or chunk) by its place in its session; its unit
result    the result of a unit
inert     turns that a result without effect was made of
trace     corrections, decisions and other events by what they speak of: a memory or an event
tombstone places of redacted turns
item      which items of live results there are, by settling group; what they say is in the log
memory    settled memories; `body` holds the fields of `stores.contracts.Memory` after `number`
alias     ids of items that stand in a memory of another id, or whose unit is no more
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import apsw
import msgspec

from eunoe.stores.contracts import Memory, Source
from eunoe.streams.events import Kind
from eunoe.streams.sqlite_files import rows

PENDING, DONE, PARKED, DROPPED = 1, 0, 2, 3

_TABLES = (
    "create table scope(number integer primary key autoincrement, path text unique not null)",
    "create table session(number integer primary key autoincrement, scope integer not null, name text not null,"
    " unique(scope, name))",
    "create table turn(number integer primary key, session integer not null, key integer, ord integer, event text,"
    " chunk integer, unit blob, state integer not null)",
    "create unique index turn_place on turn(session, key, ord, event, chunk)",
    "create index turn_event on turn(event, chunk)",
    "create index turn_pending on turn(state) where state = 1",
    "create table result(number integer primary key, unit blob not null)",
    "create index result_unit on result(unit)",
    "create table inert(number integer, event text, chunk integer, scope integer,"
    " primary key(event, chunk, scope, number)) without rowid",
    "create table trace(number integer, scope integer, session text, target text, primary key(scope, target, number))"
    " without rowid",
    "create index trace_number on trace(number)",
    "create table tombstone(number integer, scope text, session text, at text, actor text, time text,"
    " primary key(number, scope, session, at)) without rowid",
    "create table item(turn integer, idx integer, scope integer, grp blob, id blob, kind text, at text, role text,"
    " primary key(turn, idx)) without rowid",
    "create index item_group on item(scope, grp)",
    "create table memory(number integer primary key, scope integer, id blob unique not null, kind text, grp blob,"
    " key integer, turn integer, retired integer, body blob)",
    "create index memory_group on memory(scope, grp)",
    "create index memory_scope on memory(scope, key)",
    "create index memory_turn on memory(turn)",
    "create table alias(id blob primary key, scope integer, kind text, event text, chunk integer) without rowid",
    "create table correction(number integer primary key, scope integer, event text, undone integer, body blob)",
    "create index correction_scope on correction(scope)",
    "create table dropped(number integer primary key, scope integer, session text, target text)",
    "create index dropped_session on dropped(scope, session)",
    "create table passed(number integer primary key, scope integer, event text)",
    "create table setting(name text primary key, value text) without rowid",
)

# The row's own columns give the rest; times that equal the memory's own are left out.
_FIELDS = tuple(
    f for f in Memory.__struct_fields__ if f not in ("number", "id", "scope", "kind", "sources", "key", "retired")
)
_COLUMNS = "m.number, s.path, m.id, m.kind, m.key, m.retired, m.body"
_LAST = _FIELDS.index("last_confirmed")
_DEFAULTS = tuple(
    None if field.default is msgspec.NODEFAULT else field.default
    for name in _FIELDS
    for field in msgspec.structs.fields(Memory)
    if field.name == name
)
_encode, _decode = msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder().decode


def create(connection: apsw.Connection) -> None:
    """Make the tables, in the caller's transaction."""
    for statement in _TABLES:
        connection.execute(statement)


def id_key(memory_id: str) -> bytes:
    """The ten bytes behind a memory's id; empty for what is no such id."""
    try:
        key = bytes.fromhex(memory_id.removeprefix("m-"))
    except ValueError:
        return b""
    return key if memory_id.endswith(key.hex()) else b""  # spaces and capitals make another id


def encoded(memory: Memory) -> bytes:
    """The stored body of a memory: its sources and those fields that no column holds."""
    at = memory.at
    sources = [
        (s.event, s.session, s.role, None if s.at == at else s.at, s.chunk, s.start, s.end) for s in memory.sources
    ]
    fields = [getattr(memory, name) for name in _FIELDS]
    fields[_LAST] = None if memory.last_confirmed == at else memory.last_confirmed
    while fields and fields[-1] == _DEFAULTS[len(fields) - 1]:
        fields.pop()
    return _encode((sources, fields))


def decoded(number: int, scope: str, key: bytes, kind: Kind, at_key: int, retired: int, body: bytes) -> Memory:
    """The memory of a row."""
    sources, stored = _decode(body)
    values: dict[str, Any] = dict(zip(_FIELDS, [*stored, *_DEFAULTS[len(stored) :]], strict=True))
    at = values["at"]
    values["last_confirmed"] = values["last_confirmed"] or at
    values["contested_by"] = tuple(values["contested_by"])
    return Memory(
        number=number,
        id=f"m-{key.hex()}",
        scope=scope,
        kind=kind,
        key=at_key,
        retired=bool(retired),
        sources=tuple([Source(e, s, r, t or at, c, start, end) for e, s, r, t, c, start, end in sources]),
        **values,
    )


class SqliteMemories:
    """Reads over one projection file: see `stores.contracts.Memories`. `connection` gives this thread's reader."""

    def __init__(self, connection: Callable[[], apsw.Connection]) -> None:
        self._connection = connection

    def scopes(self) -> list[str]:
        return [row[0] for row in rows(self._connection(), "select path from scope order by path")]

    def scope_number(self, scope: str) -> int | None:
        found = rows(self._connection(), "select number from scope where path = ?", (scope,))
        return found[0][0] if found else None

    def many(self, numbers: Iterable[int]) -> dict[int, Memory]:
        wanted = msgspec.json.encode(list(numbers)).decode()
        return {
            row[0]: decoded(*row)
            for row in rows(
                self._connection(),
                f"select {_COLUMNS} from json_each(?) j join memory m on m.number = j.value"
                " join scope s on s.number = m.scope",
                (wanted,),
            )
        }

    def get(self, memory_id: str) -> Memory | None:
        connection = self._connection()
        found = rows(
            connection,
            f"select {_COLUMNS} from memory m join scope s on s.number = m.scope where m.id = ?",
            (id_key(memory_id),),
        )
        return decoded(*found[0]) if found else self._through_lineage(connection, memory_id)

    def _through_lineage(self, connection: apsw.Connection, memory_id: str) -> Memory | None:
        """The memory that stands on what an older id stood on: same kind, same turn, else nothing."""
        key = id_key(memory_id)
        found = rows(connection, "select scope, kind, event, chunk from alias where id = ?", (key,))
        if not found:
            return None
        scope, kind, event, chunk = found[0]
        candidates = rows(
            connection,
            f"select distinct {_COLUMNS}, i.id = ? own"
            " from turn t join item i on i.turn = t.number join memory m on m.scope = i.scope and m.grp = i.grp"
            " join scope s on s.number = m.scope"
            " where t.event = ? and t.chunk = ? and m.scope = ? and m.kind = ? order by own desc, m.key, m.id",
            (key, event, chunk, scope, kind),
        )
        living = [decoded(*row[:-1]) for row in candidates]
        standing = (m for m in living if any(s.event == event and s.chunk == chunk for s in m.sources))
        return next(standing, None)

    def listing(self, scope: str, *, kind: Kind | None = None, retired: bool = False) -> Iterator[Memory]:
        number = self.scope_number(scope)
        if number is None:
            return
        found = rows(
            self._connection(),
            f"select {_COLUMNS} from memory m join scope s on s.number = m.scope where m.scope = ?"
            " order by m.key, m.id",
            (number,),
        )
        for row in found:
            if (kind is None or row[3] == kind) and (retired or not row[5]):
                yield decoded(*row)

    def neighbours(self, numbers: Iterable[int]) -> Mapping[int, tuple[int | None, int | None]]:
        wanted = msgspec.json.encode(list(numbers)).decode()
        return {row[0]: (row[1], row[2]) for row in rows(self._connection(), _NEIGHBOURS, (wanted,))}


_NEIGHBOUR = (
    "(select (select e.number from memory e where e.turn = o.number and e.kind = 'episode') from turn o"
    " where o.session = t.session and (o.key, o.ord, o.event, o.chunk) {0} (t.key, t.ord, t.event, t.chunk)"
    " order by o.key {1}, o.ord {1}, o.event {1}, o.chunk {1} limit 1)"
)
_NEIGHBOURS = (
    f"select m.number, {_NEIGHBOUR.format('<', 'desc')}, {_NEIGHBOUR.format('>', 'asc')}"
    " from json_each(?) j join memory m on m.number = j.value join turn t on t.number = m.turn"
)
