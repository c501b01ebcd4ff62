"""Joins of three and more relations in the order that is estimated to cost least.

    (R ⋈ S) ⋈ T = (R ⋈ T) ⋈ S = …        ⋈ is associative and commutative
    σ[c]((R ⋈ S) ⋈ T) = σ[c](R ⋈ S) ⋈ T  if attributes(c) ⊆ sch(R ⋈ S)

Relations that share a variable or are bounded in time by one another are joined first; a product of relations that
nothing connects is made only where there is no other way. Each selection comes as soon as its attributes are there.
"""

from __future__ import annotations

from collections.abc import Sequence

from cera.algebra.operators import (
    Expression,
    FollowingEvents,
    Join,
    Matching,
    Reference,
    Relation,
    Renaming,
    Selection,
    rebuild,
)
from cera.algebra.plan import Plan
from cera.model.events.rates import Rates
from cera.model.events.states import state_label
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Expression as Condition
from cera.optimizer.cost import Costs, PartialJoin
from cera.optimizer.plan_changes import joins_events, with_expressions
from cera.rules.analysis.unification import query_label

#: With more relations than this, not all of them are tried as the first one of a join.
_MANY = 16
_MOST_TRIED = 4


def order_joins(plan: Plan, rates: Rates | None = None) -> Plan:
    return with_expressions(plan, lambda expression: _ordered(expression, plan, rates))


def _ordered(expression: Expression, plan: Plan, rates: Rates | None) -> Expression:
    if isinstance(expression, Selection | Join):
        relations, conditions = _flattened(expression)
        if len(relations) > 2 and not any(_is_of_states(relation, plan) for relation in relations):
            order = best_order(Costs(relations, conditions, plan, rates))
            if order != list(range(len(relations))):
                return _joined([relations[i] for i in order], conditions)
            return expression
    return rebuild(expression, lambda part: _ordered(part, plan, rates))


def _is_of_states(relation: Expression, plan: Plan) -> bool:
    """Returns whether a relation is of openings or endings of states, whose order is right as it is: events are kept
    with a state that is open, and not for one that may begin or end some day.
    """
    match relation:
        case Selection() | Renaming():
            return _is_of_states(relation.input, plan)
        case Reference():
            return _is_of_states(plan.by_name[relation.name].expression, plan)
        case Matching():
            return state_label(query_label(relation.pattern) or "") is not None
        case _:
            return False


def _flattened(expression: Expression) -> tuple[list[Expression], list[Condition]]:
    """Returns the relations that are joined here, from left to right, and their conditions, the innermost first."""
    match expression:
        case Join() if not isinstance(expression.right, FollowingEvents | Relation):
            left, above_left = _flattened(expression.left)
            right, above_right = _flattened(expression.right)
            return left + right, above_left + above_right
        case Selection() if joins_events(expression.input) and _is_join(expression.input):
            relations, conditions = _flattened(expression.input)
            return relations, [*conditions, expression.condition]
        case _:
            return [expression], []


def _is_join(expression: Expression) -> bool:
    while isinstance(expression, Selection):
        expression = expression.input
    return isinstance(expression, Join) and not isinstance(expression.right, FollowingEvents | Relation)


def best_order(costs: Costs) -> list[int]:
    """Returns the cheapest greedy order: from each relation as the first, the cheapest next one, connected ones before
    others.

    Of very many relations only the smallest are tried as the first one.
    """
    firsts = sorted(range(len(costs.relations)), key=lambda i: costs.sizes[i])
    if len(firsts) > _MANY:
        firsts = firsts[:_MOST_TRIED]
    candidates = [_greedy(costs, first) for first in sorted(firsts)]
    return min(candidates, key=lambda candidate: candidate[:2])[2]


def _greedy(costs: Costs, first: int) -> tuple[int, float, list[int]]:
    """Returns the number of products that could not be avoided, the cost, and the order."""
    order, products, so_far, total = [first], 0, costs.sizes[first], 0.0
    done = costs.joined(PartialJoin(), first)
    others = [i for i in range(len(costs.relations)) if i != first]
    while others:
        connected = [i for i in others if costs.connected(done, i)]
        products += not connected
        so_far, chosen = min((costs.step(done, so_far, i), i) for i in connected or others)
        total += so_far
        order.append(chosen)
        others.remove(chosen)
        done = costs.joined(done, chosen)
    return products, total, order


def _joined(relations: Sequence[Expression], conditions: Sequence[Condition]) -> Expression:
    waiting = list(conditions)
    expression = relations[0]
    for relation in relations[1:]:
        expression = Join(expression, relation)
        for condition in [c for c in waiting if _holds_there(c, expression)]:
            expression = Selection(condition, expression)
            waiting.remove(condition)
    return expression


def _holds_there(condition: Condition, expression: Expression) -> bool:
    schema = expression.schema
    variables, times = expressions.variables(condition), expressions.event_references(condition)
    return variables <= schema.data and times <= schema.intervals
