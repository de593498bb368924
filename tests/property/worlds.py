"""Small worlds for tests: homes with a plain extractor, so that what is tested is the stream, not the rules.

A turn's text is words; `attribute=value` in it is a fact about its speaker, `attribute!=value` its denial, `now` says
that it changed, `same` repeats the value of the turn before. `broke` and then `fixed` in one session is a skill.
"""

import itertools
import re
from contextlib import contextmanager

import msgspec

from eunoe.gateway.deciding import Decider
from eunoe.gateway.home import Home
from eunoe.gateway.recording import Recorder
from eunoe.gateway.upkeep import UpkeepDoor
from eunoe.infra.settings import load_settings
from eunoe.processors.extracting import Extractor
from eunoe.processors.ingestion.recalled import RecentlyRecalled
from eunoe.stores.memories import SqliteMemories
from eunoe.streams.events import Item, Span

SINGLE = {"city", "age", "years_at", "team"}
_SAID = re.compile(r"(\w+)(!?=)(\w+)")


class Found(msgspec.Struct):
    """What an extractor gives."""

    items: tuple
    reason: str | None = None


class Plain:
    """The extractor; texts that hold a word of `fails` make it raise."""

    def __init__(self, *fails):
        self.fails, self.calls = set(fails), 0

    def __call__(self, unit):
        self.calls += 1
        anchor = unit.anchor
        if self.fails & set(anchor.text.split()):
            raise RuntimeError("can't")
        whole = Span(event=anchor.id, start=0, end=len(anchor.text), chunk=anchor.chunk)
        items = [Item(kind="episode", spans=(whole,))]
        said = _SAID.findall(anchor.text)
        if "same" in anchor.text.split() and unit.context:
            said += _SAID.findall(unit.context[-1].text)
        for attribute, sign, value in said:
            items.append(
                Item(
                    kind="fact",
                    text=f"{anchor.voice} {attribute} {'not ' * (sign == '!=')}{value}",
                    spans=(whole,),
                    about=anchor.voice,
                    attribute=attribute,
                    value=value,
                    negative=sign == "!=",
                    single=attribute in SINGLE,
                    changed="now" in anchor.text.split(),
                )
            )
        if "fixed" in anchor.text.split() and any("broke" in member.text.split() for member in unit.context):
            items.append(Item(kind="skill", text=f"When it broke: {anchor.text}", spans=(whole,)))
        return Found(tuple(items), None if len(items) > 1 else "small_talk")


class World(UpkeepDoor):
    """A home in a directory, with doors like those of a memory."""

    def __init__(self, path, *, partitions=4, plain=None, clock=None):
        ticks = itertools.count(1_760_000_000)
        self.clock = clock or (lambda: float(next(ticks)))
        self.plain = plain or Plain()
        settings = load_settings(home=path, partitions=partitions)
        self._home = Home(path, settings, Extractor(self.plain, "plain/1"), self.clock)
        self.memories_of = SqliteMemories(self._home.projections.reader)
        self._decider = Decider(self._home, self.memories_of, lambda: "2030-01-01T00:00:00+00:00")
        self._recorder = Recorder(self._home.log, RecentlyRecalled(), mask=True, now=lambda: "2030-01-01T00:00:00")

    @property
    def home(self):
        return self._home

    @property
    def runtime(self):
        return self._home.runtime

    def close(self):
        self._home.close()

    def record(self, *reports):
        return self._recorder.record_many(list(reports))

    def import_file(self, path):
        return self._recorder.import_file(path, "jsonl", None, {})

    def settle(self):
        return self._home.runtime.settle()

    def listing(self, scope="user/1", kind=None, retired=False):
        """Memories of a scope, settled."""
        self.settle()
        return list(self.memories_of.listing(scope, kind=kind, retired=retired))

    def facts(self, scope="user/1", retired=False):
        return self.listing(scope, "fact", retired)

    def texts(self, scope="user/1", kind="fact"):
        return sorted(m.text for m in self.listing(scope, kind))

    def get(self, memory_id):
        return self.memories_of.get(memory_id)

    def edit(self, memory_id, text):
        return self._decider.correct(memory_id, text, "ana", None)

    def retire(self, memory_id):
        return self._decider.correct(memory_id, None, "ana", None)

    def undo(self, memory_id):
        return self._decider.undo(memory_id, "ana", None)


@contextmanager
def opened(path, **options):
    """A world that is closed again."""
    world = World(path, **options)
    try:
        yield world
    finally:
        world.close()


def say(id, text, minute=0, *, scope="user/1", session="s", day=1, **more):
    """A report, on a day of January 2025."""
    at = f"2025-01-{day:02}T{minute // 60:02}:{minute % 60:02}:00+01:00"
    return {"id": id, "scope": scope, "session": session, "role": "user", "text": text, "at": at, **more}


def digest_in_order(path, reports, **options):
    """The digest of a home that got these reports at once, in the order of time."""
    with opened(path, **options) as world:
        if reports:
            world.record(*sorted(reports, key=lambda r: (r["at"], r.get("order") or 0, r["id"])))
        return world.digest()
