"""The terms of a text, as the lexical index holds them and as a question asks for them.

NFKC, case fold, without diacritics, simplified Chinese. Words stand as they are and by their stem; Chinese,
Japanese, Korean and other scripts without spaces as pairs of characters; an id with separators whole and in parts.
"""

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from itertools import pairwise

import snowballstemmer

from eunoe.processors.stopwords import FUNCTION_CHARACTERS, FUNCTION_WORDS

TERM_CHARACTERS = 64
_NO_SPACES = (
    r"\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u3099-\u30ff\u3130-\u318f"
    r"\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = rf"(?:[^\W_{_NO_SPACES}]|[\u0900-\u0dff])"
_JOINT = r"(?:[-_./:@&+\u2010-\u2015'’]|(?<=\d),(?=\d))"
_TOKEN = re.compile(rf"[{_NO_SPACES}]+|{_WORD}++(?:{_JOINT}{_WORD}++){{0,7}}")
_ASCII_TOKEN = re.compile(rf"[a-z0-9]++(?:{_JOINT}[a-z0-9]++){{0,7}}", re.ASCII)
_IN_PAIRS = re.compile(rf"[{_NO_SPACES}]")
_PART = re.compile(rf"{_WORD}+")
_MARKS = re.compile("[\u0300-\u036f\u064b-\u0652\u0670]+")
_WIDE = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_ENGLISH_TAILS = frozenset(("s", "t", "re", "ve", "ll", "d", "m"))
_SCRIPTS = (("\u0370", "\u03ff", "greek"), ("\u0400", "\u04ff", "russian"), ("\u0530", "\u058f", "armenian"),
            ("\u0600", "\u06ff", "arabic"), ("\u0900", "\u097f", "hindi"))  # fmt: skip


def terms(text: str) -> list[str]:
    """All terms in the order of the text, with repetitions. Any string is accepted; no term holds a space."""
    tokens = _tokens(normalised(text))
    language = _language(tokens)
    found: list[str] = []
    for token in tokens:
        found += _of(token, language)
    return found


def query_terms(text: str) -> list[str]:
    """The terms that a question asks for, each once: without function words where others remain."""
    tokens = _tokens(normalised(text))
    language = _language(tokens)
    asked: dict[str, None] = {}
    telling: dict[str, None] = {}
    for token in tokens:
        found = dict.fromkeys(_of(token, language))
        asked |= found
        if not _is_function_word(token, language):
            telling |= {term: None for term in found if not _is_function_word(term, language)}
    return list(telling or asked)


def clear() -> None:
    """Drop the words that are held to save time: what was forgotten must not stay in memory."""
    _terms_of.cache_clear()
    _stem.cache_clear()


def _is_function_word(term: str, language: str) -> bool:
    of = FUNCTION_WORDS.get(term)
    if of is None:
        return len(term) <= 2 and FUNCTION_CHARACTERS.issuperset(term)
    return language in of or "english" in of


def _of(token: str, language: str) -> tuple[str, ...]:
    return _terms_of(token, language) if len(token) <= TERM_CHARACTERS else _made(token, language)


def normalised(text: str) -> str:
    """The spelling in which terms are compared."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", folded)))
    return folded.translate(_simplified()) if _WIDE.search(folded) else folded


def _tokens(text: str) -> list[str]:
    """Words, compounds such as `cn-b20481`, and runs of scripts without spaces."""
    return (_ASCII_TOKEN if text.isascii() else _TOKEN).findall(text)


def _language(tokens: list[str]) -> str:
    """The stemmer for words in Latin script: another language than English only where its function words lead."""
    found = [of for token in tokens if (of := FUNCTION_WORDS.get(token))]
    if all("english" in of for of in found):
        return "english"
    votes = Counter(language for of in found for language in of)
    best = max(sorted(votes), key=lambda language: votes[language])
    return best if votes[best] > max(1, votes["english"]) else "english"


def _made(token: str, language: str) -> tuple[str, ...]:
    """The terms of one token."""
    if _IN_PAIRS.match(token):
        return tuple([first + second for first, second in pairwise(token)]) or (token,)
    if token.isalnum():
        return _with_stem(token[:TERM_CHARACTERS], language)
    return tuple(_parts(token, language))


_terms_of = lru_cache(maxsize=1 << 16)(_made)


def _parts(token: str, language: str) -> Iterator[str]:
    """The parts of a compound, then the whole without its separators; an English 's or n't is left out."""
    parts = _PART.findall(token)
    apostrophe = "'" in token or "’" in token
    if apostrophe and len(parts) > 1 and parts[-1] in _ENGLISH_TAILS:
        parts.pop()
    for part in parts:
        yield from _with_stem(part[:TERM_CHARACTERS], language)
    whole = "".join(parts)
    if len(parts) > 1 and not apostrophe and len(whole) <= TERM_CHARACTERS:
        yield whole


def _with_stem(word: str, language: str) -> tuple[str, ...]:
    root = _stem(word, language) if word.isalpha() else word
    return (word,) if root == word else (word, root)


@lru_cache(maxsize=1 << 16)
def _stem(word: str, language: str) -> str:
    if len(word) < 3:
        return word
    first = word[0]
    if first > "\u02ff":
        language = next((name for low, high, name in _SCRIPTS if low <= first <= high), "")
        if not language:
            return word
    with _lock:  # a stemmer keeps its state between calls
        root: str = _stemmer(language).stemWord(word)
    return root or word


_lock = threading.Lock()


@lru_cache(maxsize=32)
def _stemmer(language: str) -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer(language)


@lru_cache(maxsize=1)
def _simplified() -> dict[int, str]:
    """Traditional to simplified characters, the first reading of each, from OpenCC's table."""
    table = resources.files("opencc").joinpath("dictionary/TSCharacters.txt").read_text("utf-8")
    pairs = (line.split("\t") for line in table.splitlines() if "\t" in line)
    return {ord(traditional): simplified.split(" ")[0] for traditional, simplified in pairs}
