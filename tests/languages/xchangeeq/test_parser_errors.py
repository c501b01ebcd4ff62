"""Mistakes: the messages as users see them, and that nothing else is lost.

Each folder in `bad/` has a program and the diagnostics it gives, as the command line prints them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cera.diagnostics import Source, render
from cera.languages.xchangeeq.grammar import accepted_at, terminals
from cera.languages.xchangeeq.mistakes.expectations import VOCABULARY, guess
from cera.languages.xchangeeq.parser import ParsedProgram, parse
from cera.languages.xchangeeq.recovery import MOST_MISTAKES
from cera.languages.xchangeeq.syntax import DetectHead, RuleSyntax
from cera.model.expressions.constructs import ConstructTerm

BAD = sorted((Path(__file__).parent / "bad").iterdir())


def read(text: str) -> ParsedProgram:
    return parse(Source("test.xceq", text))


def codes(text: str) -> list[str]:
    return [diagnostic.code for diagnostic in read(text).diagnostics]


def names(parsed: ParsedProgram) -> list[str]:
    """The head labels of the rules that could be read."""
    found = []
    for item in parsed.program.items:
        assert isinstance(item, RuleSyntax)
        assert isinstance(item.head, DetectHead)
        assert isinstance(item.head.construct, ConstructTerm)
        found.append(item.head.construct.label)
    return found


@pytest.mark.parametrize("folder", BAD, ids=lambda folder: folder.name)
def test_a_bad_program_is_explained(folder: Path) -> None:
    source = Source("program.xceq", (folder / "program.xceq").read_text(encoding="utf-8"))
    printed = "\n\n".join(render(diagnostic) for diagnostic in parse(source).diagnostics) + "\n"
    assert printed == (folder / "expected.txt").read_text(encoding="utf-8")


def test_the_rules_around_a_broken_one_are_read() -> None:
    parsed = read("DETECT a ON b END DETECT c ON {{ END DETECT d ON e END")
    assert names(parsed) == ["a", "d"]
    assert len(parsed.diagnostics) == 1


def test_every_broken_rule_has_a_diagnostic_of_its_own() -> None:
    parsed = read("DETECT a ON b{ c d e } END\n" * 20)
    assert [diagnostic.span.line for diagnostic in parsed.diagnostics if diagnostic.span] == list(range(1, 21))


def test_a_rule_without_end_does_not_swallow_the_next() -> None:
    parsed = read("DETECT a ON b{{ c }} DETECT d ON e END")
    assert names(parsed) == ["d"]
    assert [diagnostic.code for diagnostic in parsed.diagnostics] == ["XC005"]


def test_a_rule_with_open_brackets_does_not_swallow_the_next() -> None:
    parsed = read("DETECT a{ b{ ON c{{ d END DETECT d ON e END")
    assert names(parsed) == ["d"]
    assert [diagnostic.code for diagnostic in parsed.diagnostics] == ["XC002"]


def test_an_unclosed_string_loses_its_line_only() -> None:
    parsed = read('DETECT a ON b{{ "c }} END\nDETECT d ON e END')
    assert names(parsed) == ["d"]
    assert [diagnostic.code for diagnostic in parsed.diagnostics] == ["XC004"]


def test_keywords_inside_of_strings_comments_and_terms_begin_no_item() -> None:
    parsed = read(
        'DETECT a ON b{{ "DETECT x ON y END", /DETECT x/, DETECT{1}, END, SOURCE }} # DETECT x\n/* RAISE */ END'
    )
    assert parsed.diagnostics == ()
    assert names(parsed) == ["a"]


def test_a_rule_with_a_bad_literal_is_left_out() -> None:
    parsed = read("DETECT a ON b{{ 1e999 }} END DETECT c ON d END")
    assert names(parsed) == ["c"]


def test_bad_literals_are_found_after_a_syntax_error_too() -> None:
    assert codes("DETECT a ON and { b{{ c d }}, e{{ 1e999 }} } END") == ["XC001", "XC004"]


def test_diagnostics_come_in_the_order_of_the_text() -> None:
    diagnostics = read("DETCT a ON b whree { x <> } END detect c ON d End").diagnostics
    starts = [diagnostic.span.start for diagnostic in diagnostics if diagnostic.span]
    assert starts == sorted(starts)
    assert len(starts) == 5


def test_a_hopeless_rule_has_a_limited_number_of_diagnostics() -> None:
    literals = ", ".join("event 5: x" for _ in range(50))
    assert len(codes(f"DETECT a ON and {{ {literals} }} END")) == MOST_MISTAKES


def test_an_error_lists_few_alternatives() -> None:
    (diagnostic,) = read("DETECT a{ all b ; ) } ON c END").diagnostics[:1]
    assert diagnostic.message.count(",") <= VOCABULARY.most + 1


@pytest.mark.parametrize("prefix", ["", "DETECT a{", "DETECT a ON ", "DETECT a ON b where { x", "DETECT a ON b{ c"])
def test_expectations_are_in_the_users_words(prefix: str) -> None:
    message = VOCABULARY.expected(accepted_at(prefix, len(prefix)))
    for raw in ("_", "ANON", "LBRACE", "RPAR", "NAME"):
        assert raw not in message


def test_every_terminal_of_the_grammar_has_a_name() -> None:
    for terminal in terminals():
        assert VOCABULARY.expected(frozenset({terminal})) not in ("expected ", f"expected '{terminal}'")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("DETCT", "DETECT"),
        ("detect", "DETECT"),
        ("whlie", "while"),
        ("colect", "collect"),
        ("adn", "and"),
        ("befor", "before"),
        ("form-end", "from-end"),
        ("temperature", None),
        ("before", None),
    ],
)
def test_the_keyword_that_was_meant_is_guessed(word: str, meant: str | None) -> None:
    assert guess(word, ["DETECT", "while", "collect", "and", "before", "from-end"]) == meant


@pytest.mark.parametrize(
    "text",
    [
        "DETECT a ON b where { T > 40 } END",  # an event identifier, as far as the syntax goes
        "DETECT a{ T } ON b END",
        "DETECT a ON b where { var X = 1 } END",
        "DETECT a ON and { b, c, } END",
    ],
)
def test_what_looks_odd_but_is_right_is_not_reported(text: str) -> None:
    assert codes(text) == []


@pytest.mark.parametrize("text", ["", "   \n\t ", "# only a comment", "/* only a comment */\n", "\ufeff"])
def test_a_file_without_items_is_an_empty_program(text: str) -> None:
    parsed = read(text)
    assert parsed.program.items == ()
    assert parsed.diagnostics == ()
