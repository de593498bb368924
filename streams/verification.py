"""Verification: every record of every partition read, followed, opened and looked up."""

from collections.abc import Callable

from eunoe.streams.errors import EunoeError, KeyMissing, LogDamaged
from eunoe.streams.frames import EPOCH_SCHEMA
from eunoe.streams.log import Bad, Log, Record, Verification

_PAGE = 1000


def verified(log: Log, find: Callable[[str, str], tuple[int, int] | None]) -> Verification:
    """Check a whole log; stops at the first bad position. `find` is the backend's look-up by (scope, id)."""
    records = 0
    for partition in range(log.partitions):
        position = -1
        try:
            while page := log.read(partition, position, _PAGE):
                _check_page(log, page, find)
                position = page[-1].position
            if position < 0:
                raise LogDamaged("the partition has lost all its records", partition, 0)
        except (LogDamaged, KeyMissing) as error:
            where = position + 1 if error.position is None else error.position
            return Verification(False, log.partitions, records + where, Bad(partition, where, error.reason))
        except EunoeError as error:
            return Verification(False, log.partitions, records, Bad(partition, position + 1, str(error)))
        records += position + 1
    return Verification(True, log.partitions, records)


def _check_page(log: Log, page: list[Record], find: Callable[[str, str], tuple[int, int] | None]) -> None:
    for opened in log.open(page):
        record, event = opened.record, opened.event
        if record.position == 0 and record.envelope.schema != EPOCH_SCHEMA:
            raise LogDamaged("the partition does not start with an epoch record", record.partition, 0)
        if event is None:
            continue
        start = find(event.scope, event.id)
        first = record.position - getattr(event, "chunk", 0)
        if start != (record.partition, first):
            raise LogDamaged("the look-up of this record's id is missing or wrong", record.partition, record.position)
