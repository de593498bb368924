"""A small home in memory: the contract of memories over dicts, and the real lexical index over an empty file name."""

from collections import defaultdict

import apsw
import msgspec

from eunoe.processors.recall import recall
from eunoe.processors.terms import terms
from eunoe.processors.tokens import counter
from eunoe.stores import lexical
from eunoe.stores.contracts import Memory, Source
from eunoe.stores.lexical import SqliteLexical
from eunoe.streams.times import key_of

NOW = key_of("2026-06-30T12:00:00+00:00")


class DictMemories:
    """`stores.contracts.Memories` over dicts."""

    def __init__(self):
        self.rows, self.known_scopes = {}, {}

    def scopes(self):
        return sorted(self.known_scopes)

    def scope_number(self, scope):
        return self.known_scopes.get(scope)

    def many(self, numbers):
        return {number: self.rows[number] for number in numbers if number in self.rows}

    def get(self, memory_id):
        return next((memory for memory in self.rows.values() if memory.id == memory_id), None)

    def listing(self, scope, *, kind=None, retired=False):
        found = [m for m in self.rows.values() if m.scope == scope and kind in (None, m.kind)]
        return iter(sorted((m for m in found if retired or not m.retired), key=lambda m: (m.key, m.id)))

    def neighbours(self, numbers):
        sessions = defaultdict(list)
        for memory in self.rows.values():
            if memory.kind == "episode":
                sessions[memory.scope, memory.sources[0].session].append((memory.key, memory.number))
        found = {}
        for turns in sessions.values():
            order = [number for _, number in sorted(turns)]
            for before, number, after in zip([None, *order], order, [*order[1:], None], strict=False):
                found[number] = (before, after)
        return {number: found[number] for number in numbers if number in found}


class House:
    """Memories and their index, filled turn by turn."""

    def __init__(self):
        self.memories = DictMemories()
        connection = apsw.Connection(":memory:")
        lexical.create(connection)
        self.lexical = SqliteLexical(connection)

    def scope(self, scope):
        return self.memories.known_scopes.setdefault(scope, len(self.memories.known_scopes) + 1)

    def put(self, **fields):
        number = len(self.memories.rows) + 1
        memory = Memory(number=number, **fields)
        self.memories.rows[number] = memory
        self.lexical.add([(number, self.scope(memory.scope), terms(memory.text))])
        return memory

    def turn(self, text, *, at, event, speaker="Ana", session="s-1", scope="user/1", **fields):
        """An episode: what was said, behind its speaker."""
        source = Source(event, session, "user", at)
        return self.put(
            id=f"m-{event}", scope=scope, kind="episode", text=f"{speaker}: {text}", sources=(source,), at=at,
            key=key_of(at), last_confirmed=at, **fields,
        )  # fmt: skip

    def fact(self, text, *, at, event, kind="fact", session="s-1", scope="user/1", name=None, **fields):
        """A fact or skill from one or more events (id or list of (id, at))."""
        events = [(event, at)] if isinstance(event, str) else event
        sources = tuple(Source(one, session, "user", when) for one, when in events)
        return self.put(
            id=name or f"m-{kind}-{events[0][0]}", scope=scope, kind=kind, text=text, sources=sources, at=at,
            key=key_of(at), last_confirmed=max(when for _, when in events), **fields,
        )  # fmt: skip

    def change(self, memory, **fields):
        self.memories.rows[memory.number] = msgspec.structs.replace(memory, **fields)

    def ask(self, question, *, scopes=("user/1",), budget=400, as_of=None, **options):
        return recall(
            question, memories=self.memories, lexical=self.lexical, scopes=scopes, budget=budget, as_of=as_of,
            now_key=options.pop("now_key", NOW), counter=counter(), recall_id="r-test", **options,
        )  # fmt: skip
