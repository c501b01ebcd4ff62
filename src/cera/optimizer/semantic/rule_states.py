"""The state of an automaton in which a rule can match, as its events say (seed 002, section 2.3.1).

All events that the rule asks for come in one state only, and have the same unique value of it, so that they come in
one instance. What follows of their order is derived from the automaton (`cera.constraints.derivation`), and lets other
laws forget what the rule remembers when the state is over, and remember nothing before it begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cera.automata.module import AutomatonModule
from cera.constraints.derivation.determinism import is_deterministic
from cera.constraints.derivation.evaluation_states import EvaluationState, evaluation_states
from cera.constraints.subsumption.atoms import FlatAtom, Name, Value, flat_pattern
from cera.rules.rule import Rule
from cera.rules.states import is_hidden


@dataclass(frozen=True)
class RuleState:
    """The state in which a rule is evaluated: its label and automaton, the variable of the rule that has its value."""

    label: str
    automaton: str
    variable: str
    begins_with: tuple[str, ...]


def rule_state(rule: Rule, automata: Sequence[AutomatonModule]) -> RuleState | None:
    """Returns the innermost state in which all events of a rule come; None if there is none."""
    if len(rule.branches) != 1:
        return None
    [branch] = rule.branches
    found = [query.pattern for query in branch.events] + [part.pattern for part in branch.accumulations]
    atoms = [atom for atom in map(flat_pattern, found) if atom is not None]
    if not atoms or len(atoms) < len(found) or any(query.kind != "event" for query in branch.events):
        return None
    states = [each for one in automata if is_deterministic(one.automaton) for each in evaluation_states(one.structure)]
    for state in sorted(states, key=lambda each: -len(each.path)):
        values = {_value(atom, state) for atom in atoms}
        if len(values) == 1 and isinstance(value := values.pop(), Name) and not is_hidden(value.name):
            automaton = state.structure.automaton.name
            return RuleState(state.label, automaton, value.name, tuple(sorted(state.begins_with)))
    return None


def _value(atom: FlatAtom, state: EvaluationState) -> Value | None:
    """Returns the value that an event of the state has for its key."""
    path = state.attributes.get(atom.label)
    return None if path is None else atom.by_place.get((path, 1, 0))
