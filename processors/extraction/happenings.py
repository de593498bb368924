"""What recurs, what happened and what is ahead."""

import re

from eunoe.processors.extraction import dates
from eunoe.processors.extraction.clauses import Clause
from eunoe.processors.extraction.draft import Frame
from eunoe.processors.extraction.slot import Slot
from eunoe.processors.extraction.values import clip
from eunoe.processors.extraction.verbs import words

_EVENTIVE = words(
    "buy sell go visit meet finish start adopt lose win break pass get book sign order cancel fix move"
    " quit graduate marry travel fly attend run paint climb hike camp join launch migrate build write"
    " read watch see make bake cook plant donate volunteer apply receive return rent publish complete"
    " celebrate drive swim take give send change become try leave repair"
)

_SCHEDULE = re.compile(
    r"\b(?:every (?:other |second )?(?:day|morning|evening|night|week(?:day|end)?|month|year|monday"
    r"|tuesday|wednesday|thursday|friday|saturday|sunday)s?"
    r"(?: (?:morning|afternoon|evening|night)s?)?|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day(?:s"
    r"| (?:morning|afternoon|evening|night)s)|(?:on )?(?:weekdays|weekends|mornings)"
    r"|(?:once|twice|\w+ times) (?:a|per) (?:day|week|month|year))\b",
    re.IGNORECASE,
)

_SPEECH = words("be say tell ask think know believe feel mean")

_RECURS = re.compile(r"every|day|week|month|year|morning|evening|night|times")


def happenings(text: str, main: Clause, typed: list[str], frame: Frame) -> list[Slot]:
    """What recurs, what happened and what is ahead."""
    if not main.verb or main.tense == "wish":
        return []
    habit = _SCHEDULE.search(text) if _RECURS.search(text) else None
    if habit and main.tense == "present" and not any(habit[0] in value for value in typed):
        value = clip(main.predicate, True) or main.predicate
        when = habit[0] if habit[0].lower() not in value.lower() else ""
        return [Slot("schedule", f"{value} {when}".strip()[:160], negative=main.negative, changed=main.changed)]
    if typed or main.negative:
        return []
    named = dates.find(text, frame.day) if frame.day else []
    dated = bool(named)
    if (
        named
        and frame.day
        and main.tense == "present"
        and named[0].first > frame.day.isoformat()[: len(named[0].first)]
    ):
        return [Slot("plans", _event(main.predicate, frame))] if len(main.predicate.split()) > 1 else []
    if (
        main.tense in ("past", "perfect")
        and not main.used_to
        and (main.verb in _EVENTIVE or (dated and main.verb not in _SPEECH))
    ):
        return [Slot("did", _event(main.predicate, frame))] if len(main.predicate.split()) > 1 else []
    ahead = (main.tense == "future" and main.verb in _EVENTIVE) or (dated and main.verb == "have")
    if (ahead or (dated and (main.tense == "future" or main.progressive))) and main.subject.sort in (
        "self",
        "we",
        "person",
    ):
        return [Slot("plans", _event(main.predicate, frame))]
    return []


def _event(predicate: str, frame: Frame) -> str:
    """The doing in the source's words, without its date."""
    found = dates.find(predicate, frame.day) if frame.day else []
    start = found[0].start if found else len(predicate)
    short = re.sub(r"\s+(?:on|in|at|since|for|,)$", "", predicate[:start].strip(" ,"))
    return (clip(short or predicate, True) or predicate)[:160].strip(" .!")
