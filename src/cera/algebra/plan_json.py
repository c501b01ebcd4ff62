"""Plans as data that prints as JSON: every node with its operator, its arguments and its schema."""

from __future__ import annotations

from typing import Any, assert_never

from cera.algebra.operators import (
    AbsoluteTimers,
    AntiSemiJoin,
    BoundedWindows,
    Construction,
    Expression,
    Gathering,
    Join,
    Matching,
    Merging,
    PeriodicWindows,
    Projection,
    Reference,
    Relation,
    RelativeTimers,
    Renaming,
    Selection,
    Stream,
    TemporalJoin,
    Union,
    inputs,
)
from cera.algebra.plan import Plan
from cera.algebra.plan_notation import Notation, period_text
from cera.algebra.schema import Schema, begin, end, reference
from cera.model.time.durations import format_duration

Json = dict[str, Any]


def plan_to_json(plan: Plan, notation: Notation) -> Json:
    """Returns the points, and the names of those that are answered together if rules are recursive."""
    return {
        "semantics": plan.semantics,
        **({"recursion": [list(rules) for rules in plan.recursion]} if plan.recursion else {}),
        "points": [
            {
                "name": point.name,
                "result": point.result,
                "expression": expression_to_json(point.expression, notation),
            }
            for point in plan.points
        ],
    }


def expression_to_json(expression: Expression, notation: Notation) -> Json:
    """Returns {"operator": …, its arguments, "schema": …, "inputs": […]}; a leaf has no inputs."""
    below = [expression_to_json(part, notation) for part in inputs(expression)]
    return {
        **_arguments(expression, notation),
        "schema": schema_to_json(expression.schema),
        **({"inputs": below} if below else {}),
    }


def schema_to_json(schema: Schema) -> Json:
    """Returns the attributes by their kinds."""
    return {
        "data": sorted(schema.data),
        "time": [name for i in sorted(schema.intervals) for name in (begin(i), end(i))],
        "reference": [reference(i) for i in sorted(schema.references)],
    }


def _arguments(expression: Expression, notation: Notation) -> Json:
    match expression:
        case Stream():
            return {"operator": "stream", "name": expression.name}
        case Reference():
            return {"operator": "point", "name": expression.name}
        case Matching():
            return {
                "operator": "matching",
                "identifier": expression.identifier,
                "query": notation.pattern(expression.pattern),
            }
        case AbsoluteTimers():
            return {
                "operator": "absolute timers",
                "identifier": expression.identifier,
                "timer": notation.timer(expression.timer),
            }
        case Relation():
            return {
                "operator": "relation",
                "identifier": expression.identifier,
                "query": notation.pattern(expression.pattern),
                "name": expression.name,
                **({"at": list(expression.at)} if expression.at else {}),
                **({"refreshed": True} if expression.refreshed else {}),
            }
        case RelativeTimers():
            return {
                "operator": "relative timers",
                "identifier": expression.identifier,
                "kind": expression.kind,
                "anchor": expression.anchor,
                "duration": format_duration(expression.duration),
            }
        case PeriodicWindows():
            return {
                "operator": "periodic windows",
                "identifier": expression.identifier,
                "windows": period_text(expression.period),
                "over": list(expression.over),
            }
        case BoundedWindows():
            return {
                "operator": "bounded windows",
                "identifier": expression.identifier,
                "bounds": str(expression.bounds),
            }
        case Join():
            first = {} if expression.earliest is None else {"earliest": expression.earliest.identifier}
            return {"operator": "join", **first}
        case Selection():
            return {"operator": "selection", "condition": notation.condition(expression.condition)}
        case Projection():
            return {"operator": "projection", "attributes": sorted(expression.attributes)}
        case TemporalJoin():
            return {"operator": "temporal join", **_window(expression, notation), "counted": expression.counted}
        case AntiSemiJoin():
            return {"operator": "temporal anti-semi-join", **_window(expression, notation)}
        case Gathering():
            gathering = {"operator": "gathering", "identifiers": dict(expression.pairs), "counted": expression.counted}
            return {**gathering, **({"dropped": sorted(expression.dropped)} if expression.dropped else {})}
        case Merging():
            openings = {"openings": list(expression.openings)} if expression.openings else {}
            return {"operator": "merging", "identifiers": list(expression.identifiers), **openings}
        case Renaming():
            return {
                "operator": "renaming",
                "identifiers": dict(expression.identifiers),
                "variables": dict(expression.variables),
            }
        case Construction(settlements=settled):
            return {
                "operator": "construction",
                "rule": expression.rule,
                "head": notation.construct(expression.head),
                "causes": dict(expression.causes),
                **({"momentary": True} if expression.momentary else {}),
                **({"settled by": [notation.settlement(each) for each in settled]} if settled else {}),
            }
        case Union():
            return {"operator": "union"}
        case _:
            assert_never(expression)


def _window(operator: TemporalJoin | AntiSemiJoin, notation: Notation) -> Json:
    return {
        "window": operator.window,
        "element": operator.element,
        **({} if operator.containment == "inside" else {"containment": operator.containment}),
        "excluded": sorted(operator.excluded),
        "conditions": [notation.condition(condition) for condition in operator.condition],
    }
