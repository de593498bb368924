"""An English clause taken apart: subject, adverbs, negation, tense, verb, and what follows it."""

import re
from typing import NamedTuple

from eunoe.processors.extraction.rewrite import ADVERBS
from eunoe.processors.extraction.subjects import Subject
from eunoe.processors.extraction.verbs import AUXILIARIES, MODALS, is_past, lemma

_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_TAILS = {"m": "am", "s": "is", "re": "are", "ve": "have", "ll": "will", "d": "would"}
_CHANGED = re.compile(
    r"\b(?:no longer|any ?more|not any longer|now|nowadays|these days|used to|switch(?:ed|ing)? (?:from|to|over)|moved"
    r"|stopped|quit|gave up|given up|instead of|turned \d+|turned (?:[a-z]+teen|[a-z]*ty(?:-[a-z]+)?)"
    r"|since (?:yesterday|today|last|this)"
    r"|from (?:now|today) on|as of (?:now|today|\w+day|next)|changed|became|promoted|not live in [^,]+ any)\b",
    re.IGNORECASE,
)
_NOT_NOW = re.compile(
    r"\b(?:right now|just now|by now|years? now|months now|weeks now|until now|till now|up to now|for now)\b",
    re.IGNORECASE,
)
_ENDED = re.compile(r"\b(?:no longer|any ?more|any longer)\b", re.IGNORECASE)
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|i think|i guess|i believe|probably|not sure|might|i suppose|apparently|supposedly)\b",
    re.IGNORECASE,
)


class Clause(NamedTuple):
    """verb: base form, '' where none was found. rest: what follows it, at `rest_start` of the clause's text.

    tense: past, present, perfect, future or wish. progressive: be + -ing. predicate: from the verb on.
    """

    subject: Subject
    verb: str
    rest: str
    predicate: str
    negative: bool
    changed: bool
    tense: str
    progressive: bool = False
    used_to: bool = False
    can: bool = False
    always: bool = False

    @property
    def past(self) -> bool | None:
        """Which way an unclear date lies; None for the present."""
        return {"past": True, "perfect": True, "future": False, "wish": False}.get(self.tense)


def changed(text: str) -> bool:
    """Whether the words say that something is no more as it was."""
    return bool(_CHANGED.search(text)) and not (_NOT_NOW.search(text) and not _ENDED.search(text))


def hedged(text: str) -> bool:
    """maybe, I think, probably."""
    return bool(_HEDGE.search(text))


class _Reading:
    """State of reading a verb group, word by word."""

    def __init__(self, tail: str) -> None:
        self.aux = [_TAILS[tail]] if tail in _TAILS else []
        self.negative = self.used_to = self.can = self.always = False
        self.tense = "present"

    def auxiliary(self, word: str) -> None:
        self.aux.append(word)
        if word in ("was", "were", "did", "had"):
            self.tense = "past"
        elif word in ("will", "shall"):
            self.tense = "future"
        elif word in ("would", "could", "might"):
            self.tense = "wish"
        self.can = self.can or word in ("can", "could", "cannot")


def clause(text: str, who: Subject) -> Clause:
    """The clause whose subject was read; `text` is the whole clause."""
    state = _Reading(who.tail)
    if state.aux:
        tail = state.aux.pop()
        state.auxiliary(tail)
    place, verb, start = who.end, "", len(text)
    for match in _TOKEN.finditer(text, who.end, who.end + 160):
        if text[place : match.start()].strip(" ,"):
            break
        word = match[0].lower().replace("’", "'")
        place = match.end()
        kind = _kind(word, text, match.end(), state)
        if kind == "skip":
            continue
        if kind == "verb":
            verb, start = lemma(word) or word, match.start()
        elif state.aux and kind == "other":
            place = match.start()
        break
    return _made(text, who, state, verb, start, place)


def _kind(word: str, text: str, end: int, state: _Reading) -> str:
    """skip (auxiliary, adverb, negation), verb, or other."""
    base = word[:-3] if word.endswith("n't") else word
    if word == "cannot" or (word.endswith("n't") and (base in AUXILIARIES or base in ("ca", "wo"))):
        state.negative = True
        state.auxiliary({"ca": "can", "wo": "will", "cannot": "can"}.get(base, base))
        return "skip"
    state.always = state.always or word == "always"
    if word in ("not", "never", "hardly", "rarely", "seldom"):
        state.negative = True
        return "skip"
    if (word == "no" and text[end : end + 7] == " longer") or word == "longer":
        state.negative = True
        return "skip"
    if word in ("used", "use") and text[end : end + 4] == " to " and "am" not in state.aux and not state.used_to:
        state.used_to, state.tense = True, "past"
        return "skip"
    if (word == "to" and state.used_to) or word in ADVERBS or word == "longer":
        return "skip"
    if word in AUXILIARIES:
        return _auxiliary(word, text, end, state)
    if lemma(word) is not None:
        return "verb"
    return "verb" if not state.aux and (is_past(word) or (word.endswith("s") and len(word) > 3)) else "other"


def _auxiliary(word: str, text: str, end: int, state: _Reading) -> str:
    """have and do are verbs of their own unless another verb follows."""
    if word in ("have", "has", "had", "do", "does", "did"):
        following = [m[0].lower() for m in _TOKEN.finditer(text, end, end + 40)][:4]
        following = [w for w in following if w not in ADVERBS and w not in ("not", "never")]
        helps = bool(following) and (
            _participle(following[0]) if word.startswith("ha") else lemma(following[0]) == following[0]
        )
        if not helps:
            if word in ("had", "did"):
                state.tense = "past"
            return "verb"
    state.auxiliary(word)
    return "skip"


def _participle(word: str) -> bool:
    return (
        word in ("been", "done", "got")
        or is_past(word)
        or word in ("put", "read", "run", "become", "come", "cut", "set", "quit")
    )


def _made(text: str, who: Subject, state: _Reading, verb: str, start: int, place: int) -> Clause:
    progressive = False
    aux = state.aux
    if verb:
        word = _TOKEN.match(text, start)
        form = word[0].lower() if word else verb
        rest_start = word.end() if word else len(text)
        be = bool(aux) and aux[-1] in ("am", "is", "are", "was", "were", "be", "been")
        progressive = be and form.endswith("ing")
        if verb == "get" and aux and aux[-1] in ("have", "has") and form == "got":
            verb, aux, form = "have", [], "have"  # have got
        if be and not progressive:
            verb, rest_start = "be", start  # a passive or an adjective: assigned to, married
        elif not aux and is_past(form):
            state.tense = "past"
    else:
        rest_start = place
        verb = (
            {"am": "be", "is": "be", "are": "be", "was": "be", "were": "be", "been": "be"}.get(aux[-1], aux[-1])
            if aux
            else ""
        )
        verb = "" if verb in MODALS else verb
        start = rest_start
    if aux and aux[0] in ("have", "has", "had") and (len(aux) > 1 or verb != "have") and state.tense != "wish":
        state.tense = "perfect"
    rest = text[rest_start:].strip()
    negative = state.negative or state.used_to
    change = changed(text) or state.used_to
    return Clause(
        who,
        verb,
        rest,
        text[start:].strip(),
        negative,
        change,
        state.tense,
        progressive,
        state.used_to,
        state.can,
        state.always,
    )
