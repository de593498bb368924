"""Precision and recall on turns labelled by hand: kinds of statements, instructions and what must not be learned."""

import json
from pathlib import Path
from typing import Any

import pytest

TURNS = [json.loads(line) for line in (Path(__file__).parent / "turns.jsonl").read_text("utf-8").splitlines()]
FACTS = [t for t in TURNS if "facts" in t]
SKILLS = [t for t in TURNS if "skill" in t]
NOTHING = [t for t in TURNS if "reason" in t]


def learned(said, labelled: dict[str, Any]):
    """The facts and skills of a labelled turn."""
    return [i for i in said(labelled["text"], labelled.get("context", ())).items if i.kind != "episode"]


def slots(items) -> set[tuple[Any, ...]]:
    return {(i.about, i.attribute, i.value, i.negative) for i in items if i.kind == "fact"}


def test_there_are_enough_of_each_kind():
    assert len(TURNS) >= 120
    assert min(len(FACTS), len(NOTHING)) >= 25 and len(SKILLS) >= 12
    assert sum(any("\u4e00" <= c <= "\u9fff" for c in t["text"]) for t in TURNS) >= 25


@pytest.mark.parametrize("labelled", TURNS, ids=lambda t: t["text"][:30])
def test_nothing_else_is_learned(said, labelled):
    wanted = {tuple(f) for f in labelled.get("facts", ())}
    assert slots(learned(said, labelled)) - wanted == set()


def test_recall_of_facts(said):
    wanted = [(t["text"], tuple(f)) for t in FACTS for f in t["facts"]]
    missed = [
        (text, fact)
        for t in FACTS
        for text, fact in wanted
        if text == t["text"] and fact not in slots(learned(said, t))
    ]
    assert len(missed) <= len(wanted) * 0.02, missed


def test_recall_of_skills(said):
    missed = [
        t["text"] for t in SKILLS if not any(t["skill"] in (i.slots or {}).get("action", "") for i in learned(said, t))
    ]
    assert missed == []


def test_skills_are_drawn_from_no_other_turn(said):
    assert [t["text"] for t in FACTS + NOTHING if any(i.kind == "skill" for i in learned(said, t))] == []


@pytest.mark.parametrize("labelled", NOTHING, ids=lambda t: t["text"][:30])
def test_what_holds_nothing_says_why(said, labelled):
    assert learned(said, labelled) == []
    assert said(labelled["text"]).reason == labelled["reason"]


@pytest.mark.parametrize("labelled", FACTS, ids=lambda t: t["text"][:30])
def test_change_is_marked_only_where_the_source_says_so(said, labelled):
    assert any(i.changed for i in learned(said, labelled)) == labelled.get("changed", False)


@pytest.mark.parametrize("labelled", FACTS, ids=lambda t: t["text"][:30])
def test_texts_name_the_speaker_and_speak_of_nobody_as_i(said, labelled):
    for item in learned(said, labelled):
        assert "Ana" in item.text
        if item.text.isascii() and "asks: " not in item.text:
            assert {"I", "my", "I'm", "I've", "me"}.isdisjoint(item.text.replace(",", " ").split())


@pytest.mark.parametrize("labelled", FACTS + SKILLS, ids=lambda t: t["text"][:30])
def test_spans_are_the_words_that_it_stands_on(said, labelled):
    for item in learned(said, labelled):
        [span] = item.spans
        words = labelled["text"][span.start : span.end]
        assert words and words == words.strip()
        if item.value and item.value != "manually":
            assert all(part in words for part in item.value.split()[:1])
