"""States that are only possible, states that were certain too late, and those that a violation has ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cera.model.events.event import DerivedEvent, Event
from cera.model.events.states import state_of
from cera.testing import SECOND
from conformance.automata import answered, happens, module

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
