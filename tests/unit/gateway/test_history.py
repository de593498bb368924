"""What a history means does not depend on how it came: late, twice, corrected, in halves."""

import json

import pytest

from eunoe.gateway.replaying import known_at
from eunoe.stores.memories import SqliteMemories
from eunoe.streams.errors import BadInput, IdReused, NotFound, Rejected
from tests.property.worlds import World, digest_in_order, opened, say


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path / "home")
    yield made
    made.close()


def test_a_late_turn_makes_the_old_result_inert(world, tmp_path):
    told = [say("a", "likes=tea", 0), say("b", "hello", 1), say("c", "same again", 2)]
    world.record(told[0], told[2])
    assert world.texts() == ["user likes tea"]
    assert [m.sources[0].event for m in world.facts()[0:1]] == ["a"] and len(world.facts()[0].sources) == 2
    world.record(told[1])
    (fact,) = world.facts()
    assert [s.event for s in fact.sources] == ["a"]
    assert world.digest() == digest_in_order(tmp_path / "ordered", told)
    assert world.rebuild().same_as_live


def test_a_late_turn_far_back_changes_only_what_reaches_to_it(world):
    world.record(*[say(f"t{n:02}", f"likes=thing{n}", n) for n in range(20)])
    world.settle()
    calls = world.plain.calls
    world.record(say("late", "likes=late", 5, order=99))
    world.settle()
    assert world.plain.calls - calls == 4  # itself, and the three turns that have it in their context
    assert len(world.facts()) == 21


def test_a_failure_and_its_fix_that_arrive_in_the_wrong_order(world, tmp_path):
    told = [say("a", "it broke", 0), say("b", "fixed by restarting", 1)]
    world.record(told[1])
    assert world.listing(kind="skill") == []
    world.record(told[0])
    (skill,) = world.listing(kind="skill")
    assert skill.text == "When it broke: fixed by restarting"
    assert world.digest() == digest_in_order(tmp_path / "ordered", told)


def test_years_late_is_validity_by_event_time(world, tmp_path):
    told = [say("a", "city=Oslo", day=1), say("b", "now city=Bergen", day=5), say("c", "now city=Oslo", day=9)]
    world.record(told[2])
    world.settle()
    world.record(told[0])
    world.settle()
    world.record(told[1])
    periods = [(m.value, (m.valid_until or "")[:10], bool(m.superseded_by)) for m in world.facts()]
    assert periods == [("Oslo", "2025-01-05", True), ("Bergen", "2025-01-09", True), ("Oslo", "", False)]
    assert world.digest() == digest_in_order(tmp_path / "ordered", told)


def test_the_same_sentence_twice_is_one_fact_with_two_sources(world):
    world.record(say("a", "likes=tea", session="s1"), say("b", "likes=tea", 1, session="s2"))
    (fact,) = world.facts()
    assert [(s.event, s.session) for s in fact.sources] == [("a", "s1"), ("b", "s2")]


def test_a_report_without_id_twice_is_a_duplicate_and_within_one_call_is_not(world):
    report = {k: v for k, v in say("x", "likes=tea").items() if k != "id"}
    (first,) = world.record(report)
    (again,) = world.record(report)
    assert again.duplicate and again.position == first.position and again.id == first.id
    both = world.record(report, report)
    assert [one.duplicate for one in both] == [True, False] and both[0].id != both[1].id
    assert [one.duplicate for one in world.record(report, report)] == [True, True]


def test_long_text_is_one_id_in_chunks_and_a_retry_is_a_duplicate(world):
    text = "I walked on. " * 4000
    (first,) = world.record(say("long", text))
    (again,) = world.record(say("long", text))
    assert again.duplicate and again.position == first.position
    with pytest.raises(IdReused):
        world.record(say("long", text + "Then home."))
    assert "".join(line.text for line in world.log("user/1") if line.kind == "interaction") == text


def test_a_refused_turn_refuses_all_of_its_call(world):
    with pytest.raises(Rejected, match="turn 1"):
        world.record(say("a", "likes=tea"), say("b", ""), say("c", "likes=rice"))
    assert [line for line in world.log() if line.kind == "interaction"] == []


def test_events_of_one_id_in_two_scopes(world):
    first, second = world.record(say("a", "likes=tea"), say("a", "likes=rice", scope="user/12"))
    assert not first.duplicate and not second.duplicate
    assert world.texts() == ["user likes tea"] and world.texts("user/12") == ["user likes rice"]


# -- corrections -------------------------------------------------------------------------------------


@pytest.fixture
def many(world, tmp_path):
    """Ninety-five facts of one session, imported from a file."""
    path = tmp_path / "history.jsonl"
    reports = [say(f"t{n:02}", f"likes=thing{n}", n) for n in range(95)]
    path.write_text("".join(json.dumps(r) + "\n" for r in reports))
    world.import_file(path)
    world.path = path
    return world


def test_one_corrected_of_ninety_five(many):
    chosen = many.facts()[41]
    before = {m.id: m for m in many.facts()}
    edited = many.edit(chosen.id, "User likes thing 41 very much.")
    assert edited.id == chosen.id and edited.text == "User likes thing 41 very much."
    after = {m.id: m for m in many.facts()}
    assert {id: m for id, m in after.items() if id != chosen.id} == {i: m for i, m in before.items() if i != chosen.id}
    assert sum(line.kind == "correction" for line in many.log()) == 1
    digest = many.digest()
    assert many.rebuild().same_as_live and many.digest() == digest
    assert many.get(chosen.id).text == edited.text
    imported = many.import_file(many.path)
    assert (imported.recorded, imported.duplicates) == (0, 95) and many.digest() == digest


def test_retired_and_taken_back(many):
    chosen, plain = many.facts()[3], many.digest()
    assert many.retire(chosen.id).retired
    assert chosen.id not in {m.id for m in many.facts()} and len(many.facts(retired=True)) == 95
    assert many.rebuild().same_as_live and many.get(chosen.id).retired
    assert not many.undo(chosen.id).retired
    assert many.digest() == plain
    assert many.rebuild().same_as_live
    with pytest.raises(NotFound):
        many.undo(chosen.id)


def test_undo_takes_the_newest_correction_back(many):
    chosen = many.facts()[3]
    many.edit(chosen.id, "First.")
    many.edit(chosen.id, "Second.")
    assert many.undo(chosen.id).text == "First."
    assert many.undo(chosen.id).text == chosen.text


def test_a_correction_holds_when_a_late_turn_changes_the_unit(world, tmp_path):
    told = [say("a", "likes=tea", 0), say("b", "likes=rice", 2)]
    world.record(*told)
    chosen = next(m for m in world.facts() if m.value == "rice")
    world.retire(chosen.id)
    world.record(say("late", "hello", 1))
    assert world.texts() == ["user likes tea"]
    assert world.get(chosen.id).retired
    assert world.rebuild().same_as_live


def test_what_is_said_after_a_retirement_is_new_evidence(world):
    world.record(say("a", "city=Oslo"))
    world.retire(world.facts()[0].id)
    world.record({**say("b", "city=Bergen"), "at": "2031-01-01T00:00:00+00:00"})
    assert world.texts() == ["user city Bergen"]


def test_an_unknown_memory(world):
    for call in (lambda: world.edit("m-nothing", "x"), lambda: world.retire("m-00"), lambda: world.undo("")):
        with pytest.raises(NotFound):
            call()


@pytest.mark.parametrize("text", ["", "  \n ", "x" * 4001, "a\x00b", "\ud800"])
def test_a_correction_that_is_none(many, text):
    with pytest.raises((Rejected, BadInput)):
        many.edit(many.facts()[0].id, text)


# -- ids, positions, halves --------------------------------------------------------------------------


def test_an_id_given_out_resolves_after_passes_and_rebuilds(many):
    given = {m.id: m.text for m in many.listing()}
    many.record(*[say(f"later{n}", f"likes=thing{n}", n, day=2, session="t") for n in range(95)])
    many.settle()
    many.rebuild()
    assert {id: many.get(id).text for id in given} == given
    many.record(*[say(f"earlier{n}", f"likes=thing{n}", n, day=1, session="r", order=-5) for n in range(0, 95, 5)])
    many.settle()
    assert many.rebuild().same_as_live
    for id, text in given.items():
        assert many.get(id) is not None and many.get(id).text == text


def test_what_was_known_at_a_position(world):
    positions = [world.record(say(f"t{n}", f"now city=town{n}", n))[0].position for n in range(4)]
    world.settle()
    for n, position in enumerate(positions):
        with known_at(world.home, ["user/1"], position) as past:
            held = SqliteMemories(past.reader).listing("user/1", kind="fact")
            assert [m.value for m in held if not m.superseded_by] == [f"town{n}"]


def test_an_import_in_pieces_with_overlaps_is_the_same(world, tmp_path):
    reports = [say(f"t{n:02}", f"likes=thing{n % 7} same", n, order=n) for n in range(40)]
    for piece in (reports[20:], reports[:25], reports[10:30], reports):
        path = tmp_path / "piece.jsonl"
        path.write_text("".join(json.dumps(r) + "\n" for r in piece))
        world.import_file(path)
    assert world.digest() == digest_in_order(tmp_path / "ordered", reports)


def test_a_home_of_one_partition_and_one_of_twelve_agree(tmp_path):
    reports = [say(f"t{n}", f"likes=thing{n % 3}", n, scope=f"user/{n % 5}") for n in range(30)]
    digests = {digest_in_order(tmp_path / str(count), reports, partitions=count).digest for count in (1, 4, 12)}
    assert len(digests) == 1


def test_the_number_of_partitions_stays_that_of_the_making(tmp_path):
    with opened(tmp_path / "home", partitions=12) as world:
        world.record(say("a", "likes=tea"))
    with opened(tmp_path / "home", partitions=4) as world:
        assert world.home.log.partitions == 12 and world.texts() == ["user likes tea"]


def test_status_says_which_step_waits(world):
    world.record(say("a", "likes=tea"), say("b", "likes=rice", 1))
    behind = world.status()
    assert behind.waiting == "projection" and behind.staleness.events >= 2 and behind.queue == 0
    assert any(one.behind for one in behind.projections)
    with world.runtime.lease():
        world.runtime.work(extract=False)
    waiting = world.status()
    assert waiting.waiting == "extraction" and waiting.queue == 2 and waiting.staleness.events == 2
    world.settle()
    done = world.status()
    assert done.waiting is None and done.queue == 0 and done.staleness.events == 0 and done.staleness.seconds == 0
