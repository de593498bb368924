"""The text of an English fact: everybody named, dates in brackets."""

from eunoe.processors.extraction.dates import When
from eunoe.processors.extraction.draft import Frame
from eunoe.processors.extraction.rewrite import named, sentence
from eunoe.processors.extraction.subjects import Subject

_TAILS = {"s": " is", "re": " are", "ve": " have", "ll": " will", "d": " would"}


def told(text: str, frame: Frame, who: Subject, when: list[When], skip: int) -> str:
    """A standalone sentence. skip: where the subject begins."""
    for one in reversed([w for w in when if w.relative]):
        text = f"{text[: one.end]} {one.bracket}{text[one.end :]}"
    if who.sort == "self" and who.end == 0:
        text = ("I " if not who.tail else "I am ") + text[:1].lower() + text[1:]
    if who.pronoun in ("he", "she", "they") and who.shown:
        text = _unpronoun(text, who, skip, when)
    said = named(text, frame.name)
    if frame.voice not in said:
        return f"{frame.name[:1].upper()}{frame.name[1:]} said: {sentence(said)}"
    return sentence(said)


def _unpronoun(text: str, who: Subject, skip: int, when: list[When]) -> str:
    grown = sum(len(w.bracket) + 1 for w in when if w.relative and w.end <= skip)
    start, end = skip + grown, skip + grown + who.end
    return f"{text[:start]}{who.shown}{_TAILS.get(who.tail, '')}{text[end:]}"
