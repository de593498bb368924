"""Options that many verbs share, and the opened memory that they lead to. They may stand before or after the verb."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eunoe.gateway.cli.output import say
from eunoe.gateway.cli.progress import bar
from eunoe.streams.errors import NotFound, WaitTimeout

if TYPE_CHECKING:
    from eunoe.gateway.answers import Settled
    from eunoe.gateway.memory import Memory
    from eunoe.infra.settings import Settings

_LOOK_SECONDS = 0.3

Home = Annotated[
    Path | None,
    typer.Option("--home", metavar="DIR", help="The memory's directory; else EUNOE_HOME, else ./memory."),
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]
NoWait = Annotated[
    bool, typer.Option("--no-wait", help="Exit before what was recorded is processed; the next command does it.")
]
Scope = Annotated[str, typer.Option("--scope", metavar="SCOPE", help="Whose memory, such as user/4821.")]
AnyScope = Annotated[str | None, typer.Option("--scope", metavar="SCOPE", help="Only this scope.")]
Reason = Annotated[str | None, typer.Option("--reason", help="Why, for the record.")]
Actor = Annotated[str | None, typer.Option("--actor", help="Who decided it; else your user name.")]


@dataclass
class Shared:
    """What stands before the verb."""

    home: Path | None = None
    as_json: bool = False
    no_wait: bool = False


def shared(context: typer.Context) -> Shared:
    """The options before the verb; the same object for the whole run."""
    return context.find_root().ensure_object(Shared)


def wants_json(context: typer.Context, as_json: bool) -> bool:
    """Whether --json stood before or after the verb."""
    return as_json or shared(context).as_json


def settings_of(context: typer.Context, home: Path | None, **given: Any) -> "Settings":
    """The settings of the named home, with what else the command line gives. Raises BadInput."""
    from eunoe.infra.settings import load_settings

    return load_settings(home=home or shared(context).home, **given)


def user() -> str:
    """Who sits here, for the record of a decision."""
    return os.environ.get("USER") or os.environ.get("USERNAME") or "cli"


@contextmanager
def opened(
    context: typer.Context, home: Path | None, no_wait: bool = False, *, make: bool = False
) -> Iterator["Memory"]:
    """The memory of the named home; on the way out it settles, unless --no-wait or an error.

    make: whether a home that does not exist is made, which only writing verbs do. Raises NotFound else.
    """
    from eunoe.gateway.memory import Memory

    settings = settings_of(context, home)
    if not make and not Memory.exists(settings.home):
        raise NotFound(f"there is no memory at {settings.home}; `eunoe init` makes one, --home names another")
    with Memory.open(settings.home, settings=settings) as memory:
        try:
            yield memory
            if not (no_wait or shared(context).no_wait):
                _settle(memory)
        except KeyboardInterrupt:
            say("interrupted; what is stored stays, and the next command goes on from there")
            raise


def _settle(memory: "Memory") -> None:
    settled = memory.settle() if not sys.stderr.isatty() else _watched(memory)
    if settled.parked:
        say(f"{len(settled.parked)} steps are parked; `eunoe deadletters list` shows them")


def _watched(memory: "Memory") -> "Settled":
    """Settle with a bar: what is left is asked every now and then."""
    total = 1
    with bar("settling") as report:
        while True:
            try:
                return memory.settle(_LOOK_SECONDS)
            except WaitTimeout:
                left = memory.status().staleness.events
                total = max(total, left)
                report(1 - left / total, total - left)
