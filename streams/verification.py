"""Verification: every record of every partition read, followed, opened and looked up, and its hash tree made anew.

Stops at the first bad position. What was dropped is held against the forget requests that stand in the log, and the
tree against heads that were kept outside it.
"""

from collections.abc import Callable

from eunoe.streams.errors import EunoeError, KeyMissing, LogDamaged
from eunoe.streams.events import Forget
from eunoe.streams.frames import EPOCH_SCHEMA, Envelope
from eunoe.streams.log import Bad, Heads, Log, Opened, Record, Verification
from eunoe.streams.merkle import Frontier, leaf_hash

_PAGE = 1000
_STORED_LEVEL = 8  # a backend keeps the tree's subtrees from here on

Find = Callable[[str, str], tuple[int, int] | None]


def verified(log: Log, find: Find, heads: Heads) -> Verification:
    """Check a whole log. find: the backend's look-up by (scope, id). heads: roots that the log must have."""
    check, records = _Check(log, find, heads), 0
    for partition in range(log.partitions):
        try:
            check.partition(partition)
        except (LogDamaged, KeyMissing) as error:
            where = check.next if error.position is None else error.position
            return Verification(False, log.partitions, records + where, Bad(partition, where, error.reason))
        except EunoeError as error:
            return Verification(False, log.partitions, records, Bad(partition, check.next, str(error)))
        records += check.next
    bad = check.uncovered()
    return Verification(bad is None, log.partitions, records, bad)


class _Check:
    """One pass over a log. next: the position that comes next in the partition at hand."""

    def __init__(self, log: Log, find: Find, heads: Heads) -> None:
        self._log, self._find, self._heads = log, find, heads
        self._dropped: list[tuple[int, int, frozenset[bytes]]] = []
        self._covers: set[bytes] = set()
        self._ends: list[int] = []
        self.next = 0

    def partition(self, partition: int) -> None:
        """Raises LogDamaged, KeyMissing and what opening raises, at the first bad record."""
        self.next, tree, agreed = 0, Frontier(), 0
        wanted = sorted(size for of, size in self._heads if of == partition)
        while page := self._page(partition):
            for opened in page:
                self._record(opened)
                self._grow(tree, opened.record)
                if (partition, tree.size) in self._heads:
                    if tree.root() != self._heads[partition, tree.size]:
                        raise LogDamaged(_rewritten(agreed, tree.size), partition, agreed)
                    agreed = tree.size
                self.next = opened.record.position + 1
        if not self.next:
            raise LogDamaged("the partition has lost all its records", partition, 0)
        if wanted and wanted[-1] > self.next:
            raise LogDamaged("the log is shorter than a signed head of it: it was cut or rolled back", partition)
        self._ends.append(self.next)

    def _page(self, partition: int) -> list[Opened]:
        page = self._log.read(partition, self.next - 1, _PAGE)
        try:
            return self._log.open(page)
        except KeyMissing:  # a request may have come between the two reads
            return self._log.open(self._log.read(partition, self.next - 1, len(page)))

    def _record(self, opened: Opened) -> None:
        record, event = opened.record, opened.event
        if record.position == 0 and record.envelope.schema != EPOCH_SCHEMA:
            raise LogDamaged("the partition does not start with an epoch record", record.partition, 0)
        if record.ciphertext is None:
            self._dropped.append((record.partition, record.position, _names(record.envelope)))
        if event is None:
            return
        self._request(opened)
        first = record.position - getattr(event, "chunk", 0)
        if self._find(event.scope, event.id) != (record.partition, first):
            raise LogDamaged("the look-up of this record's id is missing or wrong", record.partition, record.position)

    def _grow(self, tree: Frontier, record: Record) -> None:
        for level, index, found in tree.push(leaf_hash(record.hash)):
            if level >= _STORED_LEVEL and self._log.node(record.partition, level, index) != found:
                raise LogDamaged("the hash tree is not that of the records", record.partition, index << level)

    def _request(self, opened: Opened) -> None:
        event = opened.event
        if isinstance(event, Forget) and event.completes is None and event.depth != "readmit":
            self._covers.update(opened.record.envelope.covers)

    def uncovered(self) -> Bad | None:
        """The first record that lost its ciphertext without a request that says so, be it a request of just now."""
        for partition, end in enumerate(self._ends if self._dropped else ()):
            for opened in self._log.open(self._log.read(partition, end - 1, _PAGE)):
                self._request(opened)
        for partition, position, names in self._dropped:
            if not names & self._covers:
                return Bad(partition, position, "the ciphertext is gone, and no forget request covers it")
        return None


def _names(envelope: Envelope) -> frozenset[bytes]:
    """What a request can name a record by."""
    return frozenset((envelope.record, envelope.stream, *envelope.subjects))


def _rewritten(first: int, size: int) -> str:
    return f"the records from {first} to {size - 1} are not those of a signed head: the log was rewritten or forked"
