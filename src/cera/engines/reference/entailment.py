"""Interpretations (Def. 0.7 of seed 000), and the entailment relation of Figs. 12 to 14, corrected by the errata.

`Theory.entails` is the relation I, σ, τ ⊨ F^t as the paper writes it, one case a kind of formula. The fixpoint uses its
enumeration (`enumeration.matches`), and the tests hold the two against each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import assert_never

from cera.errors import TickLimitError
from cera.model.calendars.calendar_files import Calendar, timer_events, timer_intervals
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.event import Event
from cera.model.events.relation_rows import RelationRows, named_rows
from cera.model.events.states import OPEN, is_opening, state_label
from cera.model.events.window_events import bounded_window_event, window_event
from cera.model.expressions.expression import Different, Expression, TimerQuery, until_of
from cera.model.matching import patterns
from cera.model.matching.matching import Substitution, join, match, substitution_key
from cera.model.matching.patterns import Pattern, TermPattern
from cera.model.terms.term import Term, same
from cera.model.time.containment import Containment, is_in_state, shares_time, states_share_time
from cera.model.time.interval import Interval, Time, hull, hull_with_openings
from cera.model.time.timers import relative_timer
from cera.rules.rule import (
    AbsoluteTimer,
    Accumulation,
    BoundedWindow,
    Branch,
    EventQuery,
    PeriodicWindow,
    RelationQuery,
    RelativeTimer,
    Semantics,
    Window,
    auxiliary_windows,
    set_on,
)
from cera.wording import Setting


class Interpretation:
    """The set I of events that happen, base and derived, by label, with the answers of patterns on single events."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._events: dict[Event, None] = {}
        self._by_label: dict[str, list[Event]] = {}
        self._answers: dict[tuple[int, Event], list[Substitution]] = {}
        self.add(events)

    def add(self, events: Iterable[Event]) -> None:
        for event in events:
            if event not in self._events:
                self._events[event] = None
                self._by_label.setdefault(event.label, []).append(event)

    def __contains__(self, event: Event) -> bool:
        return event in self._events

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)

    def __len__(self) -> int:
        return len(self._events)

    def candidates(self, pattern: Pattern) -> list[Event]:
        """Returns the events that the pattern could match, judging by the label."""
        if isinstance(pattern, TermPattern) and isinstance(pattern.label, str):
            return self._by_label.get(pattern.label, [])
        return [event for event in self._events if state_label(event.label) is None]

    def answers(self, pattern: Pattern, event: Event) -> list[Substitution]:
        """Returns {σ | σ(pattern) ≼ event}. The pattern must live as long as this object: it is known by identity."""
        key = (id(pattern), event)
        found = self._answers.get(key)
        if found is None:
            found = self._answers[key] = match(pattern, event.term)
        return found

    def restricted(self, interval: Interval) -> Interpretation:
        """Returns I|t: the events that happen within t."""
        return Interpretation(event for event in self if interval.contains(event.interval))


#: The most ticks of an absolute timer.
TICK_LIMIT = 100_000

Trace = Mapping[str, Event]
Formula = EventQuery | RelationQuery | RelativeTimer | AbsoluteTimer | Window | Accumulation | Branch


def timer_event(timer: RelativeTimer, anchor: Event) -> Event | None:
    """Returns rel-timer-event(e, t')^t (Fig. 13), or None where the timer does not happen (ERR-27)."""
    interval = relative_timer(timer.kind, anchor.interval, timer.duration)
    if interval is None:
        return None
    return Event(Term(f"timer:{timer.kind}", (anchor.id, str(timer.duration)), ordered=True), interval)


def window_events(window: Window, trace: Trace) -> list[Event]:
    """Returns the windows that contain all events that the window is over, as events; the one between its bounds."""
    if isinstance(window, BoundedWindow):
        interval = window.bounds.interval({name: trace[name].interval for name in window.over})
        return [] if interval is None else [bounded_window_event(interval)]
    around = hull(trace[name].interval for name in window.over)
    return [window_event(window.period, interval) for interval in window.period.windows(around)]


@dataclass
class Theory:
    """The parameters of entailment besides (I, σ, τ): the semantics, and the stretch of time with absolute timers."""

    semantics: Semantics = "practical"
    calendars: tuple[Calendar, ...] = ()
    timezone: str = "UTC"
    extent: Interval | None = None
    #: The most ticks of a timer in the extent; None for TICK_LIMIT.
    tick_limit: int | None = None
    relations: Mapping[str, RelationRows] = field(default_factory=dict)
    #: The ends of the states that have ended, by their ids.
    ends: dict[str, Time] = field(default_factory=dict)
    evaluator: Evaluator = field(init=False)
    #: The number of terms that were not built because they would be too deep or too large.
    too_large: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.evaluator = Evaluator(self.calendars, self.timezone)
        self._timer_events: dict[TimerQuery, tuple[Event, ...]] = {}

    def entails(
        self,
        events: Interpretation,
        values: Substitution,
        trace: Trace,
        formula: Formula,
        interval: Interval,
        branch: Branch | None = None,
    ) -> bool:
        """Returns whether I, σ, τ ⊨ formula^interval. An accumulation is judged as part of the branch it stands in."""
        match formula:
            case EventQuery():  # exists e^t with τ(i) = e^t, e^t ∈ I and σ(q) ≼ e
                event = trace.get(formula.identifier)
                return (
                    event is not None
                    and event in events
                    and event.interval == interval
                    and any(
                        _agree(formula.pattern, answer, values) for answer in events.answers(formula.pattern, event)
                    )
                )
            case AbsoluteTimer():
                event = trace.get(formula.identifier)
                return (
                    event is not None
                    and event in self.timer_events(formula.timer)
                    and event.interval == interval
                    and any(_agree(formula.timer.pattern, answer, values) for answer in match_timer(formula, event))
                )
            case RelationQuery():  # exists a row r of the relation, valid when t ends, with σ(q) ≼ r
                return any(_agree(formula.pattern, answer, values) for answer in self.rows(formula, interval.end))
            case RelativeTimer():  # exists e^t' with τ(j) = e^t' and τ(i) = rel-timer-event(e, t')^t
                event, anchor = trace.get(formula.identifier), trace.get(formula.anchor)
                return (
                    event is not None
                    and anchor is not None
                    and event == timer_event(formula, anchor)
                    and event.interval == interval
                )
            case PeriodicWindow() | BoundedWindow():  # τ(i) is one of the windows that contain all τ(j), j in `over`
                event = trace.get(formula.identifier)
                return (
                    event is not None
                    and event.interval == interval
                    and all(name in trace for name in formula.over)
                    and event in window_events(formula, trace)
                )
            case Accumulation():
                window = trace.get(formula.window)
                if window is None or window.interval != interval:
                    return False
                inside = self.inside(events, formula, branch or Branch(), trace)
                # ERR-12, ERR-23: one σ at a time; variables of a negated query alone are existential
                found = any(
                    self.hold(formula.conditions, joined, with_element(trace, formula, event))
                    for event in inside
                    for answer in events.answers(formula.pattern, event)
                    if (joined := join(values, answer)) is not None
                    and (formula.negated or _agree(formula.pattern, answer, values))
                )
                return found != formula.negated
            case Branch():  # every literal holds, the interval is the hull of those not gathered, W(C) = true
                literals = formula.positive
                if any(literal.identifier not in trace for literal in literals):
                    return False
                own = {literal.identifier: trace[literal.identifier] for literal in literals}
                return (
                    interval_of(own, formula) == interval
                    and all(
                        self.entails(events, values, trace, literal, own[literal.identifier].interval)
                        for literal in literals
                    )
                    and all(self.entails(events, values, trace, part, interval) for part in formula.relations)
                    and all(
                        self.entails(events, values, trace, part, own[part.window].interval, formula)
                        for part in formula.accumulations
                    )
                    and self.hold(formula.conditions, values, own)
                )
            case _:
                assert_never(formula)

    def inside(self, events: Interpretation, accumulation: Accumulation, branch: Branch, trace: Trace) -> list[Event]:
        """Returns the candidate events within the window, bounds included, or as its containment says.

        In the practical semantics without the event that the window is, or is defined relative to (ERR-05).
        """
        window = trace[accumulation.window].interval
        excluded = set() if accumulation.with_anchor else self._excluded(accumulation.window, branch, trace)
        excluded |= {trace[name].id for name in accumulation.excluded}
        return [
            event
            for event in events.candidates(accumulation.pattern)
            if self._contains(accumulation.containment, window, event) and event.id not in excluded
        ]

    def _contains(self, containment: Containment, window: Interval, event: Event) -> bool:
        match containment:
            case "inside":
                return window.contains(event.interval)
            case "in-state":
                return is_in_state(event.interval, window)
            case "holding":
                return is_in_state(window, self.validity(event))
            case "sharing":
                return shares_time(window, self.validity(event))
            case "common":
                return states_share_time(window, self.validity(event))

    def validity(self, opening: Event) -> Interval:
        """Returns how long the state holds that an opening begins."""
        return Interval(opening.begin, self.ends.get(opening.id, OPEN))

    def _excluded(self, window: str, branch: Branch, trace: Trace) -> set[str]:
        """Returns the ids of these events; the opening and the ending of a state have one id."""
        if self.semantics == "formal":
            return set()
        return {trace[name].id for name in set_on(window, branch)}

    def hold(self, conditions: Sequence[Expression], values: Substitution, trace: Trace) -> bool:
        """Returns whether W(C) = true for all of the conditions."""
        if not conditions:
            return True
        times = {identifier: event.interval for identifier, event in trace.items()}
        openings = ((identifier, event) for identifier, event in trace.items() if is_opening(event.label))
        times.update((until_of(identifier), self.validity(event)) for identifier, event in openings)
        return all(
            trace[condition.left.identifier].id != trace[condition.right.identifier].id
            if isinstance(condition, Different)
            else self.evaluator.holds(condition, values, times)
            for condition in conditions
        )

    def rows(self, query: RelationQuery, time: Time) -> list[Substitution]:
        """Returns the answers of a query on the rows of its relation that are valid at a time, each once."""
        found: dict[object, Substitution] = {}
        for row in named_rows(self.relations, query.relation).valid(time):
            for answer in match(query.pattern, row):
                found.setdefault(substitution_key(answer), answer)
        return list(found.values())

    def timer_events(self, timer: TimerQuery) -> tuple[Event, ...]:
        """Returns the occurrences of an absolute timer that touch the extent of the stream."""
        if self.extent is None:
            return ()
        if timer not in self._timer_events:
            stretch = (timer, self.calendars, self.extent.begin, self.extent.end, self.timezone)
            limit = self.tick_limit or TICK_LIMIT
            if sum(1 for _ in islice(timer_intervals(*stretch), limit + 1)) > limit:
                raise TickLimitError(
                    f"the absolute timer timer:{timer.name} ticks more than {limit:,} times while the events "
                    "happen, and the reference engine holds all ticks at once; run it with "
                    f"{Setting.ENGINE.of('local')}, which takes one after the other, make the timer coarser, "
                    f"or raise {Setting.TICK_LIMIT}"
                )
            self._timer_events[timer] = tuple(timer_events(*stretch))
        return self._timer_events[timer]


def interval_of(trace: Trace, branch: Branch) -> Interval:
    """Returns the hull of the positive literals; the opening of a state adds no more than that it has happened."""
    left_out = {*branch.gathered, *auxiliary_windows(branch)}
    kept = [(name, event) for name, event in trace.items() if name not in left_out]
    lasting = (event.interval for name, event in kept if name not in branch.openings)
    return hull_with_openings(lasting, (event.begin for name, event in kept if name in branch.openings))


def with_element(trace: Trace, accumulation: Accumulation, event: Event) -> Trace:
    """Returns the trace with the event that an accumulation is about, if its conditions have a name for it."""
    return trace if accumulation.element is None else {**trace, accumulation.element: event}


def match_timer(timer: AbsoluteTimer, event: Event) -> list[Substitution]:
    return match(timer.timer.pattern, event.term)


def _agree(pattern: Pattern, answer: Substitution, values: Substitution) -> bool:
    """Returns whether σ is the answer on the pattern's variables: what an `optional` leaves unbound, σ does too."""
    return all(name in values and same(values[name], value) for name, value in answer.items()) and not any(
        name in values for name in patterns.optional_variables(pattern) - answer.keys()
    )
