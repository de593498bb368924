"""Recalled context is recognised when it comes back, in whatever dress; nothing else is."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eunoe.processors.ingestion.recalled import (
    CLOSE,
    RecentlyRecalled,
    escape,
    normalised,
    opening,
    recalled_spans,
    within,
)

CONTEXT = f"{opening('r-81')}\n[12 May 2026]\nAna: I ship through GitHub Actions.\n{CLOSE}"


def tagged(text, known=()):
    return [text[start:end] for start, end in recalled_spans(text, known)]


def test_a_context_is_found_between_other_words():
    text = f"Here is what you know:\n{CONTEXT}\nNow plan the deploy."
    assert tagged(text) == [CONTEXT]


@pytest.mark.parametrize(
    "dress",
    [
        lambda text: "\n".join("    " + line for line in text.splitlines()),
        lambda text: "\n".join("> > " + line for line in text.splitlines()),
        lambda text: text.replace("\n", "\\n").replace('"', '\\"'),
        lambda text: text.replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;"),
        lambda text: text.replace("\n", "\r\n"),
    ],
    ids=["indented", "quoted", "json", "html", "crlf"],
)
def test_a_context_in_another_dress(dress):
    (span,) = tagged(f"before\n{dress(CONTEXT)}\nafter")
    assert "GitHub Actions" in span
    assert "before" not in span and "after" not in span


def test_a_context_whose_end_was_cut_off():
    text = "notes:\n" + CONTEXT[: -len(CLOSE) - 5]
    assert tagged(text) == [text[len("notes:\n") :]]


def test_a_context_inside_a_context():
    nested = CONTEXT.replace("Ana:", CONTEXT + "\nAna:")
    assert tagged(f"a {nested} b") == [nested]


def test_two_contexts_are_two_spans():
    assert tagged(f"{CONTEXT}\nmine\n{CONTEXT}") == [CONTEXT, CONTEXT]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain words",
        "a lone </memory> tag",
        "<memory> is an element",
        "the <memory-card> slot",
        "memory id=3",
        "<" * 500,
    ],
)
def test_other_text_is_left_alone(text):
    assert recalled_spans(text) == ()


FAKES = st.sampled_from(
    ["<", "</", "&lt;", "/", " ", "memory", "MEMORY", ' id="r-1"', ">", "&gt;", "\n", "x", "‹", CLOSE]
)


@given(st.lists(FAKES, max_size=12).map("".join))
def test_memory_text_fakes_no_mark(text):
    inside = escape(text)
    assert escape(inside) == inside
    context = f"{opening('r-1')}\n{inside}\n{CLOSE}"
    assert tagged(f"a{context}b") == [context]
    assert recalled_spans(inside) == ()


def test_escape_keeps_ordinary_text():
    text = "if a < b and </p> &lt;div> memory"
    assert escape(text) == text


def test_lines_recalled_lately_are_found_without_marks():
    recently = RecentlyRecalled()
    recently.add(["Ana: I ship through GitHub Actions.", "Ben: ok", "安娜：我对花生过敏。"])
    text = "I remember:\n  - ana: I ship  through GitHub Actions\nAna: I ship by hand.\nBen: ok\n> 安娜：我对花生过敏"
    assert tagged(text, recently) == ["  - ana: I ship  through GitHub Actions", "> 安娜：我对花生过敏"]
    recently.clear()
    assert not recently
    assert recalled_spans(text, recently) == ()


def test_what_is_remembered_is_bounded_and_the_latest_stays():
    recently = RecentlyRecalled(lines=3)
    lines = [f"a rather long remembered line {number}" for number in range(5)]
    recently.add(lines)
    assert [line in recently for line in lines] == [False, False, True, True, True]


def test_threads_may_add_at_once():
    recently = RecentlyRecalled(lines=50)
    lines = [[f"thread {t} said line {n}" for n in range(100)] for t in range(4)]
    threads = [threading.Thread(target=lambda own=own: [recently.add([line]) for line in own]) for own in lines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(line in recently for own in lines for line in own) == 50


def test_normalised_ignores_quoting_spacing_and_case():
    assert normalised(" > - Ana:  I SHIP it! ") == normalised("ana: i ship it")
    assert normalised("[12 May] Ana: I ship it") == normalised("Ana: I ship it")


def test_spans_of_a_piece():
    assert within([(2, 6), (8, 9)], 4, 8) == ((0, 2),)
    assert within([(0, 10)], 4, 8) == ((0, 4),)
    assert within([], 0, 5) == ()
