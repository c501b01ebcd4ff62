"""An automaton as a processor: the runs of each history, woken for delays.

An instance that can do only one thing does it in place, which is by far the most common case; where there is a choice,
several events at one time, or a delay together with an event, all runs are explored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cera.automata.automaton import LAST, Reference
from cera.automata.compact import FEW, CompactRun, contracted, expanded, packed, unpacked
from cera.automata.compiled import Bindings, CompiledAutomaton, CompiledStep, Fields, times_hold
from cera.automata.direct import FINISHED, TIMED, UNSEEN, DirectSteps
from cera.automata.exploring import Explorer
from cera.automata.histories import AnyHistory, AutomatonState, History
from cera.automata.module import AutomatonModule
from cera.automata.reporter import Breach, Reporter
from cera.automata.reports import NOT_ACCEPTED, Causes, Period, Report, Reports, each_once, named_causes
from cera.automata.run_sets import RunSet
from cera.automata.runs import Instance, Run, state_key
from cera.automata.traces import Firing
from cera.automata.uniqueness import claim
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import PLAIN, Occurrence, wrap
from cera.model.terms.term import Term
from cera.model.time.interval import Time
from cera.modules.arrivals import NO_HISTORY, Arrival, Key, children
from cera.modules.history_processor import HistoryProcessor
from cera.modules.processor import Counts


class AutomatonProcessor(HistoryProcessor[AutomatonState, AnyHistory]):
    """The configuration of an automaton, from step to step."""

    module: AutomatonModule

    def __init__(self, module: AutomatonModule, timezone: str) -> None:
        super().__init__(module, Evaluator((), timezone))
        self._automaton = CompiledAutomaton(module.structure, module.shown, is_traced=module.traced)
        self._explorer = Explorer(module, self._automaton, self.evaluator)
        self._report = Reports(module, timezone)
        self._reporter = Reporter(self._report, module, self._automaton, self._explorer)
        self._direct = DirectSteps(module, self._automaton, self._explorer)
        self._labels = module.reads
        self._partition = module.partition
        queries = [step.transition.label.query for step in module.structure.enters]
        memories = [each.memory for query in queries if query is not None for each in query.unique]
        #: How long values that must be unique are remembered; None if some are for good.
        self._memory = None if None in memories else max((each for each in memories if each is not None), default=0)
        #: Whether instances in different histories may have one name.
        self._shares_names = bool(module.structure.unnamed)
        #: The variable of the root whose value is the key of a history.
        dividing = dict(module.automaton.root.attributes).get(self._partition or "")
        self._key_variable = dividing.variable if isinstance(dividing, Reference) else None

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
        found: list[Report] = []
        key = self._key(event)
        if not self._take(state, key, now, event, found):
            self._explore_history(state, key, now, [event], found)
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
            if key in waiting:
                if not events and self._wake(state, key, now, found):
                    continue
            elif len(events) == 1 and self._take(state, key, now, events[0], found):
                continue
            self._explore_history(state, key, now, events, found)
        return each_once(found) if self._shares_names else found

    # Steps that need no exploring

    def _take(self, state: AutomatonState, key: Key, now: Time, event: Occurrence, found: list[Report]) -> bool:
        """Takes the step of an event in a history in which nothing is due; returns whether that was possible."""
        run = state.histories.get(key)
        if not isinstance(run, CompactRun):
            if run is None:
                return event.label in self._direct.enters and self._enter(state, key, now, event, found)
            if len(run.sets) > 1 or not self._direct.takes(event.label):
                return False
            run = self._put(state, key, run)
            if not isinstance(run, CompactRun):
                return False
        outcome = self._direct.take(run, event, now, found)
        if outcome is None or outcome == UNSEEN:
            return False
        state.seen += 1
        if outcome == TIMED:
            state.wake(key, run)
        elif outcome == FINISHED:
            del state.histories[key]
        return True

    def _enter(self, state: AutomatonState, key: Key, now: Time, event: Occurrence, found: list[Report]) -> bool:
        """Makes a history with a new instance of the root; returns whether that was possible."""
        entering = self._direct.enters[event.label]
        if key is NO_HISTORY:
            return False
        content = event.content if event.content is not None else children(event.term)
        values = [
            (self._unique(key, name, content.get(attribute)), memory) for name, attribute, memory in entering.unique
        ]
        if any(self._is_used(state, value, memory, now) for value, memory in values):
            return False
        run = self._direct.enter(entering, event, content, now, found)
        if run is None:
            return False
        for value, _ in values:
            state.use(value, now, self._memory)
        state.histories[key] = run
        state.seen += 1
        if run.timers is not None:
            state.wake(key, run)
        return True

    def _wake(self, state: AutomatonState, key: Key, now: Time, found: list[Report]) -> bool:
        """Lets time do something in a history; returns whether that was possible."""
        run = state.histories[key]
        if not isinstance(run, CompactRun) or not self._direct.wake(run, now, found):
            return False
        state.wake(key, run)
        return True

    def _put(self, state: AutomatonState, key: Key, history: History) -> AnyHistory:
        """Puts a history into the state, as compact as it can be; returns it."""
        history.sets = [each if isinstance(each, CompactRun) else self._contracted(each) for each in history.sets]
        found: AnyHistory = history
        if len(history.sets) == 1 and isinstance(history.sets[0], CompactRun):
            found = history.sets[0]
            found.wakeup = history.wakeup
        state.histories[key] = found
        return found

    def _contracted(self, runs: RunSet) -> RunSet | CompactRun:
        """Returns the only run of a set as a compact one; the same if it cannot be, or is too large to be looked at
        after each step."""
        runs.steps += 1
        if not self._direct.takes_some or runs.steps <= len(runs.runs[0].index) - FEW:
            return runs
        runs.steps = 0
        return contracted(runs, self._automaton) or runs

    # Values that must be unique when an instance is entered

    def _unique(self, key: Key, variable: str, value: object) -> Key:
        """Returns how a value is remembered."""
        return key if variable == self._key_variable else (key, variable, value)

    def _is_used(self, state: AutomatonState, value: Key, memory: Time | None, now: Time) -> bool:
        since = state.used.get(value)
        return since is not None and (memory is None or now - since <= memory)

    # Steps that are explored

    def _key(self, event: Occurrence) -> Key:
        if self._partition is None:
            return None
        content = event.content if event.content is not None else children(event.term)
        value = content.get(self._partition)
        if value.__class__ in PLAIN:
            return value
        return NO_HISTORY if value is None or isinstance(value, Term) else wrap(value)

    def _explore_history(
        self, state: AutomatonState, key: Key, now: Time, occurrences: list[Occurrence], found: list[Report]
    ) -> None:
        state.seen += len(occurrences)
        if key is NO_HISTORY:
            for event in occurrences:
                self._unexpected(state, event, found)
            return
        history = self._history(state.histories.get(key))
        events = list(map(Fields, occurrences))
        if len(events) > 1:
            events.sort(key=lambda fields: (fields.event.begin, fields.event.id))
        expected: set[int] = set()
        before, sets = len(found), len(history.sets)
        for each in list(history.sets):
            if not isinstance(each, CompactRun):
                self._advance(history, each, now, events, expected, found)
            elif not self._advance_compact(history, each, now, events, expected, found):
                runs = expanded(each, self._automaton)
                history.sets[history.sets.index(each)] = runs
                self._advance(history, runs, now, events, expected, found)
        for fields in events:
            entered = self._entered(state, key, fields, now)
            if entered:
                self._claim(key, entered, fields, found)
                expected.add(id(fields))
                sets += 1
                made = RunSet(entered)
                history.sets.append(made)
                others = [other for other in events if other is not fields]
                self._begin(history, made, now, fields, others, expected, found)
        for fields in events:
            if id(fields) not in expected:
                self._unexpected(state, fields.event, found)
        if sets > 1:
            found[before:] = each_once(found[before:])
        if not history.sets:
            state.histories.pop(key, None)
        elif all(self._direct.takes(event.label) for event in occurrences):
            state.wake(key, self._put(state, key, history))
        else:
            state.histories[key] = history
            state.wake(key, history)

    def _history(self, given: AnyHistory | None) -> History:
        """Returns a history whose sets can be changed."""
        if not isinstance(given, CompactRun):
            return given or History()
        history = History(given)
        history.wakeup = given.wakeup
        return history

    def _advance_compact(
        self,
        history: History,
        run: CompactRun,
        now: Time,
        events: list[Fields],
        expected: set[int],
        found: list[Report],
    ) -> bool:
        """Takes the step of a compact run among others; returns False if it has to be explored."""
        due = run.next_due
        if due is not None and due <= now:
            return False
        if len(events) != 1:
            return not any(self._direct.may_concern(run, fields.event) for fields in events)
        outcome = self._direct.take(run, events[0].event, now, found)
        if outcome is None:
            return False
        if outcome != UNSEEN:
            expected.add(id(events[0]))
        if outcome == FINISHED:
            history.sets.remove(run)
        return True

    def _claim(self, key: Key, entered: list[Run], fields: Fields, found: list[Report]) -> None:
        """Reports the values of unique variables with which an instance is entered, if others must not have them."""
        if self.module.claimed:
            claims = {each: run for run in entered for each in run.used if each[0] in self.module.claimed}
            for (name, value), run in claims.items():
                found.append(claim(self.module.name, name, value, key, run.root.name, fields.event))

    def _unexpected(self, state: AutomatonState, event: Occurrence, found: list[Report]) -> None:
        state.left_out += 1
        if self.module.expects_all:
            found.append(self._report.unexpected_event(event))

    def _advance(
        self, history: History, runs: RunSet, now: Time, events: list[Fields], expected: set[int], found: list[Report]
    ) -> None:
        due = runs.next_due
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

    def _entering(self, fields: Fields) -> Iterator[tuple[CompiledStep, Bindings]]:
        for step in self._automaton.enters.get(fields.event.label, ()):
            assert step.query is not None
            for bound in step.query.matches(fields, {}):
                yield step, bound

    def _entered(self, state: AutomatonState, key: Key, fields: Fields, now: Time) -> list[Run]:
        found = []
        used: list[Key] = []
        for step, bound in self._entering(fields):
            assert step.query is not None
            unique = step.query.unique
            values = [self._unique(key, each.variable, bound[each.variable]) for each in unique]
            if any(self._is_used(state, v, each.memory, now) for v, each in zip(values, unique, strict=True)):
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
            run.used.update({(each.variable, bound[each.variable]): now for each in unique})
            if self.module.traced:
                run.trace = (Firing(now, step.number, root.name, fields.event),)
            used += values
            found.append(run)
        for value in used:
            state.use(value, now, self._memory)
        return found

    # The state as others see it

    def next_wakeup(self, state: AutomatonState) -> Time | None:
        return state.next

    def live(self, history: AnyHistory) -> int:
        sets = [history] if isinstance(history, CompactRun) else history.sets
        roots = [root for each in sets for root in ([each] if isinstance(each, CompactRun) else each.roots)]
        return sum(1 for root in roots for _ in root.walk())

    def counts(self, state: AutomatonState) -> Counts:
        found = super().counts(state)
        return found._replace(in_state=found.in_state + len(state.used))

    def trim(self, state: AutomatonState) -> bool:
        return super().trim(state) and not state.used

    def forget(self, state: AutomatonState) -> None:
        """Drops nothing: what has ended is gone already, and unique values are dropped as time goes on."""

    # Saving

    def pack(self, state: AutomatonState) -> dict[str, Any]:
        return {**super().pack(state), "used": list(state.used.items())}

    def unpack(self, data: Mapping[str, Any]) -> AutomatonState:
        state = super().unpack(data)
        for key, history in state.histories.items():
            state.wake(key, history)
        for value, since in data["used"]:
            state.use(value, since, self._memory)
        return state

    def pack_history(self, history: AnyHistory) -> Any:
        return [
            (packed(each),)
            if isinstance(each, CompactRun)
            else ([run.pack() for run in each.runs], list(each.open.items()), sorted(each.overdue, key=repr))
            for each in ([history] if isinstance(history, CompactRun) else history.sets)
        ]

    def unpack_history(self, data: Any) -> AnyHistory:
        if len(data) == 1 and len(data[0]) == 1:
            return unpacked(data[0][0], self._automaton)
        history = History()
        for each in data:
            if len(each) == 1:
                history.sets.append(unpacked(each[0], self._automaton))
                continue
            runs, is_open, is_overdue = each
            made = RunSet([Run.unpack(self._automaton, run) for run in runs])
            made.open = {state_key(key): begin for key, begin in is_open}
            made.overdue = frozenset(map(state_key, is_overdue))
            history.sets.append(made)
        return history
