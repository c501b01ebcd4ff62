"""Matching does not explode: wide terms are answered, and what cannot be answered is cut off with a message."""

from __future__ import annotations

from itertools import permutations

import pytest

from cera.diagnostics import Source, Span
from cera.errors import MatchLimitError
from cera.model.matching.matching import MATCH_LIMIT, match
from cera.model.matching.patterns import Pattern, TermPattern
from cera.model.terms.term import Term
from pattern_building import (
    ANY,
    desc,
    optional,
    partial,
    partial_ordered,
    regex_label,
    total,
    total_ordered,
    var,
    without,
)

WIDTH = 1_000
ALIKE = Term("a", [Term("b")] * WIDTH)
NUMBERED = Term("a", [Term("b", [i]) for i in range(WIDTH)])
NUMBERED_IN_ORDER = Term("a", [Term("b", [i]) for i in range(WIDTH)], ordered=True)
LABELLED = Term("a", [Term(f"l{i}", [i]) for i in range(WIDTH)])
EIGHT = range(8)


class TestWideTerms:
    def test_eight_equal_children_without_variables_have_one_answer(self) -> None:
        assert match(partial("a", *[total("b")] * 8), ALIKE) == [{}]

    def test_eight_equal_children_do_not_fit_on_seven(self) -> None:
        assert match(partial("a", *[total("b")] * 8), Term("a", [Term("b")] * 7)) == []

    def test_eight_different_labels_have_one_answer(self) -> None:
        pattern = partial("a", *[total(f"l{100 * i}", var(f"X{i}")) for i in EIGHT])
        assert match(pattern, LABELLED) == [{f"X{i}": 100 * i for i in EIGHT}]

    def test_eight_partial_children_on_different_data_children_have_one_answer(self) -> None:
        assert match(partial("a", *[partial("b")] * 8), NUMBERED) == [{}]

    def test_eight_partial_children_in_order_have_one_answer(self) -> None:
        assert match(partial_ordered("a", *[partial("b")] * 8), NUMBERED_IN_ORDER) == [{}]

    def test_as_many_children_as_the_data_has(self) -> None:
        assert match(total("a", *[total("b")] * 300), Term("a", [Term("b")] * 300)) == [{}]
        assert match(total_ordered("a", *[partial("b")] * WIDTH), NUMBERED_IN_ORDER) == [{}]

    def test_a_variable_shared_by_eight_children_has_no_answer_where_every_value_is_unique(self) -> None:
        assert match(partial("a", *[total("b", var("X"))] * 8), NUMBERED) == []
        assert match(partial_ordered("a", *[total("b", var("X"))] * 8), NUMBERED_IN_ORDER) == []

    def test_one_variable_beside_seven_children_without_has_one_answer_for_each_value(self) -> None:
        pattern = partial("a", total("b", var("X")), *[partial("b")] * 7)
        assert {answer["X"] for answer in match(pattern, NUMBERED)} == set(range(WIDTH))

    def test_eight_variables_that_are_determined_elsewhere_are_looked_up(self) -> None:
        wanted = Term("wanted", [Term(f"x{i}", [7 * i]) for i in EIGHT])
        data = Term("a", [*NUMBERED.children, wanted])
        pattern = partial(
            "a",
            *[total("b", var(f"X{i}")) for i in EIGHT],
            partial("wanted", *[total(f"x{i}", var(f"X{i}")) for i in EIGHT]),
        )
        assert match(pattern, data) == [{f"X{i}": 7 * i for i in EIGHT}]

    def test_children_that_never_agree_are_found_out_before_others_are_combined(self) -> None:
        def pair(label: str, shift: int) -> list[Term]:
            return [Term(label, [i]) for i in range(150)] + [Term(f"{label}2", [i + shift]) for i in range(150)]

        data = Term("a", [*pair("p", 0), *pair("q", 0), *pair("r", 200)])
        pattern = partial("a", *[total(label, var(label[0])) for label in ("p", "p2", "q", "q2", "r", "r2")])
        assert match(pattern, data) == []

    def test_a_chain_of_joins_is_followed_in_order_too(self) -> None:
        pairs = [Term("d", [Term("x", [i]), Term("y", [i + 1])]) for i in range(400)]
        data = Term("a", [*NUMBERED.children[:400], *NUMBERED.children[:400], *pairs], ordered=True)
        pattern = partial_ordered(
            "a", total("b", var("X")), total("b", var("Y")), partial("d", total("x", var("X")), total("y", var("Y")))
        )
        assert sorted(str(answer["X"]) for answer in match(pattern, data)) == sorted(str(i) for i in range(399))

    def test_the_only_place_left_is_found_among_many(self) -> None:
        narrow = [total("b", i) for i in range(7)]
        data = Term("a", [Term("b", [i]) for i in range(8)])
        assert match(partial("a", total("b", var("X")), *narrow), data) == [{"X": 7}]

    def test_regular_expressions_and_stars_on_a_wide_term(self) -> None:
        pattern = partial("a", *[partial(regex_label(f"l{i}[0-9]*")) for i in range(1, 9)], partial(ANY))
        assert match(pattern, LABELLED) == [{}]

    def test_without_is_decided_for_each_of_many_answers(self) -> None:
        data = Term("a", [*(Term("b", [i]) for i in range(500)), *(Term("c", [i]) for i in range(1, 500))])
        assert match(partial("a", total("b", var("X")), without(total("c", var("X")))), data) == [{"X": 0}]

    def test_optional_is_added_to_each_of_many_answers(self) -> None:
        data = Term("a", [Term("b", [Term("i", [i]), Term("n", [-i])]) for i in range(500)])
        pattern = partial("a", partial("b", total("i", var("I")), optional(total("n", var("N")))), optional(total("c")))
        assert {(answer["I"], answer["N"]) for answer in match(pattern, data)} == {(i, -i) for i in range(500)}

    def test_many_variables_that_only_without_mentions_are_not_enumerated(self) -> None:
        pattern = partial("a", without(partial("c", *[var(f"X{i}") for i in EIGHT])))
        assert match(pattern, Term("a", [Term("c", range(WIDTH))])) == []
        assert match(pattern, Term("a", [Term("c", range(7))])) == [{}]

    def test_desc_inside_desc_inside_desc_on_a_deep_term(self) -> None:
        data = Term("a", [Term("b", [0])])
        for depth in range(1, 90):
            data = Term("a", [data, Term("b", [depth])])
        pattern: Pattern = total("b", var("X"))
        for _ in EIGHT:
            pattern = partial("a", desc(pattern))
        assert {answer["X"] for answer in match(pattern, data)} == set(range(83))

    @pytest.mark.slow
    def test_all_permutations_of_eight_values_are_within_the_limit(self) -> None:
        found = match(total("a", *[var(f"X{i}") for i in EIGHT]), Term("a", EIGHT))
        assert {tuple(answer[f"X{i}"] for i in EIGHT) for answer in found} == set(permutations(EIGHT))


class TestCutOff:
    @pytest.mark.parametrize(
        "pattern",
        [
            pytest.param(partial("a", *[var(f"X{i}") for i in EIGHT]), id="eight bare variables"),
            pytest.param(partial("a", *[total("b", var(f"X{i}")) for i in EIGHT]), id="eight variables in children"),
            pytest.param(partial("a", *[optional(total("b", var(f"X{i}"))) for i in EIGHT]), id="eight optional ones"),
            pytest.param(partial("a", var("X"), *[desc(var(f"X{i}")) for i in EIGHT]), id="eight descendants"),
            pytest.param(
                partial("a", without(partial("a", *[var(f"X{i % 8}") for i in range(16)])), var("X0"), var("X1")),
                id="two variables beside without",
            ),
        ],
    )
    @pytest.mark.slow
    def test_too_many_answers_are_refused(self, pattern: Pattern) -> None:
        with pytest.raises(MatchLimitError, match="`a` was cut off"):
            match(pattern, NUMBERED)

    def test_too_many_answers_in_order_are_refused(self) -> None:
        pattern = partial_ordered("a", *[total("b", var(f"X{i}")) for i in EIGHT])
        with pytest.raises(MatchLimitError):
            match(pattern, NUMBERED_IN_ORDER)

    @pytest.mark.slow
    def test_variables_of_without_that_must_be_enumerated_are_refused(self) -> None:
        inner = partial("c", *[partial("d", var(f"X{i}")) for i in EIGHT], *[partial("e", var(f"X{i}")) for i in EIGHT])
        wide = [Term(label, [i]) for label in "de" for i in range(500)]
        with pytest.raises(MatchLimitError, match="`c` was cut off"):
            match(partial("a", without(inner)), Term("a", [Term("c", wide)]))

    @pytest.mark.slow
    def test_a_search_with_many_dead_ends_and_no_answer_is_refused(self) -> None:
        # Every pair of neighbours agrees, the whole circle does not: no test of two children alone can show it.
        def edge(one: str, other: str) -> TermPattern:
            return partial("e", total("from", var(one)), total("to", var(other)))

        def arc(one: int, other: int) -> Term:
            return Term("e", [Term("from", [one]), Term("to", [other])])

        names = [f"X{i}" for i in range(11)]
        pattern = partial("a", *[edge(one, other) for one, other in zip(names, [*names[1:], names[0]], strict=True)])
        bipartite = [arc(i, j + 30) for i in range(30) for j in range(30)] + [
            arc(j + 30, i) for i in range(30) for j in range(30)
        ]
        with pytest.raises(MatchLimitError, match="too many steps"):
            match(pattern, Term("a", bipartite))

    def test_the_limit_is_on_answers_and_inclusive(self) -> None:
        pattern = partial("a", total("b", var("X")))
        assert len(match(pattern, NUMBERED, limit=WIDTH)) == WIDTH
        with pytest.raises(MatchLimitError):
            match(pattern, NUMBERED, limit=WIDTH - 1)

    def test_the_inner_pattern_is_blamed_if_it_is_the_cause(self) -> None:
        pattern = partial("a", partial("inner", *[var(f"X{i}") for i in EIGHT]), total("b"))
        with pytest.raises(MatchLimitError, match="`inner` was cut off"):
            match(pattern, Term("a", [Term("inner", range(WIDTH)), Term("b")]))

    def test_the_message_says_where_how_much_and_what_to_do(self) -> None:
        source = Source("stock.xceq", "ON\n  a{{ var X, var Y }}\nEND\n")
        children = (var("X"), var("Y"))
        pattern = TermPattern("a", children, ordered=False, total=False, span=Span(source, 5, 24))
        with pytest.raises(MatchLimitError) as caught:
            match(pattern, NUMBERED)
        message = str(caught.value)
        assert "`a` at stock.xceq:2:3" in message
        assert f"more than {MATCH_LIMIT:,} answers" in message
        assert "labels or values that fewer children have" in message
        assert caught.value.exit_status == 4

    @pytest.mark.parametrize(
        ("label", "shown"),
        [(ANY, r"`\*`"), (regex_label("a|b"), r"`/a\|b/`"), ("a", "`a`")],
        ids=["star", "regex", "name"],
    )
    def test_without_a_place_the_label_tells_which_pattern_it_is(self, label: object, shown: str) -> None:
        with pytest.raises(MatchLimitError, match=f"the pattern {shown} was"):
            match(partial(label, var("X"), var("Y")), Term("a", range(20)), limit=100)  # type: ignore[arg-type]

    def test_desc_with_too_many_answers_is_refused(self) -> None:
        with pytest.raises(MatchLimitError, match="`desc` was cut off"):
            match(desc(var("X")), NUMBERED, limit=100)
