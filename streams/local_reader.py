"""Reading the local log: records with their chain followed, and their bodies opened with the shares of their keys."""

from collections import defaultdict
from collections.abc import Sequence

import apsw

from eunoe.streams.chain import Chain
from eunoe.streams.errors import KeyMissing, LogDamaged
from eunoe.streams.frames import EPOCH_SCHEMA, decode_envelope, genesis
from eunoe.streams.keyring import Keyring
from eunoe.streams.local_erasure import dropped_among
from eunoe.streams.log import Record
from eunoe.streams.places import SHIFT
from eunoe.streams.sealing import joined, unseal
from eunoe.streams.sqlite_files import rows

_Share = tuple[bytes, bytes]


def records_from(connection: apsw.Connection, keyring: Keyring, partition: int, first: int, limit: int) -> list[Record]:
    """Up to `limit` records from position `first` on, followed from the record before it. Raises LogDamaged."""
    base, before = partition << SHIFT, genesis(keyring.home, partition)
    if first > 0:
        previous = rows(connection, "select hash from record where row = ?", (base + first - 1,))
        if not previous:
            return []
        before = previous[0][0]
    chain, records = Chain(partition, first, before), []
    for row, frame, sealed, kept, digest in rows(
        connection,
        "select row, envelope, ciphertext, body_hash, hash from record where row >= ? and row < ? limit ?",
        (base + first, (partition + 1) << SHIFT, limit),
    ):
        if not _are_bytes(frame, digest) or (sealed is not None and (kept is not None or not _are_bytes(sealed))):
            raise LogDamaged("the record is not as it was written", partition, chain.number)
        try:
            envelope = decode_envelope(frame)
        except ValueError:  # msgspec's errors are ValueErrors
            raise LogDamaged("the envelope can't be read", partition, chain.number) from None
        chain.follow(row - base, envelope.number, frame, sealed, kept, digest)
        records.append(Record(partition, row - base, envelope, sealed, digest))
    return records


def _are_bytes(*values: object) -> bool:
    return all(isinstance(value, bytes) for value in values)


def bodies_of(connection: apsw.Connection, keyring: Keyring, records: Sequence[Record]) -> list[bytes | None]:
    """The clear body of each record; None for the log's own and for what was dropped on request.

    Raises KeyMissing, LogDamaged.
    """
    shares = _shares(connection, keyring, records)
    closed = [(r.partition, r.position) for r in records if r.ciphertext is None or not _has_shares(r, shares)]
    dropped = dropped_among(connection, closed) if closed else set()  # also what was dropped since it was read
    return [
        None
        if record.envelope.schema == EPOCH_SCHEMA or (record.partition, record.position) in dropped
        else _opened(record, shares)
        for record in records
    ]


def _has_shares(record: Record, shares: dict[tuple[bytes, int], _Share]) -> bool:
    row = (record.partition << SHIFT) + record.position
    return all((subject, row) in shares for subject in record.envelope.subjects)


def _opened(record: Record, shares: dict[tuple[bytes, int], _Share]) -> bytes:
    envelope, row = record.envelope, (record.partition << SHIFT) + record.position
    parts = [shares.get((subject, row)) for subject in envelope.subjects]
    found = [part for part in parts if part is not None]
    if record.ciphertext is None or not found or len(found) < len(parts):
        raise KeyMissing(record.partition, record.position)
    try:
        keys = [unseal(secret, share, envelope.record) for share, secret in found]
        return unseal(joined(keys), record.ciphertext, envelope.binding)
    except LogDamaged as error:
        raise LogDamaged(error.reason, record.partition, record.position) from None


def _shares(
    connection: apsw.Connection, keyring: Keyring, records: Sequence[Record]
) -> dict[tuple[bytes, int], _Share]:
    """(pseudonym, row) → (wrapped share, subject key): one range read a subject and page."""
    wanted: dict[bytes, list[int]] = defaultdict(list)
    for record in records:
        for pseudonym in record.envelope.subjects:
            wanted[pseudonym].append((record.partition << SHIFT) + record.position)
    found = {}
    for pseudonym, places in wanted.items():
        number = keyring.subject_by_pseudonym(pseudonym)
        if number is None:
            continue
        for row, version, share in rows(
            connection,
            "select row, version, share from datakey where subject = ? and row between ? and ?",
            (number, min(places), max(places)),
        ):
            key = keyring.key(number, version)
            if key is not None and _are_bytes(share):
                found[pseudonym, row] = (share, key.secret)
    return found
