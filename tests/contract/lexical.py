"""What every lexical index must do. A backend's test is a subclass with a `lexical` fixture and `remains`."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eunoe.stores.contracts import Lexical

ODD_TERMS = (
    'a"b', "x' OR '1'='1", "NEAR", "or", "a* OR b", "terms:tea", "^tea", "-tea", "(", ")", "scope_1", "x_61", "TEA",
    "té", "龙井", "\x00", "\ud800", "a b", "a\u3000b", "a\u00a0b", "%", "_", "{", "😀", "null",
    ";drop table lexical", "+", "\\",
)  # fmt: skip


def numbers(hits):
    return [hit.number for hit in hits]


class LexicalContract:
    """Subclass with a fixture `lexical` that gives a fresh, empty index."""

    def remains(self, lexical: Lexical, term: str) -> bool:
        """Whether a term still stands anywhere in the index's storage."""
        raise NotImplementedError

    def test_finds_what_holds_any_term_best_first(self, lexical):
        lexical.add(
            [
                (1, 7, ["tea", "green", "cup"]),
                (2, 7, ["tea", "house", "long", "walk", "rain", "street"]),
                (3, 7, ["coffee", "beans"]),
                *[(n, 7, ["filler", f"word{n}"]) for n in range(10, 30)],
            ]
        )
        hits = lexical.search(7, ["tea", "green"], 10)
        assert numbers(hits) == [1, 2]
        assert hits[0].score > hits[1].score > 0

    def test_rare_terms_weigh_more_than_common_ones(self, lexical):
        rows = [(n, 1, ["deploy", "monday"]) for n in range(1, 9)]
        lexical.add([*rows, (9, 1, ["deploy", "friday"]), *[(n, 1, ["other", "words"]) for n in range(10, 40)]])
        hits = lexical.search(1, ["deploy", "friday"], 3)
        assert hits[0].number == 9
        assert hits[0].score > 2 * hits[1].score

    def test_a_scope_sees_its_own_rows_only(self, lexical):
        lexical.add([(1, 1, ["tea"]), (2, 12, ["tea"]), (3, 2, ["tea", "scope", "1", "12"])])
        assert numbers(lexical.search(1, ["tea"], 10)) == [1]
        assert numbers(lexical.search(12, ["tea"], 10)) == [2]
        assert numbers(lexical.search(2, ["tea"], 10)) == [3]
        assert lexical.search(3, ["tea"], 10) == []
        assert lexical.search(1, ["12"], 10) == []

    def test_what_other_scopes_hold_changes_no_order(self, lexical):
        lexical.add(
            [
                (1, 1, ["tea", "cup"]),
                (2, 1, ["coffee", "cup"]),
                (3, 1, ["cup", "cup", "cup"]),
                *[(n, 1, ["filler", f"w{n}"]) for n in range(10, 30)],
            ]
        )
        before = numbers(lexical.search(1, ["tea", "cup"], 9))
        lexical.add([(n, 2, ["tea", "tea", "house"]) for n in range(100, 180)])
        assert numbers(lexical.search(1, ["tea", "cup"], 9)) == before == [1, 3, 2]

    def test_limit_and_order_of_ties(self, lexical):
        lexical.add([(n, 1, ["tea"]) for n in (5, 3, 9, 1)])
        assert numbers(lexical.search(1, ["tea"], 3)) == [1, 3, 5]
        assert lexical.search(1, ["tea"], 0) == []

    def test_no_terms_no_hits(self, lexical):
        lexical.add([(1, 1, ["tea"]), (2, 1, [])])
        assert lexical.search(1, [], 5) == []
        assert lexical.search(1, ["cup"], 5) == []
        assert lexical.search(1, [""], 5) == []

    def test_a_number_that_is_there_is_replaced(self, lexical):
        lexical.add([(1, 1, ["tea"])])
        lexical.add([(1, 2, ["coffee"]), (1, 2, ["cocoa"])])
        assert lexical.search(1, ["tea"], 5) == lexical.search(2, ["tea"], 5) == lexical.search(2, ["coffee"], 5) == []
        assert numbers(lexical.search(2, ["cocoa"], 5)) == [1]

    def test_what_is_removed_is_gone_for_good(self, lexical):
        lexical.add([(n, 1, ["canary", f"canary{n}", "tea"]) for n in range(1, 6)])
        assert self.remains(lexical, "canary2")
        lexical.remove([2, 4, 99])
        assert numbers(lexical.search(1, ["canary"], 9)) == [1, 3, 5]
        assert lexical.search(1, ["canary2"], 9) == []
        assert not self.remains(lexical, "canary2")
        assert not self.remains(lexical, "canary4")
        lexical.remove([1, 3, 5])
        assert not self.remains(lexical, "canary")

    @pytest.mark.parametrize("term", ODD_TERMS, ids=ascii)
    def test_terms_are_data(self, lexical, term):
        lexical.add([(1, 1, ["tea", "cup"]), (2, 1, [term, "cup"]), (3, 2, [term])])
        assert numbers(lexical.search(1, [term], 5)) == [2]
        assert numbers(lexical.search(1, [term, "tea"], 5)) == [1, 2]
        lexical.remove([2])
        assert lexical.search(1, [term], 5) == []

    def test_terms_are_told_apart_by_every_character(self, lexical):
        lexical.add([(n, 1, [term]) for n, term in enumerate(ODD_TERMS)])
        for number, term in enumerate(ODD_TERMS):
            assert numbers(lexical.search(1, [term], 99)) == [number]

    def test_very_many_and_repeated_terms(self, lexical):
        lexical.add([(1, 1, [f"w{n}" for n in range(5_000)]), (2, 1, ["tea"] * 5_000)])
        assert numbers(lexical.search(1, ["tea"] * 1_000, 5)) == [2]
        assert numbers(lexical.search(1, [f"w{n}" for n in range(2_000)], 5)) == [1]

    def test_common_terms_alone_still_find(self, lexical):
        lexical.add([(n, 1, ["the", "of", "and", "to"]) for n in range(1, 3_001)])
        assert len(lexical.search(1, ["the", "of", "and", "to"], 20)) == 20

    @settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 2), st.lists(st.sampled_from("abcd"), max_size=4))))
    def test_finds_exactly_what_was_added_last(self, lexical, rows):
        lexical.remove(list(range(1, 7)))
        held = {}
        for number, scope, terms in rows:
            lexical.add([(number, scope, terms)])
            held[number] = (scope, terms)
        for scope in (1, 2):
            for term in "abcd":
                right = {number for number, (of, terms) in held.items() if of == scope and term in terms}
                assert set(numbers(lexical.search(scope, [term], 99))) == right
