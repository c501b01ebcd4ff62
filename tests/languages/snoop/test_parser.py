"""Reading and writing Snoop: programs that are right, mistakes with the messages as users see them.

Each folder in `bad/` has a program and what is said about it, as the command line prints it. `CERA_UPDATE_PAGES=1`
writes that anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cera.diagnostics import Source, render
from cera.errors import ProgramError
from cera.languages.snoop.compiler import instance_module
from cera.languages.snoop.parser import ParsedProgram, parse
from cera.languages.snoop.printer import format_source, print_definition, print_program
from cera.languages.snoop.syntax import Definition, Event, Operation, Program, TypeName
from languages.snoop.random_snoop import programs

HERE = Path(__file__).parent
BAD = sorted((HERE / "bad").iterdir())
OK = sorted((HERE / "ok").glob("*.snoop"))


#: What is put into a text to break it.
SCRAPS = ("", "(", ")", "[", ";", ":=", "E1", " recent ", " where ", " as ", '"', "*", "A(", "P(", ",", " last ", "\n")


def read(text: str) -> ParsedProgram:
    return parse(Source("test.snoop", text))


def definition(text: str) -> Definition:
    parsed = read(f"E := {text}")
    assert not parsed.diagnostics, parsed.diagnostics[0]
    return parsed.program.definitions[0]


def event(text: str) -> Event:
    return definition(text).event


def shape(event: Event) -> object:
    """The tree of operators with their own contexts, in brackets."""
    if isinstance(event, TypeName):
        return event.name
    return (event.context, event.kind, *(shape(operand.event) for operand in event.operands))


@pytest.mark.parametrize("folder", BAD, ids=lambda folder: folder.name)
def test_a_bad_program_is_explained(folder: Path) -> None:
    parsed = parse(Source("program.snoop", (folder / "program.snoop").read_text(encoding="utf-8")))
    found = parsed.diagnostics or instance_module(parsed.program, "program")[1]
    printed = "\n\n".join(render(diagnostic) for diagnostic in found if diagnostic.severity == "error") + "\n"
    expected = folder / "expected.txt"
    if os.environ.get("CERA_UPDATE_PAGES"):
        expected.write_text(printed, encoding="utf-8")
    assert printed == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", OK, ids=lambda path: path.stem)
def test_a_program_is_read_back_as_it_is_printed(path: Path) -> None:
    parsed = read(path.read_text(encoding="utf-8"))
    assert not parsed.diagnostics, parsed.diagnostics[0]
    assert read(print_program(parsed.program)).program == parsed.program
    for each in parsed.program.definitions:
        assert read(print_definition(each)).program == Program((each,))


@pytest.mark.parametrize("path", OK, ids=lambda path: path.stem)
def test_formatting_keeps_the_program_and_its_comments_and_is_done_once(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    formatted = format_source(Source("test.snoop", text))
    assert format_source(Source("test.snoop", formatted)) == formatted
    before, after = read(text), read(formatted)
    assert after.program == before.program
    assert [comment.text.strip() for comment in after.comments] == [comment.text.strip() for comment in before.comments]


@given(programs())
def test_every_program_is_read_back_as_it_is_printed(program: Program) -> None:
    printed = print_program(program)
    parsed = read(printed)
    assert not parsed.diagnostics, f"{printed}\n{parsed.diagnostics[0]}"
    assert parsed.program == program, printed


def test_what_cannot_be_read_is_not_formatted() -> None:
    with pytest.raises(ProgramError):
        format_source(Source("test.snoop", "E := recent ( ; E2"))
    assert format_source(Source("test.snoop", "# only a comment\n")) == "# only a comment\n"


def test_conjunction_binds_tighter_than_sequence_and_that_tighter_than_disjunction() -> None:
    assert shape(event("E1 ; E2 and E3 or E4")) == (
        None,
        "or",
        (None, ";", "E1", (None, "and", "E2", "E3")),
        "E4",
    )


def test_a_chain_is_a_tree_to_the_left() -> None:
    assert event("E1 ; E2 ; E3") == event("(E1 ; E2) ; E3")
    assert event("E1 ; E2 ; E3") != event("E1 ; (E2 ; E3)")


@pytest.mark.parametrize("sign", ["and", "AND", "^", "△", "∆", "∧"])
def test_conjunction_is_written_in_several_ways(sign: str) -> None:
    assert event(f"E1 {sign} E2") == event("E1 and E2")


@pytest.mark.parametrize("sign", ["or", "OR", "|", "▽", "∇", "∨"])
def test_disjunction_is_written_in_several_ways(sign: str) -> None:
    assert event(f"E1 {sign} E2") == event("E1 or E2")


def test_a_context_at_the_beginning_governs_the_whole() -> None:
    assert shape(event("recent E1 ; E2 and E3")) == ("recent", ";", "E1", (None, "and", "E2", "E3"))
    assert event("recent (E1 ; E2)") == event("recent E1 ; E2")


def test_a_context_behind_an_operator_governs_the_operand_that_begins_there() -> None:
    assert shape(event("recent E1 or chronicle E2 ; E3")) == ("recent", "or", "E1", ("chronicle", ";", "E2", "E3"))
    assert event("E1 ; recent A(E2, E3, E4)") == event("E1 ; (recent A(E2, E3, E4))")


def test_the_negation_has_its_operands_in_the_order_of_time() -> None:
    absent = event("NOT(E2)[E1, E3]")
    assert isinstance(absent, Operation)
    assert [shape(operand.event) for operand in absent.operands] == ["E1", "E2", "E3"]


def test_a_definition_may_end_with_a_semicolon() -> None:
    ended = read("E := recent E1 ; E2;\nF := recent E ; E3;")
    assert not ended.diagnostics
    assert ended.program == read("E := recent E1 ; E2 F := recent E ; E3").program


def test_events_may_be_called_like_operators_and_words_of_declarations() -> None:
    assert shape(event("A ; P")) == (None, ";", "A", "P")
    assert shape(event("ANY ; NOT")) == (None, ";", "ANY", "NOT")
    assert shape(event("event ; partition")) == (None, ";", "event", "partition")


def test_a_broken_definition_does_not_take_the_others_with_it() -> None:
    parsed = read("E := recent ( E1 ; E2\nF := recent E1 ; E2\nevent X = update(Y);\nG := recent ; X")
    assert [each.code for each in parsed.diagnostics] == ["SN002", "SN001"]
    assert [each.name.name for each in parsed.program.definitions] == ["F"]
    assert len(parsed.program.items) == 2


def test_places_are_those_of_the_text() -> None:
    found = event("recent  E1 ; (E2 ; E3)")
    assert isinstance(found, Operation)
    assert found.span is not None
    assert found.span.text == "E1 ; (E2 ; E3)"
    assert [operand.span.text for operand in found.operands if operand.span] == ["E1", "(E2 ; E3)"]


def test_a_chain_may_be_long_but_not_without_end() -> None:
    longest = " ; ".join(f"E{number}" for number in range(101))
    module, _ = instance_module(read(f"E := recent {longest}").program, "M")
    assert module is not None
    assert read(print_program(read(f"E := recent {longest}").program)).program == read(f"E := recent {longest}").program
    [too_long] = read(f"E := recent {longest} ; " + " ; ".join(["E1"] * 5000)).diagnostics
    assert too_long.code == "SN001"
    assert "5,100 operators" in too_long.message
    [too_deep] = read("E := " + "(" * 3000 + "E1 ; E2" + ")" * 3000).diagnostics
    assert too_deep.code == "SN001"


@given(st.data())
def test_whatever_the_text_is_reading_it_ends_with_diagnostics_that_have_a_place(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([path.read_text(encoding="utf-8") for path in OK]))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 6)))
        text = text[:start] + data.draw(st.sampled_from(SCRAPS)) + text[end:]
    parsed = read(text)
    assert all(each.span is not None and each.code.startswith("SN") for each in parsed.diagnostics)
    if not parsed.diagnostics:
        _, found = instance_module(parsed.program, "M")
        assert all(each.span is not None for each in found)
