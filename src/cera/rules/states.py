"""States in bodies: from literals about states to queries for their openings and endings.

A state travels as events (`cera.model.events.states`). A literal whose end nothing names is answered by the opening, so
that what follows is known while the state is open; any other by the ending:

    state s: q                                        event s: opening of q      nothing names e(s)
                                                      event s: ending of q       otherwise
    x in s                                            x in the state behind s's opening, decided when x has ended
    while s: not p, while s: collect p                in s's ending, among the events that are in an open state
    while w: not state p, while w: collect state p    an opening of p before the end of w, of a state not over before it

The end of a state is exclusive: `s before t` is e(s) <= b(t) (ERR-52).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from cera.diagnostics import Span
from cera.model.events.event import STATE_ID
from cera.model.events.states import ENDING, OPENING, state_label
from cera.model.expressions import constructs
from cera.model.expressions.constructs import Construct
from cera.model.expressions.expression import (
    And,
    Call,
    Comparison,
    ComparisonOperator,
    EventReference,
    Expression,
    InState,
    Or,
    Periodic,
    Temporal,
    Variable,
    operands,
    rebuild,
)
from cera.model.matching import patterns
from cera.model.matching.patterns import OptionalPattern, Pattern, TermPattern, VariablePattern, Without
from cera.model.time.containment import Containment
from cera.model.time.timers import TIMERS
from cera.rules.containment_conditions import begin_of, end_of, state_in_state
from cera.rules.rule import Accumulation, Branch, EventQuery, QueryKind, RelativeTimer, Rule

#: The timers that a state may have: none of them ends before the state does (E-23, ERR-28).
STATE_TIMERS = ("extend", "shorten-begin", "shift-forward", "from-end", "from-start")

_ID = "#id"
_OPEN = "#open"
_AS_BEFORE = {"before": False, "after": True, "meets": False, "met-by": True}


@dataclass(frozen=True)
class StateQuery:
    """`state identifier: pattern`, as a rule language has it; the pattern is a term with a label."""

    identifier: str
    pattern: TermPattern
    anonymous: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


def with_states(
    branch: Branch,
    states: Sequence[StateQuery],
    elements: Sequence[Accumulation] = (),
    head: Construct | None = None,
    *,
    whole: Collection[str] = (),
) -> Branch:
    """Returns the branch with literals about states; `elements` are accumulations whose patterns ask for states.

    Where the head names the end of a state, that is waited for; and so are those that are `whole`, whether something
    names their ends or not.
    """
    if not states and not elements:
        return branch
    parts = () if head is None else constructs.walk(head)
    values = (expression for part in parts for expression in constructs.own_expressions(part))
    lowering = _Lowering(branch, tuple(states), tuple(values), frozenset(whole))
    return lowering.branch(elements)


@dataclass(frozen=True)
class _Lowering:
    source: Branch
    states: tuple[StateQuery, ...]
    #: The expressions of the head.
    values: tuple[Expression, ...]
    whole: frozenset[str] = frozenset()

    def branch(self, elements: Sequence[Accumulation]) -> Branch:
        conditions = tuple(self._condition(condition) for condition in self.source.conditions)
        asked = frozenset(c.state.identifier for c in conditions if isinstance(c, InState))
        asked |= frozenset(name for pair in overlapping(conditions) for name in pair)
        windows = {part.window for part in (*self.source.accumulations, *elements)}
        inner = (self._condition(c) for part in (*self.source.accumulations, *elements) for c in part.conditions)
        naming = (*conditions, *inner, *self.values)
        ended = {s.identifier for s in self.states if self._is_end_named(s.identifier, naming, windows)}
        # openings first: events are kept with a state that is open, and not for one that may end some day
        events = [opening_query(s) for s in self.states if s.identifier in ended & asked]
        events += self.source.events
        for state in self.states:
            name = state.identifier
            kind: QueryKind = "ending" if name in ended else "opening"
            pattern = state_pattern(state.pattern, ENDING if name in ended else OPENING, name)
            events.append(EventQuery(name, pattern, state.anonymous, state.span, kind))
        accumulations = [self._within_states(part, ended) for part in self.source.accumulations]
        accumulations += [self._of_states(part, number, ended) for number, part in enumerate(elements)]
        return replace(
            self.source,
            events=tuple(events),
            collections=tuple(part for part in accumulations if not part.negated),
            absences=tuple(part for part in accumulations if part.negated),
            conditions=(
                *(each for condition in conditions for each in self._decided(condition, ended)),
                *(in_state(name, opening_of(name)) for name in sorted(ended & asked)),
            ),
        )

    @property
    def _names(self) -> frozenset[str]:
        return frozenset(state.identifier for state in self.states)

    @property
    def _lasting(self) -> frozenset[str]:
        """The identifiers of states, and of timers on them, which are states as well."""
        found = set(self._names)
        for timer in _in_order(self.source.relative_timers, found):
            if timer.anchor in found:
                found.add(timer.identifier)
        return frozenset(found)

    def _is_end_named(self, name: str, conditions: Iterable[Expression], windows: Iterable[str]) -> bool:
        timers = (timer for timer in self.source.relative_timers if timer.anchor == name)
        return (
            name in windows
            or name in self.whole
            or any("end" in (TIMERS[timer.kind][0][0], TIMERS[timer.kind][1][0]) for timer in timers)
            or any(_names_end(condition, name) for condition in conditions)
        )

    def _condition(self, condition: Expression) -> Expression:
        """Returns the condition in terms of begins and ends, where it is about states."""
        match condition:
            case Temporal(relation=relation, left=left, right=right) if relation in _AS_BEFORE:
                if _name(left) not in self._lasting and _name(right) not in self._lasting:
                    return condition
                if isinstance(left, Periodic) or isinstance(right, Periodic):  # they only meet
                    return condition
                first, second = (right, left) if _AS_BEFORE[relation] else (left, right)
                if relation in ("meets", "met-by"):
                    return Comparison("=", _end(first), _begin(second), condition.span)
                operator: ComparisonOperator = "<=" if _name(first) in self._lasting else "<"  # ERR-52
                return Comparison(operator, _end(first), _begin(second), condition.span)
            case InState(state=EventReference(identifier=name)) if name not in self._names and name in self._lasting:
                return _with_known_end(condition)
            case _:
                return rebuild(condition, self._condition)

    def _decided(self, condition: Expression, ended: set[str]) -> Iterator[Expression]:
        """Yields the condition with `in` asked of the opening where the ending is queried, so that events are taken
        while the state is open; inside of other conditions it is asked of the ending, but for those by which states
        share time, which is known when both have begun."""
        if isinstance(condition, InState) and condition.state.identifier in ended:
            opened = replace(condition.state, identifier=opening_of(condition.state.identifier))
            yield replace(condition, state=opened)
            yield Comparison("<=", _end(condition.event), _end(condition.state), condition.span)  # as the opening says
        elif pairs := list(overlapping([condition])):
            for pair in pairs:
                yield state_in_state(*(opening_of(each) if each in ended else each for each in pair))
                for one, other in (pair, pair[::-1]):
                    if one in ended:  # as the opening says
                        yield Comparison("<=", begin_of(other), end_of(one))
        else:
            yield _of_ending(condition, ended)

    def _with_conditions(self, part: Accumulation, ended: set[str]) -> Accumulation:
        conditions = (_of_ending(self._condition(condition), ended) for condition in part.conditions)
        return replace(part, conditions=tuple(conditions))

    def _within_states(self, part: Accumulation, ended: set[str]) -> Accumulation:
        part = self._with_conditions(part, ended)
        if part.window in ended:
            state = next(state for state in self.states if state.identifier == part.window)
            return replace(part, containment="in-state", opening=opening_query(state))
        return replace(part, containment="in-state") if part.window in self._lasting else part

    def _of_states(self, part: Accumulation, number: int, ended: set[str]) -> Accumulation:
        """Returns an accumulation whose pattern asks for states: they hold in an event, or share time with a window."""
        part = self._with_conditions(part, ended)
        events = {query.identifier for query in self.source.events}
        containment: Containment = "sharing"
        if part.window in events:
            containment = "holding"
        elif part.window in self._lasting:
            containment = "common"
        assert isinstance(part.pattern, TermPattern)
        pattern = state_pattern(part.pattern, OPENING, f"{part.window}#{number}")
        return replace(part, pattern=pattern, containment=containment)


def arriving(query: EventQuery) -> tuple[Pattern, ...]:
    """Returns the patterns of what has to come in for a query: the ending of a state follows from its opening."""
    if query.kind != "ending":
        return (query.pattern,)
    assert isinstance(query.pattern, TermPattern)
    assert isinstance(query.pattern.label, str)
    return (query.pattern, replace(query.pattern, label=OPENING + query.pattern.label.removeprefix(ENDING)))


def awaited_labels(rules: Iterable[Rule]) -> frozenset[str]:
    """Returns the labels of the states whose ends some rule waits for."""
    queries = (query for rule in rules for branch in rule.branches for query in branch.events)
    patterns = (query.pattern for query in queries if query.kind == "ending")
    labels = (pattern.label for pattern in patterns if isinstance(pattern, TermPattern))
    return frozenset(label.removeprefix(ENDING) for label in labels if isinstance(label, str))


def opening_query(state: StateQuery) -> EventQuery:
    """Returns the query for the opening of a state whose ending is asked for, or in which something is absent."""
    pattern = state_pattern(_without_optional(state.pattern), OPENING, state.identifier)
    return EventQuery(opening_of(state.identifier), pattern, True, state.span, "opening", auxiliary=True)


def opening_of(state: str) -> str:
    """Returns the identifier of the opening of a state whose ending has the identifier of the state itself."""
    return f"{state}{_OPEN}"


def is_another(state: str, other: str) -> Expression:
    """Returns the condition that two literals have found different states."""
    return Comparison("!=", Variable(state_variable(state)), Variable(state_variable(other)))


def state_variable(state: str) -> str:
    """Returns the variable with the id of the state that a literal has found."""
    return f"_{state}{_ID}"


def is_hidden(variable: str) -> bool:
    """Returns whether a variable stands for the id of a state, which no program names."""
    return variable.endswith(_ID)


def state_pattern(pattern: TermPattern, prefix: str, name: str) -> TermPattern:
    """Returns the pattern for openings or endings of the states that a pattern matches; binds the id of the state."""
    assert isinstance(pattern.label, str)
    identity = TermPattern(STATE_ID, (VariablePattern(state_variable(name)),), ordered=False, total=False)
    return replace(pattern, label=prefix + pattern.label, children=(*pattern.children, identity))


def as_written(pattern: Pattern) -> Pattern:
    """Returns the pattern of states that one of openings or endings was made of; any other pattern as it is."""
    if not isinstance(pattern, TermPattern) or not isinstance(pattern.label, str):
        return pattern
    label = state_label(pattern.label)
    if label is None:
        return pattern
    children = (c for c in pattern.children if not (isinstance(c, TermPattern) and c.label == STATE_ID))
    return replace(pattern, label=label, children=tuple(children))


def asks_for_state(pattern: Pattern) -> bool:
    """Returns whether a pattern is one of openings or endings of states."""
    return as_written(pattern) is not pattern


def written_conditions(conditions: Iterable[Expression]) -> tuple[Expression, ...]:
    """Returns the conditions of a branch as they were written, `in` asked of the states themselves."""

    def renamed(part: Expression) -> Expression:
        if isinstance(part, EventReference):
            return replace(part, identifier=part.identifier.removesuffix(_OPEN))
        return rebuild(part, renamed)

    def is_own(part: Expression) -> bool:
        return isinstance(part, InState) and _name(part.event) == part.state.identifier.removesuffix(_OPEN)

    return tuple(renamed(condition) for condition in conditions if not is_own(condition))


def _without_optional(pattern: TermPattern) -> TermPattern:
    """Returns a pattern for the same and more terms, whose variables all have values: it is joined to the exact one."""
    certain = (child for child in pattern.children if not any(_may_lack(part) for part in patterns.walk(child)))
    return replace(pattern, children=tuple(certain), total=False)


def _may_lack(pattern: Pattern) -> bool:
    return isinstance(pattern, OptionalPattern | Without)


def _in_order(timers: Sequence[RelativeTimer], known: Iterable[str]) -> Iterator[RelativeTimer]:
    """Yields the timers that are anchored at one of these, or at a timer that is."""
    reached = set(known)
    waiting = list(timers)
    while ready := [timer for timer in waiting if timer.anchor in reached]:
        yield from ready
        reached |= {timer.identifier for timer in ready}
        waiting = [timer for timer in waiting if timer not in ready]


def _name(expression: Expression) -> str | None:
    return expression.identifier if isinstance(expression, EventReference) else None


def _begin(interval: Expression) -> Expression:
    return Call("begin", (interval,), interval.span)


def _end(interval: Expression) -> Expression:
    return Call("end", (interval,), interval.span)


def _names_end(condition: Expression, state: str) -> bool:
    """Returns whether a condition speaks of more than the begin of a state."""
    match condition:
        case EventReference():
            return condition.identifier == state
        case Call(function="begin", arguments=(EventReference(),)):
            return False
        case InState():
            return _names_end(condition.event, state)
        case _:
            return any(_names_end(part, state) for part in operands(condition))


def in_state(event: str, state: str) -> InState:
    return InState(EventReference(event), EventReference(state))


def contained(conditions: Iterable[Expression]) -> Iterator[tuple[str, str]]:
    """Yields the events that must be in a state, with the opening of that."""
    for condition in conditions:
        match condition:
            case InState(event=EventReference(identifier=event)):
                yield event, condition.state.identifier
            case And():
                yield from contained(condition.operands)
            case _:
                pass


def overlapping(conditions: Iterable[Expression]) -> Iterator[tuple[str, str]]:
    """Yields the states that must share time with others, each with the one that it is evaluated in."""
    for condition in conditions:
        match condition:
            case Or(
                operands=(
                    And(operands=(Comparison(left=Call(arguments=(first,)), right=Call(arguments=(second,))), _)),
                    *_,
                )
            ):
                state, time = _name(first), _name(second)
                if state is not None and time is not None and condition == state_in_state(state, time):
                    yield state, time
            case And():
                yield from overlapping(condition.operands)
            case _:
                pass


def _with_known_end(condition: InState) -> Expression:
    """Returns `x in s` for a state whose end is known with it."""
    event, state, span = condition.event, condition.state, condition.span
    begun = Comparison("<=", _begin(state), _begin(event), span)
    return And(
        (begun, Comparison("<", _begin(state), _end(event), span), Comparison("<=", _end(event), _end(state), span)),
        span,
    )


def _of_ending(condition: Expression, ended: set[str]) -> Expression:
    if isinstance(condition, InState) and condition.state.identifier in ended:
        return _with_known_end(condition)
    return rebuild(condition, lambda part: _of_ending(part, ended))
