"""Whom an English text names, and whom a pronoun may mean."""

import re
from collections.abc import Sequence

from eunoe.processors.extraction.draft import Person
from eunoe.processors.extraction.subjects import HE, RELATIONS, SHE
from eunoe.processors.extraction.verbs import words

_MINE = re.compile(
    rf"(?:my|our) (?:\w+ ){{0,2}}?(?P<relation>{RELATIONS})\b(?:,? (?:called |named )?(?P<name>(?-i:[A-Z][\w-]+)))?",
    re.IGNORECASE,
)
_PETS = re.compile(
    r"\b(?:have|adopted|got|own|bought|rescued) an? (?:[\w-]+ ){0,2}?(?P<kind>dog|cat|puppy|kitten|parrot"
    r"|rabbit|hamster|horse|tortoise"
    r"|budgie|greyhound|labrador|beagle)\b(?! (?:called|named))"
)
_NAMED = re.compile(
    r"\b(?:for|with|and|ask|tell|told|met|meet|than|(?:them|it|that|this|talked?|spoke|gave|give|said"
    r"|thanks) to|saw|visit|about|invite[ds]?)"
    r" (?P<name>[A-Z][a-zà-ɏ]+)\b(?! [A-Z])"
)
_DOES = re.compile(
    r"(?:^|[.!?;,] |\b(?:that|but|because|since) )(?P<name>[A-Z][a-zà-ɏ]+)(?: [A-Z][a-zà-ɏ]+)?"
    r"(?:['’]s)? (?:is|has|was|will|can|might|would|said|says|asked|thinks|wants|told|\w{2,}ed|[a-z]{2,}s)\b"
)
_NOBODY = words(
    "The This That These Those There It He She They We You And"
    " But So If When What Who Why How Where Which My Our Your His"
    " Her Its Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April June July August"
    " September October November December Actually Maybe Sometimes Today Tomorrow Yesterday Last Next Yes No Ok Okay"
    " Everyone Everything Nobody Nothing Someone English French German Spanish Chinese Japanese Then Also Well Not"
)


def people(text: str, voice: str) -> list[Person]:
    """Relatives, friends and pets of the speaker, then other names, in the order of the text."""
    low = text.lower()
    found: list[tuple[int, Person]] = []
    if "my " in low or "our " in low:
        for match in _MINE.finditer(text):
            relation = match["relation"].lower()
            if relation in ("team", "parents", "kids", "children"):
                continue
            about = match["name"] or f"{voice}'s {relation}"
            found.append((match.start(), Person(about, gender(relation), f"{relation} of {voice}")))
    found += [
        (m.start(), Person(f"{voice}'s {m['kind']}", None, f"{m['kind']} of {voice}")) for m in _PETS.finditer(text)
    ]
    known = {person.about for _, person in found}
    for pattern in (_NAMED, _DOES):
        for match in pattern.finditer(text):
            if match["name"] not in _NOBODY and match["name"] not in known and match["name"] != voice:
                found.append((match.start(), Person(match["name"], None)))
    return [person for _, person in sorted(found, key=lambda one: one[0])]


def gender(relation: str | None) -> str | None:
    """he, she or unknown, by the word for the relation."""
    told = (relation or "").lower().split(" of ")[0].split()
    return "she" if any(w in SHE for w in told) else "he" if any(w in HE for w in told) else None


def meant(pronoun: str, *groups: Sequence[Person]) -> Person | None:
    """Whom he, she or they means: the last that fits surely, else the last that may, nearest group first."""
    for group in groups:
        for sure in (True, False):
            for person in reversed(group):
                if person.gender == pronoun if sure else person.gender is None or pronoun == "they":
                    return person
    return None
