"""The CERA processor: a compiled plan that takes the events of one time step and returns what is derived at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from cera.algebra.plan import Plan, rules_with_timers
from cera.algebra.relevance import Relevance
from cera.engines.local.compiler import compile_plan
from cera.engines.local.derived import RuleDetection
from cera.engines.local.network import Network
from cera.engines.local.state import State
from cera.engines.local.timers import Tick, next_tick
from cera.model.calendars.tick_limits import TICK_LIMIT, check_timer_ticks
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.answer_limits import RECURSION_LIMIT
from cera.model.events.occurrence import Occurrence, occurrence
from cera.model.events.relation_rows import NO_RELATIONS, RelationRows
from cera.model.time.interval import Time
from cera.modules.driving import SteppingProcessor, distinct
from cera.modules.processor import Counts, Detection


class RuleProcessor(SteppingProcessor[State]):
    """The processor of rules, compiled and read-only; all that changes is in its state (and the undefined count)."""

    def __init__(
        self,
        plan: Plan,
        *,
        max_duration: int | None = None,
        timezone: str = "UTC",
        tick_limit: int = TICK_LIMIT,
        recursion_limit: int = RECURSION_LIMIT,
        relations: Mapping[str, RelationRows] = NO_RELATIONS,
    ) -> None:
        self.plan = plan
        self.timezone = timezone
        self.tick_limit = tick_limit
        self.relevance = Relevance(plan, max_duration)
        self.evaluator = Evaluator(plan.calendars, timezone)
        self.network: Network = compile_plan(plan, self.relevance, self.evaluator, recursion_limit, relations)

    @property
    def identity(self) -> object:
        return self.plan

    def start(self) -> State:
        return self.network.start()

    def counts(self, state: State) -> Counts:
        """Returns the counts; rules see every event, and leave none out."""
        return Counts(state.live, 0, self.evaluator.undefined)

    def is_open(self, state: State, opening: Occurrence) -> bool:
        return opening.id in state.open or not self.network.asks_for_states(opening.label)

    def trim(self, state: State) -> bool:
        return not state.live and not state.ticks and not state.open

    def pack(self, state: State) -> State:
        """Returns the state: it is plain data itself."""
        return state

    def unpack(self, data: State) -> State:
        if not isinstance(data, State):
            raise TypeError("this is not the state of rules")  # a damaged state can be anything
        return data

    def advance(self, state: State, events: Sequence[Occurrence], before: Time | None) -> Sequence[Detection]:
        """Takes all steps before a time, or all that there are. Events that no rule asks for only move the time, so
        that they are left out where no timer of the clock depends on it.
        """
        network = self.network
        if network.timers or not events:
            return super().advance(state, events, before)
        asks, forgetting = network.asks, network.forgetting
        taken = [event for event in events if asks[event.label]]
        last = events[-1].end
        found: list[Detection] = []
        if taken:
            if forgetting and (ending := [event for event in taken if event.label in forgetting]):
                if len(ending) < len(taken):
                    found = self._advance_asked(state, [event for event in taken if event.label not in forgetting])
                network.forget(state, ending)
            else:
                found = self._advance_asked(state, taken)
        found += self._timers(state, last + 1, last=last)
        if last >= state.sweep_at:
            network.sweep(state, last)
        state.last = state.now = last
        found += self._timers(state, before, last=None)
        return found

    def _advance_asked(self, state: State, events: Sequence[Occurrence]) -> list[Detection]:
        """Takes the steps of events that rules ask for, without timers of the clock; the step of one event at which no
        row has waited for the end of a timer is taken by the function of its label.
        """
        network = self.network
        alone_with, slots = network.alone, len(network.finishers)
        found: list[Detection] = []
        at, count = 0, len(events)
        while at < count:
            event = events[at]
            now = event.end
            if (waiting := state.waiting) and waiting[0][0] < now:
                found += self._timers(state, now, last=now)
                waiting = state.waiting
            first = at
            at += 1
            if at < count and events[at].end == now:
                while at < count and events[at].end == now:
                    at += 1
                found += self.step(state, now, distinct(events[first:at]))
                continue
            alone = alone_with.get(event.label)
            if alone is None or (waiting and waiting[0][0] == now):
                found += self.step(state, now, [event])
                continue
            if now >= state.sweep_at:
                network.sweep(state, now)
            if state.closed_gates:
                state.close_gates()
            state.last = state.now = now
            state.counter += 1
            if event.number >= 0:
                event = event.copy()  # another processor has numbered it
            event.number = state.counter
            alone(state, event)
            if state.due:
                network.finish(state, slots)
            if state.settled:
                network.settle(state)
            if state.derived:
                found += state.taken()
        return found

    def step(self, state: State, now: Time, events: list[Occurrence]) -> list[RuleDetection]:
        if events:
            if state.last is None:
                state.ticks = [self._next(number, now - 1, None) for number in range(len(self.network.timers))]
            if not state.closing:  # after the end of the stream, only events that other layers derive come
                state.last = now
        due: list[tuple[int, Occurrence]] = []
        for number, tick in enumerate(state.ticks):
            if tick is not None and tick[0] == now:
                due += [(number, occurrence(event)) for event in tick[1]]
                state.ticks[number] = self._next(number, now, state.last if state.closing else None)
        own = [event if event.number < 0 else event.copy() for event in events]  # others may have numbered them
        return self.network.step(state, now, own, due)

    def close(self, state: State) -> None:
        """Ends the stream: of the absolute timers only those go on that have begun."""
        state.closing = True
        if state.last is not None and state.now is not None:
            state.ticks = [self._next(number, state.now, state.last) for number in range(len(state.ticks))]

    def next_wakeup(self, state: State) -> Time | None:
        if not state.ticks:  # most programs have no absolute timers, and this is asked before every step
            return state.waiting[0][0] if state.waiting else None
        times = [tick[0] for tick in state.ticks if tick is not None]
        if state.waiting:
            times.append(state.waiting[0][0])
        return min(times, default=None)

    def check_ticks(self, state: State, last: Time) -> None:
        for number, tick in enumerate(state.ticks):
            if tick is not None and tick[0] <= last:
                timer, rules = self.network.timers[number][0], self._rules_with_timers
                check_timer_ticks(timer, self.plan.calendars, tick[0], last, self.timezone, self.tick_limit, rules)

    @cached_property
    def _rules_with_timers(self) -> str:
        return rules_with_timers(self.plan)

    def _next(self, number: int, after: Time, begun_by: Time | None) -> Tick | None:
        timer = self.network.timers[number][0]
        return next_tick(timer, self.plan.calendars, after, self.timezone, begun_by)
