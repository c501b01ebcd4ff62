"""What a rule still needs: the queries that find events until the windows of a row end, and those whose events are
remembered for others."""

from __future__ import annotations

from dataclasses import dataclass

from cera.model.expressions.constructs import free_variables
from cera.model.matching import patterns
from cera.model.matching.patterns import Pattern
from cera.rules.rule import Branch, Rule
from cera.rules.states import is_hidden


@dataclass(frozen=True)
class AwaitedInputs:
    """The patterns of events that a row still waits for, and the variables of which one answer has one value: those
    that it shows. Rows that differ in others may give the same answer, which is not complete with one of them.
    """

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
    bound = frozenset[str]().union(*map(patterns.bound_variables, (*traced, *(found if branch.gathered else ()))))
    fixed = free_variables(rule.head) & bound
    return AwaitedInputs(tuple(found), frozenset(name for name in fixed if not is_hidden(name)))


def remembered_inputs(rule: Rule) -> tuple[Pattern, ...]:
    """Returns the patterns of all events that a rule finds, if it remembers some of them for others; none if it has
    other things in its body than events.
    """
    if len(rule.branches) != 1 or rule.recipient is not None:
        return ()
    [branch] = rule.branches
    found = (*(query.pattern for query in branch.events), *(part.pattern for part in branch.accumulations))
    return found if _is_about_events(branch) and len(found) > 1 else ()


def looks_ahead(rule: Rule) -> bool:
    """Returns whether a rule finds one event, and looks only into windows that begin when it ends: nothing that ends
    before is in one of them, however long the event lasted."""
    if len(rule.branches) != 1 or not rule.branches[0].accumulations or len(rule.branches[0].events) != 1:
        return False
    [branch] = rule.branches
    [query] = branch.events
    timers = [each for each in branch.relative_timers if each.kind == "from-end" and each.anchor == query.identifier]
    ahead = {each.identifier for each in timers}
    return query.identifier not in branch.gathered and all(part.window in ahead for part in branch.accumulations)


def _is_about_events(branch: Branch) -> bool:
    return (
        not branch.relations
        and not branch.absolute_timers
        and all(query.kind == "event" and not query.auxiliary for query in branch.events)
        and all(part.containment == "inside" and part.opening is None for part in branch.accumulations)
    )
