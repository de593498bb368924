"""Who or what an English clause speaks of: the speaker, a relative, a named person, a thing."""

import re
from typing import Literal, NamedTuple

from eunoe.processors.extraction.rewrite import ADVERBS
from eunoe.processors.extraction.verbs import AUXILIARIES, BASES, is_past, lemma, words

Sort = Literal["self", "we", "person", "thing", "pronoun", "none"]

_RELATIONS = (
    "mother|mom|mum|mama|father|dad|papa|parents|brother|sister|siblings?|wife|husband|spouse|partner"
    "|fianc[eé]e?|girlfriend"
    "|boyfriend|son|daughter|kids?|child|children|baby|twins|grandmother|grandma|granny|grandfather"
    "|grandpa|grandparents|aunt"
    "|uncle|cousin|niece|nephew|stepmother|stepfather|stepson|stepdaughter|mother-in-law|father-in-law|brother-in-law"
    "|sister-in-law|in-laws|roommate|flatmate|housemate|neighbou?r|friend|best friend|colleague|coworker"
    "|co-worker|teammate|boss"
    "|manager|team lead|mentor|teacher|coach|therapist|doctor|dentist|landlord|landlady|accountant|lawyer"
    "|assistant|client"
    "|customer|ex|ex-wife|ex-husband|dog|cat|puppy|kitten|parrot|rabbit|hamster|horse|tortoise|budgie"
    "|godson|goddaughter|team"
)
RELATIONS = "|".join(sorted(_RELATIONS.split("|"), key=len, reverse=True))
SHE = words(
    "mother mom mum mama sister wife fiancée girlfriend daughter grandmother grandma granny aunt niece"
    " stepmother stepdaughter mother-in-law sister-in-law landlady ex-wife goddaughter"
)
HE = words(
    "father dad papa brother husband boyfriend son grandfather grandpa uncle nephew stepfather stepson"
    " father-in-law brother-in-law landlord ex-husband godson fiancé"
)
_ADJECTIVES = (
    r"(?:(?:older|younger|elder|eldest|oldest|youngest|big|little|best|old|new|late|twin|dear|other|middle"
    r"|former|own|good|close|childhood) )*"
)
_NAME = r"(?:(?:Dr|Prof|Mrs?|Ms)\.? )?[A-Z][\w-]*(?:['’][A-Z][\w-]*)?(?: [A-Z][\w-]*){0,2}"
_MY = re.compile(
    rf"(?:my|our) (?P<adjective>{_ADJECTIVES})(?P<relation>(?i:{RELATIONS}))\b,?(?: (?:called "
    rf"|named )?(?P<name>(?-i:{_NAME}))\b,?)?"
    rf"(?P<tail>['’]s)?(?: (?P<second>(?:{_ADJECTIVES})(?:{RELATIONS}))\b(?P<tail2>['’]s)?(?: (?P<name2>(?-"
    rf"i:{_NAME}))\b)?)?",
    re.IGNORECASE,
)
_SELF = re.compile(r"I(?:['’](?P<tail>m|ve|ll|d))?(?![\w'’])|i(?:['’](?P<tail2>m|ve|ll|d))?(?= )")
_AND_I = re.compile(rf"(?:[Mm]y {_ADJECTIVES}(?:{RELATIONS})(?: {_NAME})?|{_NAME}) and (?:I|me)\b")
_WE = re.compile(r"[Ww]e(?:['’](?P<tail>re|ve|ll|d))?(?![\w'’])")
_PRONOUN = re.compile(
    r"(?P<who>[Hh]e|[Ss]he|[Tt]hey|[Ii]t|[Tt]hat|[Tt]his|[Tt]here|[Tt]hese|[Tt]hose)(?:['’](?P<tail>s|re"
    r"|ve|ll|d))?(?![\w'’])"
)
_NAMED = re.compile(rf"(?P<name>{_NAME})(?:['’](?P<tail>s|ll|d))?(?![\w'’])")
_OWNED = re.compile(
    rf"(?P<owner>{_NAME})['’]s (?P<adjective>{_ADJECTIVES})(?P<relation>{RELATIONS})\b(?: (?P<name>{_NAME})"
    rf"\b)?(?P<tail>['’]s)?"
)
_WORD = re.compile(r"[^\W_][\w.+#/@-]*(?:['’]\w+)?|[,;:()]")
_DETERMINERS = words("the our my your his her their its a an each every all this that these those both some most")
# said without `my`, they are the speaker's own
_AT_HOME = words("mum mom mama dad papa grandma granny grandpa")
_PREPOSITIONS = words("after before according during since with for from in on at by without until because if when")
_STOPS = words(", ; : ( ) that which who because if when")
_ISNT_NAME = words(
    "The A An My Our Your His Her Their Its This That These Those There It He She They We I You If When"
    " While Because So But And Or No Not Yes What Who Why How Where Which Some Any All Every Each Please"
    " Never Always Maybe Let Just Also Then Since After Before Until For In On At By With From To Of As"
    " Very Really Well Oh Ok Okay Today Tomorrow Yesterday Now Here Nine Half Monday Tuesday Wednesday Th"
    "ursday Friday Saturday Sunday Everyone Everything Everybody Nobody"
    " Nothing Someone One Two Three Both Most Only Even Still"
)
_OF_IS = re.compile(
    r" (?:a|an|the|in|at|on|from|not|now|always|also|still|really|very|allergic|called|named|married|vegan"
    r"|vegetarian|born|turning"
    r"|into|afraid|scared|fond|\d+|been|got|just|\w+ing|six|five|seven|eight|nine|ten|eleven|twelve|my|our)\b"
)


class Subject(NamedTuple):
    """about: the slot's about. shown: how a text names it. end: where the predicate begins. tail: contracted verb."""

    sort: Sort
    about: str | None
    shown: str | None
    end: int
    tail: str = ""
    relation: str | None = None
    pronoun: str | None = None


def subject(text: str, voice: str) -> Subject:
    """The subject at the start of a clause."""
    head = text[:2]
    if head in ("I ", "I'", "I’", "i ", "i'", "i’", "I,") and (match := _SELF.match(text)):
        return Subject("self", voice, None, match.end(), match["tail"] or match["tail2"] or "")
    if match := _AND_I.match(text):
        return Subject("we", voice, None, match.end())
    if match := _WE.match(text):
        return Subject("we", voice, None, match.end(), match["tail"] or "")
    if head.lower() in ("my", "ou") and (match := _MY.match(text)):
        relative = _relative(match, text, voice)
        if relative is not None:
            return relative
    if match := _PRONOUN.match(text):
        found = _determiner_or_pronoun(text, match)
        if found is not None:
            return found
    if text[:1].isupper():
        if match := _OWNED.match(text):
            about = match["name"] or f"{match['owner']}'s {match['relation']}"
            return Subject(
                "person",
                about,
                None,
                match.end(),
                "s" if match["tail"] else "",
                f"{match['relation']} of {match['owner']}",
            )
        match = _NAMED.match(text)
        if match and match["name"].split()[0] not in _ISNT_NAME:
            return _name_or_thing(text, match, voice)
    return _thing(text)


def _relative(match: re.Match[str], text: str, voice: str) -> Subject | None:
    """my brother (Theo); my brother's wife (Ida); a `'s` that is a verb stays one."""
    relation, name, tail, end = match["relation"].lower(), match["name"], match["tail"], match.end()
    adjective = (match["adjective"] or "").lower()
    if name and name.split()[0] in _ISNT_NAME:
        name, end, tail = None, match.end("relation"), None
    if match["second"] and tail:
        owner = name or f"{voice}'s {relation}"
        about = match["name2"] or f"{owner}'s {match['second']}"
        return Subject(
            "person", about, None, end, "s" if match["tail2"] else "", f"{match['second'].strip()} of {owner}"
        )
    if match["second"]:
        end = match.end("name") if name else match.end("relation")
    if tail and not _OF_IS.match(text, match.end("tail")):
        return None  # my brother's car …: a thing
    whole = f"{adjective}{relation}".strip()
    shown = f"{voice}'s {whole}"
    return Subject("person", name or shown, None, end, "s" if tail else "", f"{whole} of {voice}")


def _determiner_or_pronoun(text: str, match: re.Match[str]) -> Subject | None:
    who, tail = match["who"].lower(), match["tail"] or ""
    if who in ("he", "she", "they"):
        return Subject("pronoun", None, None, match.end(), tail, None, who)
    following = _WORD.match(text, match.end() + 1)
    if who in ("that", "this", "these", "those") and not tail and following and not _verbal(following[0].lower()):
        return None  # this release …: a thing
    return Subject("none", None, None, match.end(), tail, None, who)


def _verbal(word: str) -> bool:
    return word in AUXILIARIES or word in ADVERBS or word.endswith("n't") or (lemma(word) is not None)


def _name_or_thing(text: str, match: re.Match[str], voice: str) -> Subject:
    """Capitalised words before a verb are a name; before a noun they are part of a thing's."""
    name, end = match["name"], match.end()
    following = _WORD.match(text, end + 1) if text[end : end + 1] == " " else None
    if (following and _verbal(following[0].lower())) or match["tail"]:
        first = name.split()[0].lower()
        if " " not in name and first.endswith("ing") and lemma(first):
            return _thing(text)
        if (
            " " not in name
            and (first in BASES or first in ADVERBS or is_past(first))
            and not (
                following
                and (
                    following[0].lower() in AUXILIARIES
                    or following[0].lower().endswith("s")
                    or is_past(following[0].lower())
                )
            )
        ):
            return Subject("none", None, None, 0)
        if name.lower() in _AT_HOME:
            who = name.lower()
            return Subject("person", f"{voice}'s {who}", None, end, match["tail"] or "", f"{who} of {voice}")
        return Subject("self" if name == voice else "person", name, None, end, match["tail"] or "")
    return _thing(text)


def _thing(text: str) -> Subject:
    """A noun phrase before the first verb that looks finite: its end is where that verb begins."""
    tokens: list[re.Match[str]] = []
    for match in _WORD.finditer(text, 0, 120):
        if len(tokens) > 9:
            break
        tokens.append(match)
    if len(tokens) < 2:
        return Subject("none", None, None, 0)
    first = tokens[0][0].lower()
    determined = first in _DETERMINERS
    if first in _PREPOSITIONS:
        return Subject("none", None, None, 0)
    if not determined and (
        first in AUXILIARIES
        or first in BASES
        or first in ADVERBS
        or is_past(first)
        or (first.endswith("ing") and lemma(first) is None)
    ):
        return Subject("none", None, None, 0)
    place = _finite(tokens, 2 if determined else 1)
    if place is None:
        return Subject("none", None, None, 0)
    phrase = text[tokens[1 if determined else 0].start() : tokens[place].start()].strip()
    return Subject("thing", phrase, None, tokens[place].start() - 1)


def _finite(tokens: list[re.Match[str]], start: int) -> int | None:
    plain = None
    for place in range(start, len(tokens)):
        word = tokens[place][0].lower().replace("’", "'")
        if word in _STOPS:
            break
        if (word in AUXILIARIES and word not in ("be", "been", "being")) or word.endswith("n't"):
            return place
        if plain is None and (known := lemma(word)) is not None and not word.endswith("ing"):
            strong = word != known or word in ("go",)
            if strong or tokens[place - 1][0].lower().endswith("s"):
                plain = place
    return plain
