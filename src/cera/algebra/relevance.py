"""Temporal relevance: how long a stored tuple can still contribute to an answer (C-26).

The time conditions of an expression form a network of difference bounds. A tuple becomes known at the end of its last
event, and is used when its partner becomes known; the closure of the network bounds the time between the two. A tuple
whose bound has passed is dropped. Where there is no bound, it is never dropped.

An event is known only at its end, so one that lasts long reaches far back: the network holds end - begin <= duration
for every event, where that is known: for incoming events it is declared (0 for points), for derived ones it follows
from their rules, for timers from their calendars.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil

from cera.algebra.operators import (
    AbsoluteTimers,
    AntiSemiJoin,
    BoundedWindows,
    Construction,
    Expression,
    Join,
    Matching,
    Merging,
    PeriodicWindows,
    Reference,
    RelativeTimers,
    Renaming,
    Selection,
    TemporalJoin,
    Union,
    inputs,
    walk,
)
from cera.algebra.plan import Plan, Point
from cera.algebra.reach import Reach, reach
from cera.model.events.states import is_ending, is_opening
from cera.model.expressions.expression import Call, Comparison, DurationLiteral, EventReference
from cera.model.expressions.expression import Expression as Condition
from cera.model.expressions.expression import rebuild as rebuild_condition
from cera.model.time.durations import Duration
from cera.model.time.timers import Edge
from cera.rules.analysis.unification import query_label
from cera.rules.reasoning.difference_bounds import Bound, Constraint
from cera.rules.reasoning.time_consequences import consequences, time_network
from cera.rules.reasoning.time_constraints import TimeConstraint, TimeNetwork, TimeReason
from cera.rules.reasoning.time_points import TimePoint
from cera.rules.rule import AbsoluteTimer, BoundedWindow, Branch, EventQuery, PeriodicWindow, RelativeTimer
from cera.rules.states import contained, is_hidden, opening_of, overlapping, state_variable


@dataclass(frozen=True)
class Horizon:
    """The time for which a relation keeps a tuple past its end (None: forever), and the reasons for it."""

    of: str
    microseconds: int | None
    reasons: tuple[TimeReason, ...] = ()
    #: Whether it is dropped when a state has ended; the rest is then not needed.
    ends_with_state: bool = False
    #: Whether it is dropped when no state is open any more that began before.
    needs_open: bool = False

    @property
    def is_bounded(self) -> bool:
        return self.microseconds is not None or self.ends_with_state or self.needs_open


@dataclass(frozen=True)
class OpenState:
    """The states that a row needs: one whose opening has this label, and that has begun before the row was known or,
    if it has the opening of a state that is in the other one, before that has ended.
    """

    label: str
    opening: str | None


@dataclass(frozen=True)
class JoinSpan:
    """The limits of two ends: `right` ends at most `before` microseconds before and `after` after the end of `left`."""

    left: str
    right: str
    before: int
    after: int


@dataclass
class Relevance:
    """The horizons of the joins and windows of a plan; incoming events last at most `max_duration`, if it is known."""

    plan: Plan
    max_duration: int | None = None
    _networks: dict[int, TimeNetwork] = field(default_factory=dict, init=False)
    #: The events of a body that are in a state, with the opening of that.
    _contained: dict[int, tuple[tuple[str, str], ...]] = field(default_factory=dict, init=False)
    #: The openings of states of a body, with their labels.
    _openings: dict[int, Mapping[str, str]] = field(default_factory=dict, init=False)
    _durations: dict[str, int | None] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        for point in self.plan.points:
            if point.name not in self._durations:
                self._recursive_durations(point)
            self._durations[point.name] = self._longest(point)

    def _recursive_durations(self, point: Point) -> None:
        """Bounds the durations of events that depend on themselves.

        At first they may last for any time. What follows from that holds, so it may be used for a tighter bound, again
        and again; after as many rounds as there are points on the cycle, every bound has gone round once.
        """
        cycle = self.plan.cycle(point.name)
        for each in cycle:
            self._durations[each.name] = None
        for _ in cycle:
            for each in cycle:
                self._durations[each.name] = self._longest(each)

    def _longest(self, point: Point) -> int | None:
        """Returns how long the events of a point can last; makes the networks of its bodies."""
        lengths = [self._enter(body) for body in _bodies(point.expression)]
        if _is_momentary(point.expression):
            return 0
        known = [length for length in lengths if length is not None]
        return max(known) if len(known) == len(lengths) else None

    def join_horizons(self, join: Join) -> tuple[int | None, int | None]:
        left, right = self.join_bounds(join)
        return left.microseconds, right.microseconds

    def join_bounds(self, join: Join) -> tuple[Horizon, Horizon]:
        """Returns both horizons: a row is used when one of the other side comes, max over r of the least bound on e(r)
        - e(l)."""
        left, right = list(self._events(join.left)), list(self._events(join.right))
        network = self._networks[id(join)]
        slacks = self.join_slacks(join)
        horizons = self._horizon(network, left, right), self._horizon(network, right, left)
        open_ones = self.join_needs_open(join)
        first, second = (
            replace(horizon, ends_with_state=bool(slack), needs_open=not slack and is_open is not None)
            for horizon, slack, is_open in zip(horizons, slacks, open_ones, strict=True)
        )
        return first, second

    def join_reaches(self, join: Join) -> tuple[Reach, Reach]:
        """Returns how far a new row reaches: one of the right side among those of the left, and the other way round."""
        left, right = list(self._events(join.left)), list(self._events(join.right))
        network, (kept_left, kept_right) = self._networks[id(join)], self.join_horizons(join)
        return reach(network, left, right, kept_left), reach(network, right, left, kept_right)

    def join_slacks(self, join: Join) -> tuple[dict[str, int], dict[str, int]]:
        """Returns, for both sides, the openings of states with whose end a stored row can be dropped, and how much
        later: the other side has an event that is in the state.
        """
        left, right = list(self._events(join.left)), list(self._events(join.right))
        return self._slacks(join, left, right), self._slacks(join, right, left)

    def join_needs_open(self, join: Join) -> tuple[OpenState | None, OpenState | None]:
        """Returns, for both sides, the states without which a stored row can be dropped, though it has none of them:
        something of both sides is in the same one, so one must be open that has begun before.
        """
        left, right = list(self._events(join.left)), list(self._events(join.right))
        return self._needs_open(join, left, right), self._needs_open(join, right, left)

    def _needs_open(self, join: Join, stored: list[str], arriving: list[str]) -> OpenState | None:
        network, inside = self._networks[id(join)], self._contained[id(join)]
        if network.contradiction is not None:
            return None
        labels = self._openings[id(join)]
        kept = [pair for pair in inside if pair[0] in stored and pair[1] in labels and pair[1] not in stored]
        for name, state in sorted(kept, key=lambda pair: pair[0] in labels):  # events end before states do
            others = [_end(other) for other, time in inside if time == state and other in arriving]
            if others and _latest(network, arriving, others) == 0:
                return OpenState(labels[state], name if name in labels else None)
        return None

    def _slacks(self, join: Join, stored: list[str], arriving: list[str]) -> dict[str, int]:
        network, found = self._networks[id(join)], dict[str, int]()
        if network.contradiction is not None:
            return {}
        inside: dict[str, list[TimePoint]] = {}
        for event, state in self._contained[id(join)]:
            if state in stored and event in arriving:
                inside.setdefault(state, [_end(state)]).append(_end(event))
        for state, ends in inside.items():
            slack = _latest(network, arriving, ends)
            if slack is not None:
                found[state] = slack
        return found

    def window_slack(self, operator: TemporalJoin | AntiSemiJoin) -> int | None:
        """Returns how long after the end of a state what is kept for windows with it can be dropped, if it can be.

        What is in a state is looked up when that has ended; a state that holds in an event, when the event has ended.
        """
        network = self._networks[id(operator)]
        if operator.containment == "inside" or network.contradiction is not None:
            return None
        is_alone = operator.right.schema.intervals == {operator.element}
        if operator.containment == "in-state" and is_alone:
            return None  # the window is a timer on a state
        positive = [name for name, _ in _positive(operator.left, self.plan)]
        edge: Edge = "end" if operator.containment in ("in-state", "holding") or not is_alone else "begin"
        points = [TimePoint(operator.window, edge)]
        for state in [] if is_alone else self._states_of(operator):  # these last until it ends
            points += (_end(event) for event, time in self._contained[id(operator)] if time == state)
            points += (_end(name) for name in positive if state in (name, opening_of(name)))
        return _latest(network, positive, points)

    def _states_of(self, operator: TemporalJoin | AntiSemiJoin) -> list[str]:
        """Returns the openings of the left side that are those of the state beside an element, as their ids say."""
        own = {name for name in operator.right.schema.data if is_hidden(name)}
        positive = (name for name, literal in _positive(operator.left, self.plan) if _is_opening(literal))
        return [name for name in positive if state_variable(name.removesuffix(opening_of(""))) in own]

    def window_horizon(self, operator: TemporalJoin | AntiSemiJoin) -> int | None:
        return self.window_bound(operator).microseconds

    def duration(self, point: str) -> int | None:
        """Returns how long the events that a point derives can last, if that is bounded."""
        return self._durations[point]

    def window_bound(self, operator: TemporalJoin | AntiSemiJoin) -> Horizon:
        """Returns the horizon of events that are looked up when the last event of the row with the window has ended."""
        positive = [name for name, _ in _positive(operator.left, self.plan)]
        window, element = operator.window, operator.element
        ends_with_state = self.window_slack(operator) is not None
        if operator.containment in ("holding", "sharing", "common"):  # a state may have begun at any time
            return Horizon(element, None, ends_with_state=ends_with_state)
        inside: list[TimeConstraint] = [
            Constraint(_begin(window), _begin(element), 0),
            Constraint(_begin(element), _end(element), 0),
            Constraint(_end(element), _end(window), 0),
            *self._lasts(element, _source_of(operator.right, element, self.plan)),
            *(constraint for condition in operator.condition for constraint in consequences(condition)),
        ]
        found = self._horizon(self._networks[id(operator)].adding(inside), [element], positive)
        return replace(found, ends_with_state=ends_with_state)

    def join_span(self, join: Join) -> JoinSpan | None:
        """Returns the closest pair of events of both sides, if the time between any two is bounded."""
        network = self._networks[id(join)]
        if network.contradiction is not None:
            return None
        spans: list[JoinSpan] = []
        for left in self._events(join.left):
            for right in self._events(join.right):
                after, before = network.bound(_end(right), _end(left)), network.bound(_end(left), _end(right))
                if after is not None and before is not None:
                    spans.append(JoinSpan(left, right, ceil(before.value), ceil(after.value)))
        return min(spans, key=lambda span: span.before + span.after, default=None)

    def spanning(self, construction: Construction, cycle: Collection[str]) -> tuple[str, ...]:
        """Returns the identifiers of events that rules of a cycle derive and that may have the head's interval."""
        found: dict[str, None] = {}
        for body in _bodies(construction):
            names = self._traced(body)
            for name in names:
                source = _source_of(body, name, self.plan)
                parts = source.inputs if isinstance(source, Union) else (source,)
                if any(isinstance(part, Reference) and part.name in cycle for part in parts):
                    around: list[TimeConstraint] = [Constraint(_begin(name), _begin(other), 0) for other in names]
                    if construction.momentary:
                        around = [Constraint(_end(name), _begin(name), 0)]
                    around += [Constraint(_end(other), _end(name), 0) for other in names]
                    if self._networks[id(body)].adding(around).contradiction is None:
                        found[name] = None
        return tuple(found)

    def window_length(self, operator: TemporalJoin | AntiSemiJoin) -> int | None:
        """Returns how long the windows of an operator can be, if that is bounded."""
        network = self._networks[id(operator)]
        if network.contradiction is not None:
            return None
        longest = network.bound(_end(operator.window), _begin(operator.window))
        return None if longest is None else ceil(longest.value)

    def _horizon(self, network: TimeNetwork, stored: list[str], arriving: list[str]) -> Horizon:
        name = ", ".join(stored)
        if network.contradiction is not None:
            return Horizon(name, -1)
        latest = Bound[TimeReason](-1, ())
        for arrival in arriving:
            bounds = [network.bound(_end(arrival), _end(kept)) for kept in stored]
            known = [bound for bound in bounds if bound is not None]
            if not known:
                return Horizon(name, None)
            tightest = min(known, key=lambda bound: bound.value)
            latest = max(tightest, latest, key=lambda bound: bound.value)
        return Horizon(name, ceil(latest.value), latest.reasons)

    def _events(self, expression: Expression) -> Iterator[str]:
        """Yields the identifiers without those of timers and windows, which follow from them."""
        following = RelativeTimer | PeriodicWindow | BoundedWindow
        return (name for name, literal in _positive(expression, self.plan) if not isinstance(literal, following))

    def _traced(self, body: Expression) -> list[str]:
        """Returns the identifiers whose hull is the interval of an answer: those that are not gathered."""
        return [name for name, _ in _positive(body, self.plan) if name in body.schema.intervals]

    def _enter(self, body: Expression) -> int | None:
        """Makes the network of a body; returns how long the events that it derives can last."""
        network = self._network(body)
        self._note(body, network)
        for node in walk(body):
            if isinstance(node, TemporalJoin | AntiSemiJoin):  # what is kept for a window does not depend on its row
                self._enter_right(node.right)
        if network.contradiction is not None:
            return 0
        names = self._traced(body)
        literals = dict(_positive(body, self.plan))
        early_ones = [name for name in names if not _is_opening(literals[name])] or names
        spans = [network.least(_end(late), _begin(early)) for late in names for early in early_ones]
        known = [span for span in spans if span is not None]
        return ceil(max(known)) if known and len(known) == len(spans) else None

    def _enter_right(self, right: Expression) -> None:
        """Makes the network of the right side of a window, if that is a join."""
        if any(isinstance(node, Join) for node in walk(right)):
            self._note(right, self._network(right))

    def _note(self, body: Expression, network: TimeNetwork) -> None:
        """Notes what is known of all operators of a body."""
        inside = self._inside(body)
        labels = {name: query_label(each.pattern) or "" for name, each in self._opened(body)}
        for node in walk(body):
            self._networks[id(node)] = network
            self._contained[id(node)] = inside
            self._openings[id(node)] = labels

    def _opened(self, body: Expression) -> Iterator[tuple[str, EventQuery]]:
        for name, literal in _positive(body, self.plan):
            if isinstance(literal, EventQuery) and _is_opening(literal):
                yield name, literal

    def _inside(self, body: Expression) -> tuple[tuple[str, str], ...]:
        """Returns the events and openings of states that must be in a state, with the opening of that."""
        found = [*contained(_conditions(body, self.plan))]
        openings = {name for name, _ in self._opened(body)}
        for pair in overlapping(_conditions(body, self.plan)):
            if openings.issuperset(pair):
                found += [pair, pair[::-1]]
        return tuple(found)

    def _network(self, body: Expression) -> TimeNetwork:
        literals = dict(_positive(body, self.plan))
        conditions = tuple(_conditions(body, self.plan))
        network = time_network(_branch(literals.values(), conditions))
        extra: list[TimeConstraint] = []
        for name, literal in literals.items():
            if _is_opening(literal):
                extra.append(Constraint(_end(name), _begin(name), 0))
            elif isinstance(literal, EventQuery) and not is_ending(query_label(literal.pattern) or ""):
                extra += self._lasts(name, _source_of(body, name, self.plan))
            elif isinstance(literal, AbsoluteTimer):
                extra += self._occurs(name, literal)
        return network.adding(extra)

    def _occurs(self, name: str, literal: AbsoluteTimer) -> list[TimeConstraint]:
        """Returns end - begin <= the longest occurrence of the timer's calendar; a date and time is a point."""
        for calendar in self.plan.calendars:
            if calendar.name == literal.timer.name:
                return [Constraint(_end(name), _begin(name), calendar.longest, literal)]
        return []

    def _lasts(self, name: str, source: Expression | None) -> list[TimeConstraint]:
        """Returns end - begin <= duration of the events that a matching takes."""
        parts = source.inputs if isinstance(source, Union) else (source,)
        lengths = [self._durations[p.name] if isinstance(p, Reference) else self.max_duration for p in parts if p]
        known = [length for length in lengths if length is not None]
        if not lengths or len(known) < len(lengths):
            return []
        longest = max(known)
        return [Constraint(_end(name), _begin(name), longest, _at_most(name, longest) if longest else None)]


def _latest(network: TimeNetwork, events: Iterable[str], points: Sequence[TimePoint]) -> int | None:
    """Returns how much later than one of the points each of the events ends at most, if that is bounded."""
    latest = 0
    for event in events:
        if _end(event) in points:
            continue
        known = [bound.value for point in points if (bound := network.bound(_end(event), point)) is not None]
        if not known:
            return None
        latest = max(latest, ceil(min(known)))
    return latest


def _is_opening(literal: Positive) -> bool:
    label = query_label(literal.pattern) if isinstance(literal, EventQuery) else None
    return label is not None and is_opening(label)


def _at_most(identifier: str, microseconds: int) -> Condition:
    """Returns a bound on the duration of an event as a condition."""
    length = Call("length", (EventReference(identifier),))
    return Comparison("<=", length, DurationLiteral(Duration(0, microseconds)))


def _begin(identifier: str) -> TimePoint:
    return TimePoint(identifier, "begin")


def _end(identifier: str) -> TimePoint:
    return TimePoint(identifier, "end")


def _is_momentary(expression: Expression) -> bool:
    """Returns whether the events of a point have no duration."""
    parts = expression.inputs if isinstance(expression, Union) else (expression,)
    return all(isinstance(part, Construction) and part.momentary for part in parts)


def _bodies(expression: Expression) -> list[Expression]:
    """Returns the parts of a point that have a network of their own: below merging, or the whole point."""
    match expression:
        case Construction() | Merging():
            return _bodies(expression.input)
        case Union():
            return [body for part in expression.inputs for body in _bodies(part)]
        case _:
            return [expression]


Positive = EventQuery | RelativeTimer | AbsoluteTimer | PeriodicWindow | BoundedWindow


def _positive(expression: Expression, plan: Plan) -> Iterator[tuple[str, Positive]]:
    """Yields the positive literals below an expression, by the identifiers they have in it."""
    match expression:
        case Matching():
            yield expression.identifier, EventQuery(expression.identifier, expression.pattern)
        case AbsoluteTimers():
            yield expression.identifier, AbsoluteTimer(expression.identifier, expression.timer)
        case RelativeTimers():
            timer = RelativeTimer(expression.identifier, expression.kind, expression.anchor, expression.duration)
            yield expression.identifier, timer
        case PeriodicWindows():
            window = PeriodicWindow(expression.identifier, *expression.period, expression.over)
            yield expression.identifier, window
        case BoundedWindows():
            yield expression.identifier, BoundedWindow(expression.identifier, expression.bounds)
        case Reference():
            yield from _positive(plan.by_name[expression.name].expression, plan)
        case Renaming():
            new_names = {old: new for new, old in expression.identifiers}
            for _, literal in _positive(expression.input, plan):
                yield _renamed_literal(literal, new_names)
        case TemporalJoin() | AntiSemiJoin():
            yield from _positive(expression.left, plan)
        case _:
            for part in inputs(expression):
                yield from _positive(part, plan)


def _renamed_literal(literal: Positive, names: Mapping[str, str]) -> tuple[str, Positive]:
    name = names.get(literal.identifier, literal.identifier)
    if isinstance(literal, RelativeTimer):
        return name, replace(literal, identifier=name, anchor=names.get(literal.anchor, literal.anchor))
    if isinstance(literal, PeriodicWindow):
        return name, replace(literal, identifier=name, over=tuple(names.get(each, each) for each in literal.over))
    if isinstance(literal, BoundedWindow):
        bounds = literal.bounds.renamed(lambda each: names.get(each, each))
        return name, replace(literal, identifier=name, bounds=bounds)
    return name, replace(literal, identifier=name)


def _conditions(expression: Expression, plan: Plan) -> Iterator[Condition]:
    """Yields the conditions that hold for every tuple of an expression."""
    match expression:
        case Selection():
            yield expression.condition
            yield from _conditions(expression.input, plan)
        case Reference():
            yield from _conditions(plan.by_name[expression.name].expression, plan)
        case Renaming():
            new_names = {old: new for new, old in expression.identifiers}
            yield from (renamed_condition(c, new_names) for c in _conditions(expression.input, plan))
        case Matching():  # the conditions on its events are about other events
            return
        case TemporalJoin() | AntiSemiJoin():
            yield from _conditions(expression.left, plan)
        case _:
            for part in inputs(expression):
                yield from _conditions(part, plan)


def renamed_condition(condition: Condition, names: Mapping[str, str]) -> Condition:
    """Returns the condition under other names for its events."""
    if isinstance(condition, EventReference):
        return replace(condition, identifier=names.get(condition.identifier, condition.identifier))
    return rebuild_condition(condition, lambda part: renamed_condition(part, names))


def _source_of(expression: Expression, identifier: str, plan: Plan) -> Expression | None:
    """Returns where the matching of an identifier takes its events from."""
    match expression:
        case Matching():
            return expression.source if expression.identifier == identifier else None
        case Reference():
            return _source_of(plan.by_name[expression.name].expression, identifier, plan)
        case Renaming():
            old_names = dict(expression.identifiers)
            return _source_of(expression.input, old_names.get(identifier, identifier), plan)
        case TemporalJoin() | AntiSemiJoin():
            return _source_of(expression.left, identifier, plan)
        case _:
            found = (_source_of(part, identifier, plan) for part in inputs(expression))
            return next((source for source in found if source is not None), None)


def _branch(literals: Iterable[Positive], conditions: tuple[Condition, ...]) -> Branch:
    every = list(literals)
    return Branch(
        events=tuple(literal for literal in every if isinstance(literal, EventQuery)),
        absolute_timers=tuple(literal for literal in every if isinstance(literal, AbsoluteTimer)),
        relative_timers=tuple(literal for literal in every if isinstance(literal, RelativeTimer)),
        conditions=conditions,
        windows=tuple(literal for literal in every if isinstance(literal, PeriodicWindow | BoundedWindow)),
    )
