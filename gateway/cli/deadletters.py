"""`eunoe deadletters`: what failed and waits for a person."""

from typing import Annotated

import typer

from eunoe.gateway.cli.options import Actor, AsJson, Home, NoWait, opened, user, wants_json
from eunoe.gateway.cli.output import emit, show, table

app = typer.Typer(name="deadletters", help="What failed: look, retry, drop.", no_args_is_help=True)
LetterId = Annotated[str, typer.Argument(metavar="ID", help="An id that `deadletters list` shows.")]


@app.command("list")
def list_(context: typer.Context, home: Home = None, as_json: AsJson = False, no_wait: NoWait = False) -> None:
    """List what is parked, with the step and the reason."""
    with opened(context, home, no_wait) as memory:
        found = memory.dead_letters()
        if wants_json(context, as_json):
            emit(list(found))
        else:
            rows = ((d.id, d.step, d.scope, d.event, d.reason) for d in found)
            table(("id", "step", "scope", "event", "reason"), rows, "nothing is parked")


@app.command("show")
def show_(
    context: typer.Context, id: LetterId, home: Home = None, as_json: AsJson = False, no_wait: NoWait = False
) -> None:
    """Show one, with the event that failed."""
    with opened(context, home, no_wait) as memory:
        found = memory.dead_letter(id)
        if wants_json(context, as_json):
            emit(found)
        else:
            show(f"{found.id}: step {found.step}, event {found.event} in {found.scope}")
            show(found.reason)


@app.command("retry")
def retry(
    context: typer.Context, id: LetterId, home: Home = None, as_json: AsJson = False, no_wait: NoWait = False
) -> None:
    """Try one again, after its cause was fixed."""
    with opened(context, home, no_wait) as memory:
        done = memory.retry(id)
        emit(done) if wants_json(context, as_json) else show(f"{id} runs again")


@app.command("drop")
def drop(
    context: typer.Context,
    id: LetterId,
    reason: Annotated[str, typer.Option("--reason", help="Why, for the record.")],
    actor: Actor = None,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """Go on without it. What waits behind it is processed."""
    with opened(context, home, no_wait) as memory:
        done = memory.drop(id, reason=reason, actor=actor or user())
        emit(done) if wants_json(context, as_json) else show(f"{id} is dropped")
