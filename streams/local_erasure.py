"""Erasing from the local log: data keys, look-ups and ciphertexts go, in the transaction that records the request.

The chain stays whole: of a dropped ciphertext its hash stays, which is what the record's hash was made of.
"""

from collections.abc import Iterable, Sequence

import apsw
import msgspec

from eunoe.streams.errors import LogDamaged
from eunoe.streams.events import Interaction
from eunoe.streams.frames import Envelope, body_hash, decode_envelope
from eunoe.streams.guard import Guard, event_name
from eunoe.streams.keyring import Keyring
from eunoe.streams.log import Erasure, Log
from eunoe.streams.places import Place, number_of, place_of
from eunoe.streams.sqlite_files import rows

TABLES = (
    "create table dropped(row integer primary key, request integer not null)",
    "create index dropped_request on dropped(request)",
    "create table destroyed(pseudonym blob primary key) without rowid",
    "create table request(row integer primary key, id text not null, completed integer)",
)


def drop(connection: apsw.Connection, keyring: Keyring, places: Iterable[Place], request: int) -> int:
    """Drop keys and ciphertexts of these records for the request at row `request`; how many were still there."""
    count = 0
    for partition, position in places:
        row = number_of((partition, position))
        held = rows(connection, "select envelope, ciphertext from record where row = ?", (row,))
        if not held or held[0][1] is None:
            continue
        frame, sealed = held[0]
        connection.execute("update record set ciphertext = null, body_hash = ? where row = ?", (body_hash(sealed), row))
        _drop_keys(connection, keyring, decode_envelope(frame), row)
        connection.execute("insert or ignore into dropped values(?, ?)", (row, request))
        count += 1
    return count


def _drop_keys(connection: apsw.Connection, keyring: Keyring, envelope: Envelope, row: int) -> None:
    for pseudonym in envelope.subjects:
        number = keyring.subject_by_pseudonym(pseudonym)
        if number is not None:
            connection.execute("delete from datakey where subject = ? and row = ?", (number, row))


def destroyed(connection: apsw.Connection) -> frozenset[bytes]:
    """Pseudonyms whose keys are destroyed, and destroyed again on every opening."""
    return frozenset(row[0] for row in rows(connection, "select pseudonym from destroyed"))


def record_ids(connection: apsw.Connection, places: Sequence[Place]) -> tuple[bytes, ...]:
    """The random ids of the records at these places, in this order. Raises LogDamaged where one is not there."""
    listed = f"[{','.join(str(number_of(place)) for place in places)}]"
    found = rows(
        connection,
        "select r.envelope from json_each(?) j left join record r on r.row = j.value order by j.key",
        (listed,),
    )
    if any(frame is None for (frame,) in found):
        raise LogDamaged("a record that is to be dropped is missing")
    return tuple(decode_envelope(frame).record for (frame,) in found)


def dropped_by(connection: apsw.Connection, partition: int, position: int) -> list[Place]:
    """Places of the records that one request dropped."""
    request = number_of((partition, position))
    found = rows(connection, "select row from dropped where request = ? order by row", (request,))
    return [place_of(row) for (row,) in found]


def dropped_among(connection: apsw.Connection, places: Sequence[Place]) -> set[Place]:
    """Those of these places whose record was dropped on request."""
    listed = f"[{','.join(str(number_of(place)) for place in places)}]"
    found = rows(connection, "select row from dropped where row in (select value from json_each(?))", (listed,))
    return {place_of(row) for (row,) in found}


def orphaned(connection: apsw.Connection, keyring: Keyring, places: Iterable[Place]) -> list[bytes]:
    """Pseudonyms of the subjects of these records whose keys open nothing any more."""
    found: dict[bytes, int] = {}
    for place in places:
        held = rows(connection, "select envelope from record where row = ?", (number_of(place),))
        for pseudonym in decode_envelope(held[0][0]).subjects:
            number = keyring.subject_by_pseudonym(pseudonym)
            if number is not None:
                found[pseudonym] = number
    return [
        pseudonym
        for pseudonym, number in found.items()
        if not rows(connection, "select 1 from datakey where subject = ? limit 1", (number,))
    ]


def with_late(log: Log, guard: Guard, erasure: Erasure) -> Erasure:
    """An erasure with what came in since it was planned and would be refused after it. Under the log's lock."""
    for partition, seen in enumerate(erasure.seen):
        if seen >= log.head(partition):
            continue
        late = log.open(log.read(partition, seen, log.head(partition) - seen))
        for opened in late:
            event = opened.event
            if event is None or not guard.covers(erasure.names, event):
                continue
            names = ((event_name(event.scope, event.id), None),) if isinstance(event, Interaction) else ()
            erasure = msgspec.structs.replace(
                erasure,
                places=(*erasure.places, (partition, opened.record.position)),
                ids=(*erasure.ids, (event.scope, event.id)),
                names=(*erasure.names, *names),
            )
    return erasure
