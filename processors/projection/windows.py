"""Which turns get another unit when new turns arrive: the new ones, and those that have one in their context."""

from collections.abc import Iterable, Iterator, Sequence

from eunoe.processors.projection.rows import Place, Rows, TurnRow
from eunoe.processors.units import CONTEXT_TURNS, unit_id


def changed_turns(rows: Rows, scope: str, session: int, new: Iterable[Place]) -> list[TurnRow]:
    """Turns of one session whose unit is not the one stored, with the unit that they have now."""
    fresh = set(new)
    start = min(fresh)
    before = rows.before(session, start, CONTEXT_TURNS)
    changed = []
    for window, turn in _touched(before, rows.following(session, start), fresh):
        unit = bytes.fromhex(unit_id(scope, [(t.event, t.chunk) for t in (*window, turn)]))
        if unit != turn.unit:
            changed.append(turn._replace(unit=unit))
    return changed


def _touched(
    before: Sequence[TurnRow], following: Iterable[TurnRow], fresh: set[Place]
) -> Iterator[tuple[list[TurnRow], TurnRow]]:
    """(context, turn) for each new turn and the turns whose context reaches back to one; no further than needed."""
    window, left, reach = list(before), len(fresh), 0
    for turn in following:
        if turn.place in fresh:
            left, reach = left - 1, CONTEXT_TURNS + 1
        if reach > 0:
            reach -= 1
            yield window, turn
        elif left == 0:
            return
        window = [*window, turn][-CONTEXT_TURNS:]
