"""The readable form of terms, read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cera.model.terms.term import MAX_DEPTH, Term, Value, format_value, same
from cera.model.terms.term_text import TermSyntaxError, parse_term
from term_strategies import SCALARS, terms


def test_every_kind_of_value_is_read() -> None:
    text = 'order[orderId{4711}, customer{"John"}, flag{true}, "odd label"{-2.5}, b]'
    children: list[Value] = [
        Term("orderId", [4711]),
        Term("customer", ["John"]),
        Term("flag", [True]),
        Term("odd label", [-2.5]),
        Term("b"),
    ]
    assert parse_term(text) == Term("order", children, ordered=True)


@given(terms() | SCALARS)
def test_parsing_what_was_printed_gives_the_same_value(value: Value) -> None:
    assert same(parse_term(format_value(value)), value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a", Term("a")),
        ("a{}", Term("a")),
        ("a[]", Term("a", ordered=True)),
        ("  a\n{ 1 ,\t2 }\n", Term("a", [1, 2])),
        ('""[1]', Term("", [1], ordered=True)),
        ('"true"{1}', Term("true", [1])),
        ("true-ish", Term("true-ish")),
        ("@id{1}", Term("@id", [1])),
        ("a{1.0}", Term("a", [1])),
        ("a{1e3, -0}", Term("a", [1000, 0])),
        (r'"a\n\u00e9\ud83d\ude00\""', 'a\né😀"'),
        ("false", False),
        ("-7", -7),
    ],
)
def test_spellings(text: str, value: Value) -> None:
    assert same(parse_term(text), value)


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 0, "found the end of the text"),
        ("a{1", 3, "expected `,` or `}`, found the end of the text"),
        ("a[1}", 3, "expected `,` or `]`, found `}`"),
        ("a{1 2}", 4, "expected `,` or `}`, found `2`"),
        ("a{1,}", 4, "found `}`"),
        ("a b", 2, "expected the end of the text, found `b`"),
        ("a:b", 1, "found `:`"),
        ("true{1}", 0, 'as a label it is written "true"'),
        ("{1}", 0, "found `{`"),
        ('a{"x', 2, "a string that is not closed"),
        (r'a{"\q"}', 2, "bad string"),
        (r'"\ud800"', 0, "half of a surrogate pair"),
        ("a{007}", 2, "bad number"),
        ("a{9223372036854775808}", 2, "64 bits"),
        ("a{1e999}", 2, "too large"),
        ("a{é}", 2, "found `é`"),
    ],
)
def test_an_error_says_what_and_where(text: str, position: int, message: str) -> None:
    with pytest.raises(TermSyntaxError) as caught:
        parse_term(text)
    assert caught.value.position == position
    assert message in str(caught.value)


def test_an_error_names_line_and_column() -> None:
    with pytest.raises(TermSyntaxError, match="line 2, column 3: "):
        parse_term("a{\n  ?}")


def test_the_depth_is_limited_not_the_stack() -> None:
    deepest = "a{" * (MAX_DEPTH - 1) + "a" + "}" * (MAX_DEPTH - 1)
    assert isinstance(parse_term(deepest), Term)
    for text in (f"a{{{deepest}}}", "a[" * 100_000):
        with pytest.raises(TermSyntaxError, match=f"deeper than {MAX_DEPTH}"):
            parse_term(text)


@given(st.text(alphabet='ab{}[],"\\ 1-.e\n', max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        value = parse_term(text)
    except TermSyntaxError:
        return
    assert same(parse_term(format_value(value)), value)
