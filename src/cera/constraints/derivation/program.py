"""The constraints that follow from all modules of a program together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from cera.automata.module import AutomatonModule
from cera.constraints.clause import Clause
from cera.constraints.derivation.automata import of_automaton
from cera.constraints.derivation.derived import DerivedConstraint, Supposition, supposed
from cera.constraints.derivation.rules import of_rules
from cera.constraints.kinds import named
from cera.constraints.module import ConstraintModule
from cera.constraints.normalisation import normalise
from cera.modules.module import Module
from cera.rules.rule import RuleProgram


def derive_constraints(
    modules: Iterable[Module], rules: RuleProgram, given: Iterable[Supposition]
) -> list[DerivedConstraint]:
    """Returns what follows from automata, then from rules and the constraints that are there, then from rules and what
    follows from automata. The last suppose all that these do.
    """
    modules, given = list(modules), list(given)
    stated = [clause for each in modules if isinstance(each, ConstraintModule) for clause in each.clauses]
    automata = [
        each
        for module in modules
        if isinstance(module, AutomatonModule)
        for each in supposed(of_automaton(module.automaton), given)
    ]
    found = [*automata, *supposed(of_rules(rules, stated), given)]
    if automata and rules.rules:
        together = frozenset[Supposition]().union(*(each.supposing for each in automata))
        known = {each.constraints for each in found}
        for each in of_rules(rules, [*stated, *clauses_of(automata)]):
            if each.constraints not in known:
                found += supposed([replace(each, supposing=each.supposing | together)], given)
    return found


def clauses_of(found: Sequence[DerivedConstraint]) -> list[Clause]:
    """Returns the clauses of derived constraints, which are called what they follow from."""
    return [
        replace(clause, constraint=each.because)
        for each in found
        for clause in normalise(named([each.constraints])[0]).clauses
    ]
