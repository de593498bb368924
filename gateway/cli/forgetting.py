"""What goes for good: forget, redact, readmit, receipts."""

import sys
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from eunoe.gateway.cli.options import Actor, AsJson, Home, NoWait, Reason, opened, user, wants_json
from eunoe.gateway.cli.output import emit, say, show, table
from eunoe.streams.errors import BadInput

if TYPE_CHECKING:
    from eunoe.gateway.erasing import DryRun, Named
    from eunoe.gateway.memory import Memory

Subject = Annotated[str | None, typer.Option("--subject", help="Whose data: a subject, in --scope or everywhere.")]
ScopeName = Annotated[str | None, typer.Option("--scope", help="A whole scope; or where the session or event is.")]
Session = Annotated[str | None, typer.Option("--session", help="A session of --scope.")]
EventId = Annotated[str | None, typer.Option("--event", help="One event of --scope.")]
MemoryId = Annotated[str | None, typer.Option("--memory", help="A memory, which means its source events.")]
DryRunFlag = Annotated[bool, typer.Option("--dry-run", help="Only say what would go, what is built again, the price.")]
Yes = Annotated[bool, typer.Option("--yes", help="Don't ask.")]

app = typer.Typer(
    name="forget", help="Forget for good: keys and bytes destroyed, with a signed receipt.", invoke_without_command=True
)


@app.callback()
def forget(
    context: typer.Context,
    subject: Subject = None,
    scope: ScopeName = None,
    session: Session = None,
    event: EventId = None,
    memory: MemoryId = None,
    reason: Reason = None,
    actor: Actor = None,
    dry_run: DryRunFlag = False,
    yes: Yes = False,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """Forget a subject, scope, session, event or memory for good, with a signed receipt."""
    if context.invoked_subcommand is None:
        named = _named(subject, scope, session, event, memory)
        _erase(context, "forget", named, reason, actor, dry_run, yes, home, as_json, no_wait)


@app.command("prove")
def prove(
    context: typer.Context,
    receipt: Annotated[str | None, typer.Argument(help="The request's id, as `eunoe receipts` lists it.")] = None,
    canary: Annotated[list[str] | None, typer.Option(help="A text that may stand in no file; may be repeated.")] = None,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """Prove a forget at length: rebuild it all, scan every table, search every file. Signed."""
    with opened(context, home, no_wait) as memory:
        proof = memory.prove(receipt, canaries=canary or ())
        if wants_json(context, as_json):
            emit(proof)
        else:
            same = "the same as" if proof.rebuild.same else "NOT the same as"
            show(f"made anew, the memory is {same} one that never had it")
            for scan in proof.scans:
                if not scan.clean:
                    show(f"{scan.file}, {scan.table}: something is left")
            looked = sum(scan.rows for scan in proof.scans)
            show(f"{looked} rows and {proof.bytes.bytes} bytes in {proof.bytes.files} files were looked at")
            show("nothing is left" if proof.ok else "something is left; --json says where")
        if not proof.ok:
            raise typer.Exit(1)


def redact(
    context: typer.Context,
    subject: Subject = None,
    scope: ScopeName = None,
    session: Session = None,
    event: EventId = None,
    memory: MemoryId = None,
    reason: Reason = None,
    actor: Actor = None,
    dry_run: DryRunFlag = False,
    yes: Yes = False,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """Destroy content as `forget` does, but leave a tombstone: place, time and who did it."""
    named = _named(subject, scope, session, event, memory)
    _erase(context, "redact", named, reason, actor, dry_run, yes, home, as_json, no_wait)


def readmit(
    context: typer.Context,
    subject: Subject = None,
    scope: ScopeName = None,
    session: Session = None,
    event: EventId = None,
    reason: Reason = None,
    actor: Actor = None,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """Take what was forgotten in again, when it is reported again."""
    with opened(context, home, no_wait) as memory:
        named = _named(subject, scope, session, event, None)
        lifted = memory.readmit(reason=reason, actor=actor or user(), **named)
        if wants_json(context, as_json):
            emit({"lifted": lifted})
        else:
            show(f"{lifted} refusals lifted")


def receipts(context: typer.Context, home: Home = None, as_json: AsJson = False, no_wait: NoWait = False) -> None:
    """List the receipts of what was forgotten here."""
    with opened(context, home, no_wait) as memory:
        found = memory.receipts()
        if wants_json(context, as_json):
            emit(found)
        else:
            rows = ((r.request_id, r.at, r.depth, r.target, len(r.records)) for r in found)
            table(("request", "at", "depth", "target", "records"), rows, "nothing was forgotten here")


def _named(
    subject: str | None, scope: str | None, session: str | None, event: str | None, memory: str | None
) -> "Named":
    named = {"subject": subject, "scope": scope, "session": session, "event": event, "memory": memory}
    return cast("Named", {kind: name for kind, name in named.items() if name is not None})


def _erase(
    context: typer.Context,
    depth: Any,
    named: "Named",
    reason: str | None,
    actor: str | None,
    dry_run: bool,
    yes: bool,
    home: Any,
    as_json: bool,
    no_wait: bool,
) -> None:
    as_json = wants_json(context, as_json)
    with opened(context, home, no_wait) as memory:
        if dry_run:
            plan = memory.dry_run(depth=depth, **named)
            emit(plan) if as_json else _show_plan(plan)
            return
        _confirm(memory, depth, named, yes)
        erase = memory.forget if depth == "forget" else memory.redact
        receipt = erase(reason=reason, actor=actor or user(), **named)
        if as_json:
            emit(receipt)
        else:
            show(f"{len(receipt.records)} records no longer open; receipt {receipt.request_id}")
            say("signed; `eunoe receipts --json` shows it whole")


def _confirm(memory: "Memory", depth: str, named: "Named", yes: bool) -> None:
    """Ask a person at a terminal; without one, --yes must be given. Raises BadInput, Abort."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise BadInput(f"{depth} can't be undone: look with --dry-run, then give --yes")
    _show_plan(memory.dry_run(depth="redact" if depth == "redact" else "forget", **named))
    typer.confirm("This can't be undone. Go on?", abort=True, err=True)


def _show_plan(plan: "DryRun") -> None:
    say(f"{plan.turns} turns and {plan.derived} records made from them would go")
    say(f"{len(plan.gone)} memories would go, {len(plan.built_again)} would be built again from other sources")
    say(f"{plan.extractions} turns would be extracted again, with {plan.model_calls} model calls")
    say("out of reach: what others said in their own words, older backups, exports, model providers")
