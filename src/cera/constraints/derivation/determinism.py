"""Automata that have one run, whatever accepted stream without simultaneous events they see.

Then the states that are reported are those of this run, and what holds of all its paths holds of the stream. The test
is static and careful: it refuses automata in which two transitions might be enabled at once, or in which the order of a
delay and an event at the same time might matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from cera.automata.automaton import THIS, Automaton, Constant, EventQuery
from cera.automata.structure import Step, Structure
from cera.automata.times import TimeConstraint
from cera.rules.reasoning.difference_bounds import Constraint, DifferenceBounds

#: `now`, and the begin or the end of the event of an identifier.
_Node = tuple[str, str]
_NOW: _Node = ("now", "")


def is_deterministic(automaton: Automaton) -> bool:
    """Returns whether an automaton has at most one run for each instance of its root."""
    structure = Structure(automaton)
    if any(query.pattern is not None for query in automaton.queries):
        return False  # a pattern may match in several ways
    if any(state.is_opaque for state in structure.states.values()):
        return False
    if any(step.trigger == "absence" for step in structure.steps):
        return False
    if any(step.trigger == "delay" and (step.created or step.left) for step in structure.steps):
        return False
    for one, other in combinations(structure.steps, 2):
        if (one.level, one.before) == (other.level, other.before) and can_coincide(one, other):
            return False
    return not any(
        _races(delay, step) for delay in structure.steps if delay.trigger == "delay" for step in structure.steps
    )


def _races(delay: Step, step: Step) -> bool:
    """Returns whether an event can end the instance that a delay is in, before the delay and after it."""
    if delay.level is None or step.trigger != "event" or not any(_is_around(left, delay.level) for left in step.left):
        return False
    source = step.transition.source
    assert source is not None
    waits = not step.transition.label.terminations and source[:-1] == delay.level
    return not waits or source == delay.before


def _is_around(outer: tuple[str, ...], inner: tuple[str, ...]) -> bool:
    return inner[: len(outer)] == outer


def can_coincide(one: Step, other: Step) -> bool:
    """Returns whether two transitions of an instance might be enabled at once; False only if that is certain."""
    mine, theirs = one.transition.label.query, other.transition.label.query
    if mine is not None and theirs is not None and are_apart(mine, theirs):
        return False
    times = (*one.transition.label.times, *other.transition.label.times)
    return DifferenceBounds(_bounds(times)).contradiction is None


def are_apart(one: EventQuery, other: EventQuery) -> bool:
    """Returns whether no event matches both queries."""
    theirs = dict(other.attributes)
    return one.label != other.label or any(
        isinstance(value, Constant) and isinstance(found := theirs.get(path), Constant) and found.value != value.value
        for path, value in one.attributes
    )


def _bounds(constraints: Iterable[TimeConstraint]) -> Iterator[Constraint[_Node, None]]:
    """Yields the difference bounds that time constraints are; one that is another sum says nothing here.

    The event that enables a transition ends now.
    """
    for each in constraints:
        factors: dict[_Node, int] = {_NOW: each.now_factor}
        for factor, bound, name in each.terms:
            node = _NOW if (bound, name) == ("e", THIS) else (bound, name)
            factors[node] = factors.get(node, 0) + factor
        kept = {node: factor for node, factor in factors.items() if factor}
        if sorted(kept.values()) != [-1, 1]:
            continue
        plus = next(node for node, factor in kept.items() if factor == 1)
        minus = next(node for node, factor in kept.items() if factor == -1)
        strict = 1 if each.operator in ("<", ">") else 0
        if each.operator in ("<", "<=", "="):
            yield Constraint(plus, minus, each.bound - strict)
        if each.operator in (">", ">=", "="):
            yield Constraint(minus, plus, -each.bound - strict)
