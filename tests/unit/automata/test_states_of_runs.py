"""States that are only possible, states that were certain too late, and those that a violation has ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from cera.model.events.event import DerivedEvent, Event
from cera.model.events.states import state_of
from cera.testing import SECOND
from conformance.automata import answered, happens, module
from module_runs import run_layers, side_by_side

#: After `a` it is not known which of two ways is taken.
TWO_WAYS = """automaton X(k(K)) { start G; Left, Right, Far; end F; enter -> G: z(k(K*));
  G -> Left: a(k(K)); G -> Right: a(k(K)); Left -> Far: m(k(K)); Right -> Far: m(k(K)) and e(this) - e(last) < 1 s;
  Left -> F: b(k(K)); Right -> F: c(k(K)); Far -> F: b(k(K)); }"""


def happened(*parts: str) -> list[Event]:
    """Events like `a3`: a label, and a second."""
    return [happens(part[0], float(part[1:]), k=1) for part in parts]


def reported(found: Sequence[DerivedEvent], label: str) -> list[tuple[str, float, float]]:
    """The states that events with a label report, with the times of the events."""
    return sorted(
        (str(child.children[0]), one.event.begin / SECOND, one.event.end / SECOND)
        for one in found
        if one.event.label == label
        for child in one.event.term.children
        if child.label == "state"  # type: ignore[union-attr]
    )


def test_a_state_that_is_certain_after_its_end_is_reported_and_is_not_a_state() -> None:
    found = answered(module(TWO_WAYS), happened("z0", "a1", "b3"))
    assert reported(found, "past") == [("Left", 1, 3)]
    assert {str(state.term.label) for one in found if (state := state_of(one.event))} == {"x", "G", "F"}


def test_a_past_state_says_until_when_it_held() -> None:
    found = answered(module(TWO_WAYS), happened("z0", "a1", "m1.5", "b3"))
    # both ways lead to Far, from 1.5 on; which of the two it was before is never known
    assert reported(found, "past") == []
    found = answered(module(TWO_WAYS), happened("z0", "a1", "m2", "b3"))
    [past] = [one.event for one in found if one.event.label == "past"]
    assert reported(found, "past") == [("Left", 1, 2)]
    assert 'until{"1970-01-01T00:00:02Z"}' in str(past.term)


def test_possible_states_are_those_of_each_run_but_for_the_certain_ones() -> None:
    possible = replace(module(TWO_WAYS), possible=True)
    found = answered(possible, happened("z0", "a1", "b3"))
    assert reported(found, "possible") == [("Left", 1, 3), ("Right", 1, 3)]
    assert reported(answered(possible, happened("z0")), "possible") == []


def test_states_that_a_violation_ends_have_it_as_a_cause() -> None:
    found = answered(module(TWO_WAYS), happened("z0", "b1"))
    [violation] = [one.event for one in found if one.event.label == "violation"]
    ended = [one for one in found if one.event.label.startswith("state:ends:")]
    assert len(ended) == 2
    for one in ended:
        assert one.derivations[0].causes["violation"].id == violation.id
    finished = answered(module(TWO_WAYS), happened("z0", "a1", "b3"))
    assert not any("violation" in way.causes for one in finished for way in one.derivations)


def test_states_without_length_are_reported() -> None:
    found = answered(module(TWO_WAYS), happened("z0", "a1", "b3"))
    [end] = [one.event for one in found if one.event.label == "state:ends:F"]
    assert (end.begin, end.end) == (3 * SECOND, 3 * SECOND)


def test_what_is_overdue_in_all_runs_is_reported_once() -> None:
    text = """automaton X(k(K)) { start G; end F; enter -> G: z(k(K*)); enter -> G: z(k(K*), x(Y*));
      G -> F: a(k(K)) and e(this) - e(last) <= 2 s; }"""
    found = answered(module(text), [happens("z", 0, k=1, x=1), happens("z", 9, k=2, x=1)])
    overdue = [one.event.end for one in found if one.event.label == "overdue"]
    assert overdue == [2 * SECOND + 1, 11 * SECOND + 1]


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_what_instances_without_names_report_alike_is_one_event_with_both_derivations(engine: str) -> None:
    text = "automaton X { start S; end T; enter -> S: a(n(N*)); S -> T: b(n(N)); }"
    events = [happens("a", 0, n=1), happens("a", 0, n=2), happens("b", 1, n=1), happens("b", 2, n=2)]
    found = run_layers(side_by_side(module(text)), events, engine, changes=True).derived
    told = [(one.event.label, one.event.end // SECOND, len(one.derivations)) for one in found]
    assert sorted(told) == [
        *(("state:ends:S", 1, 1), ("state:ends:S", 2, 1), ("state:ends:T", 1, 1), ("state:ends:T", 2, 1)),
        *(("state:ends:x", 1, 1), ("state:ends:x", 2, 1), ("state:opens:S", 0, 2)),
        *(("state:opens:T", 1, 1), ("state:opens:T", 2, 1), ("state:opens:x", 0, 2)),
    ]


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_a_state_whose_name_lacks_the_key_is_one_of_each_instance_of_the_root(engine: str) -> None:
    text = """automaton X(k(K)) { start S; end T; state M(x(V)) { start P; end Q; P -> Q: b(k(K), x(V)); }
      enter -> S: z(k(K*)); S -> P: a(k(K), x(V*)); Q -> T: c(k(K)); }"""
    events = [happens(label, at, k=key) for label, at in (("z", 0), ("c", 5)) for key in (1, 2)]
    events += [happens("a", 1, k=key, x=7) for key in (1, 2)]
    events += [happens("b", 2, k=1, x=7), happens("b", 3, k=2, x=7)]
    found = run_layers(side_by_side(module(text)), events, engine, changes=True).derived
    opened = [one for one in found if one.event.label == "state:opens:P"]
    ended = [one for one in found if one.event.label == "state:ends:P"]
    assert len({one.event.id for one in opened}) == 2
    assert {one.event.id for one in opened} == {one.event.id for one in ended}
    assert sorted(one.event.end // SECOND for one in ended) == [2, 3]
    assert all(len(one.derivations) == 1 for one in found)
