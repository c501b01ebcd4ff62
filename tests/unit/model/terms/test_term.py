"""Terms: what they mean is what makes them equal."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cera.model.terms.term import (
    MAX_DEPTH,
    MAX_SIZE,
    Term,
    TermError,
    Value,
    format_value,
    label,
    record_child,
    record_term,
    same,
    value_key,
)
from cera.model.terms.values import MAX_INTEGER, MIN_INTEGER, NumberTooLargeError, infer_scalar, number
from term_strategies import SCALARS, terms

X, Y = Term("x", [1]), Term("y", [2])


def test_unordered_children_have_no_order() -> None:
    assert Term("a", [X, Y]) == Term("a", [Y, X])
    assert hash(Term("a", [X, Y])) == hash(Term("a", [Y, X]))


def test_ordered_children_have_one() -> None:
    assert Term("a", [X, Y], ordered=True) != Term("a", [Y, X], ordered=True)


def test_a_child_twice_is_not_the_child_once() -> None:
    assert Term("a", [X, X]) != Term("a", [X])


def test_the_kind_of_brackets_matters_even_without_children() -> None:
    assert Term("a") != Term("a", ordered=True)


def test_one_equals_one_point_zero() -> None:
    assert Term("a", [1]) == Term("a", [1.0])
    assert hash(Term("a", [1])) == hash(Term("a", [1.0]))


@pytest.mark.parametrize(("one", "other"), [(1, True), (0, False), (1, "1"), (True, "true"), (1, Term("1"))])
def test_values_of_different_kinds_are_never_the_same(one: Value, other: Value) -> None:
    assert not same(one, other)
    assert Term("a", [one]) != Term("a", [other])


@given(st.lists(SCALARS | terms(max_leaves=4), max_size=6), st.randoms(use_true_random=False))
def test_any_order_of_the_children_gives_the_same_unordered_term(children: list[Value], order: random.Random) -> None:
    shuffled = list(children)
    order.shuffle(shuffled)
    one, other = Term("a", children), Term("a", shuffled)
    assert one == other
    assert str(one) == str(other)
    assert [value_key(child) for child in one.children] == [value_key(child) for child in other.children]


def test_values_are_ordered_truth_values_first_then_numbers_strings_terms() -> None:
    values: list[Value] = [Term("a"), "b", "B", 2, 1.5, -1, True, False]
    assert sorted(values, key=value_key) == [False, True, -1, 1.5, 2, "B", "b", Term("a")]


@pytest.mark.parametrize("value", [MAX_INTEGER + 1, MIN_INTEGER - 1, float("nan"), float("inf"), float("-inf")])
def test_a_number_without_representation_is_refused(value: float) -> None:
    assert number(value) is None
    with pytest.raises(TermError, match="64 bits"):
        Term("a", [value])


def test_terms_nest_as_deep_as_the_limit_and_no_deeper() -> None:
    term = Term("a")
    for _ in range(MAX_DEPTH - 1):
        term = Term("a", [term])
    assert term.depth == MAX_DEPTH
    with pytest.raises(TermError, match=f"deeper than {MAX_DEPTH}"):
        Term("a", [term])


def test_the_text_form_is_canonical() -> None:
    assert format_value(Term("temp", [Term("value", [40.0]), Term("area", ["a"])])) == 'temp{area{"a"}, value{40}}'
    assert format_value(Term("a", [True, -2.5, Term("b")], ordered=True)) == "a[true, -2.5, b{}]"


@pytest.mark.parametrize("name", ["a", "_a", "@id", "from-end", "A1"])
def test_a_name_is_written_bare(name: str) -> None:
    assert label(name) == name


@pytest.mark.parametrize("name", ["", "two words", "1a", "a-", "true", "timer:datetime", "{u}a", "ä"])
def test_any_other_label_is_written_quoted(name: str) -> None:
    assert label(name) == f'"{name}"'


@pytest.mark.parametrize(
    ("text", "value"),
    [("4711", 4711), ("-2", -2), ("+3", 3), ("3.14", 3.14), ("4.0", 4), (" 40 ", 40), ("0", 0), ("0.5", 0.5)],
)
def test_text_that_is_a_decimal_number_becomes_one(text: str, value: float) -> None:
    assert same(infer_scalar(text), value)


@pytest.mark.parametrize(
    "text", ["", " ", "007", "1e5", "1.", ".5", "1_000", "٣", "NaN", "true", "0x1", "--1", "1.2.3", "1e999"]
)
def test_any_other_text_stays_as_it_is(text: str) -> None:
    assert same(infer_scalar(text), text)


@pytest.mark.parametrize("text", ["9223372036854775808", "-9223372036854775809", " 9" + "9" * 5_000, "9" * 400 + ".5"])
def test_text_that_is_a_number_without_a_value_is_refused(text: str) -> None:
    with pytest.raises(NumberTooLargeError, match="is too large"):
        infer_scalar(text)


@pytest.mark.parametrize("number", [MAX_INTEGER, MIN_INTEGER])
def test_the_largest_numbers_are_read(number: int) -> None:
    assert same(infer_scalar(str(number)), number)
    assert same(infer_scalar(f"{number}.5"), number + 0.5)


@given(fields=st.dictionaries(st.text(max_size=3), SCALARS | terms(), max_size=4))
def test_a_term_of_fields_is_that_of_its_children(fields: dict[str, Value]) -> None:
    expected = Term("a", [record_child(name, value) for name, value in fields.items()])
    found = record_term("a", fields)
    assert (found.label, found.ordered, found.depth, found.size) == ("a", False, expected.depth, expected.size)
    assert found.children == expected.children
    assert (found, hash(found), found.key) == (expected, hash(expected), expected.key)


def test_a_term_of_fields_can_be_too_large() -> None:
    with pytest.raises(TermError, match="has more than"):
        record_term("a", {"b": "x" * 16 * MAX_SIZE})


def test_a_term_has_nothing_but_its_own_attributes() -> None:
    assert not hasattr(record_term("a", {"b": 1}), "name")
