"""Rules as a rule language would write them: states are literals again, and what an aggregate ranges over is collected.

This undoes `cera.rules.states`, and reads gathered events as collections. A gathered event g of which nothing is said
but that it lies in w is collected in w, since all matches of one event trace are one group either way:

    event g: p, gathered, b(w) <= b(g), e(g) <= e(w)    →    while w: collect p    w is an event or a timer
    event g: p, gathered, g in s                        →    while s: collect p    s is a state or a timer on one
    while w: collect p where {c}                        →    while w: collect p, c

Two rules with the same `meaning` give the same events.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace

from cera.diagnostics import Span
from cera.model.events.event import Recipient
from cera.model.events.states import LOSS, RELEASE, state_label
from cera.model.expressions.constructs import Construct, ConstructTerm
from cera.model.expressions.expression import (
    And,
    Call,
    Comparison,
    EventReference,
    Expression,
    InState,
    event_references,
)
from cera.model.matching.patterns import Pattern, TermPattern
from cera.rules.rule import (
    AbsoluteTimer,
    Accumulation,
    Branch,
    EventQuery,
    RelationQuery,
    RelativeTimer,
    Rule,
    Window,
    gathered_order,
)
from cera.rules.states import StateQuery, as_written, asks_for_state, opening_of, written_conditions


@dataclass(frozen=True)
class WrittenAccumulation:
    """`while window: not pattern where {…}`, `while window: collect state pattern where {…}`."""

    window: str
    pattern: Pattern
    negated: bool
    of_states: bool = False
    conditions: tuple[Expression, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)
    #: Whether the event that the window is, or is set on, may be inside; what conditions call an element; and what is
    #: not one.
    with_anchor: bool = False
    element: str | None = None
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True)
class WrittenBranch:
    """A conjunction. What is still gathered has no other form."""

    events: tuple[EventQuery, ...] = ()
    states: tuple[StateQuery, ...] = ()
    absolute_timers: tuple[AbsoluteTimer, ...] = ()
    relative_timers: tuple[RelativeTimer, ...] = ()
    relations: tuple[RelationQuery, ...] = ()
    collections: tuple[WrittenAccumulation, ...] = ()
    absences: tuple[WrittenAccumulation, ...] = ()
    conditions: tuple[Expression, ...] = ()
    windows: tuple[Window, ...] = ()
    gathered: tuple[str, ...] = ()
    #: The variables that do not tell matches apart.
    forgotten: frozenset[str] = frozenset()
    #: The states whose ends are waited for.
    ended: frozenset[str] = frozenset()

    @property
    def timed(self) -> tuple[EventQuery | StateQuery | AbsoluteTimer | RelativeTimer, ...]:
        """The literals whose identifiers have a time."""
        return (*self.events, *self.states, *self.absolute_timers, *self.relative_timers)

    @property
    def queries(self) -> tuple[EventQuery | StateQuery | RelationQuery, ...]:
        """The literals with a pattern."""
        return (*self.events, *self.states, *self.relations)

    @property
    def accumulations(self) -> tuple[WrittenAccumulation, ...]:
        return (*self.collections, *self.absences)

    def patterns(self) -> Iterator[Pattern]:
        """Yields the patterns of all literals."""
        yield from (query.pattern for query in self.queries)
        yield from (timer.timer.pattern for timer in self.absolute_timers)
        yield from (part.pattern for part in self.accumulations)

    def inner_conditions(self) -> Iterator[Expression]:
        """Yields the conditions of accumulations."""
        yield from (condition for part in self.accumulations for condition in part.conditions)

    def lasting(self) -> frozenset[str]:
        """Returns the identifiers of states, and of timers on them."""
        found = {state.identifier for state in self.states}
        for _ in self.relative_timers:
            found |= {timer.identifier for timer in self.relative_timers if timer.anchor in found}
        return frozenset(found)


@dataclass(frozen=True)
class WrittenRule:
    """head ← branch ∨ … ∨ branch."""

    name: str
    head: Construct
    branches: tuple[WrittenBranch, ...]
    recipient: Recipient | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


def without_ends_of_states(rules: Iterable[Rule]) -> Iterator[Rule]:
    """Yields the rules that stand in a text: not those about what ends a derived state, which belong to another."""
    for rule in rules:
        if not (isinstance(rule.head, ConstructTerm) and rule.head.label.startswith((LOSS, RELEASE))):
            yield rule


def has_other_parts(rule: Rule) -> bool:
    """Returns whether a rule has parts that a written one lacks, such as the states that it derives."""
    label = rule.head.label if isinstance(rule.head, ConstructTerm) else ""
    return (
        state_label(label) is not None
        or _has_other_fields(rule, WrittenRule)
        or any(_has_other_fields(branch, WrittenBranch) for branch in rule.branches)
    )


def _has_other_fields(node: Rule | Branch, written: type[WrittenRule | WrittenBranch]) -> bool:
    known = {each.name for each in fields(written)}
    others = (each for each in fields(node) if each.compare and each.name not in known)
    return any(getattr(node, each.name) != each.default for each in others)


def written_rule(rule: Rule) -> WrittenRule:
    """Returns the rule as a language would write it."""
    branches = tuple(_collected(written_branch(branch)) for branch in rule.branches)
    return WrittenRule(rule.name, rule.head, branches, rule.recipient, rule.span)


def written_branch(branch: Branch) -> WrittenBranch:
    """Returns the branch with literals about states in the place of openings and endings."""
    return WrittenBranch(
        events=tuple(query for query in branch.events if query.kind == "event"),
        states=tuple(_state(query) for query in branch.events if query.kind != "event" and not query.auxiliary),
        absolute_timers=branch.absolute_timers,
        relative_timers=branch.relative_timers,
        relations=branch.relations,
        collections=tuple(map(_accumulation, branch.collections)),
        absences=tuple(map(_accumulation, branch.absences)),
        conditions=tuple(conjuncts(written_conditions(_not_repeated(branch.conditions)))),
        windows=branch.windows,
        gathered=gathered_order(branch),
        forgotten=branch.forgotten,
        ended=frozenset(query.identifier for query in branch.events if query.kind == "ending"),
    )


def conjuncts(conditions: Iterable[Expression]) -> Iterator[Expression]:
    """Yields the conditions that have to hold together, one by one."""
    for condition in conditions:
        if isinstance(condition, And):
            yield from conjuncts(condition.operands)
        else:
            yield condition


def _state(query: EventQuery) -> StateQuery:
    pattern = as_written(query.pattern)
    assert isinstance(pattern, TermPattern)
    return StateQuery(query.identifier, pattern, query.anonymous, query.span)


def _accumulation(part: Accumulation) -> WrittenAccumulation:
    pattern, of_states = as_written(part.pattern), asks_for_state(part.pattern)
    said = (part.window, pattern, part.negated, of_states, part.conditions, part.span)
    return WrittenAccumulation(*said, part.with_anchor, part.element, part.excluded)


def _not_repeated(conditions: tuple[Expression, ...]) -> Iterator[Expression]:
    """Yields the conditions without `e(x) <= e(s)`, which follows from `x in s`, asked of the opening of s."""
    following = set[Expression]()
    for condition in conditions:
        if isinstance(condition, InState):
            state = condition.state.identifier
            closed = replace(condition.state, identifier=_state_of(state))
            if closed.identifier != state:
                following.add(_ends(condition.event, closed))
    yield from (condition for condition in conditions if condition not in following)


def _state_of(opening: str) -> str:
    """Returns the identifier of the state that an opening with this identifier belongs to."""
    suffix = opening_of("")
    return opening.removesuffix(suffix)


def _begins(first: Expression, second: Expression) -> Expression:
    return Comparison("<=", Call("begin", (first,)), Call("begin", (second,)))


def _ends(first: Expression, second: Expression) -> Expression:
    return Comparison("<=", Call("end", (first,)), Call("end", (second,)))


def _collected(branch: WrittenBranch) -> WrittenBranch:
    """Returns the branch with its gathered events as collections, as far as they are nothing else."""
    for name in branch.gathered:
        query = next((each for each in branch.events if each.identifier == name), None)
        said = [condition for condition in branch.conditions if name in event_references(condition)]
        used = {timer.anchor for timer in branch.relative_timers} | {part.window for part in branch.accumulations}
        window = next((at for at in _containers(branch, name) if {*said} == {*_inside(branch, name, at)}), None)
        if query is None or window is None or name in used | {*_over(branch)}:
            continue
        collection = WrittenAccumulation(window, query.pattern, negated=False, span=query.span)
        branch = replace(
            branch,
            events=tuple(each for each in branch.events if each is not query),
            collections=(*branch.collections, collection),
            conditions=tuple(condition for condition in branch.conditions if condition not in said),
            gathered=tuple(other for other in branch.gathered if other != name),
        )
    return branch


def _over(branch: WrittenBranch) -> Iterator[str]:
    return (name for window in branch.windows for name in window.over)


def _containers(branch: WrittenBranch, name: str) -> Iterator[str]:
    """Yields what an event can lie in: all that is not gathered itself."""
    known = (literal.identifier for literal in branch.timed)
    return (other for other in known if other != name and other not in branch.gathered)


def _inside(branch: WrittenBranch, name: str, window: str) -> Iterator[Expression]:
    """Yields the conditions by which an event lies in a window, as they are after lowering."""
    event, container = EventReference(name), EventReference(window)
    if any(state.identifier == window for state in branch.states):
        yield InState(event, container)
        return
    yield _begins(container, event)
    yield _ends(event, container)
    if window in branch.lasting():
        yield Comparison("<", Call("begin", (container,)), Call("end", (event,)))


def meaning(rule: WrittenRule) -> str:
    """Returns a text that rules share only if they give the same events; rules that give the same may differ in it."""
    parts = [rule.name, repr(rule.head), repr(rule.recipient), *map(_branch_meaning, rule.branches)]
    return "\n".join(parts)


def _branch_meaning(branch: WrittenBranch) -> str:
    named = sorted(repr(replace(literal, anonymous=False)) for literal in (*branch.timed, *branch.windows))
    rows = sorted(repr(query.pattern) for query in branch.relations)
    collected = [repr(replace(part, conditions=())) for part in branch.collections]  # aggregates go by their order
    moved = conjuncts(condition for part in branch.collections for condition in part.conditions)
    conditions = sorted({repr(condition) for condition in (*branch.conditions, *moved)})
    absent = sorted(map(_absence_meaning, branch.absences))
    names = (branch.gathered, sorted(branch.forgotten), sorted(branch.ended))
    return repr((named, rows, collected, absent, conditions, *names))


def _absence_meaning(part: WrittenAccumulation) -> str:
    conditions = sorted({repr(condition) for condition in conjuncts(part.conditions)})
    return repr((replace(part, conditions=()), conditions))
