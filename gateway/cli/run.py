"""One run of the command line: what a verb raises becomes one line on standard error and an exit code."""

import io
import os
import sys
from collections.abc import Sequence

from eunoe.gateway.cli.app import app
from eunoe.gateway.cli.output import complain
from eunoe.streams.errors import EunoeError

_HINTS = {
    "LogDamaged": "`eunoe verify` names the first bad position; restore the log from a backup",
    "LogTruncated": "restore the log from a backup",
    "StorageFull": "free some space and run it again",
}


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line (without the program's name) and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without the letters of a text still shows the rest
    try:
        app(args=None if arguments is None else list(arguments), prog_name="eunoe")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if os.environ.get("EUNOE_DEBUG"):
            raise
        complain(_in_words(error))
        return 1
    return 0


def _in_words(error: Exception) -> str:
    if isinstance(error, EunoeError):
        message = str(error) or type(error).__name__
        hint = _HINTS.get(type(error).__name__)
        return f"{message}; {hint}" if hint else message
    if isinstance(error, OSError):
        return f"{error.strerror or type(error).__name__}{f': {error.filename}' if error.filename else ''}"
    # The message of a defect could hold content, so only its kind is shown.
    return f"this is a defect ({type(error).__name__}); EUNOE_DEBUG=1 shows where, please report it"
