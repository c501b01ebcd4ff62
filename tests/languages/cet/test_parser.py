"""Reading and writing complex event types: programs that are right, mistakes with the messages as users see them.

Each folder in `bad/` has a program and what is said about it, as the command line prints it. `CERA_UPDATE_PAGES=1`
writes that anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cera.diagnostics import Source, render
from cera.errors import ProgramError
from cera.instances.types import Delimiter
from cera.languages.cet.checks import check_program
from cera.languages.cet.parser import ParsedProgram, parse
from cera.languages.cet.printer import format_source, print_definition, print_program, print_type
from cera.languages.cet.syntax import Complex, Definition, Operand, Timer
from cera.languages.text.nodes import Identifier

HERE = Path(__file__).parent
BAD = sorted((HERE / "bad").iterdir())
OK = sorted((HERE / "ok").glob("*.cet"))


def read(text: str) -> ParsedProgram:
    return parse(Source("test.cet", text))


def definition(text: str) -> Definition:
    parsed = read(text)
    assert not parsed.diagnostics, parsed.diagnostics[0]
    [found] = parsed.program.definitions
    return found


def type_of(text: str) -> Complex:
    found = definition(f"X := {text}").type
    assert isinstance(found, Complex)
    return found


def operand(text: str) -> Operand:
    return type_of(f";({text}, Last)").operands[0]


@pytest.mark.parametrize("folder", BAD, ids=lambda folder: folder.name)
def test_a_bad_program_is_explained(folder: Path) -> None:
    parsed = parse(Source("program.cet", (folder / "program.cet").read_text(encoding="utf-8")))
    found = parsed.diagnostics or check_program(parsed.program)
    printed = "\n\n".join(render(diagnostic) for diagnostic in found) + "\n"
    expected = folder / "expected.txt"
    if os.environ.get("CERA_UPDATE_PAGES"):
        expected.write_text(printed, encoding="utf-8")
    assert printed == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", OK, ids=lambda path: path.stem)
@pytest.mark.parametrize("all_modes", [False, True])
def test_a_program_is_read_back_as_it_is_printed(path: Path, all_modes: bool) -> None:
    parsed = read(path.read_text(encoding="utf-8"))
    assert not parsed.diagnostics, parsed.diagnostics[0]
    assert read(print_program(parsed.program, all_modes=all_modes)).program == parsed.program


@pytest.mark.parametrize("path", OK, ids=lambda path: path.stem)
def test_formatting_keeps_the_program_and_its_comments_and_is_done_once(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    formatted = format_source(Source("test.cet", text))
    assert format_source(Source("test.cet", formatted)) == formatted
    before, after = read(text), read(formatted)
    assert after.program == before.program
    assert sorted(comment.text for comment in after.comments) == sorted(comment.text for comment in before.comments)


def test_what_cannot_be_read_is_not_formatted() -> None:
    with pytest.raises(ProgramError):
        format_source(Source("test.cet", "A := ;(E1"))
    assert format_source(Source("test.cet", "# one\n\n# two\n")) == "# one\n\n# two\n"


def test_empty_lines_between_definitions_are_kept_as_one() -> None:
    text = "A := or(E1);\nB := or(E1);\n\n\n# about C\nC := or(E1);\n"
    assert format_source(Source("test.cet", text)) == "A := or(E1);\nB := or(E1);\n\n# about C\nC := or(E1);\n"


@pytest.mark.parametrize(
    ("text", "selections", "consumptions"),
    [
        (";(last:E1, first:E2, E3)", ("last", "first", "last"), ("exclusive parameter",) * 3),
        (
            ";(combinations minimum:shared:E1, combinations minimum:shared:E2, shared:E3)",
            ("combinations minimum", "combinations minimum", "last"),
            ("shared",) * 3,
        ),
        (";(first:exclusive parameter:E1, shared:E2)", ("first", "last"), ("exclusive parameter", "shared")),
    ],
)
def test_M_21_the_types_of_the_paper_are_read(
    text: str, selections: tuple[str, ...], consumptions: tuple[str, ...]
) -> None:
    found = type_of(text)
    assert tuple(each.selection for each in found.operands) == selections
    assert tuple(each.inside for each in found.operands) == consumptions
    assert tuple(each.outside for each in found.operands) == consumptions


def test_M_21_the_defaults_are_those_of_the_appendix() -> None:
    found = type_of("and(E1, E2)")
    assert (found.overlapping, found.continuous, found.right_to_left, found.time) == (True, False, False, "end")
    first = found.operands[0]
    assert (first.selection, first.inside, first.outside) == ("last", "exclusive parameter", "exclusive parameter")
    assert print_type(found) == "and(E1, E2)"
    component = "last: exclusive parameter: {}"
    components = ", ".join(component.format(name) for name in ("E1", "E2"))
    assert print_type(found, all_modes=True) == f"end: overlapping: non-continuous: left-to-right: and({components})"


@pytest.mark.parametrize(
    "mode", ["first", "last", "cumulative", "restricted cumulative", "combinations", "combinations minimum"]
)
def test_M_21_every_selection_is_read(mode: str) -> None:
    assert operand(f"{mode}: E1").selection == mode


@pytest.mark.parametrize("mode", ["shared", "exclusive", "exclusive parameter"])
def test_M_21_every_consumption_is_read(mode: str) -> None:
    both = operand(f"{mode}: E1")
    assert (both.inside, both.outside) == (mode, mode)
    apart = operand(f"inside {mode}: outside shared: E1")
    assert (apart.inside, apart.outside) == (mode, "shared")
    alone = operand(f"outside {mode}: E1")
    assert (alone.inside, alone.outside) == ("exclusive parameter", mode)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [("(2)", 2, 2), ("(2-3)", 2, 3), ("(2-)", 2, None), ("(-3)", 0, 3), ("( 2 - 3 )", 2, 3), ("(0-)", 0, None)],
)
def test_M_10_delimiters_are_a_number_or_a_range(text: str, least: int, most: int | None) -> None:
    assert operand(f"{text}: E1").delimiter == Delimiter(least, most)


def test_M_21_the_modes_of_operators_are_read() -> None:
    found = type_of("begin: non-overlapping: continuous: right-to-left: ;(E1, E2)")
    assert (found.overlapping, found.continuous, found.right_to_left, found.time) == (False, True, True, "begin")
    assert type_of("end: overlapping: non-continuous: left-to-right: ;(E1, E2)") == type_of(";(E1, E2)")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("∧(E1, E2)", "and(E1, E2)"),
        ("∨(E1, E2)", "or(E1, E2)"),
        ("¬(E1, E2, E3)", "not(E1, E2, E3)"),
        ("non overlapping: right to left: ;(E1, E2)", "non-overlapping: right-to-left: ;(E1, E2)"),
        ("continuous: begin: ;((2): shared: first: E1)", "begin: continuous: ;(first: shared: (2): E1)"),
        ("or(E1) within 1 min where E1.k = 1 and (E1.v = 2 and E1.w == 3)",
         "or(E1) where E1.k = 1 ∧ E1.v = 2 ∧ E1.w = 3 within 60 sec"),
        (";\n # a comment\n (E1, E2)", ";(E1, E2)"),
    ],
)  # fmt: skip
def test_synonyms_are_the_same_type(one: str, other: str) -> None:
    assert type_of(one) == type_of(other)


def test_M_09_types_nest_and_their_modes_stand_behind_those_of_the_component() -> None:
    nested = operand("first: shared: (2): begin: continuous: ;(E1, E2) as p")
    assert (nested.selection, nested.inside, nested.delimiter) == ("first", "shared", Delimiter(2, 2))
    assert isinstance(nested.type, Complex)
    assert (nested.type.time, nested.type.continuous, nested.name) == ("begin", True, "p")


def test_timers_are_read() -> None:
    found = definition("T := every 5 min after last E1 until E3").type
    assert isinstance(found, Timer)
    assert (found.repeats, found.latest, found.start, found.stop) == (True, True, Identifier("E1"), Identifier("E3"))
    assert found.after.microseconds == 300_000_000
    once = definition("T := 5 min after last").type
    assert isinstance(once, Timer)
    assert (once.repeats, once.latest, once.start.name) == (False, False, "last")


def test_a_semicolon_ends_a_definition_unless_it_is_the_operator() -> None:
    parsed = read("A := ;(E1, E2); B := ;(E1, E2)\nC := or(E1);;(E1, E2); event X;")
    assert [each.name.name for each in parsed.program.definitions] == ["A", "B", "C"]
    assert [each.name.name for each in parsed.program.events] == ["X"]
    assert len(parsed.diagnostics) == 1


def test_the_definitions_around_a_broken_one_are_read() -> None:
    parsed = read("A := or(E1)\nB := ;(E1, (E2\nC := or(E1)\nD := ;(E1;\nevent X;\nE := or(X);")
    assert [each.name.name for each in parsed.program.definitions] == ["A", "C", "E"]
    assert [each.name.name for each in parsed.program.events] == ["X"]
    assert [diagnostic.code for diagnostic in parsed.diagnostics] == ["CE002", "CE002"]


def test_places_are_those_of_the_text() -> None:
    text = "\nA := ;(first: E1 as a, E2)\n  where a.k = E2.k;"
    found = definition(text)
    assert isinstance(found.type, Complex)
    first = found.type.operands[0]
    assert first.span is not None
    assert first.span.text == "first: E1 as a"
    assert first.written[0].span is not None
    assert (first.written[0].span.line, first.written[0].span.column) == (2, 8)
    [condition] = found.type.where
    assert condition.span is not None
    assert condition.span.text == "a.k = E2.k"


def test_a_definition_is_printed_on_one_line_when_asked_for() -> None:
    found = definition(
        "E5 := ;(first: (2-): E1 as a, E3) where a.k = E3.k or a.v = 1 within 10 min as alarm(n: count(a))"
    )
    assert print_definition(found) == (
        "E5 := ;(first: (2-): E1 as a, E3) where (a.k = E3.k or a.v = 1) within 10 min as alarm(n: count(a));"
    )


@pytest.mark.parametrize("length", range(0, 1400, 11))
def test_a_text_that_ends_anywhere_is_read_without_failing(length: int) -> None:
    text = (HERE / "ok" / "constructs.cet").read_text(encoding="utf-8")
    for part in (text[:length], text[length:]):
        parsed = read(part)
        check_program(parsed.program)


def test_a_text_nested_too_deeply_is_refused() -> None:
    parsed = read(f"A := {'or(' * 2000}E1{')' * 2000};")
    assert [diagnostic.code for diagnostic in parsed.diagnostics] == ["CE001"]


@pytest.mark.parametrize(
    ("text", "formatted"),
    [
        ("A := or(E1) as a()\n# c\n;", "A := or(E1) as a();\n# c\n"),
        ("A := or(E1) where E1.k = 1 # c\n;", "A := or(E1) where E1.k = 1;  # c\n"),
        (
            "A := ;(or(E1) where E1.k = 1\n# c\nas p, E2);",
            "A := ;(\n  or(E1)\n    where E1.k = 1\n    # c\n    as p,\n  E2\n);\n",
        ),
        ("A := or(E1)/* a\n\nb */;\nB := or(E1);", "A := or(E1);  /* a\n\nb */\nB := or(E1);\n"),
    ],
)
def test_a_comment_swallows_nothing(text: str, formatted: str) -> None:
    assert format_source(Source("test.cet", text)) == formatted
    assert format_source(Source("test.cet", formatted)) == formatted
    assert read(formatted).program == read(text).program
