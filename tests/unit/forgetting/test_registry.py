"""Every table and file of a home in use is registered; what holds content says how it goes."""

import importlib

import apsw
import pytest

from eunoe.stores.erasable import TABLES, Erasable, Plain, erasables, registered
from tests.property.worlds import say

DATABASES = {"log": "log.db", "books": "books.db", "projections": "projections.db"}


def tables_of(places) -> set[tuple[str, str]]:
    """(kind of file, table) of all that stand in the closed home."""
    places.close()
    found = set()
    for kind, name in DATABASES.items():
        connection = apsw.Connection(str((places.path / name).resolve()))
        rows = connection.execute("select name from sqlite_master where type in ('table', 'view')").fetchall()
        found |= {(kind, row[0]) for row in rows}
        connection.close()
    return found


def test_every_table_is_registered_and_every_entry_stands(memory, places):
    assert tables_of(places) == {(table.file, table.table) for table in TABLES}


def test_every_file_is_registered(memory, places, tmp_path):
    memory.forget(scope="user/1")
    memory.rebuild()
    memory.report("r-1", outcome="helped", used=[memory.memories("user/2")[0].id])
    memory.prove()
    files = [str(path.relative_to(places.path)) for path in places.path.rglob("*")]
    assert len(files) > 6
    assert [name for name in files if not registered(name)] == []
    assert not registered("notes.txt")
    assert not registered(".proof/log.db")


def test_whatever_purges_exists():
    for table in (table for table in TABLES if isinstance(table, Erasable)):
        parts = table.purged_by.split(".")
        for cut in range(len(parts) - 1, 0, -1):
            try:
                found = importlib.import_module(".".join(parts[:cut]))
            except ModuleNotFoundError:
                continue
            break
        for name in parts[cut:]:
            found = getattr(found, name)
        assert callable(found), table.purged_by


def test_what_holds_nothing_says_why():
    assert all(table.reason for table in TABLES if isinstance(table, Plain))


@pytest.mark.parametrize("kind", DATABASES)
def test_scans_see_every_row(memory, places, kind):
    memory.forget(scope="user/0", event="e0")
    places.close()
    connection = apsw.Connection(str((places.path / DATABASES[kind]).resolve()))
    for table in erasables(kind):
        count = connection.execute(f"select count(*) from {table.table}").fetchall()[0][0]
        assert len(list(table.scan(connection))) == count
    connection.close()


def test_find_and_names_see_what_stands_there(memory):
    """The look-outs of the proof are not blind: before a forget they find what they must not find after it."""
    memory.record_many([say("long", "x" * 9_000, 55, scope="user/0"), say("last", "city=Oslo now", 58, scope="user/0")])
    memory.settle()
    memory.edit(memory.memories("user/0", "fact")[0].id, "she lives up north")
    memory.drop_from_context("s", "e0", scope="user/0")
    memory.settle()
    connection = memory._home.projections.reader()
    places = {row[0] for row in connection.execute("select number from turn").fetchall()}
    by_name = {table.table: table for table in erasables("projections")}
    for name in ("turn", "item", "memory"):
        assert by_name[name].find(connection, places) > 0, name
        assert by_name[name].find(connection, {-1}) == 0
    for name in ("turn", "memory", "correction", "dropped", "trace", "alias"):
        assert ("user/0", "e0") in set(by_name[name].named(connection)), name
