"""Cutting a long memory: whole sentences, what was asked for, never over the limit."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eunoe.processors.recall.cutting import sentences, shortened
from eunoe.processors.tokens import counter


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three? Four", ["One. ", "Two! ", "Three? ", "Four"]),
        ('She said "no." Then left.', ['She said "no." ', "Then left."]),
        ("Version 3.14 is out. Good.", ["Version 3.14 is out. ", "Good."]),
        ("我们走了。后来下雨。", ["我们走了。", "后来下雨。"]),
        ("a\nb\n\nc", ["a\n", "b\n\n", "c"]),
        ("", []),
    ],
)
def test_sentences(text, parts):
    assert sentences(text) == parts


@given(st.text(max_size=200))
def test_joined_sentences_are_the_text(text):
    assert "".join(sentences(text)) == text


@given(st.text(alphabet="ab .。\n!é龙😀:", max_size=400), st.integers(0, 60), st.sampled_from([[], ["ab"], ["龙龙"]]))
@settings(deadline=None)
def test_never_over_the_limit(text, limit, asked):
    assert counter().count(shortened(text, limit, asked, counter())) <= limit


def test_a_run_without_sentences_is_cut_between_words():
    text = "word " * 500
    cut = shortened(text, 50, [], counter())
    assert text.startswith(cut)
    assert cut.endswith("word")
    assert 45 <= counter().count(cut) <= 50


@pytest.mark.parametrize(
    "text", ["a" * 100_000, "龙" * 100_000, ". " * 50_000, "\n" * 50_000, "a. " * 40_000, '."' * 40_000]
)
def test_cutting_is_fast(text):
    start = time.process_time()
    shortened(text, 1_000, ["zebra", "a"], counter())
    assert time.process_time() - start < 2
