"""The note XC502: rules whose events cannot be divided on a stream.

Such a rule is right, and runs; but one task does its work, however many there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cera.algebra.correlation_keys import correlation_key
from cera.algebra.translation import components_in_order
from cera.diagnostics import Diagnostic, Note, notation
from cera.engines.spark.division.cycle_keys import cycle_key
from cera.engines.spark.division.slots import slots
from cera.rules.analysis.dependencies import rule_uses
from cera.rules.rule import Rule, RuleProgram

_TIMER_HINT = (
    "a window that an event has, such as extend-begin[event e, 5 min], can be divided; for few events it makes no "
    "difference"
)
_GROUP_HINT = "let the head group by a variable that all of its queries bind; for few events it makes no difference"


def check_division(program: RuleProgram) -> Iterator[Diagnostic]:
    """Yields a note for each rule that runs in one piece on a stream."""
    rules = program.rules
    producers = {
        rule.name: [rules[position] for position in uses.all]
        for rule, uses in zip(rules, rule_uses(rules), strict=True)
    }
    cycles = {rule.name: cycle for cycle in _undivided_cycles(rules, producers) for rule in cycle}
    for rule in rules:
        reason = _reason(rule, producers[rule.name])
        if reason is not None and rule.name in cycles and not _has_timer(rule):
            yield _note(rule, f"it is recursive, and {reason}", _cycle_hint(rule))
        elif reason is not None:
            yield _note(rule, reason, _hint(rule))
        elif rule.name in cycles:
            yield _cycle_note(rule, cycles[rule.name], producers)


def _undivided_cycles(rules: Sequence[Rule], producers: Mapping[str, Sequence[Rule]]) -> Iterator[tuple[Rule, ...]]:
    """Yields the rules that depend on each other, or one on itself, and have no key."""
    for component in components_in_order(rules):
        names = {rule.name for rule in component}
        is_cycle = any(producer.name in names for rule in component for producer in producers[rule.name])
        if is_cycle and not cycle_key(component, producers):
            yield component


def _note(rule: Rule, reason: str, hint: str, notes: tuple[Note, ...] = ()) -> Diagnostic:
    message = f"rule '{rule.name}' runs in one piece on a stream, not divided among tasks: {reason}"
    return Diagnostic("XC502", "note", message, rule.span, hint, notes)


def _cycle_note(rule: Rule, cycle: Sequence[Rule], producers: Mapping[str, Sequence[Rule]]) -> Diagnostic:
    """Returns the note for a rule that could be divided if it did not depend on itself."""
    others = [other for other in cycle if other.name != rule.name]
    depends = f"it and {_quoted(others)} depend on each other" if others else "it is recursive"
    undivided = [other for other in others if _reason(other, producers[other.name]) is not None]
    why = f"{_quoted(undivided)} cannot be divided" if undivided else _changes(rule, producers[rule.name])
    notes = tuple(Note(f"rule '{other.name}' is on the cycle", other.span) for other in others)
    return _note(rule, f"{depends}, and {why}", _cycle_hint(rule), notes)


def _changes(rule: Rule, producers: Sequence[Rule]) -> str:
    names = [f"`{notation(rule.span).variable(slot.variables[rule.name])}`" for slot in slots(rule, producers)]
    if len(names) == 1:
        return f"the value of {names[0]} changes from round to round"
    return f"the values of {', '.join(names)} change from round to round"


def _quoted(rules: Sequence[Rule]) -> str:
    return ", ".join(f"'{rule.name}'" for rule in rules)


def _hint(rule: Rule) -> str:
    if _has_timer(rule):
        return _TIMER_HINT
    if any(branch.gathered for branch in rule.branches):
        return _GROUP_HINT
    shown = notation(rule.span).queried("area", "A")
    return f"bind a variable in all of its queries, each time under the same labels, such as {shown}"


def _cycle_hint(rule: Rule) -> str:
    write = notation(rule.span)
    return (
        f"let all rules of the cycle hand on a value, such as {write.queried('area', 'A')} in every query and "
        f"{write.derived('area', 'A')} in every head; for few events it makes no difference"
    )


def _has_timer(rule: Rule) -> bool:
    return any(branch.absolute_timers for branch in rule.branches)


def _reason(rule: Rule, producers: Sequence[Rule]) -> str | None:
    """Returns why the events of a rule cannot be divided; None if they can."""
    if slots(rule, producers):
        return None
    if _has_timer(rule):
        return "it has an absolute timer, which concerns all events"
    shared = correlation_key(rule)
    if not shared and any(branch.gathered for branch in rule.branches):
        return "its head groups by no variable that is bound by all of its queries"
    if not shared:
        return "no variable is bound by all of its queries"
    names = ", ".join(f"`{notation(rule.span).variable(name)}`" for name in shared)
    return f"events do not have the value of {names} in a place that is the same for all of them"
