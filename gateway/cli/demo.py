"""`eunoe demo`: the main job on the sample history, stage by stage."""

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from eunoe.gateway.cli.options import Home, shared
from eunoe.gateway.cli.output import one_line, show
from eunoe.streams.errors import BadInput, EunoeError

if TYPE_CHECKING:
    from eunoe.gateway.memory import Memory

_ASKED = 6
_LISTED = 4
_BUDGET = 300
T = TypeVar("T")


def demo(
    context: typer.Context,
    home: Home = None,
    budget: Annotated[int, typer.Option(min=50, help="Tokens of each answer.")] = _BUDGET,
) -> None:
    """Record a sample history, learn from it, recall, and prove that a rebuild gives the same."""
    given = home or shared(context).home
    if given is None:
        with tempfile.TemporaryDirectory(prefix="eunoe-demo-") as folder:
            _run(Path(folder) / "memory", budget)
    elif given.exists() and (not given.is_dir() or any(given.iterdir())):
        raise BadInput(f"{given} is not an empty folder; the demo wants a new home")
    else:
        _run(given, budget)
        show(f"\nThe memory is kept: eunoe --home {given} memories list --scope user/mira")


def _run(home: Path, budget: int) -> None:
    from eunoe.gateway.memory import Memory
    from eunoe.infra.settings import load_settings

    started = perf_counter()
    with Memory.open(home, settings=load_settings(home=home)) as memory:
        _record(memory)
        _learn(memory)
        _recall(memory, budget)
        _verify(memory)
        _rebuild(memory)
    show(f"\nDone in {perf_counter() - started:.1f} s, without a server, a model or the network.")


def _record(memory: "Memory") -> None:
    from eunoe.gateway.samples import history_path

    _stage(1, "Record", "a history of two users and their agents goes into the sealed log")
    done = memory.import_file(history_path(), format="jsonl")
    again = memory.import_file(history_path(), format="jsonl")
    if done.rejected or again.recorded:
        raise EunoeError("the sample history was not taken as a whole, once; please report it")
    show(f"  {done.recorded} turns stored in {done.seconds:.2f} s ({done.recorded / done.seconds:,.0f} a second)")
    show(f"  the same file again: {again.duplicates} known already, {again.recorded} stored")


def _learn(memory: "Memory") -> None:
    _stage(2, "Learn", "rules draw facts and skills from the turns; each names its sources")
    started = perf_counter()
    settled = memory.settle()
    if settled.parked:
        raise EunoeError(f"{len(settled.parked)} steps are parked; please report it")
    show(f"  settled in {perf_counter() - started:.2f} s")
    for scope in memory.scopes():
        found = list(memory.memories(scope))
        counts = Counter(one.kind for one in found)
        show(f"  {scope}: {counts['fact']} facts, {counts['skill']} skills, {counts['episode']} episodes")
        for kind in ("fact", "skill"):
            for one in _spread([one for one in found if one.kind == kind and (one.attribute or one.slots)], _LISTED):
                show(f"    {kind}: {one_line(one.text, 90)}  [{one.sources[0].event}]")


def _recall(memory: "Memory", budget: int) -> None:
    from eunoe.gateway.samples import gold

    _stage(3, "Recall", f"questions, each answered in at most {budget} tokens with its sources")
    questions = gold().questions
    shown = {question.question for question in _spread(questions, _ASKED)}
    hits, times = 0, []
    for question in questions:
        started = perf_counter()
        found = memory.recall(question.question, scope=question.scope, budget=budget)
        times.append(perf_counter() - started)
        best = next((i for i in found.items if {s.event for s in i.sources} & set(question.events)), None)
        hits += best is not None
        if question.question in shown:
            show(f"  {question.question}")
            show(f"    {one_line(best.text, 90) if best else '(the turn that answers it was not found)'}")
            if best:
                show(f"    from {', '.join(source.event for source in best.sources[:3])}; {found.tokens} tokens")
    show(f"  {hits} of {len(questions)} questions got a turn that answers them")
    show(f"  median {sorted(times)[len(times) // 2] * 1000:.1f} ms a question")


def _verify(memory: "Memory") -> None:
    _stage(4, "Verify", "numbering and hash chain of the whole log")
    checked = memory.verify()
    if not checked.ok:
        raise EunoeError("the log of the demo does not verify; please report it")
    show(f"  ok: {checked.records} records in {checked.partitions} partitions")


def _rebuild(memory: "Memory") -> None:
    _stage(5, "Rebuild", "every projection anew from the log alone, without a model")
    live = memory.digest().digest
    done = memory.rebuild()
    show(f"  live     {live}")
    show(f"  rebuilt  {done.digest}")
    if done.digest != live or not done.same_as_live:
        raise EunoeError("the rebuild differs from the live memory; please report it")
    rate = done.events / done.seconds if done.seconds else 0
    show(f"  the same, from {done.events} events in {done.seconds:.2f} s ({rate:,.0f} a second)")


def _spread(items: Sequence[T], count: int) -> Sequence[T]:
    """Up to so many of them, from all over."""
    return items[:: max(1, len(items) // count)][:count]


def _stage(number: int, name: str, words: str) -> None:
    show(f"\n{number}. {name}: {words}")
