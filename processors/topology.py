"""Which step reads and writes which topic. Both runtimes take their steps from here.

In one process the log is the queue between steps and a topic is a call; on Kafka each topic is one.
"""

import msgspec


class Step(msgspec.Struct, frozen=True):
    """One step: pure and idempotent, it sees only what it is given. appends: whether it may write the log."""

    name: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    appends: bool = False


INBOX, RESULTS, DECISIONS = "inbox", "results", "decisions"
LOG, OUTCOMES, DEAD_LETTERS, BILLS = "log", "outcomes", "deadletters", "bills"

TOPOLOGY = (
    Step("ingestion", (INBOX, RESULTS, DECISIONS), (LOG, OUTCOMES, DEAD_LETTERS), appends=True),
    Step("extraction", (LOG,), (RESULTS, BILLS, DEAD_LETTERS)),
    Step("projection", (LOG,), (DEAD_LETTERS,)),
)


def step(name: str) -> Step:
    """The step of that name."""
    return next(one for one in TOPOLOGY if one.name == name)
