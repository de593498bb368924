"""Which memories answer a question, best first: lexical score, what stands around it, who said it, how it stands.

A turn's neighbours lend it a share of their score: an answer often holds no word of its question.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from eunoe.processors.recall.moment import Moment
from eunoe.processors.terms import terms
from eunoe.stores.contracts import Hit, Lexical, Memories, Memory

HITS, HITS_A_SCOPE = 200, 50
SPREADING = 60
NEXT, SECOND, SESSION = 0.6, 0.3, 0.2
SESSION_HITS = 3
NAMED = 1.5
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
    limit = max(HITS_A_SCOPE, HITS // max(1, len(scopes)))
    base = _relative([hit for scope in scopes for hit in lexical.search(scope, asked, limit)])
    seen = _seen(memories, moment, base)
    scores = {number: score for number, score in base.items() if number in seen}
    spread = _around(memories, {n: s for n, s in scores.items() if seen[n].kind == "episode"})
    seen |= _seen(memories, moment, [number for number in spread if number not in base])
    scores = {number: scores.get(number, 0.0) + spread.get(number, 0.0) for number in seen}
    sessions = _sessions(seen, base)
    voices = {number: voice(memory) for number, memory in seen.items()}
    named = {name for name in set(voices.values()) if name is not None and not set(asked).isdisjoint(terms(name))}
    return in_order(
        Candidate(
            memory,
            (scores[number] + SESSION * sessions[_session(memory)])
            * (NAMED if voices[number] in named else 1.0)
            * _standing(memory, moment),
        )
        for number, memory in seen.items()
    )


def in_order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Best first; equal ones newest first, then by id."""
    return sorted(candidates, key=lambda one: (-round(one.score, 9), -one.memory.key, one.memory.id))


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


def _relative(hits: Sequence[Hit]) -> dict[int, float]:
    """Scores as shares of the best: an index of a few rows gives very small ones."""
    best = max((hit.score for hit in hits), default=0.0)
    return {hit.number: hit.score / best if best > 0 else 1.0 for hit in hits}


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


def _standing(memory: Memory, moment: Moment) -> float:
    """What has ended, and what can't be trusted, stands behind the rest."""
    ended = ENDED if memory.kind != "episode" and moment.ended(memory) else 1.0
    return ended * (UNTRUSTED if memory.untrusted else 1.0)
