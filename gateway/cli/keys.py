"""`eunoe keys`: look at keys and rotate them. No key is ever shown, but a new recovery key, once."""

from typing import Annotated

import typer

from eunoe.gateway.cli.options import AsJson, Home, NoWait, opened, user, wants_json
from eunoe.gateway.cli.output import emit, say, show

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
        done = memory.rotate_master(actor=user())
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
        done = memory.rotate_subject(subject, actor=user())
        emit(done) if wants_json(context, as_json) else show(f"{subject} has a new key")


@app.command("recovery")
def recovery(
    context: typer.Context,
    again: Annotated[bool, typer.Option("--again", help="Make another; older backups keep the old one.")] = False,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """Make the key that opens this memory's backups. It is shown this once and stored nowhere."""
    with opened(context, home, no_wait) as memory:
        words = memory.make_recovery_key(again=again, actor=user())
        emit({"recovery_key": words}) if wants_json(context, as_json) else show(words)
    say("Write it down now, and keep it neither beside the memory nor beside its backups: it is shown only once.")
