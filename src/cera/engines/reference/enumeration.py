"""Every match of a body B: all (τ, σ) with I, σ, τ ⊨ B^t, found by joining answers instead of trying everything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cera.engines.reference.entailment import (
    Interpretation,
    Theory,
    Trace,
    interval_of,
    match_timer,
    timer_event,
    window_events,
    with_element,
)
from cera.model.events.event import Event
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Expression
from cera.model.matching import patterns
from cera.model.matching.matching import Substitution, join, substitution_key
from cera.model.time.interval import Interval, hull
from cera.rules.rule import AbsoluteTimer, Accumulation, Branch, EventQuery, auxiliary_windows, gathered_order


@dataclass(frozen=True)
class Match:
    """One way to satisfy a body: the event trace τ, the events gathered and that of each `collect`, and σ."""

    trace: Trace
    collected: tuple[Event, ...]
    values: Substitution
    interval: Interval

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """The order in which aggregates fold matches: by their events (end, begin, id), then by σ."""
        return (tuple(event.order_key for event in self.collected), substitution_key(self.values))


def matches(
    theory: Theory, events: Interpretation, branch: Branch, new: frozenset[Event] | None = None
) -> Iterator[Match]:
    """Yields every match of the branch: positive literals first, then collections, then absences.

    With `new`, only those that use one of these events: all others have been found before they came.
    """
    yield from _Enumeration(theory, events, branch).matches(new)


@dataclass(frozen=True)
class _Enumeration:
    theory: Theory
    events: Interpretation
    branch: Branch

    def matches(self, new: frozenset[Event] | None) -> Iterator[Match]:
        branch = self.branch
        late_variables = frozenset[str]().union(
            *(patterns.variables(part.pattern) for part in branch.collections)
        ) - frozenset().union(*(patterns.bound_variables(query.pattern) for query in branch.events))
        early = [c for c in branch.conditions if not expressions.variables(c) & late_variables]
        late = [c for c in branch.conditions if expressions.variables(c) & late_variables]
        for trace, values in self._traces(early, new):
            for collected, extended in self._collect(trace, values):
                if self.theory.hold(late, extended, trace) and not any(
                    self._occurs(absence, trace, extended) for absence in branch.absences
                ):
                    gathered = gathered_order(branch)
                    left_out = {*gathered, *auxiliary_windows(branch)}
                    remaining = {name: event for name, event in trace.items() if name not in left_out}
                    matched = (*(trace[name] for name in gathered), *collected)
                    kept = {name: value for name, value in extended.items() if name not in branch.forgotten}
                    yield Match(remaining, matched, kept, interval_of(trace, branch))

    def _traces(
        self, conditions: Sequence[Expression], new: frozenset[Event] | None
    ) -> Iterator[tuple[Trace, Substitution]]:
        """Yields every τ with its σ: combinations of events that agree on shared variables and satisfy the
        conditions."""
        if new is None or self.branch.collections:  # a new event may also be collected
            yield from self._traces_with(conditions, None, frozenset())
        else:
            for place in range(len(self.branch.events)):
                yield from self._traces_with(conditions, place, new)

    def _traces_with(
        self, conditions: Sequence[Expression], place: int | None, new: frozenset[Event]
    ) -> Iterator[tuple[Trace, Substitution]]:
        """Yields the traces whose event at the place is one of the new ones; all of them without a place.

        A condition is tested as soon as everything that it is about is bound.
        """
        literals: tuple[EventQuery | AbsoluteTimer, ...] = (*self.branch.events, *self.branch.absolute_timers)
        partial: Iterable[tuple[Trace, Substitution]] = [({}, {})]
        known: frozenset[str] = frozenset()
        for number, literal in enumerate(literals):
            own = _settled_by(literal)
            known |= own
            alone, conditions = _speaking_of(own, conditions)
            together, conditions = _speaking_of(known, conditions)
            found = [
                (event, answer)
                for event, answer in self._answers(literal, new if number == place else None)
                if self.theory.hold(alone, answer, {literal.identifier: event})
            ]
            partial = self._extended(partial, literal.identifier, found, together)
        for trace, values in partial:
            timed = with_relative_timers(trace, self.branch)
            for complete in with_windows(timed, self.branch) if timed is not None else ():
                for rows in self._rows(complete, values):
                    if self.theory.hold(conditions, rows, complete):
                        yield complete, rows

    def _rows(self, trace: Trace, values: Substitution) -> list[Substitution]:
        """Returns σ with the values of each combination of rows of the relations, as of the end of the trace."""
        found = [values]
        left_out = auxiliary_windows(self.branch)
        for query in self.branch.relations:
            end = hull(event.interval for name, event in trace.items() if name not in left_out).end
            answers = self.theory.rows(query, end)
            found = [joined for each in found for answer in answers if (joined := join(each, answer)) is not None]
        return found

    def _extended(
        self,
        partial: Iterable[tuple[Trace, Substitution]],
        identifier: str,
        found: Sequence[tuple[Event, Substitution]],
        conditions: Sequence[Expression],
    ) -> Iterator[tuple[Trace, Substitution]]:
        """Yields traces with one more event, one after the other: together they may be more than memory holds."""
        for trace, values in partial:
            for event, answer in found:
                joined = join(values, answer)
                extended = {**trace, identifier: event}
                if joined is not None and self.theory.hold(conditions, joined, extended):
                    yield extended, joined

    def _answers(
        self, literal: EventQuery | AbsoluteTimer, new: frozenset[Event] | None
    ) -> Iterator[tuple[Event, Substitution]]:
        """Yields the events that a literal matches, among the new ones if these are given, with its answers on them."""
        if isinstance(literal, AbsoluteTimer):
            ticks = self.theory.timer_events(literal.timer)
            yield from ((event, answer) for event in ticks for answer in match_timer(literal, event))
        else:
            events = self.events
            candidates = events.candidates(literal.pattern) if new is None else [e for e in new if e in events]
            yield from ((event, answer) for event in candidates for answer in events.answers(literal.pattern, event))

    def _collect(self, trace: Trace, values: Substitution) -> Iterator[tuple[tuple[Event, ...], Substitution]]:
        """Yields one event of its window for each `collect`; none at all if a window is empty (ERR-24)."""
        partial: list[tuple[tuple[Event, ...], Substitution]] = [((), values)]
        for collection in self.branch.collections:
            inside = self.theory.inside(self.events, collection, self.branch, trace)
            partial = [
                ((*collected, event), joined)
                for collected, bound in partial
                for event in inside
                for answer in self.events.answers(collection.pattern, event)
                if (joined := join(bound, answer)) is not None
            ]
        for collected, bound in partial:  # a condition may use variables that a later `collect` binds
            if all(self.theory.hold(collection.conditions, bound, trace) for collection in self.branch.collections):
                yield collected, bound

    def _occurs(self, absence: Accumulation, trace: Trace, values: Substitution) -> bool:
        """Returns whether the window holds an event that agrees with σ."""
        return any(
            (joined := join(values, answer)) is not None
            and self.theory.hold(absence.conditions, joined, with_element(trace, absence, event))
            for event in self.theory.inside(self.events, absence, self.branch, trace)
            for answer in self.events.answers(absence.pattern, event)
        )


def with_relative_timers(trace: Trace, branch: Branch) -> Trace | None:
    """Returns τ extended by the relative timers, each after its anchor; None if one of them does not happen."""
    complete = dict(trace)
    waiting = list(branch.relative_timers)
    while waiting:
        timer = next(timer for timer in waiting if timer.anchor in complete)
        event = timer_event(timer, complete[timer.anchor])
        if event is None:
            return None
        complete[timer.identifier] = event
        waiting.remove(timer)
    return complete


def with_windows(trace: Trace, branch: Branch) -> Iterator[Trace]:
    """Yields τ extended by every combination of the windows, each after those that it is over."""
    found: list[Trace] = [trace]
    for window in branch.windows:
        found = [{**each, window.identifier: event} for each in found for event in window_events(window, each)]
    return iter(found)


def _settled_by(literal: EventQuery | AbsoluteTimer) -> frozenset[str]:
    """Returns the identifier of a literal, and its variables as `var X`: with it, it is known if they are bound."""
    pattern = literal.pattern if isinstance(literal, EventQuery) else literal.timer.pattern
    names = patterns.bound_variables(pattern) | patterns.optional_variables(pattern)
    return frozenset((literal.identifier, *(f"var {name}" for name in names)))


def _speaking_of(
    settled: frozenset[str], conditions: Sequence[Expression]
) -> tuple[list[Expression], list[Expression]]:
    """Returns the conditions on nothing but these variables and identifiers, and the others."""
    parted: tuple[list[Expression], list[Expression]] = ([], [])
    for condition in conditions:
        names = (f"var {name}" for name in expressions.variables(condition))
        parted[not settled.issuperset((*names, *expressions.event_references(condition)))].append(condition)
    return parted
