"""An automaton as a processor: the runs of each history, woken for delays.

An instance that can do only one thing does it in place, which is by far the most common case; where there is a choice,
several events at one time, or a delay together with an event, all runs are explored.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cera.automata.automaton import LAST
from cera.automata.compiled import Bindings, CompiledAutomaton, CompiledStep, Fields, times_hold
from cera.automata.exploring import Explorer
from cera.automata.module import AutomatonModule
from cera.automata.reports import (
    InstanceView,
    Name,
    Report,
    StateKey,
    named_causes,
    overdue,
    state_change,
    unexpected_event,
    violation,
)
from cera.automata.runs import Instance, Run
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import Cell, Occurrence, wrap
from cera.model.terms.term import Term
from cera.model.time.interval import Time
from cera.modules.arrivals import NO_HISTORY, Arrival, Key, children
from cera.modules.history_processor import HistoryProcessor, HistoryState

Causes = Sequence[tuple[str, Occurrence]]


class RunSet:
    """The runs of one instance of the root, and since when its certain states hold."""

    __slots__ = ("open", "runs")

    def __init__(self, runs: list[Run]) -> None:
        self.runs = runs
        self.open: dict[StateKey, Time] = {}

    @property
    def name(self) -> Name:
        return self.runs[0].root.name

    @property
    def due(self) -> Time | None:
        return min((due for run in self.runs if (due := run.due) is not None), default=None)


class History:
    """The sets of runs of one key, and the values that must be unique when it is entered."""

    __slots__ = ("sets", "used", "wakeup")

    def __init__(self) -> None:
        self.sets: list[RunSet] = []
        self.used: dict[tuple[str, Cell], Time] = {}
        self.wakeup: Time | None = None


class AutomatonState(HistoryState[History]):
    """The histories, and when delays are over in them."""

    def __init__(self) -> None:
        super().__init__()
        #: A heap; entries may be out of date.
        self.wakeups: list[tuple[Time, int, Key]] = []
        self._queued = 0

    def wake(self, key: Key, history: History, forgotten: Time | None) -> None:
        """Enters the next time of a history: something happens in it, or a value is forgotten."""
        times = [due for runs in history.sets if (due := runs.due) is not None]
        due = min([*times, *([] if forgotten is None else [forgotten])], default=None)
        if due != history.wakeup:
            history.wakeup = due
            if due is not None:
                self._queued += 1
                heapq.heappush(self.wakeups, (due, self._queued, key))

    @property
    def next(self) -> Time | None:
        wakeups = self.wakeups
        while wakeups:
            time, _, key = wakeups[0]
            history = self.histories.get(key)
            if history is not None and history.wakeup == time:
                return time
            heapq.heappop(wakeups)
        return None


class AutomatonProcessor(HistoryProcessor[AutomatonState, History]):
    """The configuration of an automaton, from step to step."""

    module: AutomatonModule

    def __init__(self, module: AutomatonModule, timezone: str) -> None:
        super().__init__(module, Evaluator((), timezone))
        self._automaton = CompiledAutomaton(module.structure, module.shown)
        self._explorer = Explorer(module, self._automaton, self.evaluator)
        self._labels = module.reads
        self._partition = module.partition
        queries = [step.transition.label.query for step in module.structure.enters]
        memories = [each.memory for query in queries if query is not None for each in query.unique]
        #: How long values that must be unique are remembered; None if some are for good.
        self._memory = None if None in memories else max((each for each in memories if each is not None), default=0)

    def start(self) -> AutomatonState:
        return AutomatonState()

    # Steps

    def step(self, state: AutomatonState, now: Time, events: list[Occurrence]) -> list[Report]:
        arrived: dict[Key, list[Occurrence]] = {}
        for event in events:
            if event.label in self._labels:
                arrived.setdefault(self._key(event), []).append(event)
        return self._taken(state, now, arrived)

    def step_alone(self, state: AutomatonState, now: Time, event: Occurrence) -> Sequence[Report]:
        return self.step(state, now, [event]) if event.label in self._labels else ()

    def take(
        self, state: AutomatonState, now: Time, by_history: Mapping[Key, Sequence[Arrival]], events: int
    ) -> Sequence[Report]:
        return self._taken(
            state, now, {key: [arrival.tuples[0][1].event for arrival in each] for key, each in by_history.items()}
        )

    def _taken(self, state: AutomatonState, now: Time, arrived: Mapping[Key, list[Occurrence]]) -> list[Report]:
        """Takes a step in the histories that have events, or whose time has come."""
        found: list[Report] = []
        waiting: dict[Key, list[Occurrence]] = {}
        while (due := state.next) is not None and due <= now:
            waiting.setdefault(heapq.heappop(state.wakeups)[2], [])
        for key, events in {**waiting, **arrived}.items():
            state.seen += len(events)
            if key is NO_HISTORY:
                for event in events:
                    self._unexpected(state, event, found)
            else:
                self._advance_history(state, key, now, list(map(Fields, events)), found)
        return found

    def _key(self, event: Occurrence) -> Key:
        if self._partition is None:
            return None
        content = event.content if event.content is not None else children(event.term)
        value = content.get(self._partition)
        return NO_HISTORY if value is None or isinstance(value, Term) else wrap(value)

    def _advance_history(
        self, state: AutomatonState, key: Key, now: Time, events: list[Fields], found: list[Report]
    ) -> None:
        history = state.histories.get(key)
        if history is None:
            history = state.histories[key] = History()
        if len(events) > 1:
            events.sort(key=lambda fields: (fields.event.begin, fields.event.id))
        history.wakeup = None
        self._forget_used(history, now)
        expected: set[int] = set()
        for runs in list(history.sets):
            self._advance(history, runs, now, events, expected, found)
        for fields in events:
            entered = self._entered(history, fields, now)
            if entered:
                expected.add(id(fields))
                made = RunSet(entered)
                history.sets.append(made)
                others = [other for other in events if other is not fields]
                self._begin(history, made, now, fields, others, expected, found)
        for fields in events:
            if id(fields) not in expected:
                self._unexpected(state, fields.event, found)
        if history.sets or history.used:
            state.wake(key, history, self._forgotten(history))
        else:
            del state.histories[key]

    def _forgotten(self, history: History) -> Time | None:
        """Returns when the next unique value may be forgotten."""
        if self._memory is None or not history.used:
            return None
        return min(history.used.values()) + self._memory + 1

    def _forget_used(self, history: History, now: Time) -> None:
        """Drops the values of unique variables that may come again."""
        if self._memory is not None and history.used:
            history.used = {value: since for value, since in history.used.items() if now - since <= self._memory}

    def _unexpected(self, state: AutomatonState, event: Occurrence, found: list[Report]) -> None:
        state.left_out += 1
        if self.module.expects_all:
            found.append(unexpected_event(self.module, event))

    def _advance(
        self, history: History, runs: RunSet, now: Time, events: list[Fields], expected: set[int], found: list[Report]
    ) -> None:
        due = runs.due
        is_due = due is not None and due <= now
        if not is_due and len(runs.runs) == 1:
            run = runs.runs[0]
            if not any(run.concerned(fields) for fields in events):
                return
            if len(events) == 1 and self._in_place(history, runs, run, now, events[0], expected, found):
                return
        self._explore(history, runs, now, events, None, expected, found)

    def _in_place(
        self,
        history: History,
        runs: RunSet,
        run: Run,
        now: Time,
        fields: Fields,
        expected: set[int],
        found: list[Report],
    ) -> bool:
        """Lets the only instance that sees an event do the only thing it can; returns whether that is so."""
        concerned = run.concerned(fields)
        if len(concerned) != 1:
            return False
        [instance] = concerned
        explorer = self._explorer
        enabled = explorer.enabled(run, instance, fields, now)
        if len(enabled) != 1:
            return False
        step, bound = enabled[0]
        expected.add(id(fields))
        explorer.note_absences(instance, fields, now)
        run.visited.clear()
        run.fire(instance, step, fields.event, bound, now)
        if self._is_timed_now(run, instance, now):
            after = self._explorer.outcomes([run], (), now, set())
            for each in after:
                each.visited |= run.visited
            self._settle(history, runs, after, now, [("event", fields.event)], found)
            return True
        self._note_overdue(runs, instance, now, found)
        explorer.set_timers(run, [instance], now)
        if run.root.active in self._automaton.final:
            self._finish(history, runs, [run], now, [("event", fields.event)], found)
        else:
            self._change(runs, run, now, [("event", fields.event)], found)
        return True

    def _is_timed_now(self, run: Run, instance: Instance, now: Time) -> bool:
        """Returns whether something is due at once in an instance that has changed, inside of it, or around it."""
        has_timers = self._automaton.has_timers
        around = instance.parent
        concerned = list(instance.walk())
        while around is not None:
            concerned.append(around)
            around = around.parent
        for each in concerned:
            if has_timers[each.state][each.active]:
                timed = self._automaton.timed[each.state].get(each.active, ())
                if any(self._explorer.time_of(each, step, now) == now for step in timed):
                    return True
                if self._automaton.invariants[each.active] and not self._explorer.invariants_hold(run, now):
                    return True
        return False

    def _begin(
        self,
        history: History,
        runs: RunSet,
        now: Time,
        fields: Fields,
        others: list[Fields],
        expected: set[int],
        found: list[Report],
    ) -> None:
        """Takes the first step of a new instance of the root."""
        run = runs.runs[0]
        if len(runs.runs) == 1 and not others and not self._is_timed_now(run, run.root, now):
            self._note_overdue(runs, run.root, now, found)
            self._explorer.set_timers(run, [run.root], now)
            if run.root.active in self._automaton.final:
                self._finish(history, runs, [run], now, [("event", fields.event)], found)
            else:
                self._change(runs, run, now, [("event", fields.event)], found)
            return
        self._explore(history, runs, now, others, fields, expected, found)

    def _explore(
        self,
        history: History,
        runs: RunSet,
        now: Time,
        events: list[Fields],
        entering: Fields | None,
        expected: set[int],
        found: list[Report],
    ) -> None:
        seen: set[int] = set()
        after = self._explorer.outcomes(runs.runs, events, now, seen, is_new=entering is not None)
        expected |= seen
        taken = [fields.event for fields in events if id(fields) in seen]
        taken += [] if entering is None else [entering.event]
        causes = named_causes(taken) if taken else [("last", runs.runs[0].root.events[LAST])]
        if not after:
            self._violate(history, runs, events, now, causes, found)
            return
        self._settle(history, runs, after, now, causes, found)

    def _settle(
        self, history: History, runs: RunSet, after: list[Run], now: Time, causes: Causes, found: list[Report]
    ) -> None:
        """Replaces the runs of a set by those that follow."""
        if not after:
            self._violate(history, runs, [], now, causes, found)
            return
        runs.runs = after
        for run in after:
            for instance in run.root.walk():
                self._overdue(runs, instance, now, found)
                self._explorer.set_timer(run, instance, now)
        if all(run.root.active in self._automaton.final for run in after):
            self._finish(history, runs, after, now, causes, found)
        else:
            active = set.intersection(*(set(run.states) for run in after))
            visited = set.intersection(*(run.visited for run in after))
            self._changed(runs, active, visited, now, causes, found)

    def _note_overdue(self, runs: RunSet, instance: Instance, now: Time, found: list[Report]) -> None:
        has_timers = self._automaton.has_timers
        for each in instance.walk():
            if has_timers[each.state][each.active]:
                self._overdue(runs, each, now, found)

    def _overdue(self, runs: RunSet, instance: Instance, now: Time, found: list[Report]) -> None:
        deadline = self._explorer.deadline(instance)
        if deadline is not None and deadline <= now:
            instance.is_overdue = True
            if len(runs.runs) == 1:
                active = self._automaton.paths[instance.active]
                last = [("last", instance.events[LAST])]
                found.append(overdue(self.module, instance.name, active, now, last))

    # New instances of the root

    def _entering(self, fields: Fields) -> Iterator[tuple[CompiledStep, Bindings]]:
        for step in self._automaton.enters.get(fields.event.label, ()):
            assert step.query is not None
            for bound in step.query.matches(fields, {}):
                yield step, bound

    def _entered(self, history: History, fields: Fields, now: Time) -> list[Run]:
        found = []
        used = []
        for step, bound in self._entering(fields):
            assert step.query is not None
            if self._explorer.is_used(history.used, step, bound, now):
                continue
            if not times_hold(step.times, {}, fields.event, now):
                continue
            if step.conditions and not self._explorer.conditions_hold(step, bound):
                continue
            root = Instance(self._automaton.numbers[self.module.structure.root], step.after, now, None)
            root.variables, root.events = dict(bound), {LAST: fields.event}
            if step.identifier is not None:
                root.events[step.identifier] = fields.event
            run = Run(self._automaton, root)
            root.name = run.name_of(root)
            run.add(root)
            if step.created:
                run.instantiate(root, step, frozenset(bound), now)
            needed = self._automaton.needed[root.state]
            root.variables = {name: value for name, value in root.variables.items() if name in needed}
            unique = {(each.variable, bound[each.variable]): now for each in step.query.unique}
            run.used.update(unique)
            used.append(unique)
            found.append(run)
        for each in used:
            history.used.update(each)
        return found

    # Reports

    def _finish(
        self, history: History, runs: RunSet, after: list[Run], now: Time, causes: Causes, found: list[Report]
    ) -> None:
        visited = set.intersection(*(run.visited | run.states.keys() for run in after))
        self._changed(runs, set(), visited, now, causes, found)
        history.sets.remove(runs)

    def _change(self, runs: RunSet, run: Run, now: Time, causes: Causes, found: list[Report]) -> None:
        """Reports the changes of the only run of a set."""
        concerned = run.visited if runs.open else run.visited | run.states.keys()
        self._changed_among(runs, concerned, concerned & run.states.keys(), now, causes, found)

    def _changed_among(
        self,
        runs: RunSet,
        concerned: set[StateKey],
        active: set[StateKey],
        now: Time,
        causes: Causes,
        found: list[Report],
    ) -> None:
        """Reports the changes of some states; the others are as they were."""
        is_open = runs.open
        for key in sorted(concerned, key=repr):
            if key in active:
                if key not in is_open:
                    is_open[key] = now
                    found.append(state_change(self.module, key, now, None, causes))
            elif key in is_open:
                found.append(state_change(self.module, key, is_open.pop(key), now, causes))
            else:
                found.append(state_change(self.module, key, now, None, causes))
                found.append(state_change(self.module, key, now, now, causes))

    def _changed(
        self,
        runs: RunSet,
        active: set[StateKey],
        visited: set[StateKey],
        now: Time,
        causes: Causes,
        found: list[Report],
    ) -> None:
        self._changed_among(runs, {*runs.open, *active, *visited}, active, now, causes, found)

    def _violate(
        self, history: History, runs: RunSet, events: list[Fields], now: Time, causes: Causes, found: list[Report]
    ) -> None:
        history.sets.remove(runs)
        at_fault, reason = self._fault(runs, events, now)
        views = self._views(runs, at_fault)
        event = None if at_fault is None else at_fault.event
        found.append(violation(self.module, runs.name, views, event, now, reason, causes))
        self._changed(runs, set(), set(), now, causes, found)

    def _fault(self, runs: RunSet, events: list[Fields], now: Time) -> tuple[Fields | None, str]:
        """Returns the first event that cannot be accepted together with those before it."""
        if not self._explorer.outcomes(runs.runs, (), now, set()):
            return None, "the time in this state is over"
        if self._explorer.all_coincide(runs.runs, events):
            relevant = [fields for fields in events if any(run.concerned(fields) for run in runs.runs)]
            return relevant[1], "it happens together with another event of the instance"
        for number, fields in enumerate(events):
            if not self._explorer.outcomes(runs.runs, events[: number + 1], now, set()):
                return fields, "no transition accepts it"
        raise AssertionError("all events are accepted")

    def _views(self, runs: RunSet, fields: Fields | None) -> list[InstanceView]:
        automaton = self._automaton
        concerned = []
        for run in runs.runs:
            seeing = [] if fields is None else run.concerned(fields)
            for instance in seeing or run.root.walk():
                if automaton.is_atomic[instance.active]:
                    concerned.append(instance)
        if not concerned:
            every = (each for run in runs.runs for each in run.root.walk())
            concerned = [each for each in every if automaton.is_atomic[each.active]]
        paths = automaton.paths
        return [InstanceView(paths[i.state], paths[i.active], i.variables, i.events) for i in concerned]

    # The state as others see it

    def next_wakeup(self, state: AutomatonState) -> Time | None:
        return state.next

    def live(self, history: History) -> int:
        return sum(1 for runs in history.sets for run in runs.runs for _ in run.root.walk()) + len(history.used)

    def pack_history(self, history: History) -> Any:
        sets = [([run.pack() for run in runs.runs], list(runs.open.items())) for runs in history.sets]
        return sets, list(history.used.items())

    def unpack_history(self, data: Any) -> History:
        sets, used = data
        history = History()
        history.used = {(name, value): time for (name, value), time in used}
        for runs, is_open in sets:
            made = [Run.unpack(self._automaton, each) for each in runs]
            made_set = RunSet(made)
            made_set.open = {(label, tuple(map(tuple, name))): begin for (label, name), begin in is_open}
            history.sets.append(made_set)
        return history

    def unpack(self, data: Mapping[str, Any]) -> AutomatonState:
        state = super().unpack(data)
        for key, history in state.histories.items():
            state.wake(key, history, self._forgotten(history))
        return state

    def forget(self, state: AutomatonState) -> None:
        """Drops nothing: what has ended is gone already, and unique values are dropped as time goes on."""
