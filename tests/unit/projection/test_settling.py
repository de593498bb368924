"""Settling: what the items of one slot mean together, as a table of histories and what stands in the end."""

import itertools

import pytest

from eunoe.processors.projection.settling import MOST_CONTESTED, Evidence, group_of, item_id, normal, settle
from eunoe.streams.events import Correction, Item, Span
from eunoe.streams.times import key_of

SCOPE = "user/1"


def said(event, at, value, *, attribute="team", about="Ana", session="s", role="user", order=-1, **item):
    """Evidence of one saying."""
    at = at if "T" in at else f"{at}T12:00:00+00:00"
    item = {"single": True, "text": f"{about} {attribute} {value}", **item}
    made = Item(kind=item.pop("kind", "fact"), spans=(Span(event=event, start=0, end=10),), about=about,
                attribute=attribute, value=value, **item)  # fmt: skip
    return Evidence(id=item_id(SCOPE, event, 0, made), item=made, turn=1, session=session, role=role, at=at,
                    key=key_of(at), order=order, event=event, chunk=0)  # fmt: skip


def settled(*evidence, corrections=()):
    """Settled memories, checked to be the same whatever the order of evidence."""
    found = settle(SCOPE, evidence, corrections)
    for other in itertools.islice(itertools.permutations(evidence), 24):
        assert settle(SCOPE, other, corrections) == found
    return found


def shape(memories):
    """What stands: (value, sources, until, superseded, contested)."""
    return [
        (
            m.value,
            tuple(s.event for s in m.sources),
            (m.valid_until or "")[:10],
            bool(m.superseded_by),
            len(m.contested_by),
        )
        for m in memories
    ]


TABLE = {
    "one fact, two sources": (
        [("a", "2025-01-01", "Payments", {}), ("b", "2025-02-01", "payments.", {})],
        [("Payments", ("a", "b"), "", False, 0)],
    ),
    "the same sentence twice in one event": (
        [("a", "2025-01-01", "Payments", {}), ("a", "2025-01-01", "Payments", {})],
        [("Payments", ("a",), "", False, 0)],
    ),
    "three periods, the first value again": (
        [("a", "2025-01-01", "Payments", {}), ("b", "2025-04-01", "Search", {"changed": True}),
         ("c", "2025-07-01", "Payments", {"changed": True})],
        [("Payments", ("a",), "2025-04-01", True, 0), ("Search", ("b",), "2025-07-01", True, 0),
         ("Payments", ("c",), "", False, 0)],
    ),
    "three stated periods, none says that it changed": (
        [("a", "2025-08-01", "Payments", {"valid_from": "2025-01-01", "valid_until": "2025-03-31"}),
         ("b", "2025-08-02", "Search", {"valid_from": "2025-04-01", "valid_until": "2025-06-30"}),
         ("c", "2025-08-03", "Payments", {"valid_from": "2025-07-01"})],
        [("Payments", ("a",), "2025-03-31", False, 0), ("Search", ("b",), "2025-06-30", False, 0),
         ("Payments", ("c",), "", False, 0)],
    ),
    "another value and no word of change": (
        [("a", "2025-01-01", "Payments", {}), ("b", "2025-02-01", "Search", {})],
        [("Payments", ("a",), "", False, 1), ("Search", ("b",), "", False, 1)],
    ),
    "three values, each against each": (
        [("a", "2025-01-01", "A", {}), ("b", "2025-02-01", "B", {}), ("c", "2025-03-01", "C", {})],
        [("A", ("a",), "", False, 2), ("B", ("b",), "", False, 2), ("C", ("c",), "", False, 2)],
    ),
    "the later says it changed": (
        [("a", "2025-01-01", "Payments", {}), ("b", "2025-02-01", "Search", {"changed": True})],
        [("Payments", ("a",), "2025-02-01", True, 0), ("Search", ("b",), "", False, 0)],
    ),
    "the later says since when": (
        [("a", "2025-01-01", "Payments", {}),
         ("b", "2025-02-01", "Search", {"changed": True, "valid_from": "2025-01-20"})],
        [("Payments", ("a",), "2025-01-20", True, 0), ("Search", ("b",), "", False, 0)],
    ),
    "the earlier word of change says nothing of the later": (
        [("a", "2025-01-01", "Payments", {"changed": True}), ("b", "2025-02-01", "Search", {})],
        [("Payments", ("a",), "", False, 1), ("Search", ("b",), "", False, 1)],
    ),
    "many values at a time": (
        [("a", "2025-01-01", "tea", {"single": False}), ("b", "2025-02-01", "rice", {"single": False})],
        [("tea", ("a",), "", False, 0), ("rice", ("b",), "", False, 0)],
    ),
    "any more": (
        [("a", "2025-01-01", "Sichuan food", {"single": False}),
         ("b", "2025-03-01", "Sichuan food", {"single": False, "negative": True, "changed": True})],
        [("Sichuan food", ("a",), "2025-03-01", True, 0), ("Sichuan food", ("b",), "", False, 0)],
    ),
    "denied without a word of change": (
        [("a", "2025-01-01", "Sichuan food", {"single": False}),
         ("b", "2025-03-01", "Sichuan food", {"single": False, "negative": True})],
        [("Sichuan food", ("a",), "", False, 1), ("Sichuan food", ("b",), "", False, 1)],
    ),
    "two denials agree": (
        [("a", "2025-01-01", "Oslo", {"negative": True}), ("b", "2025-01-02", "Bergen", {"negative": True})],
        [("Oslo", ("a",), "", False, 0), ("Bergen", ("b",), "", False, 0)],
    ),
    "wide and narrow letters are one value": (
        [("a", "2025-01-01", "ＣＮ－Ｂ２０", {}), ("b", "2025-02-01", "cn-b20", {})],
        [("ＣＮ－Ｂ２０", ("a", "b"), "", False, 0)],
    ),
    "the earlier comes late": (
        [("b", "2025-02-01", "Search", {"changed": True}), ("a", "2025-01-01", "Payments", {})],
        [("Payments", ("a",), "2025-02-01", True, 0), ("Search", ("b",), "", False, 0)],
    ),
}  # fmt: skip

AGES = {
    "a year, a year older": ("age", "2024-03-01", "41", "2025-03-02", "42", True),
    "a day, a year older": ("age", "2025-03-01", "41", "2025-03-02", "42", True),
    "a month, ten years older": ("age", "2025-03-01", "41", "2025-04-01", "51", False),
    "ten years, ten years older": ("age", "2015-03-01", "41", "2025-04-01", "51", True),
    "younger": ("age", "2025-03-01", "42", "2025-04-01", "41", False),
    "five years at, a year later six": ("years_at", "2024-03-01", "five years (5)", "2025-03-01", "6 years", True),
    "five and, the same month, nine": ("years_at", "2025-03-01", "5 years", "2025-03-20", "9 years", False),
    "no number": ("age", "2024-03-01", "young", "2025-03-01", "old", False),
    "what does not grow": ("floor", "2024-03-01", "4", "2025-03-01", "5", False),
}


@pytest.mark.parametrize(("history", "stands"), TABLE.values(), ids=list(TABLE))
def test_histories_and_what_stands(history, stands):
    memories = settled(*[said(event, at, value, **more) for event, at, value, more in history])
    assert shape(memories) == stands


@pytest.mark.parametrize(
    ("attribute", "first", "before", "second", "after", "explained"), AGES.values(), ids=list(AGES)
)
def test_time_alone_explains(attribute, first, before, second, after, explained):
    old, new = settled(said("a", first, before, attribute=attribute), said("b", second, after, attribute=attribute))
    assert bool(old.superseded_by) is explained
    assert bool(old.contested_by) is not explained and bool(new.contested_by) is not explained
    if explained:
        assert old.superseded_by == new.id and old.valid_until[:10] == second and new.valid_until is None


def test_contested_sides_name_each_other():
    first, second = settled(said("a", "2025-01-01", "Payments"), said("b", "2025-02-01", "Search"))
    assert first.contested_by == (second.id,) and second.contested_by == (first.id,)


def test_a_memory_names_its_first_source_and_when_it_was_confirmed():
    (memory,) = settled(
        said("b", "2025-02-01T00:30:00+08:00", "Oslo", session="t"), said("a", "2025-01-01", "Oslo"),
        said("c", "2025-01-15", "Oslo", confidence=0.4),
    )  # fmt: skip
    assert [s.event for s in memory.sources] == ["a", "c", "b"]
    assert (memory.at, memory.last_confirmed) == ("2025-01-01T12:00:00+00:00", "2025-02-01T00:30:00+08:00")
    assert memory.id == "m-" + said("a", "2025-01-01", "Oslo").id
    assert memory.confidence == 1.0 and memory.key == key_of(memory.at)


def test_one_trusted_source_is_enough():
    told = said("a", "2025-01-01", "Oslo", untrusted=True)
    assert settled(told)[0].untrusted
    assert not settled(told, said("b", "2025-01-02", "Oslo"))[0].untrusted


def test_groups_are_slots_or_wordings():
    one = said("a", "2025-01-01", "Oslo").item
    assert group_of(one) == group_of(one.model_copy(update={"value": "Bergen", "text": "Other words."}))
    assert group_of(one) == group_of(one.model_copy(update={"about": "ANA"}))
    assert group_of(one) != group_of(one.model_copy(update={"about": "Theo"}))
    many = one.model_copy(update={"single": False})
    assert group_of(many) != group_of(many.model_copy(update={"value": "Bergen"}))
    skill = Item(kind="skill", text="Check the run.", spans=())
    assert group_of(skill) == group_of(Item(kind="skill", text=" check  the run ", spans=()))
    assert group_of(skill) != group_of(Item(kind="fact", text="Check the run.", spans=()))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("The  Blue Team.", "blue team"),
        ("ＡＢＣ", "abc"),
        ("«x»", "«x»"),
        ("my dog", "dog"),
        ("臺北", "臺北"),
        ("a", "a"),
    ],
)
def test_wordings_are_compared_without_dress(text, same):
    assert normal(text) == same


# -- corrections -------------------------------------------------------------------------------------


def correction(action, target, at="2025-06-01T00:00:00+00:00", **more):
    return Correction(scope=SCOPE, id=f"c-{action}", action=action, target=target, at=at, actor="ana",
                      **{"kind": "fact", "about": "Ana", "attribute": "team", **more})  # fmt: skip


def test_an_edit_changes_the_text_of_its_target_only():
    evidence = [said("a", "2025-01-01", "Payments"), said("b", "2025-02-01", "Search")]
    first, second = settle(SCOPE, evidence, [])
    edited = settled(*evidence, corrections=[correction("edit", first.id, text="Ana pays.", value="Payments")])
    assert [m.text for m in edited] == ["Ana pays.", second.text]
    assert edited[0].id == first.id and not edited[0].retired and edited[1].contested_by == (first.id,)


def test_a_retired_side_contests_nothing():
    evidence = [said("a", "2025-01-01", "Payments"), said("b", "2025-02-01", "Search")]
    first, _ = settle(SCOPE, evidence, [])
    gone, stays = settled(*evidence, corrections=[correction("retire", first.id, value="Payments")])
    assert gone.retired and not stays.retired
    assert gone.contested_by == () and stays.contested_by == ()


def test_what_is_said_after_a_correction_is_new_evidence():
    old = said("a", "2025-01-01", "Payments")
    (first,) = settle(SCOPE, [old], [])
    retire = correction("retire", first.id, value="Payments")
    other = said("b", "2025-09-01", "Search")
    assert [m.retired for m in settled(old, other, corrections=[retire])] == [True, False]


def test_a_late_saying_of_the_same_before_the_correction_goes_with_it():
    old, earlier = said("b", "2025-02-01", "Payments"), said("a", "2025-01-01", "Payments")
    (first,) = settle(SCOPE, [old], [])
    (both,) = settled(old, earlier, corrections=[correction("retire", first.id, value="Payments")])
    assert both.retired and [s.event for s in both.sources] == ["a", "b"]


def test_a_slot_with_very_many_values_is_contested_by_the_latest_only():
    many = [said(f"e{n:04}", "2025-01-01", f"v{n}", order=n) for n in range(3_000)]
    found = settle(SCOPE, many, [])
    assert len(found) == 3_000
    assert len(found[-1].contested_by) == MOST_CONTESTED
    assert max(len(memory.contested_by) for memory in found) == 2 * MOST_CONTESTED
