"""The process that is killed: imports a history in small batches, settles and rebuilds, and says what it did.

Each line on standard output is an acknowledgement, written after the call returned: `stored ID PARTITION POSITION`,
`settled`, `rebuilt`. The first line is `open`.
"""

import json
import sys
from itertools import islice
from pathlib import Path

from eunoe.gateway.memory import Memory

BATCH = 23


def main(home: str, history: str) -> None:
    """Work through the history, as far as the life of this process goes."""
    with Memory.open(home) as memory:
        _say("open")
        lines = iter(Path(history).read_text("utf-8").splitlines())
        count = 0
        while batch := [json.loads(line) for line in islice(lines, BATCH)]:
            for stored in memory.record_many(batch):
                _say(f"stored {stored.id} {stored.partition} {stored.position}")
            count += 1
            if count % 4 == 0:
                memory.settle()
                _say("settled")
            if count % 6 == 0:
                memory.rebuild()
                _say("rebuilt")
        memory.settle()
        memory.rebuild()
        _say("rebuilt")
        memory.rotate_master()
        _say("rotated")
    _say("closed")


def _say(word: str) -> None:
    sys.stdout.write(word + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
