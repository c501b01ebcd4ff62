"""What a rule still needs: the queries that find events until the windows of a row end, and those whose events are
remembered for others.

A rule may also ask in which states its events are. That is decided when an event has come: by the states that are open
then, whatever opens later, and whenever these end. So nothing more than its events is waited for, if an event that the
row has found lies in each of the states, and nothing else is asked of them but when they began.
"""

from __future__ import annotations

from dataclasses import dataclass

from cera.model.expressions.expression import Call, EventReference, Expression, InState, operands
from cera.model.matching import patterns
from cera.model.matching.patterns import Pattern
from cera.optimizer.semantic.shown import shown_variables
from cera.rules.early_states import early_state
from cera.rules.reasoning.time_consequences import time_network
from cera.rules.reasoning.time_points import TimePoint
from cera.rules.rule import Branch, EventQuery, Rule
from cera.rules.states import contained, is_hidden


@dataclass(frozen=True)
class AwaitedInputs:
    """The patterns of events that a row still waits for, and the variables of which one answer has one value: those
    that it shows. Rows that differ in others may give the same answer, which is not complete with one of them.
    """

    patterns: tuple[Pattern, ...]
    fixed: frozenset[str]


def awaited_inputs(rule: Rule) -> AwaitedInputs | None:
    """Returns what a rule waits for; None if nothing, or if it is not only events.

    A row waits for what is gathered, collected or must be absent in its windows. States whose ends are waited for may
    go on, and relations may have other rows, so a rule with these is left out, as is one with several branches.
    """
    if len(rule.branches) != 1 or rule.recipient is not None:
        return None
    [branch] = rule.branches
    state = early_state(rule)
    if state is None and not _is_about_events(branch):
        return None
    found = [query.pattern for query in _events(branch) if query.identifier in branch.gathered]
    found += [part.pattern for part in branch.accumulations]
    if not found:
        return None
    traced = [query.pattern for query in _events(branch) if query.identifier not in branch.gathered]
    traced += [query.pattern for query in branch.events if query.identifier == state]
    bound = frozenset[str]().union(*map(patterns.bound_variables, (*traced, *(found if branch.gathered else ()))))
    fixed = shown_variables(rule.head) & bound
    return AwaitedInputs(tuple(found), frozenset(name for name in fixed if not is_hidden(name)))


def remembered_inputs(rule: Rule) -> tuple[Pattern, ...]:
    """Returns the patterns of all events that a rule finds, if it remembers some of them for others; none if it waits
    for other things than events.
    """
    if len(rule.branches) != 1 or rule.recipient is not None:
        return ()
    [branch] = rule.branches
    found = (*(query.pattern for query in _events(branch)), *(part.pattern for part in branch.accumulations))
    remembers = len(branch.events) + len(branch.accumulations) > 1
    is_known = _is_about_events(branch) or early_state(rule) is not None
    return found if is_known and remembers else ()


def comes_at_once(rule: Rule) -> bool:
    """Returns whether all rows of one answer are there at the same time, which follows from its end: because all events
    are gathered in windows of the clock, or the last one of each row ends by a fixed length before the answer does.

    from-start[i, 10 sec] of two events with one begin ends once, and each has its row when it ends.
    """
    [branch] = rule.branches
    found = [query.identifier for query in _events(branch) if query.identifier not in branch.gathered]
    if not found:
        return True
    network = time_network(branch)
    if branch.windows or network.contradiction is not None:
        return False

    def most(later: str, sooner: str) -> int | None:
        return network.least(TimePoint(later, "end"), TimePoint(sooner, "end"))

    for last in found:
        lengths = [(most(timer.identifier, last), most(last, timer.identifier)) for timer in branch.relative_timers]
        longest = max((most for most, _ in lengths if most is not None), default=0)
        bounded = all(most is not None for most, _ in lengths)
        reached = longest <= 0 or any(most == longest and least == -longest for most, least in lengths)
        if bounded and reached and all((gap := most(each, last)) is not None and gap <= 0 for each in found):
            return True
    return False


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


def _events(branch: Branch) -> list[EventQuery]:
    return [query for query in branch.events if query.kind == "event"]


def _is_about_events(branch: Branch) -> bool:
    """Returns whether rows of a branch wait for nothing but events."""
    return (
        not branch.relations
        and not branch.absolute_timers
        and all(query.kind in ("event", "opening") and not query.auxiliary for query in branch.events)
        and all(part.containment == "inside" and part.opening is None for part in branch.accumulations)
        and all(_is_decided(query.identifier, branch) for query in branch.events if query.kind == "opening")
    )


def _is_decided(state: str, branch: Branch) -> bool:
    """Returns whether an event that a row has found lies in a state, and nothing else is asked of the state that what
    comes later could change: the row is there with the event, or never."""
    if state in branch.gathered or any(timer.anchor == state for timer in branch.relative_timers):
        return False
    traced = {query.identifier for query in _events(branch)} - {*branch.gathered}
    inner = [condition for part in branch.accumulations for condition in part.conditions]
    lies_in = any(event in traced and opened == state for event, opened in contained(branch.conditions))
    return lies_in and all(_is_about_begin(condition, state) for condition in (*branch.conditions, *inner))


def _is_about_begin(condition: Expression, state: str) -> bool:
    """Returns whether a condition asks nothing of a state but whether an event is in it, or when it began."""
    match condition:
        case EventReference(identifier=name):
            return name != state
        case InState(event=EventReference(identifier=name)):
            return name != state
        case Call(function="begin", arguments=(EventReference(),)):
            return True
        case _:
            return all(_is_about_begin(part, state) for part in operands(condition))
