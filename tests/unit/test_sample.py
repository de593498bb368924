"""The sample history is what it says, and its gold list speaks of it."""

import re
from collections import Counter
from datetime import datetime, timedelta

import pytest

from eunoe.gateway import samples
from eunoe.gateway.importers import detect, read
from eunoe.processors.ingestion.draft import Draft

GOLD = samples.gold()
HAN = re.compile("[\u4e00-\u9fff]")


@pytest.fixture(scope="module")
def turns() -> dict[str, Draft]:
    assert detect(samples.history_path()) == "jsonl"
    lines = list(read(samples.history_path()))
    assert [line.reason for line in lines if line.reason] == []
    found = [line.draft for line in lines if line.draft]
    by_id = {d.id: d for d in found if d.id}
    assert len(by_id) == len(found)
    return by_id


def test_its_size_and_span(turns: dict[str, Draft]) -> None:
    assert len(turns) >= 320
    assert len({(d.scope, d.session) for d in turns.values()}) >= 14
    days = sorted(d.at[:10] for d in turns.values())
    assert datetime.fromisoformat(days[-1]) - datetime.fromisoformat(days[0]) > timedelta(days=260)
    assert {d.scope for d in turns.values()} == {"user/mira", "user/tomas", "team/harbor"}
    assert {d.agent for d in turns.values()} == {"builder", "support"}
    assert {d.role for d in turns.values()} == {"user", "assistant", "tool", "system", "observation", "feedback"}


def test_it_holds_what_real_life_holds(turns: dict[str, Draft]) -> None:
    said = [d.text for d in turns.values()]
    assert sum(bool(HAN.search(text)) for text in said) >= 40
    assert any("花生" in text for text in said) and any("過敏" in text for text in said)
    assert any(len(text) > 5_000 for text in said)
    assert {d.at[19:] for d in turns.values()} == {"", "+01:00", "+02:00", "+08:00", "+09:00"}
    assert sum(d.tool is not None and d.tool.error is not None for d in turns.values()) >= 8
    systems = Counter(d.text for d in turns.values() if d.role == "system")
    assert max(systems.values()) >= 10
    sentence = "yeah I always ship through GitHub Actions, never by hand, learned that after the prod incident"
    assert [d.speaker for d in turns.values() if d.text == sentence] == ["Mira"]


def test_turns_stand_in_order_of_time_within_their_session(turns: dict[str, Draft]) -> None:
    sessions: dict[str, list[Draft]] = {}
    for draft in turns.values():
        sessions.setdefault(draft.session, []).append(draft)
    for members in sessions.values():
        assert [d.order for d in members] == list(range(len(members)))
        times = [datetime.fromisoformat(d.at) for d in members]
        assert times == sorted(times)


def test_every_gold_entry_names_turns_of_its_scope(turns: dict[str, Draft]) -> None:
    named = [(f.scope, f.event) for f in GOLD.facts]
    named += [(n.scope, n.event) for n in GOLD.not_learned]
    named += [(k.scope, event) for k in GOLD.skills for event in k.events]
    named += [(q.scope, event) for q in GOLD.questions for event in q.events]
    named += [(c.scope, event) for c in GOLD.contested for event in c.events]
    named += [(s.scope, event) for s in GOLD.superseded for event in (s.old, s.new)]
    assert [pair for pair in named if pair[0] != turns[pair[1]].scope] == []


def test_facts_use_the_words_of_their_turn(turns: dict[str, Draft]) -> None:
    assert len(GOLD.facts) >= 60
    assert [f.event for f in GOLD.facts if not all(w in turns[f.event].text for w in f.text_contains)] == []
    stated = {(f.scope, f.event, f.attribute) for f in GOLD.facts}
    for pair in GOLD.contested:
        assert {(pair.scope, event, pair.attribute) for event in pair.events} <= stated
    for change in GOLD.superseded:
        assert {(change.scope, event, change.attribute) for event in (change.old, change.new)} <= stated


def test_what_must_not_be_learned_is_there_to_be_learned(turns: dict[str, Draft]) -> None:
    for entry in GOLD.not_learned:
        assert [s for s in entry.must_not_contain if s in turns[entry.event].text], entry.event


def test_secrets_stand_in_the_history_once_and_are_well_formed(turns: dict[str, Draft]) -> None:
    everything = "\n".join(f"{d.text}\n{d.tool}" for d in turns.values())
    assert [everything.count(secret) for secret in GOLD.secrets] == [1] * len(GOLD.secrets)
    cards = [re.sub(r"\D", "", s) for s in GOLD.secrets if re.fullmatch(r"[\d ]{19}", s)]
    assert cards
    for card in cards:
        doubled = [int(c) * (2 if n % 2 else 1) for n, c in enumerate(reversed(card))]
        assert sum(n - 9 if n > 9 else n for n in doubled) % 10 == 0


def test_questions_are_many_and_of_several_kinds() -> None:
    kinds = Counter(q.category for q in GOLD.questions)
    assert len(GOLD.questions) >= 60
    assert set(kinds) == {"single", "multi", "temporal", "skill", "chinese"}
    assert min(kinds.values()) >= 5
    assert len({(q.scope, q.question) for q in GOLD.questions}) == len(GOLD.questions)
