"""Sealing, sharing, partitions, frames and times: small pure parts with known values."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eunoe.streams.errors import LogDamaged, Rejected
from eunoe.streams.frames import Envelope, body_hash, chained, decode_envelope, encode_envelope, genesis
from eunoe.streams.partitioning import partition_of
from eunoe.streams.sealing import joined, seal, split, unseal
from eunoe.streams.times import key_of, normalised, parse

KEY = bytes(range(32))


@given(st.binary(max_size=300), st.binary(max_size=40))
def test_what_was_sealed_opens_under_its_key_and_binding_only(plain, binding):
    sealed = seal(KEY, plain, binding)
    assert unseal(KEY, sealed, binding) == plain
    assert len(sealed) == 12 + len(plain) + 16
    for key, box, bound in (
        (KEY[::-1], sealed, binding), (KEY, sealed, binding + b"x"), (KEY, sealed[:-1], binding),
        (KEY, sealed[:-1] + bytes([sealed[-1] ^ 1]), binding), (KEY, b"", binding), (KEY, sealed[:27], binding),
    ):  # fmt: skip
        with pytest.raises(LogDamaged):
            unseal(key, box, bound)


@given(st.integers(1, 16))
def test_all_shares_give_the_key_and_fewer_give_nothing(parts):
    shares = split(KEY, parts)
    assert len(shares) == parts and all(len(share) == 32 for share in shares)
    assert joined(shares) == KEY
    assert joined(shares[::-1]) == KEY
    for gone in range(parts if parts > 1 else 0):
        assert joined(shares[:gone] + shares[gone + 1 :]) != KEY


@given(st.text(st.characters(codec="utf-8"), max_size=20), st.integers(1, 1024))
def test_the_partition_is_the_documented_hash(scope, partitions):
    assert partition_of(scope, partitions) == int.from_bytes(sha256(scope.encode()).digest()[:8], "big") % partitions


def test_partitions_that_must_never_change():
    """Written down: a home made by another release, or another language, must agree."""
    assert [partition_of(s, 1024) for s in ("user/1", "user/12", "User/1", "user/1/x", "user/%")] == [
        164,
        20,
        430,
        658,
        435,
    ]


def test_an_envelope_comes_back_and_its_hash_is_fixed():
    envelope = Envelope(b"r" * 16, b"s" * 16, (b"a" * 16, b"b" * 16), "interaction/1", 7, 1, b"w" * 8, 3, 1700000000000,
                        ("inbox", 2, 9, True), (b"c" * 16,), 2)  # fmt: skip
    frame = encode_envelope(envelope)
    assert decode_envelope(frame) == envelope
    assert envelope.binding == b"r" * 16 + b"s" * 16 + b"interaction/1"
    assert chained(b"p", frame, body_hash(b"c")) == sha256(b"p" + frame + sha256(b"c").digest()).digest()
    assert genesis(b"h" * 16, 5) == sha256(b"eunoe/log/1" + b"h" * 16 + b"\x00\x00\x00\x05").digest()


# -- times -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_text", "stored", "key"),
    [
        ("2025-03-03T22:30:00-04:00", "2025-03-03T22:30:00-04:00", 1741055400_000000),
        ("2025-03-04T00:30:00+08:00", "2025-03-04T00:30:00+08:00", 1741019400_000000),
        ("2025-03-03T22:30:00", "2025-03-03T22:30:00", 1741041000_000000),
        ("2025-03-03T22:30:00Z", "2025-03-03T22:30:00+00:00", 1741041000_000000),
        ("2025-03-03 22:30:00.250+05:45", "2025-03-03T22:30:00.250000+05:45", 1741020300_250000),
        ("1969-12-31T23:59:59+00:00", "1969-12-31T23:59:59+00:00", -1_000000),
    ],
)
def test_a_time_keeps_wall_clock_and_offset(given_text, stored, key):
    assert normalised(given_text) == stored
    assert key_of(stored) == key
    assert normalised(stored) == stored


def test_a_time_without_offset_stays_of_unknown_zone():
    assert parse("2025-03-03T22:30:00").tzinfo is None
    assert "+" not in normalised("2025-03-03T22:30:00")


NO_TIMES = (
    "", "yesterday", "2025-03-03", "2025-13-03T00:00:00", "2025-03-03T25:00:00", "T" * 500, "2025-03-03T22:30:00+99:00",
    "2025-03-03T22:30:00 CET", "T", "\ud800T",
)  # fmt: skip


@pytest.mark.parametrize("text", NO_TIMES)
def test_what_is_no_time_is_refused(text):
    with pytest.raises(Rejected):
        normalised(text)


@given(st.datetimes(timezones=st.none() | st.timezones()))
def test_every_time_that_is_taken_has_a_key_and_one_spelling(moment):
    try:
        stored = normalised(moment.isoformat())
    except Rejected:
        return
    assert normalised(stored) == stored
    assert isinstance(key_of(stored), int)


def test_a_nonce_is_not_used_twice():
    assert len({seal(KEY, b"same", b"")[:12] for _ in range(200)}) == 200
