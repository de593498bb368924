"""`eunoe memories`: look at what was learned, correct it."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from eunoe.gateway.cli.options import Actor, AsJson, Home, NoWait, Reason, Scope, opened, user, wants_json
from eunoe.gateway.cli.output import emit, one_line, show, table

if TYPE_CHECKING:
    from eunoe.stores.contracts import Memory

app = typer.Typer(name="memories", help="Look at memories, correct them.", no_args_is_help=True)
Kind = Literal["fact", "skill", "episode"]
MemoryId = Annotated[str, typer.Argument(metavar="ID", help="The memory's id.")]


@app.command("list")
def list_(
    context: typer.Context,
    scope: Scope,
    kind: Annotated[Kind | None, typer.Option(help="Only these.")] = None,
    retired: Annotated[bool, typer.Option("--retired", help="Those that were retired, too.")] = False,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """List the memories of a scope, by time."""
    with opened(context, home, no_wait) as memory:
        found = memory.memories(scope, kind=kind, retired=retired)
        if wants_json(context, as_json):
            emit([described(one) for one in found])
        else:
            rows = ((m.id, m.kind, m.at, one_line(m.text)) for m in found)
            table(("id", "kind", "at", "text"), rows, "no such memory")


@app.command("show")
def show_(
    context: typer.Context, id: MemoryId, home: Home = None, as_json: AsJson = False, no_wait: NoWait = False
) -> None:
    """Show one memory with its sources."""
    with opened(context, home, no_wait) as memory:
        found = memory.memory(id)
        if wants_json(context, as_json):
            emit(described(found))
            return
        show(f"{found.kind} {found.id} in {found.scope}")
        show(found.text)
        for source in found.sources:
            show(f"  from {source.event} ({source.session}, {source.role}, {source.at})")


@app.command("edit")
def edit(
    context: typer.Context,
    id: MemoryId,
    text: Annotated[str, typer.Argument(help="What it should say.")],
    reason: Reason = None,
    actor: Actor = None,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """Correct a memory. The correction is an event: it survives a rebuild, and `undo` takes it back."""
    with opened(context, home, no_wait) as memory:
        done = memory.edit(id, text, actor=actor or user(), reason=reason)
        emit(described(done)) if wants_json(context, as_json) else show(f"corrected {id}")


@app.command("retire")
def retire(
    context: typer.Context,
    id: MemoryId,
    reason: Reason = None,
    actor: Actor = None,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """Hide a memory. Its sources stay, and `undo` takes it back."""
    with opened(context, home, no_wait) as memory:
        done = memory.retire(id, actor=actor or user(), reason=reason)
        emit(described(done)) if wants_json(context, as_json) else show(f"retired {id}")


@app.command("undo")
def undo(
    context: typer.Context,
    id: MemoryId,
    reason: Reason = None,
    actor: Actor = None,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """Take the last correction of a memory back."""
    with opened(context, home, no_wait) as memory:
        done = memory.undo(id, actor=actor or user(), reason=reason)
        emit(described(done)) if wants_json(context, as_json) else show(f"took the correction of {id} back")


def described(memory: "Memory") -> dict[str, Any]:
    """A memory as JSON, without the numbers that mean something in one projection file only."""
    import msgspec

    fields: dict[str, Any] = msgspec.to_builtins(memory)
    return {name: value for name, value in fields.items() if name not in ("number", "key")}
