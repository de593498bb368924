"""Which step reads and writes which topic. Dead letters and `status` name steps as they stand here.

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

INGESTION = Step("ingestion", (INBOX, RESULTS, DECISIONS), (LOG, OUTCOMES, DEAD_LETTERS), appends=True)
EXTRACTION = Step("extraction", (LOG,), (RESULTS, BILLS, DEAD_LETTERS))
PROJECTION = Step("projection", (LOG,), (DEAD_LETTERS,))
TOPOLOGY = (INGESTION, EXTRACTION, PROJECTION)
