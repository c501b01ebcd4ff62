"""How often something happens on the ways through a state, where instances end that have not gone all of a way. Each
case is a stream that the automaton accepts, and a number that would exclude it if such an end were forgotten.
"""

from __future__ import annotations

import pytest

from cera.automata.module import AutomatonModule
from cera.constraints.derivation.automata import of_automaton
from cera.constraints.derivation.derived import DerivedConstraint
from cera.diagnostics import Source
from cera.languages.escl.printer import print_set
from cera.model.events.event import Event
from cera.pipeline import Pipeline
from cera.testing import event
from properties.accepted_streams import states_of
from properties.test_derived_constraints import broken

#: A trip may leave while guests have been asked and have not agreed.
TRIP = """
automaton Trip(id(T)) {
  start Planned;
  end Gone;
  state g: Guest(id(T), guest(G)) {
    start Asked;
    end Agreed;
    Asked -> Agreed: agreed(id(T), guest(G));
  }
  enter -> Planned: planned(id(unique T*));
  Planned -> Asked: asked(id(T), guest(unique G*));
  Guest -> Asked: asked(id(T), guest(unique G*));
  Agreed -> Gone: left(id(T)) and finishedInstances(g) >= 1;
}
"""
#: A parcel ends when it was scanned, or out of a box inside of it, which may be open when another one ends them all.
SHOP = """
automaton Shop(order(K)) {
  start S0;
  end S1;
  state p: Parcel(order(K), parcel(P)) {
    start P0;
    end P2;
    state Box(order(K), parcel(P), box(X)) {
      start B0;
      end B1;
      B0 -> B1: sealed(order(K), box(X));
    }
    P0 -> P2: scan(order(K), parcel(P));
    P0 -> B0: boxed(order(K), parcel(P), box(unique X*));
  }
  enter -> S0: placed(order(unique K*));
  S0 -> P0: packed(order(K), parcel(unique P*));
  Parcel -> P0: packed(order(K), parcel(unique P*));
  P2 -> S1: closed(order(K)) and finishedInstances(p) >= 1;
  B1 -> S1: fetched(order(K));
}
"""
#: What is lost never ends.
LOST = """
automaton Shop(order(K)) {
  start S0;
  end S1;
  state Parcel(order(K), parcel(P)) {
    start P0;
    P1;
    end P2;
    P0 -> P2: scan(order(K), parcel(P));
    P0 -> P1: lost(order(K), parcel(P));
    P1 -> P1: lost(order(K), parcel(P));
  }
  enter -> S0: placed(order(unique K*));
  S0 -> P0: packed(order(K), parcel(unique P*));
  P2 -> S1: closed(order(K));
}
"""
PLACED = ("placed{order{1}}", "packed{order{1}, parcel{11}}")
BOXED = "boxed{order{1}, parcel{11}, box{111}}"


def _automaton(text: str) -> AutomatonModule:
    [found] = [each.module for each in Pipeline((Source("a.ihta", text),)).modules.found]
    assert isinstance(found, AutomatonModule)
    return found


def _numbers(module: AutomatonModule, state: str, label: str) -> list[DerivedConstraint]:
    """Returns what is derived of the number of events of a label in a state."""
    found = of_automaton(module.automaton)
    assert found
    return [each for each in found if each.because.endswith(f"on all ways of {state}: {label}")]


def _events(*terms: str) -> list[Event]:
    return [event(term, at) for at, term in enumerate(terms, 1)]


@pytest.mark.parametrize(
    ("text", "state", "label", "terms"),
    [
        # a number of finished instances ends those, too, that are not finished
        (
            TRIP,
            "Guest",
            "agreed",
            (
                "planned{id{1}}",
                "asked{id{1}, guest{11}}",
                "asked{id{1}, guest{12}}",
                "agreed{id{1}, guest{11}}",
                "left{id{1}}",
            ),
        ),
        # a transition out of a state inside of it leaves it in any of its children
        (
            SHOP.replace(" and finishedInstances(p) >= 1", ""),
            "Parcel",
            "scan",
            (*PLACED, BOXED, "sealed{order{1}, box{111}}", "fetched{order{1}}"),
        ),
        # one that leaves what is around it ends it, too
        (
            SHOP,
            "Box",
            "sealed",
            (*PLACED, BOXED, "packed{order{1}, parcel{12}}", "scan{order{1}, parcel{12}}", "closed{order{1}}"),
        ),
        # a way that leads to no end is gone as well
        (LOST, "Parcel", "lost", (*PLACED, *["lost{order{1}, parcel{11}}"] * 3)),
    ],
    ids=["not-finished", "out-of-a-child", "with-what-is-around", "no-end"],
)
def test_instances_that_end_on_the_way_or_never_are_among_the_numbers(
    text: str, state: str, label: str, terms: tuple[str, ...]
) -> None:
    module, events = _automaton(text), _events(*terms)
    derived = of_automaton(module.automaton)
    assert any(f"of {state}: {label}" in each.because for each in derived) or label == "lost"
    wrong = broken(derived, [*events, *states_of(module, events)])
    assert not wrong, [(each.because, print_set(each.constraints)) for each, _ in wrong]


def test_the_numbers_are_those_of_all_ways() -> None:
    [scans] = _numbers(_automaton(SHOP), "Parcel", "scan")
    assert "exists <= 1 event: scan" in print_set(scans.constraints)
    [agreed] = _numbers(_automaton(TRIP), "Guest", "agreed")
    assert "exists <= 1 event: agreed" in print_set(agreed.constraints)
