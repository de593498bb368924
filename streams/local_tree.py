"""The hash tree beside the local log: perfect subtrees of 256 records and more, added by the append that fills them.

Record hashes never change, also when a record is forgotten, so a full subtree stands for ever. Smaller ones are made
of the records themselves when a proof asks for them. So a head or a proof reads O(log n) rows and 256 records at most.
"""

from collections.abc import Iterable

import apsw

from eunoe.streams.errors import LogDamaged
from eunoe.streams.merkle import leaf_hash, node_hash, perfect_root
from eunoe.streams.places import SHIFT, place_of
from eunoe.streams.sqlite_files import rows

TILE = 8
"""Level of the smallest stored subtrees: 2^8 records."""

TABLE = (
    "create table tree(partition integer, level integer, idx integer, hash blob not null,"
    " primary key(partition, level, idx)) without rowid"
)
_LAST = (1 << TILE) - 1


def grow(connection: apsw.Connection, added: Iterable[int]) -> None:
    """Store the subtrees that these new rows complete, in the transaction that adds them."""
    for row in added:
        if row & _LAST == _LAST:  # partitions start at multiples of 2^40
            _store(connection, row)


def _store(connection: apsw.Connection, row: int) -> None:
    partition, position = place_of(row)
    level, index = TILE, position >> TILE
    found = _of_records(connection, partition, level, index)
    connection.execute("insert into tree values(?, ?, ?, ?)", (partition, level, index, found))
    while index & 1:
        found = node_hash(node(connection, partition, level, index - 1), found)
        level, index = level + 1, index >> 1
        connection.execute("insert into tree values(?, ?, ?, ?)", (partition, level, index, found))


def node(connection: apsw.Connection, partition: int, level: int, index: int) -> bytes:
    """Hash of a perfect subtree. Raises LogDamaged where the records or the stored subtree are not there."""
    if level < TILE:
        return _of_records(connection, partition, level, index)
    found = rows(
        connection, "select hash from tree where partition = ? and level = ? and idx = ?", (partition, level, index)
    )
    if not found or not isinstance(found[0][0], bytes):
        raise LogDamaged("a hash of the tree is missing", partition, index << level)
    return bytes(found[0][0])


def _of_records(connection: apsw.Connection, partition: int, level: int, index: int) -> bytes:
    first, count = (partition << SHIFT) + (index << level), 1 << level
    held = rows(connection, "select hash from record where row >= ? and row < ? order by row", (first, first + count))
    hashes = [row[0] for row in held]
    if len(hashes) != count or not all(isinstance(digest, bytes) for digest in hashes):
        raise LogDamaged("a record that the tree stands on is missing", partition, index << level)
    return perfect_root([leaf_hash(digest) for digest in hashes])
