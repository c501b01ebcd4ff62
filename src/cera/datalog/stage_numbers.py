"""Predicates that do nothing but number the stages of a history.

    stage(0, 0).
    stage(N + 1, s(J)) <- any(s(J)), stage(N, J).

Where their numbers are only given on and compared with each other, it does not matter where the count stands: a history
in which no fact with such a number is left goes on as a new one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from cera.datalog.normal import ComputedTerm, NormalAtom, NormalRule
from cera.datalog.syntax import root
from cera.model.expressions.expression import Arithmetic, Comparison, Expression, Literal, Variable, variables

#: The arguments of predicates that are numbers of stages.
_Places = Mapping[str, Collection[int]]


def stage_numbers(rules: Sequence[NormalRule], outputs: Collection[str]) -> dict[str, frozenset[str]]:
    """Returns for each predicate that only numbers stages the other predicates that have its numbers."""
    by_head: dict[str, list[NormalRule]] = {}
    for rule in rules:
        by_head.setdefault(rule.predicate, []).append(rule)
    found = {}
    for predicate, own in by_head.items():
        if any(rule.when == 0 for rule in own) and all(map(_counts, own)):
            others = [rule for rule in rules if rule.predicate != predicate]
            places = _carried(predicate, others)
            if not set(places) & set(outputs) and all(_compares_only(rule, places) for rule in others):
                found[predicate] = frozenset(places) - {predicate}
    return found


def _counts(rule: NormalRule) -> bool:
    """Returns whether a rule is `p(0, 0).`, or `p(N + 1, s(J)) <- …, p(N, J).` where nothing else uses N."""
    match rule.outputs:
        case (Literal(value=int()),):
            return rule.when == 0 and not rule.atoms and not rule.conditions
        case (Arithmetic(operator="+", left=Variable(name=name), right=Literal(value=int())),):
            own = NormalAtom(rule.predicate, (name,), "old")
            others = [atom for atom in rule.atoms if atom != own]
            mentioned = {each for atom in others for each in atom.names} | _named(rule.conditions)
            return rule.when == "later" and own in rule.positive and name not in mentioned
        case _:
            return False


def _carried(predicate: str, rules: Sequence[NormalRule]) -> dict[str, set[int]]:
    """Returns the arguments to which rules pass on the numbers of a predicate."""
    found: dict[str, set[int]] = {predicate: {0}}
    asking: dict[str, list[NormalRule]] = {}
    for rule in rules:
        for name in {atom.predicate for atom in rule.atoms}:
            asking.setdefault(name, []).append(rule)
    waiting = [predicate]
    while waiting:
        for rule in asking.get(waiting.pop(), ()):
            numbers = _numbers(rule, found)
            places = {i for i, each in enumerate(rule.outputs) if isinstance(each, Variable) and each.name in numbers}
            if not places <= found.get(rule.predicate, set()):
                found.setdefault(rule.predicate, set()).update(places)
                waiting.append(rule.predicate)
    return found


def _numbers(rule: NormalRule, places: _Places) -> set[str]:
    """Returns the variables of a rule that stand for numbers."""
    return {
        term
        for atom in rule.atoms
        for place, term in enumerate(atom.terms)
        if isinstance(term, str) and place in places.get(atom.predicate, ())
    }


def _compares_only(rule: NormalRule, places: _Places) -> bool:
    """Returns whether a rule derives the same if all numbers grow by the same amount."""
    numbers = _numbers(rule, places)
    own = places.get(rule.predicate, ())
    return (
        all(
            _is_one(each, numbers) if i in own else not _named((each,)) & numbers for i, each in enumerate(rule.outputs)
        )
        and all(_fits(atom, numbers, places.get(atom.predicate, ())) for atom in rule.atoms)
        and all(not _named((each,)) & numbers or _is_comparison(each, numbers) for each in rule.conditions)
    )


def _fits(atom: NormalAtom, numbers: Collection[str], places: Collection[int]) -> bool:
    """Returns whether the atom has numbers in their places, and nowhere else."""
    for place, term in enumerate(atom.terms):
        if term is None:
            continue
        is_number = isinstance(term, str) and term in numbers
        computed = isinstance(term, ComputedTerm) and bool(_named((term.expression,)) & set(numbers))
        if computed or is_number != (place in places):
            return False
    return True


def _is_one(expression: Expression, numbers: Collection[str]) -> bool:
    return isinstance(expression, Variable) and expression.name in numbers


def _is_comparison(condition: Expression, numbers: Collection[str]) -> bool:
    return isinstance(condition, Comparison) and _is_one(condition.left, numbers) and _is_one(condition.right, numbers)


def _named(expressions: Collection[Expression]) -> set[str]:
    return {root(name) for expression in expressions for name in variables(expression)}
