"""Terms as JSON: both ways, nothing lost."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cera.model.terms.json_terms import JsonError, loads, term_from_json, term_to_json
from cera.model.terms.term import MAX_DEPTH, Term, TermError
from cera.model.terms.term_text import parse_term
from term_strategies import terms

PAIRS = [
    ({"temp": {"area": "a", "value": 40}}, 'temp{area{"a"}, value{40}}'),
    ({"x": [1, "two", True, 2.5]}, 'x[1, "two", true, 2.5]'),
    ({"x": []}, "x[]"),
    ({"x": {}}, "x{}"),
    ({"x": 1}, "x{1}"),
    ({"x": [1]}, "x[1]"),
    ({"x": ""}, 'x{""}'),
    ({"x": [{"y": 2}, {"z": [3]}]}, "x[y{2}, z[3]]"),
    ({"x": [{"y": 2, "z": 3}, {}]}, 'x[""{y{2}, z{3}}, ""{}]'),
    ({"x": [[1, [2]], []]}, 'x[""[1, ""[2]], ""[]]'),
    ({"x": {"{}": [1, 2]}}, "x{1, 2}"),
    ({"x": {"{}": [1, {"y": 2}]}}, "x{1, y{2}}"),
    ({"x": {"{}": [{"y": 1}, {"y": 2}]}}, "x{y{1}, y{2}}"),
    ({"x": {"{}": [[1]]}}, 'x{""[1]}'),
    ({"x": {"{}": [{"": 1}]}}, 'x{""{1}}'),
    ({"x": {"{}": [{"{}": 1}]}}, 'x{"{}"{1}}'),
    ({"x": [{"{}": [1]}]}, 'x["{}"[1]]'),
    ({"x": [{"": {"y": 2}}]}, 'x[""{y{2}}]'),
    ({"x": [{"": {"{}": [1, 2]}}]}, 'x[""{1, 2}]'),
    ({"x": [{"": {"{}": [{"y": 1}, {"y": 2}]}}]}, 'x[""{y{1}, y{2}}]'),
    ({"": [1]}, '""[1]'),
    ({"{}": [1]}, '"{}"[1]'),
]


@pytest.mark.parametrize(("value", "text"), PAIRS, ids=[text for _, text in PAIRS])
def test_json_and_term_stand_for_each_other(value: dict[str, Any], text: str) -> None:
    term = parse_term(text)
    assert isinstance(term, Term)
    assert term_from_json(value) == term
    assert json.dumps(term_to_json(term)) == json.dumps(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"x": {"y": None, "z": 1}}, "x{z{1}}"),
        ({"x": [1, None, {"y": None}, 2]}, "x[1, 2]"),
        ({"x": [{"y": None, "z": 1}]}, 'x[""{z{1}}]'),
        ({"x": {"y": float("nan"), "z": [float("inf")]}}, "x{z[]}"),
        ({"x": {"y": 1.0}}, "x{y{1}}"),
        ({"x": {"": 1}}, 'x{""{1}}'),
        ({"x": {"{}": 5}}, 'x{"{}"{5}}'),
        ({"x": {"{}": [1], "y": 2}}, 'x{"{}"[1], y{2}}'),
        ({"x": [{"": [1]}]}, 'x[""[1]]'),
    ],
)
def test_other_spellings_are_read_too(value: dict[str, Any], text: str) -> None:
    assert term_from_json(value) == parse_term(text)


@given(terms())
def test_a_term_survives_json_text(term: Term) -> None:
    assert term_from_json(loads(json.dumps(term_to_json(term)))) == term
    assert term_from_json(loads(json.dumps(term_to_json(term), ensure_ascii=False))) == term


KEYS = st.text(max_size=3).filter(lambda key: key not in ("", "{}"))
JSON = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=15,
)


def typed(value: Any) -> Any:
    """JSON with the kind of every scalar in it, because 1 == True in Python; 1.0 and 1 are one number."""
    match value:
        case dict():
            return {key: typed(inner) for key, inner in value.items()}
        case list():
            return [typed(inner) for inner in value]
        case _:
            return (isinstance(value, bool), value)


@given(KEYS, JSON)
def test_a_json_object_with_one_key_survives_being_a_term(key: str, body: Any) -> None:
    assert typed(term_to_json(term_from_json({key: body}))) == typed({key: body})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "exactly one key, its label; found an empty object"),
        ({"a": 1, "b": 2}, 'found an object with the keys "a", "b"'),
        ([1], "found an array"),
        (None, "found null"),
        ("a", 'found "a"'),
        ({"a": None}, "null is an absent term"),
        ({"a": 2**63}, "64 bits"),
        ({"a": {1: 2}}, "a label is a string; found 1"),
        ({"a": object()}, "found a Python object"),
    ],
)
def test_what_is_no_term_is_refused_with_a_reason(value: object, message: str) -> None:
    with pytest.raises(TermError, match=message):
        term_from_json(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("9223372036854775808", "too large: integers have 64 bits"),
        ("-9223372036854775809", "too large: integers have 64 bits"),
        ("9" * 5000, "9… is too large"),
        ("1e999", "1e999 is too large"),
        ('{"a": 1, "b": 2, "a": 3}', 'the key "a" is given twice'),
        ('{"x": {"a": 1, "a": 1}}', 'the key "a" is given twice'),
        (r'["\ud800"]', "half of a surrogate pair"),
        (r'{"\udfff": 1}', "half of a surrogate pair"),
        ('{"a": }', "not JSON at column 7: Expecting value"),
        ('{"a":\n1,,}', "not JSON at line 2, column 3"),
        ("{} {}", "not JSON at column 4: Extra data"),
        ("", "not JSON at column 1"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_json_that_has_no_value_is_refused_with_a_reason(text: str, message: str) -> None:
    with pytest.raises(JsonError, match=message):
        loads(text)


def test_a_whole_pair_of_surrogates_is_a_character() -> None:
    assert loads(r'"\ud83d\ude00"') == "😀"


@given(st.integers(1, 1100))
def test_nesting_is_read_or_refused_also_with_surrogates_in_it(depth: int) -> None:
    text = "[" * depth + r'"\ud83d\ude00"' + "]" * depth
    with contextlib.suppress(JsonError):
        loads(text)


def test_numbers_at_the_edge_are_read() -> None:
    assert loads("[9223372036854775807, -9223372036854775808, 1e308, 1e-999]") == [2**63 - 1, -(2**63), 1e308, 0]


def test_nan_and_infinity_are_absent() -> None:
    assert term_from_json(loads('{"a": {"b": NaN, "c": -Infinity, "d": [Infinity, 1]}}')) == parse_term("a{d[1]}")


@pytest.mark.parametrize("opening", ['{"a":', "[", '{"{}": [', '[{"a":', '{"a": {"{}": ['])
def test_what_is_nested_too_deep_is_refused(opening: str) -> None:
    closing = "".join({"{": "}", "[": "]"}.get(character, "") for character in reversed(opening.replace('"{}"', "")))
    nested = opening * (MAX_DEPTH + 1) + "1" + closing * (MAX_DEPTH + 1)
    with pytest.raises(TermError, match=f"deeper than {MAX_DEPTH}"):
        term_from_json({"x": loads(nested)})


def test_the_deepest_term_survives_in_its_longest_form() -> None:
    term = Term("a", [1, 2])
    for _ in range(MAX_DEPTH - 1):
        term = Term("a", [term, term.depth])
    assert term_from_json(loads(json.dumps(term_to_json(term)))) == term
