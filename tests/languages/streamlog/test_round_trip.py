"""Whatever can be said is read back as it is printed, and formatted once."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from cera.diagnostics import Source
from cera.languages.streamlog.checks import check_program
from cera.languages.streamlog.parser import parse
from cera.languages.streamlog.printer import format_source, print_program, print_rule
from cera.languages.streamlog.syntax import Module, Program, Rule
from hypothesis_profiles import examples
from languages.streamlog import random_syntax


def read(text: str) -> Program:
    parsed = parse(Source("random.slog", text))
    assert not parsed.diagnostics, f"{parsed.diagnostics[0]}\n{text}"
    return parsed.program


@settings(max_examples=examples(100), deadline=None)
@given(random_syntax.programs())
def test_a_printed_program_is_read_back(program: Program) -> None:
    assert read(print_program(program)) == program


@settings(max_examples=examples(100), deadline=None)
@given(random_syntax.rules)
def test_a_rule_on_one_line_is_read_back(rule: Rule) -> None:
    assert read(print_rule(rule)) == Program((), (Module(None, (rule,)),))


@pytest.mark.parametrize("file", sorted((Path(__file__).parent / "ok").glob("*.slog")), ids=lambda file: file.stem)
def test_the_full_stops_of_rules_may_be_left_out(file: Path) -> None:
    program = read(file.read_text())
    lines = print_program(Program((), program.modules)).split("\n")
    assert read("\n".join(line.removesuffix(".") for line in lines)) == Program((), program.modules)


@settings(max_examples=examples(40), deadline=None)
@given(random_syntax.programs())
def test_a_printed_program_is_formatted_already(program: Program) -> None:
    text = print_program(program)
    assert format_source(Source("random.slog", text)) == text
    assert all(line == line.rstrip(" ") for line in text.split("\n"))


@settings(max_examples=examples(60), deadline=None)
@given(random_syntax.programs())
def test_any_program_can_be_checked(program: Program) -> None:
    for diagnostic in check_program(read(print_program(program))):
        assert diagnostic.code.startswith("SL")
        assert diagnostic.span is not None
