"""A slot, and the values that many rules look for: places, names, roles, years."""

import re
from typing import NamedTuple

from eunoe.processors.extraction.dates import NUMBERS
from eunoe.processors.extraction.values import parts


class Slot(NamedTuple):
    """What a clause says of its subject, before it becomes an item."""

    attribute: str
    value: str
    negative: bool = False
    single: bool = False
    changed: bool = False
    more: tuple[tuple[str, str], ...] = ()


NUMBER = (
    r"\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five"
    r"|six|seven|eight|nine))?|" + "|".join(w for w in NUMBERS if " " not in w and len(w) > 2)
)

YEARS = re.compile(
    r"(?:(?P<place>(?:at|with|in) [A-Z][\w&.-]*(?: [A-Z][\w&.-]*)*) for )?(?:for )?(?P<years>(?:(?:almost"
    r"|about|over|nearly|more than) )?(?P<n>\d{1,2}|[a-z]+) years?)"
    r"(?: now| already)?(?: (?P<place2>(?:at|with) [A-Z][\w&.-]*(?: [A-Z][\w&.-]*)*))?",
)

_CAPITALISED = r"(?:St\. )?[A-Z0-9](?:[\w&'’+-]|\.(?=\w))*"

PROPER = rf"{_CAPITALISED}(?:[ /](?:(?:of|de|du|la|van|der|den|the|am|&) )*{_CAPITALISED})*"

PLACE = re.compile(
    rf"(?P<v>(?-i:{PROPER}(?:, {PROPER})?)|the (?:countryside|city|suburbs|mountains|coast|village|north"
    rf"|south|east|west)\b[^,.;]{{0,20}})",
    re.IGNORECASE,
)

_JOBS = (
    "illustrator|sculptor|dancer|singer|actor|actress|waiter|waitress|bartender|cashier|tailor|soldier|midwife|optician"
    "|broker|trader|banker|auditor|postdoc|composer|guitarist|drummer|pianist|violinist|animator|filmmaker|copywriter"
    "|marketer|florist|hairdresser|barber|welder|courier|paralegal|judge|diplomat|curator|archivist"
    "|geologist|astronomer"
    "|mathematician|statistician|linguist|interpreter|veterinarian|undergraduate|apprentice|retiree"
    "|engineer|developer|programmer|designer|teacher|doctor|nurse|lawyer|accountant|manager|analyst"
    "|scientist"
    "|researcher|student|professor|lecturer|writer|author|artist|musician|chef|cook|baker|barista|driver|pilot"
    "|architect|consultant|director|lead|head|ceo|cto|cfo|vp|founder|owner|intern|assistant|secretary"
    "|journalist|photographer|translator|librarian|electrician|plumber|carpenter|mechanic|farmer|dentist|vet"
    "|therapist|counselor|psychologist|pharmacist|physicist|chemist|biologist|historian|economist"
    "|administrator|sysadmin|sre|pm|maintainer|recruiter|salesperson|editor|producer|freelancer|officer"
    "|coordinator|technician|tutor|coach|principal|paramedic|surgeon|gardener|beekeeper|sailor|firefighter"
)

ROLE = re.compile(
    rf"(?P<role>(?:an? "
    rf"|the )?(?:[\w/-]+ ){{0,4}}?(?:{_JOBS})s?)\b(?P<of>(?: (?:of"
    rf"|for) [^,.;]{{2,40}}?)?)(?: (?:at|with|in) (?P<org>(?-i:{PROPER})))?(?=[,.;!]| and | but | who "
    rf"| from |$| now| since)",
    re.IGNORECASE,
)


def one(attribute: str, value: str | None, single: bool = False, changed: bool = False) -> list[Slot]:
    """One slot, or none without a value."""
    return [Slot(attribute, value, False, single, changed)] if value else []


def several(attribute: str, text: str) -> list[Slot]:
    """A slot for each member of the list at the start of a text."""
    return [Slot(attribute, value) for value in parts(text)]


def behind(text: str, *words: str) -> str | None:
    """What follows one of these words at the start of a text."""
    low = text.lower()
    for word in words:
        if low.startswith(word + " "):
            return text[len(word) + 1 :]
    return None


def served(match: re.Match[str]) -> list[Slot]:
    """`years_at` with its number of years, and where that was."""
    number = match["n"].lower()
    count = number if number.isdigit() else str(NUMBERS.get(number, ""))
    place = match["place"] or match["place2"]
    value = match["years"] + (f" {place}" if place else "")
    found = [Slot("years_at", value, single=True, more=(("number", count),))] if count else []
    return found + (one("works_at", place.split(" ", 1)[1], True) if place else [])
