"""`eunoe eval`: how much of the evidence recall finds."""

from pathlib import Path
from typing import Annotated

import typer

from eunoe.gateway.cli.options import AsJson, wants_json
from eunoe.gateway.cli.output import emit, say, show
from eunoe.streams.errors import BadInput


def evaluate(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="The dataset: a file, or a folder of files.")],
    dataset: Annotated[str, typer.Option(help="What it is: locomo.")] = "locomo",
    budgets: Annotated[str, typer.Option(help="Tokens of context, separated by commas.")] = "500,1000",
    as_json: AsJson = False,
) -> None:
    """Measure the evidence share of recall on a dataset, in a home of its own that is removed afterwards."""
    from eunoe.evals.run import evaluate as measure

    found = measure(path, dataset=dataset, budgets=numbers(budgets))
    if wants_json(context, as_json):
        emit(found)
        return
    say(f"{found.dataset}: {found.n} questions, {found.left_out} left out")
    for budget, share in found.budgets.items():
        show(f"{budget} tokens: share {share.share:.3f}, any {share.any:.3f}, full {share.full:.3f}")


def numbers(text: str) -> list[int]:
    """Positive numbers from `500,1000`. Raises BadInput."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and int(part) for part in parts):
        raise BadInput("--budgets takes numbers such as 500,1000")
    return [int(part) for part in parts]
