"""The lexical index of the embedded projection file: SQLite's FTS5 over terms that were made elsewhere.

The index has external content, so that a row is removed with its old terms and, under secure delete, leaves no
byte. Scope and terms are columns of their own: the scope selects and weighs nothing. Nothing is committed here.
"""

import re
from collections.abc import Iterator, Sequence

import apsw
import msgspec

from eunoe.stores.contracts import Hit
from eunoe.streams.sqlite_files import rows

QUERY_TERMS = 64
COMMON_SHARE, COMMON_LEAST, FEW_TERMS = 0.1, 2_000, 3

_TABLES = (
    "create table lexical(number integer primary key, scope integer not null, terms text not null)",
    "create view lexical_row(number, scope, terms) as select number, 'scope_' || scope, terms from lexical",
    "create virtual table lexical_index using fts5(scope, terms, content='lexical_row', content_rowid='number',"
    " tokenize=\"ascii tokenchars '_'\")",
    "insert into lexical_index(lexical_index, rank) values('secure-delete', 1)",
    "create virtual table lexical_terms using fts5vocab('lexical_index', 'row')",
)
_INSERT = "insert into lexical_index(rowid, scope, terms) values(?, ?, ?)"
_DELETE = "insert into lexical_index(lexical_index, rowid, scope, terms) values('delete', ?, ?, ?)"
_KNOWN = "select number, scope, terms from lexical where number in (select value from json_each(?))"
_SEARCH = (
    "select rowid, -bm25(lexical_index, 0.0, 1.0) score from lexical_index where lexical_index match ?"
    " order by score desc, rowid limit ?"
)
_AS_IT_IS = re.compile(r"[a-z0-9\u00a1-\u167f\u2030-\u205e\u2070-\u2fff\u3001-\ud7ff\ue000-\U0010ffff]+")


def create(connection: apsw.Connection) -> None:
    """Make the tables, in the caller's transaction."""
    for statement in _TABLES:
        connection.execute(statement).fetchall()


class SqliteLexical:
    """See `stores.contracts.Lexical`. Terms are data: no spelling of one is a query of its own."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def add(self, rows: Sequence[tuple[int, int, Sequence[str]]]) -> None:
        fresh = {number: (number, scope, " ".join(map(_stored, filter(None, terms)))) for number, scope, terms in rows}
        self.remove(list(fresh))
        self._connection.executemany("insert into lexical values(?, ?, ?)", fresh.values())
        self._connection.executemany(_INSERT, [(number, f"scope_{of}", terms) for number, of, terms in fresh.values()])

    def remove(self, numbers: Sequence[int]) -> None:
        known = rows(self._connection, _KNOWN, (_json(numbers),))
        self._connection.executemany(_DELETE, [(number, f"scope_{scope}", terms) for number, scope, terms in known])
        self._connection.executemany("delete from lexical where number = ?", [(row[0],) for row in known])

    def search(self, scope: int, terms: Sequence[str], limit: int) -> list[Hit]:
        asked = self._telling(list(dict.fromkeys(map(_stored, terms)))[:QUERY_TERMS])
        if not asked or limit <= 0:
            return []
        either = " OR ".join([f'"{term}"' for term in asked])
        match = f'scope : "scope_{scope:d}" AND terms : ({either})'
        return [Hit(number, score) for number, score in rows(self._connection, _SEARCH, (match, limit))]

    def rows(self) -> Iterator[tuple[int, int, str]]:
        """(memory number, scope number, terms in order with a space between) of every row, by number."""
        yield from self._connection.execute("select number, scope, terms from lexical order by number")

    def _telling(self, asked: list[str]) -> list[str]:
        """Without terms that a large share of all rows hold: each match is scored, and those say nothing."""
        if len(asked) <= FEW_TERMS:
            return asked
        total = rows(self._connection, "select coalesce(max(number), 0) from lexical")[0][0]
        if total <= COMMON_LEAST:
            return asked
        found = dict(
            rows(
                self._connection,
                "select term, doc from lexical_terms where term in (select value from json_each(?))",
                (_json(asked),),
            )
        )
        rare = [term for term in asked if found.get(term, 0) <= max(COMMON_LEAST, total * COMMON_SHARE)]
        return rare or sorted(asked, key=lambda term: (found.get(term, 0), term))[:FEW_TERMS]


def _stored(term: str) -> str:
    """The one token that stands for a term: itself, or its bytes where the tokenizer would take it apart."""
    if _AS_IT_IS.fullmatch(term):
        return term
    return "x_" + term.encode("utf-8", "surrogatepass").hex()


def _json(values: Sequence[object]) -> str:
    return msgspec.json.encode(values).decode()
