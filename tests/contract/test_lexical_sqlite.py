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

    def test_a_very_common_term_is_left_out_where_others_remain(self, lexical):
        lexical.add([(n, 1, ["common", "usual", "daily"]) for n in range(1, 3_001)])
        lexical.add([(4_000, 1, ["rare", "one"])])
        assert [hit.number for hit in lexical.search(1, ["common", "usual", "daily", "rare"], 9)] == [4_000]
        assert len(lexical.search(1, ["common", "rare"], 9)) == 9
