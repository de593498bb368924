"""What every projection must do for those who read it. A backend's test is a subclass with a `world` fixture.

A world is a home with a plain extractor (tests/property/worlds.py); `world.memories_of` is what is under test.
"""

import pytest

from tests.property.worlds import say

SCOPES = ("user/1", "user/12", "User/1", "user/1/x", "user/%", "user/_", "用户/一")


class MemoriesContract:
    """Subclass with a fixture `world` that gives a fresh home."""

    @pytest.fixture
    def filled(self, world):
        """One turn in each of many scopes, and a talk in the first."""
        for scope in SCOPES:
            world.record(say("e1", f"likes={'x'.join(str(ord(c)) for c in scope)}", scope=scope))
        world.record(*[say(f"t{n}", f"likes=thing{n}", n, session="talk", day=2) for n in range(5)])
        world.settle()
        return world

    def test_each_scope_sees_its_own_only(self, filled):
        reads = filled.memories_of
        assert set(SCOPES) <= set(reads.scopes())
        assert len({reads.scope_number(scope) for scope in SCOPES}) == len(SCOPES)
        for scope in SCOPES:
            held = list(reads.listing(scope))
            assert {m.scope for m in held} == {scope}
            assert sum(m.kind == "fact" for m in held) == (6 if scope == "user/1" else 1)

    @pytest.mark.parametrize("scope", ["user", "user/", "user/2", "USER/1", "user/1 ", "%", "user/1%", "", "*"])
    def test_a_scope_that_there_is_not(self, filled, scope):
        assert filled.memories_of.scope_number(scope) is None
        assert list(filled.memories_of.listing(scope)) == []

    def test_listings_are_by_event_time_and_by_kind(self, filled):
        held = list(filled.memories_of.listing("user/1"))
        assert held == sorted(held, key=lambda m: (m.key, m.id)) and len(held) == 12
        for kind, count in (("fact", 6), ("episode", 6), ("skill", 0)):
            found = list(filled.memories_of.listing("user/1", kind=kind))
            assert len(found) == count and {m.kind for m in found} <= {kind}

    def test_by_number_and_by_id(self, filled):
        held = list(filled.memories_of.listing("user/1"))
        assert filled.memories_of.many(m.number for m in held) == {m.number: m for m in held}
        assert filled.memories_of.many([]) == {} and filled.memories_of.many([10**9, -1]) == {}
        for memory in held:
            assert filled.memories_of.get(memory.id) == memory
        for unknown in ("", "m-", "m-00", "%", held[0].id.upper(), held[0].id + " "):
            assert filled.memories_of.get(unknown) is None, unknown

    def test_retired_ones_come_when_asked_for(self, filled):
        memory = filled.facts()[0]
        filled.retire(memory.id)
        reads = filled.memories_of
        assert memory.id not in {m.id for m in reads.listing("user/1")}
        assert memory.id in {m.id for m in reads.listing("user/1", retired=True) if m.retired}
        assert reads.get(memory.id).retired

    def test_neighbours_are_the_turns_beside_in_the_session(self, filled):
        talk = [m for m in filled.listing(kind="episode") if m.sources[0].session == "talk"]
        alone = next(m for m in filled.listing(kind="episode") if m.sources[0].session != "talk")
        numbers = [m.number for m in talk]
        beside = filled.memories_of.neighbours([*numbers, alone.number, 10**9])
        padded = [None, *numbers, None]
        assert {n: beside[n] for n in numbers} == {n: (padded[i], padded[i + 2]) for i, n in enumerate(numbers)}
        assert beside[alone.number] == (None, None) and 10**9 not in beside

    def test_an_id_given_out_resolves_through_lineage(self, filled):
        """An earlier source arrives: the memory is named after it, and the old id finds it."""
        told = next(m for m in filled.facts() if m.value == "thing3")
        filled.record(say("early", "likes=Thing3", day=1, session="other"))
        (now,) = [m for m in filled.facts() if (m.value or "").lower() == "thing3"]
        assert now.id != told.id and [s.event for s in now.sources] == ["early", "t3"]
        assert filled.memories_of.get(told.id) == now == filled.memories_of.get(now.id)
        assert filled.rebuild().same_as_live
        assert filled.memories_of.get(told.id).id == now.id

    def test_positions_stand_at_the_heads_when_settled(self, filled):
        home = filled.home
        assert home.projections.positions() == [home.log.head(p) for p in range(home.log.partitions)]

    def test_reading_from_many_threads(self, filled):
        import threading

        wanted, got = list(filled.memories_of.listing("user/1")), []
        threads = [
            threading.Thread(target=lambda: got.append(list(filled.memories_of.listing("user/1")))) for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert got == [wanted] * 8
