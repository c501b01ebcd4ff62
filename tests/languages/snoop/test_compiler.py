"""`translate --to cet`: the text of the event types, which is read as the module that the Snoop program is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from cera.diagnostics import Source
from cera.errors import ProgramError
from cera.languages.cet.lowering import lowered
from cera.languages.cet.parser import parse as parse_cet
from cera.languages.snoop.cet_translation import translated
from cera.languages.snoop.checks import check_program
from cera.languages.snoop.compiler import to_cet
from cera.languages.snoop.syntax import Program
from languages.snoop.random_snoop import programs
from languages.snoop.reading import module, read

OK = sorted((Path(__file__).parent / "ok").glob("*.snoop"))


@pytest.mark.parametrize("path", OK, ids=lambda path: path.stem)
def test_the_text_of_the_types_is_read_as_the_same_module(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    written = parse_cet(Source("test.cet", to_cet(read(text))))
    assert not written.diagnostics, written.diagnostics[0]
    assert lowered(written.program, "M") == module(text)


@given(programs(right=True))
def test_the_text_of_all_types_that_are_right_is_read_as_the_same(program: Program) -> None:
    if check_program(program):
        return
    written = parse_cet(Source("test.cet", to_cet(program)))
    assert not written.diagnostics, written.diagnostics[0]
    assert written.program == translated(program)


def test_each_type_stands_under_the_definition_that_it_comes_from() -> None:
    text = "partition by k;\nAlarm := recent E1 ; E3\nBeep := recent P(E1, [5 min], E3) as beep()"
    assert to_cet(read(text)) == (
        "partition by k;\n"
        "\n"
        "# Alarm := recent E1 ; E3\n"
        "Alarm := ;(shared: E1, E3);\n"
        "# Beep := recent P(E1, [5 min], E3) as beep()\n"
        "Beep_tick := every 5 min after last E1 until E3;\n"
        "Beep := not(shared: E1, E3, Beep_tick) where Beep_tick.since = E1.evtime as beep();\n"
    )


def test_the_name_of_a_timer_is_none_that_is_taken() -> None:
    text = "E := recent P(E1, [5 min], E3) and (recent P(E1, [1 min], E3))\nE_tick := recent E1 ; E2"
    names = [each.name.name for each in translated(read(text)).definitions]
    assert names == ["E_tick2", "E_tick3", "E", "E_tick"]


def test_a_wrong_program_is_not_translated() -> None:
    with pytest.raises(ProgramError, match="SN101"):
        to_cet(read("E := E1"))
