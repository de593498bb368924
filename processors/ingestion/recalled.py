"""What was recalled from memory is marked, so that it isn't learned again when an agent hands it back.

Recall puts its context between `opening(id)` and `CLOSE`. Memory text can't fake either: see `escape`.
"""

import re
import threading
import unicodedata
from collections import OrderedDict
from collections.abc import Container, Iterable

OPEN = "<memory id="
CLOSE = "</memory>"
LINES = 20_000
LEAST_LETTERS = 12
_TAG = re.compile(r"(?:<|&lt;)(?=\s{0,8}/?\s{0,8}memory)", re.IGNORECASE)
_MARK = re.compile(r"(?:<|&lt;)(?:(?P<close>/)memory|memory id=[^<>\n]{1,99}?)(?:>|&gt;)")
_QUOTE = re.compile(r"^[\s>|*•–—-]+")
_HEADING = re.compile(r"^\[[^\]\n]{1,60}\]\s*")
_WORDS = re.compile(r"\w+")


def opening(recall_id: str) -> str:
    """The first line of a context that was recalled under this id."""
    return f'{OPEN}"{recall_id}">'


def escape(text: str) -> str:
    """The text in a form that neither opens nor closes a recalled context. Idempotent."""
    return _TAG.sub("‹", text)


def normalised(line: str) -> str:
    """A line as it is compared: without quoting, list marks, letter case, spacing and punctuation."""
    plain = _HEADING.sub("", _QUOTE.sub("", line))
    return " ".join(_WORDS.findall(unicodedata.normalize("NFKC", plain).casefold()))


def recalled_spans(text: str, known: Container[str] = ()) -> tuple[tuple[int, int], ...]:
    """Character ranges [start, end) of `text` that were recalled, ordered, apart from each other.

    They are what stands between the marks, however indented, quoted or nested and to the end where the close is
    cut off, and lines equal to one of `known` (`normalised`). Ask for the whole text, then see `within` for a chunk.
    """
    spans = list(_marked(text))
    if known:
        spans += _known_lines(text, known)
    return _joined(spans)


def within(spans: Iterable[tuple[int, int]], start: int, end: int) -> tuple[tuple[int, int], ...]:
    """The spans of a text as they stand in its piece [start, end), counted from the piece's start."""
    cut = [(max(first, start) - start, min(last, end) - start) for first, last in spans]
    return tuple((first, last) for first, last in cut if first < last)


class RecentlyRecalled:
    """The lines of items recalled lately from one memory: bounded, never on disk, safe from any thread."""

    def __init__(self, lines: int = LINES) -> None:
        self._lines, self._lock = lines, threading.Lock()
        self._known: OrderedDict[str, None] = OrderedDict()

    def add(self, texts: Iterable[str]) -> None:
        """Remember the lines of these items; short lines, which people say by themselves, are left out."""
        lines = [line for text in texts for line in map(normalised, text.splitlines()) if _telling(line)]
        with self._lock:
            for line in lines:
                self._known[line] = None
                self._known.move_to_end(line)
            while len(self._known) > self._lines:
                self._known.popitem(last=False)

    def __contains__(self, line: object) -> bool:
        return line in self._known

    def __bool__(self) -> bool:
        return bool(self._known)

    def clear(self) -> None:
        """Forget all lines."""
        with self._lock:
            self._known.clear()


def _telling(line: str) -> bool:
    """Long enough that saying it again by chance is unlikely; a Chinese character says more than a letter."""
    letters = len(line) - line.count(" ")
    return letters + (len(line.encode("utf-8", "replace")) - len(line)) // 2 >= LEAST_LETTERS


def _marked(text: str) -> Iterable[tuple[int, int]]:
    depth, start = 0, 0
    for match in _MARK.finditer(text):
        if not match.group("close"):
            depth, start = depth + 1, start if depth else match.start()
        elif depth:
            depth -= 1
            if not depth:
                yield start, match.end()
    if depth:
        yield start, len(text)


def _known_lines(text: str, known: Container[str]) -> Iterable[tuple[int, int]]:
    start = 0
    for line in text.splitlines(keepends=True):
        if normalised(line) in known:
            yield start, start + len(line.rstrip())
        start += len(line)


def _joined(spans: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
