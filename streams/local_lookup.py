"""Where an event id stands: keyed hash of (scope, id) → row. Appended first, merged into order later.

A tree keyed by hashes dirties a page for nearly every insert, which is most of what a batch of records would write.
So new look-ups go to the end of `recent`, whose rows are kept in memory too, and every few thousand are merged into
the tree, sorted, in the same transaction as the append that fills it.
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b

import apsw

from eunoe.streams.sqlite_files import rows

MERGE_AT = 4096
TABLES = (
    "create table lookup(mac integer primary key, row integer not null)",
    "create table recent(seq integer primary key, mac integer not null, row integer not null)",
)


class Lookup:
    """The writer's side: used under the log's write lock."""

    def __init__(self, connection: apsw.Connection, key: bytes) -> None:
        self._connection, self._key = connection, key
        self._recent: dict[int, int] = {}
        self._first, self._last = 0, 0

    def mac(self, scope: str, event: str) -> int:
        """Keyed hash of an id, 64 bits, SQLite's own row key.

        A collision by chance (1 in 10^7 for a million events) is found on comparing content, and refused.
        """
        digest = blake2b(f"{scope}\x00{event}".encode(), key=self._key, digest_size=8).digest()
        return int.from_bytes(digest, "big", signed=True)

    def refresh(self) -> None:
        """Take in what other connections appended or merged."""
        first, last = rows(self._connection, "select coalesce(min(seq), 0), coalesce(max(seq), 0) from recent")[0]
        if first != self._first:
            self._recent, self._first, self._last = {}, first, 0
        if last > self._last:
            self._recent.update(
                rows(self._connection, "select mac, row from recent where seq > ? and row >= 0", (self._last,))
            )
            self._last = last

    def known(self, macs: Sequence[int]) -> dict[int, int]:
        """The rows of those ids that stand in the log."""
        listed = f"[{','.join(map(str, macs))}]"
        found = dict(
            rows(
                self._connection, "select mac, row from lookup where mac in (select value from json_each(?))", (listed,)
            )
            if len(macs) > 1
            else rows(self._connection, "select mac, row from lookup where mac = ?", macs)
        )
        found.update({mac: self._recent[mac] for mac in macs if mac in self._recent})
        return found

    def add(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Append (mac, row) pairs; when enough have gathered, merge all but the last, which keeps the count going."""
        added = [(self._last + index, mac, row) for index, (mac, row) in enumerate(pairs, 1)]
        self._connection.executemany("insert into recent values(?, ?, ?)", added)
        self._last += len(added)
        self._first = self._first or 1
        self._recent.update((mac, row) for _, mac, row in added)
        if len(self._recent) >= MERGE_AT:
            self._connection.execute(
                "insert into lookup select mac, row from recent where seq < ? and row >= 0 order by mac", (self._last,)
            )
            self._connection.execute("delete from recent where seq < ?", (self._last,))
            self._first, (_, mac, row) = self._last, added[-1]
            self._recent = {mac: row}

    def drop(self, macs: Sequence[int]) -> None:
        """Take look-ups away. A recent one leaves its place blank, so that the count of places never goes back."""
        listed = f"[{','.join(map(str, macs))}]"
        self._connection.execute("delete from lookup where mac in (select value from json_each(?))", (listed,))
        self._connection.execute(
            "update recent set mac = random(), row = -1 where mac in (select value from json_each(?))", (listed,)
        )
        self.forget()
        self.refresh()

    def forget(self) -> None:
        """Drop what is in memory, after a transaction that was undone."""
        self._recent, self._first, self._last = {}, 0, 0


def finder(connection: Callable[[], apsw.Connection]) -> Callable[[int], int | None]:
    """A reader's look-up by hash: the tree, else the recent ones. For many look-ups, they are read once."""
    recent: dict[int, int] = {}

    def find(mac: int) -> int | None:
        found = rows(connection(), "select row from lookup where mac = ?", (mac,))
        if found:
            return _row(found[0][0])
        if mac not in recent:
            recent.update(rows(connection(), "select mac, row from recent"))
        if mac not in recent:  # merged between the two looks
            found = rows(connection(), "select row from lookup where mac = ?", (mac,))
            return _row(found[0][0]) if found else None
        return _row(recent[mac])

    return find


def _row(found: object) -> int | None:
    """A damaged look-up leads nowhere."""
    return found if isinstance(found, int) else None
