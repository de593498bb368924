"""Every verb on a small history: exit code, JSON shape, and standard output apart from words."""

import json
import stat

import apsw
import pytest

SCOPE = "user/ida"
ITEM_KEYS = {
    "id", "scope", "kind", "text", "tokens", "score", "sources", "valid_from", "valid_until", "last_confirmed",
    "possibly_outdated", "confidence", "system", "contested_by", "superseded_by",
}  # fmt: skip


def test_init_makes_a_home_and_says_to_back_the_key_up(eunoe, tmp_path):
    done = eunoe("init", "--json", "--partitions", "2")
    assert done.code == 0
    assert done.json == {"home": str(tmp_path / "home"), "made": True, "partitions": 2}
    assert "BACK UP THE MASTER KEY" in done.err
    key = tmp_path / "home" / "master.key"
    assert str(key) in done.err
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert key.read_text().strip() not in done.out + done.err


def test_init_again_changes_nothing(eunoe):
    eunoe("init")
    done = eunoe("init", "--json")
    assert (done.code, done.json["made"]) == (0, False)
    assert "BACK UP" not in done.err


@pytest.mark.parametrize(
    "verb",
    [
        ("scopes",), ("status",), ("verify",), ("rebuild",), ("digest",), ("log",), ("recall", "x", "--scope", "a"),
        ("memories", "list", "--scope", "a"), ("deadletters", "list"), ("files", "list", "--scope", "a"),
        ("memories", "edit", "m", "text"), ("memories", "retire", "m"), ("deadletters", "retry", "d"),
    ],
)  # fmt: skip
def test_a_verb_that_needs_a_memory_makes_none(eunoe, tmp_path, verb):
    done = eunoe(*verb, "--json")
    assert done.code == 1
    assert done.out == ""
    assert "`eunoe init`" in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "home").exists()


def test_record_makes_the_home_and_knows_a_repeated_id(eunoe):
    turn = ("record", "I prefer green tea.", "--scope", SCOPE, "--id", "t1", "--at", "2025-05-01T08:00:00+02:00")
    first = eunoe(*turn, "--json")
    assert first.code == 0, first.err
    assert set(first.json) >= {"id", "partition", "position", "duplicate"}
    assert (first.json["id"], first.json["duplicate"]) == ("t1", False)
    again = eunoe(*turn, "--json")
    assert (again.code, again.json["duplicate"]) == (0, True)
    assert again.json["position"] == first.json["position"]
    other = eunoe("record", "I prefer black tea.", "--scope", SCOPE, "--id", "t1", "--at", "2025-05-01T08:00:00+02:00")
    assert other.code == 1
    assert other.err.startswith("error: ")
    assert "tea" not in other.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("record", "x", "--scope", SCOPE, "--at", "yesterday"),
        ("record", "x", "--scope", SCOPE, "--role", "boss"),
        ("record", "", "--scope", SCOPE),
        ("record", "x", "--scope", ""),
    ],
)
def test_a_refused_record_says_why(eunoe, arguments):
    done = eunoe(*arguments)
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert done.out == ""
    assert eunoe("scopes", "--json").json == []


def test_import_counts_and_the_second_run_is_all_known(eunoe, history):
    done = eunoe("import", str(history), "--json")
    assert done.code == 0
    assert set(done.json) == {"read", "recorded", "duplicates", "rejected", "seconds"}
    assert (done.json["read"], done.json["recorded"], done.json["duplicates"]) == (3, 3, 0)
    digest = eunoe("digest", "--json").json
    again = eunoe("import", str(history), "--json").json
    assert (again["recorded"], again["duplicates"], again["rejected"]) == (0, 3, [])
    assert eunoe("digest", "--json").json == digest


def test_import_names_refused_lines_and_takes_the_others(eunoe, history):
    with history.open("a") as file:
        file.write('{"scope": "user/ida", "role": "user"}\nnot json\n')
    done = eunoe("import", str(history), "--json")
    assert done.code == 0
    assert [refused["line"] for refused in done.json["rejected"]] == [4, 5]
    assert all(refused["reason"] for refused in done.json["rejected"])
    words = eunoe("import", str(history))
    assert words.code == 0
    assert "refused: line 4" in words.err


def test_import_of_nothing_good_fails(eunoe, tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text("nothing\n")
    done = eunoe("import", str(path), "--format", "jsonl", "--json")
    assert done.code == 1
    assert done.json["rejected"][0]["line"] == 1


def test_import_of_a_missing_file_or_an_unknown_format(eunoe, history, tmp_path):
    for arguments in (("import", str(tmp_path / "none.jsonl")), ("import", str(history), "--format", "xml")):
        done = eunoe(*arguments)
        assert done.code in (1, 2)
        assert done.err.startswith("error: ")


def test_two_files_name_theirs(eunoe, history, tmp_path):
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"scope": "a"}\n')
    done = eunoe("import", str(history), str(bad), "--format", "jsonl", "--json")
    assert done.code == 0
    assert done.json["recorded"] == 3
    assert done.json["rejected"][0]["file"] == str(bad)


def test_recall_has_the_promised_shape(filled):
    done = filled("recall", "how does Ida ship?", "--scope", SCOPE, "--budget", "200", "--json")
    assert done.code == 0
    found = done.json
    assert set(found) >= {"id", "query", "scopes", "budget", "tokens", "staleness", "text", "items"}
    assert (found["query"], found["scopes"], found["budget"]) == ("how does Ida ship?", [SCOPE], 200)
    assert set(found["staleness"]) == {"events", "seconds"}
    assert 0 < found["tokens"] <= 200
    assert set(found["items"][0]) >= ITEM_KEYS
    assert set(found["items"][0]["sources"][0]) >= {"event", "session", "role", "at"}
    assert "a1" in {source["event"] for item in found["items"] for source in item["sources"]}
    assert all(item["text"] in found["text"] for item in found["items"])


def test_recall_in_words_keeps_the_answer_apart(filled):
    done = filled("recall", "花生", "--scope", SCOPE)
    assert done.code == 0
    assert "对花生过敏" in done.out
    assert "tokens" in done.err


def test_recall_of_an_unknown_scope_is_no_empty_answer(filled):
    done = filled("recall", "x", "--scope", "user/nobody", "--json")
    assert (done.code, done.out) == (1, "")
    assert "`eunoe scopes`" in done.err


def test_what_was_not_waited_for_is_found_by_the_next_command(eunoe, history):
    assert eunoe("import", str(history), "--no-wait").code == 0
    assert eunoe("--no-wait", "status", "--json").code == 0
    found = eunoe("recall", "where does Ida live?", "--scope", SCOPE, "--wait", "--json").json
    assert "a2" in {source["event"] for item in found["items"] for source in item["sources"]}


def test_memories_are_listed_shown_corrected_and_given_back(filled):
    listed = filled("memories", "list", "--scope", SCOPE, "--kind", "fact", "--json").json
    target = next(one for one in listed if "Bergen" in one["text"])
    assert filled("memories", "show", target["id"], "--json").json["text"] == target["text"]
    done = filled("memories", "edit", target["id"], "Ida lives in Oslo.", "--reason", "she moved", "--actor", "kim")
    assert done.code == 0, done.err
    texts = {one["text"] for one in filled("memories", "list", "--scope", SCOPE, "--json").json}
    assert "Ida lives in Oslo." in texts and target["text"] not in texts
    assert filled("rebuild", "--json").json["same_as_live"] is True
    assert filled("memories", "undo", target["id"]).code == 0
    texts = {one["text"] for one in filled("memories", "list", "--scope", SCOPE, "--json").json}
    assert target["text"] in texts


def test_a_retired_memory_is_hidden_and_still_listed_on_request(filled):
    listed = filled("memories", "list", "--scope", SCOPE, "--kind", "fact", "--json").json
    target = next(one for one in listed if "Bergen" in one["text"])["id"]
    assert filled("memories", "retire", target, "--reason", "wrong").code == 0
    shown = filled("memories", "list", "--scope", SCOPE, "--json").json
    assert target not in {one["id"] for one in shown}
    every = filled("memories", "list", "--scope", SCOPE, "--retired", "--json").json
    assert target in {one["id"] for one in every}


def test_a_memory_that_does_not_exist(filled):
    done = filled("memories", "show", "nothing")
    assert (done.code, done.out) == (1, "")
    assert done.err.count("\n") == 1


def test_log_shows_each_event_once(filled):
    lines = filled("log", "--scope", SCOPE, "--json").json
    turns = [line for line in lines if line["kind"] == "interaction"]
    assert [line["id"] for line in turns] == ["a1", "a2", "a3"]
    assert set(turns[0]) >= {"partition", "position", "kind", "scope", "session", "id", "at", "text"}
    assert len(filled("log", "--scope", SCOPE, "--limit", "1", "--json").json) == 1
    assert "a2" in filled("log", "--scope", SCOPE).out


def test_scopes_status_verify_digest_rebuild(filled):
    assert filled("scopes", "--json").json == [SCOPE]
    status = filled("status", "--json").json
    assert set(status) >= {"runtime", "partitions", "projections", "queue", "dead_letters", "staleness"}
    assert {frozenset(partition) for partition in status["partitions"]} == {frozenset({"partition", "head"})}
    assert all(projection["behind"] == 0 for projection in status["projections"])
    verified = filled("verify", "--json").json
    assert (verified["ok"], verified["first_bad"], verified["partitions"]) == (True, None, 4)
    digest = filled("digest", "--json").json
    assert set(digest) >= {"digest", "projections"}
    rebuilt = filled("rebuild", "--json").json
    assert set(rebuilt) >= {"digest", "projections", "events", "seconds", "same_as_live", "model_calls"}
    assert (rebuilt["digest"], rebuilt["same_as_live"], rebuilt["model_calls"]) == (digest["digest"], True, 0)


def test_verify_of_a_damaged_log_fails_with_the_place(filled, tmp_path):
    with apsw.Connection(str(tmp_path / "home" / "log.db")) as connection:
        connection.execute("update record set ciphertext = zeroblob(length(ciphertext)) where length(ciphertext) > 0")
    done = filled("verify", "--json")
    assert done.code == 1
    assert done.json["ok"] is False
    assert set(done.json["first_bad"]) == {"partition", "position", "reason"}


def test_files_are_listed_shown_and_exported(filled, tmp_path):
    listed = filled("files", "list", "--scope", SCOPE, "--json").json
    assert listed
    first = listed[0]["path"]
    shown = filled("files", "show", first, "--scope", SCOPE, "--json").json
    assert shown["path"] == first and len(shown["text"].encode()) == listed[0]["bytes"]
    assert filled("files", "export", str(tmp_path / "out"), "--scope", SCOPE).code == 0
    assert (tmp_path / "out" / first.lstrip("/")).read_text("utf-8") == shown["text"]
    again = filled("files", "export", str(tmp_path / "out"), "--scope", SCOPE)
    assert again.code == 1 and "not an empty folder" in again.err
    assert filled("files", "show", "/memory/none.md", "--scope", SCOPE).code == 1


def test_no_dead_letters(filled):
    assert filled("deadletters", "list", "--json").json == []
    done = filled("deadletters", "show", "1")
    assert (done.code, done.out) == (1, "")


def test_keys_are_rotated_and_never_shown(filled, tmp_path):
    before = (tmp_path / "home" / "master.key").read_text().strip()
    assert filled("keys", "rotate-master").code == 0
    after = (tmp_path / "home" / "master.key").read_text().strip()
    assert before != after
    assert filled("keys", "rotate-subject", SCOPE).code == 0
    shown = filled("keys", "show", "--json")
    assert shown.code == 0
    assert before not in shown.out and after not in shown.out
    assert filled("rebuild", "--json").json["same_as_live"] is True


def test_context_of_a_session(filled):
    done = filled("context", "s1", "--scope", SCOPE, "--json")
    assert done.code == 0
    assert json.dumps(done.json, ensure_ascii=False).count("Bergen") >= 1


def test_options_stand_before_or_after_the_verb(filled, tmp_path, monkeypatch):
    monkeypatch.delenv("EUNOE_HOME")
    home = str(tmp_path / "home")
    before = filled("--home", home, "--json", "scopes")
    after = filled("scopes", "--home", home, "--json")
    assert before.json == after.json == [SCOPE]
    assert filled("--home", str(tmp_path / "none"), "scopes").code == 1


def test_a_wrong_settings_file_is_one_line(filled, tmp_path):
    (tmp_path / "home" / "eunoe.toml").write_text("partitons = 3\n")
    done = filled("scopes")
    assert done.code == 1
    assert "did you mean `partitions`" in done.err
