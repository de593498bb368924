"""The lexical index of the embedded projection file: SQLite's FTS5 over terms that were made elsewhere.

The index has external content, so that a row is removed with its old terms and, under secure delete, leaves no
byte. Each term stands in it behind its scope, so that a search reads the scope's own postings and no others, and
a term weighs what it weighs in its scope. Nothing is committed here.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import apsw
import msgspec

from eunoe.stores.contracts import Hit
from eunoe.streams.sqlite_files import rows as rows_of

QUERY_TERMS = 64
COMMON_SHARE, COMMON_LEAST, FEW_TERMS = 0.05, 2_000, 3
BEST_OF_A_TERM = 4_000
_LEAST_IDF = 1e-6  # what FTS5 takes for a term that more than half of all rows hold

_TABLES = (
    "create table lexical(number integer primary key, scope integer not null, terms text not null)",
    "create table lexical_size(scope integer primary key, rows integer not null)",
    "create view lexical_row(number, terms) as select number, case terms when '' then '' else"
    " scope || '_' || replace(terms, ' ', ' ' || scope || '_') end from lexical",
    "create virtual table lexical_index using fts5(terms, content='lexical_row', content_rowid='number',"
    " tokenize=\"ascii tokenchars '_'\")",
    "insert into lexical_index(lexical_index, rank) values('secure-delete', 1)",
    "create virtual table lexical_terms using fts5vocab('lexical_index', 'row')",
)
_INSERT = "insert into lexical_index(rowid, terms) values(?, ?)"
_DELETE = "insert into lexical_index(lexical_index, rowid, terms) values('delete', ?, ?)"
_KNOWN = "select number, scope, terms from lexical where number in (select value from json_each(?))"
_SIZE = "insert into lexical_size values(?, ?) on conflict do update set rows = rows + excluded.rows"
_SEARCH = "select rowid, -rank from lexical_index where lexical_index match ? order by rank limit ?"
_FROM_HERE = "select term from lexical_terms where term >= cast(? as text) order by term limit 1"
_IS_BORDER = "select 1 from lexical_index_idx where segid = ? and term = ?"
_MOVE_BORDER = "update lexical_index_idx set term = ? where segid = ? and term = ?"
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
        for row in rows_of(self._connection, _KNOWN, (_json(list(fresh)),)):
            if fresh[row[0]] == row:
                del fresh[row[0]]
        self.remove(list(fresh))
        self._connection.executemany("insert into lexical values(?, ?, ?)", fresh.values())
        self._connection.executemany(_INSERT, [(number, _scoped(of, terms)) for number, of, terms in fresh.values()])
        self._count(Counter(scope for _, scope, _ in fresh.values()))

    def remove(self, numbers: Sequence[int]) -> None:
        known = rows_of(self._connection, _KNOWN, (_json(numbers),))
        if not known:
            return
        self._connection.executemany(_DELETE, [(number, _scoped(scope, terms)) for number, scope, terms in known])
        self._connection.executemany("delete from lexical where number = ?", [(row[0],) for row in known])
        self._count({scope: -count for scope, count in Counter(row[1] for row in known).items()})
        self._hide({term for _, scope, terms in known for term in _scoped(scope, terms).split(" ")})

    def _count(self, changes: dict[int, int] | Counter[int]) -> None:
        self._connection.executemany(_SIZE, list(changes.items()))
        self._connection.execute("delete from lexical_size where rows = 0")

    def search(self, scope: int, terms: Sequence[str], limit: int) -> list[Hit]:
        sizes = dict(rows_of(self._connection, "select scope, rows from lexical_size"))
        held, total = sizes.get(scope, 0), sum(sizes.values())
        asked = list(dict.fromkeys(map(_stored, filter(None, terms))))[:QUERY_TERMS]
        if not asked or not held or limit <= 0:
            return []
        scores: dict[int, float] = defaultdict(float)
        for term, count in self._telling(scope, asked, held).items():
            weight = math.log1p((held - count + 0.5) / (count + 0.5)) / _global_idf(total, count)
            for number, score in rows_of(
                self._connection, _SEARCH, (f'"{scope:d}_{term}"', max(limit, BEST_OF_A_TERM))
            ):
                scores[number] += score * weight
        best = sorted(scores.items(), key=lambda hit: (-hit[1], hit[0]))[:limit]
        return [Hit(number, score) for number, score in best]

    def rows(self) -> Iterator[tuple[int, int, str]]:
        """(memory number, scope number, terms in order with a space between) of every row, by number."""
        yield from self._connection.execute("select number, scope, terms from lexical order by number")

    def _hide(self, gone: set[str]) -> None:
        """Take removed terms out of the borders between the index's pages, where secure delete leaves them.

        A border is the beginning of what was the first term after it. The first living term from there on is as
        good a border: nothing stands between the two.
        """
        if not gone:
            return
        rows_of(self._connection, "select 1 from lexical_terms limit 1")  # writes out what waits in memory
        beginnings = {bytes(term[:end]) for term in (t.encode() for t in gone) for end in range(1, len(term) + 1)}
        for segment, border in rows_of(self._connection, "select segid, term from lexical_index_idx where term <> ''"):
            if border[1:] not in beginnings:
                continue
            living = rows_of(self._connection, _FROM_HERE, (border[1:],))
            if living and living[0][0].encode().startswith(border[1:]):
                continue
            fresh = border[:1] + living[0][0].encode() if living else None
            if fresh is None or rows_of(self._connection, _IS_BORDER, (segment, fresh)):
                self._connection.execute("insert into lexical_index(lexical_index) values('optimize')")
                return
            self._connection.execute(_MOVE_BORDER, (fresh, segment, border))

    def _telling(self, scope: int, asked: list[str], held: int) -> dict[str, int]:
        """Terms with how many of the scope's rows hold them; without what a large share holds, if others remain."""
        found = dict(
            rows_of(
                self._connection,
                "select term, doc from lexical_terms where term in (select value from json_each(?))",
                (_json([f"{scope:d}_{term}" for term in asked]),),
            )
        )
        counts = {term: found[name] for term in asked if (name := f"{scope:d}_{term}") in found}
        rare = {term: n for term, n in counts.items() if n <= max(COMMON_LEAST, held * COMMON_SHARE)}
        if len(counts) <= FEW_TERMS:
            return counts
        return rare or dict(sorted(counts.items(), key=lambda item: (item[1], item[0]))[:FEW_TERMS])


def _global_idf(total: int, count: int) -> float:
    """What FTS5's bm25 weighs a term by, over all rows of the table (SQLite documentation, "The bm25() function")."""
    idf = math.log((total - count + 0.5) / (count + 0.5))
    return idf if idf > 0 else _LEAST_IDF


def _scoped(scope: int, terms: str) -> str:
    """Terms as the index holds them."""
    return f"{scope:d}_" + terms.replace(" ", f" {scope:d}_") if terms else ""


def _stored(term: str) -> str:
    """The one token that stands for a term: itself, or its bytes where the tokenizer would take it apart."""
    if _AS_IT_IS.fullmatch(term):
        return term
    return "x_" + term.encode("utf-8", "surrogatepass").hex()


def _json(values: Sequence[object]) -> str:
    return msgspec.json.encode(values).decode()
