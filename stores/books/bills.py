"""Bills and reports: what recall and generation cost, by the minute, and what agents said of what they were given.

They hold no content: a memory stands as a keyed hash of its id.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b

from sqlalchemy import bindparam, func, select
from sqlalchemy.dialects.sqlite import insert

from eunoe.stores.books.database import Database
from eunoe.stores.books.tables import bill, report, use
from eunoe.streams.errors import EunoeError

_SUMS = ("calls", "tokens_in", "tokens_out", "microseconds")
_KEY = ("minute", "phase", "cause", "system", "model")


class Bills:
    """Sums calls by the minute and writes a minute when it is over. key: 32 bytes under which ids are hashed."""

    def __init__(self, database: Database, key: bytes, clock: Callable[[], float]) -> None:
        self._database, self._key, self._clock = database, key, clock
        self._lock = threading.Lock()
        self._minute, self._open = 0, dict[tuple[int, str, str, str, str], Counter[str]]()

    def add(
        self, phase: str, cause: str, system: str = "eunoe", model: str = "", *, calls: int = 1,
        tokens_in: int = 0, tokens_out: int = 0, microseconds: int = 0,
    ) -> None:  # fmt: skip
        """Count one or more calls. Written with the minute, so that no recall waits for a disk."""
        minute = int(self._clock() // 60)
        with self._lock:
            over = self._take() if minute != self._minute else {}
            self._minute = minute
            sums = self._open.setdefault((minute, phase, cause, system, model), Counter())
            sums.update(calls=calls, tokens_in=tokens_in, tokens_out=tokens_out, microseconds=microseconds)
        try:
            self._write(over)
        except EunoeError:  # nobody's read fails for its bill: it is written with a later minute
            with self._lock:
                for key, counted in over.items():
                    self._open.setdefault(key, Counter()).update(counted)

    def flush(self) -> None:
        """Write what is counted so far."""
        with self._lock:
            counted = self._take()
        self._write(counted)

    def _take(self) -> dict[tuple[int, str, str, str, str], Counter[str]]:
        counted, self._open = self._open, {}
        return counted

    def _write(self, counted: dict[tuple[int, str, str, str, str], Counter[str]]) -> None:
        if not counted:
            return
        with self._database.write() as connection:
            for key, sums in counted.items():
                row = insert(bill).values(**dict(zip(_KEY, key, strict=True)), **{name: sums[name] for name in _SUMS})
                summed = {name: bill.c[name] + row.excluded[name] for name in _SUMS}
                connection.execute(row.on_conflict_do_update(set_=summed))

    def report(self, recall: str, outcome: str, used: Sequence[str], tokens_in: int, tokens_out: int) -> None:
        """What an agent made of a recall. Said again for the same recall, the last word stands."""
        now = int(self._clock())
        values = {"at": now, "outcome": outcome, "tokens_in": tokens_in, "tokens_out": tokens_out}
        with self._database.write() as connection:
            connection.execute(insert(report).values(recall=recall, **values).on_conflict_do_update(set_=values))
            for memory in used:
                row = insert(use).values(memory=self._mac(memory), uses=1, last=now)
                connection.execute(row.on_conflict_do_update(set_={"uses": use.c.uses + 1, "last": now}))

    def _mac(self, memory: str) -> bytes:
        return blake2b(memory.encode(), key=self._key, digest_size=16).digest()

    def purge(self, gone: Iterable[str]) -> None:
        """Take away the use counters of these memories."""
        self._drop([self._mac(memory) for memory in gone])

    def retain(self, living: Iterable[str]) -> None:
        """Take away the use counters of all memories but these."""
        kept = {self._mac(memory) for memory in living}
        with self._database.read() as connection:
            held = list(connection.execute(select(use.c.memory)).scalars())
        self._drop([mac for mac in held if mac not in kept])

    def _drop(self, macs: Sequence[bytes]) -> None:
        if macs:
            with self._database.write() as connection:
                statement = use.delete().where(use.c.memory == bindparam("gone"))
                connection.execute(statement, [{"gone": mac} for mac in macs])

    def totals(self) -> dict[str, dict[str, int]]:
        """Calls, tokens and microseconds by phase."""
        self.flush()
        statement = select(bill.c.phase, *(func.sum(bill.c[name]) for name in _SUMS)).group_by(bill.c.phase)
        with self._database.read() as connection:
            found = connection.execute(statement).all()
        return {row[0]: dict(zip(_SUMS, map(int, row[1:]), strict=True)) for row in found}
