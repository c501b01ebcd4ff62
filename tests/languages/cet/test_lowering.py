"""Programs as modules: what becomes of types, names, conditions and heads."""

from __future__ import annotations

import pytest

from cera.diagnostics import Diagnostic, Source
from cera.instances.events.module import EventTypeModule
from cera.instances.types import ComplexType, Component, Delimiter, FoldedValue, TimerType
from cera.languages.cet.lowering import instance_module
from cera.languages.cet.parser import parse
from cera.model.expressions.expression import Arithmetic, Comparison, Literal, Variable
from cera.modules.monitoring import MonitoredEvents


def hosted(text: str) -> tuple[EventTypeModule | None, tuple[Diagnostic, ...]]:
    parsed = parse(Source("M.cet", text))
    assert not parsed.diagnostics, parsed.diagnostics[0]
    return instance_module(parsed.program, "M")


def module(text: str) -> EventTypeModule:
    found, diagnostics = hosted(text)
    assert found is not None, diagnostics[0]
    return found


def complex_type(text: str) -> ComplexType:
    found = module(text).types[-1]
    assert isinstance(found, ComplexType)
    return found


def test_names_that_nothing_defines_are_labels() -> None:
    found = module(
        'event Paid(k) = update(ACC); event Odd = "odd label"; event Reboot;\nA := ;(E1, Paid); B := or(A, E2);'
    )
    assert found.monitored == (
        MonitoredEvents("Paid", "ACC", "update", ("k",)),
        MonitoredEvents("Odd", "odd label"),
        MonitoredEvents("Reboot", "Reboot"),
        MonitoredEvents("E1", "E1"),
        MonitoredEvents("E2", "E2"),
    )
    assert found.reads == {"change", "odd label", "Reboot", "E1", "E2"}
    assert found.derives == {"A", "B"}


def test_types_come_after_those_that_they_are_made_of() -> None:
    found = module("A := ;(B, T); T := 5 min after C; B := or(C); C := or(E1);")
    assert [each.name for each in found.types] == ["C", "B", "T", "A"]


def test_a_type_in_the_place_of_a_component_is_hidden() -> None:
    found = module("A := ;(first: ;(E1, and(E2, E3)) as p(v: E1.v), and(E1, E2), and(E2, E3) within 1 min);")
    names = [(each.name, each.hidden) for each in found.types if isinstance(each, ComplexType)]
    assert names == [("A/1/2", True), ("A/1", True), ("A/2", True), ("A/3", True), ("A", False)]
    last = found.types[-1]
    assert isinstance(last, ComplexType)
    assert [(each.type, each.name, each.selection) for each in last.components] == [
        ("A/1", "p", "first"),
        ("A/2", "and", "last"),
        ("A/3", "and2", "last"),
    ]
    first, third = found.types[1], found.types[3]
    assert isinstance(first, ComplexType)
    assert isinstance(third, ComplexType)
    assert first.fields == (("v", Variable("E1.v")),)
    assert third.within == 60_000_000
    assert [each.rule for each in found.outputs] == ["M.A"]


def test_modes_and_delimiters_are_those_of_the_components() -> None:
    found = complex_type(
        "A := begin: non-overlapping: continuous: right-to-left: ;(first: shared: (2-3): E1 as a, E2);"
    )
    assert (found.overlapping, found.continuous, found.right_to_left, found.time) == (False, True, True, "begin")
    assert found.components == (
        Component("E1", "a", "first", "shared", "shared", Delimiter(2, 3)),
        Component("E2", "E2"),
    )


def test_conditions_are_conjuncts_and_durations_are_microseconds() -> None:
    found = complex_type("A := ;(E1, E2) where E1.k = E2.k and (E2.evtime - E1.evtime < 1 sec and E1.v = 1);")
    assert found.where == (
        Comparison("=", Variable("E1.k"), Variable("E2.k")),
        Comparison("<", Arithmetic("-", Variable("E2.evtime"), Variable("E1.evtime")), Literal(1_000_000)),
        Comparison("=", Variable("E1.v"), Literal(1)),
    )


def test_folds_are_variables_of_their_printed_name() -> None:
    found = complex_type(
        'A := and(cumulative: E1, E2) as a(n: count(E1), E2.k, s: 2 * sum(E1."v w") + count(E1), d: 1 sec);'
    )
    assert found.fields == (
        ("n", Variable("count(E1)")),
        ("k", Variable("E2.k")),
        ("s", Arithmetic("+", Arithmetic("*", Literal(2), Variable('sum(E1."v w")')), Variable("count(E1)"))),
        ("d", Literal(1_000_000)),
    )
    assert found.folds == (
        FoldedValue("count(E1)", "count", "E1"),
        FoldedValue('sum(E1."v w")', "sum", "E1", "v w"),
    )


@pytest.mark.parametrize(
    ("head", "label", "fields"),
    [("", "A", None), ("as alarm", "alarm", None), ("as alarm()", "alarm", ()), ('as "odd one"', "odd one", None)],
)
def test_a_head_gives_label_and_fields(head: str, label: str, fields: object) -> None:
    found = complex_type(f"A := or(E1) {head};")
    assert (found.label, found.fields) == (label, fields)


def test_timers_are_types_without_events() -> None:
    found = module("partition by k; T := every 5 min after last E1 until E3;")
    assert found.types == (TimerType("T", 300_000_000, "E1", True, "E3", True),)
    assert (found.outputs, found.partition) == ((), "k")


def test_a_program_with_errors_is_no_module() -> None:
    found, diagnostics = hosted("A := not(E1, E2); B := ;(E1, E2);")
    assert found is None
    assert [each.code for each in diagnostics] == ["CE301"]


def test_a_module_without_partition_is_told_to_run_in_one_piece() -> None:
    _, [note] = hosted("A := or(E1);")
    assert (note.code, note.severity) == ("CE502", "note")
    assert hosted("partition by k; A := or(E1);")[1] == ()
    _, [note] = hosted("A := ;(E1, E2) where E1.k = E2.k within 1 min; B := ==(E1, E3) where E1.k = E3.k;")
    assert note.hint == "its types relate events with the same `k` only: `partition by k;`"


def test_all_sets_of_instances_are_warned_of() -> None:
    _, [warning] = hosted("partition by k; A := ;(combinations: shared: E1, shared: E2) within 1 min;")
    assert (warning.code, warning.severity) == ("CE503", "warning")
    assert hosted("partition by k; A := ;(combinations minimum: shared: E1, shared: E2) within 1 min;")[1] == ()


def test_continuous_types_are_told_which_events_they_look_at() -> None:
    _, [note] = hosted("partition by k; event Other; A := continuous: ;(E1, E2) within 1 min;")
    assert note.code == "CE504"
    assert note.message.endswith("`Other`, `E1`, `E2`")


def test_causes_are_called_like_the_components_also_inside_of_others() -> None:
    [_, output] = module("A := ;(E1, E2); B := ;(and(E3 as x, E1) as p, not(E3, E4, E2), A);").outputs
    assert output.variables == ("x", "E1", "E3", "E2", "A")
