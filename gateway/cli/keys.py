"""`eunoe keys`: look at keys and rotate them. No key is ever shown."""

from typing import Annotated

import typer

from eunoe.gateway.cli.options import AsJson, Home, NoWait, opened, wants_json
from eunoe.gateway.cli.output import emit, show

app = typer.Typer(name="keys", help="Look at keys, rotate them.", no_args_is_help=True)


@app.command("show")
def show_(context: typer.Context, home: Home = None, as_json: AsJson = False, no_wait: NoWait = False) -> None:
    """Show where the master key comes from, key versions and counts."""
    with opened(context, home, no_wait) as memory:
        found = memory.keys()
        if wants_json(context, as_json):
            emit(found)
        else:
            for name, value in found.items():
                show(f"{name}: {value}")


@app.command("rotate-master")
def rotate_master(context: typer.Context, home: Home = None, as_json: AsJson = False, no_wait: NoWait = False) -> None:
    """Make a new master key and wrap every subject key with it."""
    with opened(context, home, no_wait) as memory:
        done = memory.rotate_master()
        emit(done) if wants_json(context, as_json) else show("the master key is new; back it up")


@app.command("rotate-subject")
def rotate_subject(
    context: typer.Context,
    subject: Annotated[str, typer.Argument(help="The subject, such as user/4821.")],
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """Give a subject a new key for what comes."""
    with opened(context, home, no_wait) as memory:
        done = memory.rotate_subject(subject)
        emit(done) if wants_json(context, as_json) else show(f"{subject} has a new key")
