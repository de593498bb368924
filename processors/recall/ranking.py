"""Which memories answer a question, best first: lexical score, what stands around it, who said it, how it stands.

A turn's neighbours lend it a share of their score: an answer often holds no word of its question.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

import msgspec

from eunoe.processors.recall.moment import Moment
from eunoe.processors.terms import terms
from eunoe.stores.contracts import Lexical, Memories, Memory

HITS = 400
SPREADING = 120
NEXT, SECOND, SESSION = 0.5, 0.2, 0.1
SESSION_HITS = 3
NAMED = 1.3
ENDED, UNTRUSTED = 0.3, 0.5
ROLES = frozenset(("user", "assistant", "tool", "system", "observation", "feedback"))
_VOICE = re.compile(r"([^\n:：]{1,64})[:：] ")


class Candidate(msgspec.Struct, frozen=True):
    """A memory as it stood at the moment asked, and its score; higher is better."""

    memory: Memory
    score: float


def ranked(
    asked: Sequence[str], scopes: Sequence[int], moment: Moment, memories: Memories, lexical: Lexical
) -> list[Candidate]:
    """Candidates of all scopes, best first; equal ones newest first, then by id."""
    limit = max(1, HITS // max(1, len(scopes)))
    base = {hit.number: hit.score for scope in scopes for hit in lexical.search(scope, asked, limit)}
    seen = _seen(memories, moment, base)
    scores = {number: score for number, score in base.items() if number in seen}
    spread = _around(memories, {n: s for n, s in scores.items() if seen[n].kind == "episode"})
    seen |= _seen(memories, moment, [number for number in spread if number not in base])
    scores = {number: scores.get(number, 0.0) + spread.get(number, 0.0) for number in seen}
    sessions = _sessions(seen, base)
    named = set(asked)
    found = [
        Candidate(memory, (scores[number] + SESSION * sessions[_session(memory)]) * _weight(memory, moment, named))
        for number, memory in seen.items()
    ]
    return sorted(found, key=lambda one: (-round(one.score, 9), -one.memory.key, one.memory.id))


def others(candidate: Candidate, moment: Moment, memories: Memories) -> list[Memory]:
    """The other sides of a contested memory, as they stood at the moment."""
    named = map(memories.get, candidate.memory.contested_by)
    sides = [side for side in named if side is not None and side.scope == candidate.memory.scope]
    keys = {side.id: side.key for side in sides} | {candidate.memory.id: candidate.memory.key}
    return [seen for side in sides if (seen := moment.saw(side, keys)) is not None]


def voice(memory: Memory) -> str | None:
    """Who speaks in an episode, or whom a fact is about; None for a mere role."""
    if memory.kind == "episode":
        match = _VOICE.match(memory.text)
        name = match.group(1) if match else None
    else:
        name = memory.about
    return None if name is None or name.casefold() in ROLES else name


def _seen(memories: Memories, moment: Moment, numbers: Sequence[int] | Mapping[int, float]) -> dict[int, Memory]:
    found = memories.many(numbers) if numbers else {}
    keys: dict[str, int] = {}
    if moment.past:
        named = {memory.superseded_by for memory in found.values() if memory.superseded_by}
        named |= {other for memory in found.values() for other in memory.contested_by}
        keys = {name: other.key for name in named if (other := memories.get(name)) is not None}
    return {number: seen for number, memory in found.items() if (seen := moment.saw(memory, keys)) is not None}


def _around(memories: Memories, scores: Mapping[int, float]) -> dict[int, float]:
    """What each episode lends to those one and two turns away from it in its session."""
    best = sorted(scores, key=lambda number: (-scores[number], number))[:SPREADING]
    first = dict(memories.neighbours(best))
    further = {side for pair in first.values() for side in pair if side is not None and side not in first}
    first |= memories.neighbours(further)
    lent: dict[int, float] = defaultdict(float)
    for number in best:
        for direction, side in enumerate(first.get(number, (None, None))):
            if side is None:
                continue
            lent[side] += NEXT * scores[number]
            second = first.get(side, (None, None))[direction]
            if second is not None:
                lent[second] += SECOND * scores[number]
    return lent


def _session(memory: Memory) -> tuple[str, str]:
    return memory.scope, memory.sources[0].session if memory.sources else ""


def _sessions(seen: Mapping[int, Memory], base: Mapping[int, float]) -> dict[tuple[str, str], float]:
    """What the best hits of each session score together."""
    by_session: dict[tuple[str, str], list[float]] = defaultdict(list)
    for number, memory in seen.items():
        by_session[_session(memory)].append(base.get(number, 0.0))
    return {session: sum(sorted(scores)[-SESSION_HITS:]) for session, scores in by_session.items()}


def _weight(memory: Memory, moment: Moment, named: set[str]) -> float:
    weight = 1.0
    name = voice(memory)
    if name is not None and not named.isdisjoint(terms(name)):
        weight *= NAMED
    if memory.kind != "episode" and moment.ended(memory):
        weight *= ENDED
    if memory.untrusted:
        weight *= UNTRUSTED
    return weight
