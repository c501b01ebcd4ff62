"""`check` on Snoop: the `?!` and `?` of Fig. 3 (seed 004), and that what it says about histories is so."""

from __future__ import annotations

import pytest

from cera.diagnostics import Diagnostic, Source
from cera.instances.events.module import EventTypeModule
from cera.languages.cet.lowering import lowered
from cera.languages.cet.parser import parse as parse_cet
from cera.languages.snoop.compiler import instance_module
from cera.languages.snoop.parser import parse
from instance_building import detected, history
from module_runs import meaning

FORMS = {
    "and": "E1 and E2",
    "or": "E1 or E2",
    ";": "E1 ; E2",
    "not": "NOT(E2)[E1, E3]",
    "any": "ANY(2, E1, E2, E3)",
    "A": "A(E1, E2, E3)",
    "A*": "A*(E1, E2, E3)",
    "P": "P(E1, [5 min], E3)",
    "P*": "P*(E1, [5 min], E3)",
}
CONTEXTS = ("unrestricted", "recent", "chronicle", "continuous", "cumulative")


def checked(text: str) -> tuple[EventTypeModule, list[Diagnostic]]:
    """The module and what is peculiar about it."""
    parsed = parse(Source("test.snoop", f"E := {text}"))
    assert not parsed.diagnostics, parsed.diagnostics[0]
    module, found = instance_module(parsed.program, "M")
    assert module is not None, found[0]
    return module, [each for each in found if each.code.startswith("SN")]


def of(code: str) -> set[tuple[str, str]]:
    """The operators and contexts that the diagnostic is given for."""
    return {
        (kind, context)
        for kind, form in FORMS.items()
        for context in CONTEXTS
        if code in [each.code for each in checked(f"{context} {form}")[1]]
    }


def test_a_warning_is_given_where_the_figure_marks_an_irregularity() -> None:
    marked = {("not", "recent"), ("A", "chronicle"), ("A", "continuous"), ("A", "cumulative"), ("A*", "chronicle")}
    assert of("SN501") == marked


def test_a_note_is_given_where_the_figure_is_unclear_and_for_what_it_does_not_have() -> None:
    unclear = {("any", "recent"), ("not", "cumulative"), ("A", "cumulative"), ("A*", "recent"), ("A*", "cumulative")}
    periodic = {(kind, context) for kind in ("P", "P*") for context in CONTEXTS}
    assert of("SN502") == unclear | periodic


def test_a_note_is_given_where_section_4_compares_contexts() -> None:
    assert of("SN503") == {("and", "recent")}


def test_a_context_inside_of_another_is_noted_and_one_that_is_said_again_is_not() -> None:
    assert [each.code for each in checked("recent (chronicle E1 ; E2) ; E3")[1]] == ["SN504"]
    assert [each.code for each in checked("recent (recent E1 ; E2) ; E3")[1]] == []


@pytest.mark.parametrize(
    ("entry", "name", "text", "events", "number"),
    [
        ("N-10", "EIH1", "recent NOT(E2)[E1, E3]", "e1 e3 e3", 1),
        ("N-11", "EIH2", "recent E1 and E2", "e1 e2 e2", 2),
        ("N-12", "EIH3", "chronicle A(E1, E2, E3)", "e1 e2 e2 e2 e3", 1),
        ("N-13", "EIH4", "continuous A(E1, E2, E3)", "e1 e2 e1 e2 e2", 5),
    ],
)
def test_the_histories_of_the_paper_are_named_and_show_it(
    entry: str, name: str, text: str, events: str, number: int
) -> None:
    module, found = checked(text)
    [said] = [each.message for each in found if each.code in ("SN501", "SN503")]
    assert f"{events} ({name})" in said, entry
    words = {1: "one event", 2: "two events", 5: "five events"}
    assert words[number] in said
    assert len(detected(meaning(module, history(events)))) == number


@pytest.mark.parametrize(
    ("text", "instead", "events", "number"),
    [
        ("recent NOT(E2)[E1, E3]", "recent A(E1, E3, E2)", "e1 e3 e3", 2),
        ("recent NOT(E2)[E1, E3]", "not(last: shared: E1, E2, E3)", "e1 e3 e3", 2),
        ("chronicle A(E1, E2, E3)", "recent A(E1, E2, E3)", "e1 e2 e2 e2 e3", 3),
        ("chronicle A(E1, E2, E3)", "not(first: shared: E1, E3, E2)", "e1 e2 e2 e2 e3", 3),
        ("continuous A(E1, E2, E3)", "recent A(E1, E2, E3)", "e1 e2 e1 e2 e2", 3),
        (
            "cumulative A(E1, E2, E3)",
            "not(restricted cumulative: exclusive parameter: E1, E3, E2)",
            "e1 e1 e2 e2",
            1,
        ),
        (
            "chronicle A*(E1, E2, E3)",
            ";(first: E1, restricted cumulative: exclusive parameter: (0-): E2, E3)",
            "e1 e1 e2 e3 e3",
            2,
        ),
    ],
)
def test_what_is_written_instead_is_what_is_said(text: str, instead: str, events: str, number: int) -> None:
    hints = [each.hint for each in checked(text)[1] if each.code == "SN501"]
    assert any(hint is not None and f"`{instead}`" in hint for hint in hints), hints
    if instead.startswith("recent"):
        module = checked(instead)[0]
    else:
        module = lowered(parse_cet(Source("test.cet", f"E := {instead};")).program, "M")
    assert len(detected(meaning(module, history(events)))) == number


def test_hints_speak_of_the_events_of_the_program() -> None:
    [warning] = checked("recent NOT(b: E2)[Order, (E1 ; E3)]")[1]
    assert warning.hint is not None
    assert "`recent A(Order, (…), b)`" in warning.hint
