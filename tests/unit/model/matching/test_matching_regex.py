"""Regular expressions: what is accepted means the same in Python, Java and RE2, the rest is refused with a reason."""

from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cera.model.regex.regular_expressions import RegexError, compile_regex


@pytest.mark.parametrize(
    ("expression", "matching", "other"),
    [
        ("", "", "a"),
        ("IBM|SUN", "SUN", "SUNX"),
        ("[A-Z]{1,4}", "IBM", "ibm"),
        ("a{2}", "aa", "a"),
        ("a{2,}b*?", "aaab", "ab"),
        (r"\d+\.\d+", "3.14", "3,14"),
        (r"\w+", "a_1", "é"),
        (r"[^\s-]+", "a", "a b"),
        (r"[\w.-]+@[a-z]+", "j.doe-x@ab", "j doe@ab"),
        (r"[-a]+", "a-a", "b"),
        (r"[a\]\[\\]+", "[a]\\", "b"),
        (r"\x41\u0042", "AB", "ab"),
        (r"\{\}\(\)", "{}()", "()"),
        ("(?:a|b)+", "abba", "abc"),
        ("(a)(b)", "ab", "ba"),
        ("^ab$", "ab", "ab\n"),
        ("^(?:a|b$)|c$", "b", "b\n"),
        (r"\s", "\x0b", "\x85"),
        (r"[^\S]", "\x0b", "a"),
        (r"[^\s\S]|a", "a", "b"),
        (".", "\r", "\n"),
        ("}", "}", "{"),
    ],
)
def test_the_shared_notation_is_understood(expression: str, matching: str, other: str) -> None:
    compiled = compile_regex(expression)
    assert compiled.matches(matching)
    assert not compiled.matches(other)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("(?=a)b", "lookahead"),
        ("(?!ab)a.", "lookahead"),
        ("(?<=a)b", "lookbehind"),
        ("(?<!a)b", "lookbehind"),
        ("(?P<n>a)", "named group"),
        ("(?<n>a)", "named group"),
        ("(?P<n>a)(?P=n)", "named group"),
        ("(?P=n)", "backreference"),
        (r"(a)\1", "no backreferences"),
        (r"\0", "octal"),
        ("a*+", "possessive"),
        ("a++", "possessive"),
        ("a?+", "possessive"),
        ("a{2}+", "possessive"),
        ("(?>a)", "atomic"),
        ("(?i)a", "flags"),
        ("a(?s:.)", "flags"),
        ("(?#note)a", "comment"),
        ("(a)?(?(1)b)", "conditional"),
        (r"\bword", "word boundaries"),
        (r"a\Z", "whole text"),
        (r"\v", "class in Java"),
        (r"\p", "not an escape"),
        (r"\U00000041", "not an escape"),
        (r"\N{DOLLAR SIGN}", "not an escape"),
        (r"\x4", "2 hexadecimal digits"),
        (r"\ud83d", "half of a character"),
        ("a{,3}", "write \\{ for a brace"),
        ("{", "write \\{ for a brace"),
        ("a{99999}", "more than 1000 times"),
        ("a{1001}", "more than 1000 times"),
        ("(?:a{40}){40}", "come to more than 1000"),
        ("[^a]{900}" * 200, "too large"),
        ("(" * 5000 + ")" * 5000, "too large"),
        ("a$\\n", "nothing can follow the end"),
        ("(?:a$)*", "nothing can follow the end"),
        ("(?:a|b$)c?", "nothing can follow the end"),
        ("\ud800", "half of a character"),
        ("[a[b]]", "write \\["),
        ("[]a]", "write \\]"),
        ("[^]a]", "write \\]"),
        ("[a&&b]", "backslashes"),
        ("[a--b]", "backslashes"),
        (r"[\d-z]", "write \\-"),
        (r"[a-\d]", "write \\-"),
        ("[a-c-e]", "write \\-"),
        ("[z-a]", "bad character range"),
        ("[ab", "not closed"),
        ("(a", "unterminated"),
        ("a)", "unbalanced"),
        ("*a", "nothing to repeat"),
        ("a**", "multiple repeat"),
        ("a\\", "ends with a backslash"),
    ],
)
def test_what_does_not_mean_the_same_everywhere_is_refused_with_the_reason(expression: str, reason: str) -> None:
    with pytest.raises(RegexError, match=re.escape(reason)):
        compile_regex(expression)


def test_the_reason_says_where() -> None:
    with pytest.raises(RegexError, match="character 3"):
        compile_regex("ab(?<=c)")


def test_an_expression_is_compiled_once() -> None:
    assert compile_regex("[a-z]+") is compile_regex("[a-z]+")


@given(st.text(alphabet="ab01\\[](){}^$-&|?*+.,:=!<>PidDwsxu", max_size=12))
def test_nothing_but_a_reason_comes_out_of_a_wrong_expression(expression: str) -> None:
    with contextlib.suppress(RegexError):
        compile_regex(expression)
