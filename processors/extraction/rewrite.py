"""English sentences of a first person told of a named one: `I always ship it` → `Ana always ships it`."""

import re

from eunoe.processors.extraction.verbs import AUXILIARIES, BASES, MODALS, is_past, lemma, third, words

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|\s+|.", re.DOTALL)
_QUOTES = frozenset('"“”')
ADVERBS = words(
    "no longer always never usually often really just also still actually now currently already recently only"
    " mostly definitely absolutely totally honestly basically normally generally typically sometimes"
    " rarely seldom hardly ever even both all too simply finally once probably maybe quite truly"
    " personally literally kinda sorta mainly regularly occasionally instead again lately not almost"
    " nearly strongly completely happily obviously certainly clearly first then secretly either neither"
    " exclusively solely together"
)
_CONTRACTED = {"m": "is", "ve": "has", "ll": "will", "d": "would", "re": "are"}
_PLURAL = {"re": "are", "ve": "have", "ll": "will", "d": "would"}
_NEGATED = {"don't": "doesn't", "haven't": "hasn't", "ain't": "isn't", "dont": "doesn't", "havent": "hasn't"}
_BREAKS = words("to that because if when who which for since while")


def named(text: str, name: str) -> str:
    """The sentence with I, my, me and we, our, us told of `name`; verbs agree. What stands in quotes stays."""
    return _Rewriter(name).run(text)


def sentence(text: str) -> str:
    """With a capital in front and a full stop behind."""
    bare = text.strip().rstrip(",;:-–— ")
    if bare and bare[0].islower() and (len(bare) < 2 or not bare[1].isupper()):
        first = bare.split(" ", 1)[0]
        bare = bare if any(c in first for c in "./_@\\0123456789") else bare[0].upper() + bare[1:]
    if bare and bare[-1] not in ".!?…。！？」』":
        bare = (
            bare[:-1] + bare[-1] + "."
            if bare[-1] in "\"”’'" and len(bare) > 1 and bare[-2] not in ".!?"
            else bare + "."
        )
    return bare


# forms that are past and base alike: past, unless a word of habit stands before
_LIKE_PAST = frozenset(("quit", "put", "cut", "hit", "set", "hurt", "shut"))


class _Rewriter:
    """One pass over the tokens; `pending` says that the next verb belongs to the first person."""

    def __init__(self, name: str) -> None:
        self.name, self.out = name, list[str]()
        self.pending = self.agreed = self.joined = self.inside = self.plural = self.habit = False

    def run(self, text: str) -> str:
        for token in _TOKEN.findall(text):
            if token in _QUOTES:
                self.inside = not self.inside if token == '"' else token == "“"
                self.out.append(token)
            elif self.inside or not (token[0].isalpha()):
                self.out.append(token)
                if token in ".;:!?":
                    self.agreed = False
            else:
                self._word(token)
        return "".join(self.out)

    def _word(self, token: str) -> None:
        low = token.lower().replace("’", "'")
        base, _, tail = low.partition("'")
        if base == "i" and (token[0] == "I" or not tail or tail in _CONTRACTED) and tail in ("", *_CONTRACTED):
            self._first_person(tail)
        elif base == "we" and tail in ("", "re", "ve", "ll", "d"):
            self.out.append(
                ("they" if self.plural else f"{self.name} and others") + (f" {_PLURAL[tail]}" if tail else "")
            )
            self.plural, self.pending, self.agreed = True, False, False
        elif low in ("my", "mine", "our"):
            self.out.append("their" if low == "our" and self.plural else f"{self.name}'s")
        elif low == "ours":
            self.out.append("theirs" if self.plural else f"{self.name}'s")
        elif low in ("me", "us") and token != "US":
            self.out.append(self.name if low == "me" else "them" if self.plural else f"{self.name} and others")
        elif low in ("myself", "ourselves"):
            self.out.append("themselves" if low == "ourselves" else "themself")
        else:
            self._other(token, low)

    def _first_person(self, tail: str) -> None:
        self.out.append(self.name)
        if tail:
            self.out.append(" " + _CONTRACTED[tail])
        self.pending, self.agreed, self.joined = not tail, tail == "m", False

    def _other(self, token: str, low: str) -> None:
        if self.pending:
            self._verb(token, low)
            return
        if self.agreed and self.joined and low in BASES:
            self.out.append(third(low))
            self.joined = False
            return
        self.joined = low in ("and", "or", "but") or (self.joined and low in ADVERBS)
        if low in _BREAKS or low.endswith("ing") or low in ("he", "she", "they", "you", "it"):
            self.agreed = False
        self.out.append(token)

    def _verb(self, token: str, low: str) -> None:
        if low in ADVERBS:
            self.out.append(token)
            self.habit = self.habit or low in ("always", "usually", "never", "often", "sometimes", "normally")
            return
        self.pending = False
        if low in ("am", "have", "do"):
            self.out.append({"am": "is", "have": "has", "do": "does"}[low])
            self.agreed = low != "do"
        elif low in _NEGATED:
            self.out.append(_NEGATED[low])
        elif (
            (low in _LIKE_PAST and not self.habit)
            or low in MODALS
            or low in AUXILIARIES
            or low.endswith("n't")
            or is_past(low)
        ):
            self.out.append(token)
        elif lemma(low) == low or _like_a_verb(low):
            self.out.append(third(low))
            self.agreed = True
        else:
            self.out.append(token)


def _like_a_verb(low: str) -> bool:
    return (
        low.isascii()
        and low.isalpha()
        and not low.endswith(("s", "ed", "ing", "ly"))
        and len(low) > 2
        and low not in ("and", "the", "who", "with", "from", "for", "but", "that", "than")
    )
