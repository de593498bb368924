"""What results say, as items of their turns; and the episodes, which are memories without a group."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from eunoe.processors.projection.rows import Rows, TurnRow
from eunoe.processors.projection.settling import Evidence, group_of, item_id, settle
from eunoe.stores.contracts import Memory
from eunoe.stores.memories import id_key
from eunoe.streams.events import Correction, Interaction, Item, Kind, Result, Role
from eunoe.streams.sqlite_files import rows

Group = tuple[int, bytes]
"""(scope number, settling group)."""


def drop_items(target: Rows, scope: int, turn: TurnRow) -> set[Group]:
    """Take a turn's items away; their groups settle anew. Their ids stay findable through the turn."""
    held = rows(target.connection, "select grp, id, kind from item where turn = ?", (turn.number,))
    if not held:
        return set()
    target.connection.execute("delete from item where turn = ?", (turn.number,))
    target.alias(scope, turn.event, turn.chunk, [(name.hex(), kind) for _, name, kind in held])
    return {(scope, group) for group, _, _ in held}


def give_items(
    target: Rows,
    scope: int,
    turn: TurnRow,
    anchor: Interaction,
    result: Result,
    corrections: Sequence[Correction],
    *,
    fresh: bool,
) -> set[Group]:
    """Store a live result's items; the groups that they settle in. The episode is settled here.

    fresh: the turn came with this page, and can have no episode yet.
    """
    items, episode = [], None
    for index, item in enumerate(result.items):
        name = item_id(anchor.scope, anchor.id, anchor.chunk, item)
        if item.kind == "episode":
            episode = _episode(turn, anchor, name, item, corrections)
            continue
        group = group_of(item)
        items.append((index, scope, group, id_key(name), item.kind, anchor.at, anchor.role))
    target.add_items(turn.number, items)
    target.replace(scope, None, turn.number, [] if episode is None else [(episode, turn.number)], fresh=fresh)
    return {(scope, group) for _, _, group, *_ in items}


def note_inert(target: Rows, scope: int, number: int, result: Result) -> None:
    """Keep what a result without effect was made of, and its items' ids: they resolve to what its turn says now."""
    target.connection.executemany(
        "insert or ignore into inert values(?, ?, ?, ?)",
        [(number, *member(name), scope) for name in result.members],
    )
    event, chunk = member(result.members[-1])
    names: list[tuple[str, Kind]] = [(item_id(result.scope, event, chunk, i), i.kind) for i in result.items]
    target.alias(scope, event, chunk, names)


class Standing(NamedTuple):
    """An item of a group as the tables hold it. result: the number of the result that says it."""

    name: bytes
    place: int
    at: str
    role: Role
    turn: int
    session: str
    key: int
    order: int
    event: str
    chunk: int
    result: int


def standing(target: Rows, scope: int, group: bytes) -> list[Standing]:
    """The living items of a group."""
    found = rows(
        target.connection,
        "select i.id, i.idx, i.at, i.role, t.number, s.name, t.key, t.ord, t.event, t.chunk, r.number from item i"
        " join turn t on t.number = i.turn join session s on s.number = t.session join result r on r.unit = t.unit"
        " where i.scope = ? and i.grp = ?",
        (scope, group),
    )
    return [Standing(*row) for row in found]


def settle_group(
    target: Rows,
    group: Group,
    path: str,
    held: Sequence[Standing],
    results: Mapping[int, Result],
    corrections: Sequence[Correction],
) -> None:
    """Settle one group from its living items. path: the scope's."""
    evidence = [_evidence(one, results[one.result]) for one in held if one.result in results]
    turns = {e.id: e.turn for e in evidence}
    settled = settle(path, evidence, corrections)
    target.replace(*group, None, [(memory, turns[memory.id[2:]]) for memory in settled])
    first = {memory.id[2:] for memory in settled}
    for one in evidence:
        if one.id not in first:
            target.alias(group[0], one.event, one.chunk, [(one.id, one.item.kind)])


def member(name: str) -> tuple[str, int]:
    """Event id and chunk from a result's member name (`id`, or `id` and chunk around a NUL)."""
    event, _, chunk = name.partition("\x00")
    return event, int(chunk or 0)


def member_name(event: str, chunk: int) -> str:
    """The name of a turn among a result's members."""
    return f"{event}\x00{chunk}" if chunk else event


def _evidence(one: Standing, result: Result) -> Evidence:
    return Evidence(
        id=one.name.hex(),
        item=result.items[one.place],
        turn=one.turn,
        session=one.session,
        role=one.role,
        at=one.at,
        key=one.key,
        order=one.order,
        event=one.event,
        chunk=one.chunk,
    )


def _episode(turn: TurnRow, anchor: Interaction, name: str, item: Item, corrections: Sequence[Correction]) -> Memory:
    """What was really said, with who said it."""
    told = item if item.text is not None else item.model_copy(update={"text": _spoken(anchor, item)})
    evidence = Evidence(
        id=name, item=told, turn=turn.number, session=anchor.session, role=anchor.role, at=anchor.at,
        key=turn.key, order=turn.order, event=anchor.id, chunk=anchor.chunk,
    )  # fmt: skip
    return settle(anchor.scope, [evidence], corrections)[0]


def _spoken(anchor: Interaction, item: Item) -> str:
    """The spans' own text, or the whole turn's, behind its speaker."""
    parts = [anchor.text[span.start : span.end].strip() for span in item.spans] or [anchor.text.strip()]
    return f"{anchor.voice}: {' '.join(part for part in parts if part)}"
