"""Constraints that follow from rules, held against what the reference engine derives.

Streams are made to satisfy random constraints, by leaving out what violates them; what rules propagate from these must
hold of their answers. What this cannot see: constraints that could be derived and are not.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from cera.constraints.clause import Clause
from cera.constraints.derivation.derived import DerivedConstraint
from cera.constraints.derivation.program import clauses_of as derived_clauses
from cera.constraints.derivation.rules import of_rules
from cera.constraints.semantics import violations
from cera.constraints.stream import Extent, Stream, happenings_of
from cera.languages.escl.printer import print_set
from cera.model.events.event import Event
from cera.model.terms.term import Term
from cera.program import load
from cera.testing import SECOND, event, state
from conformance.constraints import clauses_of
from hypothesis_profiles import examples
from module_runs import run_by_definition

LAST = 20
_ORDERS = ("i before j", "i before j", "e(i) <= e(j)", "e(i) < b(j)", "e(i) + 1 sec <= b(j)")


def _known(chance: random.Random) -> str:
    """Returns constraints on the order and the values of events."""
    found = []
    for _ in range(chance.randint(2, 6)):
        one, other = chance.sample("pqrs", 2)
        match chance.randint(0, 2):
            case 2:
                shared, variable, groups = chance.choice((("k(K), x(X)", "X", "K, X"), ("k(K)", "Y", "K")))
                count = chance.choice((">= 1", "= 1", "(= 1 or = 2)"))
                counted = f"exists {count} event: {other}(k(K), x({variable})) group-by {{{groups}}}"
                found.append(f"WHILE state: open(k(K)) LET IF event: {one}({shared}) THEN {counted} END END")
            case 0:
                shared = chance.choice(("k(K)", "x(X)", "k(K), x(X)", ""))
                body = f"event i: {one}({shared}) and event j: {other}({shared})"
                found.append(f"IF {body} THEN {chance.choice(_ORDERS)} END")
            case _:
                found.append(f"IF event: {one}(k(K), x(X)) and event: {other}(k(L), x(X)) THEN K = L END")
    return "\nand\n".join(found)


def _rule(chance: random.Random) -> str:
    """Returns a rule that counts, or one whose answers are as long as the events of a match."""
    window = chance.choice(("Range 4 sec", "Range 6 sec Slide 3 sec", "Range 20 sec", "Range 8 sec Slide 2 sec"))
    match chance.randint(0, 5):
        case 0:
            return f"{window}:\n  n(x(X), number(count(K))) <- p(x(X), k(K))."
        case 1:
            return "open(k(K)):\n  n(k(K), x(X), number(count(X))) <- p(k(K), x(X))."
        case _:
            atoms = [
                f"{chance.choice('pqr')}(k(K), x({chance.choice('XXY')}))" for _ in range(chance.choice((1, 2, 2, 3)))
            ]
            condition = chance.choice(("", "", " and X > 1"))
            time = window if chance.random() < 0.6 else "open(k(K))"
            atoms[0] = atoms[0].replace("(Y)", "(X)")
            return f"{time}:\n  h(k(K), x(X)) <- {' and '.join(atoms)}{condition}."


def _stream(chance: random.Random, clauses: Sequence[Clause]) -> list[Event]:
    """Returns a stream that satisfies constraints, with states that do not overlap."""
    found: list[Event] = []
    for _ in range(chance.randint(6, 16)):
        begin = chance.randint(0, LAST - 3)
        end = begin + (chance.randint(1, 3) if chance.random() < 0.3 else 0)
        children = [Term("k", [chance.randint(1, 2)]), Term("x", [chance.randint(1, 3)])]
        found.append(event(Term(chance.choice("ppqqrs"), children), begin, end))
    for key in (1, 2):
        at = 0
        while at < LAST - 4:
            begin = at + chance.randint(0, 3)
            at = begin + chance.randint(1, 8)
            found.append(state(Term("open", [Term("k", [key])]), begin, at))
    found = list(dict.fromkeys(found))
    while wrong := violations(clauses, _seen(found)).violations:
        involved = (*wrong[0].faults, *(each for _, each in wrong[0].identified))
        fault = chance.choice([each for each in involved if each.kind == "event"])
        found.remove(next(each for each in found if each is fault.event))
    return found


def _seen(events: Sequence[Event]) -> Stream:
    return Stream(happenings_of(events), Extent(0, 2 * LAST * SECOND, 0))


def _held(seed: int) -> Counter[str]:
    chance = random.Random(seed)
    clauses, text = clauses_of(_known(chance)), _rule(chance)
    program = load(text)
    assert not program.errors, program.errors
    found: list[DerivedConstraint] = of_rules(program.rules, clauses)
    seen = Counter(rules=1, constraints=len(found), order=0, dependencies=0, numbers=0)
    for each in found:
        seen["order"] += "comes" in each.because
        seen["dependencies"] += "follows from" in each.because
        seen["numbers"] += "it counts" in each.because
        seen["causes"] += "causes" in each.because
    for _ in range(4 if found else 0):
        events = _stream(chance, clauses)
        answers = [each.event for each in run_by_definition(program.rules, events).derived]
        seen["answers"] += len(answers)
        for each in found:
            wrong = violations(derived_clauses([each]), _seen([*events, *answers])).violations
            assert not wrong, (
                f"seed {seed}\n{text}\n{each.because}\n{print_set(each.constraints)}\n{wrong[0]}\n"
                + "\n".join(f"{e.term} {e.begin / SECOND} {e.end / SECOND}" for e in (*events, *answers))
            )
    return seen


def test_what_follows_from_rules_holds_of_what_they_derive() -> None:
    number = examples(80)
    seen = sum((_held(seed) for seed in range(number)), Counter())
    assert seen["numbers"] >= number // 8
    assert seen["order"] >= number // 20
    assert seen["dependencies"] >= number // 80
    assert seen["answers"] >= number


@pytest.mark.long
def test_what_follows_from_rules_holds_for_long() -> None:
    for seed in range(1_000, 11_000):
        _held(seed)
