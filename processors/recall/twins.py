"""A fact or skill and the turn that it came from say the same twice: one of them carries what both say."""

from collections import defaultdict
from collections.abc import Sequence

from eunoe.processors.recall.moment import Moment
from eunoe.processors.recall.ranking import Candidate, in_order
from eunoe.processors.terms import query_terms, terms
from eunoe.stores.contracts import Memory

HOLDS = 0.6
COMPARED = 120


def without_twins(candidates: Sequence[Candidate], asked: Sequence[str], moment: Moment) -> list[Candidate]:
    """The candidates, best first, with one of two that say the same at the better score of both.

    The fact stays where it holds most of the turn, or says more than the turn can (contested, ended, several
    sources); else the turn stays, and the fact too only where it brings a word of the question of its own.
    """
    turns = {_place(one.memory): one for one in candidates if one.memory.kind == "episode"}
    lifted: dict[str, float] = defaultdict(float)
    dropped: set[str] = set()
    for one in candidates[:COMPARED]:
        turn = None if one.memory.kind == "episode" else turns.get(_place(one.memory))
        if turn is None:
            continue
        if moment.ended(one.memory) or one.memory.contested_by:
            dropped.add(turn.memory.id)
        elif _holds(one.memory, turn.memory):
            dropped.add(turn.memory.id)
            lifted[one.memory.id] = max(lifted[one.memory.id], turn.score)
        elif len(one.memory.sources) == 1 and not _brings(one.memory, turn.memory, asked):
            dropped.add(one.memory.id)
            lifted[turn.memory.id] = max(lifted[turn.memory.id], one.score)
    return in_order(
        Candidate(one.memory, max(one.score, lifted.get(one.memory.id, 0.0)))
        for one in candidates
        if one.memory.id not in dropped
    )


def _place(memory: Memory) -> tuple[str, str, int]:
    source = memory.sources[0]
    return memory.scope, source.event, source.chunk


def _holds(fact: Memory, turn: Memory) -> bool:
    need = set(query_terms(turn.text))
    return len(need.intersection(query_terms(fact.text))) >= HOLDS * len(need)


def _brings(fact: Memory, turn: Memory, asked: Sequence[str]) -> bool:
    return bool(set(asked) & set(terms(fact.text)) - set(terms(turn.text)))
