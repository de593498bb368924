"""The doors to forgetting: what a person names, the dry run, the receipt."""

from collections.abc import Callable, Collection, Sequence
from typing import TypedDict, Unpack

import msgspec

from eunoe.gateway.home import Home
from eunoe.gateway.proving import prove
from eunoe.processors.forgetting.forgetting import HOME_SCOPE, Depth, Forgetter
from eunoe.processors.forgetting.plan import Plan, Target
from eunoe.processors.forgetting.proof import Proof
from eunoe.processors.forgetting.receipt import Receipt
from eunoe.stores.memories import SqliteMemories
from eunoe.streams.errors import BadInput


class DryRun(msgspec.Struct, frozen=True):
    """What a forget would do. turns, derived: records that go. extractions: units that are made again, its price.

    gone: memories that lose every source; built_again: those that keep one.
    """

    depth: str
    target: str
    turns: int
    events: list[str]
    derived: int
    gone: list[str]
    built_again: list[str]
    extractions: int
    model_calls: int


class Named(TypedDict, total=False):
    """How a target is named: one of subject, session, event or memory, or a scope; a scope may stand beside one."""

    subject: str | None
    scope: str | None
    session: str | None
    event: str | None
    memory: str | None


def target_of(named: Named) -> Target:
    """The one target that is named; a scope beside another narrows or places it. Raises BadInput."""
    if empty := [name for name, value in named.items() if value is None]:
        raise BadInput(f"{empty[0]} is None: what goes for good must be named; leave out what is not meant")
    scope = named.get("scope")
    if unknown := named.keys() - Named.__annotations__.keys():
        raise BadInput(f"{sorted(unknown)[0]!r} names no target; known are {', '.join(Named.__annotations__)}")
    if HOME_SCOPE in named.values():
        raise BadInput("the home's own events can't be forgotten: they say what was")
    match [(kind, str(name)) for kind, name in named.items() if name is not None and kind != "scope"]:
        case [] if scope is not None:
            return Target("scope", scope)
        case [("subject", name)]:
            return Target("subject", name, scope)
        case [("session", name)] if scope is not None:
            return Target("session", name, scope)
        case [("event", name)] if scope is not None:
            return Target("event", name, scope)
        case [("memory", name)]:
            return Target("memory", name)
        case [_]:
            raise BadInput("a session or an event needs its scope too")
    raise BadInput("name one of subject, scope, session, event or memory (a scope may stand beside one)")


class Eraser:
    """Forgets in one home and keeps the receipts."""

    def __init__(self, home: Home, now: Callable[[], str], forgotten: Callable[[], None]) -> None:
        self._home, self._now, self._forgotten = home, now, forgotten
        self._memories = SqliteMemories(home.projections.writer)
        self._forgetter = Forgetter(
            home.log, home.keyring, home.runtime, now, self._keep, home.receipts.requests, self._unused
        )

    def _keep(self, receipt: Receipt) -> None:
        self._home.receipts.keep(receipt.request_id, msgspec.json.encode(receipt, order="sorted"))

    def _unused(self, affected: Collection[str] | None) -> None:
        """Use counters go with their memories. Called under the lease, on what the projection holds now."""
        if affected is not None:
            found = {name: self._memories.get(name) for name in affected}
            self._home.bills.purge(name for name, memory in found.items() if memory is None or memory.id != name)
            return
        every = (
            memory.id for scope in self._memories.scopes() for memory in self._memories.listing(scope, retired=True)
        )
        self._home.bills.retain(every)

    def dry_run(self, target: Target, depth: Depth) -> DryRun:
        """What would go, what is built again, and the price. Nothing is changed. Raises NotFound."""
        return _dry(self._forgetter.plan(target), depth)

    def forget(self, target: Target, depth: Depth, actor: str, reason: str | None) -> Receipt:
        """Forget or redact; the signed receipt. Raises NotFound."""
        with self._home.copying():
            receipt = self._forgetter.forget(target, depth, actor, reason)
        self._forgotten()
        return receipt

    def resume(self) -> None:
        """Finish what a kill interrupted."""
        if self._forgetter.resume():
            self._forgotten()

    def readmit(self, target: Target, actor: str, reason: str | None) -> int:
        """Take the forgotten in again; how many suppressions were lifted."""
        return self._forgetter.readmit(target, actor, reason)

    def receipts(self) -> list[Receipt]:
        """All receipts of this home."""
        return [msgspec.json.decode(document, type=Receipt) for document in self._home.receipts.all().values()]

    def prove(self, request_id: str | None, texts: Sequence[str]) -> Proof:
        """The long proof of a forget."""
        return prove(self._home, request_id, texts, self._now)


def _dry(plan: Plan, depth: str) -> DryRun:
    return DryRun(
        depth=depth,
        target=plan.target.kind,
        turns=len(plan.turns),
        events=sorted({turn.event for turn in plan.turns}),
        derived=len(plan.derived),
        gone=list(plan.gone),
        built_again=list(plan.again),
        extractions=plan.tainted,
        model_calls=0,
    )


class ErasingDoor:
    """What a person does to be forgotten, or an operator for them."""

    _eraser: Eraser

    def forget(self, *, reason: str | None = None, actor: str = "user", **named: Unpack[Named]) -> Receipt:
        """Forget for good: keys and bytes destroyed, projections purged, what was derived built again without it.

        Name one of subject, scope, session, event or memory (which means its source events); a scope narrows a
        subject and places a session or event. Raises NotFound, BadInput.
        """
        return self._eraser.forget(target_of(named), "forget", actor, reason)

    def redact(self, *, reason: str | None = None, actor: str = "user", **named: Unpack[Named]) -> Receipt:
        """As `forget`, but a tombstone with place, time and actor stays, and only the very events are refused later."""
        return self._eraser.forget(target_of(named), "redact", actor, reason)

    def dry_run(self, *, depth: Depth = "forget", **named: Unpack[Named]) -> DryRun:
        """What `forget` or `redact` would do, and its price. Nothing is changed. Raises NotFound, BadInput."""
        return self._eraser.dry_run(target_of(named), depth)

    def readmit(self, *, reason: str | None = None, actor: str = "user", **named: Unpack[Named]) -> int:
        """Take what was forgotten in again when it is reported again; how many refusals were lifted."""
        return self._eraser.readmit(target_of(named), actor, reason)

    def receipts(self) -> list[Receipt]:
        """The signed receipts of all that was forgotten here."""
        return self._eraser.receipts()

    def prove(self, receipt_id: str | None = None, *, canaries: Sequence[str] = ()) -> Proof:
        """The long proof of a forget, the last one where none is named: rebuilt, scanned, searched byte by byte.

        canaries: what may stand in no file of this home any more. They are not repeated in the proof. Takes as long as
        a rebuild and building the memory once more. Raises NotFound.
        """
        return self._eraser.prove(receipt_id, canaries)
