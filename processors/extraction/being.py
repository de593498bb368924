"""What an English subject is: an age, a diet, a role, allergic, married, at a firm for years."""

import re

from eunoe.processors.extraction.clauses import Clause
from eunoe.processors.extraction.slot import NUMBER, PLACE, PROPER, ROLE, YEARS, Slot, behind, one, served, several
from eunoe.processors.extraction.values import clip

_AGE = re.compile(
    rf"(?P<v>{NUMBER})(?: years? old| yrs? old|-years?-old)?(?= (?:and|but|now|today|so|yesterday|this"
    rf"|last|years)\b|[,.;!]|$)",
    re.IGNORECASE,
)

_AGES = re.compile(r"\d{1,2}(?:, \d{1,2})*,? and \d{1,2}(?= |[.!,]|$)(?! (?:people|minutes|hours|days))")
_DIET = re.compile(
    r"(?:an? |strictly |strict |mostly |lactose[- ])*(?P<v>vegetarian|vegan|pescatarian|kosher|halal"
    r"|gluten[- ]free|lactose[- ]intolerant|coeliac|celiac|keto|teetotal|diabetic)\b",
    re.IGNORECASE,
)


def be(clause: Clause) -> list[Slot]:
    """Slots of `is …`."""
    rest = bare(clause.rest)
    if clause.tense == "wish":
        return []
    for words, attribute, many, single in _BE:
        after = behind(rest, *words)
        if after is not None:
            if attribute in ("lives_in", "from"):
                place = PLACE.match(after)
                return one(attribute, place and place["v"], single)
            return several(attribute, after) if many else one(attribute, clip(after), single)
    return _be_what(clause, rest)


_BE = (
    (("allergic to", "severely allergic to", "deathly allergic to"), "allergic_to", True, False),
    (("intolerant to", "sensitive to"), "allergic_to", True, False),
    (("called", "named"), "name", False, True),
    (("living in", "based in", "based out of"), "lives_in", False, True),
    (("from", "originally from"), "from", False, True),
    (("assigned to",), "assigned_to", False, True),
    (("responsible for", "in charge of"), "responsible_for", True, False),
    (("married to", "engaged to", "dating"), "partner", False, True),
    (("into", "fond of", "crazy about", "a fan of", "a big fan of", "a huge fan of", "keen on", "obsessed with",
      "really into"), "likes", True, False),
    (("scared of", "afraid of", "terrified of"), "fears", True, False),
    (("working on",), "works_on", False, True),
    (("learning", "studying"), "studies", True, False),
    (("training for", "planning", "planning to"), "plans", False, False),
    (("open from", "open"), "opening_hours", False, True),
)  # fmt: skip

_BORN = re.compile(
    rf"born (?:(?:on|in) (?P<date>[^,.;]*?\d{{4}}|\d[^,.;]*?|[A-Z]\w+ \d+))?(?:(?:^"
    rf"| ?)in (?P<place>{PROPER}))?(?=[,.;]| |$)"
)


def _be_what(clause: Clause, rest: str) -> list[Slot]:
    """is 41; is vegan; is a backend engineer at Fjordline; has been at Northwind for five years."""
    if rest.startswith("born ") and (born := _BORN.match(rest)):
        return one("birthday", born["date"], True) + one("born_in", born["place"], True)
    if (
        clause.tense == "perfect"
        and (years := YEARS.match(rest))
        and (years["place"] or years["place2"] or "for" in rest[:4])
    ):
        return served(years)
    if diet := _DIET.match(rest):
        return one("diet", diet["v"], True)
    if clause.subject.sort == "thing":
        return []
    if ages := _AGES.match(rest):
        return one("ages", ages[0], True)
    if rest.startswith("promoted to ") and (made := ROLE.match(rest[12:])):
        return one("role", clip(made["role"] + made["of"]), True, True)
    if age := _AGE.match(rest):
        return one("age", age["v"], True)
    if married := re.match(r"(married|single|divorced|engaged|widowed)\b", rest, re.IGNORECASE):
        return one("marital_status", married[1].lower(), True)
    role = ROLE.match(rest)
    if role:
        value = clip(role["role"] + role["of"])
        return one("role", value, True) + one("works_at", role["org"], True)
    going = behind(
        rest,
        "going to",
        "flying to",
        "travelling to",
        "traveling to",
        "visiting",
        "moving to",
        "heading to",
        "running",
        "getting",
        "taking",
    )
    if going is not None and clause.progressive is False and clause.tense != "past":
        return one("plans", clip(rest, True))
    return []


_FIRM = re.compile(
    r"^(?:(?:now|still|also|really|just|currently|actually|so|very|quite|originally|always|already|both) )+",
    re.IGNORECASE,
)


def bare(rest: str) -> str:
    """What follows `is`, without words of degree and time."""
    return _FIRM.sub("", rest)
