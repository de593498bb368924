"""The front door for asyncio: the same names as `Memory`, awaited. Each call runs in a thread of its own pool."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar, Unpack

from eunoe.gateway.answers import Context, DeadLetter, Imported, LogLine, Rebuilt, Recorded, Settled, Status
from eunoe.gateway.auditing import AuditEntry
from eunoe.gateway.backup import BackedUp
from eunoe.gateway.erasing import DryRun, Named
from eunoe.gateway.memory import RULES, Memory
from eunoe.gateway.recording import Progress
from eunoe.gateway.restoring import Restored
from eunoe.infra.settings import Settings
from eunoe.processors.digest import Digest
from eunoe.processors.extracting import Extractor
from eunoe.processors.forgetting.forgetting import Depth
from eunoe.processors.forgetting.proof import Proof
from eunoe.processors.forgetting.receipt import Receipt
from eunoe.processors.recall import Found
from eunoe.stores import contracts
from eunoe.streams.events import Kind
from eunoe.streams.log import Verification

_THREADS = 8
_P = ParamSpec("_P")
_R = TypeVar("_R")


class AsyncMemory:
    """`Memory`, awaited. Its methods may be gathered; what they promise is what `Memory` promises."""

    def __init__(self, memory: Memory) -> None:
        self.sync = memory
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="eunoe-aio")

    @classmethod
    async def open(
        cls,
        path: str | Path = "memory",
        *,
        settings: Settings | None = None,
        extractor: Extractor = RULES,
        background: bool = True,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Open a directory, and make it a home where it is none yet."""
        opening = partial(Memory.open, path, settings=settings, extractor=extractor, background=background, clock=clock)
        return cls(await asyncio.to_thread(opening))

    async def _run(self, call: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
        return await asyncio.get_running_loop().run_in_executor(self._pool, partial(call, *args, **kwargs))

    async def close(self) -> None:
        """Finish the batch in work and close."""
        await self._run(self.sync.close)
        self._pool.shutdown()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def record(self, text: str = "", **fields: Any) -> Recorded:
        """See `Memory.record`."""
        return await self._run(self.sync.record, text, **fields)

    async def record_many(self, reports: Iterable[Mapping[str, Any]]) -> list[Recorded]:
        """See `Memory.record_many`."""
        return await self._run(self.sync.record_many, reports)

    async def import_file(
        self, path: str | Path, format: str | None = None, *, progress: Progress | None = None, **defaults: str
    ) -> Imported:
        """See `Memory.import_file`. `progress` is called from a thread."""
        return await self._run(self.sync.import_file, path, format, progress=progress, **defaults)

    async def settle(self, timeout: float | None = None) -> Settled:
        """See `Memory.settle`."""
        return await self._run(self.sync.settle, timeout)

    async def recall(self, query: str, **options: Any) -> Found:
        """See `Memory.recall`."""
        return await self._run(self.sync.recall, query, **options)

    async def report(self, recall_id: str, **figures: Any) -> None:
        """See `Memory.report`."""
        await self._run(self.sync.report, recall_id, **figures)

    async def context(self, session: str, budget: int | None = None, *, scope: str | None = None) -> Context:
        """See `Memory.context`."""
        return await self._run(self.sync.context, session, budget, scope=scope)

    async def drop_from_context(self, session: str, target: str, **options: Any) -> None:
        """See `Memory.drop_from_context`."""
        await self._run(self.sync.drop_from_context, session, target, **options)

    async def scopes(self) -> list[str]:
        """See `Memory.scopes`."""
        return await self._run(self.sync.scopes)

    async def memories(self, scope: str, kind: Kind | None = None, retired: bool = False) -> list[contracts.Memory]:
        """See `Memory.memories`."""
        return await self._run(self.sync.memories, scope, kind, retired)

    async def memory(self, memory_id: str) -> contracts.Memory:
        """See `Memory.memory`."""
        return await self._run(self.sync.memory, memory_id)

    async def edit(self, memory_id: str, text: str, **options: Any) -> contracts.Memory:
        """See `Memory.edit`."""
        return await self._run(self.sync.edit, memory_id, text, **options)

    async def retire(self, memory_id: str, **options: Any) -> contracts.Memory:
        """See `Memory.retire`."""
        return await self._run(self.sync.retire, memory_id, **options)

    async def undo(self, memory_id: str, **options: Any) -> contracts.Memory:
        """See `Memory.undo`."""
        return await self._run(self.sync.undo, memory_id, **options)

    async def files(self, scope: str) -> dict[str, str]:
        """See `Memory.files`."""
        return await self._run(self.sync.files, scope)

    async def log(self, scope: str | None = None, **options: Any) -> AsyncIterator[LogLine]:
        """See `Memory.log`."""
        lines, end = self.sync.log(scope, **options), object()
        while (line := await self._run(next, lines, end)) is not end:
            assert isinstance(line, LogLine)
            yield line

    async def verify(self, heads: str | Path | None = None, public_key: str | None = None) -> Verification:
        """See `Memory.verify`."""
        return await self._run(self.sync.verify, heads, public_key)

    async def forget(self, *, reason: str | None = None, actor: str = "user", **named: Unpack[Named]) -> Receipt:
        """See `Memory.forget`."""
        return await self._run(self.sync.forget, reason=reason, actor=actor, **named)

    async def redact(self, *, reason: str | None = None, actor: str = "user", **named: Unpack[Named]) -> Receipt:
        """See `Memory.redact`."""
        return await self._run(self.sync.redact, reason=reason, actor=actor, **named)

    async def dry_run(self, *, depth: Depth = "forget", **named: Unpack[Named]) -> DryRun:
        """See `Memory.dry_run`."""
        return await self._run(self.sync.dry_run, depth=depth, **named)

    async def readmit(self, *, reason: str | None = None, actor: str = "user", **named: Unpack[Named]) -> int:
        """See `Memory.readmit`."""
        return await self._run(self.sync.readmit, reason=reason, actor=actor, **named)

    async def receipts(self) -> list[Receipt]:
        """See `Memory.receipts`."""
        return await self._run(self.sync.receipts)

    async def prove(self, receipt_id: str | None = None, *, canaries: Sequence[str] = ()) -> Proof:
        """See `Memory.prove`."""
        return await self._run(self.sync.prove, receipt_id, canaries=canaries)

    async def dead_letter(self, letter_id: str) -> DeadLetter:
        """See `Memory.dead_letter`."""
        return await self._run(self.sync.dead_letter, letter_id)

    async def retry(self, letter_id: str) -> DeadLetter:
        """See `Memory.retry`."""
        return await self._run(self.sync.retry, letter_id)

    async def drop(self, letter_id: str, *, reason: str, actor: str = "user") -> DeadLetter:
        """See `Memory.drop`."""
        return await self._run(self.sync.drop, letter_id, reason=reason, actor=actor)

    async def rotate_master(self, *, actor: str = "user") -> dict[str, int]:
        """See `Memory.rotate_master`."""
        return await self._run(self.sync.rotate_master, actor=actor)

    async def rotate_subject(self, subject: str, *, actor: str = "user") -> dict[str, int]:
        """See `Memory.rotate_subject`."""
        return await self._run(self.sync.rotate_subject, subject, actor=actor)

    async def pause(self) -> None:
        """See `Memory.pause`."""
        await self._run(self.sync.pause)

    async def resume(self) -> None:
        """See `Memory.resume`."""
        await self._run(self.sync.resume)

    async def keys(self) -> dict[str, Any]:
        """See `Memory.keys`."""
        return await self._run(self.sync.keys)

    async def rebuild(self, progress: Progress | None = None) -> Rebuilt:
        """See `Memory.rebuild`."""
        return await self._run(self.sync.rebuild, progress)

    async def digest(self) -> Digest:
        """See `Memory.digest`."""
        return await self._run(self.sync.digest)

    async def status(self) -> Status:
        """See `Memory.status`."""
        return await self._run(self.sync.status)

    async def audit(self, scope: str | None = None, **wanted: Any) -> list[AuditEntry]:
        """See `Memory.audit`."""
        return await self._run(self.sync.audit, scope, **wanted)

    async def backup(self, target: str | Path, recovery_key: str | None = None, **options: Any) -> BackedUp:
        """See `Memory.backup`. `progress` is called from a thread."""
        return await self._run(self.sync.backup, target, recovery_key, **options)

    async def make_recovery_key(self, **options: Any) -> str:
        """See `Memory.make_recovery_key`."""
        return await self._run(self.sync.make_recovery_key, **options)

    @staticmethod
    async def restore(backup: str | Path, home: str | Path, recovery_key: str, **options: Any) -> Restored:
        """See `Memory.restore`."""
        return await asyncio.to_thread(Memory.restore, backup, home, recovery_key, **options)

    async def dead_letters(self) -> list[DeadLetter]:
        """See `Memory.dead_letters`."""
        return await self._run(self.sync.dead_letters)
