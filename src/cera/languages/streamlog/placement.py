"""Where the literals of a conjunction have to lie: what each evaluation time demands of those in it (`demands`).

A window of which an answer waits for the end is `whole`: it is in the row, and the answer has its time. One that is
only `present` is in the row for conditions, and adds no time. Of any other it is enough that events lie in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cera.languages.streamlog.bodies import Body
from cera.languages.streamlog.demands import (
    AllTime,
    BoundsTime,
    ClockTime,
    EventTime,
    OuterTime,
    SpanTime,
    StateTime,
    TimerTime,
)
from cera.model.expressions.expression import (
    Arithmetic,
    Comparison,
    Different,
    DurationLiteral,
    EventReference,
    Expression,
    InOneWindow,
    Within,
)
from cera.model.time.bounded_windows import Bounds, MovedEdge
from cera.rules.containment_conditions import begin_of, end_of, events_inside, state_in_state, state_in_window
from cera.rules.rule import BoundedWindow, PeriodicWindow, RelativeTimer
from cera.rules.states import in_state, is_another

#: What to write where an evaluation time does not do.
TAKE = "take a window of the clock, like `Range 1h Slide 1min`, a state or a timer"


@dataclass(frozen=True)
class Placement:
    """The demands on the literals of a conjunction, by the evaluation times that are whole or present."""

    body: Body
    whole: frozenset[str] = frozenset()
    present: frozenset[str] = frozenset()

    def demand(self, at: str, names: Sequence[str]) -> None:
        """Demands that literals of the body lie in an evaluation time, but for what that is set on."""
        anchors = self.body.anchors(at)
        inside = [name for name in names if name not in anchors]
        events = [name for name in inside if not self.body.is_lasting(name)]
        states = [name for name in inside if self.body.is_lasting(name)]
        conditions = self.body.parts.conditions
        if states:
            self.body.states_in[at] = None
        match self.body.times[at]:
            case AllTime():
                return
            case StateTime() | TimerTime() if self.body.is_lasting(at):
                conditions += (state_in_state(state, at) for state in states)
                conditions += (is_another(state, anchors[-1]) for state in states if self._can_be(state, anchors[-1]))
                if at in self.whole:
                    self.body.parts.whole.add(at)
                    conditions += (Comparison("<=", begin_of(state), end_of(at)) for state in states)
            case EventTime() | TimerTime() | StateTime() | OuterTime():
                pass
            case ClockTime() as time:
                self._clock(at, time, events, states)
            case SpanTime() as time:
                self._span(at, time, events, states)
            case BoundsTime() as time:
                self._bounds(at, time)
        conditions += (condition for event in events for condition in self._inside(event, at))
        if not isinstance(self.body.times[at], StateTime | TimerTime) or not self.body.is_lasting(at):
            conditions += (each for state in states for each in state_conditions(self.body, state, at))
        conditions += (
            Different(EventReference(event), EventReference(anchor))
            for event in events
            for anchor in anchors
            if self.body.labels.get(event) == self.body.labels.get(anchor)
        )

    def _can_be(self, state: str, other: str) -> bool:
        """Returns whether two states can be the same; they cannot if they have different labels."""
        labels = {query.identifier: query.pattern.label for query in self.body.parts.states}
        return state not in labels or other not in labels or labels[state] == labels[other]

    def _inside(self, event: str, at: str) -> Iterator[Expression]:
        """Yields that an event lies in an evaluation time, where its window does not say so."""
        match self.body.times[at]:
            case ClockTime():
                pass
            case BoundsTime() as time if at not in self.whole | self.present:
                yield from events_inside([event], time.begin, time.end)
            case SpanTime():  # they span no more than it is long
                pass
            case _:
                yield from event_conditions(self.body, event, at)

    def _clock(self, at: str, time: ClockTime, events: list[str], states: list[str]) -> None:
        period = (time.length, time.slide, self.body.context.origin)
        if not events:
            if states or at in self.whole | self.present:
                self._around_nothing(time)
        elif at in self.whole | self.present:
            window = PeriodicWindow(at, *period, tuple(events), True, time.span, at not in self.whole)
            self.body.parts.windows.append(window)
        else:
            references = tuple(EventReference(event) for event in events)
            self.body.parts.conditions.append(InOneWindow(references, *period, time.span))

    def _span(self, at: str, time: SpanTime, events: list[str], states: list[str]) -> None:
        """Adds `[now - d, now]`, which ends with the last event in it; if there is none, with the last of the body."""
        if events:
            references = tuple(EventReference(event) for event in events)
            self.body.parts.conditions.append(Within(references, DurationLiteral(time.duration)))
        last = events or self.body.events
        if not last:
            if states or at in self.whole | self.present:
                self._around_nothing(time)
        elif at in self.whole and len(last) == 1:
            timer = RelativeTimer(at, "from-end-backward", last[0], time.duration, True, time.span)
            self.body.parts.timers.append(timer)
        elif at in self.whole | self.present:
            ends = tuple(MovedEdge(event, "end") for event in last)
            bounds = Bounds(tuple(replace(edge, by=-time.duration) for edge in ends), ends)
            window = BoundedWindow(at, bounds, True, time.span, at not in self.whole)
            self.body.parts.windows.append(window)
            # as they lie within that of each other; it bounds what is kept
            longest = DurationLiteral(time.duration)
            limits = (Arithmetic("+", end_of(event), longest) for event in events)
            self.body.parts.conditions += (Comparison("<=", end_of(at), limit) for limit in limits)

    def _bounds(self, at: str, time: BoundsTime) -> None:
        if at not in self.whole | self.present:
            return
        bounds = time.bounds
        if bounds is None:
            message = "the bounds of this window are not begins and ends of identifiers, or dates, moved by durations"
            hint = "write for example `[b(i), e(i) + 1 min]`; conditions of the body may compare anything"
            self.body.context.refuse("SL308", message, time.span, hint)
            return
        for edge in (*bounds.begin, *bounds.end):
            if edge.identifier is not None and edge.edge == "end" and self.body.is_lasting(edge.identifier):
                self.body.parts.whole.add(edge.identifier)
        self.body.parts.windows.append(BoundedWindow(at, bounds, True, time.span, at not in self.whole))

    def _around_nothing(self, time: ClockTime | SpanTime) -> None:
        message = "no event has to lie in this window, and there are windows only around events"
        hint = "ask for an event in it, or take a state as evaluation time"
        self.body.context.refuse("SL305", message, time.span, hint)


def event_conditions(body: Body, event: str, at: str) -> Iterator[Expression]:
    """Yields that an event lies in an evaluation time that is in the row."""
    if body.is_lasting(at):
        yield in_state(event, at)
    else:
        yield from events_inside([event], begin_of(at), end_of(at))


def state_conditions(body: Body, state: str, at: str) -> Iterator[Expression]:
    """Yields that a state holds in an event, or shares time with a timer or window that is in the row."""
    if isinstance(body.times[at], EventTime):
        yield in_state(at, state)
    elif body.is_lasting(at):
        yield state_in_state(state, at)
    else:
        yield from state_in_window(state, begin_of(at), end_of(at))
