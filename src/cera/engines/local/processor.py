"""The CERA processor: a compiled plan that takes the events of one time step and returns what is derived at it."""

from __future__ import annotations

from functools import cached_property

from cera.algebra.plan import Plan, rules_with_timers
from cera.algebra.relevance import Relevance
from cera.engines.local.compiler import compile_plan
from cera.engines.local.derived import Derived
from cera.engines.local.network import Network
from cera.engines.local.occurrence import Occurrence, occurrence
from cera.engines.local.state import State
from cera.engines.local.ticks import Tick, next_tick
from cera.model.calendars.tick_limits import TICK_LIMIT, check_timer_ticks
from cera.model.evaluation.evaluator import Evaluator
from cera.model.time.interval import Time


class Processor:
    """Compiled and read-only; all that changes is in its state (and the count of undefined results)."""

    def __init__(self, plan: Plan, *, max_duration: int | None = None, timezone: str = "UTC") -> None:
        self.plan = plan
        self.timezone = timezone
        self.relevance = Relevance(plan, max_duration)
        self.evaluator = Evaluator(plan.calendars, timezone)
        self.network: Network = compile_plan(plan, self.relevance, self.evaluator)

    @property
    def identity(self) -> object:
        """What a saved state belongs to."""
        return self.plan

    @property
    def undefined(self) -> int:
        """How often an expression had no value."""
        return self.evaluator.undefined

    @undefined.setter
    def undefined(self, count: int) -> None:
        self.evaluator.undefined = count

    def start(self) -> State:
        return self.network.start()

    def left_out(self, state: State) -> int:
        """Rules see every event; modules leave out those that belong to none of their histories."""
        return 0

    @property
    def wakes(self) -> bool:
        """It may, when timers are over."""
        return True

    def packed(self, state: State) -> State:
        """The state as what can be pickled: it is plain data itself."""
        return state

    def unpacked(self, data: State) -> State:
        return data

    def step(self, state: State, now: Time, events: list[Occurrence]) -> list[Derived]:
        """All that ends now: the events, and the timers that are due. Time does not go backwards."""
        if len(events) == 1 and not (state.waiting and state.waiting[0][0] <= now):
            return self.step_alone(state, now, events[0])
        return self._step(state, now, events)

    def step_alone(self, state: State, now: Time, event: Occurrence) -> list[Derived]:
        """The step of one event, at which no row has waited for the end of a timer."""
        network = self.network
        alone = network.alone.get(event.label)
        if alone is None:
            return self._step(state, now, [event])
        if now >= state.sweep_at:
            network.sweep(state, now)
        state.last = state.now = now
        state.counter += 1
        event.number = state.counter
        alone(state, event)
        if state.due:
            network.finish(state, len(network.finishers))
        return state.taken() if state.derived else []

    def advance(
        self, state: State, events: list[Occurrence], before: Time, tick_limit: int = TICK_LIMIT
    ) -> tuple[list[Derived], int]:
        """All steps before a time, with events in the order of their ends; what is derived, and how many events that
        took. Most steps are those of one event: they are taken here as `step_alone` does."""
        network, waiting = self.network, state.waiting
        found: list[Derived] = []
        at, count = 0, len(events)
        counted = False
        while at < count and (now := events[at].end) < before:
            event = events[at]
            alone = network.alone.get(event.label)
            if alone is None or (waiting and waiting[0][0] <= now) or (at + 1 < count and events[at + 1].end == now):
                wakeup = self.next_wakeup(state)
                if wakeup is not None and wakeup < now:
                    if not counted:
                        self.check_ticks(state, now, tick_limit)
                    now = wakeup
                first = at
                while at < count and events[at].end == now:
                    at += 1
                counted = at == first
                found += self.step(state, now, events[first:at])
                continue
            if now >= state.sweep_at:
                network.sweep(state, now)
            state.last = state.now = now
            state.counter = event.number = state.counter + 1
            alone(state, event)
            if state.due:
                network.finish(state, len(network.finishers))
            if state.derived:
                found += state.taken()
            at += 1
        if not counted:
            self.check_ticks(state, before - 1, tick_limit)
        while (wakeup := self.next_wakeup(state)) is not None and wakeup < before:
            found += self.step(state, wakeup, [])
        return found, at

    def _step(self, state: State, now: Time, events: list[Occurrence]) -> list[Derived]:
        if events:
            if state.last is None:
                state.ticks = [self._next(number, now - 1, None) for number in range(len(self.network.timers))]
            if not state.closing:  # after the end of the stream come only events that other layers derive
                state.last = now
        due: list[tuple[int, Occurrence]] = []
        for number, tick in enumerate(state.ticks):
            if tick is not None and tick[0] == now:
                due += [(number, occurrence(event)) for event in tick[1]]
                state.ticks[number] = self._next(number, now, state.last if state.closing else None)
        if len(events) > 1:
            events = distinct(events)
        return self.network.step(state, now, events, due)

    def close(self, state: State) -> None:
        """The stream is complete: of the absolute timers only those go on that have begun."""
        state.closing = True
        if state.last is not None and state.now is not None:
            state.ticks = [self._next(number, state.now, state.last) for number in range(len(state.ticks))]

    def next_wakeup(self, state: State) -> Time | None:
        """The next time at which a timer makes something happen."""
        if not state.ticks:  # most programs have no absolute timers, and this is asked before every step
            return state.waiting[0][0] if state.waiting else None
        times = [tick[0] for tick in state.ticks if tick is not None]
        if state.waiting:
            times.append(state.waiting[0][0])
        return min(times, default=None)

    def check_ticks(self, state: State, last: Time, limit: int) -> None:
        """Raises TickLimitError if a timer ticks more often than the limit until a time, without an event."""
        for number, tick in enumerate(state.ticks):
            if tick is not None and tick[0] <= last:
                timer, rules = self.network.timers[number][0], self._rules_with_timers
                check_timer_ticks(timer, self.plan.calendars, tick[0], last, self.timezone, limit, rules)

    @cached_property
    def _rules_with_timers(self) -> str:
        return rules_with_timers(self.plan)

    def _next(self, number: int, after: Time, begun_by: Time | None) -> Tick | None:
        timer = self.network.timers[number][0]
        return next_tick(timer, self.plan.calendars, after, self.timezone, begun_by)


def distinct(occurrences: list[Occurrence]) -> list[Occurrence]:
    """The events of a step, each once: equal events are one (Events = DataTerms × TI)."""
    places = {(o.label, o.begin) for o in occurrences}
    if len(places) == len(occurrences) or _have_positions(occurrences):
        return occurrences
    return list({o.event: o for o in reversed(occurrences)}.values())[::-1]


def _have_positions(occurrences: list[Occurrence]) -> bool:
    """Whether all are like the changes of a database, each with a position of its own."""
    found = [o.nested.get("position") for o in occurrences if o.nested is not None]
    return len({position for position in found if isinstance(position, int)}) == len(occurrences)
