"""Dates in English text, resolved against the day on which it was said.

`last <weekday>` is the latest one before the day, `this <weekday>` the one of its week, `next <weekday>` the one of
the week after. A bare weekday or month is the nearest one in the direction of the sentence's tense. Seasons are the
meteorological ones of the north.
"""

import re
from datetime import date, timedelta
from typing import NamedTuple

from dateutil.relativedelta import relativedelta

from eunoe.streams.events import Precision

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
NUMBERS = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
} | {"a": 1, "an": 1, "a couple of": 2, "a few": 3, "thirty": 30, "forty": 40, "fifty": 50}


class When(NamedTuple):
    """A date that a text names at [start, end). first, last: ISO day, month or year; last only for a period."""

    start: int
    end: int
    first: str
    last: str | None
    precision: Precision
    relative: bool

    @property
    def bracket(self) -> str:
        """As it is put behind the words that say it."""
        return f"({self.first}/{self.last})" if self.last else f"({self.first})"


_DAY = "|".join(WEEKDAYS)
_MONTH = "|".join(MONTHS)
_SHORT = "jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec"
_COUNT = r"\d{1,3}|a couple of|a few|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty"
_UNIT = r"(?P<unit>day|week|month|year|weekend|fortnight)s?"
_HINT = re.compile(
    r"\d{4}|day|week|month|year|night|morrow|morning|evening|afternoon|ago\b|spring|summer|autumn|fall\b"
    r"|winter|fortnight|last|next|this"
    rf"|\b(?:{_MONTH}|{_SHORT})\b",
    re.IGNORECASE,
)
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?P<iso>(?:19|20)\d\d-[01]\d(?:-[0-3]\d)?)\b(?![-\d])",
        rf"\b(?:from|between) (?P<fmonth>{_MONTH}|{_SHORT})\b\.?(?:,? (?P<fyear>(?:19|20)\d\d))?(?: to | until | till "
        rf"| through | and |\s?[-–]\s?)(?P<tmonth>{_MONTH}|{_SHORT})\b\.?(?:,? (?P<tyear>(?:19|20)\d\d))?\b",
        rf"\b(?:the )?(?P<d1>\d{{1,2}}|first|second|third)(?:st|nd|rd|th)?(?: of)? (?P<m1>{_MONTH}"
        rf"|{_SHORT})\b\.?(?:,? (?P<y1>(?:19|20)\d\d))?\b",
        rf"\b(?P<m2>{_MONTH}|{_SHORT})\.? (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?![\d:.%])(?:,? (?P<y2>(?:19"
        rf"|20)\d\d))?\b",
        r"\b(?:the )?day (?:before (?P<before>yesterday)|after (?P<after>tomorrow))\b",
        r"\b(?P<word>yesterday|today|tomorrow|tonight|last night|this (?:morning|afternoon|evening))\b",
        r"\b(?:at |by )?(?:the )?(?P<edge>end|start|beginning) of (?P<edgewhich>last|this"
        r"|next) (?P<edgeunit>month|year|week)\b",
        rf"\b(?P<which>last|this|next|this past|this coming|the past) {_UNIT}\b(?! (?:after|before))",
        rf"\b(?P<dwhich>last|this|next|this past|this coming|past|coming) "
        rf"(?P<weekday>{_DAY}|mon|tues?|wed|thurs?|fri|sat)\b",
        r"\b(?P<swhich>last|this|next|this past|this coming) (?P<season>spring|summer|autumn|fall|winter)\b",
        rf"\b(?P<mwhich>last|this|next|this past|this coming) (?P<month>{_MONTH})\b",
        rf"(?<!half )\b(?:about |around |over |almost |nearly )?(?P<count>{_COUNT}) (?P<ago>day|week|month|year"
        rf"|fortnight)s? ago\b",
        rf"\bin (?:about |around )?(?P<incount>{_COUNT}) (?P<in>day|week|month|year"
        rf"|fortnight)s?(?:['’]s? time)?\b(?! (?:of|old))",
        r"\b(?:a|one) (?P<fromnow>week|month|year) from (?:now|today)\b",
        rf"\b(?P<prep>in|since|until|till|during|from|of|early|late|mid|by) (?P<pmonth>{_MONTH}"
        rf"|{_SHORT})\b\.?(?:,? (?P<pyear>(?:19|20)\d\d))?\b(?! \d)",
        rf"\b(?P<mmonth>{_MONTH}) (?P<myear>(?:19|20)\d\d)\b",
        r"\b(?P<sword>spring|summer|autumn|fall|winter)(?: of)? (?P<syear>(?:19|20)\d\d)\b",
        r"\b(?P<yprep>in|since|until|till|during|from|by|back in|year|early|late) (?P<year>(?:19"
        r"|20)\d\d)\b(?![-:]|\.\d)",
        rf"\b(?P<onprep>on|until|till|by|this coming) (?P<onday>{_DAY})\b(?! (?:morning|afternoon|evening|night)s)",
    )
)
_CAPITAL_MONTH = {"may", "march", "mar", "jan", "jun", "jul", "dec", "apr", "sep", "aug", "oct", "nov", "feb", "sept"}


def find(text: str, day: date, past: bool | None = None) -> list[When]:
    """The dates that an English text names, in order, none inside another. `past`: the tense where it matters.

    Names of people that are also months or days (Jan, May, Sun) are dates only next to a number or after a
    preposition of time.
    """
    if not _HINT.search(text):
        return []
    found: list[When] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if any(match.start() < w.end and w.start < match.end() for w in found):
                continue
            when = _when(match, day, past)
            if when is not None:
                found.append(when)
    return sorted(found)


def _when(match: re.Match[str], day: date, past: bool | None) -> When | None:
    said = {name: value.lower() for name, value in match.groupdict().items() if value}
    if not _plausible(match, said):
        return None
    try:
        resolved = _absolute(said, day, past) or _relative(said, day) or _moved(said, day)
    except (ValueError, OverflowError):
        return None
    if resolved is None:
        return None
    first, last, precision, relative = resolved
    return When(*match.span(), first, last, precision, relative)


def _plausible(match: re.Match[str], said: dict[str, str]) -> bool:
    """A month's name is written with a capital; after `by` it may be a person's."""
    name = match.groupdict().get("pmonth") or match.groupdict().get("month") or match.groupdict().get("m2")
    if name and name.lower() in _CAPITAL_MONTH and name.islower():
        return False
    return not (
        said.get("prep") in ("by", "from", "of") and said.get("pmonth") in ("may", "april", "june", "jan", "august")
    )


Resolved = tuple[str, str | None, Precision, bool]


def _absolute(said: dict[str, str], day: date, past: bool | None) -> Resolved | None:
    if iso := said.get("iso"):
        whole = iso if len(iso) > 7 else iso + "-01"
        date.fromisoformat(whole)
        return iso, None, "day" if len(iso) > 7 else "month", False
    for number in ("1", "2"):
        if month := said.get("m" + number):
            year = said.get("y" + number)
            named = date(int(year) if year else day.year, _month(month), _ordinal(said["d" + number]))
            if not year:
                named = _nearest_year(named, day, past)
            return named.isoformat(), None, "day", year is None
    if said.get("fmonth"):
        return _months(said, day)
    if month := said.get("pmonth") or said.get("mmonth"):
        year = said.get("pyear") or said.get("myear")
        first = date(int(year) if year else day.year, _month(month), 1)
        if not year:
            first = _nearest_year(first, day, said.get("prep") == "since" or past)
        return f"{first:%Y-%m}", None, "month", year is None
    if name := said.get("sword"):
        return *season(int(said["syear"]), name)[:3], False
    if year := said.get("year"):
        return year, None, "year", False
    if weekday := said.get("onday"):
        ahead = (WEEKDAYS.index(weekday) - day.weekday()) % 7
        return _day(day + timedelta(ahead - 7 if past and ahead and said.get("onprep") == "on" else ahead))
    return None


def _months(said: dict[str, str], day: date) -> Resolved:
    """From one month to another; the year that only one of them names holds for both, as far as they go forward."""
    first, last = _month(said["fmonth"]), _month(said["tmonth"])
    until = int(said.get("tyear") or int(said.get("fyear") or day.year) + (last < first))
    since = int(said.get("fyear") or until - (last < first))
    return f"{since:04d}-{first:02d}", f"{until:04d}-{last:02d}", "month", not (said.keys() & {"fyear", "tyear"})


def _relative(said: dict[str, str], day: date) -> Resolved | None:
    if said.get("before") or said.get("after"):
        return _day(day + timedelta(-2 if said.get("before") else 2))
    if word := said.get("word"):
        return _day(day + timedelta({"yesterday": -1, "last night": -1, "tomorrow": 1}.get(word, 0)))
    if weekday := said.get("weekday"):
        return _day(_weekday(said["dwhich"], _number_of(weekday), day))
    if name := said.get("season"):
        return _season_of(said["swhich"], name, day)
    if month := said.get("month"):
        return _month_of(said["mwhich"], _month(month), day)
    if which := said.get("edge"):
        return edge(which, _step(said["edgewhich"]), said["edgeunit"], day)
    if unit := said.get("unit"):
        return _shifted(_step(said["which"]), unit, day)
    return None


def _moved(said: dict[str, str], day: date) -> Resolved | None:
    """N units ago, or in N units: to the day for days and weeks, to the month or year for those."""
    if unit := said.get("fromnow"):
        return away(1, unit, day)
    for name, sign in (("ago", -1), ("in", 1)):
        if unit := said.get(name):
            count = said["count" if name == "ago" else "incount"]
            return away(sign * (NUMBERS.get(count) or int(count)), unit, day)
    return None


def away(number: int, unit: str, day: date) -> Resolved:
    """So many units from this day: to the day for days and weeks, to the month or year for those."""
    if unit in ("day", "week", "fortnight"):
        return _day(day + timedelta(number * {"day": 1, "week": 7, "fortnight": 14}[unit]))
    if unit == "month":
        return f"{day + relativedelta(months=number):%Y-%m}", None, "month", True
    return f"{day + relativedelta(years=number):%Y}", None, "year", True


def shifted(step: int, unit: str, day: date) -> Resolved:
    """The week, month, year or weekend `step` away from the one of this day."""
    if unit == "month":
        return f"{day + relativedelta(months=step):%Y-%m}", None, "month", True
    if unit == "year":
        return f"{day.year + step:04d}", None, "year", True
    monday = day + timedelta(7 * step - day.weekday())
    if unit == "weekend":
        return f"{monday + timedelta(5)}", f"{monday + timedelta(6)}", "day", True
    return f"{monday}", f"{monday + timedelta(6)}", "week", True


def _shifted(step: int, unit: str, day: date) -> Resolved | None:
    return None if unit in ("fortnight", "day") else shifted(step, unit, day)


def edge(which: str, step: int, unit: str, day: date) -> Resolved:
    """The end or start of a month, year or week: a day that stands for the days around it."""
    if unit == "week":
        monday = day + timedelta(7 * step - day.weekday())
        return f"{monday + timedelta(6 if which == 'end' else 0)}", None, "week", True
    if unit == "year":
        year = day.year + step
        return f"{year:04d}-{12 if which == 'end' else 1:02d}", None, "month", True
    first = day.replace(day=1) + relativedelta(months=step)
    return f"{first + relativedelta(day=31) if which == 'end' else first}", None, "month", True


def season(year: int, name: str) -> Resolved:
    """A season's first and last month; winter ends in the next year."""
    first = date(year, SEASONS[name], 1)
    return f"{first:%Y-%m}", f"{first + relativedelta(months=2):%Y-%m}", "season", True


def _season_of(which: str, name: str, day: date) -> Resolved:
    """last: the latest one that is over (or began before this one); next: the first to begin; this: of this year."""
    start = date(day.year, SEASONS[name], 1)
    over = start + relativedelta(months=3)
    if which in ("last", "this past"):
        return season(
            day.year if over <= day else day.year - 1 if over - relativedelta(years=1) <= day else day.year - 2, name
        )
    if which == "next":
        return season(day.year if start > day else day.year + 1, name)
    return season(day.year, name)


def _month_of(which: str, month: int, day: date) -> Resolved:
    year = day.year
    if which in ("last", "this past"):
        year -= month >= day.month
    elif which == "next":
        year += month <= day.month
    return f"{year:04d}-{month:02d}", None, "month", True


def _weekday(which: str, weekday: int, day: date) -> date:
    ahead = weekday - day.weekday()
    if which in ("last", "past", "this past"):
        return day + timedelta(ahead if ahead < 0 else ahead - 7)
    if which == "next":
        return day + timedelta(ahead + 7)
    return day + timedelta(ahead % 7 if which in ("coming", "this coming") else ahead)


def _nearest_year(named: date, day: date, past: bool | None) -> date:
    """The year in which a day without one lies: the latest or the next, by the tense."""
    if past and (named.year, named.month, named.day) > (day.year, day.month, day.day):
        return _years_on(named, -1)
    if past is False and named + relativedelta(months=1) <= day:
        return _years_on(named, 1)
    return named


def _step(which: str) -> int:
    return {"last": -1, "this past": -1, "the past": -1, "next": 1}.get(which, 0)


def _month(name: str) -> int:
    return next(number for number, month in enumerate(MONTHS, 1) if month.startswith(name[:3]))


def _day(day: date) -> Resolved:
    return day.isoformat(), None, "day", True


def _years_on(day: date, years: int) -> date:
    moved: date = day + relativedelta(years=years)
    return moved


def _ordinal(word: str) -> int:
    return {"first": 1, "second": 2, "third": 3}.get(word) or int(word)


def _number_of(weekday: str) -> int:
    return next(number for number, name in enumerate(WEEKDAYS) if name.startswith(weekday[:3]))
