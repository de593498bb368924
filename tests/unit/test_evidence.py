"""The evidence rule, the datasets it is asked over, and the figures that come out."""

import json
from pathlib import Path
from typing import Any

import pytest

from eunoe.evals import datasets, evidence, run
from eunoe.evals.baselines import Bm25
from eunoe.evals.datasets import Question
from eunoe.evals.scores import Answer
from eunoe.streams.errors import BadInput

TURN = "Oskar and I bought 2 red canoes for the lake, but we never took the old rowing boat out again."


@pytest.mark.parametrize(
    ("item", "holds"),
    [
        (TURN, True),
        ("Nell bought 2 red canoes for the lake with Oskar and never took the rowing boat out.", True),
        ("Nell bought red canoes for the lake with Oskar and never took the rowing boat out.", False),
        ("Nell bought 2 red canoes for the lake with Oskar and took the rowing boat out.", False),
        ("Nell and Oskar bought 2 canoes, but never again.", False),
        ("bought 2 red canoes lake never took old rowing boat", False),
        ("2 red canoe bought for the lakes, we don't take the old boats rowing any more", True),
        ("", False),
    ],
)
def test_when_an_item_holds_a_turn(item: str, holds: bool) -> None:
    assert evidence.found(item, TURN) is holds


def test_content_words_are_counted_with_their_repeats() -> None:
    turn = "dig dig dig dig the hole"
    assert not evidence.found("dig the hole", turn)
    assert evidence.found("dig dig the hole", turn)


def test_names_of_speakers_are_no_content() -> None:
    assert not evidence.found("they went skating", "Nell Nell Nell went skating")
    assert evidence.found("they went skating", "Nell Nell Nell went skating", ["NELL"])


def test_letters_and_numbers_are_compared_folded() -> None:
    assert evidence.found("zoë paid ２０ crowns at the ﬁsh stall", "Zoe\u0308 paid 20 crowns at the fish stall")
    assert evidence.found("I don’t eat fish at the stall", "I don't eat fish at the stall")
    assert not evidence.found("she paid 200 crowns at the stall", "she paid 20 crowns at the stall")


def test_the_share_counts_gold_turns_that_items_hold_and_cite() -> None:
    turns = {"a": "the boat is red", "b": "the lake froze over", "c": "we sold the canoe", "d": "it snowed"}
    one, two = ("the boat is red", {"a"}), ("the lake froze over and we sold the canoe", {"b", "c"})
    assert evidence.share({"a", "b"}, [one], turns) == 0.5
    assert evidence.share({"a", "b"}, [one, two], turns) == 1
    assert evidence.share({"c"}, [("the boat is red", {"c"})], turns) == 0
    assert evidence.share({"a"}, [("the boat is red", {"b"})], turns) == 0
    assert evidence.share({"a"}, [], turns) == 0


def test_an_item_may_cite_two_turns_that_it_does_not_hold_and_no_more() -> None:
    turns = {"a": "the boat is red", "b": "the lake froze over", "c": "we sold the canoe", "d": "it snowed"}
    assert evidence.share({"a"}, [("the boat is red", {"a", "b", "c"})], turns) == 1
    assert evidence.share({"a"}, [("the boat is red", {"a", "b", "c", "d"})], turns) == 0
    assert evidence.share({"a"}, [("the boat is red", {"a", "b", "c", "elsewhere"})], turns) == 0


# -- datasets ----------------------------------------------------------------------------------------


def talk() -> dict[str, Any]:
    said = ["The boat is red.", "Lovely colour!", "We sold the canoe in June.", "How sad."]
    turns = [{"dia_id": f"D1:{n}", "speaker": ("Nell", "Oskar")[n % 2], "text": text} for n, text in enumerate(said, 1)]
    return {
        "sample_id": "pair-1",
        "conversation": {"session_1": turns, "session_1_date_time": "9:00 am on 1 May, 2024"},
        "qa": [
            {"question": "What colour is the boat?", "answer": "red", "evidence": ["D1:1"], "category": 4},
            {"question": "When was it sold?", "answer": 6, "evidence": ["D1:03; D:1:1"], "category": 2},
            {"question": "Who sang?", "evidence": [], "category": 5},
            {"question": "Who cried?", "evidence": ["D9:9"], "category": 1},
            {"answer": "no question"},
        ],
    }


def put(folder: Path, value: object, name: str = "talk.json") -> Path:
    (folder / name).write_text(json.dumps(value))
    return folder / name


def test_locomo_questions_with_their_gold_repaired_and_counted(tmp_path: Path) -> None:
    loaded = datasets.load("locomo", put(tmp_path, talk()))
    assert [(q.text, set(q.gold), q.category) for q in loaded.questions] == [
        ("What colour is the boat?", {"pair-1:D1:1"}, "single_hop"),
        ("When was it sold?", {"pair-1:D1:3", "pair-1:D1:1"}, "temporal"),
    ]
    assert loaded.left_out == {"no_evidence": 1, "unknown_evidence": 1, "malformed": 1}
    assert loaded.malformed == 1
    assert loaded.names == {"locomo/pair-1": {"nell", "oskar"}}
    assert loaded.ceiling == 1


def test_known_label_errors_lower_the_ceiling(tmp_path: Path) -> None:
    put(tmp_path, [talk()])
    put(tmp_path, [{"sample_id": "pair-1", "qa_index": 1, "correct_evidence": ["D1:3"]}], "errors.json")
    loaded = datasets.load("locomo", tmp_path)
    assert [q.reachable for q in loaded.questions] == [1, 0.5]
    assert loaded.ceiling == 0.75


def test_what_is_no_dataset_is_bad_input(tmp_path: Path) -> None:
    for name, path in [("locomo", None), ("locomo", tmp_path), ("squad", None), ("locomo", tmp_path / "none")]:
        with pytest.raises(BadInput):
            datasets.load(name, path)


def test_the_sample_asks_only_for_turns_that_it_has() -> None:
    loaded = datasets.load("sample")
    assert len(loaded.questions) >= 60
    assert all(q.gold <= set(loaded.turns[q.scope]) for q in loaded.questions)


# -- figures -----------------------------------------------------------------------------------------


class Parrot:
    """Answers every question with the turns it was given."""

    name, unit = "parrot", "turn"

    def __init__(self, *items: tuple[str, str]) -> None:
        self._items = tuple((text, frozenset([event])) for text, event in items)

    def answer(self, question: Question, budget: int) -> Answer:
        return Answer("\n".join(text for text, _ in self._items), self._items)


def test_figures_of_a_known_system(tmp_path: Path) -> None:
    loaded = datasets.load("locomo", put(tmp_path, talk()))
    found = run.measure(loaded, Parrot(("Nell: The boat is red.", "pair-1:D1:1")), [2, 500])
    assert (found.n, found.left_out, found.system, found.model_calls) == (2, 3, "parrot", 0)
    score = found.budgets["500"]
    assert (score.share, score.any, score.full) == (0.75, 1, 0.5)
    assert {k: (p.share, p.n) for k, p in score.by_category.items()} == {"single_hop": (1, 1), "temporal": (0.5, 1)}
    assert (score.over_budget, score.not_in_text) == (0, 0)
    assert found.budgets["2"].over_budget == 2


def test_bm25_finds_the_turn_and_keeps_the_budget(tmp_path: Path) -> None:
    loaded = datasets.load("locomo", put(tmp_path, talk()))
    question = loaded.questions[0]
    system = Bm25(loaded.turns, len)
    assert system.answer(question, 30).items == (("Oskar: The boat is red.", frozenset(["pair-1:D1:1"])),)
    assert system.answer(question, 10).items == ()
    wide = Bm25(loaded.turns, len, around=1).answer(question, 1000)
    assert {e for _, cited in wide.items for e in cited} == {"pair-1:D1:1", "pair-1:D1:2", "pair-1:D1:3"}


def test_bm25_finds_chinese_turns() -> None:
    loaded = datasets.load("sample")
    question = next(q for q in loaded.questions if "过敏" in q.text)
    items = Bm25(loaded.turns, len).answer(question, 200).items
    assert question.gold <= {event for _, cited in items for event in cited}


def test_a_dataset_is_imported_settled_and_recalled_through_the_public_door(tmp_path: Path) -> None:
    path = put(tmp_path, talk())
    found = run.evaluate(path, budgets=[300], home=tmp_path / "kept")
    assert (found.system, found.n, found.left_out, found.model_calls) == ("eunoe", 2, 3, 0)
    score = found.budgets["300"]
    assert score.by_category["single_hop"].share == 1
    assert (score.over_budget, score.not_in_text) == (0, 0)
    assert 0 < score.tokens <= 300
    assert [(b.system, b.unit, b.n) for b in found.baselines] == [("bm25", "turn", 2), ("bm25", "turn±1", 2)]
    assert found.bytes == sum(f.stat().st_size for f in (tmp_path / "kept").rglob("*") if f.is_file())
    with pytest.raises(BadInput, match="exists already"):
        run.evaluate(path, home=tmp_path / "kept")
