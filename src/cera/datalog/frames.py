"""Frame rules: those that say that facts stay.

    has_sat(X, s(J)) <- any(s(J)), has_sat(X, J), not used(X, _, s(J)), time(T, s(J)), T - X.evtime <= 600000000.

To copy all facts from stage to stage would cost what is remembered, not what happens. So facts of such a predicate stay
where they are; what a stage removes is found from the facts under `not`, and from the times at which facts expire.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from cera.datalog.normal import ComputedTerm, NormalAtom, NormalRule
from cera.datalog.syntax import root
from cera.model.expressions.expression import Arithmetic, Comparison, Expression, Variable, variables

_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Expiry:
    """Conditions on the time `clock` that hold up to some time and never after it: the sums in `deadlines`."""

    clock: str
    conditions: tuple[Expression, ...]
    deadlines: tuple[Expression, ...]


@dataclass(frozen=True)
class Frame:
    """Facts `predicate(names)` that stay while every guard has a fact, and no removal has one that matches."""

    predicate: str
    names: tuple[str, ...]
    guards: tuple[NormalAtom, ...]
    removals: tuple[NormalAtom, ...]
    expiry: Expiry | None


def frame_of(rule: NormalRule, derived: Collection[str]) -> Frame | None:
    """Returns the rule as a frame rule, None if it is not one."""
    names = [v.name for v in rule.outputs if isinstance(v, Variable) and "." not in v.name]
    own = [atom for atom in rule.positive if atom.predicate == rule.predicate]
    if rule.when != "later" or len(own) != 1 or own[0].moment != "old" or own[0].terms != tuple(names):
        return None
    if len(set(names)) != len(rule.outputs):
        return None
    guards = tuple(atom for atom in rule.positive if atom is not own[0])
    clocks = [atom for atom in guards if atom.predicate == "time" and "time" not in derived]
    if any(atom.moment != "new" or atom.names & set(names) for atom in guards) or not _are_simple(rule, names):
        return None
    terms = [term for atom in guards for term in atom.terms if term is not None]
    if not all(isinstance(term, str) for term in terms) or len(set(terms)) != len(terms):
        return None
    expiry = None
    if rule.conditions:
        expiry = _expiry(rule.conditions, [term for clock in clocks for term in clock.terms], names)
        if expiry is None:
            return None
    return Frame(rule.predicate, tuple(names), guards, rule.negative, expiry)


def _are_simple(rule: NormalRule, names: Collection[str]) -> bool:
    """Returns whether all negated atoms are about the new stage and about the arguments of the predicate only."""
    return all(
        atom.moment == "new"
        and atom.predicate != rule.predicate
        and atom.names <= set(names)
        and not any(isinstance(term, ComputedTerm) for term in atom.terms)
        for atom in rule.negative
    )


def _expiry(conditions: tuple[Expression, ...], clocks: Collection[object], names: Collection[str]) -> Expiry | None:
    clock = next((name for name in clocks if isinstance(name, str)), None)
    if clock is None:
        return None
    deadlines = []
    for condition in conditions:
        deadline = deadline_of(condition, clock)
        if deadline is None or not {root(name) for name in variables(deadline)} <= set(names):
            return None
        deadlines.append(deadline)
    return Expiry(clock, conditions, tuple(deadlines))


def deadline_of(condition: Expression, clock: str) -> Expression | None:
    """Returns D of a condition that can be written as clock <= D or clock < D."""
    if not isinstance(condition, Comparison) or condition.operator not in _FLIPPED:
        return None
    operator, left, right = str(condition.operator), condition.left, condition.right
    if clock in variables(right):
        operator, left, right = _FLIPPED[operator], right, left
    if operator not in ("<", "<=") or clock in variables(right):
        return None
    match left:
        case Variable(name=name) if name == clock:
            return right
        case Arithmetic(operator="-", left=Variable(name=name), right=other) if name == clock:
            return Arithmetic("+", right, other)
        case Arithmetic(operator="+", left=Variable(name=name), right=other) if name == clock:
            return Arithmetic("-", right, other)
        case _:
            return None
