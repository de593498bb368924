"""A memory that is longer than its share of the budget is cut at sentence ends to what fits."""

import re
from collections.abc import Sequence

from eunoe.processors.terms import terms
from eunoe.processors.tokens import TokenCounter

_SENTENCE = re.compile(
    r"(?:[^.!?。！？…\n]|[.!?…](?![\s.!?…\"'”’)\]]|$))*+"
    r"(?:[.!?…]+[\"'”’)\]]*(?=\s|$)|[。！？]+[」』”’）]*|[.!?…\n]|$)\s*+"
)
_VOICE = re.compile(r"[^\n:：]{1,64}[:：] ")


def shortened(text: str, limit: int, asked: Sequence[str], counter: TokenCounter) -> str:
    """At most `limit` tokens of the text, in one stretch; empty when not even one word fits.

    The beginning where that holds the words asked for, else the sentences around the best one, behind the
    speaker's name and "… ".
    """
    if limit <= 0:
        return ""
    if counter.count(text) <= limit:
        return text
    start = _beginning(text, limit, counter)
    wanted = set(asked) & set(terms(text))
    if wanted <= set(terms(start)):
        return start
    spoken = _VOICE.match(text)
    name = f"{spoken.group()}… " if spoken else "… "
    stretch = _best_stretch(text[spoken.end() if spoken else 0 :], limit - counter.count(name) - 1, wanted, counter)
    around = name + stretch
    better = len(wanted & set(terms(around))) > len(wanted & set(terms(start)))
    return around if stretch and better and counter.count(around) <= limit else start


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text, which joined are the text."""
    return [match.group() for match in _SENTENCE.finditer(text) if match.group()]


def _beginning(text: str, limit: int, counter: TokenCounter) -> str:
    kept = ""
    spent = 0
    for sentence in sentences(text):
        spent += counter.count(sentence)
        if spent > limit + 1 or counter.count((kept + sentence).rstrip()) > limit:
            break
        kept += sentence
    return kept.rstrip() or _words(text, limit, counter)


def _words(text: str, limit: int, counter: TokenCounter) -> str:
    """The longest beginning of at most `limit` tokens, to a space where there is one near."""
    low, high = 0, min(len(text), limit * 32)
    while low < high:
        middle = (low + high + 1) // 2
        if counter.count(text[:middle]) <= limit:
            low = middle
        else:
            high = middle - 1
    cut = text[:low]
    space = cut.rfind(" ")
    return (cut[:space] if space > low // 2 and low < len(text) else cut).rstrip()


def _best_stretch(text: str, limit: int, wanted: set[str], counter: TokenCounter) -> str:
    """Neighbouring sentences around the one that holds most of the words asked for."""
    parts = sentences(text)
    best = max(range(len(parts)), key=lambda index: (len(wanted & set(terms(parts[index]))), -index))
    costs = [counter.count(part) for part in parts]
    first, last, spent = best, best + 1, costs[best]
    if spent > limit:
        return _words(parts[best], limit, counter)
    while True:
        if last < len(parts) and spent + costs[last] <= limit:
            spent, last = spent + costs[last], last + 1
        elif first > 0 and spent + costs[first - 1] <= limit:
            first, spent = first - 1, spent + costs[first - 1]
        else:
            return "".join(parts[first:last]).strip()
