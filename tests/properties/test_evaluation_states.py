"""Rules answer as before on streams that an automaton accepts, rewritten by what follows of the states in which the
events come.

Automata, streams and rules are random. What is supposed of the streams is that all events are expected, that no two of
them come at once, and that unique values stay so. How often something that follows from an automaton was used, and
changed what a rule remembers, is counted.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from cera.automata.automaton import Automaton
from cera.constraints.derivation.automata import of_automaton
from cera.constraints.derivation.derived import Supposition, supposed
from cera.constraints.derivation.program import clauses_of
from cera.constraints.module import ConstraintModule
from cera.model.events.event import Event
from cera.model.events.occurrence import occurrence
from cera.modules.driving import Driver
from cera.optimizer.semantic.driver import knowledge_of, rewrite
from cera.program import load
from cera.rules.rule import RuleProgram
from hypothesis_profiles import examples
from properties.local_runs import processor_of
from properties.test_derived_constraints import accepted_stream, telling_automaton
from properties.theories import model_of

GIVEN: tuple[Supposition, ...] = ("distinct", "unique", "expected")


def _rules(chance: random.Random, automaton: Automaton) -> RuleProgram:
    labels = sorted({query.label for query in automaton.queries})
    texts = (
        "hN(k(K)) <- i: A(k(K)) and j: B(k(K)).",
        "hN(k(K), x(X)) <- i: A(k(K), x(X)) and j: B(k(K)) and C(k(K)).",
        "hN(k(K)) <- i: A(k(K)) and j: B(k(K)) and {i, j} within 4 sec.",
        "hN(k(K)) <- i: A(k(K)) and w: from-end[i, 3 sec] and while w: not B(k(K)).",
        "Range 8 sec: hN(k(K), n(count(X))) <- A(k(K), x(X)).",
        "Range 6 sec: hN(k(K), n(count(X))) <- A(k(K), x(X)) and B(k(K)).",
    )
    found = []
    for number in range(2):
        text = chance.choice(texts).replace("N", str(number))
        for name in "ABC":
            text = text.replace(f"{name}(", f'"{chance.choice(labels)}"(')
        found.append(text)
    return load("\n".join(found)).rules


def _answers(program: RuleProgram, events: list[Event]) -> list[str]:
    driver = Driver(processor_of(program, events), 0)
    found = [one for each in events for one in driver.push([occurrence(each)])]
    return sorted(str(one.result().event) for one in [*found, *driver.close()])


def _agree(seed: int) -> Counter[str]:
    chance = random.Random(seed)
    automaton = telling_automaton(chance)
    derived = supposed(of_automaton(automaton), GIVEN)
    events, _ = accepted_stream(chance, automaton, points=chance.random() < 0.7, distinct=True, expected=True)
    program = _rules(chance, automaton)
    rewritten = rewrite(program, knowledge_of([ConstraintModule("automata", tuple(clauses_of(derived)))]))
    used = [each.law for rule in rewritten.rules for each in rule.rewritings]
    expected = sorted(str(one.event) for one in model_of(program, events).derived())
    shown = f"seed {seed}\n" + "\n".join(map(str, (*program.rules, *derived, *events)))
    assert _answers(rewritten.program, events) == expected, shown
    assert sorted(str(one.event) for one in model_of(rewritten.program, events).derived()) == expected, shown
    return Counter(used) + Counter(programs=1, answers=len(expected), rewritten=bool(used))


def test_rules_answer_as_before_in_the_states_of_an_automaton() -> None:
    seen = sum((_agree(seed) for seed in range(examples(60))), Counter())
    assert (seen["join introduction"] and seen["scan reduction"] and seen["answers"]) or examples(60) < 60, seen


@pytest.mark.long
def test_rules_answer_as_before_in_the_states_of_many_automata() -> None:
    seen = sum((_agree(seed) for seed in range(1_000, 6_000)), Counter())
    print(dict(seen))
    assert min(seen["join introduction"], seen["scan reduction"]) >= 1_000, seen
