"""Secrets that check themselves: card numbers (Luhn, issuers' prefixes and lengths) and IBANs (mod 97)."""

import re
from collections.abc import Iterator

from eunoe.processors.ingestion.masking_rules import Found

_GROUPS = re.compile(r"\d++(?:[ \u00a0\u2009\u202f-]\d++)*+")
_GROUP = re.compile(r"\d+")
_SPLIT_SHAPES = {
    (4, 4, 4, 4), (4, 4, 4, 4, 3), (4, 4, 4, 4, 2), (4, 4, 4, 4, 1), (4, 6, 5), (4, 6, 4), (4, 4, 4, 2), (4, 4, 4, 3),
    (4, 4, 5), (6, 13), (8, 8),
}  # fmt: skip
_COUNTS = {4: (5, 4, 3), 6: (2,), 8: (2,)} | dict.fromkeys(range(13, 20), (1,))  # by the first group's size
_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
_IBAN = re.compile(r"(?<![A-Za-z0-9])([A-Z]{2})\d{2}(?: ?[A-Z0-9]){11,30}+")
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AT": 20, "BE": 16, "BG": 22, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "EE": 20,
    "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IS": 26, "IT": 27,
    "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "RO": 24,
    "SA": 24, "SE": 24, "SI": 19, "SK": 24, "TR": 26, "UA": 29,
}  # fmt: skip


def cards(text: str, _lowered: str) -> Iterator[Found]:
    """Payment cards, 13 to 19 digits in one run or in the groups that cards are printed in."""
    for run in _GROUPS.finditer(text):
        if run.end() - run.start() < 13 or _glued(text, run.start(), run.end()):
            continue
        groups = [match.span() for match in _GROUP.finditer(text, run.start(), run.end())]
        sizes = tuple([end - start for start, end in groups])
        first = 0
        while first < len(groups):
            taken = _card_at(text, groups, sizes, first)
            if taken:
                yield groups[first][0], groups[first + taken - 1][1], "card number"
            first += taken or 1


def accounts(text: str, _lowered: str) -> Iterator[Found]:
    """International bank account numbers, with or without spaces."""
    for match in _IBAN.finditer(text):
        length = _IBAN_LENGTHS.get(match.group(1), 0)
        places = [place for place in range(match.start(), match.end()) if text[place] != " "][:length]
        if length and len(places) == length and _mod97("".join(text[place] for place in places)) == 1:
            yield places[0], places[-1] + 1, "account number"


def _glued(text: str, start: int, end: int) -> bool:
    """Part of a longer word, a decimal number or a phone number."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return (before.isascii() and (before.isalnum() or (before in "+._" and before != ""))) or (
        after.isascii() and (after.isalnum() or after == "_")
    )


def _card_at(text: str, groups: list[tuple[int, int]], sizes: tuple[int, ...], first: int) -> int:
    """How many groups from `first` on make a card; 0 when they make none."""
    for count in _COUNTS.get(sizes[first], ()):
        shape = sizes[first : first + count]
        if len(shape) == count and (count == 1 or shape in _SPLIT_SHAPES):
            digits = "".join([text[start:end] for start, end in groups[first : first + count]])
            if _issued(digits) and _luhn(digits):
                return count
    return 0


def _issued(digits: str) -> bool:
    """Prefix and length as the large issuers use them."""
    size, two, three, four = len(digits), int(digits[:2]), int(digits[:3]), int(digits[:4])
    return (
        (two // 10 == 4 and size in (13, 16, 19))
        or (two in range(51, 56) and size == 16)
        or (four in range(2221, 2721) and size == 16)
        or (two in (34, 37) and size == 15)
        or (two in (36, 38, 39) and size == 14)
        or (three in range(300, 306) and size == 14)
        or (four in range(3528, 3590) and size == 16)
        or ((four == 6011 or two == 65 or three in range(644, 650)) and size in (16, 19))
        or (two == 62 and size in range(16, 20))
    )


def _luhn(digits: str) -> bool:
    figures = list(map(int, digits))
    return (sum(figures[-1::-2]) + sum([_DOUBLED[figure] for figure in figures[-2::-2]])) % 10 == 0


def _mod97(account: str) -> int:
    return int("".join(str(int(character, 36)) for character in account[4:] + account[:4])) % 97
