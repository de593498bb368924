"""`eunoe eval`: how much of the evidence recall finds."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eunoe.gateway.cli.options import AsJson, shared, wants_json
from eunoe.gateway.cli.output import emit, say, show
from eunoe.streams.errors import BadInput

if TYPE_CHECKING:
    from eunoe.evals.run import Evaluation


def evaluate(
    context: typer.Context,
    path: Annotated[
        Path | None, typer.Argument(help="The dataset: a file, or a folder of files; none for the sample.")
    ] = None,
    dataset: Annotated[str, typer.Option(help="What it is: locomo, or sample (Eunoe's own).")] = "locomo",
    budgets: Annotated[str, typer.Option(help="Tokens of context, separated by commas.")] = "500,1000",
    baselines: Annotated[
        bool, typer.Option("--baselines/--no-baselines", help="Measure BM25 on turns beside it.")
    ] = True,
    home: Annotated[
        Path | None, typer.Option("--home", metavar="DIR", help="Keep the memory in this new folder.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure the share of evidence that recall finds, in a memory of its own that is removed afterwards."""
    from eunoe.evals.run import evaluate as measure

    kept = home or shared(context).home
    found = measure(path, dataset=dataset, budgets=numbers(budgets), home=kept, baselines=baselines)
    if wants_json(context, as_json):
        emit(found)
        return
    say(f"{found.dataset}: {found.n} questions, {found.left_out} left out; {found.counter} tokens")
    for system in (found, *found.baselines):
        _show(system)


def numbers(text: str) -> list[int]:
    """Positive numbers from `500,1000`. Raises BadInput."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and int(part) for part in parts):
        raise BadInput("--budgets takes numbers such as 500,1000")
    return [int(part) for part in parts]


def _show(found: "Evaluation") -> None:
    """A system's quality and, never without it, what it cost."""
    show(f"{found.system} ({found.unit}), {found.model_calls} model calls, {found.seconds:.1f} s")
    for budget, score in found.budgets.items():
        each = found.seconds / max(1.0, score.full * found.n)
        show(
            f"  {budget:>6} tokens: share {score.share:.3f}, any {score.any:.3f}, all {score.full:.3f}, n {found.n}, "
            f"{score.tokens:.0f} tokens and {each * 1000:.0f} ms a full answer"
        )
