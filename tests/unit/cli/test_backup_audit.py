"""`eunoe backup`, `restore`, `audit` and `keys recovery`, as a person and as a program see them."""

import json

import pytest

SCOPE = "user/ida"
WORDS = "seven owls on a wire"


@pytest.fixture
def key(filled):
    """A home with the small history and a recovery key."""
    made = filled("keys", "recovery", "--json")
    assert made.code == 0 and "only once" in made.err
    return made.json["recovery_key"]


def test_there_and_back(filled, key, tmp_path, monkeypatch):
    digest = filled("digest", "--json").json
    made = filled("backup", str(tmp_path / "b"), "--json")
    assert made.code == 0, made.err
    assert made.json["path"] == str(tmp_path / "b") and made.json["lock"] == "key"
    assert "HOLDS KEYS" in made.err and key not in made.out + made.err
    done = filled("restore", str(tmp_path / "b"), "--home", str(tmp_path / "new"), "--recovery-key", key, "--json")
    assert done.code == 0, done.err
    assert done.json["replaced"] is False and done.json["epoch"] == 2
    there = filled("digest", "--home", str(tmp_path / "new"), "--json").json
    assert there["digest"] == digest["digest"]
    assert filled("verify", "--home", str(tmp_path / "new")).code == 0


def test_the_recovery_key_from_the_environment(filled, tmp_path, monkeypatch):
    monkeypatch.setenv("EUNOE_RECOVERY_KEY", WORDS)
    assert filled("backup", str(tmp_path / "b"), "--json").json["lock"] == "passphrase"
    assert filled("restore", str(tmp_path / "b"), "--home", str(tmp_path / "new")).code == 0
    monkeypatch.setenv("EUNOE_RECOVERY_KEY", "some other words")
    wrong = filled("restore", str(tmp_path / "b"), "--home", str(tmp_path / "other"))
    assert wrong.code == 1 and wrong.err.startswith("error: ") and "passphrase" in wrong.err
    assert not (tmp_path / "other").exists()


def test_without_a_key_both_say_what_to_do(filled, tmp_path):
    assert "keys recovery" in filled("backup", str(tmp_path / "b")).err
    assert filled("backup", str(tmp_path / "b"), "--recovery-key", WORDS).code == 0
    asked = filled("restore", str(tmp_path / "b"), "--home", str(tmp_path / "new"))
    assert asked.code == 1 and "EUNOE_RECOVERY_KEY" in asked.err


def test_a_second_recovery_key_only_when_asked(filled, key):
    again = filled("keys", "recovery")
    assert again.code == 1 and "--again" in again.err and not again.out
    assert filled("keys", "recovery", "--again", "--json").json["recovery_key"] != key


def test_replacing_forgets_again_and_says_so(filled, key, tmp_path):
    assert filled("backup", str(tmp_path / "b")).code == 0
    assert filled("forget", "--subject", SCOPE, "--yes").code == 0
    refused = filled("restore", str(tmp_path / "b"), "--recovery-key", key)
    assert refused.code == 1 and "--replace" in refused.err
    done = filled("restore", str(tmp_path / "b"), "--recovery-key", key, "--replace")
    assert done.code == 0, done.err
    assert "forgotten again: 1 requests, 6 records, 1 keys" in done.out
    assert "newer records are gone" in done.err
    assert filled("scopes", "--json").json == []
    assert filled("verify", "--json").json["ok"] is True


def test_a_damaged_backup_is_one_line(filled, key, tmp_path):
    assert filled("backup", str(tmp_path / "b")).code == 0
    content = bytearray((tmp_path / "b").read_bytes())
    content[len(content) // 2] ^= 4
    (tmp_path / "b").write_bytes(content)
    done = filled("restore", str(tmp_path / "b"), "--home", str(tmp_path / "new"), "--recovery-key", key)
    assert done.code == 1 and done.err.count("\n") == 1 and "damaged" in done.err


def test_audit_as_table_and_json(filled, monkeypatch):
    monkeypatch.setenv("USER", "ana")
    listed = filled("audit", "--scope", SCOPE, "--json").json
    assert [one["id"] for one in listed if one["kind"] == "write"] == ["a1", "a2", "a3"]
    memory = filled("memories", "list", "--scope", SCOPE, "--json").json[0]["id"]
    assert filled("memories", "retire", memory, "--reason", "told so").code == 0
    table = filled("audit", "--actor", "ana")
    assert "retire" in table.out and "told so" in table.out and SCOPE in table.out
    assert "Bergen" not in filled("audit").out
    assert "nothing of that" in filled("audit", "--agent", "nobody").err
    wrong = filled("audit", "--kind", "dream")
    assert wrong.code == 1 and "write" in wrong.err


def test_refusals_are_shown(filled, history):
    assert filled("forget", "--subject", SCOPE, "--yes").code == 0
    assert filled("status", "--json").json["refused"] == 0
    assert filled("import", str(history)).code == 1
    assert filled("status", "--json").json["refused"] == 3
    assert "refused: 3" in filled("status").out
    (day,) = filled("audit", "--kind", "refused", "--json").json
    assert day["counts"] == {"events": 3} and day["actor"] is None
    assert SCOPE not in json.dumps(day)


def test_the_audits_digest_stands_beside_the_others(filled):
    before = filled("digest", "--json").json
    assert "audit" in before["projections"]
    assert filled("keys", "rotate-master").code == 0
    after = filled("digest", "--json").json
    assert after["digest"] == before["digest"]
    assert after["projections"]["audit"] != before["projections"]["audit"]
    assert filled("rebuild", "--json").json["digest"] == after["digest"]


def test_audit_log_is_among_the_files(filled):
    listed = {one["path"] for one in filled("files", "list", "--scope", SCOPE, "--json").json}
    assert f"{SCOPE}/audit.log" in listed
    shown = filled("files", "show", f"{SCOPE}/audit.log", "--scope", SCOPE).out
    assert " write user/ida session=s1 actor=Ida what=user id=a1" in shown


@pytest.mark.parametrize("verb", ["backup", "restore", "audit", "keys recovery"])
def test_help(filled, verb):
    assert "Usage: eunoe" in filled(*verb.split(), "--help").out
