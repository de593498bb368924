"""Epoch records of the local log: a new writer says that it goes on from here. At creation, restore and migration."""

from os import urandom

import apsw

from eunoe.streams.frames import EPOCH_SCHEMA, Envelope, body_hash, chained, encode_envelope, genesis
from eunoe.streams.local_tree import grow
from eunoe.streams.places import SHIFT
from eunoe.streams.sqlite_files import rows


def begin(connection: apsw.Connection, home: bytes, partitions: int, epoch: int, now: int) -> bytes:
    """Put an epoch record at the end of every partition; the new writer's id. now: milliseconds since 1970."""
    writer = urandom(8)
    for partition in range(partitions):
        base = partition << SHIFT
        last = rows(
            connection,
            "select row, hash from record where row >= ? and row < ? order by row desc limit 1",
            (base, base + (1 << SHIFT)),
        )
        number, previous = (last[0][0] - base + 1, last[0][1]) if last else (0, genesis(home, partition))
        frame = encode_envelope(Envelope(urandom(16), bytes(16), (), EPOCH_SCHEMA, 0, epoch, writer, number, now))
        digest = chained(previous, frame, body_hash(b""))
        connection.execute("insert into record values(?, ?, ?, null, ?)", (base + number, frame, b"", digest))
        grow(connection, [base + number])
    return writer
