"""A question in, a context out. Pure but for the reads of the two indexes that it is given."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from eunoe.processors.recall.found import Found, FoundItem, FoundSource, Staleness, Waiting
from eunoe.processors.recall.moment import Moment
from eunoe.processors.recall.packing import Placed, packed
from eunoe.processors.recall.ranking import Candidate, others, ranked
from eunoe.processors.recall.twins import without_twins
from eunoe.processors.terms import query_terms
from eunoe.processors.tokens import TokenCounter
from eunoe.stores.contracts import Lexical, Memories
from eunoe.streams import times
from eunoe.streams.errors import ScopeRequired, UnknownScope

SCORE_DIGITS = 4


def recall(
    question: str,
    *,
    memories: Memories,
    lexical: Lexical,
    scopes: Sequence[str],
    budget: int,
    now_key: int,
    counter: TokenCounter,
    recall_id: str,
    as_of: str | None = None,
    staleness: Waiting | None = None,
    waiting: Collection[str] = (),
) -> Found:
    """What the scopes' memory holds on a question, in at most `budget` tokens by `counter`, marks and dates included.

    as_of: a time of the world (RFC 3339); only what was said by then counts, and what was current then is current.
    now_key: the present in UTC microseconds. recall_id: the id of this recall, which stands in the context's mark.
    waiting: scopes whose events aren't projected yet; they are empty, not unknown.
    Raises ScopeRequired, UnknownScope, Rejected (a malformed `as_of`).
    """
    asked_scopes = tuple(dict.fromkeys(scopes))
    numbers = _numbers(asked_scopes, memories, waiting)
    moment = Moment(now_key) if as_of is None else Moment(times.order_key(times.parse(as_of)), past=True)
    asked = query_terms(question)
    candidates = without_twins(ranked(asked, numbers, moment, memories, lexical), asked, moment)
    context = packed(
        _with_other_sides(candidates, moment, memories),
        asked=asked,
        budget=budget,
        moment=moment,
        scopes=len(asked_scopes),
        recall_id=recall_id,
        counter=counter,
    )
    return Found(
        id=recall_id,
        query=question,
        scopes=asked_scopes,
        budget=budget,
        tokens=context.tokens,
        staleness=Staleness() if staleness is None else Staleness(staleness.events, staleness.seconds),
        text=context.text,
        items=tuple(_item(one, moment, counter) for one in context.placed),
    )


def _numbers(scopes: Sequence[str], memories: Memories, waiting: Collection[str]) -> list[int]:
    if not scopes:
        raise ScopeRequired("a recall needs a scope, or several: nobody reads everybody's memory")
    found = []
    for scope in scopes:
        number = memories.scope_number(scope)
        if number is not None:
            found.append(number)
        elif scope not in waiting:
            raise UnknownScope("no event was ever recorded in one of the scopes asked; check its spelling")
    return found


def _with_other_sides(candidates: Iterable[Candidate], moment: Moment, memories: Memories) -> Iterator[Candidate]:
    """The candidates, each contested one followed by its other sides."""
    given: set[str] = set()
    for one in candidates:
        if one.memory.id in given:
            continue
        given.add(one.memory.id)
        yield one
        if one.memory.contested_by:
            for side in others(one, moment, memories):
                if side.id not in given:
                    given.add(side.id)
                    yield Candidate(side, one.score)


def _item(placed: Placed, moment: Moment, counter: TokenCounter) -> FoundItem:
    memory = placed.memory
    sources = dict.fromkeys(FoundSource(s.event, s.session, s.role, s.at) for s in memory.sources)
    return FoundItem(
        id=memory.id,
        scope=memory.scope,
        kind=memory.kind,
        text=placed.text,
        tokens=counter.count(placed.text),
        score=round(placed.score, SCORE_DIGITS),
        sources=tuple(sources),
        valid_from=memory.valid_from,
        valid_until=memory.valid_until,
        last_confirmed=memory.last_confirmed,
        possibly_outdated=moment.possibly_outdated(memory),
        confidence=memory.confidence,
        system=memory.system,
        contested_by=memory.contested_by,
        superseded_by=memory.superseded_by,
        untrusted=memory.untrusted,
    )
