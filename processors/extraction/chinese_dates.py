"""Dates in Chinese text (simplified and traditional), resolved against the day on which it was said."""

import re
from datetime import date, timedelta

from eunoe.processors.extraction.dates import Resolved, When, away, edge, season, shifted

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "兩": 2, "〇": 0, "半": 0}
_HINT = re.compile(r"[天日周週月年晚早季春夏秋冬]|星期|礼拜|禮拜|今|昨|明")
_N = r"[一二两兩三四五六七八九十]{1,3}|\d{1,4}"
_WEEKDAY = "一二三四五六日天"
_FIND = re.compile(
    rf"(?P<y>(?:19|20)\d\d)\s?年(?:\s?(?P<m>\d{{1,2}}"
    rf"|[一二三四五六七八九十]{{1,2}})\s?月(?:\s?(?P<d>{_N})\s?[日号號])?)?"
    rf"|(?P<yw>去年|今年|明年|前年|后年|後年)(?:的)?(?:(?P<ym>{_N})月"
    rf"|(?P<season>[春夏秋冬])[天季]?)?(?P<yend>年?[底初])?"
    rf"|(?P<mw>上上|下下|上|下|这|這|本)(?:个|個)?月(?P<mend>底|初|末)?"
    rf"|(?P<ww>上上|下下|上|下|这|這|本)(?:个|個)?(?:周|週|星期|礼拜|禮拜)(?P<wd>[{_WEEKDAY}]|末)?"
    r"|(?P<day>大前天|前天|昨天|昨晚|昨日|今天|今晚|今早|今日|明天|明晚|明早|明日|大后天|大後天|后天|後天)"
    rf"|(?P<n>{_N})(?:多)?(?:个|個)?(?P<u>天|日|周|週|星期|礼拜|禮拜|月|年)(?:之|以)?(?P<dir>前|后|後)"
    rf"|(?P<md>\d{{1,2}}|[一二三四五六七八九十]{{1,2}})月(?:(?P<dd>{_N})[日号號])"
    rf"|(?<!每)(?:周|週|星期|礼拜|禮拜)(?P<bare>[{_WEEKDAY}])|(?P<bm>\d{1, 2}"
    rf"|[一二三四五六七八九十]{1, 2})月(?:份)?(?![底初末])|(?P<medge>月底|月初)"
)
_DAYS = {
    "大前天": -3,
    "前天": -2,
    "昨天": -1,
    "昨晚": -1,
    "昨日": -1,
    "明天": 1,
    "明晚": 1,
    "明早": 1,
    "明日": 1,
    "后天": 2,
    "後天": 2,
    "大后天": 3,
    "大後天": 3,
}
_YEARS = {"去年": -1, "今年": 0, "明年": 1, "前年": -2, "后年": 2, "後年": 2}
_STEPS = {"上上": -2, "上": -1, "下": 1, "下下": 2}
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_UNITS = {
    "天": "day",
    "日": "day",
    "周": "week",
    "週": "week",
    "星期": "week",
    "礼拜": "week",
    "禮拜": "week",
    "月": "month",
    "年": "year",
}


def find(text: str, day: date, past: bool | None = None) -> list[When]:
    """The dates that a Chinese text names, in order."""
    if not _HINT.search(text):
        return []
    found = []
    for match in _FIND.finditer(text):
        try:
            resolved = _resolved(match, day, past)
        except (ValueError, OverflowError):
            continue
        if resolved:
            first, last, precision, relative = resolved
            found.append(When(*match.span(), first, last, precision, relative))
    return found


def number(text: str) -> int:
    """三 → 3, 十二 → 12, 七十二 → 72, 20 → 20. Raises ValueError for what is none."""
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.partition("十")
    if not ten:
        if len(text) != 1 or text not in _DIGITS:
            raise ValueError
        return _DIGITS[text]
    if any(c not in _DIGITS for c in tens + ones) or len(tens) > 1 or len(ones) > 1:
        raise ValueError
    return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)


def _resolved(match: re.Match[str], day: date, past: bool | None) -> Resolved | None:
    if match["y"]:
        return _full(match)
    if match["yw"]:
        return _year(match, day)
    if match["mw"]:
        step = _STEPS.get(match["mw"], 0)
        if match["mend"]:
            return edge("start" if match["mend"] == "初" else "end", step, "month", day)
        return shifted(step, "month", day)
    if match["ww"]:
        return _week(match, day)
    if match["day"]:
        return _exact(day + timedelta(_DAYS.get(match["day"], 0)))
    if match["n"]:
        return away(number(match["n"]) * (-1 if match["dir"] == "前" else 1), _UNITS[match["u"]], day)
    if match["md"]:
        named = date(day.year, number(match["md"]), number(match["dd"]))
        return _exact(named.replace(year=day.year - 1) if past and named > day else named)
    if match["bare"]:
        ahead = (_index(match["bare"]) - day.weekday()) % 7
        return _exact(day + timedelta(ahead - 7 if past and ahead else ahead))
    if match["bm"]:
        month = number(match["bm"])
        later = past is False and month < day.month
        return f"{date(day.year + later - bool(past and month > day.month), month, 1):%Y-%m}", None, "month", True
    return edge("start" if match["medge"] == "月初" else "end", 0, "month", day)


def _full(match: re.Match[str]) -> Resolved:
    year = int(match["y"])
    if not match["m"]:
        return f"{year}", None, "year", False
    month = number(match["m"])
    if match["d"]:
        return date(year, month, number(match["d"])).isoformat(), None, "day", False
    return f"{date(year, month, 1):%Y-%m}", None, "month", False


def _year(match: re.Match[str], day: date) -> Resolved:
    year = day.year + _YEARS[match["yw"]]
    if match["ym"]:
        return f"{date(year, number(match['ym']), 1):%Y-%m}", None, "month", True
    if match["season"]:
        return season(year, _SEASONS[match["season"]])
    if match["yend"]:
        return f"{year:04d}-{1 if match['yend'].endswith('初') else 12:02d}", None, "month", True
    return f"{year:04d}", None, "year", True


def _week(match: re.Match[str], day: date) -> Resolved:
    step = _STEPS.get(match["ww"], 0)
    if match["wd"] == "末":
        return shifted(step, "weekend", day)
    if match["wd"]:
        return _exact(day + timedelta(7 * step - day.weekday() + _index(match["wd"])))
    return shifted(step, "week", day)


def _index(weekday: str) -> int:
    return min(_WEEKDAY.index(weekday), 6)


def _exact(day: date) -> Resolved:
    return day.isoformat(), None, "day", True
