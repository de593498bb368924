"""Typed slots from an English predicate: rules by verb, then by what follows it."""

import re
from collections.abc import Callable

from eunoe.processors.extraction.being import be
from eunoe.processors.extraction.clauses import Clause
from eunoe.processors.extraction.clauses import clause as clause_of
from eunoe.processors.extraction.slot import NUMBER, PLACE, PROPER, ROLE, YEARS, Slot, behind, one, served, several
from eunoe.processors.extraction.subjects import Subject
from eunoe.processors.extraction.values import clip, parts, span_of
from eunoe.processors.extraction.verbs import third

_NOBODY = Subject("self", None, None, 0)


_WORK = re.compile(
    rf"(?:as (?P<role>(?:an? |the )?[^,.;]{{2,50}}?))?(?:(?:^| )(?:at|for"
    rf"|with) (?P<org>(?-i:(?:the )?{PROPER})|(?:an?|the) [^,.;]{{2,40}}?))?(?=(?: (?:in|since|as|on|now"
    rf"|and|but|these|for|until|any|anymore|full|part|where|which|every|again|today)\b)|[,.;!]|$)",
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


def _live(clause: Clause) -> list[Slot]:
    place = re.search(r"(?:^|\b)(?:in|near|at) ", clause.rest[:30])
    if not place:
        return []
    named = PLACE.match(clause.rest, place.end())
    ended = clause.tense == "past" and not clause.used_to
    return [] if not named or ended else one("lives_in", named["v"], True)


def _move(clause: Clause) -> list[Slot]:
    after = re.match(
        r"(?:back |over |here |house |out )*(?:from (?P<old>.{1,50}?) )?to (?P<new>.+)", clause.rest, re.IGNORECASE
    )
    if not after or clause.tense in ("wish",):
        return []
    new = after["new"]
    project = re.match(
        rf"(?:the |our )?(?P<v>(?-i:{PROPER}))(?: (?:project|team|squad|group|department|unit))\b|(?:the "
        rf"|a )(?P<w>(?:[\w-]+ ){{0,2}}(?:project|team|squad|department))\b",
        new,
        re.IGNORECASE,
    )
    if clause.progressive or clause.tense == "future":
        return one("plans", clip("moving to " + new, True))
    if project:
        return one("works_on", project["v"] or project["w"], True, True)
    old = (after["old"] or "").lower()
    if "team" in old or "project" in old:
        return one("works_on", clip(new), True, True)
    place = PLACE.match(new)
    return one("lives_in", place and place["v"], True, True)


def _work(clause: Clause) -> list[Slot]:
    rest = clause.rest
    if (on := behind(rest, "on")) is not None:
        return [] if clause.tense == "past" and not clause.used_to else one("works_on", clip(on), True)
    if (home := behind(rest, "from")) is not None:
        return one("works_from", clip(home), True)
    found: list[Slot] = []
    match = _WORK.match(rest)
    past = clause.tense == "past" and not clause.used_to
    if match and not past:
        found += one("role", clip(match["role"]) if match["role"] else None, True)
        found += one("works_at", clip(match["org"]) if match["org"] else None, True)
    if clause.tense != "past" and (years := YEARS.search(rest)) and "year" in years["years"]:
        found += [s for s in served(years) if s.attribute == "years_at"]
    return found


def _like(clause: Clause) -> list[Slot]:
    if clause.tense == "wish":
        return one("wants", clip(_unto(clause.rest), True)) if clause.verb in ("like", "love") else []
    if clause.tense == "past" and not clause.used_to:
        return []
    return several("likes", _unto(clause.rest))


def _unto(rest: str) -> str:
    return re.sub(r"^(?:to |it when |how )", "", rest)


def _dislike(clause: Clause) -> list[Slot]:
    if clause.tense == "past" and not clause.used_to:
        return []
    return [s._replace(negative=True) for s in several("likes", _unto(clause.rest))]


def _stand(clause: Clause) -> list[Slot]:
    """can't stand, can't bear."""
    return several("likes", clause.rest) if clause.can and clause.negative else []


def _prefer(clause: Clause) -> list[Slot]:
    match = re.match(r"(?P<v>.+?) (?:over|to|rather than|instead of|more than) (?P<o>.+)", _unto(clause.rest))
    if match and clip(match["v"]) and (other := clip(match["o"])):
        return [Slot("prefers", clip(match["v"]) or "", more=(("over", other),))]
    return one("prefers", clip(_unto(clause.rest)))


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
        return several("allergic_to", allergy[1] or allergy[2])
    if family := _FAMILY.match(rest):
        found += one("family", family["v"])
    return found


def _use(clause: Clause) -> list[Slot]:
    if clause.tense in ("wish", "past") and not clause.used_to:
        return []
    text = re.split(r" (?:to|for|as|at|on|in|with|when) (?=\w)", clause.rest, maxsplit=1)[0]
    found = several("uses", text)
    if instead := re.search(r"instead of (.+)", clause.rest):
        found += [Slot("uses", v, negative=True, changed=True) for v in parts(instead[1])[:1]]
    return found


def _switch(clause: Clause) -> list[Slot]:
    match = _TO_TOOL.match(clause.rest)
    if not match or clause.tense in ("future", "wish"):
        return []
    new, found = clip(re.split(r" (?:for|as|at|on|in|last|this) (?=\w)", match["new"])[0]), list[Slot]()
    found += one("uses", new, changed=True)
    old = clip(match["old"]) if match["old"] else None
    return found + ([Slot("uses", old, negative=True, changed=True)] if old else [])


def _stop(clause: Clause) -> list[Slot]:
    """stopped drinking coffee; quit Northwind; gave up smoking."""
    rest = behind(clause.rest, "up") or clause.rest
    if clause.tense in ("wish", "future"):
        return []
    inner = clause_of("is " + rest, _NOBODY)
    if inner.progressive and inner.verb in _RULES:
        return [s._replace(negative=True, changed=True) for s in _RULES[inner.verb](inner._replace(tense="present"))]
    org = re.match(rf"(?:my job at |my position at )?(?P<v>{PROPER})", rest)
    return [Slot("works_at", org["v"], True, True, True)] if org and clause.verb in ("quit", "leave") else []


def _turn(clause: Clause) -> list[Slot]:
    age = re.match(rf"(?:(?P<v>{NUMBER}))\b(?! (?:it|the|off|degrees|minutes|times))", clause.rest, re.IGNORECASE)
    if not age:
        return []
    happened = clause.tense in ("past", "perfect") or "today" in clause.rest
    return (
        [Slot("age", age["v"], single=True, changed=True)]
        if happened
        else one("plans", clip("turning " + clause.rest, True))
    )


def _adopt(clause: Clause) -> list[Slot]:
    if clause.rest.startswith("promoted to "):
        return be(clause)
    pet = _PET.match(re.sub(r"^(?:myself|us|me) ", "", clause.rest))
    return _have(clause._replace(tense="present")) if pet and clause.tense in ("past", "perfect") else []


def _take(clause: Clause) -> list[Slot]:
    """always takes the aisle seat: what somebody chooses every time."""
    always = re.match(r"(?:the|an?) .+", clause.rest) and clause.always and clause.tense == "present"
    return one("prefers", clip(clause.rest)) if always else []


def _join(clause: Clause) -> list[Slot]:
    text = re.sub(r"^(?:working |a new job |my new job |a job |new )*(?:at |with |for )?", "", clause.rest)
    org = re.match(rf"(?:the )?(?P<v>{PROPER})(?P<t> (?:project|team))?", text)
    if (
        clause.subject.sort == "thing"
        or not org
        or not org["v"][0].isalpha()
        or clause.tense in ("future", "wish")
        or (clause.verb == "start" and not re.match(r"(?:working|a (?:new )?job|my new job|at)\b", clause.rest))
    ):
        return []
    return one("works_on" if org["t"] else "works_at", org["v"], True)


def _become(clause: Clause) -> list[Slot]:
    text = re.sub(r"^(?:promoted )?to ", "", clause.rest)
    role = ROLE.match(text)
    return one("role", clip((role["role"] + role["of"]) if role else ""), True, True) if role else []


def _verb(attribute: str, many: bool = True, present: bool = True) -> Callable[[Clause], list[Slot]]:
    def rule(clause: Clause) -> list[Slot]:
        if clause.tense == "wish" or (present and clause.tense in ("past", "future") and not clause.used_to):
            return []
        return several(attribute, clause.rest) if many else one(attribute, clip(clause.rest))

    return rule


def _speak(clause: Clause) -> list[Slot]:
    if clause.tense in ("past", "wish") or not re.match(
        r"(?:a (?:bit|little) (?:of )?|some |fluent |no )*[A-Z]", clause.rest
    ):
        return []
    return one("speaks", span_of(clause.rest))


def _want(clause: Clause) -> list[Slot]:
    verb = "plans" if clause.verb in ("plan", "intend", "go") else "wants"
    if clause.tense in ("past",) or (
        clause.verb == "go" and not (clause.progressive and clause.rest.startswith("to "))
    ):
        return _going(clause) if clause.verb == "go" else []
    return one(verb, clip(_unto(clause.rest) if clause.verb != "go" else clause.rest[3:], True))


def _going(clause: Clause) -> list[Slot]:
    if clause.progressive and clause.tense == "present":
        return one("plans", clip("going " + clause.rest, True))
    return []


def _open(clause: Clause) -> list[Slot]:
    if not re.search(r"\d|noon|midnight|daily|weekend|day", clause.rest) or clause.subject.sort not in (
        "thing",
        "person",
    ):
        return []
    return one("opening_hours", clip(clause.predicate, True), True)


def _configured(clause: Clause) -> list[Slot]:
    """A number that a thing has: allows 60 requests per minute; is 30 seconds."""
    numbered = _NUMBERED.match(clause.rest)
    if (
        not numbered
        or clause.verb in ("", "say", "time", "tell", "ask", "think", "mean")
        or clause.tense in ("past", "wish", "future", "perfect")
        or len(clause.verb) < 2
    ):
        return []
    value = clip(numbered["v"], True)
    preposition = re.match(r"(on|at|in|after|with|for|from|up to|to|out|out after) (?=.*\d)", value or "")
    name = third(clause.verb)
    return one(f"{name}_{preposition[1].replace(' ', '_')}" if preposition and name != "is" else name, value, True)


def _marry(clause: Clause) -> list[Slot]:
    who = re.match(rf"(?P<v>{PROPER})", clause.rest)
    return one("partner", who["v"], True) if who and clause.tense == "past" else []


_RULES: dict[str, Callable[[Clause], list[Slot]]] = {
    "be": be, "live": _live, "reside": _live, "move": _move, "relocate": _move, "work": _work,
    **dict.fromkeys(("like", "love", "enjoy", "adore", "dig"), _like),
    **dict.fromkeys(("hate", "dislike", "detest", "loathe", "despise"), _dislike),
    "stand": _stand, "bear": _stand, "prefer": _prefer, "have": _have, "own": _verb("owns"), "use": _use,
    "switch": _switch,
    "migrate": _switch, "change": _switch,
    "stop": _stop, "quit": _stop, "give": _stop, "leave": _stop, "turn": _turn, "join": _join, "start": _join,
    "become": _become, "speak": _speak, "study": _verb("studies"), "learn": _verb("studies"), "play": _verb("plays"),
    "collect": _verb("collects"), "eat": _verb("eats"), "drink": _verb("drinks"), "drive": _verb("drives"),
    "teach": _verb("teaches"), "ride": _verb("rides"), "smoke": _verb("smokes"), "want": _want, "plan": _want,
    "intend": _want, "hope": _want, "go": _want, "open": _open, "close": _open, "marry": _marry,
    **dict.fromkeys(("adopt", "get", "buy", "rescue"), _adopt),
    **dict.fromkeys(("take", "choose", "order", "pick", "book"), _take),
}  # fmt: skip
