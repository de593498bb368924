"""Long inputs in pieces: nothing lost, nothing over the limit, cut where language allows."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eunoe.processors.ingestion.chunking import CHUNK_CHARACTERS, chunks


@given(st.text(max_size=300), st.integers(min_value=1, max_value=50))
def test_joined_pieces_are_the_text_and_none_is_too_long(text, limit):
    pieces = chunks(text, limit)
    assert "".join(pieces) == text
    assert all(0 < len(piece) <= limit for piece in pieces) or pieces == [""]


def test_a_short_text_is_one_piece():
    assert chunks("We ship on Fridays.") == ["We ship on Fridays."]
    assert chunks("x" * CHUNK_CHARACTERS) == ["x" * CHUNK_CHARACTERS]
    assert chunks("") == [""]


@pytest.mark.parametrize(
    ("text", "limit", "pieces"),
    [
        ("One two. Three.\n\nFour five six seven", 22, ["One two. Three.\n\n", "Four five six seven"]),
        ("One two three.\nFour five six seven", 22, ["One two three.\n", "Four five six seven"]),
        ("We moved in. Then it rained a lot.", 20, ["We moved in. ", "Then it rained a ", "lot."]),
        ('He said "no more." Then he left us.', 22, ['He said "no more." ', "Then he left us."]),
        ("我们搬家了。后来下了大雨。真的很大。", 8, ["我们搬家了。", "后来下了大雨。", "真的很大。"]),
        ("one two three four", 10, ["one two ", "three four"]),
        ("version 3.14159 is out", 9, ["version ", "3.14159 ", "is out"]),
        ("aaaaaaaaaa", 4, ["aaaa", "aaaa", "aa"]),
    ],
)
def test_cuts_where_language_allows(text, limit, pieces):
    assert chunks(text, limit) == pieces


def test_no_cut_inside_a_combining_sequence():
    assert chunks("aaae\u0301bbb", 4) == ["aaa", "e\u0301bb", "b"]
    assert chunks("xx👩\u200d💻yy", 4) == ["xx", "👩\u200d💻y", "y"]
    assert chunks("abc\ud83d\ude00d", 4) == ["abc", "\ud83d\ude00d"]


def test_a_long_run_without_spaces_is_fast():
    start = time.process_time()
    pieces = chunks("a" * 1_000_000)
    assert len(pieces) == 250
    assert len(chunks("e" + "\u0301" * 100_000)) == 26
    assert time.process_time() - start < 1
