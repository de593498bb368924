"""The embedded lexical index: the contract, and what only it promises."""

import pytest

from eunoe.stores import lexical as store
from eunoe.stores.lexical import SqliteLexical
from eunoe.streams.sqlite_files import connect, immediate
from tests.contract.lexical import LexicalContract


@pytest.fixture
def path(tmp_path):
    return tmp_path / "projections.db"


@pytest.fixture
def connection(path):
    opened = connect(path)
    opened.execute("pragma synchronous=off").fetchall()  # many small commits, and no power cut to fear
    with immediate(opened):
        store.create(opened)
    yield opened
    opened.close()


class TestSqliteLexical(LexicalContract):
    """The contract over one file."""

    @pytest.fixture
    def lexical(self, connection):
        return SqliteLexical(connection)

    @pytest.fixture(autouse=True)
    def _place(self, path, connection):
        self.path, self.connection = path, connection

    def remains(self, lexical, term):
        self.connection.execute("pragma wal_checkpoint(truncate)").fetchall()
        return any(term.encode() in file.read_bytes() for file in self.path.parent.iterdir())

    def test_rows_and_position_share_the_callers_transaction(self, lexical, connection):
        lexical.add([(1, 1, ["tea"])])
        with pytest.raises(RuntimeError, match="stop"), immediate(connection):
            lexical.add([(2, 1, ["tea"])])
            lexical.remove([1])
            raise RuntimeError("stop")
        assert [hit.number for hit in lexical.search(1, ["tea"], 9)] == [1]

    def test_rows_are_listed_by_number(self, lexical):
        lexical.add([(5, 1, ["tea", "cup"]), (2, 3, ["龙井"]), (3, 3, [])])
        assert list(lexical.rows()) == [(2, 3, "龙井"), (3, 3, ""), (5, 1, "tea cup")]

    def test_index_and_rows_agree(self, lexical, connection):
        lexical.add([(n, n % 3, ["a", f"w{n}"]) for n in range(50)])
        lexical.remove(list(range(10, 20)))
        lexical.add([(n, 1, ["b"]) for n in range(5)])
        check = "insert into lexical_index(lexical_index, rank) values('integrity-check', 1)"
        assert connection.execute(check).fetchall() == []

    def test_no_removed_term_stays_as_a_border_between_pages(self, lexical, connection):
        kept, gone = [], []
        with immediate(connection):
            for n in range(3_000):
                (kept if n % 7 == 0 else gone).append(n)
                lexical.add([(n, 1, [f"{n * 7919 % 100_003:06}canary", "tea", f"secret{n:05}q"])])
        with immediate(connection):
            lexical.remove(gone)
        living = {term for _, scope, terms in lexical.rows() for term in (f"{scope}_{t}" for t in terms.split())}
        borders = [row[0][1:].decode() for row in connection.execute("select term from lexical_index_idx")]
        assert len(borders) > 10
        assert [b for b in borders if b and not any(term.startswith(b) for term in living)] == []
        check = "insert into lexical_index(lexical_index, rank) values('integrity-check', 1)"
        assert connection.execute(check).fetchall() == []
        found = [[hit.number for hit in lexical.search(1, [f"secret{n:05}q"], 5)] for n in range(3_000)]
        assert found == [[n] if n in set(kept) else [] for n in range(3_000)]

    def test_a_row_that_is_as_it_was_is_not_written_again(self, lexical, connection):
        lexical.add([(1, 1, ["tea"]), (2, 1, ["cup"])])
        before = connection.total_changes()
        lexical.add([(1, 1, ["tea"]), (2, 1, ["cup"])])
        assert connection.total_changes() == before

    def test_a_very_common_term_is_left_out_where_others_remain(self, lexical):
        lexical.add([(n, 1, ["common", "usual", "daily"]) for n in range(1, 3_001)])
        lexical.add([(4_000, 1, ["rare", "one"])])
        assert [hit.number for hit in lexical.search(1, ["common", "usual", "daily", "rare"], 9)] == [4_000]
        assert len(lexical.search(1, ["common", "rare"], 9)) == 9
