"""`eunoe backup` and `eunoe restore`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eunoe.gateway.cli.options import Actor, AsJson, Home, NoWait, opened, settings_of, user, wants_json
from eunoe.gateway.cli.output import emit, say, show
from eunoe.gateway.cli.progress import bar
from eunoe.streams.errors import BadInput

if TYPE_CHECKING:
    from eunoe.gateway.restoring import Restored

RecoveryKey = Annotated[
    str | None,
    typer.Option(
        "--recovery-key",
        envvar="EUNOE_RECOVERY_KEY",
        show_envvar=True,
        help="The recovery key, or a passphrase; better not on the command line, where others of this machine see it.",
    ),
]
_NOTE = (
    "\n"
    "  ******************************************************************\n"
    "  THIS FILE HOLDS KEYS, sealed for the recovery key. What is forgotten\n"
    "  from now on can still be read from it: delete it when its time is up.\n"
    "  ******************************************************************\n"
)


def backup(
    context: typer.Context,
    target: Annotated[Path, typer.Argument(help="A folder, or a new file; not inside the home.")],
    recovery_key: RecoveryKey = None,
    actor: Actor = None,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """Back up log, keyring and settings into one file, while the memory is in use."""
    with opened(context, home, no_wait) as memory:
        with bar("backup") as report:
            done = memory.backup(
                target, recovery_key, actor=actor or user(), progress=lambda share: report(share, int(share * 100))
            )
        if wants_json(context, as_json):
            emit(done)
        else:
            show(f"{done.path}: {done.records} records, {done.bytes:,} bytes, opened by the recovery {done.lock}")
    say(_NOTE)


def restore(
    context: typer.Context,
    source: Annotated[Path, typer.Argument(metavar="BACKUP", help="What `eunoe backup` made.")],
    recovery_key: RecoveryKey = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Put it in the place of the same memory, whose newer records are lost.")
    ] = False,
    actor: Actor = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Make a memory of a backup. What was forgotten in the memory that stands there is forgotten in it too."""
    from eunoe.gateway.memory import Memory

    settings = settings_of(context, home)
    words = recovery_key or _asked()
    with bar("restore") as report:
        done = Memory.restore(
            source, settings.home, words, replace=replace, actor=actor or user(), settings=settings,
            progress=lambda share: report(share, int(share * 100)),
        )  # fmt: skip
    if wants_json(context, as_json):
        emit(done)
    else:
        _show(done)


def _asked() -> str:
    if not sys.stdin.isatty():
        raise BadInput("give the recovery key with --recovery-key or EUNOE_RECOVERY_KEY")
    words: str = typer.prompt("Recovery key", hide_input=True, err=True)
    return words


def _show(done: "Restored") -> None:
    show(f"{done.path}: {done.records} records as of {done.at}")
    gone = done.forgotten
    if gone.requests:
        show(
            f"forgotten again: {gone.requests} requests, {gone.records} records, {gone.keys} keys;"
            f" {gone.names} names stay refused"
        )
    if done.replaced:
        say(f"it stands in the place of the memory that was there; {done.discarded} newer records are gone")
    if done.master_key == "restored":
        say("the master key came out of the backup; keep it where `eunoe keys show` says, and back it up elsewhere")
    say("`eunoe verify` checks the whole log")
