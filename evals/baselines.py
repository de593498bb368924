"""What memory has to beat: BM25 over the turns themselves (Robertson and Zaragoza, 2009)."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from eunoe.evals.datasets import Question, Turn
from eunoe.evals.evidence import stems_of, words_of
from eunoe.evals.scores import Answer

_K1, _B = 1.2, 0.75
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]+")


class Bm25:
    """Turns ranked by BM25 of their own text, or of it and their neighbours', written out in full.

    `around`: how many turns before and after count as a turn's text; what is returned is always the turn.
    """

    def __init__(self, turns: Mapping[str, Mapping[str, Turn]], tokens: Callable[[str], int], around: int = 0) -> None:
        self.name = "bm25"
        self.unit = f"turn±{around}" if around else "turn"
        self._tokens = tokens
        self._scopes = {scope: _Index(list(by_id.items()), around) for scope, by_id in turns.items()}

    def answer(self, question: Question, budget: int) -> Answer:
        """The best turns that fit the budget, best first."""
        index = self._scopes[question.scope]
        lines: list[str] = []
        items: list[tuple[str, frozenset[str]]] = []
        left = budget
        for number in index.ranked(question.text):
            event, turn = index.turns[number]
            line = _written(turn)
            cost = self._tokens(line + "\n")
            if cost <= left:
                left -= cost
                lines.append(line)
                items.append((line, frozenset([event])))
        return Answer("\n".join(lines), tuple(items))


class _Index:
    def __init__(self, turns: Sequence[tuple[str, Turn]], around: int) -> None:
        self.turns = turns
        own = [_terms(_written(turn)) for _, turn in turns]
        texts = [_window(own, turns, n, around) for n in range(len(turns))]
        self._counts = [Counter(terms) for terms in texts]
        self._lengths = [len(terms) for terms in texts]
        self._mean = max(1.0, sum(self._lengths) / max(1, len(texts)))
        self._postings: dict[str, list[int]] = {}
        for number, counts in enumerate(self._counts):
            for term in counts:
                self._postings.setdefault(term, []).append(number)

    def ranked(self, text: str) -> list[int]:
        """Numbers of the turns that share a term with the text, best first, ties by number."""
        scores: Counter[int] = Counter()
        for term in set(_terms(text)):
            holders = self._postings.get(term, [])
            weight = math.log(1 + (len(self.turns) - len(holders) + 0.5) / (len(holders) + 0.5))
            for number in holders:
                count = self._counts[number][term]
                norm = _K1 * (1 - _B + _B * self._lengths[number] / self._mean)
                scores[number] += weight * count * (_K1 + 1) / (count + norm)  # type: ignore[assignment]
        return sorted(scores, key=lambda number: (-scores[number], number))


def _written(turn: Turn) -> str:
    image = f" [image: {turn.caption}]" if turn.caption else ""
    return f"{turn.voice}: {turn.text}{image}"


def _window(own: Sequence[list[str]], turns: Sequence[tuple[str, Turn]], number: int, around: int) -> list[str]:
    """Terms of a turn and of its neighbours in the same session."""
    session = turns[number][1].session
    near = range(max(0, number - around), min(len(turns), number + around + 1))
    return [term for n in near if turns[n][1].session == session for term in own[n]]


def _terms(text: str) -> list[str]:
    """Stems, and pairs of characters where words aren't told apart by spaces."""
    pairs = [run[n : n + 2] for run in _HAN.findall(text) for n in range(max(1, len(run) - 1))]
    return stems_of(words_of(_HAN.sub(" ", text))) + pairs
