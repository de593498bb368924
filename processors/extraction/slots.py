"""Typed slots from an English predicate: rules by verb, then by what follows it."""

import re
from collections.abc import Callable
from typing import NamedTuple

from eunoe.processors.extraction.clauses import Clause
from eunoe.processors.extraction.clauses import clause as clause_of
from eunoe.processors.extraction.dates import NUMBERS
from eunoe.processors.extraction.subjects import Subject
from eunoe.processors.extraction.values import clip, parts, span_of
from eunoe.processors.extraction.verbs import third

_NOBODY = Subject("self", None, None, 0)


class Slot(NamedTuple):
    """What a clause says of its subject, before it becomes an item."""

    attribute: str
    value: str
    negative: bool = False
    single: bool = False
    changed: bool = False
    more: tuple[tuple[str, str], ...] = ()


_NUMBER = (
    r"\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five"
    r"|six|seven|eight|nine))?|" + "|".join(w for w in NUMBERS if " " not in w and len(w) > 2)
)
_AGE = re.compile(
    rf"(?P<v>{_NUMBER})(?: years? old| yrs? old|-years?-old)?(?= (?:and|but|now|today|so|yesterday|this"
    rf"|last|years)\b|[,.;!]|$)",
    re.IGNORECASE,
)
_YEARS = re.compile(
    r"(?:(?P<place>(?:at|with|in) [A-Z][\w&.-]*(?: [A-Z][\w&.-]*)*) for )?(?:for )?(?P<years>(?:(?:almost"
    r"|about|over|nearly|more than) )?(?P<n>\d{1,2}|[a-z]+) years?)"
    r"(?: now| already)?(?: (?P<place2>(?:at|with) [A-Z][\w&.-]*(?: [A-Z][\w&.-]*)*))?",
)
_CAPITALISED = r"(?:St\. )?[A-Z0-9](?:[\w&'’+-]|\.(?=\w))*"
_PROPER = rf"{_CAPITALISED}(?:[ /](?:(?:of|de|du|la|van|der|den|the|am|&) )*{_CAPITALISED})*"
_PLACE = re.compile(
    rf"(?P<v>(?-i:{_PROPER}(?:, {_PROPER})?)|the (?:countryside|city|suburbs|mountains|coast|village|north"
    rf"|south|east|west)\b[^,.;]{{0,20}})",
    re.IGNORECASE,
)
_WORK = re.compile(
    rf"(?:as (?P<role>(?:an? |the )?[^,.;]{{2,50}}?))?(?:(?:^| )(?:at|for"
    rf"|with) (?P<org>(?-i:(?:the )?{_PROPER})|(?:an?|the) [^,.;]{{2,40}}?))?(?=(?: (?:in|since|as|on|now"
    rf"|and|but|these|for|until)\b)|[,.;!]|$)",
    re.IGNORECASE,
)
ROLE = re.compile(
    rf"(?P<role>(?:an? "
    rf"|the )?(?:[\w/-]+ ){{0,4}}?(?:{'|'.join(['engineer', 'developer', 'programmer', 'designer', 'teacher', 'doctor', 'nurse', 'lawyer', 'accountant', 'manager', 'analyst', 'scientist', 'researcher', 'student', 'professor', 'lecturer', 'writer', 'author', 'artist', 'musician', 'chef', 'cook', 'baker', 'barista', 'driver', 'pilot', 'architect', 'consultant', 'director', 'lead', 'head', 'ceo', 'cto', 'cfo', 'vp', 'founder', 'owner', 'intern', 'assistant', 'secretary', 'journalist', 'photographer', 'translator', 'librarian', 'electrician', 'plumber', 'carpenter', 'mechanic', 'farmer', 'dentist', 'vet', 'therapist', 'counselor', 'psychologist', 'pharmacist', 'physicist', 'chemist', 'biologist', 'historian', 'economist', 'administrator', 'sysadmin', 'sre', 'pm', 'maintainer', 'recruiter', 'salesperson', 'editor', 'producer', 'freelancer', 'officer', 'coordinator', 'technician', 'tutor', 'coach', 'principal', 'paramedic', 'surgeon', 'gardener', 'beekeeper', 'sailor', 'firefighter'])})s?)\b(?P<of>(?: (?:of"
    rf"|for) [^,.;]{{2,40}}?)?)(?: (?:at|with|in) (?P<org>(?-i:{_PROPER})))?(?=[,.;!]| and | but | who "
    rf"| from |$| now| since)",
    re.IGNORECASE,
)
_DIET = re.compile(
    r"(?:an? |strictly |strict |mostly |lactose[- ])*(?P<v>vegetarian|vegan|pescatarian|kosher|halal"
    r"|gluten[- ]free|lactose[- ]intolerant|coeliac|celiac|keto|teetotal|diabetic)\b",
    re.IGNORECASE,
)
_TO_TOOL = re.compile(r"(?:over )?(?:from (?P<old>.+?) )?to (?P<new>.+)", re.IGNORECASE)
_PET = re.compile(
    r"(?P<v>(?:an?|two|three|four|\d) (?:[\w-]+ ){0,3}?(?:dogs?|cats?|pupp(?:y|ies)|kittens?|parrots?"
    r"|rabbits?|hamsters?|horses?|greyhounds?|labradors?"
    r"|poodles?|tortoises?|turtles?|budgies?|goldfish|guinea pigs?|hens?|chickens|beagles?|collies?"
    r"|spaniels?|retrievers?|bunn(?:y|ies)|ferrets?|snakes?|lizards?|geckos?))\b"
    r"(?:,? (?:called|named|whose name is) (?P<names>[A-Z][\w-]*(?:(?:,| and) [A-Z][\w-]*)*)"
    r"|,? (?P<names2>[A-Z][\w-]+)(?=[,.!]|$))?",
)
_FAMILY = re.compile(
    r"(?P<v>(?:an?|one|two|three|four|five|six|no|\d) (?:[\w-]+ ){0,2}?(?:brothers?|sisters?|sons?"
    r"|daughters?|kids?|child(?:ren)?|siblings?|twins|grandchild(?:ren)?|nieces?|nephews?|cousins?|(?:girl"
    r"|boy)friend|husband|wife|partner)(?: (?:and|,) (?:an?|one|two|three|\d) \w+)?)\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?=[^,;]{0,60}\d)(?P<v>[^,;]{1,80})")


def slots_of(clause: Clause) -> list[Slot]:
    """Everything typed that a clause says. Negation and change come from its verb group."""
    rule = _RULES.get(clause.verb)
    found = rule(clause) if rule else []
    if not found and clause.subject.sort == "thing":
        found = _configured(clause)
    return [
        s._replace(negative=s.negative != clause.negative, changed=s.changed or clause.changed)
        for s in found
        if s.value
    ]


def _one(attribute: str, value: str | None, single: bool = False, changed: bool = False) -> list[Slot]:
    return [Slot(attribute, value, False, single, changed)] if value else []


def _many(attribute: str, text: str) -> list[Slot]:
    return [Slot(attribute, value) for value in parts(text)]


def _after(text: str, *words: str) -> str | None:
    """What follows one of these words at the start of a text."""
    low = text.lower()
    for word in words:
        if low.startswith(word + " "):
            return text[len(word) + 1 :]
    return None


def _be(clause: Clause) -> list[Slot]:
    rest = _bare(clause.rest)
    if clause.tense == "wish":
        return []
    for words, attribute, many, single in _BE:
        after = _after(rest, *words)
        if after is not None:
            if attribute in ("lives_in", "from"):
                place = _PLACE.match(after)
                return _one(attribute, place and place["v"], single)
            return _many(attribute, after) if many else _one(attribute, clip(after), single)
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
    (("into", "fond of", "crazy about", "a fan of", "a big fan of", "a huge fan of", "keen on", "obsessed with", "really into"), "likes", True, False),
    (("scared of", "afraid of", "terrified of"), "fears", True, False),
    (("working on",), "works_on", False, True),
    (("learning", "studying"), "studies", True, False),
    (("training for", "planning", "planning to"), "plans", False, False),
    (("open from", "open"), "opening_hours", False, True),
)  # fmt: skip


_BORN = re.compile(
    rf"born (?:(?:on|in) (?P<date>[^,.;]*?\d{{4}}|\d[^,.;]*?|[A-Z]\w+ \d+))?(?:(?:^"
    rf"| ?)in (?P<place>{_PROPER}))?(?=[,.;]| |$)"
)


def _be_what(clause: Clause, rest: str) -> list[Slot]:
    """is 41; is vegan; is a backend engineer at Fjordline; has been at Northwind for five years."""
    if rest.startswith("born ") and (born := _BORN.match(rest)):
        return _one("birthday", born["date"], True) + _one("born_in", born["place"], True)
    if (
        clause.tense == "perfect"
        and (years := _YEARS.match(rest))
        and (years["place"] or years["place2"] or "for" in rest[:4])
    ):
        return _years(years)
    if diet := _DIET.match(rest):
        return _one("diet", diet["v"], True)
    if clause.subject.sort == "thing":
        return _configured(clause)
    if age := _AGE.match(rest):
        return _one("age", age["v"], True)
    if married := re.match(r"(married|single|divorced|engaged|widowed)\b", rest, re.IGNORECASE):
        return _one("marital_status", married[1].lower(), True)
    role = ROLE.match(rest)
    if role:
        value = clip(role["role"] + role["of"])
        return _one("role", value, True) + _one("works_at", role["org"], True)
    going = _after(
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
        return _one("plans", clip(rest, True))
    return []


_FIRM = re.compile(
    r"^(?:(?:now|still|also|really|just|currently|actually|so|very|quite|originally|always|already|both) )+",
    re.IGNORECASE,
)


def _bare(rest: str) -> str:
    return _FIRM.sub("", rest)


def _years(match: re.Match[str]) -> list[Slot]:
    number = match["n"].lower()
    count = number if number.isdigit() else str(NUMBERS.get(number, ""))
    place = match["place"] or match["place2"]
    value = match["years"] + (f" {place}" if place else "")
    found = [Slot("years_at", value, single=True, more=(("number", count),))] if count else []
    return found + (_one("works_at", place.split(" ", 1)[1], True) if place else [])


def _live(clause: Clause) -> list[Slot]:
    place = re.search(r"(?:^|\b)(?:in|near|at) ", clause.rest[:30])
    if not place:
        return []
    named = _PLACE.match(clause.rest, place.end())
    ended = clause.tense == "past" and not clause.used_to
    return [] if not named or ended else _one("lives_in", named["v"], True)


def _move(clause: Clause) -> list[Slot]:
    after = re.match(
        r"(?:back |over |here |house |out )*(?:from (?P<old>.{1,50}?) )?to (?P<new>.+)", clause.rest, re.IGNORECASE
    )
    if not after or clause.tense in ("wish",):
        return []
    new = after["new"]
    project = re.match(
        rf"(?:the |our )?(?P<v>(?-i:{_PROPER}))(?: (?:project|team|squad|group|department|unit))\b|(?:the "
        rf"|a )(?P<w>(?:[\w-]+ ){{0,2}}(?:project|team|squad|department))\b",
        new,
        re.IGNORECASE,
    )
    if clause.progressive or clause.tense == "future":
        return _one("plans", clip("moving to " + new, True))
    if project:
        return _one("works_on", project["v"] or project["w"], True, True)
    old = (after["old"] or "").lower()
    if "team" in old or "project" in old:
        return _one("works_on", clip(new), True, True)
    place = _PLACE.match(new)
    return _one("lives_in", place and place["v"], True, True)


def _work(clause: Clause) -> list[Slot]:
    rest = clause.rest
    if (on := _after(rest, "on")) is not None:
        return [] if clause.tense == "past" and not clause.used_to else _one("works_on", clip(on), True)
    if (home := _after(rest, "from")) is not None:
        return _one("works_from", clip(home), True)
    found: list[Slot] = []
    match = _WORK.match(rest)
    past = clause.tense == "past" and not clause.used_to
    if match and not past:
        found += _one("role", clip(match["role"]) if match["role"] else None, True)
        found += _one("works_at", clip(match["org"]) if match["org"] else None, True)
    if clause.tense != "past" and (years := _YEARS.search(rest)) and "year" in years["years"]:
        found += [s for s in _years(years) if s.attribute == "years_at"]
    return found


def _like(clause: Clause) -> list[Slot]:
    if clause.tense == "wish":
        return _one("wants", clip(_unto(clause.rest), True)) if clause.verb in ("like", "love") else []
    if clause.tense == "past" and not clause.used_to:
        return []
    return _many("likes", _unto(clause.rest))


def _unto(rest: str) -> str:
    return re.sub(r"^(?:to |it when |how )", "", rest)


def _dislike(clause: Clause) -> list[Slot]:
    if clause.tense == "past" and not clause.used_to:
        return []
    return [s._replace(negative=True) for s in _many("likes", _unto(clause.rest))]


def _stand(clause: Clause) -> list[Slot]:
    """can't stand, can't bear."""
    return _many("likes", clause.rest) if clause.can and clause.negative else []


def _prefer(clause: Clause) -> list[Slot]:
    match = re.match(r"(?P<v>.+?) (?:over|to|rather than|instead of|more than) (?P<o>.+)", _unto(clause.rest))
    if match and clip(match["v"]) and (other := clip(match["o"])):
        return [Slot("prefers", clip(match["v"]) or "", more=(("over", other),))]
    return _one("prefers", clip(_unto(clause.rest)))


def _have(clause: Clause) -> list[Slot]:
    rest, found = re.sub(r"^(?:got|now|also|just) ", "", clause.rest), list[Slot]()
    if clause.tense in ("wish", "past") and not clause.used_to:
        return []
    pet = _PET.match(rest)
    if pet:
        names = pet["names"] or pet["names2"]
        kind = clip(pet["v"]) or ""
        return [Slot("pet", f"{kind} {names}" if names else kind, more=(("name", names),) if names else ())]
    if allergy := re.match(
        r"(?:an? |some )?(?:[\w-]+ )?allerg(?:y|ies) to (.+)|(?:an? )?(?:severe |bad )?(\w+) allergy\b",
        rest,
        re.IGNORECASE,
    ):
        return _many("allergic_to", allergy[1] or allergy[2])
    if family := _FAMILY.match(rest):
        found += _one("family", family["v"])
    return found


def _use(clause: Clause) -> list[Slot]:
    if clause.tense in ("wish", "past") and not clause.used_to:
        return []
    text = re.split(r" (?:to|for|as|at|on|in|with|when) (?=\w)", clause.rest, maxsplit=1)[0]
    found = _many("uses", text)
    if instead := re.search(r"instead of (.+)", clause.rest):
        found += [Slot("uses", v, negative=True, changed=True) for v in parts(instead[1])[:1]]
    return found


def _switch(clause: Clause) -> list[Slot]:
    match = _TO_TOOL.match(clause.rest)
    if not match or clause.tense in ("future", "wish"):
        return []
    new, found = clip(re.split(r" (?:for|as|at|on|in|last|this) (?=\w)", match["new"])[0]), list[Slot]()
    found += _one("uses", new, changed=True)
    old = clip(match["old"]) if match["old"] else None
    return found + ([Slot("uses", old, negative=True, changed=True)] if old else [])


def _stop(clause: Clause) -> list[Slot]:
    """stopped drinking coffee; quit Northwind; gave up smoking."""
    rest = _after(clause.rest, "up") or clause.rest
    if clause.tense in ("wish", "future"):
        return []
    inner = clause_of("is " + rest, _NOBODY)
    if inner.progressive and inner.verb in _RULES:
        return [s._replace(negative=True, changed=True) for s in _RULES[inner.verb](inner._replace(tense="present"))]
    org = re.match(rf"(?:my job at |my position at )?(?P<v>{_PROPER})", rest)
    return [Slot("works_at", org["v"], True, True, True)] if org and clause.verb in ("quit", "leave") else []


def _turn(clause: Clause) -> list[Slot]:
    age = re.match(rf"(?:(?P<v>{_NUMBER}))\b(?! (?:it|the|off|degrees|minutes|times))", clause.rest, re.IGNORECASE)
    if not age:
        return []
    happened = clause.tense in ("past", "perfect") or "today" in clause.rest
    return (
        [Slot("age", age["v"], single=True, changed=True)]
        if happened
        else _one("plans", clip("turning " + clause.rest, True))
    )


def _adopt(clause: Clause) -> list[Slot]:
    pet = _PET.match(re.sub(r"^(?:myself|us|me) ", "", clause.rest))
    return _have(clause._replace(tense="present")) if pet and clause.tense in ("past", "perfect") else []


def _take(clause: Clause) -> list[Slot]:
    """always takes the aisle seat: what somebody chooses every time."""
    always = re.match(r"(?:the|an?) .+", clause.rest) and clause.always and clause.tense == "present"
    return _one("prefers", clip(clause.rest)) if always else []


def _join(clause: Clause) -> list[Slot]:
    text = re.sub(r"^(?:working |a new job |my new job |a job |new )*(?:at |with |for )?", "", clause.rest)
    org = re.match(rf"(?:the )?(?P<v>{_PROPER})(?P<t> (?:project|team))?", text)
    if (
        not org
        or clause.tense in ("future", "wish")
        or (clause.verb == "start" and not re.match(r"(?:working|a (?:new )?job|my new job|at)\b", clause.rest))
    ):
        return []
    return _one("works_on" if org["t"] else "works_at", org["v"], True)


def _become(clause: Clause) -> list[Slot]:
    text = re.sub(r"^(?:promoted )?to ", "", clause.rest)
    role = ROLE.match(text)
    return _one("role", clip((role["role"] + role["of"]) if role else ""), True, True) if role else []


def _verb(attribute: str, many: bool = True, present: bool = True) -> Callable[[Clause], list[Slot]]:
    def rule(clause: Clause) -> list[Slot]:
        if clause.tense == "wish" or (present and clause.tense in ("past", "future") and not clause.used_to):
            return []
        return _many(attribute, clause.rest) if many else _one(attribute, clip(clause.rest))

    return rule


def _speak(clause: Clause) -> list[Slot]:
    if clause.tense in ("past", "wish") or not re.match(
        r"(?:a (?:bit|little) (?:of )?|some |fluent |no )*[A-Z]", clause.rest
    ):
        return []
    return _one("speaks", span_of(clause.rest))


def _want(clause: Clause) -> list[Slot]:
    verb = "plans" if clause.verb in ("plan", "intend", "go") else "wants"
    if clause.tense in ("past",) or (
        clause.verb == "go" and not (clause.progressive and clause.rest.startswith("to "))
    ):
        return _going(clause) if clause.verb == "go" else []
    return _one(verb, clip(_unto(clause.rest) if clause.verb != "go" else clause.rest[3:], True))


def _going(clause: Clause) -> list[Slot]:
    if clause.progressive and clause.tense == "present":
        return _one("plans", clip("going " + clause.rest, True))
    return []


def _open(clause: Clause) -> list[Slot]:
    if not re.search(r"\d|noon|midnight|daily|weekend|day", clause.rest) or clause.subject.sort not in (
        "thing",
        "person",
    ):
        return []
    return _one("opening_hours", clip(clause.predicate, True), True)


def _configured(clause: Clause) -> list[Slot]:
    """A number that a thing has: allows 60 requests per minute; is 30 seconds."""
    numbered = _NUMBERED.match(clause.rest)
    if not numbered or not clause.verb or clause.tense in ("past", "wish", "future", "perfect") or len(clause.verb) < 2:
        return []
    value = clip(numbered["v"], True)
    preposition = re.match(r"(on|at|in|after|with|for|from|up to|to|out|out after) (?=.*\d)", value or "")
    name = third(clause.verb)
    return _one(f"{name}_{preposition[1].replace(' ', '_')}" if preposition and name != "is" else name, value, True)


def _marry(clause: Clause) -> list[Slot]:
    who = re.match(rf"(?P<v>{_PROPER})", clause.rest)
    return _one("partner", who["v"], True) if who and clause.tense == "past" else []


_RULES: dict[str, Callable[[Clause], list[Slot]]] = {
    "be": _be, "live": _live, "reside": _live, "move": _move, "relocate": _move, "work": _work,
    **dict.fromkeys(("like", "love", "enjoy", "adore", "dig"), _like),
    **dict.fromkeys(("hate", "dislike", "detest", "loathe", "despise"), _dislike),
    "stand": _stand, "bear": _stand, "prefer": _prefer, "have": _have, "own": _verb("owns"), "use": _use, "switch": _switch,
    "migrate": _switch, "change": _switch,
    "stop": _stop, "quit": _stop, "give": _stop, "leave": _stop, "turn": _turn, "join": _join, "start": _join,
    "become": _become, "speak": _speak, "study": _verb("studies"), "learn": _verb("studies"), "play": _verb("plays"),
    "collect": _verb("collects"), "eat": _verb("eats"), "drink": _verb("drinks"), "drive": _verb("drives"),
    "teach": _verb("teaches"), "ride": _verb("rides"), "smoke": _verb("smokes"), "want": _want, "plan": _want,
    "intend": _want, "hope": _want, "go": _want, "open": _open, "close": _open, "marry": _marry,
    **dict.fromkeys(("adopt", "get", "buy", "rescue"), _adopt), **dict.fromkeys(("take", "choose", "order", "pick", "book"), _take),
}  # fmt: skip
