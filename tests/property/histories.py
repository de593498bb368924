"""Random histories with forgets, and what a home that never had the forgotten would hold.

The model here knows nothing of plans, provenance or keys: it keeps a list of what was said and done, strikes out what
a forget covers by its own simple rules, and tells the rest to a new home through the same doors.
"""

import random
from datetime import UTC, datetime
from pathlib import Path

from eunoe import Memory
from eunoe.processors.extracting import Extractor
from eunoe.streams.errors import NotFound
from tests.property.worlds import Plain

SCOPES = ("user/1", "user/2", "team/blue")
SESSIONS = ("s", "t")
PEOPLE = ("ana", "theo", "mira")
WORDS = (
    "city=Bergen", "city=Oslo", "city=Graz now", "age=41", "age=42 now", "likes=tea", "likes!=tea", "team=red", "same",
    "broke", "fixed", "hello", "we met", "pet=cat", "pet=dog",
)  # fmt: skip
LETTERS = "bcdfghjkmnpqrtvwx"
DOORS = {
    "edit": lambda memory, name, text: memory.edit(name, text),
    "retire": lambda memory, name, text: memory.retire(name),
    "undo": lambda memory, name, text: memory.undo(name),
}


def canary(rnd: random.Random) -> str:
    """A word that stands nowhere else, which no stemmer touches."""
    return "zq" + "".join(rnd.choice(LETTERS) for _ in range(16))


def tail(word: str) -> bytes:
    """The part of a canary that an index which shares prefixes between words still spells out."""
    return word[5:].encode()


def found_bytes(home: Path, words) -> list[tuple[str, str]]:
    """(file, word) of all of these words that stand in any file of a home."""
    held = {path.name: path.read_bytes() for path in home.rglob("*") if path.is_file() and not path.is_symlink()}
    return [(name, word) for name, data in held.items() for word in words if tail(word) in data.lower()]


class Clock:
    """A clock that stands where it is put."""

    now = 1_770_000_000.0

    def __call__(self):
        return self.now


def opened(path, clock) -> Memory:
    """A memory with the plain extractor, driven by hand."""
    return Memory.open(path, background=False, extractor=Extractor(Plain(), "plain/1"), clock=clock)


class History:
    """One random history in a home, and its model."""

    def __init__(self, seed: int, path: Path) -> None:
        self.rnd, self.path, self.clock = random.Random(seed), path, Clock()
        self.memory = opened(path, self.clock)
        self.steps: list[dict] = []  # in order: {"say": report} or {"do": verb, …}
        self.reports: dict[tuple[str, str], dict] = {}
        self.canaries: dict[tuple[str, str], str] = {}
        self.gone: set[tuple[str, str]] = set()
        self.redacted: set[tuple[str, str]] = set()
        self.receipts = []
        self._said = 0

    # -- what happens -----------------------------------------------------------------------------

    def step(self) -> None:
        """Say something, decide something, settle, or open the home anew."""
        self.clock.now += 1000
        kind = self.rnd.choices(("say", "decide", "settle", "reopen"), (10, 3, 2, 1))[0]
        getattr(self, kind)()

    def say(self) -> None:
        rnd = self.rnd
        for _ in range(rnd.randint(1, 5)):
            self._said += 1
            late = 0 if self.receipts else rnd.choice((0, 0, 0, 5000))
            word, scope = canary(rnd), rnd.choice(SCOPES)
            at = datetime.fromtimestamp(self.clock.now - late, UTC).isoformat()
            report = {
                "id": f"e{self._said}", "scope": scope, "session": rnd.choice(SESSIONS), "role": "user", "at": at,
                "text": f"{word} {' '.join(rnd.sample(WORDS, rnd.randint(1, 3)))}", "order": self._said,
                "speaker": rnd.choice(PEOPLE),
            }  # fmt: skip
            if rnd.random() < 0.1:
                report["text"] += " long" * 900
            if rnd.random() < 0.6:
                report["subject"] = rnd.sample(PEOPLE, rnd.choice((1, 1, 2, 3)))
            key = (scope, report["id"])
            self.reports[key], self.canaries[key] = report, word
            self.steps.append({"at": self.clock.now, "say": report})
            self.memory.record(**report)

    def decide(self) -> None:
        held = [m for scope in self.memory.scopes() for m in self.memory.memories(scope, retired=True)]
        if not held:
            return
        memory, verb = self.rnd.choice(held), self.rnd.choice(("edit", "retire", "undo"))
        text = f"{canary(self.rnd)} corrected" if verb == "edit" else None
        of = {(memory.scope, source.event) for source in memory.sources}
        if verb == "undo":
            earlier = [s for s in self.steps if s.get("do") in ("edit", "retire") and s["name"] == memory.id]
            earlier = [s for s in earlier if s not in [t["takes"] for t in self.steps if t.get("do") == "undo"]]
            if not earlier:
                return
            of = earlier[-1]["of"]
        step = {"at": self.clock.now, "do": verb, "name": memory.id, "text": text, "of": of}
        if verb == "undo":
            step["takes"] = earlier[-1]
        DOORS[verb](self.memory, memory.id, text)
        self.steps.append(step)

    def settle(self) -> None:
        self.memory.settle()

    def reopen(self) -> None:
        self.memory.close()
        self.memory = opened(self.path, self.clock)

    # -- what goes --------------------------------------------------------------------------------

    def forget(self) -> bool:
        """Forget or redact something at random; whether there was anything to forget."""
        self.clock.now += 1000
        living = sorted(self.reports.keys() - self.gone)
        if not living:
            return False
        depth = self.rnd.choice(("forget", "redact"))
        named, covered = self._target(self.rnd.choice(living))
        try:
            self.receipts.append(getattr(self.memory, depth)(**named))
        except NotFound:
            assert not covered - self.gone, "what is there was not found"
            return False
        words = [self.canaries[key] for key in covered]
        words += [s["text"].split()[0] for s in self._struck(covered) if s.get("text")]
        assert found_bytes(self.path, words) == [], f"{depth} {named}"
        if depth == "redact":
            self.redacted |= covered - self.gone
        else:
            self.redacted -= covered if "memory" in named or "event" in named else set()
        self.gone |= covered
        return True

    def _target(self, key) -> tuple[dict, set]:
        scope, event = key
        report = self.reports[key]
        subjects = report.get("subject") or [scope]
        living = self.reports.keys() - self.gone
        match self.rnd.choice(("event", "event", "memory", "session", "subject", "narrow", "scope")):
            case "event":
                return {"scope": scope, "event": event}, {key}
            case "session":
                session = report["session"]
                same = {k for k in living if k[0] == scope and self.reports[k]["session"] == session}
                return {"scope": scope, "session": session}, same
            case "scope":
                return {"scope": scope}, {k for k in living if k[0] == scope}
            case "subject" | "narrow" as kind:
                name = self.rnd.choice(subjects)
                theirs = {k for k in living if name in (self.reports[k].get("subject") or [k[0]])}
                if kind == "subject":
                    return {"subject": name}, theirs
                return {"subject": name, "scope": scope}, {k for k in theirs if k[0] == scope}
            case _:
                self.memory.settle()
                memory = self.rnd.choice(self.memory.memories(scope, retired=True))
                return {"memory": memory.id}, {(scope, source.event) for source in memory.sources}

    def _struck(self, covered) -> list[dict]:
        return [s for s in self.steps if "do" in s and s["of"] & covered]

    # -- what should be ---------------------------------------------------------------------------

    def never_had(self, path: Path) -> str:
        """The digest of a home that was told everything but what went."""
        clock = Clock()
        with opened(path, clock) as memory:
            for step in self.steps:
                clock.now = step["at"]
                if "say" in step and (step["say"]["scope"], step["say"]["id"]) not in self.gone:
                    memory.record(**step["say"])
                elif "do" in step and not step["of"] & self.gone:
                    DOORS[step["do"]](memory, step["name"], step["text"])
            return memory.digest().digest
