"""Attributes said as nouns: my name is Jo, my favourite tea is oolong, Theo is my brother, my birthday is on 3 May."""

import re

from eunoe.processors.extraction.clauses import changed
from eunoe.processors.extraction.dates import NUMBERS
from eunoe.processors.extraction.slot import ROLE, Slot
from eunoe.processors.extraction.subjects import RELATIONS
from eunoe.processors.extraction.values import clip, span_of
from eunoe.processors.extraction.verbs import words

_NAME = r"(?:(?:Dr|Prof|Mrs?|Ms)\.? )?[A-Z][\w-]*(?:['’][A-Z][\w-]*)?(?: (?:[A-Z][\w-]*|de|van|von|der|la|bin|al))*"
_FAVOURITE = re.compile(
    r"\b(?:my|our) (?:all-time |absolute |current |new )?favou?rite (?P<what>\w+(?: \w+)?) (?:is|are|was"
    r"|has always been|has to be|would be)(?: still| now| definitely| probably)? (?P<v>.+)"
    r"|(?P<v2>[^,;.]{2,40}) (?:is|are) (?:still |now |definitely |by far )?my (?:all-time "
    r"|absolute )?favou?rite (?P<what2>\w+(?: \w+)?)",
    re.IGNORECASE,
)
_NOUNS = {
    "name": "name", "full name": "name", "age": "age", "birthday": "birthday", "date of birth": "birthday",
    "email": "email", "e-mail": "email", "email address": "email", "phone": "phone", "phone number": "phone",
    "number": "phone", "timezone": "timezone", "time zone": "timezone", "address": "address", "job": "role",
    "job title": "role", "title": "role", "profession": "role", "hometown": "from", "native language": "speaks",
    "mother tongue": "speaks", "first language": "speaks", "editor": "uses", "diet": "diet",
    "shoe size": "shoe_size", "blood type": "blood_type", "pronouns": "pronouns", "hobby": "likes",
    "hobbies": "likes", "team": "works_on", "project": "works_on", "employer": "works_at", "company": "works_at",
    "nickname": "nickname", "username": "username", "handle": "username", "laptop": "laptop",
    "work laptop": "laptop", "car": "car", "anniversary": "anniversary", "surname": "surname",
}  # fmt: skip
_MANY = frozenset(("uses", "likes", "speaks"))
_NOUN = re.compile(
    rf"\bmy (?P<new>new |current |old )?(?P<what>{'|'.join(sorted(_NOUNS, key=len, reverse=True))}) (?:is"
    rf"|are|['’]s)(?: now| still)? (?P<v>.+)|\bmy (?P<what3>name)['’]s (?P<v3>.+)",
    re.IGNORECASE,
)
_I_AM = re.compile(
    rf"^(?:I['’]m|I am|[Tt]his is|[Nn]ame['’]?s|[Cc]all me) (?P<v>{_NAME})(?=[,.!;]|$| (?:and|from|here"
    rf"|by)\b)(?:,? (?:and )?(?:I['’]m )?(?:an? "
    rf"|the )?(?P<role>[a-z][\w /-]{{2,40}}?) at (?P<org>[A-Z][\w&.-]*(?: [A-Z][\w&.-]*)*))?"
)
_HERE = re.compile(rf"^(?P<v>{_NAME}) here\b(?:, (?P<full>[A-Z][\w-]*(?: [A-Z][\w-]*)+))?")
_MADE = re.compile(
    r"\b(?:made me|promoted me to|i(?: just)? (?:got|was|have been|am)(?: just)? promoted to|i['’](?:m"
    r"|ve)(?: just)?(?: been)? promoted to|appointed me|(?:my )?new (?:job"
    r"|role|position) is(?: as)?|i became"
    r"|i['’]ve become) (?P<v>.{3,60})",
    re.IGNORECASE,
)
_YEARS_BARE = re.compile(
    r"^(?:exactly |almost |over |nearly |about )?(?P<v>(?P<n>\d{1,2}|[a-z]+) years? (?:at|with) "
    r"(?-i:[A-Z][\w&.-]*(?: [A-Z][\w&.-]*)*))",
    re.IGNORECASE,
)
_RELATED = re.compile(rf"^(?P<n>{_NAME}) (?:is|['’]s) my (?P<r>(?:\w+ )?(?:{RELATIONS}))\b")
_CALLED = re.compile(
    rf"\bmy (?P<r>(?:\w+ )?(?:{RELATIONS}))(?:['’]s name is| is called| is named) (?P<n>{_NAME})", re.IGNORECASE
)
_ZONE = re.compile(
    r"\b(?:I['’]m|I am|we['’]re|we are) (?:in|on) (?:the )?(?P<v>(?:[A-Z]{2,5}T?(?:[+-]\d{1,2})?"
    r"|UTC[+-]?\d{0,2}|[A-Z]\w+)(?: time(?: ?zone)?)|[A-Z]{2,4}T|UTC[+-]\d{1,2})\b"
)
_NOT_NAMES = words(
    "English German French Spanish Italian Chinese Japanese Korean Dutch Norwegian Swedish Danish Finnish"
    " Polish Portuguese Russian Ukrainian Turkish Greek American British Canadian Australian Indian Irish"
    " Scottish Welsh Brazilian Mexican Catholic Muslim Jewish Hindu Buddhist Christian Vegan Vegetarian"
    " Monday Tuesday Wednesday Thursday Friday Saturday Sunday OK CEO CTO From In At On Not Allergic"
    " Scorpio Leo Virgo Libra Gemini Taurus Aries Pisces Cancer Aquarius Capricorn Sagittarius"
)


def favourite_slots(text: str) -> list[Slot]:
    """favourite_<what>, one value at a time."""
    match = _FAVOURITE.search(text)
    if not match:
        return []
    what = (match["what"] or match["what2"]).lower().replace(" ", "_")
    value = clip(match["v"] or match["v2"])
    return [Slot(f"favourite_{what}", value, single=True, changed=changed(text))] if value else []


def own_attribute(text: str, voice: str) -> list[tuple[Slot, str | None]]:
    """Slots of `my <noun> is`, `I'm <Name>`, `<Name> is my brother`, each with whom it is about."""
    low = text.lower()
    mine = "my " in low
    if mine and (match := _NOUN.search(text)) and (slot := _noun(match, text)):
        return [(slot, voice)]
    if match := _I_AM.match(text):
        return [(slot, voice) for slot in _introduced(match)]
    if match := _HERE.match(text):
        return [(Slot("name", match["full"] or match["v"], single=True), voice)]
    if (
        (" me" in low or "promot" in low or "new " in low or "becom" in low or "became" in low)
        and (match := _MADE.search(text))
        and (role := _role(match["v"]))
    ):
        return [(Slot("role", role, single=True, changed=True), voice)]
    if match := _YEARS_BARE.match(text):
        count = match["n"].lower()
        number = count if count.isdigit() else str(NUMBERS.get(count, ""))
        return [(Slot("years_at", match["v"], single=True, more=(("number", number),)), voice)] if number else []
    if mine and (match := _RELATED.match(text)):
        return [(Slot("relation", f"{match['r'].lower()} of {voice}"), match["n"])]
    if mine and (match := _CALLED.search(text)) and match["n"][0].isupper():
        return [(Slot("name", match["n"], single=True), f"{voice}'s {match['r'].lower()}")]
    if match := _ZONE.search(text):
        return [(Slot("timezone", match["v"], single=True, changed=changed(text)), voice)]
    return []


def _noun(match: re.Match[str], text: str) -> Slot | None:
    attribute = _NOUNS[(match["what"] or match["what3"]).lower()]
    said = match["v"] or match["v3"]
    value = (
        span_of(said) if attribute == "speaks" else _contact(said) if attribute in ("email", "phone") else clip(said)
    )
    if attribute == "birthday" and value:
        value = re.sub(r"^on ", "", value)
    if attribute in ("works_on", "works_at", "name") and value and not value[0].isupper():
        return None
    return (
        Slot(attribute, value, single=attribute not in _MANY, changed=changed(text) or (match["new"] or "") == "new ")
        if value
        else None
    )


def _role(text: str) -> str | None:
    match = ROLE.match(text)
    return clip(match["role"] + match["of"]) if match else None


def _contact(said: str) -> str | None:
    match = re.match(r"[\w.+-]{1,64}@[\w.-]{1,80}\w|\+?[\d][\d ()/-]{4,20}\d", said)
    return match[0] if match else None


def _introduced(match: re.Match[str]) -> list[Slot]:
    name = match["v"]
    if name.split()[0] in _NOT_NAMES:
        return []
    found = [Slot("name", name, single=True)]
    if match["org"]:
        found += [Slot("role", match["role"], single=True), Slot("works_at", match["org"], single=True)]
    return found
