"""The audit: every act with who, when, where and why, and nothing of what was said or forgotten."""

import itertools

import pytest

from eunoe import Memory
from eunoe.gateway.auditing import KINDS, AuditEntry, line
from eunoe.infra.settings import load_settings
from eunoe.streams.errors import BadInput, Forgotten, Rejected, UnknownScope

CANARY = "Quixworth"
AT = "2025-03-03T09:00:00+01:00"
START = 1_760_000_000  # 2025-10-09T08:53:20Z; the clock ticks a second a call


class Clock:
    """A clock that can be set and ticks when it is read."""

    def __init__(self):
        self.now = float(START)

    def __call__(self):
        self.now += 0.001
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def memory(tmp_path, clock):
    with Memory.open(tmp_path / "home", background=False, clock=clock) as opened:
        yield opened


def say(memory, id, text, scope="user/1", session="s", **more):
    return memory.record(text, scope=scope, session=session, id=id, at=AT, **more)


def kinds(memory, **wanted):
    return [one.kind for one in memory.audit(**wanted)]


def filled(memory):
    say(memory, "a1", f"I live in {CANARY} with two cats.", agent="support", speaker="Ida")
    say(memory, "a2", "I like lychees.", agent="billing")
    say(memory, "b1", "We ship through GitHub Actions, never by hand.", scope="user/2", session="t")
    memory.settle()
    fact = next(m for m in memory.memories("user/1", kind="fact") if "lychees" in m.text)
    memory.edit(fact.id, "Ida likes plums.", actor="ana", reason="she said so")
    return fact


def test_every_act_with_who_where_and_why(memory):
    filled(memory)
    written = {one.id: one for one in memory.audit(kind="write")}
    first = written["a1"]
    assert (first.scope, first.session, first.agent, first.actor, first.what) == (
        "user/1", "s", "support", "Ida", "user",
    )  # fmt: skip
    assert set(written) == {"a1", "a2", "b1"}
    made = memory.audit(kind="construct")
    assert len(made) == 3 and {one.actor for one in made} == {"eunoe"}
    assert all(one.counts["episode"] == 1 for one in made)
    (edit,) = memory.audit(kind="edit")
    assert (edit.actor, edit.reason, edit.scope, edit.what) == ("ana", "she said so", "user/1", "memory")
    (init,) = memory.audit(kind="settings")
    assert init.actor == "init" and "policy" in init.what


def test_changes_of_each_sort(memory):
    fact = filled(memory)
    current = next(m for m in memory.memories("user/1", kind="fact") if "plums" in m.text)
    memory.undo(current.id, actor="ana", reason="no")
    memory.retire(fact.id, actor="bo")
    memory.drop_from_context("s", "a1", scope="user/1", actor="agent-7", reason="full")
    found = {one.kind: one for one in memory.audit(scope="user/1")}
    assert {"write", "construct", "edit", "undo", "retire", "drop"} == set(found)
    assert (found["undo"].actor, found["undo"].reason) == ("ana", "no")
    assert found["retire"].actor == "bo"
    assert (found["drop"].actor, found["drop"].session, found["drop"].reason) == ("agent-7", "s", "full")


def test_no_text_stands_in_it(memory):
    filled(memory)
    shown = "".join(map(str, memory.audit())) + memory.files("user/1")["user/1/audit.log"]
    for word in (CANARY, "lychees", "plums", "GitHub"):
        assert word not in shown


def test_filters(memory):
    filled(memory)
    assert {one.scope for one in memory.audit(scope="user/2")} == {"user/2"}
    assert kinds(memory, agent="support") == ["write"]
    assert [one.id for one in memory.audit(session="t")] == ["b1"]
    assert kinds(memory, actor="ana") == ["edit"]
    assert kinds(memory, scope="user/1", kind="write") == ["write", "write"]
    assert memory.audit(scope="user/1", agent="nobody") == []
    for kind in KINDS:
        assert set(kinds(memory, kind=kind)) <= {kind}


def test_times_are_those_of_the_writing_and_bound_both_ends(memory, clock):
    say(memory, "a1", "One.")
    clock.now = START + 3600.0
    say(memory, "a2", "Two.")
    clock.now = START + 7200.0
    say(memory, "a3", "Three.")
    all_of = {one.id: one.at for one in memory.audit(kind="write")}
    assert all_of["a2"].startswith("2025-10-09T09:53:20")
    assert list(all_of) == ["a1", "a2", "a3"]
    assert [one.id for one in memory.audit(kind="write", since="2025-10-09T09:00:00Z")] == ["a2", "a3"]
    assert [one.id for one in memory.audit(kind="write", until="2025-10-09T12:00:00+02:00")] == ["a1", "a2"]
    second = all_of["a2"]
    assert [one.id for one in memory.audit(kind="write", since=second, until=second)] == ["a2"]
    with pytest.raises(Rejected):
        memory.audit(since="yesterday")


def test_entries_come_in_the_order_of_writing_over_all_partitions(memory):
    for n in range(12):
        say(memory, f"e{n}", f"turn {n}", scope=f"user/{n % 5}")
    assert [one.id for one in memory.audit(kind="write")] == [f"e{n}" for n in range(12)]


def test_chunks_are_one_entry(memory):
    say(memory, "long", "A sentence of some words, said again and again. " * 400)
    (one,) = memory.audit(kind="write")
    assert one.id == "long" and one.counts["chunks"] > 1


def test_what_was_withheld_is_counted(memory):
    say(memory, "k", "My card is 4111 1111 1111 1111.")
    (one,) = memory.audit(kind="write")
    assert one.counts == {"withheld": 1}


@pytest.mark.parametrize("wanted", [{"kind": "dream"}, {"kind": "interaction"}])
def test_an_unknown_kind(memory, wanted):
    with pytest.raises(BadInput, match="write"):
        memory.audit(**wanted)


def test_an_unknown_scope(memory):
    with pytest.raises(UnknownScope):
        memory.audit(scope="user/404")


# -- forgetting ------------------------------------------------------------------------------------


def test_a_forget_shows_counts_and_nobody(memory):
    filled(memory)
    memory.forget(subject="user/1", actor="dpo", reason="asked by letter")
    shown = "".join(map(str, memory.audit()))
    (one,) = memory.audit(kind="forget")
    assert (one.actor, one.reason, one.what, one.scope) == ("dpo", "asked by letter", "subject", "")
    assert one.counts == {"records": 5}  # two turns, their results, the correction
    for word in ("user/1", "a1", "a2", "Ida", "support", "billing"):
        assert f"'{word}'" not in shown
    assert [one.id for one in memory.audit(kind="write")] == ["b1"]


def test_a_forgotten_scope_is_none_in_the_audit_either(memory):
    filled(memory)
    memory.forget(scope="user/1")
    with pytest.raises(UnknownScope):
        memory.audit(scope="user/1")
    assert {one.scope for one in memory.audit()} == {"", "user/2"}


def test_a_redaction_leaves_place_time_and_actor(memory):
    filled(memory)
    memory.redact(scope="user/1", session="s", actor="dpo")
    (stone,) = memory.audit(scope="user/1", kind="tombstone")
    assert (stone.session, stone.actor, stone.counts) == ("s", "dpo", {"turns": 2})
    assert kinds(memory, kind="redact") == ["redact"]
    memory.forget(scope="user/1")
    assert memory.audit(kind="tombstone") == []


def test_refusals_are_counted_by_day_and_name_nobody(memory, clock):
    say(memory, "a1", "I live in Bergen.")
    memory.settle()
    memory.forget(subject="user/1")
    assert memory.status().refused == 0
    for day, times in ((0, 2), (1, 3)):
        clock.now = START + 86_400.0 * day
        for _ in range(times):
            with pytest.raises(Forgotten):
                say(memory, "a1", "I live in Bergen.")
    assert memory.status().refused == 5
    entries = memory.audit(kind="refused")
    assert [(one.at[:10], one.counts["events"]) for one in entries] == [("2025-10-09", 2), ("2025-10-10", 3)]
    assert all((one.scope, one.session, one.agent, one.actor, one.id) == ("", "", None, None, "") for one in entries)
    assert [one.at[:10] for one in memory.audit(kind="refused", since="2025-10-10T06:00:00Z")] == ["2025-10-10"]
    assert memory.audit(kind="refused", actor="dpo") == []


def test_a_refusal_leaves_no_name_in_the_keyring(memory):
    say(memory, "a1", "I live in Bergen.", scope="user/1")
    say(memory, "b1", "I like tea.", scope="user/2")
    memory.settle()
    memory.forget(scope="user/1")
    before = memory.keys()
    for _ in range(2):
        with pytest.raises(Forgotten):
            say(memory, "a1", "I live in Bergen.", scope="user/1")
    assert memory.keys() == before


def test_refusals_of_an_import_and_after_a_restart_count_too(memory, tmp_path):
    for id in ("a1", "a2"):
        say(memory, id, f"turn {id}")
    memory.settle()
    memory.forget(subject="user/1")
    (tmp_path / "again.jsonl").write_text(
        "".join(
            f'{{"scope": "user/1", "session": "s", "role": "user", "id": "{id}", "text": "turn", "at": "{AT}"}}\n'
            for id in ("a1", "a2")
        )
    )
    assert len(memory.import_file(tmp_path / "again.jsonl").rejected) == 2
    with Memory.open(tmp_path / "home", background=False) as other:
        assert other.status().refused == 2
        with pytest.raises(Forgotten):
            say(other, "a1", "turn a1")
    assert memory.status().refused == 3


def test_a_readmission_is_an_act(memory):
    say(memory, "a1", "I live in Bergen.")
    memory.settle()
    memory.forget(subject="user/1")
    memory.readmit(subject="user/1", actor="dpo", reason="withdrawn")
    (one,) = memory.audit(kind="readmit")
    assert (one.actor, one.reason, one.what, one.scope) == ("dpo", "withdrawn", "subject", "")


# -- keys, backups, recalls ------------------------------------------------------------------------


def test_rotations_backups_and_restores(memory, tmp_path):
    filled(memory)
    memory.rotate_master(actor="ops")
    memory.rotate_subject("user/1", actor="ops")
    made = memory.backup(tmp_path / "b", "seven owls on a wire", actor="cron")
    rotations = memory.audit(kind="rotate")
    assert [(one.actor, one.reason) for one in rotations] == [("ops", "master key"), ("ops", "a subject's key")]
    assert rotations[1].counts["version"] == 2 and "user/1" not in str(rotations)
    (backup,) = memory.audit(kind="backup")
    assert (backup.actor, backup.counts) == ("cron", {"records": made.records})
    Memory.restore(tmp_path / "b", tmp_path / "new", "seven owls on a wire", actor="ops")
    with Memory.open(tmp_path / "new", background=False) as other:
        (restore,) = other.audit(kind="restore")
        assert restore.actor == "ops" and restore.counts == {"records": made.records, "forgotten": 0}
        assert made.at in (restore.reason or "")


def test_recalls_are_noted_only_where_the_settings_say_so(memory, tmp_path):
    filled(memory)
    memory.recall("what do they like?", scope="user/1")
    assert memory.audit(kind="recall") == []
    settings = load_settings(home=tmp_path / "home", audit_recalls=True)
    with Memory.open(tmp_path / "home", settings=settings, background=False) as other:
        other.settle()
        digest = other.digest()
        found = other.recall("what about Wolverhampton?", scopes=["user/1", "user/2"], session="s", agent="support")
        by_scope = {one.scope: one for one in other.audit(kind="recall")}
        assert set(by_scope) == {"user/1", "user/2"}
        assert {(one.agent, one.session) for one in by_scope.values()} == {("support", "s")}
        assert sum(one.counts["items"] for one in by_scope.values()) == len(found.items)
        assert "Wolverhampton" not in str(by_scope)
        assert other.digest() == digest and other.rebuild().same_as_live
        assert other.scopes() == ["user/1", "user/2"]
        other.forget(scope="user/1", session="s")
        assert [one.scope for one in other.audit(kind="recall")] == ["user/2"]
        assert other.verify().ok


# -- the file and the digest -----------------------------------------------------------------------


def test_audit_log_has_a_line_an_entry(memory):
    filled(memory)
    lines = memory.files("user/1")["user/1/audit.log"].splitlines()
    assert len(lines) == len(memory.audit(scope="user/1"))
    assert any(" write user/1 session=s agent=support actor=Ida what=user id=a1" in one for one in lines)
    assert any("edit user/1 actor=ana what=memory" in one and 'reason="she said so"' in one for one in lines)


@pytest.mark.parametrize("odd", ["two\nlines", "a=b", 'a "quote"', "\x1b[31mred", "line\u2028sep", " "])
def test_a_line_stays_one_line_that_nobody_can_forge(odd):
    written = line(AuditEntry(at="2025-10-09T08:53:20+00:00", kind="write", scope=odd, actor=odd, reason=odd))
    assert len(written.splitlines()) == 1 and written.isprintable()
    assert written.count("actor=") == 1 and written.startswith('2025-10-09T08:53:20+00:00 write "')


def test_the_audit_is_no_part_of_the_digest(memory, tmp_path):
    filled(memory)
    say(memory, "x", "I have a dog.", scope="user/3")
    memory.settle()
    memory.forget(scope="user/3")
    with Memory.open(tmp_path / "never", background=False) as other:
        filled(other)
        assert memory.digest() == other.digest()
        assert memory.audit_digest() != other.audit_digest(), "a home that forgot something says so there"


def test_the_audits_digest_knows_no_times_and_no_partitions(tmp_path):
    digests = set()
    for name, partitions, start in (("one", 1, 1_760_000_000), ("many", 7, 1_770_000_000)):
        settings = load_settings(home=tmp_path / name, partitions=partitions)
        ticks = itertools.count(start)
        with Memory.open(tmp_path / name, settings=settings, background=False, clock=lambda t=ticks: next(t)) as made:
            say(made, "a1", "I live in Bergen.", order=1)
            say(made, "b1", "I like tea.", scope="user/2", order=1)
            made.settle()
            digests.add(made.audit_digest())
    assert len(digests) == 1
