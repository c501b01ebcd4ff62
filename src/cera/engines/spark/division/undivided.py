"""The note XC502: rules whose events cannot be divided on a stream.

Such a rule is right, and runs; but one task does its work, however many there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cera.algebra.correlation_keys import correlation_key
from cera.diagnostics import Diagnostic
from cera.engines.spark.division.slots import slots
from cera.rules.analysis.dependencies import rule_uses
from cera.rules.analysis.strata import is_hierarchical
from cera.rules.rule import Rule, RuleProgram

_TIMER_HINT = (
    "a window that an event has, such as extend-begin[event e, 5 min], can be divided; for few events it makes no "
    "difference"
)
_HINT = "bind a variable in all of its queries, each time under the same labels, such as area{{ var A }}"


def check_division(program: RuleProgram) -> Iterator[Diagnostic]:
    """Yields a note for each rule that runs in one piece on a stream."""
    rules = program.rules
    if not is_hierarchical(rules):
        return  # a recursive program does not run on streams
    for rule, uses in zip(rules, rule_uses(rules), strict=True):
        reason = _reason(rule, [rules[position] for position in uses.all])
        if reason is not None:
            message = f"rule '{rule.name}' runs in one piece on a stream, not divided among tasks: {reason}"
            yield Diagnostic("XC502", "note", message, rule.span, _TIMER_HINT if _has_timer(rule) else _HINT)


def _has_timer(rule: Rule) -> bool:
    return any(branch.absolute_timers for branch in rule.branches)


def _reason(rule: Rule, producers: Sequence[Rule]) -> str | None:
    """Returns why the events of a rule cannot be divided; None if they can."""
    if slots(rule, producers):
        return None
    if _has_timer(rule):
        return "it has an absolute timer, which concerns all events"
    shared = correlation_key(rule)
    if not shared:
        return "no variable is bound by all of its queries"
    names = ", ".join(f"`var {name}`" for name in shared)
    return f"events do not have the value of {names} in a place that is the same for all of them"
