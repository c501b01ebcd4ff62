"""Conditions that can never hold and timers that can never happen: XC401, XC402, XC403.

A warning is never wrong; a condition without one can still be impossible. Branches whose identifiers are not in
order (declared twice, timers in a circle) have been reported and are not judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from cera.diagnostics import Diagnostic, Note, Span
from cera.model.calendars.calendar_files import timer_intervals
from cera.model.evaluation.evaluator import Evaluator
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import (
    DateTime,
    Different,
    DurationLiteral,
    EventReference,
    Expression,
    InOneWindow,
    Temporal,
    Within,
)
from cera.model.matching import patterns
from cera.model.time.interval import MAX_TIME, MIN_TIME
from cera.rules.checks.kinds import problems_of_condition
from cera.rules.checks.names import timer_circles
from cera.rules.reasoning.cases import Case, conjuncts, is_constant, no_case_holds, pattern_facts
from cera.rules.reasoning.difference_bounds import DifferenceBounds, reasons_of
from cera.rules.reasoning.quotation import listed, quoted
from cera.rules.reasoning.time_cases import no_times
from cera.rules.reasoning.time_constraints import TimeNetwork, TimeReason, TimerExistence, combined, literal_constraints
from cera.rules.reasoning.value_constraints import no_values
from cera.rules.rule import (
    AbsoluteTimer,
    Accumulation,
    BoundedWindow,
    Branch,
    PeriodicWindow,
    RelativeTimer,
    Rule,
    RuleProgram,
    Window,
)


def check_satisfiability(program: RuleProgram) -> Iterator[Diagnostic]:
    for rule in program.rules:
        for branch in rule.branches:
            if len(branch.identifiers) == len(branch.positive) and not timer_circles(branch):
                yield from _branch_problems(rule, branch)


def _branch_problems(rule: Rule, branch: Branch) -> Iterator[Diagnostic]:
    for timer in branch.absolute_timers:
        if timer.timer.name == "datetime" and _never_ticks(timer):
            yield Diagnostic(
                "XC403",
                "warning",
                f"{quoted(timer.span, 'this timer')} never happens: no date has these parts",
                timer.span or rule.span,
                f"as it is, rule '{rule.name}' derives nothing from it",
            )
    network: TimeNetwork = DifferenceBounds(literal_constraints(branch))
    if network.contradiction is not None:
        yield _impossible_times(rule, reasons_of(network.contradiction), _WHOLE_BODY)
        network = DifferenceBounds()
    facts = tuple(pattern_facts(branch.positive_patterns()))
    found = list(_problems(rule, network, (*facts, *branch.conditions), branch.bound_variables, _WHOLE_BODY))
    yield from found
    if found:
        return
    for part in branch.accumulations:
        own = part.conditions if not part.negated else (*pattern_facts([part.pattern]), *part.conditions)
        if own:
            consequence = "the query after `not` never matches" if part.negated else _WHOLE_BODY
            conditions = (*facts, *branch.conditions, *own)
            yield from _problems(rule, network, conditions, _bound(branch, part), consequence)


def _bound(branch: Branch, part: Accumulation) -> frozenset[str]:
    return branch.bound_variables | patterns.bound_variables(part.pattern)


def _never_ticks(timer: AbsoluteTimer) -> bool:
    try:
        return next(iter(timer_intervals(timer.timer, (), MIN_TIME, MAX_TIME, "UTC")), None) is None
    except ValueError:  # its parts are wrong, which has been reported
        return False


def _problems(
    rule: Rule, network: TimeNetwork, conditions: Sequence[Expression], bound: frozenset[str], consequence: str
) -> Iterator[Diagnostic]:
    """Yields conditions that never hold, except those with operands of the wrong kind, which have been reported."""
    sound = [c for c in conjuncts(conditions) if not problems_of_condition(c)]
    for condition in sound:
        if is_constant(condition) and not Evaluator().holds(condition, {}, {}):
            yield _never(_code((condition,)), rule, (condition,), consequence)
    open_conditions = [c for c in sound if not is_constant(c)]
    reasons = _impossible_together(network, open_conditions)
    if reasons is not None:
        yield _impossible_times(rule, reasons, consequence)
    values = _impossible_cases(open_conditions, lambda case: no_values(case, bound))
    if values:
        yield _never(_code(values), rule, values, consequence)
    if reasons is None and not values and _code(open_conditions) == "XC401":
        both = _impossible_cases(open_conditions, lambda case: no_values(case, bound) or no_times(network, case))
        if both:
            yield _never(_code(both), rule, both, consequence)


_WHOLE_BODY = "the rule derives nothing here"
_TIMES = (DateTime, DurationLiteral, EventReference, Temporal, Within, InOneWindow, Different)


def _code(conditions: Sequence[Expression]) -> str:
    parts = (part for condition in conditions for part in expressions.walk(condition))
    return "XC401" if any(isinstance(part, _TIMES) for part in parts) else "XC402"


def _impossible_cases(conditions: Sequence[Expression], impossible: Callable[[Case], bool]) -> list[Expression]:
    """Returns conditions of which no case is possible and that are all needed for it; none if some case may be."""
    needed = list(conditions)
    if not no_case_holds(needed, impossible):
        return []
    for condition in conditions:
        others = [c for c in needed if c is not condition]
        if no_case_holds(others, impossible):
            needed = others
    return needed


def _impossible_together(network: TimeNetwork, conditions: Sequence[Expression]) -> tuple[TimeReason, ...] | None:
    """Returns conditions and timers around a cycle of times that cannot be; None if there is none without choices."""
    certain, _ = combined(conditions)
    contradiction = network.adding(certain).contradiction
    return None if contradiction is None else reasons_of(contradiction)


def _impossible_times(rule: Rule, reasons: Sequence[TimeReason], consequence: str) -> Diagnostic:
    for reason in reasons:
        if isinstance(reason, TimerExistence):
            return _never_happens(rule, reason.timer, [r for r in reasons if r not in (reason, reason.timer)])
    return _never("XC401", rule, [reason for reason in reasons if not isinstance(reason, TimerExistence)], consequence)


def _never_happens(rule: Rule, timer: RelativeTimer, others: Sequence[TimeReason]) -> Diagnostic:
    return Diagnostic(
        "XC403",
        "warning",
        f"the timer `{timer.identifier}` can never happen: its begin would lie after its end",
        timer.span or rule.span,
        f"`{timer.anchor}` is too short to be shortened by {timer.duration}",
        tuple(_note(reason) for reason in others),
    )


def _never(
    code: str,
    rule: Rule,
    reasons: Sequence[Expression | RelativeTimer | AbsoluteTimer | Window],
    consequence: str,
) -> Diagnostic:
    """Returns the diagnostic of conditions that exclude each other; timers that play a part come as notes."""
    conditions = [r for r in reasons if not isinstance(r, RelativeTimer | AbsoluteTimer | Window)]
    timers = [r for r in reasons if isinstance(r, RelativeTimer | AbsoluteTimer | Window)]
    if not conditions:
        return _no_room(rule, timers, consequence)
    conditions.sort(key=_start)
    texts = [quoted(condition.span, "a condition") for condition in conditions]
    one = len(conditions) == 1
    return Diagnostic(
        code,
        "warning",
        f"the condition {texts[0]} can never hold" if one else f"{listed(texts)} can never hold together",
        conditions[0].span or rule.span,
        consequence + ("" if one else "; leave one of them out, or put them in different branches of an `or`"),
        tuple(_note(reason) for reason in (*conditions[1:], *timers)),
    )


def _no_room(rule: Rule, timers: Sequence[RelativeTimer | AbsoluteTimer | Window], consequence: str) -> Diagnostic:
    """Returns the diagnostic of windows that are too short for the timers that should lie inside of them."""
    return Diagnostic(
        "XC403",
        "warning",
        f"{listed([f'`{timer.identifier}`' for timer in timers])} can never happen together",
        timers[0].span or rule.span,
        f"what a window is over has to lie inside of it; {consequence}",
        tuple(_note(reason) for reason in timers[1:]),
    )


def _start(condition: Expression) -> int:
    return -1 if condition.span is None else condition.span.start


def _note(reason: TimeReason) -> Note:
    span: Span | None
    match reason:
        case TimerExistence():
            return Note(f"the timer `{reason.timer.identifier}` has to happen", reason.timer.span)
        case RelativeTimer() | AbsoluteTimer():
            return Note(f"because of the timer `{reason.identifier}`", reason.span)
        case PeriodicWindow() | BoundedWindow():
            return Note(f"because of the window `{reason.identifier}`", reason.span)
        case _:
            span = reason.span
            return Note(f"because of the condition {quoted(span, 'before it')}", span)
