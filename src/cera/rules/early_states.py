"""Answers over all of a state that are certain before it ends.

    h ← s, B, all of B in s      and nothing but `in s` asks for e(s)

Such an answer is complete when nothing more can come for B, though its end is not known yet. The local engine lets its
rows wait for the end of the state, as other rows wait for the end of a timer: the timer is the state itself.

    h ← s, B      →      h ← s#open, s: extend[s#open, as long as it is open], B
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cera.model.events.states import ENDING, OPENING
from cera.model.expressions import constructs
from cera.model.expressions.expression import Call, Comparison, EventReference, Expression, InState, operands
from cera.model.matching.patterns import TermPattern
from cera.model.time.durations import Duration
from cera.rules.rule import Branch, EventQuery, RelativeTimer, Rule, RuleProgram
from cera.rules.settlements import ClosingEvent
from cera.rules.states import contained, opening_of
from cera.rules.whole_states import whole_state

#: The duration of the timer that stands for a state: longer than any time.
WHILE_OPEN = Duration(0, 1 << 62)


def early_state(rule: Rule) -> str | None:
    """Returns the state that the answers of a rule are over, if nothing of them depends on when it ends."""
    if (
        len(rule.branches) != 1
        or rule.recipient is not None
        or rule.traced
        or rule.momentary
        or rule.report is not None
    ):
        return None
    [branch] = rule.branches
    state = whole_state(rule) or _gathered_over(branch)
    if state is None or branch.relations or branch.relative_timers or branch.absolute_timers or branch.windows:
        return None
    known = {state, opening_of(state)}
    others = [query for query in branch.events if query.identifier not in known]
    if any(query.kind != "event" or query.auxiliary for query in others):
        return None
    if any(part.containment != "in-state" or part.opening is None for part in branch.accumulations):
        return None
    inner = [condition for part in branch.accumulations for condition in part.conditions]
    values = [each for part in constructs.walk(rule.head) for each in constructs.own_expressions(part)]
    conditions = [each for each in branch.conditions if not _says_in(each, state, branch)]
    return None if any(known & set(_named(each)) for each in (*conditions, *inner, *values)) else state


def with_waiting_answers(program: RuleProgram) -> RuleProgram:
    """Returns a program in which the rules that may be settled before a state ends wait for its end."""
    rules = tuple(_waiting(rule) for rule in program.rules)
    return program if rules == program.rules else replace(program, rules=rules)


def _waiting(rule: Rule) -> Rule:
    if not any(isinstance(each, ClosingEvent) and each.settles for each in rule.settlements):
        return rule
    state = early_state(rule)
    if state is None:
        return rule
    [branch] = rule.branches
    opened = opening_of(state)
    [ending] = [query for query in branch.events if query.identifier == state]
    assert isinstance(ending.pattern, TermPattern)
    assert isinstance(ending.pattern.label, str)
    pattern = replace(ending.pattern, label=OPENING + ending.pattern.label.removeprefix(ENDING))
    opening = EventQuery(opened, pattern, True, ending.span, "opening", auxiliary=True)
    waiting = replace(
        branch,
        events=(opening, *(query for query in branch.events if query.identifier not in (state, opened))),
        relative_timers=(RelativeTimer(state, "extend", opened, WHILE_OPEN),),
        conditions=tuple(each for each in branch.conditions if not _is_of_itself(each, state)),
    )
    return replace(rule, branches=(waiting,))


def _gathered_over(branch: Branch) -> str | None:
    """Returns the state whose end is all that is left of a body when what is gathered in it is not counted."""
    ended = [query.identifier for query in branch.events if query.kind == "ending"]
    if len(ended) != 1 or not branch.gathered:
        return None
    [state] = ended
    inside = {event for event, opened in contained(branch.conditions) if opened == opening_of(state)}
    return state if branch.identifiers <= inside | {state, opening_of(state)} else None


def _says_in(condition: Expression, state: str, branch: Branch) -> bool:
    """Returns whether a condition says that something is in a state, or what follows from that."""
    match condition:
        case InState(event=EventReference(), state=EventReference(identifier=opened)) if opened == opening_of(state):
            return True
        case Comparison(operator="<=", left=Call(function="end", arguments=(EventReference(identifier=event),))):
            is_end = condition.right == Call("end", (EventReference(state),))
            return is_end and (event, opening_of(state)) in {*contained(branch.conditions)}
        case _:
            return False


def _is_of_itself(condition: Expression, state: str) -> bool:
    """Returns whether a condition says that a state is the one that was opened."""
    return isinstance(condition, InState) and condition.event == EventReference(state)


def _named(expression: Expression) -> Iterator[str]:
    """Yields the identifiers of which an expression asks for more than the begin."""
    match expression:
        case EventReference(identifier=name):
            yield name
        case Call(function="begin", arguments=(EventReference(),)):
            pass
        case InState():
            yield expression.state.identifier
            yield from _named(expression.event)
        case _:
            for part in operands(expression):
                yield from _named(part)
