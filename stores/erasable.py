"""The erasable registry: every table and file of a home, and whether content can stand in it.

A table that holds content says which step purges it, how its rows are found by the places in the log that they stand
on and by the events that they name, and can be scanned whole. One that holds none says why. A test goes through a
home in use and fails on what is not listed here.
"""

import re
from collections.abc import Callable, Collection, Iterator
from typing import Any

import apsw
import msgspec

from eunoe.stores.memories import SqliteMemories
from eunoe.streams.sqlite_files import rows

Named = Callable[[apsw.Connection], Iterator[tuple[str, str]]]
"""(scope, event id) of everything that a table's rows name."""

_PURGE = "eunoe.processors.projection.purging.purge"
_SWEEP = "eunoe.processors.projection.purging.sweep"
_REPLACE = "eunoe.processors.projection.rows.Rows.replace"
_DROP = "eunoe.streams.local_erasure.drop"
_LOOKUP = "eunoe.streams.local_lookup.Lookup.drop"
_DESTROY = "eunoe.stores.books.keyring.BooksKeyring.destroy"


class Erasable(msgspec.Struct, frozen=True):
    """A table that holds content, or keys and names of it.

    purged_by: the step that takes rows away. places: a query for the places in the log that rows stand on. names: the
    events that rows name. stray: a query that counts rows which nothing stands behind any more.
    """

    file: str
    table: str
    purged_by: str
    places: str | None = None
    names: Named | None = None
    stray: str | None = None

    def find(self, connection: apsw.Connection, places: Collection[int]) -> int:
        """How many rows stand on these places."""
        if self.places is None:
            return 0
        return sum(row[0] in places for row in rows(connection, self.places))

    def named(self, connection: apsw.Connection) -> Iterator[tuple[str, str]]:
        """(scope, event id) of everything that its rows name."""
        return iter(()) if self.names is None else self.names(connection)

    def strays(self, connection: apsw.Connection) -> int:
        """Rows which nothing stands behind."""
        return 0 if self.stray is None else int(rows(connection, self.stray)[0][0])

    def scan(self, connection: apsw.Connection) -> Iterator[bytes]:
        """Every row, unfiltered: its values as bytes, end to end."""
        for row in connection.execute(f"select * from {self.table}"):
            yield b"\x00".join(_as_bytes(value) for value in row)


class Plain(msgspec.Struct, frozen=True):
    """A table without content, and why it has none."""

    file: str
    table: str
    reason: str


def _as_bytes(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    return str(value).encode("utf-8", "surrogatepass")


def _pairs(statement: str) -> Named:
    return lambda connection: iter(rows(connection, statement))


def _sources(connection: apsw.Connection) -> Iterator[tuple[str, str]]:
    memories = SqliteMemories(lambda: connection)
    for scope in memories.scopes():
        for memory in memories.listing(scope, retired=True):
            yield from ((scope, source.event) for source in memory.sources)


def _spans(connection: apsw.Connection) -> Iterator[tuple[str, str]]:
    held = rows(connection, "select s.path, c.body from correction c join scope s on s.number = c.scope")
    for scope, body in held:
        yield from ((scope, span["event"]) for span in msgspec.msgpack.decode(body).get("spans", ()))


def _in_scope(column: str, table: str) -> Named:
    return _pairs(f"select s.path, t.{column} from {table} t join scope s on s.number = t.scope")


def _no_turn(table: str) -> str:
    return (
        f"select count(*) from {table} x where not exists (select 1 from turn t join session s on s.number = t.session"
        " where t.event = x.event and t.chunk = x.chunk and s.scope = x.scope)"
    )


_TURNS = _pairs(
    "select c.path, t.event from turn t join session s on s.number = t.session join scope c on c.number = s.scope"
)

TABLES: tuple[Erasable | Plain, ...] = (
    Erasable("log", "record", _DROP, "select row from record where ciphertext is not null"),
    Erasable("log", "datakey", _DROP, "select row from datakey"),
    Erasable("log", "lookup", _LOOKUP, "select row from lookup"),
    Erasable("log", "recent", _LOOKUP, "select row from recent"),
    Plain("log", "dropped", "places of dropped records and of the request that dropped them"),
    Plain("log", "destroyed", "random pseudonyms whose keys are destroyed again on every opening"),
    Plain("log", "request", "places and random ids of requests"),
    Plain("log", "suppressed", "keyed hashes of what is refused: without the home's key they name nobody"),
    Plain("log", "refusal", "counts by day"),
    Plain("log", "tree", "hashes over hashes of sealed records"),
    Plain("log", "meta", "what the file is"),
    Erasable("books", "subject", _DESTROY),
    Erasable("books", "subject_key", _DESTROY),
    Erasable("books", "stream", _DESTROY),
    Erasable("books", "use", "eunoe.stores.books.bills.Bills.purge"),
    Plain("books", "purpose", "keys of the home, of nobody else"),
    Plain("books", "bill", "sums by the minute"),
    Plain("books", "report", "a recall's random id, its outcome in a word, tokens"),
    Plain("books", "receipt", "signed receipts, which name nobody"),
    Plain("books", "meta", "what the file is"),
    Plain("books", "alembic_version", "what the file is"),
    Plain("books", "sqlite_sequence", "SQLite's counters"),
    Erasable("projections", "scope", _SWEEP),
    Erasable(
        "projections", "session", _SWEEP,
        stray="select count(*) from session where number not in (select session from turn)",
    ),
    Erasable("projections", "turn", _PURGE, "select number from turn", _TURNS),
    Erasable("projections", "result", _PURGE, "select number from result"),
    Erasable(
        "projections", "inert", _PURGE, "select number from inert", _in_scope("event", "inert"), _no_turn("inert")
    ),
    Erasable("projections", "trace", _PURGE, "select number from trace", _in_scope("target", "trace")),
    Erasable("projections", "tombstone", _PURGE, "select number from tombstone"),
    Erasable("projections", "item", _PURGE, "select turn from item"),
    Erasable("projections", "memory", _REPLACE, "select turn from memory", _sources),
    Erasable("projections", "alias", _PURGE, None, _in_scope("event", "alias"), _no_turn("alias")),
    Erasable("projections", "correction", _PURGE, "select number from correction", _spans),
    Erasable("projections", "dropped", _PURGE, "select number from dropped", _in_scope("target", "dropped")),
    Erasable("projections", "passed", _PURGE, "select number from passed", _in_scope("event", "passed")),
    Plain("projections", "sqlite_sequence", "SQLite's counters"),
    Erasable("projections", "parked", _PURGE, None, _pairs("select scope, event from parked")),
    Erasable(
        "projections", "lexical", _REPLACE,
        stray="select count(*) from lexical where number not in (select number from memory)",
    ),
    Erasable("projections", "lexical_index_data", "eunoe.stores.lexical.SqliteLexical.remove"),
    Plain("projections", "lexical_index_idx", "where the index's pages are; their content is in lexical_index_data"),
    Plain("projections", "lexical_index_docsize", "numbers of terms"),
    Plain("projections", "lexical_index_config", "how the index is set up"),
    Plain("projections", "lexical_index", "a view of lexical_index_data and lexical"),
    Plain("projections", "lexical_terms", "a view of lexical_index_data"),
    Plain("projections", "lexical_row", "a view of lexical"),
    Plain("projections", "lexical_size", "numbers of rows"),
    Plain("projections", "position", "how far the log was read"),
    Plain("projections", "setting", "the home's own settings"),
    Plain("projections", "meta", "what the file is"),
)  # fmt: skip

FILES: tuple[tuple[str, str], ...] = (
    (r"log\.db(-wal|-shm|-journal)?", "log"),
    (r"books\.db(-wal|-shm|-journal)?", "books"),
    (r"projections-[0-9a-f]{8}\.db(-wal|-shm|-journal)?", "projections"),
    (r"projections\.db(\.[0-9a-f]{8})?", "a link to the projections in use"),
    (r"master\.key(\.next)?(\.[0-9a-f]{8})?", "the master key"),
    (r"(home|projector|backup)\.lock", "an empty file that processes lock"),
    (r"eunoe\.toml", "settings"),
)
"""Names of a home's files, and what they are."""


def registered(name: str) -> bool:
    """Whether a file of a home is listed here."""
    return any(re.fullmatch(pattern, name) for pattern, _ in FILES)


def erasables(file: str) -> list[Erasable]:
    """The tables of one kind of file that hold content."""
    return [table for table in TABLES if isinstance(table, Erasable) and table.file == file]
