"""Import, settle, recall, over budgets: the evidence share of Eunoe and of the baselines in one run."""

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import msgspec

from eunoe.evals import datasets
from eunoe.evals.baselines import Bm25
from eunoe.evals.datasets import Dataset, Question
from eunoe.evals.scores import Answer, Score, System, Tally
from eunoe.processors.tokens import counter
from eunoe.streams.errors import BadInput

if TYPE_CHECKING:
    from eunoe.gateway.memory import Memory

BUDGETS = (500, 1000)


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """One system on one dataset.

    unit: what the system ranks. n: questions asked; left_out: those that could not be, `reasons` says why.
    label_ceiling: the share that is left to find once known label errors are counted. budgets: by tokens.
    seconds: import, settling and all recalls; recall_p95_ms: of one recall. bytes: the home on disk.
    """

    dataset: str
    system: str
    unit: str
    n: int
    left_out: int
    reasons: Mapping[str, int]
    repaired_labels: int
    label_ceiling: float
    counter: str
    budgets: Mapping[str, Score]
    seconds: float
    recall_p95_ms: float
    bytes: int = 0
    model_calls: int = 0
    baselines: tuple["Evaluation", ...] = ()


class Recalled:
    """Eunoe as a system: what its public door recalls."""

    def __init__(self, memory: "Memory") -> None:
        self.name, self.unit = "eunoe", "memory"
        self._memory = memory

    def answer(self, question: Question, budget: int) -> Answer:
        found = self._memory.recall(question.text, scope=question.scope, budget=budget)
        items = ((item.text, frozenset(source.event for source in item.sources)) for item in found.items)
        return Answer(found.text, tuple(items))


def evaluate(
    path: str | Path | None = None,
    *,
    dataset: str = "locomo",
    budgets: Sequence[int] = BUDGETS,
    home: str | Path | None = None,
    baselines: bool = True,
) -> Evaluation:
    """Measure a dataset in a new home, which is removed afterwards unless `home` says where to keep it.

    Raises BadInput when there is nothing to measure, or the home is in use.
    """
    from eunoe.gateway.memory import Memory

    loaded = datasets.load(dataset, path)
    if not loaded.questions or not budgets:
        raise BadInput("nothing to measure: no question with evidence, or no budget")
    plain = _baselines(loaded, budgets) if baselines else ()
    with ExitStack() as stack:
        place = Path(home) if home else Path(stack.enter_context(_folder()), "memory")
        if place.exists():
            raise BadInput(f"{place.name!r} exists already; name a new folder")
        with Memory.open(place) as memory:
            start = perf_counter()
            for file in loaded.paths:
                memory.import_file(file, format=loaded.format)
            memory.settle()
            spent = perf_counter() - start
            found = measure(loaded, Recalled(memory), budgets, spent=spent)
        # once closed: a write-ahead log that is still open would be counted with it
        return msgspec.structs.replace(found, bytes=_size(place), baselines=plain)


def measure(dataset: Dataset, system: System, budgets: Sequence[int], *, spent: float = 0.0) -> Evaluation:
    """Ask a system every question at every budget. `spent`: seconds that building it took."""
    tokens = counter()
    tallies = {budget: Tally(dataset, budget) for budget in budgets}
    times: list[float] = []
    for question in dataset.questions:
        for budget, tally in tallies.items():
            start = perf_counter()
            answer = system.answer(question, budget)
            times.append(perf_counter() - start)
            tally.add(question, answer, tokens.count(answer.text))
    return Evaluation(
        dataset=dataset.name,
        system=system.name,
        unit=system.unit,
        n=len(dataset.questions),
        left_out=sum(dataset.left_out.values()),
        reasons=dataset.left_out,
        repaired_labels=dataset.malformed,
        label_ceiling=dataset.ceiling,
        counter=tokens.name,
        budgets={str(budget): tally.score() for budget, tally in tallies.items()},
        seconds=spent + sum(times),
        recall_p95_ms=1000 * sorted(times)[int(0.95 * len(times))],
    )


def _baselines(dataset: Dataset, budgets: Sequence[int]) -> tuple[Evaluation, ...]:
    found = []
    for around in (0, 1):
        start = perf_counter()
        system = Bm25(dataset.turns, counter().count, around)
        found.append(measure(dataset, system, budgets, spent=perf_counter() - start))
    return tuple(found)


def _folder() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="eunoe-eval-")


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
