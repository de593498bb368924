"""What went in: record, import, log."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eunoe.gateway.cli.options import AnyScope, AsJson, Home, NoWait, Scope, opened, wants_json
from eunoe.gateway.cli.output import emit, one_line, say, show
from eunoe.gateway.cli.progress import bar
from eunoe.streams.errors import BadInput

if TYPE_CHECKING:
    from eunoe.gateway.answers import Imported, LogLine

_REASONS_SHOWN = 10


def record(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="What was said; - reads it from standard input.")],
    scope: Scope,
    session: Annotated[str, typer.Option(help="The conversation it belongs to.")] = "default",
    role: Annotated[str, typer.Option(help="user, assistant, tool, system, observation or feedback.")] = "user",
    speaker: Annotated[str | None, typer.Option(help="Who said it, where it isn't the subject.")] = None,
    subject: Annotated[
        list[str] | None, typer.Option(help="Whose data it is; else the scope. May be repeated.")
    ] = None,
    agent: Annotated[str | None, typer.Option(help="The agent that reports it.")] = None,
    at: Annotated[str | None, typer.Option(help="When, such as 2026-05-12T09:30:00+02:00; else now.")] = None,
    id: Annotated[str | None, typer.Option(help="Your id for it, unique in the scope.")] = None,
    order: Annotated[int | None, typer.Option(help="Its place in the session.")] = None,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """Record one turn."""
    said = _standard_input() if text == "-" else text
    with opened(context, home, no_wait, make=True) as memory:
        stored = memory.record(
            said, scope=scope, session=session, role=role, speaker=speaker, subject=subject, agent=agent, at=at,
            id=id, order=order,
        )  # fmt: skip
        if wants_json(context, as_json):
            emit(stored)
        else:
            known = "was known" if stored.duplicate else "stored"
            show(f"{known}: {stored.id} (partition {stored.partition}, position {stored.position})")


def import_files(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Histories to read.")],
    format: Annotated[
        str | None, typer.Option("--format", help="jsonl, openai or locomo; else found by looking.")
    ] = None,
    scope: Annotated[str | None, typer.Option(help="The scope of entries that name none.")] = None,
    session: Annotated[str | None, typer.Option(help="The session of entries that name none.")] = None,
    agent: Annotated[str | None, typer.Option(help="The agent of entries that name none.")] = None,
    at: Annotated[str | None, typer.Option(help="The time of entries that name none.")] = None,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """Import histories. Run again, it goes on where it stopped: what is known is skipped."""
    given = {"scope": scope, "session": session, "agent": agent, "at": at}
    defaults = {name: value for name, value in given.items() if value is not None}
    with opened(context, home, no_wait, make=True) as memory:
        done: list[tuple[Path, Imported]] = []
        for path in paths:
            with bar(path.name) as progress:
                done.append((path, memory.import_file(path, format=format, progress=progress, **defaults)))
        summary = _summed(done)
        if wants_json(context, as_json):
            emit(summary)
        else:
            _show_summary(summary)
    if summary["rejected"] and not summary["recorded"] + summary["duplicates"]:
        raise typer.Exit(1)


def log(
    context: typer.Context,
    scope: AnyScope = None,
    after: Annotated[int | None, typer.Option(help="Only what stands after this position of its partition.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many.")] = None,
    tail: Annotated[bool, typer.Option("--tail", help="Go on as events come; with --json a document a line.")] = False,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """Show the events of the log, opened."""
    as_json = wants_json(context, as_json)
    with opened(context, home, no_wait) as memory:
        lines = memory.log(scope=scope, after=after, limit=limit, tail=tail)
        if as_json and not tail:
            emit(list(lines))
            return
        with suppress(KeyboardInterrupt):  # how a person ends --tail
            for line in lines:
                emit(line, indent=None) if as_json else show(_log_line(line))


def _standard_input() -> str:
    try:
        read = sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput("standard input is not UTF-8 text") from None
    return read.removesuffix("\n")


def _summed(done: "list[tuple[Path, Imported]]") -> dict[str, Any]:
    """One summary; a refused line names its file where there are several."""
    several = len(done) > 1
    return {
        "read": sum(one.read for _, one in done),
        "recorded": sum(one.recorded for _, one in done),
        "duplicates": sum(one.duplicates for _, one in done),
        "rejected": [
            {"line": refused.line, "reason": refused.reason, **({"file": str(path)} if several else {})}
            for path, one in done
            for refused in one.rejected
        ],
        "seconds": round(sum(one.seconds for _, one in done), 3),
    }


def _show_summary(summary: dict[str, Any]) -> None:
    rejected = summary["rejected"]
    show(
        f"{summary['read']} read, {summary['recorded']} recorded, {summary['duplicates']} known already, "
        f"{len(rejected)} refused, {summary['seconds']} s"
    )
    for refused in rejected[:_REASONS_SHOWN]:
        say(f"refused: {refused.get('file', '')} line {refused['line']}: {refused['reason']}".replace(":  ", ": "))
    if len(rejected) > _REASONS_SHOWN:
        say(f"and {len(rejected) - _REASONS_SHOWN} more; --json lists them all")


def _log_line(line: "LogLine") -> str:
    return one_line(f"{line.partition}:{line.position} {line.kind} {line.scope} {line.id} {line.at} {line.text}")
