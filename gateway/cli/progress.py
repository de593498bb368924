"""A bar on standard error for what takes long: share done, rate, time left. Nothing where that is no terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

from eunoe.gateway.cli.output import console, one_line

Report = Callable[[float, int], None]


@contextmanager
def bar(name: str, clock: Callable[[], float] = perf_counter) -> Iterator[Report]:
    """Give a function that takes the share done (0 to 1) and the entries read so far."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    progress = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=console(sys.stderr),
        disable=not sys.stderr.isatty(),
        transient=True,
    )
    started = clock()
    with progress:
        task = progress.add_task(one_line(name, 40), total=1.0, rate="")

        def report(done: float, read: int) -> None:
            rate = read / max(clock() - started, 1e-3)
            progress.update(task, completed=done, rate=f"{rate:,.0f}/s")

        yield report
