"""What fails parks alone: other streams go on, a person looks, retries or drops, and a rebuild stops or agrees."""

import pytest

from eunoe.processors.projection.fold import Fold
from eunoe.streams.errors import NotFound, Parked
from eunoe.streams.events import Interaction
from tests.property.worlds import Plain, World, say

OTHER = "user/2"


class Fault:
    """Makes the fold raise on events whose text holds a word."""

    def __init__(self, monkeypatch):
        self.words, take = {"bad"}, Fold.take

        def failing(fold, opened):
            event = opened.event
            if isinstance(event, Interaction) and self.words & set(event.text.split()):
                raise ZeroDivisionError("a secret of the turn")
            return take(fold, opened)

        monkeypatch.setattr(Fold, "take", failing)


@pytest.fixture
def fault(monkeypatch):
    return Fault(monkeypatch)


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path / "home", partitions=1)
    yield made
    made.close()


@pytest.fixture
def parked(world, fault):
    """One bad event between good ones, in one of two streams of one partition."""
    world.record(say("a", "likes=tea"))
    world.settle()
    world.record(
        say("x", "bad city=Oslo", 1),
        say("b", "likes=rice", 2),
        say("o", "likes=figs", scope=OTHER),
    )
    world.settle()
    return world


def test_other_streams_go_on_and_this_one_waits(parked):
    assert parked.texts() == ["user likes tea"]
    assert parked.texts(OTHER) == ["user likes figs"]
    (letter,) = parked.dead_letters()
    assert (letter.step, letter.scope, letter.event, letter.attempts) == ("projection", "user/1", "x", 1)
    assert letter.reason == "ZeroDivisionError"
    parked.record(say("c", "likes=plums", 3), say("p", "likes=dates", scope=OTHER))
    assert parked.texts() == ["user likes tea"]
    assert parked.texts(OTHER) == ["user likes dates", "user likes figs"]
    assert parked.status().dead_letters == 1


def test_settling_ends_though_the_results_of_a_parked_stream_wait(world, fault):
    """The turn before the bad one still lacks its result when the stream parks."""
    world.record(say("a", "likes=tea"))
    with world.runtime.lease():
        world.runtime.work(extract=False)
    world.record(say("x", "bad", 1))
    with world.runtime.lease():
        world.runtime.work(extract=False)
    assert [letter.event for letter in world.dead_letters()] == ["x"]
    assert len(world.runtime.settle(timeout=20)) == 1
    assert world.runtime.settled()
    fault.words.clear()
    world.retry(world.dead_letters()[0].id)
    assert world.texts() == ["user likes tea"]
    assert world.rebuild().same_as_live


def test_a_retry_after_the_fix_applies_what_waited_in_order(parked, fault, tmp_path):
    parked.record(say("c", "now city=Bergen", 3))
    parked.settle()
    letter = parked.dead_letters()[0]
    with pytest.raises(ZeroDivisionError):
        parked.retry(letter.id)
    assert [one.id for one in parked.dead_letters()] == [letter.id]
    fault.words.clear()
    parked.retry(letter.id)
    assert parked.dead_letters() == []
    assert parked.texts() == ["user city Bergen", "user city Oslo", "user likes rice", "user likes tea"]
    old = next(m for m in parked.facts() if m.value == "Oslo")
    assert old.superseded_by is not None
    assert parked.rebuild().same_as_live


def test_a_drop_with_a_reason_goes_on_and_survives_a_rebuild(parked):
    with pytest.raises(Parked, match="ZeroDivisionError"):
        parked.rebuild()
    assert parked.texts(OTHER) == ["user likes figs"]
    parked.drop(parked.dead_letters()[0].id, reason="can't be read", actor="ana")
    assert parked.dead_letters() == []
    assert parked.texts() == ["user likes rice", "user likes tea"]
    parked.record(say("c", "likes=plums", 3))
    assert "user likes plums" in parked.texts()
    assert parked.rebuild().same_as_live
    assert any(line.kind == "decision" and line.details["reason"] == "can't be read" for line in parked.log("user/1"))


def test_two_bad_events_of_one_stream_park_one_after_the_other(world, fault):
    world.record(say("a", "likes=tea"))
    world.settle()
    world.record(say("x", "bad", 1), say("b", "likes=rice", 2), say("y", "bad", 3), say("c", "likes=figs", 4))
    world.settle()
    world.drop(world.dead_letters()[0].id, reason="first", actor="ana")
    assert [letter.event for letter in world.dead_letters()] == ["y"]
    assert world.texts() == ["user likes tea"]  # the turn before the second bad one stands; its result waits
    assert len(world.listing(kind="episode")) == 1
    world.drop(world.dead_letters()[0].id, reason="second", actor="ana")
    assert world.dead_letters() == []
    assert world.texts() == ["user likes figs", "user likes rice", "user likes tea"]
    assert world.rebuild().same_as_live


def test_a_rebuild_that_meets_a_failure_stops_and_changes_nothing(world, fault):
    fault.words.clear()
    world.record(say("a", "likes=tea"), say("x", "bad city=Oslo", 1))
    digest, file = world.digest(), world.home.projections.link.resolve()
    fault.words.add("bad")
    with pytest.raises(Parked) as stopped:
        world.rebuild()
    assert "secret" not in str(stopped.value)
    assert world.home.projections.link.resolve() == file and world.digest() == digest
    assert world.dead_letters() == []


def test_an_unknown_letter(world):
    with pytest.raises(NotFound):
        world.retry("d-nothing")
    with pytest.raises(NotFound):
        world.drop("d-nothing", reason="x")


# -- extraction --------------------------------------------------------------------------------------


@pytest.fixture
def failing(tmp_path):
    made = World(tmp_path / "home", partitions=1, plain=Plain("boom"))
    made.record(
        say("a", "likes=tea"), say("x", "boom likes=figs", 1), say("b", "likes=rice", 2),
        say("x", "boom likes=figs", 1, scope=OTHER), say("o", "likes=dates", 2, scope=OTHER),
    )  # fmt: skip
    made.settle()
    yield made
    made.close()


def test_a_unit_that_fails_parks_alone(failing):
    assert failing.texts() == ["user likes rice", "user likes tea"]
    assert failing.texts(OTHER) == ["user likes dates"]
    letters = failing.dead_letters()
    assert sorted((one.step, one.scope, one.event) for one in letters) == [
        ("extraction", "user/1", "x"), ("extraction", OTHER, "x"),
    ]  # fmt: skip
    assert {one.reason for one in letters} == {"RuntimeError"}
    assert len({one.id for one in letters}) == 2
    assert failing.status().queue == 0


def test_a_retry_is_for_one_scope_only(failing):
    letter = next(one for one in failing.dead_letters() if one.scope == OTHER)
    failing.retry(letter.id)
    left = {one.scope: one.attempts for one in failing.dead_letters()}
    assert left == {"user/1": 1, OTHER: 2}
    failing.plain.fails.clear()
    failing.retry(letter.id)
    assert [one.scope for one in failing.dead_letters()] == ["user/1"]
    assert failing.texts(OTHER) == ["user likes dates", "user likes figs"]
    assert failing.texts() == ["user likes rice", "user likes tea"]


def test_a_dropped_unit_stays_dropped(failing):
    for letter in failing.dead_letters():
        failing.drop(letter.id, reason="noise", actor="ana")
    assert failing.dead_letters() == []
    failing.plain.fails.clear()
    assert failing.rebuild().same_as_live
    assert failing.texts() == ["user likes rice", "user likes tea"]
    failing.record(say("z", "likes=plums", 9))
    assert failing.texts() == ["user likes plums", "user likes rice", "user likes tea"]


def test_a_unit_that_changes_leaves_no_stale_letter(failing):
    """A late turn makes another unit of the failed turn; once that has its result, nothing is parked."""
    failing.plain.fails.clear()
    failing.record(say("late", "hello", 0, order=1))
    failing.settle()
    assert [one.scope for one in failing.dead_letters()] == [OTHER]
    assert failing.texts() == ["user likes figs", "user likes rice", "user likes tea"]
    assert failing.rebuild().same_as_live


def test_a_rebuild_does_not_ask_the_extractor(failing):
    calls = failing.plain.calls
    failing.drop(failing.dead_letters()[0].id, reason="noise", actor="ana")
    failing.drop(failing.dead_letters()[0].id, reason="noise", actor="ana")
    assert failing.rebuild().model_calls == 0
    assert failing.plain.calls == calls


def test_chunks_that_both_fail_are_one_letter(tmp_path):
    world = World(tmp_path / "home", plain=Plain("boom"))
    try:
        world.record(say("long", "boom likes=tea. " * 400))
        world.settle()
        (letter,) = world.dead_letters()
        world.plain.fails.clear()
        world.retry(letter.id)
        assert world.dead_letters() == [] and world.texts() == ["user likes tea"]
    finally:
        world.close()
