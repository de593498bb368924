"""`make bench`, forgetting: seconds from the request to the signed receipt, in logs of several lengths.

The log is written as ready interactions and results through the log contract, in batches, without extraction: what is
measured is forgetting. One of 1,000 subjects (100 at 10,000 events) has 100 events; another has 800 memories.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eunoe import Memory
from eunoe.gateway.memory import RULES
from eunoe.processors.extracting import Extractor
from eunoe.processors.units import CONTEXT_TURNS, rule_unit
from eunoe.streams.events import Interaction, Item, Result, Span
from eunoe.streams.log import Entry, entry

BATCH = 2_000
EACH = 100
MANY = 400  # turns, each an episode and a fact
AT = 1_735_689_600


class _Made:
    """What an extractor gives: the episode and one fact."""

    def __init__(self, unit: Any) -> None:
        turn = unit.anchor
        span = (Span(event=turn.id, start=0, end=len(turn.text)),)
        fact = Item(
            kind="fact",
            text=f"{turn.voice} noted {turn.id}",
            spans=span,
            about=turn.voice,
            attribute="noted",
            value=turn.id,
        )
        self.items, self.reason = (Item(kind="episode", spans=span), fact), None


READY = Extractor(_Made, RULES.version)


def turns(subject: str, count: int) -> list[Interaction]:
    """A subject's turns: about 30 tokens each, ten to a session."""
    words = "the deploy of the ledger service waits for the second review of the new index on the replica"
    return [
        Interaction(
            scope=subject, id=f"{subject}-{n}", subjects=(subject,), session=f"s{n // 10}", role="user", order=n,
            at=time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(AT + n * 60)),
            text=f"Note {n} of {subject}: {words}, said {n * 7919 % 10007}.",
        )
        for n in range(count)
    ]  # fmt: skip


def results(said: list[Interaction]) -> Iterator[Result]:
    """The result of each turn's unit."""
    for n, turn in enumerate(said):
        first = max(n - CONTEXT_TURNS, n // 10 * 10)
        yield READY.handle(rule_unit([*said[first:n], turn]))


def fill(memory: Memory, subjects: list[tuple[str, int]]) -> None:
    """Write everybody's turns and results as they would come: a batch of turns, then their results."""
    batch: list[Entry] = []
    for subject, count in subjects:
        said = turns(subject, count)
        batch += [entry(event) for event in (*said, *results(said))]
        if len(batch) >= BATCH:
            memory._home.log.append(batch)
            batch = []
    memory._home.log.append(batch)
    memory.settle()


def bench_forgetting(folder: Path, events: int, rounds: int = 5) -> dict[str, Any]:
    """Seconds to the receipt of one subject of 100 events, and of 800 memories at once."""
    people = events // EACH
    with Memory.open(folder / f"forget-{events}", background=False, extractor=READY) as memory:
        start = time.perf_counter()
        fill(memory, [(f"user/{n}", EACH) for n in range(people)] + [("user/many", MANY)])
        written = time.perf_counter() - start
        seconds = []
        for index in range(rounds):
            start = time.perf_counter()
            receipt = memory.forget(subject=f"user/{index * 37 % people}")
            seconds.append(time.perf_counter() - start)
            assert len(receipt.records) == 2 * EACH
        held = len(memory.memories("user/many"))
        start = time.perf_counter()
        receipt = memory.forget(scope="user/many")
        many = time.perf_counter() - start
        assert receipt.projections["memories"]["gone"] == held == 2 * MANY
        return {
            "subject_seconds": round(statistics.median(seconds), 3),
            "subject_seconds_max": round(max(seconds), 3),
            "memories_800_seconds": round(many, 3),
            "receipt_bytes": len(json.dumps(json.loads(memory._home.receipts.all()[receipt.request_id]))),
            "bytes": sum(memory._home.size().values()),
            "fixture_seconds": round(written, 1),
        }


def main() -> None:
    """Run for each length and print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("events", type=int, nargs="*", default=[10_000, 100_000])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = {str(events): bench_forgetting(Path(name), events) for events in args.events}
    sys.stdout.write(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
