"""Odd input through every door: each is a result or an error of ours, none takes a second, and the home stays whole."""

import contextlib
import io
import json
import os
import time

import pytest

from eunoe import Memory
from eunoe.gateway.cli.run import run
from eunoe.streams.errors import EunoeError
from tests.property.odd import IDS, JSONS, MOMENT, MOMENTS, NUMBERS, ODD_SCOPES, SCOPES, TEXTS, Odd, deep
from tests.property.worlds import opened as opened_world
from tests.property.worlds import say

TIMES = 10 if os.environ.get("EUNOE_SOAK") else 1
SEED = int(os.environ.get("PYTEST_SEED", "20250303"))
SECONDS, HANGS = 1.0, 20.0


class Timed:
    """Calls, each timed; slow ones and errors that are not ours are kept with what caused them."""

    def __init__(self):
        self.slow, self.bare, self.calls, self.ours = [], [], 0, 0

    def __call__(self, what, call, *arguments, **named):
        self.calls += 1
        started, wall = time.process_time(), time.perf_counter()
        try:
            return call(*arguments, **named)
        except EunoeError as error:
            self.ours += 1
            assert len(str(error)) < 500, f"{what}: the message repeats what was given"
            return error
        except Exception as error:
            self.bare.append(f"{what}: {error!r:.200} for {arguments!r:.300} {named!r:.300}")
            return error
        finally:
            seconds, waited = time.process_time() - started, time.perf_counter() - wall
            if seconds > SECONDS or waited > HANGS:  # of this process: others may keep the machine busy
                self.slow.append(f"{what}: {seconds:.2f} s for {arguments!r:.200} {named!r:.200}")

    def check(self):
        assert not self.bare, f"seed {SEED}: {len(self.bare)} bare errors\n" + "\n".join(self.bare[:12])
        assert not self.slow, f"seed {SEED}: {len(self.slow)} slow calls\n" + "\n".join(self.slow[:12])
        assert 0 < self.ours < self.calls


@pytest.fixture
def timed():
    return Timed()


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("fuzz") / "home", background=False) as opened:
        opened.record("I like green tea.", scope="user/1", id="good", at=MOMENT)
        opened.settle()
        opened.recall("tea", scope="user/1")  # loads what is loaded once
        yield opened
        opened.settle()
        assert opened.verify().ok
        assert opened.rebuild().same_as_live


@pytest.mark.slow
def test_record(memory, timed):
    odd = Odd(SEED)
    for number in range(2_500 * TIMES):
        before = memory.status().partitions if number % 100 == 0 else None
        got = timed("record", lambda report: memory.record(**report), odd.report(number))
        if isinstance(got, Exception) and before is not None:
            assert memory.status().partitions == before, "an error left something"
    timed.bare = [one for one in timed.bare if "unexpected keyword" not in one and "missing 1 required" not in one
                  and "keywords must be strings" not in one]  # fmt: skip
    memory.settle()
    timed.check()


@pytest.mark.slow
def test_record_many_is_all_or_nothing(memory, timed):
    odd = Odd(SEED + 1)
    for number in range(800 * TIMES):
        reports = [odd.report(f"many-{number}-{n}") for n in range(odd.choose.randrange(4))]
        if odd.choose.random() < 0.1:
            reports = odd.choose.choice([None, 5, "text", [1], [None], [[]], {"a": 1}, [{}], iter([]), [b"x"]])
        heads = [one.head for one in memory.status().partitions]
        got = timed("record_many", memory.record_many, reports)
        if isinstance(got, EunoeError) and type(got).__name__ == "Rejected":
            assert [one.head for one in memory.status().partitions] == heads, "a refusal left something"
    memory.settle()
    timed.check()


@pytest.mark.slow
def test_reading_and_deciding(memory, timed):
    odd, memory_id = Odd(SEED + 2), memory.memories("user/1")[0].id
    for _ in range(2_200 * TIMES):
        scope, text = (
            odd.mostly(odd.choose.choice(SCOPES), ODD_SCOPES),
            odd.mostly(odd.text(), JSONS, NUMBERS, share=0.9),
        )
        named = {
            "budget": odd.mostly(200, NUMBERS),
            "as_of": odd.mostly(None, MOMENTS),
            "session": odd.mostly(None, IDS),
        }
        timed("recall", memory.recall, text, scope=scope, **named)
    for _ in range(600 * TIMES):
        id = odd.mostly(memory_id, IDS, TEXTS[:12], share=0.2)
        timed("memory", memory.memory, id)
        timed("memories", memory.memories, odd.pick(ODD_SCOPES), odd.pick(("fact", "", None, 1, "\ud800")))
        timed(
            "context", memory.context, odd.pick(IDS, TEXTS[:12]), odd.mostly(None, NUMBERS), scope=odd.pick(ODD_SCOPES)
        )
        timed("files", memory.files, odd.pick(ODD_SCOPES))
    for _ in range(60 * TIMES):
        timed(
            "recall scopes",
            memory.recall,
            "tea",
            scopes=odd.pick((["user/1", "user/%"], "user/1", [], [1], None, 5, ["\ud800"])),
        )
        timed("known_at", memory.recall, "tea", scope="user/12", known_at=odd.pick(NUMBERS))
        timed(
            "log", lambda **named: list(memory.log(**named)), scope=odd.pick(ODD_SCOPES), limit=odd.mostly(3, NUMBERS)
        )
        timed(
            "edit",
            memory.edit,
            odd.mostly(memory_id, IDS),
            odd.text(),
            actor=odd.mostly("ana", IDS),
            reason=odd.pick(IDS),
        )
        timed("retire", memory.retire, odd.pick(IDS), actor=odd.pick(IDS))
        timed("undo", memory.undo, odd.mostly(memory_id, IDS), actor=odd.mostly("ana", IDS))
        timed(
            "report",
            memory.report,
            odd.pick(IDS),
            outcome=odd.pick(IDS),
            used=odd.pick(JSONS),
            tokens_in=odd.pick(NUMBERS),
        )
        timed("drop_from_context", memory.drop_from_context, odd.pick(IDS), odd.pick(IDS), scope=odd.pick(ODD_SCOPES))
        timed("retry", memory.retry, odd.pick(IDS))
        timed("drop", memory.drop, odd.pick(IDS), reason="x")
    timed.check()


def lines_of(odd, number):
    """Raw bytes of an odd file."""
    made = []
    for n in range(odd.choose.randrange(1, 12)):
        report = odd.report(f"{number}-{n}")
        kind = odd.choose.random()
        if kind < 0.6:
            made.append(json.dumps(report, default=str).encode("utf-8", "surrogatepass"))
        elif kind < 0.7:
            message = {"role": report.get("role"), "content": report.get("text"), "tool_calls": odd.pick(JSONS)}
            made.append(
                json.dumps({"messages": [message, odd.pick(JSONS)], "id": report.get("id")}, default=str).encode()
            )
        elif kind < 0.75:
            made.append(json.dumps(report, default=str).encode()[: odd.choose.randrange(60)])
        elif kind < 0.85:
            made.append(odd.text().encode("utf-8", "surrogatepass"))
        elif kind < 0.9:
            made.append(bytes(odd.choose.randrange(256) for _ in range(60)))
        else:
            made.append(
                odd.choose.choice((deep().encode(), b"1" * 5_000, b'{"a":1,"a":2}', b"NaN", b"", b'"', b"[]", b"null"))
            )
    return odd.choose.choice((b"\n", b"\r\n", b"\n\n")).join(made)


@pytest.mark.slow
def test_files_through_the_importers(memory, timed, tmp_path):
    odd = Odd(SEED + 3)
    for number in range(500 * TIMES):
        path = tmp_path / odd.choose.choice(("odd.jsonl", "odd.json", "ödd", "a b.txt"))
        path.write_bytes(lines_of(odd, number))
        named = {"format": odd.mostly(None, ("jsonl", "openai", "locomo", "csv", "", "\ud800"))}
        if odd.choose.random() < 0.3:
            named[odd.choose.choice(("scope", "session", "agent", "at", "more"))] = odd.choose.choice(SCOPES)
        got = timed("import", memory.import_file, path, **named)
        if not isinstance(got, Exception):
            assert got.read == got.recorded + got.duplicates + len(got.rejected)
    for path in (tmp_path, tmp_path / "none", "", "\x00", "/dev/null", "x" * 5_000, "\ud800"):
        timed("import path", memory.import_file, path)
    memory.settle()
    timed.check()


@pytest.mark.slow
def test_the_command_line(tmp_path, timed, monkeypatch):
    odd, home = Odd(SEED + 4), str(tmp_path / "home")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EUNOE_DEBUG", "1")

    def line(*words):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(odd.text().encode("utf-8", "surrogatepass"))))
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = run(["--home", home, "--no-wait", *words])
        assert code in (0, 1, 2), code
        return code

    assert line("record", "I like tea.", "--scope", "user/1") == 0
    for _ in range(50 * TIMES):
        text, scope = odd.text().replace("\x00", ""), str(odd.mostly("user/1", ODD_SCOPES)).replace("\x00", "")
        verbs = (
            ("record", text, "--scope", scope), ("record", "-", "--scope", scope),
            ("record", text, "--scope", scope, "--at", str(odd.pick(MOMENTS)), "--order", str(odd.pick(NUMBERS))),
            ("recall", text, "--scope", scope, "--json"), ("recall", text, "--scope", scope),
            ("recall", "tea", "--scope", scope, "--budget", str(odd.pick(NUMBERS))),
            ("memories", "list", "--scope", scope), ("memories", "show", text[:40]),
            ("memories", "edit", text[:20], text), ("status", "--json"), ("files", "list", "--scope", scope),
            ("log", "--scope", scope, "--json"), ("log", "--limit", text[:5]), ("import", text[:40]),
            ("context", text[:30]), ("deadletters", "show", text[:20]), (text[:10], scope),
        )  # fmt: skip
        timed("cli", line, *odd.choose.choice(verbs))
    monkeypatch.delenv("EUNOE_DEBUG")
    assert line("verify") == 0 and line("rebuild") == 0
    timed.ours = timed.ours or 1
    timed.check()


# -- scopes that look alike --------------------------------------------------------------------------


def test_no_scope_sees_another(tmp_path):
    with Memory.open(tmp_path / "home", background=False) as memory:
        words = {scope: f"quagga{number}" for number, scope in enumerate(SCOPES)}
        for scope, word in words.items():
            memory.record(f"I like {word} tea.", scope=scope, session="same", id="same", at=MOMENT)
        memory.settle()
        for scope, word in words.items():
            found = memory.recall("quagga tea " + " ".join(words.values()), scope=scope)
            assert {item.scope for item in found.items} <= {scope}
            assert [other for other in words.values() if other in found.text] == [word]
            assert word in str(memory.files(scope)) and all(m.scope == scope for m in memory.memories(scope))
            assert {line.scope for line in memory.log(scope)} == {scope}
            assert memory.context("same", scope=scope).scope == scope
        folders = {
            path.rpartition("/facts")[0].rpartition("/preferences")[0] for s in SCOPES for path in memory.files(s)
        }
        assert len({folder.casefold() for folder in folders}) == len(folders)
        for call in (lambda: memory.recall("tea"), lambda: memory.recall("tea", scopes=[])):
            with pytest.raises(EunoeError) as refused:
                call()
            assert type(refused.value).__name__ == "ScopeRequired"
        for scope in ("user", "user/", "user/2", "*", "%", "USER/1", ""):
            with pytest.raises(EunoeError) as unknown:
                memory.recall("tea", scope=scope)
            assert type(unknown.value).__name__ == "UnknownScope"


def test_a_known_scope_without_an_answer_is_no_unknown_one(tmp_path):
    with Memory.open(tmp_path / "home", background=False) as memory:
        memory.record("Hello there.", scope="user/1", at=MOMENT)
        memory.settle()
        assert memory.recall("zebra crossing", scope="user/1") is not None


def test_a_stored_turn_is_what_was_said(tmp_path):
    """Letters are kept as they came: nothing is normalised, stripped or cut away."""
    with opened_world(tmp_path / "home") as world:
        kept = [t for t in TEXTS if t.strip() and "\x00" not in t and not any("\ud800" <= c <= "\udfff" for c in t)]
        plain = [t for t in kept if "KEY" not in t and "password" not in t and "4111" not in t]
        for number, text in enumerate(plain):
            world.record(say(f"e{number}", text, number))
        told = {}
        for line in world.log("user/1"):
            if line.kind == "interaction":
                told[line.id] = told.get(line.id, "") + line.text
        assert [told[f"e{number}"] for number in range(len(plain))] == plain
