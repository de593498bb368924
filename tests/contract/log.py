"""What every event log must do. A backend's test is a subclass with a `log` fixture and the hooks below."""

import threading
import time
from itertools import pairwise

import pytest

from eunoe.streams.errors import IdReused, KeyMissing, Rejected
from eunoe.streams.events import Correction, Interaction, Result, Span
from eunoe.streams.frames import EPOCH_SCHEMA, chained, encode_envelope
from eunoe.streams.frames import body_hash as hashed
from eunoe.streams.log import Appended, Log, entry
from eunoe.streams.partitioning import partition_of

SCOPE, OTHER = "user/1", "team/blue"


def turn(id="e1", text="I live in Bergen.", scope=SCOPE, **fields) -> Interaction:
    """An interaction, with what the test does not care about filled in."""
    given = {"session": "s", "role": "user", "at": "2025-03-03T09:00:00+01:00", "subjects": (scope,), **fields}
    return Interaction(scope=scope, id=id, text=text, **given)


def parts(id="long", texts=("one ", "two ", "three"), **fields) -> list[Interaction]:
    """A long input in chunks."""
    return [turn(id, text, chunk=n, chunks=len(texts), **fields) for n, text in enumerate(texts)]


def records(log: Log, partition: int):
    """All records of a partition."""
    return log.read(partition, -1, 10_000)


def events(log: Log):
    """(scope, id, chunk) → position and event, of all partitions."""
    found = {}
    for partition in range(log.partitions):
        for opened in log.open(records(log, partition)):
            if opened.event is not None:
                key = (opened.event.scope, opened.event.id, getattr(opened.event, "chunk", 0))
                assert key not in found, "one event stands twice"
                found[key] = ((partition, opened.record.position), opened.event)
    return found


def placed(outcome) -> Appended:
    """The outcome of an entry that was taken."""
    assert isinstance(outcome, Appended), outcome
    return outcome


class LogContract:
    """Subclass with a fixture `log` that gives a fresh log of four partitions.

    `reopened` closes it and opens it again. `forget_subject` destroys one subject's keys, as an erasure does.
    """

    def reopened(self, log: Log) -> Log:
        """The same log, opened anew."""
        raise NotImplementedError

    def forget_subject(self, log: Log, name: str) -> Log:
        """Destroy all keys of one subject; the log, with nothing of it cached."""
        raise NotImplementedError

    # -- appending and reading --------------------------------------------------------------------

    def test_new_partitions_hold_their_epoch_record_only(self, log):
        assert log.partitions == 4
        for partition in range(4):
            (first,) = records(log, partition)
            assert (first.position, first.envelope.schema) == (0, EPOCH_SCHEMA)
            assert log.head(partition) == 0
            assert [o.event for o in log.open([first])] == [None]
        assert log.verify().ok

    def test_what_was_appended_is_read_in_order(self, log):
        told = [turn(f"e{n}", f"turn {n}") for n in range(7)]
        outcomes = log.append([entry(event) for event in told])
        partition = partition_of(SCOPE, 4)
        assert [placed(o) for o in outcomes] == [Appended(partition, n, False) for n in range(1, 8)]
        assert [o.event for o in log.open(log.read(partition, 0, 100))] == told
        assert [r.position for r in log.read(partition, 3, 2)] == [4, 5]
        assert log.read(partition, 7, 10) == [] and log.read(partition, 99, 10) == []
        assert log.head(partition) == 7

    def test_every_kind_of_event_comes_back_as_it_was(self, log):
        span = Span(event="e1", start=0, end=4)
        told = [
            turn("e1", "tea ☕ 龙井", speaker="Ana", order=3, meta={"a": [1, None, {"b": 2.5}]}, recalled=((0, 3),)),
            Result(scope=SCOPE, id="result-1", subjects=(SCOPE,), unit="00" * 16, members=("e1",), reason="question"),
            Correction(
                scope=SCOPE, id="c1", subjects=(SCOPE,), action="edit", target="m-1", at="2025-03-03T09:00:00",
                actor="ana", text="New.", spans=(span,),
            ),
        ]  # fmt: skip
        log.append([entry(event) for event in told])
        assert [event for _, event in events(log).values()] == told

    def test_positions_have_no_gap_whatever_the_scopes(self, log):
        for batch in range(4):
            log.append([entry(turn(f"e{batch}-{n}", scope=f"user/{n}")) for n in range(9)])
        for partition in range(4):
            assert [r.position for r in records(log, partition)] == list(range(log.head(partition) + 1))
            assert [r.envelope.number for r in records(log, partition)] == list(range(log.head(partition) + 1))
        assert len(events(log)) == 36

    def test_a_scope_lives_in_the_partition_of_its_hash(self, log):
        for scope in ("user/1", "user/12", "User/1", "user/1/x", "user/%"):
            assert placed(log.append([entry(turn(scope=scope))])[0]).partition == partition_of(scope, 4)

    def test_the_chain_is_that_of_the_documented_form(self, log):
        log.append([entry(turn(f"e{n}")) for n in range(3)])
        held = records(log, partition_of(SCOPE, 4))
        for before, record in pairwise(held):
            digest = chained(before.hash, encode_envelope(record.envelope), hashed(record.ciphertext))
            assert record.hash == digest

    def test_nothing_of_the_content_stands_in_the_clear(self, log):
        log.append([entry(turn("order-4711", "Zanzibar", scope="user/quagga", session="sess-9", speaker="Okapi"))])
        for partition in range(4):
            for record in records(log, partition):
                clear = encode_envelope(record.envelope) + (record.ciphertext or b"")
                for word in (b"order-4711", b"Zanzibar", b"quagga", b"sess-9", b"Okapi", b"2025-03-03"):
                    assert word not in clear

    def test_the_same_twice_is_sealed_differently(self, log):
        log.append([entry(turn("a")), entry(turn("b"))])
        first, second = records(log, partition_of(SCOPE, 4))[1:]
        assert first.ciphertext != second.ciphertext
        assert first.envelope.record != second.envelope.record
        assert first.envelope.stream == second.envelope.stream

    def test_an_empty_append_does_nothing(self, log):
        assert log.append([]) == []
        assert [log.head(p) for p in range(4)] == [0, 0, 0, 0]

    def test_everything_stands_after_a_reopening(self, log):
        log.append([entry(turn()), entry(turn("e2", scope=OTHER)), entry(*parts())])
        before = events(log)
        again = self.reopened(log)
        assert events(again) == before and len(before) == 5
        assert again.verify().ok
        assert placed(again.append([entry(turn())])[0]).duplicate
        assert placed(again.append([entry(turn("e3"))])[0]).position == again.head(partition_of(SCOPE, 4))

    # -- ids --------------------------------------------------------------------------------------

    def test_the_same_again_is_a_duplicate_at_the_first_position(self, log):
        first = placed(log.append([entry(turn())])[0])
        log.append([entry(turn("e2"))])
        again = placed(log.append([entry(turn())])[0])
        assert again == Appended(first.partition, first.position, True)
        assert len(events(log)) == 2

    def test_an_id_with_other_content_is_refused_and_the_rest_of_the_batch_stands(self, log):
        log.append([entry(turn("e1", "I live in Bergen."))])
        good, bad, more = log.append([entry(turn("e2")), entry(turn("e1", "I live in Oslo.")), entry(turn("e3"))])
        assert isinstance(bad, IdReused) and isinstance(bad, Rejected)
        assert "Oslo" not in str(bad) and "Bergen" not in str(bad)
        assert not placed(good).duplicate and placed(more).position == placed(good).position + 1
        assert {e.text for _, e in events(log).values()} == {"I live in Bergen."}

    @pytest.mark.parametrize(
        "other",
        [
            {"text": "i live in Bergen."}, {"session": "t"}, {"role": "assistant"}, {"speaker": "Ana"},
            {"at": "2025-03-03T08:00:00+00:00"}, {"at": "2025-03-03T09:00:00"}, {"meta": {"a": 1}},
            {"subjects": (SCOPE, "ana")}, {"agent": "x"},
        ],
    )  # fmt: skip
    def test_what_is_content(self, log, other):
        log.append([entry(turn())])
        assert isinstance(log.append([entry(turn(**other))])[0], IdReused)

    @pytest.mark.parametrize("other", [{"order": 9}, {"recalled": ((0, 2),)}, {"masking": 9}, {"chunking": 9}])
    def test_what_is_no_content(self, log, other):
        log.append([entry(turn())])
        assert placed(log.append([entry(turn(**other))])[0]).duplicate
        ((_, event),) = events(log).values()
        assert event == turn()

    def test_within_one_batch(self, log):
        first, same, other = log.append([entry(turn()), entry(turn(order=4)), entry(turn(text="Other."))])
        assert placed(same) == Appended(placed(first).partition, placed(first).position, True)
        assert isinstance(other, IdReused)
        assert len(events(log)) == 1

    def test_an_id_is_unique_in_its_scope_only(self, log):
        outcomes = log.append([entry(turn(scope=scope, text=scope)) for scope in ("user/1", "user/12", "User/1")])
        assert [placed(o).duplicate for o in outcomes] == [False, False, False]

    def test_scope_and_id_are_told_apart(self, log):
        outcomes = log.append([entry(turn("c", scope="a/b")), entry(turn("b/c", scope="a"))])
        assert [placed(o).duplicate for o in outcomes] == [False, False]

    def test_chunks_stand_together_and_are_one_id(self, log):
        log.append([entry(turn("before"))])
        first = placed(log.append([entry(*parts())])[0])
        held = log.open(log.read(first.partition, first.position - 1, 3))
        assert [o.event.text for o in held] == ["one ", "two ", "three"]
        assert [o.record.envelope.count for o in held] == [3, 1, 1]
        again = placed(log.append([entry(*parts())])[0])
        assert again == Appended(first.partition, first.position, True)
        for texts in (("one ", "two "), ("one ", "two ", "four"), ("one ", "two ", "three", "")):
            assert isinstance(log.append([entry(*parts(texts=texts))])[0], IdReused)
        assert isinstance(log.append([entry(turn("long", "one "))])[0], IdReused)

    def test_chunks_within_one_batch(self, log):
        first, again, other = log.append([entry(*parts()), entry(*parts()), entry(*parts(texts=("one ", "2")))])
        assert placed(again) == Appended(placed(first).partition, placed(first).position, True)
        assert isinstance(other, IdReused)

    def test_a_result_known_by_its_id_stands_as_it_was_first(self, log):
        def result(reason):
            return Result(scope=SCOPE, id="result-1", subjects=(SCOPE,), unit="00" * 16, members=("e",), reason=reason)

        first, same = log.append([entry(result("question")), entry(result("small_talk"))])
        later = log.append([entry(result("hypothetical"))])[0]
        assert placed(same).duplicate and placed(later) == placed(same)
        assert placed(first).position == placed(same).position
        assert [event.reason for _, event in events(log).values()] == ["question"]

    def test_an_id_of_another_kind_of_event_is_refused(self, log):
        log.append([entry(turn("x"))])
        correction = Correction(
            scope=SCOPE, id="x", subjects=(SCOPE,), action="retire", target="m", at="2025-01-01T00:00:00", actor="a"
        )
        assert isinstance(log.append([entry(correction)])[0], IdReused)

    # -- subjects ---------------------------------------------------------------------------------

    def test_any_one_subject_closes_a_record(self, log):
        names = ("ana", "theo", "mira")
        for n, name in enumerate(names):
            log.append([entry(turn(f"e{n}", subjects=names, scope=f"team/{name}"))])
            log.append([entry(turn(f"mine-{n}", subjects=(name,), scope=f"team/{name}"))])
        told = events(log)
        log = self.forget_subject(log, "theo")
        for place, event in told.values():
            (record,) = log.read(place[0], place[1] - 1, 1)
            if "theo" not in event.subjects:
                assert log.open([record])[0].event == event
                continue
            with pytest.raises(KeyMissing) as missing:
                log.open([record])
            assert (missing.value.partition, missing.value.position) == place
        found = log.verify()
        assert not found.ok and found.first_bad.reason.startswith("its key is missing")

    def test_records_of_one_subject_wear_one_pseudonym(self, log):
        log.append([entry(turn("a", subjects=("ana",))), entry(turn("b", subjects=("ana", "theo")))])
        first, second = records(log, partition_of(SCOPE, 4))[1:]
        assert first.envelope.subjects[0] == second.envelope.subjects[0] != second.envelope.subjects[1]

    # -- waiting ----------------------------------------------------------------------------------

    def test_wait_ends_with_an_append_and_else_in_time(self, log):
        heads = [log.head(p) for p in range(4)]
        started = time.monotonic()
        assert log.wait(heads, 0.1) is False
        assert 0.1 <= time.monotonic() - started < 2
        later = threading.Timer(0.1, lambda: log.append([entry(turn())]))
        later.start()
        assert log.wait(heads, 30) is True
        later.join()
        assert log.wait(heads, 0) is True

    # -- many writers -----------------------------------------------------------------------------

    def test_threads_get_the_same_position_for_the_same_id(self, log):
        got: dict[str, set[int]] = {}
        failed, lock = [], threading.Lock()

        def write(worker):
            try:
                for n in range(15):
                    where = placed(log.append([entry(turn(f"same-{n}"))])[0])
                    mine = placed(log.append([entry(turn(f"own-{worker}-{n}"))])[0])
                    with lock:
                        got.setdefault(f"same-{n}", set()).add(where.position)
                        assert not mine.duplicate
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed
        assert all(len(positions) == 1 for positions in got.values()) and len(got) == 15
        assert len(events(log)) == 15 + 60
        assert log.verify().ok


class LogDamageContract:
    """Verification: subclass with `log` and with hooks that damage storage behind the log's back.

    Each hook gives the log to go on with. `tamper` flips one bit of a part of a record: `envelope`, `ciphertext`,
    `hash`, `share`, `lookup`.
    """

    def tamper(self, log: Log, partition: int, position: int, part: str) -> Log:
        """One bit of a part of a record flipped."""
        raise NotImplementedError

    def rearrange(self, log: Log, partition: int, places: dict[int, int | None]) -> Log:
        """Move records from a position to another, or away (None)."""
        raise NotImplementedError

    def duplicate(self, log: Log, partition: int, position: int) -> Log:
        """Insert a copy of a record behind it, moving the later ones on."""
        raise NotImplementedError

    @pytest.fixture
    def filled(self, log):
        log.append([entry(turn(f"e{n}", f"turn {n}", subjects=(SCOPE, "ana"))) for n in range(9)])
        log.append([entry(turn(f"o{n}", scope=OTHER)) for n in range(3)])
        assert partition_of(SCOPE, 4) != partition_of(OTHER, 4)
        return log

    @property
    def place(self) -> int:
        return partition_of(SCOPE, 4)

    def first_bad(self, log):
        found = log.verify()
        assert not found.ok and found.first_bad is not None and found.partitions == 4
        assert "turn" not in found.first_bad.reason and SCOPE not in found.first_bad.reason
        return (found.first_bad.partition, found.first_bad.position)

    def test_a_whole_log_is_ok(self, filled):
        found = filled.verify()
        assert found.ok and found.first_bad is None and found.records == 4 + 9 + 3

    @pytest.mark.parametrize("part", ["envelope", "ciphertext", "hash", "share", "lookup"])
    @pytest.mark.parametrize("position", [1, 5, 9])
    def test_a_flipped_bit_is_found_where_it_is(self, filled, part, position):
        assert self.first_bad(self.tamper(filled, self.place, position, part)) == (self.place, position)

    @pytest.mark.parametrize("part", ["envelope", "hash"])
    def test_a_flipped_bit_in_the_epoch_record(self, filled, part):
        assert self.first_bad(self.tamper(filled, self.place, 0, part)) == (self.place, 0)

    @pytest.mark.parametrize("position", [0, 1, 5])
    def test_a_removed_record(self, filled, position):
        assert self.first_bad(self.rearrange(filled, self.place, {position: None})) == (self.place, position)

    def test_a_removed_record_with_the_later_ones_moved_up(self, filled):
        places = {4: None, **{n: n - 1 for n in range(5, 10)}}
        assert self.first_bad(self.rearrange(filled, self.place, places)) == (self.place, 4)

    def test_swapped_records(self, filled):
        assert self.first_bad(self.rearrange(filled, self.place, {3: 6, 6: 3})) == (self.place, 3)

    def test_an_inserted_record(self, filled):
        assert self.first_bad(self.duplicate(filled, self.place, 4)) == (self.place, 5)

    def test_an_emptied_partition(self, filled):
        assert self.first_bad(self.rearrange(filled, self.place, dict.fromkeys(range(10)))) == (self.place, 0)

    def test_what_stands_before_the_damage_is_still_read(self, filled):
        log = self.tamper(filled, self.place, 5, "ciphertext")
        assert [o.event.id for o in log.open(log.read(self.place, 0, 4))] == ["e0", "e1", "e2", "e3"]
