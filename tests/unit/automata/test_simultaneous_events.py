"""What simultaneous events cost: only orders that matter are tried, and a limit names what multiplies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cera.automata.module import AutomatonModule
from cera.automata.runs import Run
from cera.errors import MatchLimitError
from cera.model.events.event import Event
from cera.model.events.occurrence import occurrence
from cera.modules.driving import Driver
from cera.modules.module import Settings
from conformance.automata import happens, module

PARTS = """automaton R(k(K)) { start S; end T;
  state M(k(K), x(X)) { start P; end Q; P -> Q: a(k(K), x(X)); }
  enter -> S: z(k(K*)); S -> P: m(k(K), x(X*)); M -> P: m(k(K), x(X*)); Q -> T: d(k(K)); }"""
#: Without the key in every label all instances are in one history.
TOGETHER = """automaton R(k(K)) { start S; U; end T;
  enter -> S: z(k(K*)); S -> U: a(x(K)); U -> T: d(k(K)); }"""


@pytest.fixture(name="fired")
def _fired(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    fire = Run.fire

    def counted(self: Run, instance: object, step: object, event: object, *more: object) -> None:
        found.append("delay" if event is None else event.label)  # type: ignore[attr-defined]
        fire(self, instance, step, event, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(Run, "fire", counted)
    return found


@pytest.mark.parametrize(
    ("text", "begin"),
    [
        (PARTS, [happens("z", 0, k=1), *(happens("m", 1 + n, k=1, x=n) for n in range(10))]),
        (TOGETHER, [happens("z", n, k=n) for n in range(10)]),
    ],
)
def test_ten_events_of_ten_instances_cost_ten_steps(text: str, begin: list[Event], fired: list[str]) -> None:
    run(module(text), [*begin, *(happens("a", 50, k=1, x=number) for number in range(10))])
    assert fired.count("a") == 10


def run(made: AutomatonModule, events: list[Event]) -> None:
    driver = Driver(made.processor(Settings()), 0)
    driver.push([occurrence(event) for event in events])
    driver.close()


def test_the_limit_names_the_events_whose_orders_multiply() -> None:
    text = """automaton R(k(K)) { start S; end T; enter -> S: z(k(K*), x(X*)); S -> S: a(k(K), x(X*)) and X > 0;
      S -> T: d(k(K), x(X)); }"""
    made = replace(module(text), run_limit=5)
    events = [happens("z", 0, k=1, x=0), *(happens("a", 1, k=1, x=number) for number in range(1, 7))]
    with pytest.raises(MatchLimitError) as caught:
        run(made, events)
    assert "the instance with k 1 has more than 5 runs" in str(caught.value)
    assert "a, a, a, a, a, a end at one time, and every order of them counts" in str(caught.value)


def test_the_limit_names_the_transitions_between_which_there_is_a_choice() -> None:
    text = """automaton R(k(K)) { start S; end T; enter -> S: z(k(K*), x(X*), y(Y*));
      S -> S: a(k(K), x(X*)); S -> S: a(k(K), y(Y*)); S -> T: d(k(K), x(X), y(Y)); }"""
    made = replace(module(text), run_limit=5)
    events = [
        happens("z", 0, k=1, x=0, y=0),
        *(happens("a", number, k=1, x=number, y=number) for number in range(1, 9)),
    ]
    with pytest.raises(MatchLimitError, match="one event allows `S -> S: a") as caught:
        run(made, events)
    assert "S -> S: a(k(K), x(X*))` and `S -> S: a(k(K), y(Y*))`" in str(caught.value)
