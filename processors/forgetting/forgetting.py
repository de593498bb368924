"""Carrying a forget out: plan, erase from the log, let the projection purge, build again, sign the receipt.

The log's part is one commit, so that a kill leaves it done or not begun; the rest follows from the log and is
finished by whoever opens the home next.
"""

import secrets
from collections.abc import Callable, Collection
from typing import Literal

import msgspec

from eunoe.processors.embedded import Embedded
from eunoe.processors.forgetting.heads import tree_head
from eunoe.processors.forgetting.plan import Plan, Target, planned
from eunoe.processors.forgetting.receipt import ChainHead, Destroyed, Inclusion, Receipt
from eunoe.processors.forgetting.signing import signed
from eunoe.processors.projection.projector import fetch
from eunoe.streams.events import Forget, Interaction, Tombstone
from eunoe.streams.frames import body_hash, encode_envelope
from eunoe.streams.guard import Name, event_name, scope_name, session_name, subject_name
from eunoe.streams.keyring import Keyring
from eunoe.streams.log import Erasure, Log, Record
from eunoe.streams.merkle import Node, TreeHead, consistency, inclusion
from eunoe.streams.places import Place, place_of
from eunoe.streams.sqlite_files import folded
from eunoe.streams.times import key_of

HOME_SCOPE = "."
Depth = Literal["redact", "forget"]


class Heads(msgspec.Struct, frozen=True):
    """Where a log stands: chain and hash tree of every partition."""

    chain: tuple[ChainHead, ...]
    trees: tuple[TreeHead, ...]


class Forgetter:
    """Forgets in one home.

    now: the time as RFC 3339. keep: stores a receipt by its request's id. kept: the ids of those that are stored.
    unused: drops the use counters of those of these memories that are gone; of all that are gone, for None.
    """

    def __init__(
        self,
        log: Log,
        keyring: Keyring,
        runtime: Embedded,
        now: Callable[[], str],
        keep: Callable[[Receipt], None],
        kept: Callable[[], Collection[str]],
        unused: Callable[[Collection[str] | None], None],
    ) -> None:
        self._log, self._keyring, self._runtime, self._now = log, keyring, runtime, now
        self._keep, self._kept, self._unused = keep, kept, unused

    def plan(self, target: Target) -> Plan:
        """What would go; nothing is changed. Raises NotFound."""
        with self._runtime.lease():
            self._runtime.catch_up()
            return planned(target, self._log, self._runtime.projections.writer())

    def forget(self, target: Target, depth: Depth, actor: str, reason: str | None) -> Receipt:
        """Forget or redact, and give the signed receipt. Raises NotFound."""
        with self._runtime.lease():
            self._runtime.catch_up()
            plan = planned(target, self._log, self._runtime.projections.writer())
            before = self._heads()
            request = self._request(plan, depth, actor, reason)
            stones = self._stones(plan, request) if depth == "redact" else ()
            self._log.erase(request, self._erasure(plan, request, depth), stones)
            self._runtime.projector.forget_lately()
            return self._finish(request, plan, before)

    def resume(self) -> list[Receipt]:
        """Finish the requests that a kill left between the log and their receipt."""
        if not self._unfinished():
            return []
        with self._runtime.lease():
            self._runtime.catch_up()
            return [self._finish(self._event(place), None, self._heads(place)) for place in self._unfinished()]

    def _unfinished(self) -> list[Place]:
        requests, kept = self._log.requests(), set[str]()
        if requests:
            kept = set(self._kept())
        return [place for name, place, _ in requests if name not in kept]

    def _event(self, place: Place) -> Forget:
        (opened,) = self._log.open(self._record(place))
        assert isinstance(opened.event, Forget)
        return opened.event

    def readmit(self, target: Target, actor: str, reason: str | None) -> int:
        """Take a forgotten subject, scope, session or event in again; how many suppressions were lifted."""
        request = Forget(
            scope=HOME_SCOPE, id=f"readmit-{secrets.token_hex(12)}", subjects=(HOME_SCOPE,), depth="readmit",
            target=target.kind, at=self._now(), actor=actor, reason=reason,
        )  # fmt: skip
        return self._log.readmit(request, [name for name, _ in _target_names(target, None)])

    # -- the request ------------------------------------------------------------------------------

    def _request(self, plan: Plan, depth: Depth, actor: str, reason: str | None) -> Forget:
        return Forget(
            scope=HOME_SCOPE, id=f"forget-{secrets.token_hex(12)}", subjects=(HOME_SCOPE,), depth=depth,
            target=plan.target.kind, at=self._now(), actor=actor, reason=reason,
        )  # fmt: skip

    def _stones(self, plan: Plan, request: Forget) -> list[Forget]:
        """What stays visible of redacted turns: sealed to those whose turns they were, so that it can go with them."""
        found: dict[tuple[str, str, tuple[str, ...]], list[Tombstone]] = {}
        for event in fetch(self._log, [turn.number for turn in plan.turns]).values():
            if isinstance(event, Interaction) and event.chunk == 0:
                stone = Tombstone(scope=event.scope, session=event.session, at=event.at)
                found.setdefault((event.scope, event.session, event.subjects), []).append(stone)
        return [
            request.model_copy(
                update={"scope": scope, "id": f"stone-{secrets.token_hex(12)}", "subjects": subjects,
                        "reason": None, "tombstones": tuple(stones)}
            )
            for (scope, _, subjects), stones in found.items()
        ]  # fmt: skip

    def _erasure(self, plan: Plan, request: Forget, depth: Depth) -> Erasure:
        places = tuple(place_of(number) for number in plan.numbers)
        ids = {(event.scope, event.id) for event in fetch(self._log, plan.numbers).values()}
        names: list[Name] = [(event_name(turn.scope, turn.event), None) for turn in plan.turns]
        if depth == "forget":
            names += _target_names(plan.target, key_of(request.at))
        seen = tuple(self._runtime.projections.positions(self._runtime.projections.writer()))
        return Erasure(places, tuple(sorted(ids)), tuple(names), self._pseudonyms(plan, depth), seen)

    def _pseudonyms(self, plan: Plan, depth: Depth) -> tuple[bytes, ...]:
        """A forgotten scope's stream; subjects whose keys open nothing more are found by the log itself."""
        if plan.target.kind != "scope" or depth == "redact":
            return ()
        stream = self._keyring.find_stream(plan.target.name)
        return () if stream is None else (stream,)

    def _record(self, place: Place) -> list[Record]:
        return self._log.read(place[0], place[1] - 1, 1)

    # -- what follows -----------------------------------------------------------------------------

    def _finish(self, request: Forget, plan: Plan | None, before: Heads) -> Receipt:
        """Under the lease: purge, build again, empty what lingers, complete, sign, keep."""
        self._runtime.catch_up()
        folded(self._runtime.projections.writer())
        self._unused(None if plan is None else (*plan.gone, *plan.again))
        completion = self._completed(request)
        self._runtime.catch_up()
        receipt = signed(self._receipt(request, completion, plan, before), self._keyring.purpose("signing"))
        self._keep(receipt)
        return receipt

    def _completed(self, request: Forget) -> Forget:
        """The completion of a request: the one that stands in the log, or a new one."""
        done = {name: place for name, _, place in self._log.requests()}[request.id]
        if done is not None:
            return self._event(done)
        completion = request.model_copy(
            update={"id": f"completed-{request.id}", "completes": request.id, "at": self._now()}
        )
        self._log.complete(completion)
        return completion

    def _receipt(self, request: Forget, completion: Forget, plan: Plan | None, before: Heads) -> Receipt:
        place, after = self._place(request), self._heads()
        dropped = self._log.erased_by(*place)
        return Receipt(
            depth="redact" if request.depth == "redact" else "forget",
            target=request.target,
            home=self._keyring.home.hex(),
            at=completion.at,
            request=Destroyed(*place, opens=True),
            request_id=request.id,
            completion_id=completion.id,
            records=tuple(Destroyed(*dropped_at) for dropped_at in dropped),
            keys={"data_keys": len(dropped)},
            projections={"memories": {"gone": len(plan.gone), "built_again": len(plan.again)}} if plan else {},
            rebuilt=plan.tainted if plan else 0,
            chain_before=before.chain,
            chain_after=after.chain,
            trees_before=before.trees,
            trees_after=after.trees,
            inclusion=self._included(place, after),
            consistency=tuple(
                self._path(lambda node, b=b, a=a: consistency(b.size, a.size, node), a.partition)  # type: ignore[misc]
                for b, a in zip(before.trees, after.trees, strict=True)
            ),
            public_key="",
        )

    def _place(self, request: Forget) -> Place:
        place = self._log.find(request.scope, request.id)
        assert place is not None
        return place

    def _included(self, place: Place, after: Heads) -> Inclusion:
        partition, position = place
        (previous, record) = self._log.read(partition, position - 2, 2)
        assert record.ciphertext is not None
        path = self._path(lambda node: inclusion(position, after.trees[partition].size, node), partition)
        frame, body = encode_envelope(record.envelope), body_hash(record.ciphertext)
        return Inclusion(previous.hash.hex(), frame.hex(), body.hex(), path)

    def _path(self, proof: Callable[[Node], list[bytes]], partition: int) -> tuple[str, ...]:
        return tuple(step.hex() for step in proof(lambda level, index: self._log.node(partition, level, index)))

    def _heads(self, request: Place | None = None) -> Heads:
        """Where the log stands; with a request, where its partition stood before it."""
        chain, trees = [], []
        for partition in range(self._log.partitions):
            size = self._log.head(partition) + 1
            if request is not None and request[0] == partition:
                size = request[1]
            (record,) = self._log.read(partition, size - 2, 1)
            chain.append(ChainHead(partition, record.position, record.hash.hex()))
            trees.append(tree_head(self._log, partition, size))
        return Heads(tuple(chain), tuple(trees))


def _target_names(target: Target, until: int | None) -> list[Name]:
    """What the guard refuses by name, for a target that has one."""
    match target.kind:
        case "subject":
            return [(subject_name(target.name, target.scope), until)]
        case "scope":
            return [(scope_name(target.name), until)]
        case "session":
            return [(session_name(target.scope or "", target.name), until)]
        case "event":
            return [(event_name(target.scope or "", target.name), None)]
        case _:
            return []
