"""People's doors: corrections of memories, and what becomes of dead letters."""

import secrets
from collections.abc import Callable
from hashlib import blake2b

from eunoe.gateway import arguments
from eunoe.gateway.answers import DeadLetter
from eunoe.gateway.home import Home
from eunoe.processors.embedded import Parking
from eunoe.processors.ingestion.masking import mask
from eunoe.processors.projection.corrections import active
from eunoe.stores.contracts import Memory
from eunoe.stores.memories import PARKED, PENDING, SqliteMemories
from eunoe.streams.errors import NotFound, Rejected
from eunoe.streams.events import Correction, Decision, Span
from eunoe.streams.log import entry

_TEXT_CHARACTERS = 4000


class Decider:
    """Writes what a person decided as events, and lets the projection follow before it returns."""

    def __init__(self, home: Home, memories: SqliteMemories, now: Callable[[], str]) -> None:
        self._home, self._memories, self._now = home, memories, now

    # -- memories ---------------------------------------------------------------------------------

    def correct(self, memory_id: str, text: str | None, actor: str, reason: str | None) -> Memory:
        """Give a memory another text, or retire it (None). Raises NotFound, Rejected."""
        memory = self._memory(memory_id)
        arguments.text("actor", actor)
        arguments.optional_text("reason", reason)
        if text is not None:
            text, _ = mask(arguments.text("text", text).strip())
            if not text or len(text) > _TEXT_CHARACTERS or "\x00" in text:
                raise Rejected(f"text: must have 1 to {_TEXT_CHARACTERS:,} characters and no NUL")
        event = Correction(
            scope=memory.scope,
            id=f"correction-{secrets.token_hex(12)}",
            subjects=self._subjects(memory),
            action="edit" if text is not None else "retire",
            target=memory.id,
            at=self._now(),
            actor=actor,
            text=text,
            kind=memory.kind,
            about=memory.about,
            attribute=memory.attribute,
            value=memory.value,
            spans=tuple(Span(event=s.event, chunk=s.chunk, start=s.start, end=s.end) for s in memory.sources),
            reason=reason,
        )
        return self._append(event, memory.id)

    def undo(self, memory_id: str, actor: str, reason: str | None) -> Memory:
        """Take the newest correction of a memory back. Raises NotFound."""
        memory = self._memory(memory_id)
        arguments.text("actor", actor)
        arguments.optional_text("reason", reason)
        scope = self._memories.scope_number(memory.scope)
        earlier = None if scope is None else active(self._home.projections.reader(), scope, memory.id)
        if earlier is None:
            raise NotFound("this memory has no correction to take back")
        event = Correction(
            scope=memory.scope,
            id=f"correction-{secrets.token_hex(12)}",
            subjects=self._subjects(memory),
            action="undo",
            target=earlier,
            at=self._now(),
            actor=actor,
            reason=reason,
        )
        return self._append(event, memory.id)

    def _memory(self, memory_id: str) -> Memory:
        arguments.text("memory_id", memory_id)
        self._home.runtime.settle()
        memory = self._memories.get(memory_id)
        if memory is None:
            raise NotFound(f"no memory {memory_id[:64]!r}; `eunoe memories list --scope …` shows their ids")
        return memory

    def _subjects(self, memory: Memory) -> tuple[str, ...]:
        """Those of the events that it stands on: what is said about them goes with them."""
        places = [self._home.log.find(memory.scope, source.event) for source in memory.sources]
        records = [r for place in places if place for r in self._home.log.read(place[0], place[1] - 1, 1)]
        found = [opened.event for opened in self._home.log.open(records)]
        return tuple(dict.fromkeys(subject for event in found if event for subject in event.subjects))

    def _append(self, event: Correction, memory_id: str) -> Memory:
        self._home.log.append([entry(event)])
        return self._memory(memory_id)

    # -- dead letters -----------------------------------------------------------------------------

    def dead_letters(self) -> list[DeadLetter]:
        """All that is parked, oldest first."""
        return [_letter(one) for one in self._home.runtime.parked()]

    def dead_letter(self, letter_id: str) -> DeadLetter:
        """One of them. Raises NotFound."""
        arguments.text("letter_id", letter_id)
        for letter in self.dead_letters():
            if letter.id == letter_id:
                return letter
        raise NotFound(f"no dead letter {letter_id[:64]!r}; `eunoe deadletters list` shows their ids")

    def retry(self, letter_id: str) -> DeadLetter:
        """Run the step again; for a parked stream, raises what it fails with and leaves it parked."""
        letter = self.dead_letter(letter_id)
        runtime = self._home.runtime
        with runtime.lease():
            if letter.step == "projection":
                runtime.projector.retry(letter.scope, letter.partition, letter.position)
                return letter
            with self._home.projections.transaction() as connection:
                connection.execute(
                    "update turn set state = ? where state = ? and event = ? and session in"
                    " (select s.number from session s join scope c on c.number = s.scope where c.path = ?)",
                    (PENDING, PARKED, letter.event, letter.scope),
                )
            runtime.work()
            with self._home.projections.transaction() as connection:
                connection.execute(
                    "delete from parked where step = ? and scope = ? and event = ? and not exists (select 1 from turn t"
                    " join session s on s.number = t.session join scope c on c.number = s.scope"
                    " where t.state = ? and t.event = parked.event and c.path = parked.scope)",
                    (letter.step, letter.scope, letter.event, PARKED),
                )
        return letter

    def drop(self, letter_id: str, reason: str, actor: str) -> DeadLetter:
        """Go on without the event that failed: a decision in the log, kept by every rebuild."""
        letter = self.dead_letter(letter_id)
        arguments.text("actor", actor)
        arguments.text("reason", reason)
        place = self._home.log.find(letter.scope, letter.event)
        records = [] if place is None else self._home.log.read(place[0], place[1] - 1, 1)
        event = self._home.log.open(records)[0].event if records else None
        decision = Decision(
            scope=letter.scope,
            id=f"decision-{secrets.token_hex(12)}",
            subjects=event.subjects if event is not None else (letter.scope,),
            target=f"{letter.step}:{letter.event}",
            choice="drop",
            at=self._now(),
            actor=actor,
            reason=reason,
        )
        self._home.log.append([entry(decision)])
        self._home.runtime.settle()
        return letter


def _letter(one: Parking) -> DeadLetter:
    name = blake2b(f"{one.step}\x00{one.scope}\x00{one.event}".encode(), digest_size=6).hexdigest()
    return DeadLetter(
        f"d-{name}", one.step, one.scope, one.event, one.partition, one.position, one.reason, one.attempts, one.at
    )
