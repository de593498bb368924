"""The front door in Python: open a directory, record what happens, recall what matters, decide, replay.

with Memory.open("./memory") as memory:
    memory.record("We ship through GitHub Actions, never by hand.", scope="user/4821", session="s-17")
    memory.settle()
    print(memory.recall("how do they deploy?", scope="user/4821").text)
"""

import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, get_args

import apsw

from eunoe.gateway import arguments, looking, replaying
from eunoe.gateway import home as homes
from eunoe.gateway.answers import (
    Context,
    ContextItem,
    Imported,
    Recorded,
    Settled,
)
from eunoe.gateway.auditing import AuditDoor, audit_log, note, recalled
from eunoe.gateway.backup import BackupDoor
from eunoe.gateway.deciding import Decider
from eunoe.gateway.erasing import Eraser, ErasingDoor
from eunoe.gateway.home import Home
from eunoe.gateway.recording import Progress, Recorder
from eunoe.gateway.upkeep import UpkeepDoor
from eunoe.infra.settings import Settings, load_settings
from eunoe.processors import extraction, terms
from eunoe.processors.extracting import Extractor
from eunoe.processors.ingestion.recalled import RecentlyRecalled
from eunoe.processors.recall import Found, recall
from eunoe.processors.tokens import counter
from eunoe.stores import contracts
from eunoe.stores.files import rendered
from eunoe.stores.memories import SqliteMemories
from eunoe.streams.errors import BadInput, NotFound, ScopeRequired, UnknownScope
from eunoe.streams.events import Dropped, Kind
from eunoe.streams.log import entry
from eunoe.streams.times import key_of, normalised

RULES = Extractor(extraction.extract, extraction.VERSION)
_SESSIONS_REMEMBERED = 1000
_OUTCOME = re.compile(r"[a-z0-9_-]{1,32}")  # a word, so that no content gets into the books


class Memory(ErasingDoor, UpkeepDoor, AuditDoor, BackupDoor):
    """A memory in one directory. Safe from any thread; any number of processes may open the same directory."""

    def __init__(self, home: Home, *, background: bool = True, clock: Callable[[], float] = time.time) -> None:
        self._home, self._clock = home, clock
        self._memories = SqliteMemories(home.projections.reader)
        self._recalled = RecentlyRecalled()
        self._in_context: OrderedDict[tuple[str, str], list[ContextItem]] = OrderedDict()
        mask = home.settings.mask_secrets
        self._recorder = Recorder(home.log, self._recalled, mask=mask, now=self._now, noted=home.heads.note)
        self._decider = Decider(home, self._memories, self._now)
        self._eraser = Eraser(home, self._now, self._drop_caches)
        self._generation = home.log.generation()
        self._eraser.resume()
        if background:
            home.runtime.start()

    @classmethod
    def open(
        cls,
        path: str | Path = "memory",
        *,
        settings: Settings | None = None,
        extractor: Extractor = RULES,
        background: bool = True,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Open a directory, and make it a home where it is none yet.

        background: project and extract in a thread; else only `settle` does. Raises KeyringError, LogError, BadInput.
        """
        settings = settings or load_settings(home=Path(path))
        return cls(Home(Path(path), settings, extractor, clock), background=background, clock=clock)

    @staticmethod
    def exists(path: str | Path) -> bool:
        """Whether a home stands at a path."""
        return homes.exists(Path(path))

    def close(self) -> None:
        """Finish the batch in work and close. What is not processed yet, the next one who opens goes on with."""
        self._home.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _now(self) -> str:
        return datetime.fromtimestamp(self._clock(), UTC).astimezone().isoformat()

    # -- recording --------------------------------------------------------------------------------

    def record(
        self,
        text: str = "",
        *,
        scope: str,
        session: str = "default",
        role: str = "user",
        at: str | None = None,
        id: str | None = None,
        speaker: str | None = None,
        subject: str | Sequence[str] | None = None,
        agent: str | None = None,
        order: int | None = None,
        tool: Mapping[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> Recorded:
        """One turn, durable when this returns. `at` is now where it is not given. Raises Rejected, IdReused."""
        report = {
            "text": text, "scope": scope, "session": session, "role": role, "at": at, "id": id, "speaker": speaker,
            "subject": subject, "agent": agent, "order": order,
            "tool": dict(tool) if isinstance(tool, Mapping) else tool,
            "meta": dict(meta) if isinstance(meta, Mapping) else meta,
        }  # fmt: skip
        return self._recorder.record(report)

    def record_many(self, reports: Iterable[Mapping[str, Any]]) -> list[Recorded]:
        """Turns as `record` takes them, in one commit. Raises Rejected before anything of them is stored."""
        if isinstance(reports, str | bytes | Mapping) or not isinstance(reports, Iterable):
            raise BadInput("record_many takes a list of turns")
        defaults = {"session": "default", "role": "user"}
        told = [{**defaults, **report} if isinstance(report, Mapping) else report for report in reports]
        return self._recorder.record_many(told)

    def import_file(
        self, path: str | Path, format: str | None = None, *, progress: Progress | None = None, **defaults: str
    ) -> Imported:
        """A history from a file: jsonl, openai or locomo, found by looking where `format` is not given.

        defaults: scope, session, agent, at, for what the file does not say. Raises BadInput for what is no history.
        """
        return self._recorder.import_file(path, format, progress, defaults)

    def settle(self, timeout: float | None = None) -> Settled:
        """Wait until what was recorded can be recalled; lists what is parked. Raises WaitTimeout."""
        self._home.runtime.settle(timeout)
        return Settled(self._decider.dead_letters())

    # -- recalling --------------------------------------------------------------------------------

    def recall(
        self,
        query: str,
        *,
        scope: str | None = None,
        scopes: Sequence[str] | None = None,
        budget: int | None = None,
        as_of: str | None = None,
        known_at: int | None = None,
        wait: bool = False,
        session: str | None = None,
        agent: str | None = None,
    ) -> Found:
        """What is known about a question in these scopes, in at most `budget` tokens, each item with its sources.

        as_of: a time in the world. known_at: a position of the log. session: note it as in that session's context.
        agent: who asks, for the audit. Raises ScopeRequired, UnknownScope, BadInput.
        """
        asked = self._scopes(scope, scopes)
        budget = arguments.number("budget", self._home.settings.default_budget if budget is None else budget)
        session, known_at = arguments.optional_text("session", session), arguments.optional_number("known_at", known_at)
        agent = arguments.optional_text("agent", agent)
        if not isinstance(query, str):
            raise BadInput("a recall needs a question in words")
        as_of = None if as_of is None else normalised(arguments.text("as_of", as_of))
        if wait:
            self._home.runtime.settle()
        self._forget_what_others_forgot()
        started = time.perf_counter()
        with self._projection(asked, known_at) as connection:
            found = recall(
                query,
                memories=SqliteMemories(lambda: connection),
                lexical=homes.lexical_index(connection),
                scopes=asked,
                budget=budget,
                as_of=as_of,
                now_key=key_of(self._now()),
                counter=counter(),
                recall_id=f"r-{secrets.randbelow(10**15):015d}",
                staleness=looking.staleness(self._home),
                waiting=asked,
            )
        self._note(found, session, started)
        if self._home.settings.audit_recalls:
            note(self._home, *(recalled(found, one, session, agent, self._now()) for one in asked))
        return found

    @contextmanager
    def _projection(self, scopes: list[str], known_at: int | None) -> Iterator[apsw.Connection]:
        """One connection for one recall: to the projections in use, or to a past state of these scopes."""
        if known_at is None:
            with self._home.projections.reading() as connection:
                yield connection
        else:
            with replaying.known_at(self._home, scopes, known_at) as past:
                yield past.reader()

    def _scopes(self, scope: str | None, scopes: Sequence[str] | None) -> list[str]:
        """The scopes that were asked, each checked. A prefix of a scope is another scope."""
        several = [] if scopes is None else arguments.texts("scopes", scopes)
        asked = list(dict.fromkeys([*([] if scope is None else [arguments.text("scope", scope)]), *several]))
        if not asked:
            raise ScopeRequired("say whose memory: scope='user/4821' or scopes=[…]; nobody reads everybody's")
        for one in asked:
            if self._memories.scope_number(one) is None and self._home.keyring.find_stream(one) is None:
                raise UnknownScope(f"no events in scope {one[:64]!r}; `eunoe scopes` lists those that have some")
        return asked

    def _drop_caches(self) -> None:
        """Nothing that was forgotten stays in memory."""
        self._recalled.clear()
        terms.clear()
        self._in_context.clear()

    def _forget_what_others_forgot(self) -> None:
        """Another process, or another `Memory` of this one, may have forgotten something since we last looked."""
        generation = self._home.log.generation()
        if generation != self._generation:
            self._generation = generation
            self._drop_caches()

    def _note(self, found: Found, session: str | None, started: float) -> None:
        """Remember what was given out, so that it isn't learned again, and bill it."""
        self._recalled.add(item.text for item in found.items)
        for scope in found.scopes if session is not None else ():
            items = [ContextItem(i.id, i.kind, i.text, i.tokens) for i in found.items if i.scope == scope]
            self._in_context[scope, str(session)] = items
            self._in_context.move_to_end((scope, str(session)))
            while len(self._in_context) > _SESSIONS_REMEMBERED:
                self._in_context.popitem(last=False)
        self._home.bills.add(
            "retrieve", "recall", tokens_out=found.tokens, microseconds=int((time.perf_counter() - started) * 1e6)
        )

    def report(
        self, recall_id: str, *, outcome: str, used: Sequence[str] = (), tokens_in: int = 0, tokens_out: int = 0
    ) -> None:
        """What an agent made of a recall: `helped`, `wrong`, …, and what its answer cost, billed as generate."""
        if not arguments.text("recall_id", recall_id) or not _OUTCOME.fullmatch(arguments.text("outcome", outcome)):
            raise BadInput("a report needs the recall's id and an outcome in one word, such as helped or wrong")
        arguments.number("tokens_in", tokens_in)
        arguments.number("tokens_out", tokens_out)
        self._home.bills.report(recall_id, outcome, arguments.texts("used", used), tokens_in, tokens_out)
        self._home.bills.add("generate", "report", tokens_in=tokens_in, tokens_out=tokens_out)

    def context(self, session: str, budget: int | None = None, *, scope: str | None = None) -> Context:
        """What is in a session's context now: recent turns and what was recalled into it, with their tokens."""
        budget = arguments.number("budget", self._home.settings.default_budget if budget is None else budget)
        scope = arguments.optional_text("scope", scope)
        self._forget_what_others_forgot()
        session = arguments.text("session", session)
        return looking.context(
            self._home, session, scope, budget, counter(), lambda path: self._in_context.get((path, session), [])
        )

    def drop_from_context(
        self, session: str, target: str, *, scope: str, actor: str = "agent", reason: str | None = None
    ) -> None:
        """Take an item out of a session's context, as an event. The log keeps its meaning."""
        self._scopes(scope, None)
        name = f"dropped-{secrets.token_hex(12)}"
        event = Dropped(
            scope=scope, id=name, subjects=(scope,), session=arguments.text("session", session),
            target=arguments.text("target", target), at=self._now(), actor=arguments.text("actor", actor),
            reason=arguments.optional_text("reason", reason),
        )  # fmt: skip
        self._home.log.append([entry(event)])

    # -- memories ---------------------------------------------------------------------------------

    def scopes(self) -> list[str]:
        """All scopes that hold events."""
        with self._home.projections.reading():
            return self._memories.scopes()

    def memories(self, scope: str, kind: Kind | None = None, retired: bool = False) -> list[contracts.Memory]:
        """The memories of a scope by event time. Raises UnknownScope."""
        if kind is not None and kind not in get_args(Kind):
            raise BadInput(f"kind must be one of {', '.join(get_args(Kind))}")
        with self._home.projections.reading():
            (asked,) = self._scopes(scope, None)
            return list(self._memories.listing(asked, kind=kind, retired=retired))

    def memory(self, memory_id: str) -> contracts.Memory:
        """One memory, by its id or an earlier id of it. Raises NotFound."""
        with self._home.projections.reading():
            found = self._memories.get(arguments.text("memory_id", memory_id))
        if found is None:
            raise NotFound(f"no memory {memory_id[:64]!r}; `eunoe memories list --scope …` shows their ids")
        return found

    def edit(self, memory_id: str, text: str, *, actor: str = "user", reason: str | None = None) -> contracts.Memory:
        """Give a memory another text; an event that survives every rebuild. Raises NotFound, Rejected."""
        return self._decider.correct(memory_id, text, actor, reason)

    def retire(self, memory_id: str, *, actor: str = "user", reason: str | None = None) -> contracts.Memory:
        """Hide a memory; `undo` shows it again. Raises NotFound."""
        return self._decider.correct(memory_id, None, actor, reason)

    def undo(self, memory_id: str, *, actor: str = "user", reason: str | None = None) -> contracts.Memory:
        """Take the newest correction of a memory back. Raises NotFound."""
        return self._decider.undo(memory_id, actor, reason)

    def files(self, scope: str) -> dict[str, str]:
        """The file tree of a scope: path → Markdown, and its `audit.log`."""
        return {**rendered(scope, self.memories(scope)), **audit_log(scope, self.audit(scope))}
