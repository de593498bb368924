"""Looking at a home: its log, its status, and the short-term context of a session."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from eunoe.gateway.answers import Behind, Context, ContextItem, LogLine, PartitionHead, Staleness, Status
from eunoe.gateway.home import Home
from eunoe.processors.tokens import TokenCounter
from eunoe.streams.errors import NotFound
from eunoe.streams.events import AnyEvent, Correction, Interaction, Result
from eunoe.streams.frames import EPOCH_SCHEMA
from eunoe.streams.log import Opened
from eunoe.streams.partitioning import partition_of
from eunoe.streams.places import place_of
from eunoe.streams.sqlite_files import rows

_PAGE = 200
_TURNS_LOOKED_AT = 200
_TAIL_SECONDS = 1.0
PROJECTIONS = ("memories", "lexical", "files", "reviews")


def log_lines(home: Home, scope: str | None, after: int | None, limit: int | None, tail: bool) -> Iterator[LogLine]:
    """Events of the log, partition by partition, or of one scope. With `tail`, on and on as they come."""
    partitions = range(home.log.partitions)
    if scope is not None:
        partitions = range(p := partition_of(scope, home.log.partitions), p + 1)
    heads, given = dict.fromkeys(partitions, -1 if after is None else after), 0
    while True:
        for partition in partitions:
            while records := home.log.read(partition, heads[partition], _PAGE):
                heads[partition] = records[-1].position
                for opened in home.log.open(records):
                    if scope is not None and (opened.event is None or opened.event.scope != scope):
                        continue
                    yield _line(opened)
                    given += 1
                    if limit is not None and given >= limit:
                        return
        if not tail:
            return
        home.log.wait([heads.get(p, home.log.head(p)) for p in range(home.log.partitions)], _TAIL_SECONDS)


def _line(opened: Opened) -> LogLine:
    event, record = opened.event, opened.record
    if event is None:
        kind = "epoch" if record.envelope.schema == EPOCH_SCHEMA else "forgotten"
        return LogLine(record.partition, record.position, kind, "", "", "", "", "", {})
    details: dict[str, Any] = event.model_dump(mode="json", exclude_defaults=True)
    for name in ("scope", "id", "session", "at", "text", "type"):
        details.pop(name, None)
    return LogLine(
        record.partition,
        record.position,
        event.type,
        event.scope,
        getattr(event, "session", ""),
        event.id,
        getattr(event, "at", ""),
        _said(event),
        details,
    )


def _said(event: AnyEvent) -> str:
    match event:
        case Interaction():
            return event.text or (f"tool {event.tool.name}" if event.tool else "")
        case Result():
            return "; ".join(i.text for i in event.items if i.text) or f"({event.reason or 'an episode'})"
        case Correction():
            return event.text or event.action
        case _:
            return ""


def status(home: Home) -> Status:
    """How far each part is, what waits, what failed."""
    with home.projections.reading():
        return _status(home)


def _status(home: Home) -> Status:
    positions = home.projections.positions()
    heads = [home.log.head(partition) for partition in range(home.log.partitions)]
    behind, queue = sum(h - p for h, p in zip(heads, positions, strict=True)), home.runtime.pending()
    reader = home.projections.reader()
    return Status(
        runtime="embedded",
        partitions=[PartitionHead(partition, head) for partition, head in enumerate(heads)],
        projections=[Behind(name, behind) for name in PROJECTIONS],
        queue=queue,
        dead_letters=int(rows(reader, "select count(*) from parked")[0][0]),
        staleness=staleness(home, heads, positions, queue),
        waiting="projection" if behind else "extraction" if queue else None,
        failure=home.runtime.failure,
        memories=int(rows(reader, "select count(*) from memory where retired = 0")[0][0]),
        bytes=home.size(),
        refused=sum(home.log.refusals().values()),
    )


def staleness(
    home: Home, heads: Sequence[int] | None = None, positions: Sequence[int] | None = None, queue: int | None = None
) -> Staleness:
    """What isn't constructed yet, and for how long the oldest of it has waited."""
    heads = heads or [home.log.head(partition) for partition in range(home.log.partitions)]
    positions = positions or home.projections.positions()
    queue = home.runtime.pending() if queue is None else queue
    waiting = [p for p, (head, position) in enumerate(zip(heads, positions, strict=True)) if head > position]
    oldest = [record for p in waiting for record in home.log.read(p, positions[p], 1)]
    if queue:
        numbers = rows(home.projections.reader(), "select number from turn where state = 1 order by number limit 1")
        for partition, position in (place_of(number) for (number,) in numbers):
            oldest += home.log.read(partition, position - 1, 1)
    events = sum(heads[p] - positions[p] for p in waiting) + queue
    since = min((record.envelope.written for record in oldest), default=None)
    seconds = 0.0 if since is None else max(0.0, round(home.clock() - since / 1000, 3))
    return Staleness(events, seconds)


def context(
    home: Home,
    session: str,
    scope: str | None,
    budget: int,
    counter: TokenCounter,
    recalled_in: Callable[[str], Sequence[ContextItem]],
) -> Context:
    """The recent turns of a session and what was recalled into it, newest kept first. Raises NotFound.

    recalled_in: what was recalled into the session in its scope.
    """
    reader = home.projections.reader()
    found = rows(
        reader,
        "select s.number, c.path, c.number from session s join scope c on c.number = s.scope where s.name = ?"
        " and (? is null or c.path = ?)",
        (session, scope, scope),
    )
    if not found:
        raise NotFound("no such session; `eunoe log` shows them")
    if len(found) > 1:
        raise NotFound("several scopes have a session of this name; say which with scope=")
    number, path, scope_number = found[0]
    recalled = recalled_in(path)
    gone = {
        r[0]
        for r in rows(reader, "select target from dropped where scope = ? and session = ?", (scope_number, session))
    }
    turns = [item for item in _turns(home, number, counter) if item.id not in gone]
    chosen, left = [], budget
    for item in (*[r for r in recalled if r.id not in gone], *turns):  # recalled items first, then the newest turns
        cost = counter.count(item.text + "\n") + 1
        if cost <= left:
            chosen.append(item)
            left -= cost
    order = {item.id: index for index, item in enumerate((*reversed(turns), *recalled))}
    chosen.sort(key=lambda item: order[item.id])
    text = "\n".join(item.text for item in chosen)
    return Context(session, path, budget, counter.count(text), text, chosen)


def _turns(home: Home, session: int, counter: TokenCounter) -> list[ContextItem]:
    """The newest turns of a session, newest first."""
    places = rows(
        home.projections.reader(),
        "select number from turn where session = ? order by key desc, ord desc, event desc, chunk desc"
        f" limit {_TURNS_LOOKED_AT}",
        (session,),
    )
    items = []
    for partition, position in (place_of(number) for (number,) in places):
        (opened,) = home.log.open(home.log.read(partition, position - 1, 1))
        event = opened.event
        if isinstance(event, Interaction):
            name = event.id if event.chunks == 1 else f"{event.id}#{event.chunk}"
            text = f"{event.voice}: {event.text}"
            items.append(ContextItem(name, "turn", text, counter.count(text)))
    return items
