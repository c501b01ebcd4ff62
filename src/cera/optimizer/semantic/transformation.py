"""Result by transformation: where all matches give the same answer, it is known without the events (the second
heuristic, R-05).

    h(K, f(V)) ← B, over windows      →      h(K, f(c)) ← B, over windows, settled by the first match with the same K

    if V = c in every match of B, and the aggregate f of any number of c is f(c): the least, the greatest, the first and
    the last value, the average of a whole number, and the number of different values

The events are asked only whether there is one: which windows have an answer is not known without them. The paper's
example has one value that is known, not all of them, and does not follow (ERR-93).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cera.constraints.clause import Clause
from cera.model.expressions import constructs
from cera.model.expressions.constructs import Construct, ConstructTerm, ConstructValue, free_variables
from cera.model.expressions.expression import Aggregate, Comparison, Expression, Literal, Variable, rebuild, walk
from cera.model.matching import patterns
from cera.optimizer.semantic.residues import Residue, residues
from cera.optimizer.semantic.shown import shown_variables
from cera.rules.reasoning.cases import conjuncts
from cera.rules.rule import Branch, PeriodicWindow, Rule
from cera.rules.settlements import FirstMatch

LAW = "result by transformation"

#: Whole numbers up to this have an average that is exact, however many there are.
_AVERAGED = 1_000_000
#: Whole numbers up to this are equal on every engine only if they are the same.
_EXACT = 2**53


@dataclass(frozen=True)
class Transformation:
    """A rule whose aggregates are known, with the constraints that say so."""

    rule: Rule
    clauses: tuple[Clause, ...]

    @property
    def settlement(self) -> FirstMatch:
        """What settles the answers of the rule."""
        names = ", ".join(dict.fromkeys(clause.constraint for clause in self.clauses))
        return FirstMatch(tuple(sorted(free_variables(self.rule.head))), f"{LAW}, constraint {names}")


def transformed(rule: Rule, clauses: Sequence[Clause]) -> Transformation | None:
    """Returns a rule with the values of its aggregates, if all of them are known."""
    if not rule.grouping or len(rule.branches) != 1 or not _gathers_in_one_window(rule.branches[0]):
        return None
    [branch] = rule.branches
    found = _fixed_values(branch, clauses)
    head = _with_values(rule.head, {name: value for name, (value, _) in found.items()})
    bound = frozenset[str]().union(*(patterns.bound_variables(query.pattern) for query in branch.events))
    if head is None or not free_variables(rule.head) <= bound & shown_variables(rule.head):
        return None
    operands = [e.operand for e in _aggregates(rule.head)]
    used = {name: by for name, (_, by) in found.items() if Variable(name) in operands}
    return Transformation(replace(rule, head=head), tuple(each.clause for each in used.values()))


def _gathers_in_one_window(branch: Branch) -> bool:
    """Returns whether answers are about windows of the clock, and depend on nothing but the events in them."""
    [window, *others] = branch.windows or (None,)
    plain = Branch(events=branch.events, conditions=branch.conditions, windows=branch.windows, gathered=branch.gathered)
    return (
        isinstance(window, PeriodicWindow)
        and not others
        and not window.auxiliary
        and branch == plain
        and {query.identifier for query in branch.events} == {*branch.gathered}
        and all(query.kind == "event" and not query.auxiliary for query in branch.events)
    )


def _fixed_values(branch: Branch, clauses: Sequence[Clause]) -> dict[str, tuple[Literal, Residue]]:
    """Returns the variables that have one value in all matches, by constraints, each with the first reason."""
    found: dict[str, tuple[Literal, Residue]] = {}
    for residue in residues(branch, clauses):
        for condition in conjuncts([residue.condition]):
            match condition:
                case Comparison(operator="=", left=Variable(name), right=Literal() as value):
                    found.setdefault(name, (value, residue))
                case Comparison(operator="=", left=Literal() as value, right=Variable(name)):
                    found.setdefault(name, (value, residue))
                case _:
                    pass
    return found


def _aggregates(head: Construct) -> list[Aggregate]:
    expressions = [e for part in constructs.walk(head) for top in constructs.own_expressions(part) for e in walk(top)]
    return [each for each in expressions if isinstance(each, Aggregate)]


def _with_values(head: Construct, values: Mapping[str, Literal]) -> Construct | None:
    """Returns a head with the values of its aggregates; None if one is not known, or it is another construct."""
    match head:
        case ConstructTerm():
            children = [_with_values(child, values) for child in head.children]
            known = tuple(child for child in children if child is not None)
            return replace(head, children=known) if len(known) == len(children) else None
        case ConstructValue():
            if any(_value(each, values) is None for each in walk(head.expression) if isinstance(each, Aggregate)):
                return None
            return replace(head, expression=_replaced(head.expression, values))
        case _:
            return None


def _replaced(expression: Expression, values: Mapping[str, Literal]) -> Expression:
    value = _value(expression, values) if isinstance(expression, Aggregate) else None
    return value if value is not None else rebuild(expression, lambda part: _replaced(part, values))


def _value(aggregate: Aggregate, values: Mapping[str, Literal]) -> Literal | None:
    """Returns the value of an aggregate over any number of matches; None if it is not known."""
    value = values.get(aggregate.operand.name) if isinstance(aggregate.operand, Variable) else None
    if value is None or isinstance(value.value, bool):
        return None
    number = value.value
    exact = not isinstance(number, int) or abs(number) <= _EXACT
    match aggregate.function:
        case "min" | "max" | "first" | "last" if exact:
            return value
        case "avg" if isinstance(number, int) and abs(number) <= _AVERAGED:
            return value
        case "count" if aggregate.distinct:
            return Literal(1)
        case _:
            return None
