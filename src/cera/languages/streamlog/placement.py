"""Where the literals of a conjunction have to lie: what each evaluation time demands of those in it (`demands`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cera.diagnostics import Span
from cera.languages.streamlog.bodies import Body
from cera.languages.streamlog.demands import (
    AllTime,
    BoundsTime,
    ClockTime,
    EventTime,
    SpanTime,
    StateTime,
    TimerTime,
    begin_of,
    end_of,
    events_inside,
    in_state,
    state_in_state,
    state_in_window,
)
from cera.model.expressions.expression import Comparison, DurationLiteral, EventReference, InOneWindow, Within
from cera.rules.rule import PeriodicWindow
from cera.rules.states import is_another

#: What to write where an evaluation time does not do.
TAKE = "take a window of the clock, like `Range 1h Slide 1min`, a state or a timer"


@dataclass(frozen=True)
class Placement:
    """The demands on the literals of a conjunction."""

    body: Body

    def demand(self, at: str, names: Sequence[str], *, whole: bool) -> None:
        """Demands that literals of the body lie in an evaluation time."""
        inside = [name for name in names if name != at]
        events = [name for name in inside if not self.body.is_lasting(name)]
        states = [name for name in inside if self.body.is_lasting(name)]
        conditions = self.body.parts.conditions
        match self.body.times[at]:
            case AllTime():
                pass
            case StateTime() | TimerTime() if self.body.is_lasting(at):
                conditions += (in_state(event, at) for event in events)
                conditions += (state_in_state(state, at) for state in states)
                conditions += (is_another(state, self.body.anchors(at)[-1]) for state in states)
                if whole:
                    self.body.parts.whole.add(at)
                    conditions += (Comparison("<=", begin_of(state), end_of(at)) for state in states)
            case EventTime() | TimerTime() | StateTime() as time:
                self._exclude(at, events)
                conditions += events_inside(events, begin_of(at), end_of(at))
                if isinstance(time, EventTime):
                    conditions += (in_state(at, state) for state in states)
                else:
                    conditions += (each for state in states for each in state_in_window(state, at))
            case ClockTime() as time:
                self._in_clock(at, time, events, states, whole=whole)
            case SpanTime() as time:
                self._without(whole=whole, states=states, window="[now - d, now]")
                if events:
                    references = tuple(EventReference(event) for event in events)
                    conditions.append(Within(references, DurationLiteral(time.duration)))
            case BoundsTime() as time:
                self._without(whole=whole, states=states, window="[f, g]")
                conditions += events_inside(events, time.begin, time.end)

    def _in_clock(self, at: str, time: ClockTime, events: list[str], states: list[str], *, whole: bool) -> None:
        period = (time.length, time.slide, self.body.context.origin)
        if whole and not events:
            message = "no event has to lie in this window, and there are windows only around events"
            self._refuse(message, time.span, "ask for an event in it, or take a state as evaluation time")
        elif whole:
            self.body.parts.windows.append(PeriodicWindow(at, *period, tuple(events), True, time.span))
            self.body.parts.conditions += (each for state in states for each in state_in_window(state, at))
        elif states:
            message = "a state that shares time with a window of the clock is not run yet, but for aggregates"
            self._refuse(message, time.span, "take the state as evaluation time")
        elif events:
            references = tuple(EventReference(event) for event in events)
            self.body.parts.conditions.append(InOneWindow(references, *period, time.span))

    def _exclude(self, at: str, events: Sequence[str]) -> None:
        """Refuses literals that might find the event in which they are evaluated: it is not inside of itself."""
        origins = {self.body.labels.get(name) for name in self.body.anchors(at)}
        for event in events:
            if self.body.labels[event] in origins and event not in self.body.anchors(at):
                message = f"`{self.body.labels[event]}` in the time of an event with the same label is not run yet"
                hint = "derive it under another label by a rule of its own"
                self._refuse(message, next(e.span for e in self.body.parts.events if e.identifier == event), hint)

    def _without(self, *, whole: bool, states: Sequence[str], window: str) -> None:
        if whole:
            self._refuse(f"aggregates and negated literals over `{window}` are not run yet", None, TAKE)
        if states:
            hint = "take the state as evaluation time"
            self._refuse(f"a state that shares time with `{window}` is not run yet", None, hint)

    def _refuse(self, message: str, span: Span | None, hint: str) -> None:
        self.body.context.refuse(message, span, hint)
