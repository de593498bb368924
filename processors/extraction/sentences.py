"""A turn in sentences, with their place in it. Code, quoted lines and what was recalled are left out.

All regexes are linear in the length of the text.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from eunoe.processors.extraction.verbs import words

SENTENCE_CHARACTERS = 1_200
SENTENCES = 120
_SURROGATES = re.compile("[\ud800-\udfff\x00]")
_END = re.compile(r"[.!?…]+[\"'”’)\]]{0,4}(?=\s|$)|[。！？；…]+[」』”’)）]{0,4}|\n|;(?=\s)|(?<=[a-z] )[-–—](?= [A-Z])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|e\.g|i\.e|etc|vs|approx|Mr|Mrs|Ms|Dr|Prof|St|No|Nr|bzw|ca|z\.B|d\.h|p\.m|a\.m|Inc|Ltd|Jr|Sr))\.$"
)
_FENCE = re.compile(r"```")
_QUOTED_LINE = re.compile(r"^[ \t]{0,8}(?:>|\|).*$", re.MULTILINE)
_MAIL = re.compile(
    r"^[ \t]{0,4}(?:-{2,} ?(?:original message|forwarded|quoted)|(?:from|von|de): .{0,200}@|subject: )",
    re.IGNORECASE | re.MULTILINE,
)
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_KANA = re.compile(r"[\u3041-\u30ff]")
_OTHER_SCRIPT = re.compile(r"[\u0370-\u1cff\u0e00-\u0eff\uac00-\ud7af]")
_LATIN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ENGLISH = words(
    "i i'm i've i'll i'd my me we our us you your the a an and or but is are was were be been have has"
    " had do does did don't not no never always to of for with from at by on in it it's that this he she"
    " they his her their which who when if what how there so just will would can could should any some as"
    " about after before please"
)
_FOREIGN = words(
    "je j'ai j'aime j'habite suis ne pas mon ma mes nous le la les des du une et est dans avec pour chez"
    " toujours mais ich bin habe mein meine wir der die das den dem ein eine und ist nicht mit für auf im"
    " zu seit wohne aber auch jeg er har mitt min mine vi det som ikke og på til av en bor også men fra"
    " ved hun han jag är och inte att yo mi mis soy estoy tengo el los las una y es con para por no vivo"
    " me gusta pero desde siempre mucho que se io sono ho mio mia il lo gli che di non per eu sou tenho"
    " meu minha não uma em com ik ben heb mijn het een niet van voor ei"
)


class Piece(NamedTuple):
    """A stretch of a turn's text: `text` stands at [start, start + len(text))."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """The place after its last character."""
        return self.start + len(self.text)

    def part(self, start: int, end: int) -> "Piece":
        """A stretch of it, counted from its own start, without outer white space."""
        text = self.text[start:end]
        bare = text.lstrip()
        return Piece(bare.rstrip(), self.start + start + len(text) - len(bare))


def safe(text: str) -> str:
    """The same length of text without NULs and lone surrogates, which no model or store takes."""
    return _SURROGATES.sub("\ufffd", text)


def kept(length: int, cut: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """What is left of [0, length) without the cut ranges."""
    left, place = [], 0
    for start, end in sorted(cut):
        if start > place:
            left.append((place, min(start, length)))
        place = max(place, end)
    if place < length:
        left.append((place, length))
    return left


def quoted(text: str) -> list[tuple[int, int]]:
    """Ranges that hold somebody else's words or none: fenced code, quoted lines, a pasted mail to the end."""
    ranges: list[tuple[int, int]] = []
    if "```" in text:
        fences = [match.start() for match in _FENCE.finditer(text)]
        fences += [len(text)] * (len(fences) % 2)
        ranges += [(a, min(b + 3, len(text))) for a, b in zip(fences[::2], fences[1::2], strict=True)]
    if ">" in text or "|" in text:
        ranges += [match.span() for match in _QUOTED_LINE.finditer(text)]
    if "@" in text or "--" in text or "ubject" in text:
        mail = _MAIL.search(text)
        ranges += [(mail.start(), len(text))] if mail else []
    return ranges


def sentences(text: str, ranges: Sequence[tuple[int, int]]) -> list[Piece]:
    """Sentences of the given ranges, in order, at most `SENTENCES`; longer than a sentence can be are left out."""
    found: list[Piece] = []
    for first, last in ranges:
        start = first
        for match in _END.finditer(text, first, last):
            if match[0] == "." and _ABBREVIATION.search(text, max(start, match.end() - 8), match.end()):
                continue
            _add(found, text, start, match.end())
            start = match.end()
            if len(found) >= SENTENCES:
                return found
        _add(found, text, start, last)
    return found


def _add(found: list[Piece], text: str, start: int, end: int) -> None:
    if end - start <= SENTENCE_CHARACTERS:
        piece = Piece(text[start:end], start).part(0, end - start)
        if any(character.isalnum() for character in piece.text):
            found.append(piece)


def language(text: str, default: str = "en") -> str:
    """`en`, `zh`, `ja` or `other`; `default` where a Latin text says too little."""
    if not text.isascii():
        if _KANA.search(text):
            return "ja"
        if _HAN.search(text):
            return "zh"
        if _OTHER_SCRIPT.search(text):
            return "other"
    words = _LATIN.findall(text.lower().replace("’", "'"))
    english = sum(word in _ENGLISH for word in words)
    foreign = sum(word in _FOREIGN for word in words)
    if english == foreign:
        return default if default in ("en", "other") else "en"
    return "en" if english > foreign else "other"
