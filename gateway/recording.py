"""Recording: reports checked, made into events and appended, one commit a batch."""

import itertools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from eunoe.gateway.answers import Imported, Recorded, Refusal
from eunoe.gateway.importers import Defaults, ImportLine, read
from eunoe.processors.ingestion.draft import Draft
from eunoe.processors.ingestion.intake import Intake
from eunoe.processors.ingestion.recalled import RecentlyRecalled
from eunoe.streams.errors import BadInput, Rejected
from eunoe.streams.events import Interaction
from eunoe.streams.log import Log, Outcome, entry

BATCH = 200
Progress = Callable[[float, int], None]
"""Called with the share done (0 to 1) and the entries read."""


class Recorder:
    """Turns reports into appended events. noted: called with how many events each commit had."""

    def __init__(
        self, log: Log, recalled: RecentlyRecalled, *, mask: bool, now: Callable[[], str],
        noted: Callable[[int], None] = lambda count: None,
    ) -> None:  # fmt: skip
        self._log, self._recalled, self._mask, self._now, self._noted = log, recalled, mask, now, noted
        self._sequence = itertools.count()

    def record(self, report: Mapping[str, Any]) -> Recorded:
        """One turn, durable when this returns. Raises Rejected, IdReused."""
        return self.record_many([report])[0]

    def record_many(self, reports: Iterable[Mapping[str, Any]]) -> list[Recorded]:
        """Many turns in one commit: all are checked first, and one that is refused refuses all.

        Raises Rejected with the number of the first one refused; IdReused after the others were stored.
        """
        drafts = []
        for number, report in enumerate(reports):
            try:
                drafts.append(Draft.from_mapping(self._with_defaults(report)))
            except Rejected as refused:
                if number == 0 and isinstance(reports, list) and len(reports) == 1:
                    raise
                raise Rejected(f"turn {number}: {refused.reason}") from None
        orders = [next(self._sequence) for _ in drafts]
        ids, outcomes = self._append(self._intake(), drafts, orders)
        recorded = []
        for event, outcome in zip(ids, outcomes, strict=True):
            if isinstance(outcome, Rejected):
                raise outcome
            recorded.append(Recorded(event, outcome.partition, outcome.position, outcome.duplicate))
        return recorded

    def import_file(
        self, path: str | Path, format: str | None, progress: Progress | None, defaults: Mapping[str, str]
    ) -> Imported:
        """A file's entries, a batch a commit: stopped anywhere, it goes on when it is run again."""
        unknown = defaults.keys() - set(Defaults.__struct_fields__)
        if unknown:
            raise BadInput(f"unknown default {sorted(unknown)[0]!r}; known are {', '.join(Defaults.__struct_fields__)}")
        started, intake, tally = time.perf_counter(), self._intake(), _Tally()
        for lines in _batched(read(path, format, Defaults(**defaults)), BATCH):
            good = [line for line in lines if line.draft is not None]
            drafts = [line.draft for line in good if line.draft is not None]
            _, outcomes = self._append(intake, drafts, [line.number for line in good])
            tally.add(lines, good, outcomes)
            if progress is not None:
                progress(lines[-1].done, tally.read)
        seconds = round(time.perf_counter() - started, 3)
        return Imported(tally.read, tally.recorded, tally.duplicates, tally.rejected, seconds)

    def _intake(self) -> Intake:
        return Intake(mask=self._mask, known=self._recalled)

    def _with_defaults(self, report: Mapping[str, Any]) -> Mapping[str, Any]:
        if isinstance(report, Mapping) and report.get("at") is None:
            return {**report, "at": self._said_before(report) or self._now()}
        return report

    def _said_before(self, report: Mapping[str, Any]) -> str | None:
        """The time that a retry without one was first stored with: the clock is nothing that its reporter said."""
        scope, name = report.get("scope"), report.get("id")
        try:
            place = self._log.find(scope, name) if isinstance(scope, str) and isinstance(name, str) else None
        except UnicodeEncodeError:
            return None  # refused with a reason further on
        records = self._log.read(place[0], place[1] - 1, 1) if place else []
        event = self._log.open(records)[0].event if records else None
        return event.at if isinstance(event, Interaction) else None

    def _append(
        self, intake: Intake, drafts: Sequence[Draft], orders: Sequence[int]
    ) -> tuple[list[str], list[Outcome]]:
        events = [intake.events(draft, order) for draft, order in zip(drafts, orders, strict=True)]
        outcomes = self._log.append([entry(*chunks) for chunks in events]) if events else []
        self._noted(len(events))
        return [chunks[0].id for chunks in events], outcomes


class _Tally:
    """Counts of one import."""

    def __init__(self) -> None:
        self.read = self.recorded = self.duplicates = 0
        self.rejected: list[Refusal] = []

    def add(self, lines: Sequence[ImportLine], good: Sequence[ImportLine], outcomes: Sequence[Outcome]) -> None:
        self.read += len(lines)
        refused = [Refusal(line.number, line.reason or "refused") for line in lines if line.draft is None]
        for line, outcome in zip(good, outcomes, strict=True):
            if isinstance(outcome, Rejected):
                refused.append(Refusal(line.number, outcome.reason))
            elif outcome.duplicate:
                self.duplicates += 1
            else:
                self.recorded += 1
        self.rejected += sorted(refused, key=lambda refusal: refusal.line)


def _batched(lines: Iterable[ImportLine], size: int) -> Iterable[list[ImportLine]]:
    iterator = iter(lines)
    while batch := list(itertools.islice(iterator, size)):
        yield batch
