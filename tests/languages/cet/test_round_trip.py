"""Whatever can be said is read back as it is printed, and formatted once."""

from __future__ import annotations

from hypothesis import given, settings

from cera.diagnostics import Source
from cera.languages.cet.checks import check_program
from cera.languages.cet.parser import parse
from cera.languages.cet.printer import format_source, print_definition, print_expression, print_program
from cera.languages.cet.syntax import Complex, Definition, Program
from cera.model.expressions.expression import Expression
from hypothesis_profiles import examples
from languages.cet import random_syntax


def read(text: str) -> Program:
    parsed = parse(Source("random.cet", text))
    assert not parsed.diagnostics, f"{parsed.diagnostics[0]}\n{text}"
    return parsed.program


@settings(max_examples=examples(120), deadline=None)
@given(random_syntax.programs)
def test_a_printed_program_is_read_back(program: Program) -> None:
    assert read(print_program(program)) == program
    assert read(print_program(program, all_modes=True)) == program


@settings(max_examples=examples(80), deadline=None)
@given(random_syntax.expressions)
def test_a_printed_value_is_read_back(expression: Expression) -> None:
    [definition] = read(f"A := or(E1) as a(x: {print_expression(expression)})").definitions
    assert definition.head is not None
    assert definition.head.fields is not None
    assert definition.head.fields[0].expression == expression


@settings(max_examples=examples(40), deadline=None)
@given(random_syntax.programs)
def test_a_definition_on_one_line_is_read_back(program: Program) -> None:
    for definition in program.definitions:
        assert read(print_definition(definition)).items == (definition,)


@settings(max_examples=examples(40), deadline=None)
@given(random_syntax.programs)
def test_a_printed_program_is_formatted_already(program: Program) -> None:
    text = print_program(program)
    assert format_source(Source("random.cet", text)) == text
    assert all(line == line.rstrip(" ") for line in text.split("\n"))


@settings(max_examples=examples(80), deadline=None)
@given(random_syntax.programs)
def test_any_program_can_be_checked(program: Program) -> None:
    for diagnostic in check_program(read(print_program(program))):
        assert diagnostic.code.startswith("CE")
        assert diagnostic.severity == "error"
        assert diagnostic.span is not None


@settings(max_examples=examples(40), deadline=None)
@given(random_syntax.complexes(random_syntax.types))
def test_only_modes_that_are_not_the_default_are_printed(type_: Complex) -> None:
    definition = Definition(random_syntax.Identifier("X"), type_)
    text = print_definition(definition)
    assert "overlapping:" not in text.replace("non-overlapping:", "")
    assert "left-to-right:" not in text
    assert "non-continuous:" not in text
