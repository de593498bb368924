"""Faults that users of memory systems have met when they asked to be forgotten, and keys that changed in between."""

import shutil
import threading

import pytest

from eunoe.processors.forgetting import forgetting
from eunoe.streams.errors import BadInput, Forgotten, IdReused, NotFound, UnknownScope
from tests.property.histories import found_bytes
from tests.property.worlds import say

WORD = "zqtrgbnvmkhgdfrtzx"


def texts(memory, scope, kind=None):
    return sorted(m.text for m in memory.memories(scope, kind))


def anywhere(memory, places, word=WORD):
    """Where a word stands: in the doors' answers and in the files' bytes."""
    found = [m.id for scope in memory.scopes() for m in memory.memories(scope, retired=True) if word in m.text]
    found += [
        item.id for scope in memory.scopes() for item in memory.recall(word, scope=scope).items if word in item.text
    ]
    found += [path for scope in memory.scopes() for path, text in memory.files(scope).items() if word in text]
    found += [line.position for line in memory.log() if word in line.text or word in str(line.details)]
    return found + found_bytes(places.path, [word])


def test_a_memory_goes_from_everywhere_and_stays_away(memory, places):
    memory.record_many([say("x", f"team={WORD} now", 30, scope="user/0", speaker="ana")])
    memory.settle()
    fact = next(m for m in memory.memories("user/0", "fact") if WORD in m.text)
    memory.edit(fact.id, f"Ana is in {WORD}")
    memory.recall(WORD, scope="user/0", session="s")
    memory.report("r-1", outcome="helped", used=[fact.id])
    assert anywhere(memory, places)

    receipt = memory.forget(memory=fact.id)
    assert receipt.target == "memory"
    assert anywhere(memory, places) == []
    assert not any(WORD in item.text for item in memory.context("s", scope="user/0").items)
    with pytest.raises(NotFound):
        memory.memory(fact.id)
    memory = places.open()
    assert anywhere(memory, places) == []
    assert memory.rebuild().same_as_live
    assert anywhere(memory, places) == []
    assert memory.prove(canaries=[WORD]).ok


def test_a_scope_of_1300_memories_goes_in_one_operation(places):
    memory = places.open()
    memory.record_many([say(f"e{n}", f"pet=p{n} {WORD}", n % 60, scope="user/1") for n in range(650)])
    memory.record_many([say(f"e{n}", "hello", n, scope="user/2") for n in range(5)])
    memory.settle()
    assert len(memory.memories("user/1", retired=True)) == 1300
    receipt = memory.forget(scope="user/1")
    assert receipt.projections["memories"]["gone"] == 1300
    assert len(receipt.records) == 1300  # turns and results
    with pytest.raises(UnknownScope):
        memory.memories("user/1")
    assert len(memory.memories("user/2")) == 5
    assert anywhere(memory, places) == []


def test_a_fact_of_two_events_stays_with_the_other(places):
    memory = places.open()
    memory.record_many([say("a", f"city=Oslo {WORD}", 1, speaker="ana"), say("b", "city=Oslo", 2, speaker="ana")])
    memory.settle()
    (fact,) = memory.memories("user/1", "fact")
    assert len(fact.sources) == 2
    plan = memory.dry_run(event="a", scope="user/1")
    assert plan.built_again == [fact.id]
    memory.forget(event="a", scope="user/1")
    (left,) = memory.memories("user/1", "fact")
    assert [source.event for source in left.sources] == ["b"]
    assert left.text == "ana city Oslo"
    assert anywhere(memory, places) == []


def test_only_the_named_scope_of_two_that_name_things_alike(places):
    memory = places.open()
    for scope in ("user/1", "user/2"):
        memory.record_many([say("same", "city=Oslo", 1, scope=scope, session="s", subject=["ana"])])
    memory.settle()
    memory.forget(event="same", scope="user/1")
    assert len(memory.memories("user/2")) == 2
    memory.record_many([say("more", "city=Oslo", 2, scope=scope, subject=["ana"]) for scope in ("user/1", "user/2")])
    memory.settle()
    memory.forget(subject="ana", scope="user/2")
    assert len(memory.memories("user/1")) == 2
    assert memory.memories("user/2") == []


def test_nothing_reappears_while_others_record_and_extract(places):
    memory = places.open()
    memory._home.runtime.start()
    stop = threading.Event()

    def producer():
        n = 0
        while not stop.wait(0.01):
            n += 1
            memory.record_many([say(f"p{n}", f"pet=p{n}", n % 900, scope="user/1")])

    thread = threading.Thread(target=producer)
    thread.start()
    try:
        for n in range(6):
            memory.record_many(
                [say(f"x{n}", f"team={WORD} now", n, scope="user/1"), say(f"y{n}", "same", n, scope="user/1")]
            )
            memory.forget(event=f"x{n}", scope="user/1")
    finally:
        stop.set()
        thread.join()
    memory.settle()
    assert anywhere(memory, places) == []
    assert memory.rebuild().same_as_live
    assert memory.prove(canaries=[WORD]).ok


LATE = {
    "of the scope": ({"scope": "user/1"}, say("late", WORD, 40, scope="user/1"), True),
    "of the subject": ({"subject": "user/1"}, say("late", WORD, 40, scope="team/x", subject=["user/1", "zoe"]), True),
    "of the session": ({"scope": "user/1", "session": "s"}, say("late", WORD, 40, scope="user/1"), True),
    "of another session": ({"scope": "user/1", "session": "s"}, say("l", "hi", 4, scope="user/1", session="t"), False),
    "from after the request": (
        {"scope": "user/1"}, say("l", "hi", 4, scope="user/1") | {"at": "2040-01-01T00:00:00+00:00"}, False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("late", LATE)
def test_what_comes_in_between_plan_and_request_goes_too(memory, places, monkeypatch, late):
    named, report, goes = LATE[late]
    real = forgetting.planned

    def planned(*given):
        plan = real(*given)
        memory.record(**report)
        return plan

    monkeypatch.setattr(forgetting, "planned", planned)
    receipt = memory.forget(**named)
    monkeypatch.undo()
    assert len(receipt.records) == 8 + goes
    assert memory.verify().ok
    memory.settle()
    if goes:
        assert anywhere(memory, places) == []
        with pytest.raises(Forgotten):
            memory.record(**report)
    else:
        assert memory.record(**report).duplicate
    assert memory.prove(canaries=[WORD]).ok


def test_a_producer_that_replays_is_refused_and_counted(memory, places):
    gone = [say(f"e{n}", f"city=Graz {WORD}", n, scope="user/1") for n in range(20, 24)]
    memory.record_many(gone)
    memory.forget(scope="user/1")
    for report in gone:
        with pytest.raises(Forgotten, match="readmit"):
            memory.record(**report)
    with pytest.raises(Forgotten):
        memory.record(**say("another", "of the same scope, from before", 30, scope="user/1"))
    assert memory.status().refused == 5
    after = say("after", "said after the request", 1, scope="user/1") | {"at": "2040-01-01T00:00:00+00:00"}
    assert not memory.record(**after).duplicate
    memory.settle()
    assert texts(memory, "user/1") == ["user: said after the request"]
    assert anywhere(memory, places) == []


def test_readmitted_is_as_it_was(memory):
    before = memory.digest().digest
    lines = [say(f"e{n}", f"{('city=Bergen', 'likes=tea', 'broke', 'fixed it')[n // 3 % 4]} word{n}", n,
                 scope=f"user/{n % 3}", speaker="ana") for n in range(12)]  # fmt: skip
    memory.forget(scope="user/1")
    assert memory.digest().digest != before
    assert memory.readmit(scope="user/1") > 0
    for line in lines:
        assert memory.record(**line).duplicate == (line["scope"] != "user/1")
    assert memory.digest().digest == before
    assert memory.rebuild().digest == before
    assert memory.verify().ok


def test_after_many_retirements_nothing_dangles(memory):
    for scope in memory.scopes():
        for held in memory.memories(scope):
            memory.retire(held.id)
    for scope in memory.scopes():
        assert memory.memories(scope) == []
    memory.forget(scope="user/1")
    proof = memory.prove()
    assert proof.ok
    assert not any(scan.stray for scan in proof.scans)


@pytest.mark.parametrize("first", ["ana", "theo", "mira"])
def test_any_subject_of_several_closes_an_event(places, first):
    memory = places.open()
    memory.record_many(
        [say("x", f"we met {WORD}", 1, subject=["ana", "theo", "mira"]), say("y", "alone", 2, subject=["zoe"])]
    )
    memory.settle()
    memory.forget(subject=first)
    assert anywhere(memory, places) == []
    # the result of `y` had `x` in its context: it was sealed to all of them, and was made again
    assert texts(memory, "user/1") == ["user: alone"]
    log = memory._home.log
    for partition in range(log.partitions):
        for opened in log.open(log.read(partition, -1, 100)):
            assert opened.event is None or first not in opened.event.subjects
    assert memory.verify().ok
    assert memory.prove(canaries=[WORD]).ok


@pytest.mark.parametrize("rotate", ["subject", "master", "both"])
def test_keys_that_were_rotated_between_record_and_forget(places, rotate):
    memory = places.open()
    memory.record_many([say("x", f"we met {WORD}", 1, subject=["ana", "theo"]), say("y", "alone", 2, subject=["theo"])])
    memory.settle()
    if rotate != "master":
        memory.rotate_subject("ana")
        memory.rotate_subject("theo")
    if rotate != "subject":
        memory.rotate_master()
    memory = places.open()
    assert texts(memory, "user/1") == ["user: alone", f"user: we met {WORD}"]
    memory.forget(subject="ana")
    assert texts(memory, "user/1") == ["user: alone"]
    memory.rotate_subject("theo")
    memory = places.open()
    assert memory.verify().ok
    assert memory.rebuild().same_as_live
    assert anywhere(memory, places) == []
    assert memory._home.keyring.find_subject("ana") is None


def test_a_keyring_put_back_revives_nothing(memory, places, tmp_path):
    places.close()
    shutil.copy(places.path / "books.db", tmp_path / "books.db")
    memory = places.open()
    memory.forget(scope="user/1")
    places.close()
    shutil.copy(tmp_path / "books.db", places.path / "books.db")
    memory = places.open()
    assert memory._home.keyring.find_subject("user/1") is None
    assert memory._home.keyring.find_stream("user/1") is None
    assert memory.verify().ok
    assert memory.rebuild().same_as_live


def test_a_redaction_leaves_a_tombstone_that_goes_with_its_scope(places):
    memory = places.open()
    scope = f"user/{WORD}"
    redacted = say("x", "city=Oslo", 1, scope=scope, session=f"s-{WORD}")
    memory.record_many([redacted, say("y", "hello", 2, scope="user/2")])
    memory.settle()
    memory.redact(scope=scope, event="x", actor="dpo")
    stones = memory._home.projections.reader().execute("select scope, session, at, actor from tombstone").fetchall()
    assert stones == [(scope, f"s-{WORD}", "2025-01-01T00:01:00+01:00", "dpo")]
    assert memory.rebuild().same_as_live
    reader = memory._home.projections.reader()
    assert reader.execute("select scope, session, at, actor from tombstone").fetchall() == stones
    with pytest.raises(Forgotten):
        memory.record(**redacted)
    memory.record(**say("z", "another turn is welcome", 3, scope=scope))

    memory.forget(scope=scope)
    assert memory._home.projections.reader().execute("select count(*) from tombstone").fetchall() == [(0,)]
    assert [line for line in memory.log() if WORD in str(line)] == []
    assert found_bytes(places.path, [WORD]) == []
    assert memory.verify().ok
    assert memory.prove(canaries=[WORD]).ok


def test_a_tombstone_goes_with_its_subject(places):
    memory = places.open()
    memory.record_many([say("x", "city=Oslo", 1, subject=[WORD]), say("y", "hello", 2)])
    memory.settle()
    memory.redact(subject=WORD)
    memory.forget(subject=WORD)
    assert memory._home.projections.reader().execute("select count(*) from tombstone").fetchall() == [(0,)]
    assert [line for line in memory.log() if WORD in str(line)] == []
    assert memory._home.keyring.find_subject(WORD) is None
    with pytest.raises(NotFound):
        memory.forget(subject=WORD)


def test_the_homes_own_events_stay(memory):
    for named in (
        {"subject": "."},
        {"scope": "."},
        {"scope": ".", "event": "init"},
        {"subject": ".", "scope": "user/1"},
    ):
        with pytest.raises(BadInput, match="own events"):
            memory.forget(**named)
    assert memory.verify().ok


def test_an_id_is_not_free_again_for_other_content(memory):
    memory.forget(scope="user/1", event="e1")
    with pytest.raises(Forgotten):
        memory.record(**say("e1", "other words", 1, scope="user/1"))
    with pytest.raises(IdReused):
        memory.record(**say("e0", "other words", 1, scope="user/0"))
