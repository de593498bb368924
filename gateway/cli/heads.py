"""`eunoe heads`: signed tree heads, given out of the home so that nobody can change the log unseen."""

import typer

from eunoe.gateway.cli.options import AsJson, Home, NoWait, opened, wants_json
from eunoe.gateway.cli.output import emit, show

app = typer.Typer(name="heads", help="Signed tree heads of the log, to be kept elsewhere.", no_args_is_help=True)


@app.command("publish")
def publish(context: typer.Context, home: Home = None, as_json: AsJson = False, no_wait: NoWait = False) -> None:
    """Sign the heads of the log, append them to heads_file and hand them to heads_command; print them too."""
    with opened(context, home, no_wait) as memory:
        memory.settle()
        head = memory.publish_heads()
        if wants_json(context, as_json):
            emit(head)
            return
        for one in head.partitions:
            show(f"partition {one.partition}: {one.size} records, root {one.root}")
        show(f"signed at {head.at} by {head.public_key}")
