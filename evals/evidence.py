"""The evidence rule: does what was recalled hold what was said?

A turn is found in an item that cites it when the item holds at least 60 % of the turn's content words (stems,
repeated words counted), a negation if the turn has one, and every number that the turn writes in digits, and
when the item reads as language: its share of function words is at least half the turn's, that share capped
at .6. An item that cites more than two turns which it doesn't hold counts for nothing, so that citing
everything finds nothing. Words are compared after NFKC and case folding; speakers' names don't count.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

import msgspec
import snowballstemmer

CONTENT = 0.6
LANGUAGE, LANGUAGE_CAP = 0.5, 0.6
LOOSE_CITATIONS = 2

_WORD = re.compile(r"[^\W_]+(?:'[a-z]+)?")
_stem = snowballstemmer.stemmer("english").stemWord
_FUNCTION = """
a about all also am an and are as at be been being by can could d did do does for from had has have he her here him his
how i if in is it its just ll m may me might must my of on or our out really re s she should so t than that the their
them then there these they this those to too up us ve very was we were what when where which who whom why will with
would yes you your
"""
_NEGATIONS = """
arent cannot cant didnt doesnt dont isnt n't neither never no nobody none nor not nothing wasnt without wont
"""
FUNCTION_WORDS = frozenset(_FUNCTION.split())
NEGATIONS = frozenset(_NEGATIONS.split())


class Reading(msgspec.Struct, frozen=True):
    """What the rule looks at in one text."""

    content: Counter[str]
    words: frozenset[str]
    numbers: frozenset[str]
    negated: bool
    function_share: float


def words_of(text: str) -> list[str]:
    """Words and numbers in order, folded; `don't` is one word."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold().replace("’", "'"))


def stems_of(words: Iterable[str]) -> list[str]:
    """Stems of the words that carry meaning, in order."""
    bare = ((word, word.split("'")[0]) for word in words)
    return [_stem(head) for word, head in bare if not FUNCTION_WORDS & {word, head}]


@lru_cache(maxsize=20_000)
def read(text: str) -> Reading:
    """The reading of a text; the last ones are kept, since items and turns come up again and again."""
    words = words_of(text)
    function = sum(bool(FUNCTION_WORDS & {word, word.split("'")[0]}) for word in words)
    return Reading(
        content=Counter(stems_of(words)),
        words=frozenset(words),
        numbers=frozenset(word for word in words if word.isdigit()),
        negated=any(word in NEGATIONS or word.endswith("n't") for word in words),
        function_share=function / max(1, len(words)),
    )


def found(item: str, turn: str, names: Collection[str] = ()) -> bool:
    """Whether the text of an item holds a turn. `names` are the words of speakers' names."""
    have, said = read(item), read(turn)
    ignored = {_stem(name.casefold()) for name in names}
    need = {stem: count for stem, count in said.content.items() if stem not in ignored}
    held = sum(min(count, have.content[stem]) for stem, count in need.items())
    return (
        held >= CONTENT * sum(need.values())
        and said.numbers <= have.words
        and (have.negated or not said.negated)
        and have.function_share >= LANGUAGE * min(said.function_share, LANGUAGE_CAP)
    )


def share(
    gold: Collection[str],
    items: Iterable[tuple[str, Collection[str]]],
    turns: Mapping[str, str],
    names: Collection[str] = (),
) -> float:
    """Share of the gold turns that the items hold, 0 to 1.

    gold: ids of turns, at least one. items: (text, ids of the turns that it cites). turns: text by id.
    """
    hits: set[str] = set()
    for text, cited in items:
        held = {event for event in cited if event in turns and found(text, turns[event], names)}
        if len(set(cited) - held) <= LOOSE_CITATIONS:
            hits |= held
    return len(hits & set(gold)) / len(set(gold))
