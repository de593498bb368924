"""The project's own form: one interaction a line."""

from collections.abc import Iterator
from pathlib import Path

from eunoe.gateway.importers import files
from eunoe.gateway.importers.lines import Defaults, ImportLine, drafted
from eunoe.streams.errors import Rejected


def read(path: str | Path, defaults: Defaults) -> Iterator[ImportLine]:
    """A line for each line that is not blank. Raises BadInput when the file can't be read at all."""
    given = defaults.given()
    for number, raw, done in files.lines(path):
        try:
            value = files.line_value(raw)
        except Rejected as refused:
            yield ImportLine(number, reason=refused.reason, done=done)
            continue
        if not isinstance(value, dict):
            yield ImportLine(number, reason="not an object", done=done)
            continue
        yield drafted(number, {**given, **{k: v for k, v in value.items() if v is not None}}, done)
