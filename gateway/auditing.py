"""The audit: who did what to the memory, when, where and why. Read off the log, so that it can't say otherwise.

It shows no text. What was forgotten stands in it no more: of a forget there are the kind of its target, how many
records went, who asked and when.
"""

import hashlib
import json
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from eunoe.gateway.home import SETTINGS_SCOPE, Home
from eunoe.processors.recall import Found
from eunoe.stores.files import folder
from eunoe.streams.errors import BadInput, UnknownScope
from eunoe.streams.events import (
    Act,
    Block,
    Correction,
    Cut,
    Decision,
    Dropped,
    Forget,
    Interaction,
    Note,
    Result,
    Settings,
)
from eunoe.streams.frames import EPOCH_SCHEMA
from eunoe.streams.log import Log, Opened, Record, entry
from eunoe.streams.partitioning import partition_of
from eunoe.streams.times import key_of, normalised

KINDS = {
    "write": "interaction", "construct": "result", "edit": "correction", "retire": "correction", "undo": "correction",
    "decide": "decision", "cut": "cut", "settings": "settings", "forget": "forget", "redact": "forget",
    "readmit": "forget", "tombstone": "forget", "drop": "dropped", "block": "block", "note": "note",
    "recall": "act", "rotate": "act", "backup": "act", "restore": "act", "refused": "",
}  # fmt: skip
"""What an entry can be, and the kind of event that it is read off."""

_PAGE = 1000
_DAY = 86_400_000_000


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One act. at: when it was done, by the writer's clock (UTC). actor: who, or whose voice a turn is; agent: through
    which agent. what: of which sort. id: of the event or memory it was done to. counts: how many of what.
    partition, position: where it stands in the log; -1 for what is only counted.
    """

    at: str
    kind: str
    scope: str = ""
    session: str = ""
    agent: str | None = None
    actor: str | None = None
    what: str = ""
    id: str = ""
    reason: str | None = None
    counts: dict[str, int] = {}
    partition: int = -1
    position: int = -1


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which entries are asked for; None is any. since, until: times as RFC 3339, both included."""

    scope: str | None = None
    agent: str | None = None
    session: str | None = None
    actor: str | None = None
    kind: str | None = None
    since: str | None = None
    until: str | None = None


def audit(home: Home, wanted: Wanted) -> list[AuditEntry]:
    """The entries that are asked for, in the order in which they were written. Raises UnknownScope, BadInput."""
    if wanted.kind is not None and wanted.kind not in KINDS:
        raise BadInput(f"unknown kind {wanted.kind[:40]!r}; there are {', '.join(KINDS)}")
    since, until = (None if at is None else key_of(normalised(at)) for at in (wanted.since, wanted.until))
    found: list[tuple[int, AuditEntry]] = []
    for opened in _opened(home, wanted):
        key = opened.record.envelope.written * 1000
        one = _entry(home.log, opened, key)
        if one is not None and _is_wanted(one, wanted) and (since is None or key >= since):
            found += [(key, one)] if until is None or key <= until else []
    if all(of is None for of in (wanted.scope, wanted.agent, wanted.session, wanted.actor)):
        for day, count in home.log.refusals().items():
            at = f"{day}T00:00:00+00:00"
            key, one = key_of(at), AuditEntry(at=at, kind="refused", counts={"events": count})
            if _is_wanted(one, wanted) and (since is None or key + _DAY > since) and (until is None or key <= until):
                found.append((key, one))
    found.sort(key=lambda pair: (pair[0], pair[1].partition, pair[1].position))
    return [one for _, one in found]


def _opened(home: Home, wanted: Wanted) -> Iterator[Opened]:
    """Opened records of the partitions, streams and schemas that can hold what is asked for."""
    log, stream, schema = home.log, None, None if wanted.kind is None else KINDS[wanted.kind]
    partitions: Iterable[int] = range(log.partitions)
    if wanted.scope is not None:
        stream = home.keyring.find_stream(wanted.scope)
        if stream is None:
            raise UnknownScope(f"no events in scope {wanted.scope[:64]!r}; `eunoe scopes` lists those that have some")
        partitions = (partition_of(wanted.scope, log.partitions),)

    def asked(record: Record) -> bool:
        envelope = record.envelope
        return (
            envelope.schema != EPOCH_SCHEMA
            and (stream is None or envelope.stream == stream)
            and (schema is None or envelope.schema.partition("/")[0] == schema)
        )

    for partition in partitions:
        after = -1
        while records := log.read(partition, after, _PAGE):
            after = records[-1].position
            yield from log.open([record for record in records if asked(record)])


def _is_wanted(one: AuditEntry, wanted: Wanted) -> bool:
    return all(
        asked is None or asked == had
        for asked, had in (
            (wanted.scope, one.scope), (wanted.session, one.session), (wanted.agent, one.agent),
            (wanted.actor, one.actor), (wanted.kind, one.kind),
        )
    )  # fmt: skip


# -- what an event is in the audit ----------------------------------------------------------------


def _entry(log: Log, opened: Opened, key: int) -> AuditEntry | None:
    """None for what was forgotten, and for parts of what has an entry already."""
    event, record = opened.event, opened.record
    if event is None:
        return None
    said = _of_turns(event) or _of_people(event) or _of_forgets(event, log, record)
    if said is None:
        return None
    at = datetime.fromtimestamp(key / 1e6, UTC).isoformat(timespec="milliseconds")
    scope = "" if event.scope == SETTINGS_SCOPE else event.scope
    return AuditEntry(at=at, scope=scope, partition=record.partition, position=record.position, **said)


def _of_turns(event: Any) -> dict[str, Any] | None:
    match event:
        case Interaction() if event.chunk == 0:
            counts = {"chunks": event.chunks, "withheld": len(event.withheld), "recalled": len(event.recalled)}
            some = {name: count for name, count in counts.items() if count > (name == "chunks")}
            return {"kind": "write", "session": event.session, "agent": event.agent, "actor": event.voice,
                    "what": event.role, "id": event.id, "counts": some}  # fmt: skip
        case Result():
            kinds = dict(Counter(item.kind for item in event.items))
            return {"kind": "construct", "actor": event.system, "what": event.version, "reason": event.reason,
                    "counts": dict(sorted(kinds.items()))}  # fmt: skip
        case Cut():
            return {"kind": "cut", "session": event.session, "reason": event.cause}
        case Block():
            return {"kind": "block", "session": event.session, "counts": {"members": len(event.members)}}
        case Note():
            return {"kind": "note", "session": event.session, "id": event.block, "counts": {"tokens": event.tokens}}
        case _:
            return None


def _of_people(event: Any) -> dict[str, Any] | None:
    match event:
        case Correction():
            return {"kind": event.action, "actor": event.actor, "what": "memory", "id": event.target,
                    "reason": event.reason}  # fmt: skip
        case Decision():
            step, _, name = event.target.partition(":")
            return {"kind": "decide", "actor": event.actor, "what": f"{event.choice} {step}", "id": name,
                    "reason": event.reason}  # fmt: skip
        case Settings():
            return {"kind": "settings", "actor": event.actor, "what": ", ".join(sorted(event.values))}
        case Dropped():
            return {"kind": "drop", "session": event.session, "actor": event.actor, "what": "context",
                    "id": event.target, "reason": event.reason}  # fmt: skip
        case Act():
            return {"kind": event.verb, "session": event.session, "agent": event.agent, "actor": event.actor,
                    "reason": event.reason, "counts": event.counts}  # fmt: skip
        case _:
            return None


def _of_forgets(event: Any, log: Log, record: Record) -> dict[str, Any] | None:
    if not isinstance(event, Forget) or event.completes is not None:
        return None
    if event.tombstones:
        return {"kind": "tombstone", "session": event.tombstones[0].session, "actor": event.actor,
                "counts": {"turns": len(event.tombstones)}}  # fmt: skip
    gone = {} if event.depth == "readmit" else {"records": len(log.erased_by(record.partition, record.position))}
    return {"kind": event.depth, "actor": event.actor, "what": event.target, "reason": event.reason, "counts": gone}


# -- as a file, as a digest -----------------------------------------------------------------------


def audit_log(scope: str, entries: Iterable[AuditEntry]) -> dict[str, str]:
    """The file `audit.log` of a scope: one line an entry."""
    return {f"{folder(scope)}/audit.log": "".join(f"{line(one)}\n" for one in entries)}


def line(one: AuditEntry) -> str:
    """An entry as one line: when, kind, scope, then what else it has as name=value."""
    named = {"session": one.session, "agent": one.agent, "actor": one.actor, "what": one.what, "id": one.id,
             "reason": one.reason, **one.counts}  # fmt: skip
    rest = [f"{name}={_quoted(value)}" for name, value in named.items() if value not in ("", None)]
    return " ".join([one.at, one.kind, *([_quoted(one.scope)] if one.scope else []), *rest])


def _quoted(value: object) -> str:
    """A value that can't be taken for another one or for a new line."""
    text = str(value)
    plain = text.isprintable() and not any(letter in ' "=' for letter in text)
    return text if plain and text else json.dumps(text, ensure_ascii=not text.isprintable())


def audit_digest(entries: Iterable[AuditEntry]) -> str:
    """SHA-256 over the entries without times and places, sorted. A home that forgot something says so there."""
    bare = [msgspec.structs.replace(one, at="", partition=-1, position=-1) for one in entries]
    total = hashlib.sha256()
    for encoded in sorted(msgspec.json.encode(one, order="sorted") for one in bare):
        total.update(len(encoded).to_bytes(4, "big") + encoded)
    return total.hexdigest()


# -- what is no event by itself -------------------------------------------------------------------


def act(verb: str, at: str, actor: str, *, scope: str = SETTINGS_SCOPE, **more: Any) -> Act:
    """An act for the audit, in the home's own scope where none is given."""
    name = f"act-{secrets.token_hex(12)}"
    fields = {"scope": scope, "id": name, "subjects": (scope,), "verb": verb, "at": at, "actor": actor, **more}
    return Act.model_validate(fields)


def recalled(found: Found, scope: str, session: str | None, agent: str | None, at: str) -> Act:
    """A recall in one scope: how much it gave, not what was asked."""
    items = [item for item in found.items if item.scope == scope]
    counts = {"items": len(items), "tokens": sum(item.tokens for item in items)}
    return act("recall", at, "agent", scope=scope, session=session or "", agent=agent, counts=counts)


def note(home: Home, *acts: Act) -> None:
    """Record acts."""
    home.log.append([entry(one) for one in acts])


class AuditDoor:
    """Who did what to a memory."""

    _home: Home

    def audit(
        self, scope: str | None = None, agent: str | None = None, session: str | None = None,
        actor: str | None = None, kind: str | None = None, since: str | None = None, until: str | None = None,
    ) -> list[AuditEntry]:  # fmt: skip
        """Every write, change, decision, forget, readmission, rotation, backup and, with the setting `audit_recalls`,
        recall, oldest first. Raises UnknownScope, BadInput, Rejected for a time that is none.
        """
        wanted = Wanted(
            scope=scope, agent=agent, session=session, actor=actor, kind=kind, since=since, until=until
        )  # fmt: skip
        return audit(self._home, wanted)

    def audit_digest(self) -> str:
        """The digest of the whole audit trail, which is no part of `digest`."""
        return audit_digest(audit(self._home, Wanted()))
