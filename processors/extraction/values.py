"""Values of slots: the source's words, cut where the value ends."""

import re

from eunoe.processors.extraction.verbs import AUXILIARIES, BASES, is_past, words

_END = re.compile(
    r"[;!?()…]|:(?!\d)|(?<!Dr)(?<!Mr)(?<!Ms)(?<!Mrs)(?<!St)\.(?=\s|$)|, |\s[-–—]\s"
    r"|,? \b(?:but|because|cause|cuz|since|so|when|while|which|who|where|although|though|unless|if"
    r"|whenever|thanks to|due to"
    r"|as (?:i|it|well|we|he|she|you|long|soon)|after|before|until|till|once|by the way|btw|at the moment"
    r"|right now|these days|any ?more|any longer|nowadays"
    r"|now|here|too|again|already|anyway|lately|a lot|very much|so much|the most|most of all|more than anything"
    r"|though|instead|except|that|this (?:week|month|year|morning|afternoon|evening)"
    r"|and (?:i|we|he|she|they|it|my|also|then|so|that|not|never|no|always)|and (?:his|her) \w+ (?:is|are)"
    r"|every (?:day|morning|evening|night|week|month|year|time|\w+day)"
    r"|for (?:years|months|ages|a while|now|\w+ (?:years|months|weeks|days))|instead of|rather than)\b",
    re.IGNORECASE,
)
_HARD_END = re.compile(
    r"[;!?()…]|:(?!\d)|(?<!Dr)(?<!Mr)(?<!Ms)(?<!Mrs)(?<!St)\.(?=\s|$)|\s[-–—]\s"
    r"|,? \b(?:but|because|since|so|when|while|which|who|where|although|though|unless|if|whenever"
    r"|by the way|btw|at the moment|right now|these days|any ?more|any longer|nowadays"
    r"|now|here|too|again|anyway|lately|a lot|very much|so much|instead of|rather than|except|after|before"
    r"|until|that)\b",
    re.IGNORECASE,
)
_JOINT = re.compile(r",? (?:and|or|&) |, ")
_LISTED = re.compile(r" (?:and|or|&) ")
_ARTICLE = re.compile(r"^(?:the|a|an|some|any|my|our|his|her|their|to) (?=\S)", re.IGNORECASE)
_EMPTY = words(
    "it that this them these those him her me us you one ones something anything everything nothing so to"
    " there here what how all"
)
_NOT_A_PART = words(
    "i we he she they it you never not but so which that who learned always no don't also then my his her"
    " their our because especially only just even both maybe thanks please by in on at from with for the"
)
_EDGES = " \t\n.,;:!?\"“”()'’‘"
LONGEST = 160


def clip(text: str, keep_article: bool = False) -> str | None:
    """The value at the start of a text; None when nothing telling is there."""
    text = text.strip()
    match = _END.search(text)
    value = (text[: match.start()] if match else text).strip(_EDGES)
    if not keep_article:
        value = _ARTICLE.sub("", value)
    if not value or len(value) > LONGEST or value.lower() in _EMPTY:
        return None
    return value


def parts(text: str) -> list[str]:
    """The members of a list at the start of a text: `hiking, sushi and jazz`. One value when it isn't a list."""
    match = _HARD_END.search(text)
    whole = (text[: match.start()] if match else text).strip(_EDGES)
    pieces = _JOINT.split(whole)
    if not _LISTED.search(whole):
        pieces = pieces[:1]
    if len(pieces) == 1:
        value = clip(text)
        return [value] if value else []
    found: list[str] = []
    for place, piece in enumerate(pieces):
        words = piece.split()
        if place and not _fits(words):
            break
        value = clip(piece)
        if value is None:
            break
        found.append(value)
        if len(words) > 5:
            break
    return found


def span_of(text: str) -> str | None:
    """The same list as one value, as it stands in the text."""
    found = parts(text)
    if not found:
        return None
    start = text.find(found[0])
    end = text.find(found[-1], start) + len(found[-1])
    return text[start:end]


def _fits(words: list[str]) -> bool:
    if not words or len(words) > 4:
        return False
    if any(word.lower() in AUXILIARIES or is_past(word.lower()) for word in words):
        return False
    first = words[0].lower().replace("’", "'")
    return first.split("'")[0] not in _NOT_A_PART and not (len(words) > 1 and (first in BASES or is_past(first)))
