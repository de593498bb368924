"""What one log has forgotten, carried over to another log of the same home: to an older one that a backup holds.

A request that the other log lacks is recorded there anew, under its own id, and drops there what it dropped here:
records by their ids and by destroyed pseudonyms, and whatever stands on them or would be refused by name.
"""

from collections.abc import Iterator, Sequence

import apsw
import msgspec

from eunoe.streams.events import AnyEvent, Forget
from eunoe.streams.frames import EPOCH_SCHEMA, decode_envelope
from eunoe.streams.guard import Guard, event_name, names_of
from eunoe.streams.local_erasure import destroyed
from eunoe.streams.log import Erasure, Log, Record
from eunoe.streams.places import Place, number_of, place_of
from eunoe.streams.sqlite_files import rows

_PAGE = 500


class Carried(msgspec.Struct, frozen=True):
    """One request. covers: record ids and pseudonyms that it took. destroyed: pseudonyms whose keys went with it.

    suppressed: (keyed hash of a name, time key up to which it is refused or None).
    """

    request: Forget
    covers: frozenset[bytes]
    destroyed: tuple[bytes, ...]
    suppressed: tuple[tuple[bytes, int | None], ...]


class Forgets(msgspec.Struct, frozen=True):
    """All requests of a log, in its order, and the tombstones that redactions left."""

    requests: tuple[Carried, ...] = ()
    stones: tuple[Forget, ...] = ()


class Carry(msgspec.Struct, frozen=True):
    """What was forgotten on carrying: requests, dropped records, destroyed keys, names refused from now on."""

    requests: int = 0
    records: int = 0
    keys: int = 0
    names: int = 0


# -- what was forgotten ---------------------------------------------------------------------------


def forgotten_in(log: Log, connection: apsw.Connection) -> Forgets:
    """All that a log has forgotten. It reads requests and what they dropped, whatever else of the log is damaged."""
    gone, requests = destroyed(connection), list[Carried]()
    for _, place, _ in log.requests():
        (opened,) = log.open(log.read(place[0], place[1] - 1, 1))
        if not isinstance(opened.event, Forget):
            continue
        row = number_of(place)
        frames = rows(
            connection, "select r.envelope from dropped d join record r on r.row = d.row where d.request = ?", (row,)
        )
        covers = {decode_envelope(frame).record for (frame,) in frames} | set(opened.record.envelope.covers)
        macs = rows(connection, "select mac, until from suppressed where request = ?", (row,))
        keys = tuple(sorted(covers & gone))
        requests.append(Carried(opened.event, frozenset(covers), keys, tuple(macs)))
    if requests:  # keys that opened nothing more went with some request; which one does not matter
        rest = gone - {key for one in requests for key in one.destroyed}
        last = requests[-1]
        requests[-1] = msgspec.structs.replace(
            last, covers=last.covers | rest, destroyed=(*last.destroyed, *sorted(rest))
        )
    return Forgets(tuple(requests), tuple(_stones(log, connection)))


def _stones(log: Log, connection: apsw.Connection) -> Iterator[Forget]:
    for row, frame in connection.execute("select row, envelope from record where ciphertext is not null"):
        if decode_envelope(frame).schema.startswith("forget/"):
            partition, position = place_of(row)
            for opened in log.open(log.read(partition, position - 1, 1)):
                if isinstance(opened.event, Forget) and opened.event.tombstones:
                    yield opened.event


# -- forgetting it elsewhere ----------------------------------------------------------------------


def carry(log: Log, connection: apsw.Connection, key: bytes, forgets: Forgets) -> Carry:
    """Forget in this log what another one of the same home forgot. Nobody else uses this log meanwhile.

    key: the home's suppression key.
    """
    known = {name for name, _, _ in log.requests()}
    missing = [one for one in forgets.requests if one.request.id not in known]
    if not missing:
        return Carry()
    before, covered = destroyed(connection), _Covered(Guard(connection, key), missing)
    for records in _pages(log):
        covered.by_id(records)
    covered.name_those(log)
    for records in _pages(log):
        covered.by_name(log, records)
    stones = [stone for stone in forgets.stones if log.find(stone.scope, stone.id) is None]
    for index, one in enumerate(missing):
        places = tuple(sorted(place for place, of in covered.places.items() if of == index))
        ids = tuple(sorted({covered.ids[place] for place in places if place in covered.ids}))
        last = stones if index == len(missing) - 1 else ()
        log.erase(one.request, Erasure(places, ids, one.suppressed, one.destroyed), last)
    names = {mac for one in missing for mac, _ in one.suppressed}
    return Carry(len(missing), len(covered.places), len(destroyed(connection) - before), len(names))


def _pages(log: Log) -> Iterator[list[Record]]:
    for partition in range(log.partitions):
        after = -1
        while records := log.read(partition, after, _PAGE):
            yield records
            after = records[-1].position


class _Covered:
    """Which records go, and with which of the missing requests. places: place → index; ids: place → (scope, id)."""

    def __init__(self, guard: Guard, missing: Sequence[Carried]) -> None:
        self._guard = guard
        self._owner = {name: index for index, one in enumerate(missing) for name in one.covers}
        self._refused = {mac: (until, index) for index, one in enumerate(missing) for mac, until in one.suppressed}
        self._gone: dict[str, int] = {}
        self.places: dict[Place, int] = {}
        self.ids: dict[Place, tuple[str, str]] = {}

    def by_id(self, records: Sequence[Record]) -> None:
        """Those whose id, stream or subject a request covers."""
        for record in records:
            envelope, place = record.envelope, (record.partition, record.position)
            if record.ciphertext is None or envelope.schema == EPOCH_SCHEMA:
                continue
            for name in (envelope.record, envelope.stream, *envelope.subjects):
                if name in self._owner:
                    self.places.setdefault(place, self._owner[name])

    def name_those(self, log: Log) -> None:
        """What stands on those that go is found by their names."""
        for place, index in list(self.places.items()):
            for opened in log.open(log.read(place[0], place[1] - 1, 1)):
                if opened.event is not None:
                    self._take(place, opened.event, index)

    def by_name(self, log: Log, records: Sequence[Record]) -> None:
        """Those that the guard would refuse, and what stands on those that go. In the log's order."""
        left = [r for r in records if r.ciphertext is not None and (r.partition, r.position) not in self.places]
        for opened in log.open(left):
            index = None if opened.event is None else self._why(opened.event)
            if opened.event is not None and index is not None:
                self._take((opened.record.partition, opened.record.position), opened.event, index)

    def _why(self, event: AnyEvent) -> int | None:
        for name, key in names_of(event):
            if name in self._gone:
                return self._gone[name]
            until, index = self._refused.get(self._guard.mac(name), (0, -1))
            if index >= 0 and (until is None or key is None or key <= until):
                return index
        return None

    def _take(self, place: Place, event: AnyEvent, index: int) -> None:
        self.places[place] = index
        self.ids[place] = (event.scope, event.id)
        self._gone[event_name(event.scope, event.id)] = index
