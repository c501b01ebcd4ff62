"""An automaton as a processor: the runs of each history, woken for delays.

An instance that can do only one thing does it in place, which is by far the most common case; where there is a choice,
several events at one time, or a delay together with an event, all runs are explored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from cera.automata.automaton import LAST
from cera.automata.compiled import CompiledAutomaton, Fields, times_hold
from cera.automata.direct import DirectSteps
from cera.automata.exploring import Explorer
from cera.automata.histories import AutomatonState, History, RunSet
from cera.automata.module import AutomatonModule
from cera.automata.reporter import Breach, Reporter
from cera.automata.reports import NOT_ACCEPTED, Causes, Period, Report, Reports, named_causes
from cera.automata.runs import Instance, Run, state_key
from cera.automata.traces import Firing
from cera.automata.uniqueness import claim
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import PLAIN, Occurrence, wrap
from cera.model.terms.term import Term
from cera.model.time.interval import Time
from cera.modules.arrivals import NO_HISTORY, Arrival, Key, children
from cera.modules.history_processor import HistoryProcessor


class AutomatonProcessor(HistoryProcessor[AutomatonState, History]):
    """The configuration of an automaton, from step to step."""

    module: AutomatonModule

    def __init__(self, module: AutomatonModule, timezone: str) -> None:
        super().__init__(module, Evaluator((), timezone))
        self._automaton = CompiledAutomaton(module.structure, module.shown, is_traced=module.traced)
        self._explorer = Explorer(module, self._automaton, self.evaluator)
        self._report = Reports(module, timezone)
        self._reporter = Reporter(self._report, module, self._automaton, self._explorer)
        self._direct = DirectSteps(module, self._automaton, self._explorer, self._reporter)
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
        if event.label not in self._labels:
            return ()
        key = self._key(event)
        history = state.histories.get(key)
        if history is None or len(history.sets) != 1 or len(history.sets[0].runs) != 1:
            return self._taken(state, now, {key: [event]})
        runs = history.sets[0]
        found: list[Report] = []
        taken = self._direct.take(runs, event, now, found)
        if taken is None:
            return self._taken(state, now, {key: [event]})
        state.seen += 1
        if taken:
            run = runs.runs[0]
            if run.root.active in self._automaton.final:
                self._change(history, runs, run, now, [("event", event)], found)
            self._keep(state, key, history)
        return found

    def take(
        self, state: AutomatonState, now: Time, by_history: Mapping[Key, Sequence[Arrival]], events: int
    ) -> Sequence[Report]:
        return self._taken(
            state, now, {key: [arrival.tuples[0][1].event for arrival in each] for key, each in by_history.items()}
        )

    def _taken(self, state: AutomatonState, now: Time, arrived: Mapping[Key, list[Occurrence]]) -> list[Report]:
        """Takes a step in the histories that have events, or whose time has come."""
        found: list[Report] = []
        if self._memory is not None:
            state.forget(now, self._memory)
        waiting: dict[Key, list[Occurrence]] = {key: [] for key in state.due(now)}
        for key, events in ({**waiting, **arrived} if waiting else arrived).items():
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
        if value.__class__ in PLAIN:
            return value
        return NO_HISTORY if value is None or isinstance(value, Term) else wrap(value)

    def _advance_history(
        self, state: AutomatonState, key: Key, now: Time, events: list[Fields], found: list[Report]
    ) -> None:
        history = state.histories.get(key)
        if history is None:
            history = state.histories[key] = History()
        if len(events) > 1:
            events.sort(key=lambda fields: (fields.event.begin, fields.event.id))
        expected: set[int] = set()
        for runs in list(history.sets):
            self._advance(history, runs, now, events, expected, found)
        for fields in events:
            entered = self._entered(history, fields, now)
            if entered:
                self._remember(state, key, history, now)
                self._claim(key, entered, fields, found)
                expected.add(id(fields))
                made = RunSet(entered)
                history.sets.append(made)
                others = [other for other in events if other is not fields]
                self._begin(history, made, now, fields, others, expected, found)
        for fields in events:
            if id(fields) not in expected:
                self._unexpected(state, fields.event, found)
        self._keep(state, key, history)

    def _keep(self, state: AutomatonState, key: Key, history: History) -> None:
        """Notes when a history has to be looked at again; drops it if nothing is left of it."""
        if history.sets or history.used:
            state.wake(key, history)
        else:
            del state.histories[key]

    def _claim(self, key: Key, entered: list[Run], fields: Fields, found: list[Report]) -> None:
        """Reports the values of unique variables with which an instance is entered, if others must not have them."""
        if self.module.claimed:
            claims = {each: run for run in entered for each in run.used if each[0] in self.module.claimed}
            for (name, value), run in claims.items():
                found.append(claim(self.module.name, name, value, key, run.root.name, fields.event))

    def _remember(self, state: AutomatonState, key: Key, history: History, now: Time) -> None:
        """Notes when unique values that were used now may come again."""
        if self._memory is not None and history.used:
            state.forgetting.append((now + self._memory + 1, key))

    def _unexpected(self, state: AutomatonState, event: Occurrence, found: list[Report]) -> None:
        state.left_out += 1
        if self.module.expects_all:
            found.append(self._report.unexpected_event(event))

    def _advance(
        self, history: History, runs: RunSet, now: Time, events: list[Fields], expected: set[int], found: list[Report]
    ) -> None:
        due = runs.due
        is_due = due is not None and due <= now
        if not is_due and len(runs.runs) == 1:
            run = runs.runs[0]
            if not any(run.concerned(fields) for fields in events):
                return
            if run.since is None:
                only = events[0] if len(events) == 1 else self._explorer.only_one(run, events)
                if only is not None and self._in_place(history, runs, run, now, only, expected, found):
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
        breach = self._reporter.breach_by(runs, fields, NOT_ACCEPTED) if self._automaton.has_invariants else None
        explorer.note_absences(instance, fields, now)
        run.visited.clear()
        run.fire(instance, step, fields.event, bound, now)
        causes = [("event", fields.event)]
        if self._is_timed_now(run, instance, now):
            runs.know_own_states()
            given_up: set[Period] = set()
            after = self._explorer.outcomes([run], (), now, set(), given_up)
            self._settle(history, runs, after, now, causes, given_up, breach, found)
            return True
        self._reporter.note_overdue(runs, instance, now, found)
        explorer.set_timers(run, [instance], now)
        self._change(history, runs, run, now, causes, found)
        return True

    def _change(self, history: History, runs: RunSet, run: Run, now: Time, causes: Causes, found: list[Report]) -> None:
        """Reports the changes of the only run, all of whose states have been certain."""
        is_over = run.root.active in self._automaton.final
        if is_over:
            history.sets.remove(runs)
        self._reporter.change(runs, run, now, causes, found, is_over=is_over)

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
            self._reporter.note_overdue(runs, run.root, now, found)
            self._explorer.set_timers(run, [run.root], now)
            self._change(history, runs, run, now, [("event", fields.event)], found)
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
        given_up: set[Period] = set()
        runs.know_own_states()
        after = self._explorer.outcomes(runs.runs, events, now, seen, given_up)
        expected |= seen
        taken = [fields.event for fields in events if id(fields) in seen]
        taken += [] if entering is None else [entering.event]
        causes = named_causes(taken) if taken else [("last", runs.runs[0].root.events[LAST])]
        breach = None if after else self._reporter.breach(runs, events, now)
        self._settle(history, runs, after, now, causes, given_up, breach, found)

    def _settle(
        self,
        history: History,
        runs: RunSet,
        after: list[Run],
        now: Time,
        causes: Causes,
        given_up: set[Period],
        breach: Breach | None,
        found: list[Report],
    ) -> None:
        """Replaces the runs of a set by those that follow; if there are none, that is a violation."""
        if not after:
            assert breach is not None
            history.sets.remove(runs)
            self._reporter.violate(runs, breach, now, causes, given_up, found)
            return
        runs.runs = after
        is_over = all(run.root.active in self._automaton.final for run in after)
        if is_over:
            history.sets.remove(runs)
        self._reporter.settle(runs, now, causes, given_up, found, is_over=is_over)
        if not is_over:
            self._reporter.report_overdue(runs, now, found)
            for run in after:
                for instance in run.root.walk():
                    self._explorer.set_timer(run, instance, now)

    # New instances of the root

    def _entered(self, history: History, fields: Fields, now: Time) -> list[Run]:
        found = []
        used = []
        for step in self._automaton.enters.get(fields.event.label, ()):
            assert step.query is not None
            bound = step.query.match(fields, {})
            if bound is None or self._explorer.is_used(history.used, step, bound, now):
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
            if self.module.traced:
                run.trace = (Firing(now, step.number, root.name, fields.event),)
            used.append(unique)
            found.append(run)
        for each in used:
            history.used.update(each)
        return found

    # The state as others see it

    def next_wakeup(self, state: AutomatonState) -> Time | None:
        return state.next

    def live(self, history: History) -> int:
        return sum(1 for runs in history.sets for run in runs.runs for _ in run.root.walk()) + len(history.used)

    def pack_history(self, history: History) -> Any:
        sets = [
            ([run.pack() for run in runs.runs], list(runs.open.items()), sorted(runs.overdue, key=repr))
            for runs in history.sets
        ]
        return sets, list(history.used.items())

    def unpack_history(self, data: Any) -> History:
        sets, used = data
        history = History()
        history.used = {(name, value): time for (name, value), time in used}
        for runs, is_open, is_overdue in sets:
            made = [Run.unpack(self._automaton, each) for each in runs]
            made_set = RunSet(made)
            made_set.open = {state_key(key): begin for key, begin in is_open}
            made_set.overdue = frozenset(map(state_key, is_overdue))
            history.sets.append(made_set)
        return history

    def unpack(self, data: Mapping[str, Any]) -> AutomatonState:
        state = super().unpack(data)
        for key, history in state.histories.items():
            state.wake(key, history)
        if self._memory is not None:
            times = [(t + self._memory + 1, key) for key, each in state.histories.items() for t in each.used.values()]
            state.forgetting.extend(sorted(times, key=itemgetter(0)))
        return state

    def forget(self, state: AutomatonState) -> None:
        """Drops nothing: what has ended is gone already, and unique values are dropped as time goes on."""
