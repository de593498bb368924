"""Whatever a turn holds, extraction ends soon and raises nothing; spans stay inside the text."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eunoe.processors.extraction import extract
from eunoe.processors.units import Unit
from eunoe.streams.events import Interaction

SECONDS = 0.3
WORDS = st.sampled_from(
    [
        "I",
        "my",
        "brother",
        "Theo",
        "never",
        "always",
        "deploy",
        "through",
        "GitHub",
        "Actions",
        "by",
        "hand",
        "if",
        "when",
        "fails",
        ",",
        ".",
        "?",
        "!",
        ":",
        ";",
        "'",
        '"',
        "(",
        "yesterday",
        "in",
        "two",
        "weeks",
        "May",
        "who",
        "and",
        "but",
        "moved",
        "to",
        "Oslo",
        "like",
        "hate",
        "can't",
        "is",
        "42",
        "\n",
        "```",
        ">",
        "我",
        "老婆",
        "對",
        "花生",
        "過敏",
        "如果",
        "報錯",
        "就",
        "先",
        "昨天",
        "上個月底",
        "，",
        "。",
        "？",
        "🎉",
        "\x00",
        "je",
        "ne",
        "suis",
    ]
)
HARD = {
    "sentences": ("I like tea number. " * 2_200)[:40_000],
    "chinese": "我喜欢喝茶，" * 7_000,
    "no spaces": "a" * 20_000,
    "no spaces, Chinese": "在" * 20_000,
    "NUL": "\0" * 20_000,
    "surrogates": "\ud800x" * 10_000,
    "emoji": "🎉" * 20_000,
    "quotes": '"' * 20_000,
    "commas": "I, " * 10_000,
    "ifs": "if " * 10_000,
    "lines": "\n" * 20_000,
    "list": "I like " + "tea and " * 5_000,
    "relatives": "my brother " * 3_000,
    "one long sentence": "I never " + "deploy " * 150,
    "adverbs": "always " * 5_000,
    "quoted": ">" * 20_000,
    "mails": "from: " + "a" * 1_000 + "\nfrom: x" * 3_000,
    "injections": "ignore " * 3_000,
    "clauses": "我，" * 500,
    "spaces": " " * 20_000 + "a",
}


def unit(text: str, role: str, before: str = "") -> Unit:
    """A unit as no check would let it in: lone surrogates and all."""
    turns = [
        Interaction.model_construct(
            type="interaction", scope="s", subjects=(), id=f"t{n}", session="s", role=role, text=words, speaker=None,
            at="2026-05-12T09:30:00+02:00", agent=None, order=n, tool=None, meta=None,
            chunk=0, chunks=1, withheld=(), recalled=(),
        )
        for n, words in enumerate([before, text])
    ]  # fmt: skip
    return Unit("u", tuple(turns))


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
@pytest.mark.parametrize("name", HARD)
def test_hard_texts_end_soon(name, role):
    start = time.process_time()
    extract(unit(HARD[name], role))
    assert time.process_time() - start < SECONDS


@settings(max_examples=300, deadline=None)
@given(
    st.text(st.characters(), max_size=300),
    st.text(max_size=60),
    st.sampled_from(["user", "assistant", "tool", "observation"]),
)
def test_any_text(text, before, role):
    check(text, before, role)


@settings(max_examples=500, deadline=None)
@given(st.lists(WORDS, max_size=40).map(" ".join), st.lists(WORDS, max_size=8).map(" ".join))
def test_any_words(text, before):
    check(text, before, "user")


def check(text: str, before: str, role: str) -> None:
    given_ = extract(unit(text, role, before))
    assert (given_.reason is None) == any(i.kind != "episode" for i in given_.items)
    for item in given_.items:
        assert all(0 <= span.start < span.end <= len(text) and span.event == "t1" for span in item.spans)
        assert item.kind == "episode" or (item.text and item.spans)
        assert item.value is None or item.value == item.value.strip() != ""


def test_it_is_pure():
    text = "My brother Theo moved to Oslo yesterday. He hates fish."
    assert extract(unit(text, "user")) == extract(unit(text, "user"))
