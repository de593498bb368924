"""A long input in pieces, before anything else touches it. Joined, the pieces are the input again."""

import unicodedata

CHUNK_CHARACTERS = 4_000
VERSION = 1
_SENTENCE_ENDS = ".!?…。！？；;"
_CLOSING = "\"'”’)）]」』"


def chunks(text: str, limit: int = CHUNK_CHARACTERS) -> list[str]:
    """Pieces of at most `limit` characters, cut after a paragraph, line, sentence or space where one is near.

    Near is the second half of a piece; else it is cut between two characters, not inside a combining sequence.
    An empty text is one empty piece.
    """
    pieces, start = [], 0
    while len(text) - start > limit:
        end = _cut(text, start, start + limit)
        pieces.append(text[start:end])
        start = end
    pieces.append(text[start:])
    return pieces


def _cut(text: str, start: int, end: int) -> int:
    least = start + (end - start) // 2
    for mark in ("\n\n", "\n"):
        found = text.rfind(mark, least, end)
        if found >= 0:
            return found + len(mark)
    return _after_sentence(text, least, end) or _after_space(text, least, end) or _between(text, start, end)


def _after_sentence(text: str, least: int, end: int) -> int:
    """After the last sentence end in (least, end], with its closing marks and one space; 0 when there is none."""
    for place in range(end - 1, least, -1):
        if text[place] in _SENTENCE_ENDS:
            after = place + 1
            while after < end and text[after] in _CLOSING:
                after += 1
            if after == end or text[place] in "。！？；":
                return after
            if text[after].isspace():
                return after + 1
    return 0


def _after_space(text: str, least: int, end: int) -> int:
    return next((place + 1 for place in range(end - 1, least, -1) if text[place].isspace()), 0)


def _between(text: str, start: int, end: int) -> int:
    """The last place up to `end` that splits no combining sequence; `end` itself when none is near."""
    for place in range(end, max(start + 1, end - 64), -1):
        if not _joined(text[place - 1], text[place]):
            return place
    return end


def _joined(before: str, after: str) -> bool:
    return (
        unicodedata.combining(after) > 0
        or after in "\u200d\ufe0e\ufe0f"
        or before == "\u200d"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff")
    )
