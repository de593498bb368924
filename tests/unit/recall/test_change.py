"""Recall over what changed: what is current, what was, what is contested, and how it stood at an earlier time."""

import pytest

from eunoe.streams.errors import Rejected
from tests.unit.recall.house import House


@pytest.fixture
def house():
    return House()


def ids(found):
    return [item.id for item in found.items]


@pytest.fixture
def moved(house):
    house.fact(
        "Ana lives in Berlin.",
        at="2025-02-01T09:00:00Z",
        event="e1",
        superseded_by="m-fact-e2",
        valid_until="2026-03-01",
    )
    house.fact("Ana lives in Lisbon.", at="2026-03-02T09:00:00Z", event="e2", valid_from="2026-03-01")
    return house


def test_what_is_current_comes_before_what_was(moved):
    found = moved.ask("Where does Ana live?")
    scores = {item.id: item.score for item in found.items}
    assert scores["m-fact-e2"] > scores["m-fact-e1"]
    assert "Ana lives in Berlin. (superseded, until 2026-03-01)\n" in found.text
    outdated = {item.id: item.possibly_outdated for item in found.items}
    assert outdated == {"m-fact-e1": True, "m-fact-e2": False}


def test_superseded_ones_dont_crowd_out_current_ones(house):
    for n in range(60):
        at = f"2025-{n // 28 + 1:02}-{n % 28 + 1:02}T09:00:00Z"
        house.fact(f"Ana works on project Atlas{n}.", at=at, event=f"old{n}", superseded_by="m-fact-new")
    house.fact(
        "Since then it is the Borealis project that Ana works on most days.", at="2026-03-02T09:00:00Z", event="new"
    )
    found = house.ask("Which project does Ana work on?", budget=100)
    assert "m-fact-new" in ids(found)


def test_at_an_earlier_time_what_was_current_then_is_current(moved):
    found = moved.ask("Where does Ana live?", as_of="2026-01-01T00:00:00Z")
    (item,) = found.items
    assert item.text == "Ana lives in Berlin."
    assert (item.superseded_by, item.valid_until, item.possibly_outdated) == (None, None, False)
    assert "superseded" not in found.text


def test_at_an_earlier_time_only_what_was_said_by_then_counts(house):
    house.fact(
        "Ana likes chess.",
        event=[("e1", "2026-01-05T09:00:00Z"), ("e2", "2026-04-05T09:00:00Z")],
        at="2026-01-05T09:00:00Z",
    )
    house.turn("Chess is on Tuesday.", at="2026-02-01T09:00:00+09:00", event="e3")
    assert house.ask("chess", as_of="2026-01-01T00:00:00Z").items == ()
    (item,) = house.ask("chess", as_of="2026-01-06T00:00:00Z").items
    assert [source.event for source in item.sources] == ["e1"]
    assert item.last_confirmed == "2026-01-05T09:00:00Z"
    assert len(house.ask("chess", as_of="2026-02-01T00:00:00Z").items) == 2
    assert len(house.ask("chess", as_of="2026-02-01T08:59:59+09:00").items) == 1


def test_a_malformed_time_is_refused(moved):
    with pytest.raises(Rejected):
        moved.ask("Ana", as_of="last spring")


def test_both_sides_of_a_contradiction_are_returned_and_marked(house):
    house.fact("Ana has a cat called Miso.", at="2026-03-02T09:00:00Z", event="e1", contested_by=("m-fact-e2",))
    house.fact("The pet is called Tofu.", at="2026-03-05T09:00:00Z", event="e2", contested_by=("m-fact-e1",))
    found = house.ask("cat")
    assert ids(found) == ["m-fact-e1", "m-fact-e2"]
    assert found.text.count("(contested)\n") == 2
    early = house.ask("cat", as_of="2026-03-03T00:00:00Z")
    assert ids(early) == ["m-fact-e1"]
    assert early.items[0].contested_by == ()
    assert "contested" not in early.text


def test_a_contested_fact_stays_beside_its_turn(house):
    house.turn(
        "Our cat is called Miso and sleeps on the sill all day while the parrots shout at the postman.",
        at="2026-03-02T09:00:00Z",
        event="e1",
    )
    house.fact("Ana's cat is Miso.", at="2026-03-02T09:00:00Z", event="e1", contested_by=("m-fact-e2",))
    house.fact("Ana's cat is Tofu.", at="2026-03-05T09:00:00Z", event="e2", contested_by=("m-fact-e1",))
    assert set(ids(house.ask("cat"))) == {"m-e1", "m-fact-e1", "m-fact-e2"}


def test_what_was_retired_is_not_found(house):
    fact = house.fact("Ana likes chess.", at="2026-03-02T09:00:00Z", event="e1")
    house.change(fact, retired=True)
    assert house.ask("chess").items == ()


@pytest.mark.parametrize(
    ("kind", "at", "valid_until", "outdated"),
    [
        ("fact", "2026-06-01T09:00:00Z", None, False),
        ("fact", "2024-06-01T09:00:00Z", None, True),
        ("skill", "2024-06-01T09:00:00Z", None, True),
        ("episode", "2024-06-01T09:00:00Z", None, False),
        ("fact", "2026-06-01T09:00:00+02:00", "2026-06-30", False),
        ("fact", "2026-06-01T09:00:00+02:00", "2026-06-29", True),
        ("fact", "2026-06-01T09:00:00+02:00", "someday", False),
    ],
)
def test_what_may_have_stopped_being_true_is_said(house, kind, at, valid_until, outdated):
    house.fact("Ana: likes chess.", at=at, event="e1", kind=kind, valid_until=valid_until)
    (item,) = house.ask("chess").items
    assert item.possibly_outdated is outdated
