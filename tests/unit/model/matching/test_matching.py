"""What a pattern matches, construct by construct; the cases of CONFORMANCE carry their ids."""

from __future__ import annotations

import pytest

from cera.model.matching.matching import join, match, substitution_key
from cera.model.matching.patterns import Pattern, ScalarPattern
from cera.model.terms.term import Term, Value
from cera.model.terms.term_text import parse_term
from pattern_building import (
    ANY,
    desc,
    optional,
    partial,
    partial_ordered,
    regex,
    regex_label,
    total,
    total_ordered,
    var,
    without,
)

YES: list[dict[str, Value]] = [{}]
NO: list[dict[str, Value]] = []

ORDER = Term(
    "order",
    [
        Term("orderId", [4711]),
        Term("customer", ["John"]),
        Term("buy", [Term("stock", ["IBM"]), Term("limit", [3.14]), Term("volume", [4000])], ordered=True),
    ],
    ordered=True,
)
BUY = parse_term(
    'buy[orderId{4711}, tradeId{4242}, customer{"John"}, stock{"IBM"}, price{2.71}, volume{4000}]',
)


def answers(pattern: Pattern, data: str | Value) -> list[dict[str, str]]:
    """The substitutions with their values as text, in one order."""
    value = parse_term(data) if isinstance(data, str) else data
    found = sorted(match(pattern, value), key=substitution_key)
    return [{name: str(bound) for name, bound in sorted(answer.items())} for answer in found]


def test_X_02_the_query_of_figure_2_binds_what_the_buy_event_has() -> None:
    query = partial(
        "buy",
        total("tradeId", var("I")),
        total("customer", var("C")),
        total("stock", var("S")),
        total("price", var("P")),
        total("volume", var("V")),
    )
    assert match(query, BUY) == [{"I": 4242, "C": "John", "S": "IBM", "P": 2.71, "V": 4000}]
    assert match(query, ORDER) == NO


@pytest.mark.parametrize(
    ("pattern", "data", "expected"),
    [
        pytest.param(partial("a", total("b")), "a[c, b]", YES, id="a{{b}} on a[c, b]"),
        pytest.param(total("a", total("b")), "a[c, b]", NO, id="a{b} not on a[c, b]"),
        pytest.param(
            partial_ordered("a", total("b"), total("c")), "a[b, x, c]", YES, id="a[[b, c]] matches a[b, x, c]"
        ),
        pytest.param(
            partial_ordered("a", total("b"), total("c")), "a[c, b]", NO, id="a[[b, c]] does not match a[c, b]"
        ),
        pytest.param(total("a", total("c"), total("b")), "a[b, c]", YES, id="a{c, b} on a[b, c]"),
        pytest.param(
            partial("a", total("b", var("X"))),
            "a[b{1}, b{2}]",
            [{"X": "1"}, {"X": "2"}],
            id="a{{b{var X}}} twice on a[b{1}, b{2}]",
        ),
    ],
)
def test_X_03_matching_modes(pattern: Pattern, data: str, expected: list[dict[str, str]]) -> None:
    assert answers(pattern, data) == expected


def test_X_05_a_variable_with_a_pattern_is_bound_to_the_whole_term() -> None:
    bigbuy = parse_term('bigbuy{tradeId{4242}, customer{"John"}, stock{"IBM"}}')
    assert match(var("B", partial("bigbuy")), bigbuy) == [{"B": bigbuy}]
    assert match(var("B", partial("bigbuy")), BUY) == NO
    assert match(var("B", partial("bigbuy", total("stock", var("S")))), bigbuy) == [{"B": bigbuy, "S": "IBM"}]


class TestTotalAndPartial:
    def test_a_bare_name_matches_the_empty_term_only(self) -> None:
        assert answers(total("b"), "b") == YES
        assert answers(total("b"), "b{1}") == NO

    def test_an_empty_partial_pattern_matches_any_children(self) -> None:
        assert answers(partial("b"), "b") == YES
        assert answers(partial("b"), 'b[1, "x", c]') == YES

    def test_a_total_pattern_needs_every_child_of_the_data(self) -> None:
        assert answers(total("a", total("b"), total("c")), "a{b, c}") == YES
        assert answers(total("a", total("b"), total("c")), "a{b, c, c}") == NO
        assert answers(total("a", total("b"), total("c")), "a{b}") == NO

    def test_every_child_of_the_pattern_needs_a_data_child_of_its_own(self) -> None:
        assert answers(partial("a", total("b"), total("b")), "a{b}") == NO
        assert answers(partial("a", total("b"), total("b")), "a{b, b}") == YES

    def test_a_child_makes_room_for_one_that_has_no_other_place(self) -> None:
        wide, narrow = partial("b"), total("b", 2)
        assert answers(partial("a", wide, narrow), "a{b{1}, b{2}}") == YES
        assert answers(partial("a", wide, wide, narrow), "a{b{1}, b{2}}") == NO

    def test_labels_that_differ_do_not_match(self) -> None:
        assert answers(partial("a"), "b") == NO


class TestOrder:
    def test_an_ordered_pattern_matches_unordered_data_with_at_most_one_child(self) -> None:
        assert answers(total_ordered("a", total("b")), "a{b}") == YES
        assert answers(partial_ordered("a"), "a{}") == YES
        assert answers(partial_ordered("a", total("b")), "a{b, c}") == NO
        assert answers(partial_ordered("a"), "a{b, c}") == NO

    def test_a_total_ordered_pattern_goes_child_by_child(self) -> None:
        pattern = total_ordered("a", var("X"), total("b"), var("Y"))
        assert answers(pattern, "a[1, b, 2]") == [{"X": "1", "Y": "2"}]
        assert answers(pattern, "a[1, 2, b]") == NO
        assert answers(pattern, "a[1, b, 2, 3]") == NO

    def test_a_partial_ordered_pattern_finds_every_pair_in_order(self) -> None:
        pattern = partial_ordered("a", total("b", var("X")), total("b", var("Y")))
        expected = [{"X": "1", "Y": "2"}, {"X": "1", "Y": "3"}, {"X": "2", "Y": "3"}]
        assert answers(pattern, "a[b{1}, b{2}, b{3}]") == expected

    def test_equal_answers_in_different_places_are_one_answer(self) -> None:
        pattern = partial_ordered("a", total("b", var("X")), total("b", var("Y")))
        assert answers(pattern, "a[b{1}, b{2}, b{1}, b{2}]") == [
            {"X": "1", "Y": "1"},
            {"X": "1", "Y": "2"},
            {"X": "2", "Y": "1"},
            {"X": "2", "Y": "2"},
        ]


class TestScalars:
    @pytest.mark.parametrize(
        ("pattern", "value", "matches"),
        [
            (1, 1, True),
            (1.0, 1, True),
            (1, 1.0, True),
            (1, True, False),
            (True, 1, False),
            (True, True, True),
            (1, "1", False),
            ("x", "x", True),
            ("x", "X", False),
            (0.1, 0.1, True),
            (0, -0.0, True),
        ],
    )
    def test_scalars_are_equal_by_value_and_kind(self, pattern: Value, value: Value, matches: bool) -> None:
        assert isinstance(pattern, str | int | float)
        assert bool(match(ScalarPattern(pattern), value)) is matches
        assert bool(match(total("a", pattern), Term("a", [value]))) is matches

    def test_a_scalar_is_not_a_term_with_that_name(self) -> None:
        assert answers(partial("a", "b"), "a{b}") == NO
        assert answers(partial("a", total("b")), 'a{"b"}') == NO


class TestVariables:
    def test_a_variable_is_bound_to_each_child(self) -> None:
        assert answers(partial("a", var("X")), 'a{1, "x", b{2}}') == [{"X": "1"}, {"X": "x"}, {"X": "b{2}"}]

    def test_a_variable_that_occurs_twice_has_one_value(self) -> None:
        pattern = partial("a", total("b", var("X")), total("c", var("X")))
        assert answers(pattern, "a{b{1}, b{2}, c{2}, c{3}}") == [{"X": "2"}]

    def test_one_value_needs_two_data_children_if_the_pattern_has_two(self) -> None:
        pattern = partial("a", total("b", var("X")), total("b", var("X")))
        assert answers(pattern, "a{b{1}, b{2}}") == NO
        assert answers(pattern, "a{b{1}, b{1}, b{2}}") == [{"X": "1"}]

    def test_equal_numbers_join_and_truth_values_are_no_numbers(self) -> None:
        pattern = partial("a", total("b", var("X")), total("c", var("X")))
        assert answers(pattern, Term("a", [Term("b", [1.0]), Term("c", [1])])) == [{"X": "1"}]
        assert answers(pattern, Term("a", [Term("b", [True]), Term("c", [1])])) == NO

    def test_true_and_one_are_two_answers(self) -> None:
        assert len(match(partial("a", var("X")), Term("a", [True, 1]))) == 2

    def test_unordered_terms_join_whatever_their_order_was(self) -> None:
        pattern = partial("a", total("b", var("X")), total("c", var("X")))
        assert answers(pattern, "a{b{p{1, 2}}, c{p{2, 1}}}") == [{"X": "p{1, 2}"}]
        assert answers(pattern, "a{b{p[1, 2]}, c{p[2, 1]}}") == NO

    def test_a_variable_cannot_be_a_term_and_a_part_of_it(self) -> None:
        assert answers(var("X", partial("a", var("X"))), "a{1}") == NO

    def test_a_variable_on_its_own_matches_any_value(self) -> None:
        assert match(var("X"), 3) == [{"X": 3}]


class TestLabelsAndRegularExpressions:
    def test_a_star_matches_any_label_but_no_scalar(self) -> None:
        assert answers(partial("a", total(ANY, var("X"))), "a{b{1}, c{2}, 3}") == [{"X": "1"}, {"X": "2"}]

    def test_a_regular_expression_matches_the_whole_label(self) -> None:
        pattern = partial("a", total(regex_label("b[0-9]*"), var("X")))
        assert answers(pattern, "a{b{1}, b2{2}, bx{3}, cb{4}}") == [{"X": "1"}, {"X": "2"}]

    def test_a_regular_expression_matches_a_whole_string_and_nothing_else(self) -> None:
        pattern = partial("a", var("X", regex("[a-z]+|1")))
        assert answers(pattern, Term("a", ["ab", "aB", "1", 1, Term("ab")])) == [{"X": "1"}, {"X": "ab"}]
        assert answers(pattern, Term("a", ["ab\n"])) == NO


class TestDescendants:
    def test_desc_matches_a_child_and_anything_below_it(self) -> None:
        pattern = partial("a", desc(total("b", var("X"))))
        assert answers(pattern, "a{b{1}, c{d[b{2}]}, c{b{b{3}}}}") == [
            {"X": "1"},
            {"X": "2"},
            {"X": "3"},
            {"X": "b{3}"},
        ]

    def test_desc_at_the_top_matches_the_term_itself_too(self) -> None:
        assert answers(desc(partial(ANY, var("X", ScalarPattern(1)))), "a{1}") == [{"X": "1"}]
        assert answers(desc(var("X")), "a{b}") == [{"X": "a{b{}}"}, {"X": "b{}"}]

    def test_desc_reaches_scalars(self) -> None:
        assert answers(desc(ScalarPattern(2)), "a{b{c{2}}}") == YES
        assert answers(desc(ScalarPattern(3)), "a{b{c{2}}}") == NO

    def test_two_descendants_need_two_children(self) -> None:
        pattern = partial("a", desc(total("b")), desc(total("c")))
        assert answers(pattern, "a{x{b, c}}") == NO
        assert answers(pattern, "a{x{b, c}, c}") == YES


class TestWithout:
    def test_nothing_may_match_what_stands_after_without(self) -> None:
        pattern = partial("a", total("b", var("X")), without(partial("c")))
        assert answers(pattern, "a{b{1}, d}") == [{"X": "1"}]
        assert answers(pattern, "a{b{1}, c{2}}") == NO

    def test_a_variable_of_the_siblings_has_their_value(self) -> None:
        pattern = partial("a", total("b", var("X")), without(total("c", var("X"))))
        assert answers(pattern, "a{b{1}, b{2}, c{2}, c{3}}") == [{"X": "1"}]

    def test_a_variable_of_its_own_has_any_value(self) -> None:
        pattern = partial("a", total("b", var("X")), without(total("c", var("Y"))))
        assert answers(pattern, "a{b{1}, c}") == [{"X": "1"}]
        assert answers(pattern, "a{b{1}, c{2}}") == NO

    def test_a_child_taken_by_a_sibling_does_not_count(self) -> None:
        pattern = partial("a", total("b"), without(total("b")))
        assert answers(pattern, "a{b, c}") == YES
        assert answers(pattern, "a{b, b}") == NO

    def test_in_an_ordered_pattern_it_has_a_place(self) -> None:
        pattern = partial_ordered("a", total("b"), without(total("x")), total("c"))
        assert answers(pattern, "a[b, c, x]") == YES
        assert answers(pattern, "a[x, b, c]") == YES
        assert answers(pattern, "a[b, x, c]") == NO

    def test_each_without_stands_for_itself(self) -> None:
        pattern = partial("a", without(total("b")), without(total("c")))
        assert answers(pattern, "a{d}") == YES
        assert answers(pattern, "a{b}") == NO
        assert answers(pattern, "a{c}") == NO

    def test_in_a_total_pattern_no_child_is_left_for_it(self) -> None:
        assert answers(total("a", total("b"), without(total("c"))), "a{b}") == YES
        assert answers(total("a", total("b"), without(total("c"))), "a{b, c}") == NO

    def test_deep_inside_it_still_means_the_variable_bound_outside(self) -> None:
        pattern = partial("a", total("d", var("X")), partial("b", without(total("c", var("X")))))
        assert answers(pattern, "a{d{1}, d{2}, b{c{1}}}") == [{"X": "2"}]

    def test_deep_inside_desc_and_a_variable_it_means_the_same(self) -> None:
        inner = partial("b", without(total("c", var("X"))))
        data = "a{d{1}, d{2}, d{3}, p{b{c{1}, c{3}}}}"
        assert answers(partial("a", total("d", var("X")), desc(inner)), data) == [{"X": "2"}]
        assert answers(partial("a", total("d", var("X")), partial("p", var("Y", inner))), data) == [
            {"X": "2", "Y": "b{c{1}, c{3}}"}
        ]

    def test_two_children_may_exclude_what_the_other_binds(self) -> None:
        pattern = partial(
            "a",
            partial("p", total("n", var("X")), without(total("not", var("Y")))),
            partial("q", total("n", var("Y")), without(total("not", var("X")))),
        )
        assert answers(pattern, "a{p{n{1}, not{5}}, q{n{2}, n{5}, not{7}}}") == [{"X": "1", "Y": "2"}]
        assert answers(pattern, "a{p{n{1}}, q{n{2}, not{1}}}") == NO

    def test_inside_another_without_it_matters_which_child_a_variable_takes(self) -> None:
        # var X can take the only `a`, and then no `a` is left for the inner `without`.
        pattern = partial("a", without(partial("b", without(total("a")), var("X"))))
        assert answers(pattern, "a{b{1, 1, a}}") == NO
        assert answers(pattern, "a{b{1, a, a}}") == YES


class TestOptional:
    def test_its_variables_are_bound_where_it_matches(self) -> None:
        pattern = partial("a", total("b", var("X")), optional(total("c", var("Y"))))
        assert answers(pattern, "a{b{1}, c{2}, c{3}}") == [{"X": "1", "Y": "2"}, {"X": "1", "Y": "3"}]

    def test_its_variables_are_absent_where_it_does_not_match(self) -> None:
        pattern = partial("a", total("b", var("X")), optional(total("c", var("Y"))))
        assert match(pattern, parse_term("a{b{1}}")) == [{"X": 1}]

    def test_required_children_come_first(self) -> None:
        pattern = partial("a", optional(var("Y", total("b"))), total("b"))
        assert answers(pattern, "a{b}") == YES
        assert answers(pattern, "a{b, b}") == [{"Y": "b{}"}]

    def test_it_is_left_out_where_it_disagrees_with_a_required_child(self) -> None:
        pattern = partial("a", optional(total("c", var("X"))), total("b", var("X")))
        assert answers(pattern, "a{b{1}, c{2}}") == [{"X": "1"}]

    def test_deep_inside_it_is_left_out_as_well(self) -> None:
        pattern = partial("a", partial("b", optional(total("c", var("X")))), total("d", var("X")))
        assert answers(pattern, "a{b{c{1}}, d{2}}") == [{"X": "2"}]

    def test_deep_inside_two_children_the_left_one_binds_a_common_variable(self) -> None:
        pattern = partial(
            "a", partial("b", optional(total("c", var("X")))), partial("d", optional(total("e", var("X"))))
        )
        assert answers(pattern, "a{b{c{1}}, d{e{2}}}") == [{"X": "1"}]
        assert answers(pattern, "a{b, d{e{2}}}") == [{"X": "2"}]

    def test_deep_inside_a_total_child_it_may_be_there_or_not(self) -> None:
        pattern = partial("a", total("b", optional(total("c", var("X")))), total("d", var("X")))
        assert answers(pattern, "a{b{c{1}}, d{1}}") == [{"X": "1"}]
        assert answers(pattern, "a{b, d{1}}") == [{"X": "1"}]
        assert answers(pattern, "a{b{c{2}}, d{1}}") == NO

    def test_the_left_one_comes_before_the_right_one(self) -> None:
        pattern = partial("a", optional(total("b", var("X"))), optional(total("c", var("X"))))
        assert answers(pattern, "a{b{1}, c{2}}") == [{"X": "1"}]
        assert answers(pattern, "a{c{2}}") == [{"X": "2"}]

    def test_a_total_pattern_counts_the_children_that_matched(self) -> None:
        pattern = total("a", total("b"), optional(total("c", var("X"))))
        assert answers(pattern, "a{b}") == YES
        assert answers(pattern, "a{b, c{1}}") == [{"X": "1"}]
        assert answers(pattern, "a{b, c{1}, c{2}}") == NO
        assert answers(pattern, "a{b, d}") == NO

    def test_in_an_ordered_pattern_it_has_a_place(self) -> None:
        pattern = partial_ordered("a", total("b"), optional(var("X", total("x"))), total("c"))
        assert answers(pattern, "a[b, x, c]") == [{"X": "x{}"}]
        assert answers(pattern, "a[b, c, x]") == YES

    def test_in_a_total_ordered_pattern_the_others_move_up_where_it_is_missing(self) -> None:
        pattern = total_ordered("a", optional(total("b", var("X"))), total("c"))
        assert answers(pattern, "a[b{1}, c]") == [{"X": "1"}]
        assert answers(pattern, "a[c]") == YES
        assert answers(pattern, "a[c, b{1}]") == NO

    def test_without_sees_what_optional_has_bound(self) -> None:
        pattern = partial("a", optional(total("b", var("X"))), without(total("c", var("X"))))
        assert answers(pattern, "a{b{1}, b{2}, c{2}}") == [{"X": "1"}]
        assert answers(pattern, "a{c{2}}") == NO

    def test_its_binding_comes_from_the_child_that_is_left_for_it(self) -> None:
        pattern = total("a", var("X"), partial("b", optional(var("X")), optional(var("Y"))))
        assert answers(pattern, "a{b, b{1}}") == [{"X": "b{}", "Y": "1"}, {"X": "b{1}"}]

    def test_a_child_with_and_a_child_without_it_are_two_answers(self) -> None:
        pattern = partial("a", partial("b", optional(total("n", var("N")))))
        assert answers(pattern, "a{b{n{1}}, b}") == [{}, {"N": "1"}]


def test_the_order_of_the_answers_does_not_depend_on_how_the_term_was_written() -> None:
    pattern = partial("a", total("b", var("X")), total("c", var("Y")))
    one = match(pattern, parse_term("a{b{2}, b{1}, c{4}, c{3}}"))
    assert one == match(pattern, parse_term("a{c{3}, c{4}, b{1}, b{2}}"))
    assert len(one) == 4


def test_the_caller_may_keep_and_change_what_it_gets() -> None:
    pattern = partial("a")
    first = match(pattern, Term("a"))
    first.append({})
    first[0]["X"] = 1  # type: ignore[index]
    assert match(pattern, Term("a")) == YES


@pytest.mark.parametrize("misplaced", [optional(total("a")), without(total("a")), desc(optional(total("a")))])
def test_without_and_optional_outside_of_children_are_refused(misplaced: Pattern) -> None:
    with pytest.raises(ValueError, match="among the children"):
        match(misplaced, Term("a"))


class TestSubstitutions:
    def test_substitutions_join_if_they_agree(self) -> None:
        assert join({"X": 1}, {"Y": 2}) == {"X": 1, "Y": 2}
        assert join({"X": 1, "Y": 2}, {"Y": 2.0, "Z": 3}) == {"X": 1, "Y": 2, "Z": 3}
        assert join({}, {"X": 1}) == {"X": 1}
        assert join({"X": 1}, {}) == {"X": 1}

    def test_substitutions_do_not_join_if_they_disagree(self) -> None:
        assert join({"X": 1}, {"X": 2}) is None
        assert join({"X": 1}, {"X": True}) is None
        assert join({"X": 1}, {"X": "1"}) is None

    def test_joining_changes_neither(self) -> None:
        one: dict[str, Value] = {"X": 1}
        other: dict[str, Value] = {"Y": 2}
        join(one, other)
        assert (one, other) == ({"X": 1}, {"Y": 2})

    def test_the_key_tells_substitutions_apart_and_orders_them(self) -> None:
        keys = [
            substitution_key(s) for s in ({}, {"X": True}, {"X": 1}, {"X": "1"}, {"X": Term("a")}, {"X": 1, "Y": 2})
        ]
        assert len(set(keys)) == len(keys)
        assert sorted(keys)[0] == substitution_key({})
        assert substitution_key({"X": 1, "Y": 2}) == substitution_key({"Y": 2.0, "X": 1.0})
