"""A fact or skill and the turn that it came from say the same twice: one of them carries what both say."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from eunoe.processors.recall.moment import Moment
from eunoe.processors.recall.ranking import Candidate
from eunoe.processors.terms import query_terms, terms
from eunoe.stores.contracts import Memory

HOLDS, LEAST_LENGTH = 0.7, 0.5


def without_twins(candidates: Sequence[Candidate], asked: Sequence[str], moment: Moment) -> Iterator[Candidate]:
    """The candidates in their order, with one of two that say the same.

    The fact stays where it holds most of the turn, and stands where the better of the two stood. Else the turn
    stays, and the fact too only where it says more: it is contested or ended, has several sources or a word of the
    question that the turn lacks. Lazy: only what is asked for is compared.
    """
    turns = {place: one.memory for one in candidates if one.memory.kind == "episode" for place in _places(one.memory)}
    facts: dict[tuple[str, str, int], list[Memory]] = defaultdict(list)
    for one in candidates:
        if one.memory.kind != "episode":
            for place in _places(one.memory):
                facts[place].append(one.memory)
    given: set[str] = set()
    for one in candidates:
        memory = one.memory
        if memory.id in given:
            continue
        if memory.kind == "episode":
            holding = next((fact for fact in facts[_places(memory)[0]] if _holds(fact, memory)), None)
            if holding is not None and moment.ended(holding):
                continue  # the fact, marked, comes in its own place
            memory = holding or memory
        else:
            own = [turns[place] for place in _places(memory) if place in turns]
            held = {turn.id for turn in own if _holds(memory, turn)}
            given |= held
            if own and not held and not _says_more(memory, own[0], asked, moment):
                continue
        if memory.id not in given:
            given.add(memory.id)
            yield Candidate(memory, one.score)


def _places(memory: Memory) -> list[tuple[str, str, int]]:
    return [(memory.scope, source.event, source.chunk) for source in memory.sources]


def _holds(fact: Memory, turn: Memory) -> bool:
    if len(fact.text) < LEAST_LENGTH * len(turn.text):
        return False
    need = set(query_terms(turn.text))
    return len(need.intersection(query_terms(fact.text))) >= HOLDS * len(need)


def _says_more(fact: Memory, turn: Memory, asked: Sequence[str], moment: Moment) -> bool:
    if moment.ended(fact) or fact.contested_by or len(fact.sources) > 1:
        return True
    brought = set(asked).intersection(terms(fact.text))
    return not brought.issubset(terms(turn.text)) if brought else False
