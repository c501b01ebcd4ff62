"""The entailment relation of Figs. 12 to 14 of seed 000, corrected by the errata, and its enumeration.

`Theory.entails` is the relation I, σ, τ ⊨ F^t as the paper writes it, one case a kind of formula. `Theory.matches`
enumerates every (τ, σ) with I, σ, τ ⊨ B^t for a body B; it is what the fixpoint uses, and the tests hold the two
against each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, assert_never

from cera.engines.reference.interpretation import Interpretation
from cera.model import expressions, patterns
from cera.model.calendars import Calendar, timer_events
from cera.model.evaluation import Evaluator
from cera.model.events import Event
from cera.model.expressions import Expression, TimerQuery
from cera.model.interval import Interval, hull
from cera.model.matching import Substitution, join, match, substitution_key
from cera.model.terms import Term, same
from cera.model.timers import relative_timer
from cera.rules.rule import AbsoluteTimer, Accumulation, Branch, EventQuery, RelativeTimer, Semantics

Trace = Mapping[str, Event]
Formula = EventQuery | RelativeTimer | AbsoluteTimer | Accumulation | Branch


@dataclass(frozen=True)
class Match:
    """One way to satisfy a body: the event trace τ, the collected event of each `collect`, and σ."""

    trace: Trace
    collected: tuple[Event, ...]
    values: Substitution

    @property
    def interval(self) -> Interval:
        """The hull of the positive literals."""
        return hull(event.interval for event in self.trace.values())

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """The order in which aggregates fold matches: by their events (end, begin, id), then by σ."""
        return (tuple(event.order_key for event in self.collected), substitution_key(self.values))


def timer_event(timer: RelativeTimer, anchor: Event) -> Event | None:
    """rel-timer-event(e, t')^t (Fig. 13), or None where the timer does not happen (ERR-27)."""
    interval = relative_timer(timer.kind, anchor.interval, timer.duration)
    if interval is None:
        return None
    return Event(Term(f"timer:{timer.kind}", (anchor.id, str(timer.duration)), ordered=True), interval)


@dataclass
class Theory:
    """What entailment depends on besides (I, σ, τ): the semantics, and the stretch of time with absolute timers."""

    semantics: Semantics = "practical"
    calendars: tuple[Calendar, ...] = ()
    timezone: str = "UTC"
    extent: Interval | None = None
    evaluator: Evaluator = field(init=False)

    def __post_init__(self) -> None:
        self.evaluator = Evaluator(self.calendars, self.timezone)
        self._timer_events: dict[TimerQuery, tuple[Event, ...]] = {}

    # the relation

    def entails(
        self,
        events: Interpretation,
        values: Substitution,
        trace: Trace,
        formula: Formula,
        interval: Interval,
        branch: Branch | None = None,
    ) -> bool:
        """I, σ, τ ⊨ formula^interval. An accumulation is judged as part of the branch it stands in."""
        match formula:
            case EventQuery():  # exists e^t with τ(i) = e^t, e^t ∈ I and σ(q) ≼ e
                event = trace.get(formula.identifier)
                return (
                    event is not None
                    and event in events
                    and event.interval == interval
                    and any(_agree(answer, values) for answer in events.answers(formula.pattern, event))
                )
            case AbsoluteTimer():
                event = trace.get(formula.identifier)
                return (
                    event is not None
                    and event in self.timer_events(formula.timer)
                    and event.interval == interval
                    and any(_agree(answer, values) for answer in match_timer(formula, event))
                )
            case RelativeTimer():  # exists e^t' with τ(j) = e^t' and τ(i) = rel-timer-event(e, t')^t
                event, anchor = trace.get(formula.identifier), trace.get(formula.anchor)
                return (
                    event is not None
                    and anchor is not None
                    and event == timer_event(formula, anchor)
                    and event.interval == interval
                )
            case Accumulation():
                window = trace.get(formula.window)
                if window is None or window.interval != interval:
                    return False
                inside = self._inside(events, formula, branch or Branch(), trace)
                # ERR-12, ERR-23: one σ at a time; variables of a negated query alone are existential
                found = any(
                    self._accepts(formula, joined, trace)
                    for event in inside
                    for answer in events.answers(formula.pattern, event)
                    if (joined := join(values, answer)) is not None and (formula.negated or _agree(answer, values))
                )
                return found != formula.negated
            case Branch():  # every literal holds, the interval is the hull of the positive ones, W(C) = true
                literals = formula.positive
                if any(literal.identifier not in trace for literal in literals):
                    return False
                own = {literal.identifier: trace[literal.identifier] for literal in literals}
                return (
                    hull(event.interval for event in own.values()) == interval
                    and all(
                        self.entails(events, values, trace, literal, own[literal.identifier].interval)
                        for literal in literals
                    )
                    and all(
                        self.entails(events, values, trace, part, own[part.window].interval, formula)
                        for part in formula.accumulations
                    )
                    and self._hold(formula.conditions, values, own)
                )
            case _:
                assert_never(formula)

    # its enumeration

    def matches(self, events: Interpretation, branch: Branch, new: frozenset[Event] | None = None) -> Iterator[Match]:
        """Every match of the branch: positive literals first, then collections, then absences.

        With `new`, only those that use one of these events: all others have been found before they came.
        """
        late_variables = frozenset[str]().union(
            *(patterns.variables(part.pattern) for part in branch.collections)
        ) - frozenset().union(*(patterns.bound_variables(query.pattern) for query in branch.events))
        early = [c for c in branch.conditions if not expressions.variables(c) & late_variables]
        late = [c for c in branch.conditions if expressions.variables(c) & late_variables]
        for trace, values in self._traces(events, branch, new):
            if not self._hold(early, values, trace):
                continue
            for collected, extended in self._collect(events, branch, trace, values):
                if self._hold(late, extended, trace) and not any(
                    self._occurs(events, absence, branch, trace, extended) for absence in branch.absences
                ):
                    yield Match(trace, collected, extended)

    def _traces(
        self, events: Interpretation, branch: Branch, new: frozenset[Event] | None
    ) -> Iterator[tuple[Trace, Substitution]]:
        """Every τ with the σ that its events give: all combinations of events that agree on shared variables."""
        if new is None or branch.collections:  # what is new may also be collected
            yield from self._traces_with(events, branch, None, frozenset())
        else:
            for place in range(len(branch.events)):
                yield from self._traces_with(events, branch, place, new)

    def _traces_with(
        self, events: Interpretation, branch: Branch, place: int | None, new: frozenset[Event]
    ) -> Iterator[tuple[Trace, Substitution]]:
        """The traces whose event at the place is one of the new ones; all of them without a place."""
        partial: list[tuple[Trace, Substitution]] = [({}, {})]
        for number, query in enumerate(branch.events):
            candidates = events.candidates(query.pattern)
            if number == place:
                candidates = [event for event in new if event in events]
            partial = [
                ({**trace, query.identifier: event}, joined)
                for trace, values in partial
                for event in candidates
                for answer in events.answers(query.pattern, event)
                if (joined := join(values, answer)) is not None
            ]
        for timer in branch.absolute_timers:
            partial = [
                ({**trace, timer.identifier: event}, joined)
                for trace, values in partial
                for event in self.timer_events(timer.timer)
                for answer in match_timer(timer, event)
                if (joined := join(values, answer)) is not None
            ]
        for trace, values in partial:
            complete = with_relative_timers(trace, branch)
            if complete is not None:
                yield complete, values

    def _collect(
        self, events: Interpretation, branch: Branch, trace: Trace, values: Substitution
    ) -> Iterator[tuple[tuple[Event, ...], Substitution]]:
        """One event of its window for each `collect`; none at all if a window is empty (ERR-24)."""
        partial: list[tuple[tuple[Event, ...], Substitution]] = [((), values)]
        for collection in branch.collections:
            inside = self._inside(events, collection, branch, trace)
            partial = [
                ((*collected, event), joined)
                for collected, bound in partial
                for event in inside
                for answer in events.answers(collection.pattern, event)
                if (joined := join(bound, answer)) is not None
            ]
        for collected, bound in partial:  # a condition may speak of what a later `collect` binds
            if all(self._accepts(collection, bound, trace) for collection in branch.collections):
                yield collected, bound

    def _occurs(
        self, events: Interpretation, absence: Accumulation, branch: Branch, trace: Trace, values: Substitution
    ) -> bool:
        """Whether the window holds an event that agrees with σ."""
        return any(
            (joined := join(values, answer)) is not None and self._accepts(absence, joined, trace)
            for event in self._inside(events, absence, branch, trace)
            for answer in events.answers(absence.pattern, event)
        )

    def _inside(self, events: Interpretation, accumulation: Accumulation, branch: Branch, trace: Trace) -> list[Event]:
        """The candidate events within the window, bounds included.

        In the practical semantics without the event that the window is, or is defined relative to (ERR-05).
        """
        window = trace[accumulation.window].interval
        excluded = self._excluded(accumulation.window, branch, trace)
        return [
            event
            for event in events.candidates(accumulation.pattern)
            if window.contains(event.interval) and event not in excluded
        ]

    def _excluded(self, window: str, branch: Branch, trace: Trace) -> set[Event]:
        if self.semantics == "formal":
            return set()
        anchors = {timer.identifier: timer.anchor for timer in branch.relative_timers}
        excluded = {trace[window]}
        while window in anchors:
            window = anchors[window]
            excluded.add(trace[window])
        return excluded

    def _accepts(self, accumulation: Accumulation, values: Substitution, trace: Trace) -> bool:
        return self._hold(accumulation.conditions, values, trace)

    def _hold(self, conditions: Sequence[Expression], values: Substitution, trace: Trace) -> bool:
        times = {identifier: event.interval for identifier, event in trace.items()}
        return all(self.evaluator.holds(condition, values, times) for condition in conditions)

    def timer_events(self, timer: TimerQuery) -> tuple[Event, ...]:
        """The occurrences of an absolute timer that touch the extent of the stream."""
        if self.extent is None:
            return ()
        if timer not in self._timer_events:
            occurrences = timer_events(timer, self.calendars, self.extent.begin, self.extent.end, self.timezone)
            self._timer_events[timer] = tuple(occurrences)
        return self._timer_events[timer]


def match_timer(timer: AbsoluteTimer, event: Event) -> list[Substitution]:
    return match(timer.timer.pattern, event.term)


def with_relative_timers(trace: Trace, branch: Branch) -> Trace | None:
    """τ extended by the relative timers, each after its anchor; None if one of them does not happen."""
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


def _agree(answer: Substitution, values: Substitution) -> bool:
    """Whether σ contains the answer."""
    return all(name in values and same(values[name], value) for name, value in answer.items())
