"""Memories as they stood at one time of the world: only what was said by then, valid as it was then."""

from datetime import UTC, datetime

import msgspec

from eunoe.stores.contracts import Memory
from eunoe.streams import times

DAY = 86_400_000_000  # microseconds
OUTDATED_AFTER_DAYS = {"fact": 365, "skill": 365}


class Moment(msgspec.Struct, frozen=True):
    """When a recall looks at the world: `key` in UTC microseconds; `past` when the caller named a time."""

    key: int
    past: bool = False

    def saw(self, memory: Memory, keys: dict[str, int]) -> Memory | None:
        """The memory as it was known then; None when it wasn't. `keys` gives the time of a memory by its id."""
        if memory.retired:
            return None
        if not self.past:
            return memory
        sources = tuple(source for source in memory.sources if times.key_of(source.at) <= self.key)
        if not sources:
            return None
        superseded = memory.superseded_by is not None and keys.get(memory.superseded_by, self.key) <= self.key
        return msgspec.structs.replace(
            memory,
            sources=sources,
            last_confirmed=max((source.at for source in sources), key=times.key_of),
            contested_by=tuple(other for other in memory.contested_by if keys.get(other, self.key + 1) <= self.key),
            superseded_by=memory.superseded_by if superseded else None,
            valid_until=memory.valid_until if superseded or memory.superseded_by is None else None,
        )

    def ended(self, memory: Memory) -> bool:
        """Whether what it says had stopped being valid, or another memory had taken its place."""
        return memory.superseded_by is not None or (
            memory.valid_until is not None and self._after(memory.valid_until, memory.at)
        )

    def possibly_outdated(self, memory: Memory) -> bool:
        """Ended, or of a kind that changes and not confirmed for long. What happened stays so: no episode is."""
        days = OUTDATED_AFTER_DAYS.get(memory.kind)
        return days is not None and (self.ended(memory) or self.key - times.key_of(memory.last_confirmed) > days * DAY)

    def _after(self, end: str, at: str) -> bool:
        """Whether this moment is after a date (its whole day, in the speaker's zone) or time of the world."""
        try:
            moment = datetime.fromisoformat(end)
        except ValueError:
            return False
        if len(end) <= 10:
            moment = moment.replace(hour=23, minute=59, second=59)
        zone = datetime.fromisoformat(at).tzinfo or UTC
        return self.key > times.order_key(moment if moment.tzinfo else moment.replace(tzinfo=zone))
