"""Rules that look up the answers of more general rules derive the same events: on the reference engine and locally.

Programs have rules that are often more special than others. Answers are equal up to their causes.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import pytest

from cera.model.events.event import DerivedEvent, Event
from cera.model.terms.term import Term
from cera.optimizer.semantic.serving import served, services
from cera.program import load
from cera.rules.declarations import SourceLabel
from cera.rules.rule import RuleProgram
from cera.testing import event
from hypothesis_profiles import examples
from module_runs import run_by_definition, run_locally


def program_of(text: str) -> RuleProgram:
    """Returns rules whose other events come from outside."""
    program = load(text)
    assert not program.errors, program.errors
    return replace(program.rules, declared=tuple(SourceLabel(label) for label in "pqr"))


def _general(chance: random.Random) -> tuple[str, list[str], str]:
    """Returns a head, literals and a condition."""
    variables = ["X", "Y", "Z", "W"]
    atoms = []
    for number in range(chance.choice((1, 2, 2))):
        attributes = [f"{name}({chance.choice(variables[: 2 + number])})" for name in "xy" if chance.random() < 0.85]
        atoms.append(f"event i{number}: {chance.choice('pq')}({', '.join(attributes)})")
    used = sorted({name for name in variables for atom in atoms if f"({name})" in atom})
    shown = [f"a{number}({name})" for number, name in enumerate(used) if chance.random() < 0.9]
    parts = [*atoms]
    if len(atoms) > 1 and chance.random() < 0.6:
        parts.append(chance.choice(("e(i0) < b(i1)", "i0 before i1", "e(i1) <= b(i0) + 2 sec")))
    if used and chance.random() < 0.3:
        parts.append(f"{chance.choice(used)} > 1")
    return f"g({', '.join(shown)})", parts, chance.choice(used) if used else ""


def _special(chance: random.Random, parts: list[str], used: str) -> str:
    """Returns a rule that is often more special: values are fixed or equal, and conditions are added."""
    text = " and ".join(parts)
    for name in "XYZW":
        if chance.random() < 0.25:
            text = text.replace(f"({name})", f"({chance.choice(('1', '2', 'X', name))})")
    if used and f"({used})" in text and chance.random() < 0.4:
        text += f" and {used} {chance.choice(('<', '>=', '!='))} 2"
    shown = [f"b({name})" for name in "XYZW" if f"({name})" in text and chance.random() < 0.5][:1]
    return f"h({', '.join(shown)}) <- {text}."


def _case(chance: random.Random) -> str:
    time = chance.choice(("unbounded", "Range 6 sec", "Range 4 sec Slide 2 sec"))
    head, parts, used = _general(chance)
    rules = [f"{time}: {head} <- {' and '.join(parts)}.", f"{time}: {_special(chance, parts, used)}"]
    chance.shuffle(rules)
    return "\n".join(rules)


def _events(chance: random.Random) -> list[Event]:
    found = []
    for _ in range(chance.randint(4, 14)):
        children = [Term("x", [chance.randint(1, 3)]), Term("y", [chance.randint(1, 3)])]
        children += [Term("x", [chance.randint(1, 3)])] if chance.random() < 0.1 else []
        begin = chance.randint(0, 10)
        found.append(event(Term(chance.choice("pq"), children), begin, begin + chance.choice((0, 0, 1, 2))))
    return list(dict.fromkeys(found))


def _answers(found: Iterable[DerivedEvent]) -> list[str]:
    return sorted(f"{each.event.term} {each.event.begin} {each.event.end} {each.event.id}" for each in found)


def _held(seed: int) -> Counter[str]:
    chance = random.Random(seed)
    text = _case(chance)
    try:
        program = program_of(text)
    except AssertionError:
        return Counter(refused=1)
    found = served(program)
    if found is program:
        return Counter(tried=1)
    seen = Counter(tried=1, served=1)
    for _ in range(2):
        events = _events(chance)
        expected = _answers(run_by_definition(program, events).derived)
        assert _answers(run_by_definition(found, events).derived) == expected, f"seed {seed}\n{text}\n{events}"
        assert _answers(run_locally(found, events).derived) == expected, f"seed {seed}, locally\n{text}"
        seen["answers"] += len(expected)
    return seen


def test_rules_that_are_served_derive_the_same_events() -> None:
    number = examples(120)
    seen = sum((_held(seed) for seed in range(number)), Counter())
    assert seen["served"] >= number // 6
    assert seen["answers"] >= number


@pytest.mark.long
def test_rules_that_are_served_derive_the_same_events_for_long() -> None:
    for seed in range(1_000, 6_000):
        _held(seed)


GENERAL = "unbounded: g(a(A), v(V)) <- event i: p(x(A)) and event j: q(x(A), y(V)) and i before j."


@pytest.mark.parametrize(
    ("special", "expected"),
    [
        ("h(v(V)) <- event i: p(x(1)) and event j: q(x(1), y(V)) and i before j.", True),
        ("h(a(A)) <- event i: p(x(A)) and event j: q(x(A), y(V)) and i before j and V > 3.", True),
        ("h(a(A)) <- event i: p(x(A)) and event j: q(x(A), y(A)) and i before j.", True),
        # another order, another condition on times, an attribute that the general rule does not look at, another event
        ("h(a(A)) <- event i: p(x(A)) and event j: q(x(A), y(V)) and j before i.", False),
        ("h(a(A)) <- event i: p(x(A)) and event j: q(x(A), y(V)) and i before j and {i, j} within 1 min.", False),
        ("h(a(A)) <- event i: p(x(A), y(1)) and event j: q(x(A), y(V)) and i before j.", False),
        ("h(a(A)) <- event i: p(x(A)) and event j: q(x(A), y(V)) and i before j and r(x(A)).", False),
    ],
)
def test_what_a_rule_serves(special: str, expected: bool) -> None:
    program = program_of(f"{GENERAL}\nunbounded: {special}")
    assert bool(services(program)) is expected


def test_what_tells_matches_apart_must_be_in_the_head() -> None:
    special = "unbounded: h(v(V)) <- event i: p(x(1)) and event j: q(x(1), y(V)) and i before j."
    hidden = GENERAL.replace("g(a(A), v(V))", "g(v(V))")
    assert not services(program_of(f"{hidden}\n{special}"))
    # the neighbour without this test would answer for every A
    events = [event("p{x{2}}", 0), event("q{x{2}, y{5}}", 1)]
    answers = run_by_definition(program_of(f"{hidden}\n{special}"), events).derived
    assert [each.event.label for each in answers] == ["g"]


def test_a_label_that_may_come_from_outside_serves_nobody() -> None:
    special = "unbounded: h(v(V)) <- event i: p(x(1)) and event j: q(x(1), y(V)) and i before j."
    program = program_of(f"{GENERAL}\n{special}")
    assert services(program)
    assert not services(replace(program, declared=None))
    assert not services(replace(program, declared=(*(program.declared or ()), SourceLabel("g"))))
