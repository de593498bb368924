"""What extraction keeps before it becomes items, and the frame that the languages share."""

from datetime import date
from typing import NamedTuple

from eunoe.processors.extraction.dates import When
from eunoe.processors.extraction.sentences import Piece
from eunoe.processors.extraction.slot import Slot
from eunoe.streams.events import Interaction, Item, Kind, Span

# of what the speaker only thinks or guesses
UNSURE = 0.6
# attributes that a stated period belongs to; what is a state goes on after it began
EVENTS = frozenset(("did", "plans", "schedule", "wants"))

# what holds whenever it was said; a date in the sentence is about something else
_TIMELESS = (
    "name",
    "likes",
    "favourite_",
    "allergic_to",
    "family",
    "speaks",
    "relation",
    "from",
    "birthday",
    "diet",
    "fears",
)


class Person(NamedTuple):
    """Somebody spoken of, as a pronoun may mean them. gender: he, she or unknown."""

    about: str
    gender: str | None
    relation: str | None = None


class Frame(NamedTuple):
    """What a sentence is read with: who speaks, on which day, who was named in this turn, what was asked before it,
    who was named there, and what the turn has come to speak of."""

    anchor: Interaction
    voice: str
    day: date | None
    people: list[Person]
    asked: str | None
    before: list[Person]
    topics: list[str]

    @property
    def name(self) -> str:
        """How an English text names the speaker."""
        return self.voice if self.anchor.speaker else f"the {self.voice}"


class Found(NamedTuple):
    """One item in the making. when: the date that it is valid from."""

    kind: Kind
    text: str
    piece: Piece
    about: str | None = None
    slot: Slot | None = None
    when: When | None = None
    confidence: float = 1.0
    slots: tuple[tuple[str, str], ...] = ()
    untrusted: bool = False
    until: bool = False
    changed: bool = False


def item_of(found: Found, anchor: Interaction) -> Item:
    """The finished item, its span in the anchor's text."""
    slot, when = found.slot, found.when
    when = None if slot is not None and slot.attribute.startswith(_TIMELESS) and not slot.changed else when
    first, last = (when.first, when.last) if when else (None, None)
    if when and found.until:
        first, last = None, when.last or when.first
    elif (
        slot is not None
        and slot.attribute not in EVENTS
        and not (when and when.precision == "season" and not slot.changed)
        and not (when and when.precision == "month")  # from one month to another: a period that was stated
    ):
        last = None
    more = dict((*found.slots, *(slot.more if slot else ())))
    return Item(
        kind=found.kind,
        text=found.text,
        spans=(Span(event=anchor.id, start=found.piece.start, end=found.piece.end, chunk=anchor.chunk),),
        about=found.about,
        attribute=slot.attribute if slot else None,
        value=slot.value if slot else None,
        negative=slot.negative if slot else False,
        single=slot.single if slot else False,
        changed=slot.changed if slot else found.changed,
        valid_from=first,
        valid_until=last,
        precision=when.precision if when else None,
        confidence=found.confidence,
        slots=more or None,
        untrusted=found.untrusted,
    )
