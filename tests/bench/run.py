"""`make bench`: what issue figures are measured by. Times are ratios to a bare SQLite insert of the same run."""

import argparse
import json
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.forgetting import bench_forgetting
from bench.texts import turns
from eunoe import Memory
from eunoe.gateway.home import Home
from eunoe.gateway.memory import RULES
from eunoe.infra.settings import load_settings
from eunoe.processors.units import rule_unit
from eunoe.streams.events import Interaction
from eunoe.streams.log import Entry

ROUNDS = 5
PAYLOAD = 1024


class Bare:
    """The yardstick: (partition, position, id, body) in WAL mode, synchronous FULL."""

    def __init__(self, path: Path) -> None:
        self._db = apsw.Connection(str(path))
        for pragma in ("journal_mode=wal", "synchronous=full"):
            self._db.execute(f"pragma {pragma}").fetchall()
        self._db.execute("create table log(part integer, pos integer, id blob, body blob, primary key(part, pos))")
        self._next = 0

    def insert(self, bodies: list[bytes]) -> None:
        rows = [(0, self._next + i, os.urandom(16), body) for i, body in enumerate(bodies)]
        self._next += len(bodies)
        with self._db:
            self._db.executemany("insert into log values(?, ?, ?, ?)", rows)


def timed(call: Callable[..., Any], *values: Any) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    call(*values)
    return time.perf_counter() - start


def compared(ours: Callable[[int], Any], bare: Callable[[int], Any], rounds: int = ROUNDS) -> dict[str, float]:
    """Both in turns; the median ratio of bare's time to ours, and ours in calls a second."""
    ratios, seconds = [], []
    for index in range(rounds):
        base = timed(bare, index)
        own = timed(ours, index)
        ratios.append(base / own)
        seconds.append(own)
    return {"ratio": round(statistics.median(ratios), 3), "seconds": round(statistics.median(seconds), 3)}


def bench_log(folder: Path, count: int) -> dict[str, Any]:
    """The log contract with ready frames, one at a time and in batches of 100."""
    home = Home(folder / "log", load_settings(home=folder / "log"), RULES, time.time)
    found = {}
    for size, total in ((1, count), (100, count * 10)):
        bare = Bare(folder / f"bare{size}.db")
        body = os.urandom(PAYLOAD)

        def ours(index: int, size: int = size, total: int = total, body: bytes = body) -> None:
            for start in range(0, total, size):
                home.log.append(
                    [
                        Entry("user/1", f"{size}-{index}-{start + i}", "interaction/1", ("user/1",), (body,))
                        for i in range(size)
                    ]
                )

        def base(_: int, size: int = size, total: int = total, body: bytes = body, bare: Bare = bare) -> None:
            for _start in range(0, total, size):
                bare.insert([body] * size)

        found[f"append_{size}"] = compared(ours, base) | {"events": total}
    home.close()
    return found


def bench_record(folder: Path, count: int, *, running: bool) -> dict[str, Any]:
    """`record` and `record_many` of 100 against the bare insert of bodies as long as their events'."""
    name = "running" if running else "paused"
    memory = Memory.open(folder / f"record-{name}", background=running)
    memory.record("warm up", scope="user/1")
    found = {}
    for size, total in ((1, count), (100, count * 5)):
        bare = Bare(folder / f"bare-record-{name}-{size}.db")
        lists = [list(turns(total, "user/1", seed=size * 1000 + index)) for index in range(ROUNDS)]
        bodies = [json.dumps(turn).encode() for turn in lists[0]]

        def ours(index: int, size: int = size, lists: list[Any] = lists) -> None:
            for start in range(0, len(lists[index]), size):
                if size == 1:
                    memory.record(**lists[index][start])
                else:
                    memory.record_many(lists[index][start : start + size])

        def base(_: int, size: int = size, bare: Bare = bare, bodies: list[bytes] = bodies) -> None:
            for start in range(0, len(bodies), size):
                bare.insert(bodies[start : start + size])

        found[f"record_{size}_{name}"] = compared(ours, base) | {"events": total}
    memory.close()
    return found


def bench_extraction(count: int) -> dict[str, Any]:
    """Units a second on one core."""
    made = [Interaction(subjects=("u",), **turn) for turn in turns(count, "user/1", seed=9)]
    units = [rule_unit(made[max(0, i - 3) : i + 1]) for i in range(len(made))]
    seconds = timed(lambda: [RULES.handle(unit) for unit in units])
    return {"turns_per_second": round(count / seconds)}


def bench_many(folder: Path, scopes: int, each: int, queries: int) -> dict[str, Any]:
    """Many scopes: settle, recall, rebuild, bytes a turn."""
    path = folder / "many"
    with Memory.open(path, background=False) as memory:
        batch = []
        for number in range(scopes):
            batch += list(turns(each, f"user/{number}"))
            if len(batch) >= 2000:
                memory.record_many(batch)
                batch = []
        if batch:
            memory.record_many(batch)
        settle = timed(memory.settle)
        words = ("river", "coffee", "project", "brother", "pipeline", "allergic", "market", "yesterday", "live")
        memory.recall("warm up", scope="user/0")
        times = []
        for index in range(queries):
            question = f"what about the {words[index % 9]} and the {words[(index * 4 + 2) % 9]} of Ana?"
            times.append(timed(lambda q=question, i=index: memory.recall(q, scope=f"user/{i * 7 % scopes}")))
        times.sort()
        built = memory.rebuild()
    with Memory.open(path, background=False) as memory:  # closed once, so that no write-ahead file is counted
        sizes = memory.status().bytes
    count = scopes * each
    return {
        "settle_turns_per_second": round(count / settle),
        "recall_p50_ms": round(times[len(times) // 2] * 1000, 2),
        "recall_p95_ms": round(times[int(len(times) * 0.95)] * 1000, 2),
        "rebuild_events_per_second": round(built.events / built.seconds),
        "rebuild_same": built.same_as_live,
        "model_calls": built.model_calls,
        "bytes_per_turn": {name: round(size / count) for name, size in sizes.items()},
    }


def main() -> None:
    """Run all and print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the counts")
    parser.add_argument("--only", default="", help="log, record, extraction, many, forgetting")
    args = parser.parse_args()
    scale, only = (10 if args.quick else 1), set(filter(None, args.only.split(",")))
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not only or "log" in only:
            found |= bench_log(folder, 2000 // scale)
        if not only or "record" in only:
            found |= bench_record(folder, 1000 // scale, running=False)
            found |= bench_record(folder, 1000 // scale, running=True)
        if not only or "extraction" in only:
            found["extraction"] = bench_extraction(5000 // scale)
        if not only or "many" in only:
            found["many"] = bench_many(folder, 100 // scale, 1000, 500)
        if not only or "forgetting" in only:
            lengths = (10_000 // scale, 100_000 // scale)
            found["forgetting"] = {str(events): bench_forgetting(folder, events) for events in lengths}
    found["peak_memory_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    sys.stdout.write(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
