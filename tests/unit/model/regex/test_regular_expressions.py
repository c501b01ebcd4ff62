"""Regular expressions mean what they mean to Python's `re`, in linear time; and which of them Java may be given.

The comparison with `re` cannot see where Python and Java differ: `cera.model.regex.notation` refuses those.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cera.model.matching.matching import match
from cera.model.matching.patterns import RegexLabel, RegexPattern, TermPattern
from cera.model.regex.regular_expressions import RegexError, compile_regex, is_backtracking_safe
from cera.model.terms.term import Term
from hypothesis_profiles import examples

#: Where the engines could differ: line ends and other white space, the borders of classes, long characters, halves.
LETTERS = "ab1_-.\n\r\x0b\x85\u2028 é٣😀\ud800\x00"
ESCAPES = (r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\n", r"\x0b", r"\u0061", r"\.", r"\-", r"\/", r"\ ")
CLASSES = ("[ab]", "[^ab]", "[a-c]", r"[\s-]", r"[^\S]", r"[^\w]", r"[-\d]", r"[\x00-\x1f]", r"[^\s\S]", "[a^]")
ATOMS = st.sampled_from((*"ab.-}é😀 ", *ESCAPES, *CLASSES))
QUANTIFIERS = st.sampled_from(("*", "+", "?", "*?", "+?", "??", "{0}", "{2}", "{1,}", "{0,2}", "{2,3}?"))


def larger(smaller: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return (
        st.lists(smaller, max_size=3).map("".join)
        | st.lists(smaller, min_size=1, max_size=3).map("|".join).map("(?:{})".format)
        | st.builds("({}){}".format, smaller, QUANTIFIERS)
        | st.builds("{}{}".format, ATOMS, QUANTIFIERS)
        | smaller.map("^{}$".format)
    )


EXPRESSIONS = st.recursive(ATOMS, larger, max_leaves=6)
TEXTS = st.text(alphabet=LETTERS, max_size=6)


@settings(max_examples=examples(500))
@given(EXPRESSIONS, st.lists(TEXTS, min_size=1, max_size=8))
def test_an_expression_means_what_python_means_by_it(expression: str, texts: list[str]) -> None:
    try:
        compiled = compile_regex(expression)
    except RegexError as error:
        assert "the end of the text" in str(error) or "multiple repeat" in str(error)  # noqa: PT017
        return
    expected = re.compile(expression, re.ASCII)
    assert [compiled.matches(text) for text in texts] == [expected.fullmatch(text) is not None for text in texts]


PATHOLOGICAL = (
    *("(a+)+b", "(a*)*b", "(a|a)*b", "(a|aa)+b", "(a+a+)+b"),
    *("(?:a?){500}a{500}b", "(.*a){20}b", "a*" * 50 + "b"),
)


@pytest.mark.parametrize("expression", PATHOLOGICAL)
def test_no_expression_takes_for_ever(expression: str) -> None:
    compiled = compile_regex(expression)
    assert not compiled.matches("a" * 100_000)
    assert compiled.matches("a" * 1_000 + "b")


def test_patterns_with_hard_expressions_end_as_well() -> None:
    hard = TermPattern(RegexLabel("(a+)+b"), (RegexPattern("(a|a)*b"),), ordered=False, total=True)
    label, text = "a" * 50_000, "a" * 50_000
    assert list(match(hard, Term(label, [text]))) == []
    assert list(match(hard, Term(f"{label}b", [f"{text}b"]))) == [{}]


def test_a_bad_expression_says_nothing_on_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RegexError):
        compile_regex("(?:b{40}){40}")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "IBM|SUN",
        "E[0-9]+",
        ".*",
        ".*error.*",
        r"[\w.-]+@[a-z]+\.[a-z]+",
        r"-?\d+(?:\.\d+)?",
        r"\d{4}-\d{2}-\d{2}",
        "(?:ab)*",
        "(?:info|warn|error): .*",
        "(error|exception|exit)[0-9]*",
        "^a.*$",
    ],
)
def test_expressions_that_java_is_trusted_with(expression: str) -> None:
    assert is_backtracking_safe(expression)


@pytest.mark.parametrize(
    "expression",
    [
        *PATHOLOGICAL,
        "a*a*",
        "a*b?a*c",
        r"\d+\w+x",
        "(?:a*|b)a*",
        ".*a.*b.*",
        "(a|b)*",
        "(?:a|b){2,}",
        "(?:a?b)+",
        "(?:x+y)*",
        "a?" * 20 + "a" * 20,
        "(?:a|ab)" * 20,
        "(?:a{0,3}){2}",
        ".{0,1000}x",
    ],
)
def test_expressions_that_java_is_not_trusted_with(expression: str) -> None:
    assert not is_backtracking_safe(expression)


def test_a_malformed_expression_is_neither_safe_nor_unsafe() -> None:
    with pytest.raises(RegexError):
        is_backtracking_safe("(a")
