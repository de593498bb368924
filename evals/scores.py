"""From answers to figures."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

import msgspec

from eunoe.evals import evidence
from eunoe.evals.datasets import Dataset, Question


class Answer(msgspec.Struct, frozen=True):
    """What a system gives for a question: the whole context, and its items as (text, ids of cited turns)."""

    text: str
    items: tuple[tuple[str, frozenset[str]], ...]


class System(Protocol):
    """Something that answers questions from what it was given to remember."""

    name: str
    unit: str

    def answer(self, question: Question, budget: int) -> Answer:
        """A context of at most `budget` tokens."""


class Part(msgspec.Struct, frozen=True):
    """Mean evidence share of `n` questions."""

    share: float
    n: int


class Score(msgspec.Struct, frozen=True):
    """At one budget, over all questions: mean evidence share, how many found any of it and all of it.

    tokens: mean tokens of the contexts. over_budget: contexts that were larger than allowed.
    not_in_text: answers with an item whose text doesn't stand in the context as it is.
    """

    share: float
    any: float
    full: float
    by_category: Mapping[str, Part]
    tokens: float
    over_budget: int
    not_in_text: int


class Tally:
    """Collects the answers at one budget."""

    def __init__(self, dataset: Dataset, budget: int) -> None:
        self._dataset, self._budget = dataset, budget
        self._texts = {
            scope: {event: turn.text for event, turn in turns.items()} for scope, turns in dataset.turns.items()
        }
        self._shares: dict[str, list[float]] = defaultdict(list)
        self._tokens: list[int] = []
        self._not_in_text = 0

    def add(self, question: Question, answer: Answer, tokens: int) -> None:
        """Count one answer, whose context has this many tokens."""
        names = self._dataset.names[question.scope]
        value = evidence.share(question.gold, answer.items, self._texts[question.scope], names)
        self._shares[question.category].append(value)
        self._tokens.append(tokens)
        self._not_in_text += any(text not in answer.text for text, _ in answer.items)

    def score(self) -> Score:
        """The figures so far."""
        every = [value for values in self._shares.values() for value in values]
        return Score(
            share=mean(every),
            any=mean([float(value > 0) for value in every]),
            full=mean([float(value == 1) for value in every]),
            by_category={name: Part(mean(v), len(v)) for name, v in sorted(self._shares.items())},
            tokens=mean(self._tokens),
            over_budget=sum(tokens > self._budget for tokens in self._tokens),
            not_in_text=self._not_in_text,
        )


def mean(values: Sequence[float] | Collection[float]) -> float:
    """The mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0
