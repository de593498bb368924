"""A home and its health: init, scopes, status, verify, rebuild, digest."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eunoe.gateway.cli.options import AsJson, Home, NoWait, opened, settings_of, wants_json
from eunoe.gateway.cli.output import emit, say, show
from eunoe.gateway.cli.progress import bar
from eunoe.streams.errors import BadInput

if TYPE_CHECKING:
    from eunoe.infra.settings import Settings


def init(
    context: typer.Context,
    partitions: Annotated[int | None, typer.Option(min=1, help="Parts of the log, fixed from then on; else 4.")] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Make a home: log, keys and an empty memory."""
    from eunoe.gateway.memory import Memory

    settings = settings_of(context, home, partitions=partitions)
    made = not Memory.exists(settings.home)
    with Memory.open(settings.home, settings=settings) as memory:
        heads = memory.status().partitions
        if wants_json(context, as_json):
            emit({"home": str(settings.home), "made": made, "partitions": len(heads)})
        else:
            show(f"{'made' if made else 'there is'} a memory at {settings.home} ({len(heads)} partitions)")
    if made:
        say(_backup_note(settings))


def scopes(context: typer.Context, home: Home = None, as_json: AsJson = False, no_wait: NoWait = False) -> None:
    """List the scopes that hold events."""
    with opened(context, home, no_wait) as memory:
        found = memory.scopes()
        if wants_json(context, as_json):
            emit(found)
        else:
            for scope in found:
                show(scope)


def status(context: typer.Context, home: Home = None, as_json: AsJson = False, no_wait: NoWait = False) -> None:
    """Show how far each part is, what waits and what failed."""
    with opened(context, home, no_wait) as memory:
        found = memory.status()
        if wants_json(context, as_json):
            emit(found)
            return
        show(f"runtime: {found.runtime}")
        for partition in found.partitions:
            show(f"partition {partition.partition}: head {partition.head}")
        for projection in found.projections:
            show(f"{projection.name}: {projection.behind} behind")
        show(f"queue: {found.queue}")
        if found.waiting is not None:
            show(f"waiting for: {found.waiting}{f' ({found.failure})' if found.failure else ''}")
        show(f"dead letters: {found.dead_letters}")
        show(f"refused: {found.refused}")


def verify(
    context: typer.Context,
    heads: Annotated[Path | None, typer.Option(help="Signed tree heads that the log must continue.")] = None,
    receipt: Annotated[Path | None, typer.Option(help="Check this receipt instead; no memory is needed.")] = None,
    public_key: Annotated[str | None, typer.Option(help="Whose signature it must be: 64 hex digits.")] = None,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """Check the whole log: numbering, hash chain, seals, hash tree, signed heads. Or check a receipt."""
    if receipt is not None:
        _verify_receipt(context, receipt, public_key, as_json)
        return
    with opened(context, home, no_wait) as memory:
        found = memory.verify(heads, public_key)
        if wants_json(context, as_json):
            emit(found)
        elif found.ok:
            show(f"ok: {found.records} records in {found.partitions} partitions")
        if not found.ok and found.first_bad is not None:
            bad = found.first_bad
            say(f"partition {bad.partition}, position {bad.position}: {bad.reason}")
        if not found.ok:
            raise typer.Exit(1)


def _verify_receipt(context: typer.Context, receipt: Path, public_key: str | None, as_json: bool) -> None:
    from eunoe.processors.forgetting.receipt import problems

    if public_key is None:
        raise BadInput("a receipt is checked against --public-key; ask whoever runs the memory (`eunoe keys show`)")
    try:
        document = json.loads(receipt.read_bytes())
    except ValueError:
        raise BadInput(f"{receipt} is no JSON document") from None
    found = problems(document, public_key)
    if wants_json(context, as_json):
        emit({"ok": not found, "problems": found})
    elif not found:
        show("ok: signed by this key, the request is in the log, and the log goes on from where it was")
    for problem in found:
        say(problem)
    if found:
        raise typer.Exit(1)


def rebuild(context: typer.Context, home: Home = None, as_json: AsJson = False, no_wait: NoWait = False) -> None:
    """Make every projection anew from the log, and compare its digest with the live one."""
    with opened(context, home, no_wait) as memory:
        with bar("rebuild") as progress:
            done = memory.rebuild(progress)
        if wants_json(context, as_json):
            emit(done)
        else:
            same = "the same as" if done.same_as_live else "not the same as"
            show(f"{done.events} events in {done.seconds:.1f} s, {done.model_calls} model calls")
            show(f"digest {done.digest}, {same} before")
        if not done.same_as_live:
            raise typer.Exit(1)


def digest(context: typer.Context, home: Home = None, as_json: AsJson = False, no_wait: NoWait = False) -> None:
    """Print the digest of all that the memory holds, whatever its layout."""
    with opened(context, home, no_wait) as memory:
        memory.settle()
        found = memory.digest()
        parts = {**found.projections, "audit": memory.audit_digest()}  # apart: no part of the digest over all
        if wants_json(context, as_json):
            emit({"digest": found.digest, "projections": parts})
        else:
            show(found.digest)
            for name, value in sorted(parts.items()):
                say(f"{name}: {value}")


def _backup_note(settings: "Settings") -> str:
    if settings.master_key is not None or settings.master_key_command is not None:
        where = "the master key that you gave"
    else:
        where = str(settings.master_key_file or settings.home / "master.key")
    return (
        "\n"
        "  ******************************************************************\n"
        "  BACK UP THE MASTER KEY NOW, and not beside this memory.\n"
        "  Without it nothing that is recorded can ever be read again.\n"
        f"  It is: {where}\n"
        "  ******************************************************************\n"
    )
