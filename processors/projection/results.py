"""What results say, as items of their turns; and the episodes, which are memories without a group."""

from collections.abc import Sequence
from typing import Any

import msgspec

from eunoe.processors.projection.rows import Rows, TurnRow
from eunoe.processors.projection.settling import Evidence, group_of, item_id, settle
from eunoe.stores.contracts import Memory
from eunoe.stores.memories import DONE, id_key
from eunoe.streams.events import Correction, Interaction, Item, Kind, Result
from eunoe.streams.sqlite_files import rows

_encode, _decode = msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder().decode

Group = tuple[int, bytes]
"""(scope number, settling group)."""


def drop_items(target: Rows, scope: int, turn: TurnRow) -> set[Group]:
    """Take a turn's items away; their groups settle anew. Their ids stay findable through the turn."""
    held = rows(target.connection, "select grp, id, body from item where turn = ?", (turn.number,))
    if not held:
        return set()
    target.connection.execute("delete from item where turn = ?", (turn.number,))
    target.alias(scope, turn.event, turn.chunk, [(name.hex(), _decode(body)[0]["kind"]) for _, name, body in held])
    return {(scope, group) for group, _, _ in held}


def give_items(
    target: Rows, scope: int, turn: TurnRow, anchor: Interaction, result: Result, corrections: Sequence[Correction]
) -> set[Group]:
    """Store a live result's items; the groups that they settle in. The episode is settled here."""
    groups, episode = set(), None
    for index, item in enumerate(result.items):
        name = item_id(anchor.scope, anchor.id, anchor.chunk, item)
        if item.kind == "episode":
            episode = _episode(turn, anchor, name, item, corrections)
            continue
        group = group_of(item)
        body = _encode((item.model_dump(exclude_defaults=True), anchor.at, anchor.role))
        target.connection.execute(
            "insert or replace into item values(?, ?, ?, ?, ?, ?)",
            (turn.number, index, scope, group, id_key(name), body),
        )
        groups.add((scope, group))
    target.replace(scope, None, turn.number, [] if episode is None else [(episode, turn.number)])
    target.connection.execute("update turn set state = ? where number = ?", (DONE, turn.number))
    return groups


def note_inert(target: Rows, scope: int, number: int, result: Result) -> None:
    """Keep what a result without effect was made of, and its items' ids: they resolve to what its turn says now."""
    target.connection.executemany(
        "insert or ignore into inert values(?, ?, ?, ?)",
        [(number, *member(name), scope) for name in result.members],
    )
    event, chunk = member(result.members[-1])
    names: list[tuple[str, Kind]] = [(item_id(result.scope, event, chunk, i), i.kind) for i in result.items]
    target.alias(scope, event, chunk, names)


def settle_group(target: Rows, scope: int, path: str, group: bytes, corrections: Sequence[Correction]) -> None:
    """Settle one group from its living items."""
    held = rows(
        target.connection,
        "select i.id, i.body, t.number, s.name, t.key, t.ord, t.event, t.chunk from item i"
        " join turn t on t.number = i.turn join session s on s.number = t.session where i.scope = ? and i.grp = ?",
        (scope, group),
    )
    evidence = [_evidence(row[0].hex(), *row[1:]) for row in held]
    turns = {e.id: e.turn for e in evidence}
    settled = settle(path, evidence, corrections)
    target.replace(scope, group, None, [(memory, turns[memory.id[2:]]) for memory in settled])
    standing = {memory.id[2:] for memory in settled}
    for one in evidence:
        if one.id not in standing:
            target.alias(scope, one.event, one.chunk, [(one.id, one.item.kind)])


def member(name: str) -> tuple[str, int]:
    """Event id and chunk from a result's member name (`id`, or `id` and chunk around a NUL)."""
    event, _, chunk = name.partition("\x00")
    return event, int(chunk or 0)


def member_name(event: str, chunk: int) -> str:
    """The name of a turn among a result's members."""
    return f"{event}\x00{chunk}" if chunk else event


def _evidence(
    name: str, body: bytes, turn: int, session: str, key: int, order: int, event: str, chunk: int
) -> Evidence:
    fields: dict[str, Any]
    fields, at, role = _decode(body)
    return Evidence(
        id=name, item=Item.model_validate(fields), turn=turn, session=session, role=role, at=at,
        key=key, order=order, event=event, chunk=chunk,
    )  # fmt: skip


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
