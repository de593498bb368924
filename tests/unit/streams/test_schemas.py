"""Stored events: every form that was ever written still loads, old ones are lifted, newer ones are refused."""

import json
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from eunoe.streams import schemas
from eunoe.streams.errors import LogDamaged, SchemaTooNew
from eunoe.streams.events import AnyEvent, Interaction, Result
from eunoe.streams.schemas import MODELS, UPCASTERS, VERSIONS, body_of, event_of, same_content, schema_of

SAMPLES = json.loads((Path(__file__).resolve().parents[2] / "samples/schemas/events.json").read_text("utf-8"))
TURN = Interaction(
    scope="user/1", id="e", subjects=("user/1",), session="s", role="user", text="Hi.", at="2025-01-01T00:00:00"
)


def label(sample):
    return f"{sample['schema']} {sample['fields']['id']}"


@pytest.mark.parametrize("sample", SAMPLES, ids=label)
def test_what_was_once_written_still_loads(sample):
    event = event_of(sample["schema"], bytes.fromhex(sample["body"]))
    assert event == MODELS[sample["schema"].partition("/")[0]].model_validate(sample["fields"])
    assert event.type == sample["schema"].partition("/")[0]


def test_the_newest_form_is_written_as_in_a_sample():
    """Whatever is written today is among the samples, so that tomorrow's release is held against it."""
    bodies = {sample["body"] for sample in SAMPLES}
    events = [event_of(sample["schema"], bytes.fromhex(sample["body"])) for sample in SAMPLES]
    assert [event.id for event in events if body_of(event).hex() not in bodies] == []


def test_there_is_a_sample_of_every_version_of_every_kind():
    written = {sample["schema"] for sample in SAMPLES}
    for name, version in VERSIONS.items():
        for one in range(1, version + 1):
            assert f"{name}/{one}" in written, f"store a sample of {name}/{one} before it changes again"
            assert one == version or (name, one) in UPCASTERS, f"{name}/{one} has no upcaster"


def test_every_kind_of_event_has_a_schema():
    kinds = get_args(get_args(AnyEvent)[0])
    assert set(MODELS.values()) == set(kinds)
    assert {name: model.model_fields["type"].default for name, model in MODELS.items()} == {n: n for n in MODELS}


@pytest.mark.parametrize("kind", list(MODELS.values()), ids=list(MODELS))
def test_a_full_sample_sets_every_field(kind):
    """A field that no sample holds could change its form unnoticed."""
    name = kind.model_fields["type"].default
    seen = set().union(*(sample["fields"].keys() for sample in SAMPLES if sample["schema"].startswith(f"{name}/")))
    defaulted = {"result": {"system"}}.get(name, set())
    assert set(kind.model_fields) - {"type"} - defaulted <= seen


# -- lifting -----------------------------------------------------------------------------------------


@pytest.fixture
def third_version(monkeypatch):
    """A world where `note` had `words` in version 1, `body` in 2, and has `text` now."""
    monkeypatch.setitem(VERSIONS, "note", 3)
    monkeypatch.setitem(UPCASTERS, ("note", 1), lambda f: {**{k: v for k, v in f.items() if k != "words"},
                                                           "body": f["words"]})  # fmt: skip
    monkeypatch.setitem(UPCASTERS, ("note", 2), lambda f: {**{k: v for k, v in f.items() if k != "body"},
                                                           "text": f["body"].upper()})  # fmt: skip


NOTE = {"scope": "user/1", "id": "n", "session": "s", "at": "2025-01-01T00:00:00", "block": "b", "tokens": 1}


def test_old_versions_are_lifted_step_by_step(third_version):
    encode = msgspec.msgpack.encode
    assert event_of("note/1", encode({**NOTE, "words": "a"})).text == "A"
    assert event_of("note/2", encode({**NOTE, "body": "b"})).text == "B"
    assert event_of("note/3", encode({**NOTE, "text": "c"})).text == "c"
    assert schema_of(event_of("note/1", encode({**NOTE, "words": "a"}))) == "note/3"


def test_a_retry_is_compared_across_versions(third_version):
    old = msgspec.msgpack.encode({**NOTE, "words": "a"})
    new = msgspec.msgpack.encode({**NOTE, "text": "A"})
    assert same_content("note/1", old, "note/3", new)
    assert not same_content("note/1", old, "note/3", msgspec.msgpack.encode({**NOTE, "text": "B"}))


def test_an_upcaster_that_does_not_fit_is_damage_and_says_no_content(third_version):
    with pytest.raises(LogDamaged) as damaged:
        event_of("note/2", msgspec.msgpack.encode({**NOTE, "body": 5, "secret": "Okapi"}))
    assert "Okapi" not in str(damaged.value)


# -- what can't be read ------------------------------------------------------------------------------


@pytest.mark.parametrize("schema", ["interaction/2", "interaction/99", "dream/1", "interaction", "interaction/x", ""])
def test_newer_schemas_say_upgrade(schema):
    with pytest.raises(SchemaTooNew, match="upgrade"):
        event_of(schema, body_of(TURN))


@pytest.mark.parametrize("schema", ["interaction/0", "interaction/-1", "interaction/²"])
def test_versions_that_never_were(schema):
    with pytest.raises((SchemaTooNew, LogDamaged)):
        event_of(schema, body_of(TURN))


@pytest.mark.parametrize(
    "body",
    [
        b"", b"\xc1", b"\x93\x01\x02\x03", b"\xa3abc", body_of(TURN)[:-1], body_of(TURN) + b"\x00",
        msgspec.msgpack.encode({"id": "e"}), msgspec.msgpack.encode({**TURN.model_dump(), "later_field": 1}),
        msgspec.msgpack.encode({1: 2}), msgspec.msgpack.encode(None), msgspec.msgpack.encode({"scope": b"\xff"}),
    ],
)  # fmt: skip
def test_a_body_that_is_none_is_damage(body):
    with pytest.raises(LogDamaged) as damaged:
        event_of("interaction/1", body)
    assert "Hi." not in str(damaged.value)


def test_defaults_are_not_stored_and_come_back():
    body = body_of(TURN)
    assert b"withheld" not in body and b"interaction" not in body
    assert event_of("interaction/1", body) == TURN


def test_what_counts_as_the_same_content():
    for field, value in (("order", 5), ("recalled", ((0, 1),)), ("masking", 4), ("chunking", 4)):
        assert same_content(
            "interaction/1", body_of(TURN), "interaction/1", body_of(TURN.model_copy(update={field: value}))
        )
    for field, value in (("text", "Ho."), ("chunks", 2), ("subjects", ()), ("meta", {})):
        changed = body_of(TURN.model_copy(update={field: value}))
        assert not same_content("interaction/1", body_of(TURN), "interaction/1", changed)
    result = Result(scope="s", id="r", unit="0", members=())
    assert same_content("result/1", body_of(result), "result/1", body_of(result.model_copy(update={"reason": "x"})))
    assert not same_content("result/1", body_of(result), "interaction/1", body_of(TURN))


def test_the_samples_are_our_own_writing():
    assert all(set(sample) == {"schema", "body", "fields"} for sample in SAMPLES)
    assert schemas.VERSIONS is VERSIONS
