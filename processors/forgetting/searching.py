"""Searching files byte by byte, in a process of its own: run as a script, it needs nothing of the package.

A process that opens and closes a SQLite file beside SQLite itself loses the locks that SQLite holds on it (POSIX locks
belong to the process), so nobody may read the files of an open home from within.

Standard input: {"files": [path, …], "wanted": [hex, …]}. Standard output: {path: how often any of them stands there}.
"""

import json
import mmap
import sys
from collections.abc import Sequence
from pathlib import Path


def hits(path: str, wanted: Sequence[bytes]) -> int:
    """How often any of these stands in a file; overlapping ones count each."""
    file = Path(path)
    if not file.exists() or not file.stat().st_size:
        return 0
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as held:
        return sum(_count(held, text) for text in wanted)


def _count(held: mmap.mmap, text: bytes) -> int:
    count, at = 0, held.find(text)
    while at >= 0:
        count, at = count + 1, held.find(text, at + 1)
    return count


def main() -> None:
    """Read the question from standard input, answer on standard output."""
    asked = json.load(sys.stdin)
    wanted = [bytes.fromhex(text) for text in asked["wanted"]]
    json.dump({path: hits(path, wanted) for path in asked["files"]}, sys.stdout)


if __name__ == "__main__":
    main()
