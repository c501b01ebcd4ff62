"""What the answers of a rule wait for: the queries that find events until the windows of a row end."""

from __future__ import annotations

from dataclasses import dataclass

from cera.model.expressions.constructs import free_variables
from cera.model.matching import patterns
from cera.model.matching.patterns import Pattern
from cera.rules.rule import Branch, Rule
from cera.rules.states import is_hidden


@dataclass(frozen=True)
class AwaitedInputs:
    """The patterns of events that a row still waits for, and the variables of which one answer has one value."""

    patterns: tuple[Pattern, ...]
    fixed: frozenset[str]


def awaited_inputs(rule: Rule) -> AwaitedInputs | None:
    """Returns what a rule waits for; None if nothing, or if it is not only events.

    A row waits for what is gathered, collected or must be absent in its windows. States may open, and relations may
    have other rows, so a rule with these is left out, as is one with several branches.
    """
    if len(rule.branches) != 1 or rule.recipient is not None:
        return None
    [branch] = rule.branches
    if not _is_about_events(branch):
        return None
    found = [query.pattern for query in branch.events if query.identifier in branch.gathered]
    found += [part.pattern for part in branch.accumulations]
    if not found:
        return None
    traced = [query.pattern for query in branch.events if query.identifier not in branch.gathered]
    fixed = frozenset[str]().union(*map(patterns.bound_variables, traced))
    if branch.gathered:
        gathered = frozenset[str]().union(*map(patterns.bound_variables, found))
        fixed |= free_variables(rule.head) & gathered
    return AwaitedInputs(tuple(found), frozenset(name for name in fixed if not is_hidden(name)))


def _is_about_events(branch: Branch) -> bool:
    return (
        not branch.relations
        and not branch.absolute_timers
        and all(query.kind == "event" and not query.auxiliary for query in branch.events)
        and all(part.containment == "inside" and part.opening is None for part in branch.accumulations)
    )
