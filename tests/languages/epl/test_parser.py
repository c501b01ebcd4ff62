"""Reading and writing EPL: programs that are right, mistakes with the messages as users see them.

Each folder in `bad/` has a program and what is said about it, as the command line prints it. `CERA_UPDATE_PAGES=1`
writes that anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cera.diagnostics import Source, in_source_order, render
from cera.errors import ProgramError
from cera.languages.epl.checks import check_module, check_names
from cera.languages.epl.parser import ParsedModules, parse
from cera.languages.epl.printer import format_source, print_event, print_modules
from cera.languages.epl.syntax import Conjunction, Disjunction, Negation, Prior, RelaxedSequence, Sequence, Star, Within

HERE = Path(__file__).parent
BAD = sorted((HERE / "bad").iterdir())
OK = sorted((HERE / "ok").glob("*.epl"))


def read(text: str) -> ParsedModules:
    return parse(Source("test.epl", text))


def event(text: str) -> object:
    parsed = read(f"begin M monitor A; R: {text} end.")
    assert not parsed.diagnostics, parsed.diagnostics[0]
    return parsed.modules[0].rules[0].event


@pytest.mark.parametrize("folder", BAD, ids=lambda folder: folder.name)
def test_a_bad_program_is_explained(folder: Path) -> None:
    parsed = parse(Source("program.epl", (folder / "program.epl").read_text(encoding="utf-8")))
    checked = [diagnostic for module in parsed.modules for diagnostic in check_module(module)]
    found = parsed.diagnostics or in_source_order([*checked, *check_names(parsed.modules)])
    printed = "\n\n".join(render(diagnostic) for diagnostic in found if diagnostic.severity == "error") + "\n"
    expected = folder / "expected.txt"
    if os.environ.get("CERA_UPDATE_PAGES"):
        expected.write_text(printed, encoding="utf-8")
    assert printed == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", OK, ids=lambda path: path.stem)
def test_a_program_is_read_back_as_it_is_printed(path: Path) -> None:
    parsed = read(path.read_text(encoding="utf-8"))
    assert not parsed.diagnostics, parsed.diagnostics[0]
    assert read(print_modules(parsed.modules)).modules == parsed.modules


@pytest.mark.parametrize("path", OK, ids=lambda path: path.stem)
def test_formatting_keeps_the_program_and_its_comments_and_is_done_once(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    formatted = format_source(Source("test.epl", text))
    assert format_source(Source("test.epl", formatted)) == formatted
    before, after = read(text), read(formatted)
    assert after.modules == before.modules
    assert sorted(comment.text for comment in after.comments) == sorted(comment.text for comment in before.comments)


def test_what_cannot_be_read_is_not_formatted() -> None:
    with pytest.raises(ProgramError):
        format_source(Source("test.epl", "begin M R: ( end."))
    assert format_source(Source("test.epl", "# only a comment\n")) == "# only a comment\n"


def test_negation_and_star_bind_tighter_than_conjunction_and_that_tighter_than_the_semicolon() -> None:
    found = event("!A & B ; C")
    assert isinstance(found, Prior)
    assert isinstance(found.events[0], Conjunction)
    assert isinstance(found.events[0].events[0], Negation)
    starred = event("(*:!A, B)")
    assert isinstance(starred, Sequence)
    assert isinstance(starred.events[0], Star)
    assert isinstance(starred.events[0].event, Negation)


def test_within_belongs_to_the_sequence_before_it() -> None:
    found = event("(A, [B, C] within 5 sec)")
    assert isinstance(found, Sequence)
    assert isinstance(found.events[1], Within)
    assert isinstance(found.events[1].event, RelaxedSequence)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("relative(A, B)", "[A, B]"),
        ("sequence(A, B)", "(A, B)"),
        ("A ; B", "prior(A, B)"),
        ("upd(ACC(X))", "update(ACC(X))"),
        ("{A}", "A"),
        ("[A]", "((A))"),
    ],
)
def test_synonyms_are_the_same_event(one: str, other: str) -> None:
    assert event(one) == event(other)


def test_a_disjunction_of_several_is_printed_with_braces() -> None:
    found = event("{A(X, X.k = 1 AND X.v > 2), update(ACC), any}")
    assert isinstance(found, Disjunction)
    assert print_event(found) == "{A(X, X.k = 1 AND X.v > 2), update(ACC), any}"


def test_the_rules_around_a_broken_one_are_read() -> None:
    parsed = read("begin M monitor A;\nOne: A\nTwo: (A, \nThree: A\nend.")
    assert [rule.name.name for rule in parsed.modules[0].rules] == ["One", "Three"]
    assert len(parsed.diagnostics) == 1


def test_places_are_those_of_the_text() -> None:
    text = "begin M monitor A, B;\n  R: (A(X), B(Y, Y.k = X.k))\nend."
    [rule] = read(text).modules[0].rules
    assert rule.event.span is not None
    assert rule.event.span.text == "(A(X), B(Y, Y.k = X.k))"
    assert rule.name.span is not None
    assert (rule.name.span.line, rule.name.span.column) == (2, 3)


@pytest.mark.parametrize("length", range(0, 400, 7))
def test_a_text_that_ends_anywhere_is_read_without_failing(length: int) -> None:
    text = (HERE / "ok" / "constructs.epl").read_text(encoding="utf-8")
    read(text[:length])
    read(text[length:])


def test_a_text_nested_too_deeply_is_refused() -> None:
    parsed = read(f"begin M monitor A; R: {'!' * 2000}A end.")
    assert [diagnostic.code for diagnostic in parsed.diagnostics] == ["EP001"]


def test_a_full_stop_does_not_fall_into_a_comment_before_it() -> None:
    source = Source("a.epl", "begin M\n  monitor A;\n  S: A(X)\n  # before the stop\n  .\nend.\n")
    assert "# before the stop\n" in format_source(source)
