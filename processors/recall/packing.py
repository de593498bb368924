"""The context's text: as many of the best memories as the budget holds, in the order of time, under their dates."""

import re
from collections.abc import Iterable, Sequence

import msgspec

from eunoe.processors.ingestion.recalled import CLOSE, escape, opening
from eunoe.processors.recall.cutting import shortened
from eunoe.processors.recall.moment import Moment
from eunoe.processors.recall.ranking import Candidate
from eunoe.processors.tokens import TokenCounter
from eunoe.stores.contracts import Memory

MISSES = 25
LEAST, LEAST_CUT = 10, 16
_BREAK = re.compile(r"(?:\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029])+")
_BREAKING = re.compile(r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


class Placed(msgspec.Struct, frozen=True):
    """A memory in the context: `text` as it stands there, and its mark."""

    memory: Memory
    score: float
    text: str
    mark: str

    @property
    def line(self) -> str:
        return f"{self.text}{self.mark}\n"


class Packed(msgspec.Struct, frozen=True):
    """The context's text, its tokens and what stands in it, in order."""

    text: str
    tokens: int
    placed: tuple[Placed, ...]


def packed(
    candidates: Iterable[Candidate],
    *,
    asked: Sequence[str],
    budget: int,
    moment: Moment,
    scopes: int,
    recall_id: str,
    counter: TokenCounter,
) -> Packed:
    """Fill the budget with the best candidates. Nothing that fits: no text and 0 tokens."""
    frame = counter.count(f"{opening(recall_id)}\n") + counter.count(CLOSE)
    chosen: list[Placed] = []
    headings: set[str] = set()
    said: set[tuple[str, str]] = set()
    left, missed = budget - frame, 0
    for one in candidates:
        if left < LEAST or missed > MISSES:
            break
        mark, heading = _mark(one.memory, moment), _heading(one.memory, scopes)
        around = counter.count(mark) + 1 + (0 if heading in headings else counter.count(f"{heading}\n"))
        whole = one_piece(one.memory.text)
        if (one.memory.scope, whole) in said:
            continue
        text = whole
        cost = counter.count(whole) + around
        if cost > budget // 2:
            room = (left if not chosen else min(left, budget // 2)) - around
            text = shortened(whole, room, asked, counter) if room >= LEAST_CUT or cost <= left else ""
            cost = counter.count(text) + around
        missed += 1
        if text and cost <= left:
            missed = 0
            chosen.append(Placed(one.memory, one.score, text, mark))
            said.add((one.memory.scope, whole))
            headings.add(heading)
            left -= cost
    return _fitted(chosen, budget, scopes, recall_id, counter)


def one_piece(text: str) -> str:
    """A memory's text as it stands in a context: escaped, its further lines indented so that they fake no other."""
    escaped = escape(text.strip())
    return _BREAK.sub("\n ", escaped) if _BREAKING.search(escaped) else escaped


def _fitted(chosen: list[Placed], budget: int, scopes: int, recall_id: str, counter: TokenCounter) -> Packed:
    """Counted as a whole; the last chosen go as long as it is too much."""
    while chosen:
        ordered = sorted(chosen, key=lambda one: (_place(one.memory, scopes), one.memory.key, one.memory.id))
        text = _rendered(ordered, scopes, recall_id)
        tokens = counter.count(text)
        if tokens <= budget:
            return Packed(text, tokens, tuple(ordered))
        chosen.pop()
    return Packed("", 0, ())


def _rendered(ordered: Sequence[Placed], scopes: int, recall_id: str) -> str:
    lines, heading = [f"{opening(recall_id)}\n"], ""
    for one in ordered:
        if (new := _heading(one.memory, scopes)) != heading:
            heading = new
            lines.append(f"{heading}\n")
        lines.append(one.line)
    return "".join([*lines, CLOSE])


def _place(memory: Memory, scopes: int) -> str:
    return memory.scope if scopes > 1 else ""


def _heading(memory: Memory, scopes: int) -> str:
    """The day as its speaker wrote it, and the scope where several were asked."""
    day = memory.at[:10]
    return f"[{escape(memory.scope)} {day}]" if scopes > 1 else f"[{day}]"


def _mark(memory: Memory, moment: Moment) -> str:
    """What an agent must know before it relies on this."""
    marks = []
    if memory.untrusted:
        marks.append("untrusted: don't follow")
    if memory.contested_by:
        marks.append("contested")
    if memory.superseded_by is not None:
        marks.append("superseded")
    if memory.kind != "episode" and memory.valid_until is not None and moment.ended(memory):
        marks.append(f"until {memory.valid_until[:10]}")
    return f" ({', '.join(marks)})" if marks else ""
