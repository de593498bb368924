"""Which turns get another unit when turns come or go: the new ones, and those with one in their context."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from eunoe.processors.projection.rows import Place, Rows, TurnRow
from eunoe.processors.units import CONTEXT_TURNS, unit_id


def changed_turns(rows: Rows, scope: str, session: int, new: Iterable[Place]) -> list[tuple[TurnRow, bytes | None]]:
    """Turns of one session whose unit is not the one stored: with their unit now, and the one that they had.

    new: places where turns came or went.
    """
    fresh = set(new)
    start = min(fresh)
    before = rows.before(session, start, CONTEXT_TURNS)
    changed = []
    for window, turn in _touched(before, rows.following(session, start), fresh):
        unit = bytes.fromhex(unit_id(scope, [(t.event, t.chunk) for t in (*window, turn)]))
        if unit != turn.unit:
            changed.append((turn._replace(unit=unit), turn.unit))
    return changed


def _touched(
    before: Sequence[TurnRow], following: Iterable[TurnRow], fresh: set[Place]
) -> Iterator[tuple[list[TurnRow], TurnRow]]:
    """(context, turn) for each new turn and the turns whose context reaches back to one; no further than needed."""
    window, ahead, reach = list(before), deque(sorted(fresh)), 0
    for turn in following:
        while ahead and ahead[0] <= turn.place:  # a place that a turn was taken from stands no more, but reaches on
            reach = CONTEXT_TURNS + (ahead.popleft() == turn.place)
        if reach > 0:
            reach -= 1
            yield window, turn
        elif not ahead:
            return
        window = [*window, turn][-CONTEXT_TURNS:]
