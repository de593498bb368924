"""Dates are resolved against the day on which they were said, in the speaker's own zone."""

from datetime import date

import pytest

from eunoe.processors.extraction import chinese_dates, dates

DAY = date(2025, 6, 11)  # a Wednesday

ENGLISH = [
    ("yesterday", "2025-06-10", None, "day"),
    ("tomorrow", "2025-06-12", None, "day"),
    ("the day after tomorrow", "2025-06-13", None, "day"),
    ("last night", "2025-06-10", None, "day"),
    ("tonight", "2025-06-11", None, "day"),
    ("last Tuesday", "2025-06-10", None, "day"),
    ("last Tues", "2025-06-10", None, "day"),
    ("last Friday", "2025-06-06", None, "day"),
    ("this Friday", "2025-06-13", None, "day"),
    ("next Friday", "2025-06-20", None, "day"),
    ("last week", "2025-06-02", "2025-06-08", "week"),
    ("next week", "2025-06-16", "2025-06-22", "week"),
    ("this weekend", "2025-06-14", "2025-06-15", "day"),
    ("last month", "2025-05", None, "month"),
    ("next month", "2025-07", None, "month"),
    ("last year", "2024", None, "year"),
    ("last spring", "2025-03", "2025-05", "season"),
    ("last summer", "2024-06", "2024-08", "season"),
    ("last winter", "2024-12", "2025-02", "season"),
    ("next winter", "2025-12", "2026-02", "season"),
    ("three days ago", "2025-06-08", None, "day"),
    ("a couple of days ago", "2025-06-09", None, "day"),
    ("two weeks ago", "2025-05-28", None, "day"),
    ("in two weeks", "2025-06-25", None, "day"),
    ("in 3 months", "2025-09", None, "month"),
    ("five years ago", "2020", None, "year"),
    ("at the end of last month", "2025-05-31", None, "month"),
    ("since 2019", "2019", None, "year"),
    ("in March 2023", "2023-03", None, "month"),
    ("12 May 2026", "2026-05-12", None, "day"),
    ("May 12, 2026", "2026-05-12", None, "day"),
    ("the 3rd of March 2024", "2024-03-03", None, "day"),
    ("2026-05-12", "2026-05-12", None, "day"),
    ("in summer 2021", "2021-06", "2021-08", "season"),
]
CHINESE = [
    ("昨天", "2025-06-10", None, "day"),
    ("明天", "2025-06-12", None, "day"),
    ("大前天", "2025-06-08", None, "day"),
    ("上周", "2025-06-02", "2025-06-08", "week"),
    ("上周五", "2025-06-06", None, "day"),
    ("下週三", "2025-06-18", None, "day"),
    ("這個週末", "2025-06-14", "2025-06-15", "day"),
    ("下个月", "2025-07", None, "month"),
    ("上個月底", "2025-05-31", None, "month"),
    ("去年", "2024", None, "year"),
    ("去年夏天", "2024-06", "2024-08", "season"),
    ("三天前", "2025-06-08", None, "day"),
    ("两周后", "2025-06-25", None, "day"),
    ("2024年5月", "2024-05", None, "month"),
    ("2024年十二月3号", "2024-12-03", None, "day"),
]


@pytest.mark.parametrize(("words", "first", "last", "precision"), ENGLISH)
@pytest.mark.parametrize("frame", ["I saw it {}.", "{}, I saw it", "we met ({})"])
def test_english(words, first, last, precision, frame):
    [when] = dates.find(frame.format(words), DAY)
    assert (when.first, when.last, when.precision) == (first, last, precision)


@pytest.mark.parametrize(("words", "first", "last", "precision"), CHINESE)
@pytest.mark.parametrize("frame", ["我{}去了杭州。", "{}我們見面"])
def test_chinese(words, first, last, precision, frame):
    [when] = chinese_dates.find(frame.format(words), DAY)
    assert (when.first, when.last, when.precision) == (first, last, precision)


def test_the_tense_says_which_one_is_meant():
    [past] = dates.find("We met in October.", DAY, past=True)
    [future] = dates.find("We meet in October.", DAY, past=False)
    assert (past.first, future.first) == ("2024-10", "2025-10")
    assert [dates.find("on Friday", DAY, past)[0].first for past in (True, False)] == ["2025-06-06", "2025-06-13"]


@pytest.mark.parametrize(
    "text",
    [
        "Jan likes sailing.",
        "May said she agrees.",
        "I met Sun and Jon.",
        "April and June are twins.",
        "you may go",
        "we march on",
        "it is 12:30",
        "written by May",
    ],
)
def test_names_are_no_dates(text):
    assert dates.find(text, DAY) == []


@pytest.mark.parametrize(
    "text", ["31 February 2024", "2024-13-45", "in 999 years ago", "in 999 years", "9999年99月99日", "0 days ago"]
)
def test_impossible_dates_raise_nothing(text):
    dates.find(text, DAY)
    chinese_dates.find(text, date(9999, 12, 31))
    dates.find(text + " next week, in 12 years", date(9999, 12, 31))
    dates.find(text + " last year, 900 years ago", date(1, 1, 1))


@pytest.mark.parametrize(
    ("at", "tonight"),
    [
        ("2026-03-03T22:30:00-04:00", "2026-03-03"),
        ("2026-03-04T00:30:00+08:00", "2026-03-04"),
        ("2026-03-04T00:30:00", "2026-03-04"),
    ],
)
def test_the_day_is_the_speakers(said, at, tonight):
    [fact] = [i for i in said("I cooked dinner tonight.", at=at).items if i.kind == "fact"]
    assert fact.valid_from == tonight and f"tonight ({tonight})" in fact.text


def test_text_keeps_the_words_and_has_the_date_beside_them(said):
    [fact] = [i for i in said("I went to Porto yesterday.").items if i.kind == "fact"]
    assert fact.text == "Ana went to Porto yesterday (2026-05-11)."
    assert (fact.attribute, fact.value, fact.valid_from, fact.precision) == (
        "did",
        "went to Porto",
        "2026-05-11",
        "day",
    )
    [fact] = [i for i in said("上個月底我換了新工作。").items if i.kind == "fact"]
    assert (fact.valid_from, fact.precision) == ("2026-04-30", "month")


def test_a_season_is_a_period_and_a_state_goes_on(said):
    [visit] = [i for i in said("I visited Lima last spring").items if i.kind == "fact"]
    assert (visit.valid_from, visit.valid_until, visit.precision) == ("2025-03", "2025-05", "season")
    [moved] = [i for i in said("I moved to Lima last spring").items if i.kind == "fact"]
    assert (moved.attribute, moved.valid_from, moved.valid_until) == ("lives_in", "2025-03", None)


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ("from January to March 2025", "2025-01", "2025-03"),
        ("between Oct 2024 and Feb 2025", "2024-10", "2025-02"),
        ("from November 2025 to January", "2025-11", "2026-01"),
        ("from October to February 2026", "2025-10", "2026-02"),
    ],
)
def test_months_from_one_to_another(said, first, last):
    when = dates.find(f"Lena is assigned to Payments {said}.", date(2025, 6, 1))
    assert [(w.first, w.last, w.precision) for w in when] == [(first, last, "month")]
