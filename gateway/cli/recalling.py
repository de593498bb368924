"""What comes out: recall and context."""

from typing import TYPE_CHECKING, Annotated

import typer

from eunoe.gateway.cli.options import AnyScope, AsJson, Home, NoWait, opened, wants_json
from eunoe.gateway.cli.output import emit, say, show

if TYPE_CHECKING:
    from eunoe.processors.recall import Found

Budget = Annotated[int | None, typer.Option(min=1, help="Tokens of the whole answer.")]


def recall(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="What to look for, in words.")],
    scope: Annotated[list[str], typer.Option("--scope", metavar="SCOPE", help="Whose memory; may be repeated.")],
    budget: Budget = None,
    as_of: Annotated[str | None, typer.Option(help="As the world was at this time.")] = None,
    known_at: Annotated[int | None, typer.Option(min=0, help="As the log stood at this position.")] = None,
    wait: Annotated[bool, typer.Option("--wait", help="First process all that was recorded.")] = False,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """Find what answers a question, with its sources, in a number of tokens."""
    with opened(context, home, no_wait) as memory:
        found = memory.recall(query, scopes=scope, budget=budget, as_of=as_of, known_at=known_at, wait=wait)
        if wants_json(context, as_json):
            emit(found)
        else:
            _show(found)


def context(
    context: typer.Context,
    session: Annotated[str, typer.Argument(help="The session.")],
    scope: AnyScope = None,
    budget: Budget = None,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """Show what is in an agent's context now: recent turns, notes, recalled items."""
    with opened(context, home, no_wait) as memory:
        now = memory.context(session, budget=budget, scope=scope)
        if wants_json(context, as_json):
            emit(now)
        else:
            show(now.text)
            say(f"{now.tokens} tokens")


def _show(found: "Found") -> None:
    if found.items:
        show(found.text)
    behind = found.staleness.events
    late = f"; {behind} events are not processed yet (--wait waits for them)" if behind else ""
    say(f"{len(found.items)} items, {found.tokens} of {found.budget} tokens{late}")
