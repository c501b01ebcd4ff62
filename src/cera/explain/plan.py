"""The plan of a program explained: as translated, as optimized, and how long each store remembers and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NotRequired, TypedDict

from cera.algebra.differencing import delta
from cera.algebra.operators import (
    AntiSemiJoin,
    Construction,
    Expression,
    FollowingEvents,
    Join,
    Relation,
    TemporalJoin,
    walk,
)
from cera.algebra.plan import Plan, Point
from cera.algebra.plan_json import plan_to_json
from cera.algebra.plan_notation import Notation, period_text
from cera.algebra.plan_text import display_name, print_plan, print_point
from cera.algebra.relevance import Horizon, Relevance
from cera.algebra.translation import translate
from cera.languages.text.layout import render
from cera.languages.xchangeeq.printer import Printer, print_construct, print_expression, print_query_pattern
from cera.model.events.states import is_ending, is_opening
from cera.model.expressions.expression import TimerQuery
from cera.model.matching.patterns import Pattern
from cera.model.time.durations import Duration, format_duration
from cera.optimizer.driver import optimized, passes_for
from cera.rules.analysis.unification import query_label
from cera.rules.reasoning.time_constraints import TimeReason, TimerExistence
from cera.rules.rule import AbsoluteTimer, BoundedWindow, PeriodicWindow, RelativeTimer, RuleProgram
from cera.rules.settlements import ClosingEvent
from cera.wording import Setting


def _timer_text(timer: TimerQuery) -> str:
    return render(Printer().timer(timer), width=None)


def _pattern_text(pattern: Pattern) -> str:
    """Returns the pattern; of states, with what is matched: `state auction{{…}} opens`."""
    label = query_label(pattern)
    word = "" if label is None else " opens" if is_opening(label) else " ends" if is_ending(label) else ""
    return f"{print_query_pattern(pattern)}{word}"


NOTATION = Notation(_pattern_text, print_construct, _timer_text)


_NOT_AT_ALL = "not at all"
_WITH_STATE = "until the state ends"
_WITH_OPEN = "as long as a state is open that began before"


class StateBound(TypedDict):
    """The state of a join or a window of a point.

    A row is kept for `kept` past its end (null: always; "not at all": its partners come before it; "until the state
    ends"; "as long as a state is open that began before") because of the conditions of `because`. Where that depends on
    how long incoming events last, `kept_for_points` says how long for events without duration.
    """

    point: str
    used_by: str
    of: str
    kept: str | None
    because: list[str]
    kept_for_points: str | None
    #: The events with which it is forgotten, as constraints say that nothing more comes with the same values.
    forgotten_with: NotRequired[list[str]]


class Difference(TypedDict):
    """The gain of a point in a step, in terms of what the relations below it gain (Δ) and had before (∘)."""

    point: str
    text: str


class ExplainedPlan(TypedDict):
    """The plan before and after the optimizer. The state is that of a run with this `max_duration` of events (null:
    unlimited). `differences` are of the plan after, if they were asked for.
    """

    before: dict[str, Any]
    before_text: str
    passes: list[str]
    after: dict[str, Any]
    after_text: str
    differences: list[Difference] | None
    max_duration: str | None
    state: list[StateBound]


def explain_plan(program: RuleProgram, *, max_duration: int | None = None, differences: bool = False) -> ExplainedPlan:
    """Returns the plan before and after the optimizer."""
    before = translate(program)
    after = optimized(before, passes=passes_for(program.rates))
    return {
        "before": plan_to_json(before, NOTATION),
        "before_text": print_plan(before, NOTATION),
        "passes": list(after.applied),
        "after": plan_to_json(after.plan, NOTATION),
        "after_text": print_plan(after.plan, NOTATION),
        "differences": explain_differences(after.plan) if differences else None,
        "max_duration": None if max_duration is None else format_duration(Duration(0, max_duration)),
        "state": state_bounds(after.plan, max_duration),
    }


def explain_differences(plan: Plan) -> list[Difference]:
    """Returns the finite differences of the materialization points (Fig. 11 of seed 000, corrected)."""
    return [
        {"point": point.name, "text": print_point(Point(f"Δ{point.name}", delta(point.expression)), NOTATION)}
        for point in plan.points
    ]


def state_bounds(plan: Plan, max_duration: int | None = None) -> list[StateBound]:
    """Returns how long each join and each window keeps the rows it looks into, if no event lasts longer than given."""
    general, of_points = _bounds(plan, max_duration), _bounds(plan, 0)
    found: list[StateBound] = [
        {
            "point": point,
            "used_by": user,
            "of": horizon.of,
            "kept": _kept(horizon),
            "because": [_reason_text(reason) for reason in (horizon if horizon.reasons else tight).reasons],
            "kept_for_points": _kept(tight),
        }
        for (point, user, horizon), (_, _, tight) in zip(general, of_points, strict=True)
    ]
    closing = {point.name: list(_closings(point.expression)) for point in plan.points}
    for bound in found:
        if closing[bound["point"]]:
            bound["forgotten_with"] = closing[bound["point"]]
    return found


def _closings(expression: Expression) -> Iterator[str]:
    """Yields the events with which a rule forgets what it remembers of their values."""
    for each in expression.settlements if isinstance(expression, Construction) else ():
        if isinstance(each, ClosingEvent) and each.forgets:
            same = f" with the same {', '.join(each.by)}" if each.by else ""
            yield f"{NOTATION.pattern(each.pattern)}{same}"


def _bounds(plan: Plan, max_duration: int | None) -> list[tuple[str, str, Horizon]]:
    relevance = Relevance(plan, max_duration)
    return [(point.name, user, horizon) for point in plan.points for user, horizon in _of(point.expression, relevance)]


def _of(expression: Expression, relevance: Relevance) -> Iterator[tuple[str, Horizon]]:
    for part in walk(expression):
        if isinstance(part, Join) and not isinstance(part.right, FollowingEvents | Relation):
            yield from (("join", horizon) for horizon in relevance.join_bounds(part))
        elif isinstance(part, TemporalJoin | AntiSemiJoin):
            yield f"window {part.window}", relevance.window_bound(part)


def _kept(horizon: Horizon) -> str | None:
    if horizon.microseconds is None:
        if horizon.needs_open:
            return _WITH_OPEN
        return _WITH_STATE if horizon.ends_with_state else None
    return _NOT_AT_ALL if horizon.microseconds < 0 else format_duration(Duration(0, horizon.microseconds))


def _reason_text(reason: TimeReason) -> str:
    match reason:
        case RelativeTimer():
            return f"{reason.identifier}: {reason.kind}[{reason.anchor}, {format_duration(reason.duration)}]"
        case AbsoluteTimer():
            return f"{reason.identifier}: {_timer_text(reason.timer)}"
        case PeriodicWindow():
            return f"{reason.identifier}: {period_text(reason.period)} ⊒ {', '.join(reason.over)}"
        case BoundedWindow():
            return f"{reason.identifier}: {reason.bounds}"
        case TimerExistence():
            return f"{reason.timer.identifier} happens"
        case _:
            return print_expression(reason)


def plan_lines(plan: ExplainedPlan) -> Iterator[str]:
    """Yields the lines of a plan's explanation for a person to read."""
    yield "plan:"
    yield from _indented(plan["before_text"])
    yield ""
    if plan["passes"]:
        yield f"optimized plan ({', '.join(plan['passes'])}):"
        yield from _indented(plan["after_text"])
    else:
        yield "optimized plan: the same"
    yield ""
    if plan["differences"] is not None:
        yield "differences:"
        yield from _indented("\n\n".join(difference["text"] for difference in plan["differences"]))
        yield ""
    lasting = "" if plan["max_duration"] is None else f", if no event lasts longer than {plan['max_duration']}"
    yield f"state{lasting}:" if plan["state"] else "state: none"
    for bound in plan["state"]:
        yield f"  {display_name(bound['point'])}, {bound['used_by']}: {_bound_text(bound)}"


def _bound_text(bound: StateBound) -> str:
    """Returns how long rows are kept: by the rule, and until what constraints say is the last of their values."""
    by_rule = _bound_of_rule(bound)
    closings = " or ".join(bound.get("forgotten_with", ()))
    if not closings or bound["kept"] == _NOT_AT_ALL:
        return by_rule
    if bound["kept"] is None and bound["kept_for_points"] is None:
        several = ", " in bound["of"]
        return f"{bound['of']} {'are' if several else 'is'} kept until {closings}; nothing else bounds the time"
    return f"{by_rule}; no longer than until {closings}"


def _bound_of_rule(bound: StateBound) -> str:
    because = f", because of {' and '.join(bound['because'])}" if bound["because"] else ""
    several = ", " in bound["of"]
    kept = f"{bound['of']} {'are' if several else 'is'}"
    if bound["kept"] == _NOT_AT_ALL:
        return f"{kept} not kept{because}"
    if bound["kept"] in (_WITH_STATE, _WITH_OPEN):
        return f"{kept} kept {bound['kept']}"
    if bound["kept"] is not None:
        return f"{kept} kept for {bound['kept']}{because}"
    if bound["kept_for_points"] is not None:
        return (
            f"{kept} kept for good, unless {Setting.MAX_DURATION} bounds how long events last "
            f"(points: {bound['kept_for_points']}{because})"
        )
    they_are = "they are" if several else "it is"
    return f"{kept} kept for good: nothing bounds the time to what {they_are} joined with"


def _indented(text: str) -> Iterator[str]:
    return (f"  {line}" if line else "" for line in text.split("\n"))
