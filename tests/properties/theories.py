"""From a generated case to its rules, its theory and its intended model, and the ways to vary them."""

from __future__ import annotations

import random
from collections.abc import Sequence

from cera.engines.reference.entailment import Interpretation, Theory
from cera.engines.reference.fixpoint import Model, immediate_consequence, intended_model
from cera.languages.xchangeeq.lowering import lower
from cera.model.events.event import Event
from cera.model.time.interval import Interval
from cera.rules.analysis.strata import Dependency, dependencies
from cera.rules.checks.check import check
from cera.rules.rule import Rule, RuleProgram
from cera.testing import SECOND
from properties.generator import LAST_SECOND, Case, with_windows

#: Absolute timers tick here, whatever part of the stream is looked at.
EXTENT = Interval(0, LAST_SECOND * SECOND)


def rules_of(case: Case) -> RuleProgram:
    """The normalised rules, with windows if the case has some; a generated program has no errors."""
    program, problems = lower([case.program], calendars=case.calendars, timezone="UTC", semantics=None)
    program = program if case.windows is None else with_windows(program, random.Random(case.windows))
    errors = [problem for problem in (*problems, *check(program)) if problem.severity == "error"]
    assert not errors, "\n".join(map(str, errors))
    return program


def theory_of(program: RuleProgram) -> Theory:
    return Theory(program.semantics, program.calendars, "UTC", EXTENT)


def model_of(program: RuleProgram, events: Sequence[Event], strata: Sequence[Sequence[Rule]] | None = None) -> Model:
    return intended_model(program.rules, events, theory_of(program), strata=strata)


def is_prefixpoint(rules: Sequence[Rule], events: Interpretation, theory: Theory) -> bool:
    """T_P(I) ⊆ I."""
    return set(immediate_consequence(rules, events, theory)) <= set(events)


def to_fixpoint(rules: Sequence[Rule], events: Sequence[Event], theory: Theory) -> Interpretation:
    """T_P^ω(E), by applying all rules again and again."""
    current = Interpretation(events)
    while len(following := immediate_consequence(rules, current, theory)) > len(current):
        current = following
    return current


def is_stratification(strata: Sequence[Sequence[Rule]]) -> bool:
    """Whether strict dependencies lead to lower strata and positive ones not to higher strata."""
    number = {rule.name: i for i, stratum in enumerate(strata) for rule in stratum}
    rules = [rule for stratum in strata for rule in stratum]
    return all(number[d.on.name] + d.strict <= number[d.rule.name] for d in dependencies(rules))


def some_stratification(rules: Sequence[Rule], chance: random.Random) -> list[list[Rule]]:
    """Any stratification: the rules (or knots of mutually recursive ones) one after the other, some of them merged."""
    strata: list[list[Rule]] = []
    waiting = list(rules)
    depends = dependencies(rules)
    while waiting:
        knots = [_with_needed(rule, waiting, depends) for rule in waiting]
        smallest = min(map(len, knots))
        chosen = chance.choice([knot for knot in knots if len(knot) == smallest])
        strata.append(chosen)
        waiting = [rule for rule in waiting if rule not in chosen]
    for at in reversed(range(len(strata) - 1)):
        merged = [*strata[:at], [*strata[at], *strata[at + 1]], *strata[at + 2 :]]
        if chance.random() < 0.5 and is_stratification(merged):
            strata = merged
    return strata


def _with_needed(rule: Rule, waiting: Sequence[Rule], depends: Sequence[Dependency]) -> list[Rule]:
    """The rule and everything among `waiting` that it depends on, directly or not."""
    needed = [rule]
    for one in needed:
        needed += [d.on for d in depends if d.rule is one and d.on in waiting and d.on not in needed]
    return needed
