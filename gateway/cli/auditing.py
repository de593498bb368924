"""`eunoe audit`: who did what, when, where and why."""

from typing import TYPE_CHECKING, Annotated

import typer

from eunoe.gateway.cli.options import AnyScope, AsJson, Home, NoWait, opened, wants_json
from eunoe.gateway.cli.output import emit, one_line, table

if TYPE_CHECKING:
    from eunoe.gateway.auditing import AuditEntry


def audit(
    context: typer.Context,
    scope: AnyScope = None,
    agent: Annotated[str | None, typer.Option(help="Only what this agent did.")] = None,
    session: Annotated[str | None, typer.Option(help="Only this session.")] = None,
    actor: Annotated[str | None, typer.Option(help="Only what they did, or said.")] = None,
    kind: Annotated[str | None, typer.Option(help="Only this kind, such as write, edit, forget, refused.")] = None,
    since: Annotated[str | None, typer.Option(help="Only from this time on, such as 2026-05-12T09:30:00Z.")] = None,
    until: Annotated[str | None, typer.Option(help="Only up to this time.")] = None,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """List every write, change, decision, forget, rotation, backup and (by setting) recall. Never a text."""
    with opened(context, home, no_wait) as memory:
        found = memory.audit(
            scope=scope, agent=agent, session=session, actor=actor, kind=kind, since=since, until=until
        )  # fmt: skip
        if wants_json(context, as_json):
            emit(found)
        else:
            table(("when", "kind", "where", "who", "what", "why", "counts"), map(_row, found), "nothing of that")


def _row(one: "AuditEntry") -> tuple[str, ...]:
    where = " · ".join(part for part in (one.scope, one.session) if part)
    who = " via ".join(part for part in (one.actor, one.agent) if part)
    what = " ".join(part for part in (one.what, one.id) if part)
    counts = ", ".join(f"{count} {name}" for name, count in one.counts.items())
    return one.at, one.kind, *(one_line(text, 60) for text in (where, who, what, one.reason or "", counts))
