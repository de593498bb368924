"""A receipt proves itself to anybody who has the public key, and names nobody."""

import json
import os
import subprocess
import sys

import msgspec
import pytest

from eunoe.processors.forgetting.receipt import problems, receipt_page
from eunoe.processors.forgetting.signing import public_key, signed
from eunoe.streams.errors import BadInput
from eunoe.streams.merkle import EMPTY
from tests.property.worlds import say
from tests.unit.forgetting.conftest import as_json


@pytest.fixture
def receipt(memory):
    return memory.forget(scope="user/1", session="s", reason="she asked", actor="dpo")


def test_a_receipt_holds(receipt, memory):
    assert problems(as_json(receipt), memory.keys()["public_key"]) == []
    assert len(receipt.records) == 4 + 4  # turns and their results
    assert not any(record.opens for record in receipt.records)
    assert receipt.keys == {"data_keys": 8}


def test_every_receipt_of_a_growing_log_holds(memory):
    for n in range(300):
        memory.record_many([say(f"x{n}", f"more {n}", n % 50, scope=f"user/{n % 5}")])
    memory.settle()
    for event in ("x7", "x113", "x299"):
        receipt = memory.forget(scope=f"user/{int(event[1:]) % 5}", event=event)
        assert problems(as_json(receipt), receipt.public_key) == []
        for before, after in zip(receipt.trees_before, receipt.trees_after, strict=True):
            assert before.size <= after.size
        request = receipt.request
        assert receipt.trees_before[request.partition].size == request.position


CHANGES = {
    "a count": lambda d: d.update(rebuilt=d["rebuilt"] + 1),
    "a place": lambda d: d["records"][0].update(position=99),
    "the time": lambda d: d.update(at="2020-01-01T00:00:00+00:00"),
    "what is out of reach": lambda d: d["out_of_reach"].pop(),
    "a root": lambda d: d["trees_after"][0].update(root=EMPTY.hex()),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_receipt_is_found_by_its_signature(receipt, change):
    document = as_json(receipt)
    CHANGES[change](document)
    assert any("signature" in problem for problem in problems(document, receipt.public_key))


FORGERIES = {
    "another root": ("later tree head", lambda d, at: d["trees_after"][at].update(root=EMPTY.hex())),
    "another place": ("not the request", lambda d, at: d["request"].update(position=d["request"]["position"] - 1)),
    "another path": ("later tree head", lambda d, at: d["inclusion"]["path"].__setitem__(0, EMPTY.hex())),
    "another record": ("later tree head", lambda d, at: d["inclusion"].update(body=EMPTY.hex())),
    "more than was covered": ("covers less", lambda d, at: d["records"].extend(d["records"] * 9)),
    "one that still opens": ("covers less", lambda d, at: d["records"][0].update(opens=True)),
    "a tree that is not continued": ("does not continue", lambda d, at: d["trees_before"][at].update(root=EMPTY.hex())),
    "a partition left out": ("every partition", lambda d, at: d["trees_after"].pop()),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_whoever_has_the_signing_key_still_needs_the_log(memory, receipt, forgery):
    """Each of these is signed; the tree gives them away."""
    words, change = FORGERIES[forgery]
    document = as_json(receipt)
    change(document, receipt.request.partition)
    seed = memory._home.keyring.purpose("signing")
    forged = signed(msgspec.convert(document, type(receipt)), seed)
    found = problems(as_json(forged), public_key(seed))
    assert any(words in problem for problem in found), found
    assert not any("signature" in problem for problem in found)


def test_the_wrong_key_and_what_is_no_receipt(receipt):
    document = as_json(receipt)
    assert problems(document, "00" * 31 + "01") != []
    for wrong in ({}, {"signature": "00" * 64}, {**document, "inclusion": None}, {**document, "signature": 5}):
        with pytest.raises(BadInput):
            problems(wrong, receipt.public_key)
    with pytest.raises(BadInput, match="64"):
        problems(document, "nonsense")


def test_it_names_nobody(memory):
    memory.record_many([say("secret-id", "zanzibar quokka", scope="user/zanzibar", session="quokka", speaker="Quokka")])
    memory.settle()
    receipt = memory.forget(subject="user/zanzibar", reason="Zanzibar asked for it", actor="Quokka")
    for text in (msgspec.json.encode(receipt).decode(), receipt_page(receipt)):
        for word in ("zanzibar", "quokka", "secret-id"):
            assert word not in text.lower()


def test_a_page_for_people(receipt):
    page = receipt_page(receipt)
    assert receipt.request_id in page
    assert "8 records of the log" in page
    assert all(words in page for words in receipt.out_of_reach)
    assert f"{receipt.records[0].partition}:{receipt.records[0].position}" in page


@pytest.mark.slow
def test_it_is_checked_where_there_is_no_home_and_no_keyring(receipt, tmp_path):
    file, nowhere = tmp_path / "receipt.json", tmp_path / "nowhere"
    file.write_bytes(msgspec.json.encode(receipt))
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps({**as_json(receipt), "rebuilt": 77}))
    command = [sys.executable, "-m", "eunoe.gateway.cli", "verify", "--public-key", receipt.public_key, "--receipt"]
    environment = {**os.environ, "EUNOE_HOME": str(nowhere)}
    assert subprocess.run([*command, str(file)], env=environment, check=False, capture_output=True).returncode == 0
    assert subprocess.run([*command, str(changed)], env=environment, check=False, capture_output=True).returncode == 1
    assert not nowhere.exists()
