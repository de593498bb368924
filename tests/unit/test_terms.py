"""Terms: what is said in one spelling is found in another, in any script, and nothing is slow."""

import sys
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eunoe.processors.terms import TERM_CHARACTERS, query_terms, terms


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("ＣＮ－Ｂ２０４８１", "CN-B20481"),
        ("part CN-B20481 is late", "b20481"),
        ("part CN-B20481 is late", "CNB20481"),
        ("part CN\u2011B20481 is late", "cn-b20481"),
        ("order 1,000 bolts", "1000"),
        ("mail ana@example.org", "example.org"),
        ("Zoë moved", "ZOE"),
        ("Zoe\u0308 moved", "zoë"),
        ("İstanbul", "istanbul"),
        ("臺北的雨", "台北"),
        ("对花生过敏", "花生過敏"),
        ("ｶﾀｶﾅ", "カタカナ"),
        ("Straße", "STRASSE"),
        ("We were cooking for hours", "cook"),
        ("Ana's kitchen", "Ana"),
        ("don’t", "don't"),
        ("J'ai adopté deux chiens avec mes enfants", "chien"),
        ("Jeg har solgt bilene mine til naboen", "Hvem har kjøpt bilen til deg?"),
        ("Я купила книги в Москве", "книга"),
        ("昨日ラーメンを食べた", "ラーメン"),
        ("서울에 산다", "서울"),
        ("मुझे हिन्दी पसंद है", "हिन्दी"),
        ("ผมชอบกาแฟ", "กาแฟ"),
        ("茶", "茶"),
    ],
)
def test_what_is_stored_in_one_spelling_is_found_in_another(stored, asked):
    assert set(query_terms(asked)) & set(terms(stored))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Mira喜欢杭州龙井tea", {"mira", "喜欢", "杭州", "龙井", "tea"}),
        ("CN-B20481", {"cn", "b20481", "cnb20481"}),
        ("cooking", {"cooking", "cook"}),
        ("龙 井", {"龙", "井"}),
        ("ana_b@example.org", {"ana", "b", "example", "org", "anabexampleorg"}),
    ],
)
def test_terms_of_mixed_text(text, found):
    assert found <= set(terms(text))


def test_terms_keep_order_and_repetition():
    assert terms("tea, Tea and TEA") == ["tea", "tea", "and", "tea"]


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Where does Mira live?", ["mira", "live"]),
        ("When did the parrot die?", ["parrot", "die"]),
        ("Was isst der Hund?", ["isst", "hund"]),
        ("我喜欢什么茶", ["我喜", "喜欢", "欢什", "么茶"]),
        ("who are you", ["who", "are", "you"]),
        ("tea tea tea", ["tea"]),
        ("?!", []),
        ("", []),
    ],
)
def test_a_question_asks_without_function_words_where_others_remain(question, asked):
    assert query_terms(question) == asked


@given(st.text(alphabet=st.characters(), max_size=200))
def test_any_string_gives_terms_without_spaces(text):
    for term in terms(text):
        assert term.split() == [term]
        assert term.isprintable() or not term.isascii()
        assert len(term) <= TERM_CHARACTERS
    assert set(query_terms(text)) <= set(terms(text))


@given(st.text(alphabet="aéZ-中文カ가 1,'’.ñß", max_size=60))
def test_spelling_does_not_matter(text):
    assert set(terms(text.upper().lower())) == set(terms(text.lower()))


def test_nul_and_lone_surrogates_separate():
    assert terms("tea\x00pot \ud800cup\udfff") == ["tea", "pot", "cup"]


@pytest.mark.parametrize(
    "text",
    ["a" * 400_000, "龙" * 200_000, "a-" * 200_000, "1," * 200_000, "e\u0301" * 200_000,
     "' " * 200_000, "\u0301" * 400_000,
     "हि" * 200_000, "é1" * 200_000, "-" * 400_000],
    ids=lambda text: ascii(text[:3]),
)  # fmt: skip
def test_time_is_linear(text):
    start = time.process_time()
    terms(text)
    query_terms(text[:20_000])
    assert time.process_time() - start < 2


def test_threads_agree():
    texts = [f"walking talked {word}ing{number}" for number in range(200) for word in ("run", "cook", "sing")]
    right, found = [terms(text) for text in texts], []
    threads = [threading.Thread(target=lambda: found.append([terms(text) for text in texts])) for _ in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(interval)
    assert found == [right] * 4
