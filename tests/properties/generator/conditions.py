"""Conditions, loose rather than strict, so that programs with several of them still have answers."""

from __future__ import annotations

from collections.abc import Callable

from cera.model.expressions.expression import (
    And,
    Arithmetic,
    Call,
    Comparison,
    ComparisonOperator,
    DurationLiteral,
    Expression,
    Literal,
    Not,
    Or,
    Periodic,
    Temporal,
    Variable,
    Within,
)
from cera.model.time.allen import RELATIONS
from cera.model.time.durations import Duration
from cera.testing import SECOND

from .choices import Choices
from .expressions import (
    Scope,
    call,
    datetime,
    duration_literal,
    has_instants,
    instant,
    interval,
    length,
    limit,
    number,
    reference,
    text,
    timer_query,
)

COMPARISONS: tuple[ComparisonOperator, ...] = ("=", "!=", "<", "<=", ">", ">=")
_TEXT_TESTS = ("contains", "starts-with", "ends-with", "matches")

#: For each relation, timers f such that `i relation f(i)` holds for most i (f from the inside out, with seconds).
_RELATED: dict[str, tuple[tuple[str, int], ...]] = {
    "before": (("shift-forward", 30),),
    "after": (("shift-backward", 30),),
    "meets": (("from-end", 5),),
    "met-by": (("from-start-backward", 5),),
    "overlaps": (("shift-forward", 1),),
    "overlapped-by": (("shift-backward", 1),),
    "starts": (("extend", 5),),
    "started-by": (("shorten", 1),),
    "during": (("extend", 1), ("extend-begin", 1)),
    "contains": (("shorten", 1), ("shorten-begin", 1)),
    "finishes": (("extend-begin", 5),),
    "finished-by": (("shorten-begin", 1),),
    "equals": (("shift-forward", 5), ("shift-backward", 5)),
}

#: A bound that a small value keeps: `var K >= 0`, `var K != 7`.
_LOOSE: dict[ComparisonOperator, int] = {"=": 1, "!=": 7, "<": 4, "<=": 3, ">": -1, ">=": 0}


def conditions(choices: Choices, scope: Scope, calendars: tuple[str, ...]) -> tuple[Expression, ...]:
    found = (condition(choices, scope, calendars) for _ in range(choices.weighted(((3, 1), (1, 2)))))
    return tuple(one for one in found if one is not None)


def condition(choices: Choices, scope: Scope, calendars: tuple[str, ...], depth: int = 2) -> Expression | None:
    """A condition over the scope; None if nothing that it could be made of is switched on."""
    if depth and choices.may("not", 8):
        inner = condition(choices, scope, calendars, depth - 1)
        return inner and Not(inner)
    for feature, connective in (("conjunction", And), ("disjunction", Or)):
        if depth and choices.may(feature, 8):
            parts = [condition(choices, scope, calendars, depth - 1) for _ in range(choices.integer(2, 3))]
            operands = tuple(part for part in parts if part is not None)
            return connective(operands) if len(operands) > 1 else None
    makers: list[tuple[int, Callable[[], Expression | None]]] = []
    if scope.identifiers:
        makers.append((5, lambda: _relation(choices, scope)))
        makers.append((3, lambda: _time_comparison(choices, scope)))
        if choices.allows("within"):
            makers.append((2, lambda: _within(choices, scope)))
        if choices.allows("periodic"):
            makers.append((1, lambda: _periodic(choices, scope, calendars)))
    if scope.scalars:
        makers.append((15 if scope.collected else 5, lambda: _data_comparison(choices, scope)))
        makers.append((3, lambda: _text_condition(choices, scope)))
    return choices.weighted(makers)() if makers else None


def _relation(choices: Choices, scope: Scope) -> Expression | None:
    relation = choices.featured(tuple(RELATIONS), lambda name: f"allen {name}")
    if relation is None:
        return None
    left = reference(choices, scope)
    if choices.may("interval function", 55):
        right: Expression = left
        for kind, seconds in _RELATED[relation]:
            right = call(kind, right, DurationLiteral(Duration(0, seconds * SECOND)))
        return Temporal(relation, left, right)
    if choices.may("datetime", 10):
        return (
            Temporal(relation, datetime(choices), left)
            if choices.chance(50)
            else Temporal(relation, left, datetime(choices))
        )
    return Temporal(relation, left, interval(choices, scope))


def _within(choices: Choices, scope: Scope) -> Expression:
    intervals = tuple(interval(choices, scope) for _ in range(choices.integer(1, 3)))
    return Within(intervals, duration_literal(choices))


def _periodic(choices: Choices, scope: Scope, calendars: tuple[str, ...]) -> Expression | None:
    """A relation to a periodic timer; `before` and `after` have no meaning there (XC404)."""
    names = tuple(name for name in RELATIONS if name not in ("before", "after"))
    relation = choices.featured(names, lambda name: f"allen {name}")
    if relation is None:
        return None
    timer, event = Periodic(timer_query(choices, calendars, binding=False)), reference(choices, scope)
    return Temporal(relation, event, timer) if choices.chance(70) else Temporal(relation, timer, event)


def _time_comparison(choices: Choices, scope: Scope) -> Expression | None:
    operator = _operator(choices)
    if operator is None:
        return None
    if has_instants(choices, scope) and choices.chance(35):
        left = instant(choices, scope)
        if choices.may("time arithmetic", 30):
            left = Arithmetic(choices.one_of(("+", "-")), left, duration_literal(choices))
        return Comparison(operator, left, instant(choices, scope))
    loose: ComparisonOperator = "<=" if choices.allows("comparison <=") and choices.chance(60) else operator
    compared = length(choices, scope)
    return Comparison(loose, compared, limit(choices, compared))


def _data_comparison(choices: Choices, scope: Scope) -> Expression | None:
    operator = _operator(choices)
    if operator is None:
        return None
    if choices.chance(55):
        among = scope.collected if scope.collected and choices.chance(60) else scope.scalars
        bound = _LOOSE[operator] if choices.chance(60) else choices.integer(0, 3)
        return Comparison(operator, Variable(choices.one_of(among)), Literal(bound))
    if scope.optional and choices.chance(20):
        return Comparison(operator, Variable(choices.one_of(scope.optional)), Literal(_LOOSE[operator]))
    return Comparison(operator, number(choices, scope), number(choices, scope, 1))


def _text_condition(choices: Choices, scope: Scope) -> Expression | None:
    test = choices.featured(_TEXT_TESTS, lambda name: f"function {name}") if choices.chance(60) else None
    if test is None:
        operator = _operator(choices)
        return operator and Comparison(operator, text(choices, scope), text(choices, scope))
    options = ("", ".*", "[a-z0-9.]+") if test == "matches" else ("", "x", "y", "1")
    return Call(test, (text(choices, scope), Literal(choices.one_of(options))))


def _operator(choices: Choices) -> ComparisonOperator | None:
    return choices.featured(COMPARISONS, lambda operator: f"comparison {operator}")
