"""The guard: what was forgotten is not taken in again. It works on keyed hashes and holds no name in clear.

Refused are the forgotten ids; for a forgotten subject, scope or session, every event whose time is not after the
request; and any result, correction or decision one of whose inputs was forgotten.
"""

from collections.abc import Callable, Iterable
from hashlib import blake2b

import apsw

from eunoe.streams.errors import Forgotten
from eunoe.streams.events import AnyEvent, Correction, Decision, Dropped, Forget, Interaction, Result
from eunoe.streams.sqlite_files import rows
from eunoe.streams.times import key_of

TABLE = "create table suppressed(mac blob primary key, until integer, request integer not null) without rowid"

Name = tuple[str, int | None]
"""(what is named, event time key or None where no time lifts the suppression)."""

Suppression = tuple[str | bytes, int | None]
"""(a name, or its keyed hash where only that is known; the time key up to which it is refused, None for ever)."""


def event_name(scope: str, event: str) -> str:
    """How an event is named to the guard."""
    return f"event\x00{scope}\x00{event}"


def scope_name(scope: str) -> str:
    """How a scope is named to the guard."""
    return f"scope\x00{scope}"


def session_name(scope: str, session: str) -> str:
    """How a session is named to the guard."""
    return f"session\x00{scope}\x00{session}"


def subject_name(subject: str, scope: str | None = None) -> str:
    """How a subject, or a subject in one scope, is named to the guard."""
    return f"subject\x00{subject}" if scope is None else f"subject\x00{subject}\x00{scope}"


def names_of(event: AnyEvent) -> list[Name]:
    """Everything an event stands on, as the guard names it."""
    if isinstance(event, Forget):
        return []
    key = key_of(event.at) if not isinstance(event, Result) else None
    names: list[Name] = [(event_name(event.scope, event.id), None)]
    match event:
        case Result():
            return [(event_name(event.scope, member.partition("\x00")[0]), None) for member in event.members]
        case Correction():
            names += [(event_name(event.scope, span.event), None) for span in event.spans]
        case Decision():
            names.append((event_name(event.scope, event.target.partition(":")[2]), None))
        case Dropped():
            names.append((event_name(event.scope, event.target), None))
        case _:
            pass
    names.append((scope_name(event.scope), key))
    if isinstance(event, Interaction) or hasattr(event, "session"):
        names.append((session_name(event.scope, event.session), key))
    for subject in event.subjects:
        names += [(subject_name(subject), key), (subject_name(subject, event.scope), key)]
    return names


class Guard:
    """The suppressions of one log. key: the home's suppression key."""

    def __init__(self, connection: apsw.Connection, key: bytes) -> None:
        self._connection, self._key = connection, key
        self._any = True

    def refresh(self) -> None:
        """Look again whether anything is suppressed."""
        self._any = bool(rows(self._connection, "select 1 from suppressed limit 1"))

    def mac(self, name: str | bytes) -> bytes:
        """Keyed hash of a name, 16 bytes; a hash that comes from another log of this home stays as it is."""
        if isinstance(name, bytes):
            return name
        return blake2b(name.encode("utf-8", "surrogatepass"), key=self._key, digest_size=16).digest()

    def refusal(self, event: Callable[[], AnyEvent]) -> Forgotten | None:
        """Why an event may not come in; None when it may. `event` is only called where something is suppressed."""
        if not self._any:
            return None
        for name, key in names_of(event()):
            found = rows(self._connection, "select until from suppressed where mac = ?", (self.mac(name),))
            if found and (found[0][0] is None or key is None or key <= found[0][0]):
                return Forgotten("this was forgotten on request and is not taken in again; `eunoe readmit` lifts that")
        return None

    def covers(self, suppressions: Iterable[Suppression], event: AnyEvent) -> bool:
        """Whether these would refuse an event."""
        held = {self.mac(name): until for name, until in suppressions}
        for name, key in names_of(event):
            mac = self.mac(name)
            if mac in held and ((until := held[mac]) is None or key is None or key <= until):
                return True
        return False

    def for_ever(self, names: Iterable[str]) -> set[str]:
        """Those of these names that are refused whatever their time."""
        held = {row[0] for row in rows(self._connection, "select mac from suppressed where until is null")}
        return {name for name in names if self.mac(name) in held} if held else set()

    def suppress(self, names: Iterable[Suppression], request: int) -> None:
        """Refuse these for a request: names with the time key up to which they are refused, None for ever."""
        self._connection.executemany(
            "insert into suppressed values(?, ?, ?) on conflict do update set request = excluded.request,"
            " until = case when until is null then null else max(until, excluded.until) end",
            [(self.mac(name), until, request) for name, until in names],
        )
        self.refresh()

    def lift(self, names: Iterable[str]) -> int:
        """Take these in again, and for a subject, scope or session all that went with it; how many were refused."""
        before = self._connection.total_changes()
        for name in names:
            mac = self.mac(name)
            whole = rows(self._connection, "select request from suppressed where mac = ? and until is not null", (mac,))
            self._connection.execute("delete from suppressed where mac = ?", (mac,))
            self._connection.executemany("delete from suppressed where request = ?", whole)
        self.refresh()
        return self._connection.total_changes() - before
