"""`eunoe files`: the memory as files."""

from pathlib import Path, PurePosixPath
from typing import Annotated

import typer

from eunoe.gateway.cli.options import AsJson, Home, NoWait, Scope, opened, wants_json
from eunoe.gateway.cli.output import emit, show, table
from eunoe.streams.errors import BadInput, NotFound

app = typer.Typer(name="files", help="The memory as files.", no_args_is_help=True)


@app.command("list")
def list_(
    context: typer.Context, scope: Scope, home: Home = None, as_json: AsJson = False, no_wait: NoWait = False
) -> None:
    """List the files of a scope."""
    with opened(context, home, no_wait) as memory:
        found = memory.files(scope)
        if wants_json(context, as_json):
            emit([{"path": path, "bytes": len(text.encode())} for path, text in sorted(found.items())])
        else:
            rows = ((path, len(text.encode())) for path, text in sorted(found.items()))
            table(("path", "bytes"), rows, "no file")


@app.command("show")
def show_(
    context: typer.Context,
    path: Annotated[str, typer.Argument(help="A path that `files list` shows.")],
    scope: Scope,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """Show one file."""
    with opened(context, home, no_wait) as memory:
        found = memory.files(scope)
        if path not in found:
            raise NotFound("there is no such file; `eunoe files list` shows those that there are")
        if wants_json(context, as_json):
            emit({"path": path, "text": found[path]})
        else:
            show(found[path].removesuffix("\n"))


@app.command("export")
def export(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="A new or empty folder.")],
    scope: Scope,
    home: Home = None,
    as_json: AsJson = False,
    no_wait: NoWait = False,
) -> None:
    """Write the files of a scope into a folder. An export is out of reach of later forgetting."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{folder} is not an empty folder")
    with opened(context, home, no_wait) as memory:
        found = memory.files(scope)
        for path, text in found.items():
            target = folder / inside(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, "utf-8", newline="")
        if wants_json(context, as_json):
            emit({"folder": str(folder), "files": sorted(found)})
        else:
            show(f"{len(found)} files in {folder}")


def inside(path: str) -> PurePosixPath:
    """A memory path as one below a folder. Raises BadInput for one that would leave it."""
    relative = PurePosixPath(path.lstrip("/"))
    if not relative.parts or ".." in relative.parts or "\0" in path:
        raise BadInput("a file of this scope has a path that can't be exported")
    return relative
