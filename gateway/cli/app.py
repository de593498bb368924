"""The command tree: global options and where each verb stands."""

from typing import Annotated

import typer

import eunoe
from eunoe.gateway.cli import (
    auditing,
    backup,
    deadletters,
    demo,
    evaluation,
    files,
    forgetting,
    heads,
    history,
    keys,
    memories,
    recalling,
    upkeep,
)
from eunoe.gateway.cli.options import AsJson, Home, NoWait, shared

app = typer.Typer(
    name="eunoe",
    help="A streaming memory for AI agents: one sealed event log, facts and skills out.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"eunoe {eunoe.__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A streaming memory for AI agents: one sealed event log, facts and skills out."""
    given = shared(context)
    given.home, given.as_json, given.no_wait = home, as_json, no_wait


for name, verb, panel in (
    ("init", upkeep.init, "Write"),
    ("record", history.record, "Write"),
    ("import", history.import_files, "Write"),
    ("recall", recalling.recall, "Read"),
    ("context", recalling.context, "Read"),
    ("log", history.log, "Read"),
    ("scopes", upkeep.scopes, "Read"),
    ("redact", forgetting.redact, "Forget"),
    ("readmit", forgetting.readmit, "Forget"),
    ("receipts", forgetting.receipts, "Forget"),
    ("audit", auditing.audit, "Keep"),
    ("backup", backup.backup, "Keep"),
    ("restore", backup.restore, "Keep"),
    ("status", upkeep.status, "Keep"),
    ("verify", upkeep.verify, "Keep"),
    ("rebuild", upkeep.rebuild, "Keep"),
    ("digest", upkeep.digest, "Keep"),
    ("eval", evaluation.evaluate, "Judge"),
    ("demo", demo.demo, "Judge"),
):
    app.command(name, rich_help_panel=panel)(verb)

for group, panel in (
    (memories.app, "Read"),
    (files.app, "Read"),
    (forgetting.app, "Forget"),
    (deadletters.app, "Keep"),
    (keys.app, "Keep"),
    (heads.app, "Keep"),
):
    app.add_typer(group, rich_help_panel=panel)
