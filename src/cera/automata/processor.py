"""An automaton as a processor: the runs of each history, woken for delays.

A run without alternatives is compact, and takes most steps directly (`direct`). What is left is explored: then the run
becomes one of a set (`explored_steps`), and is compact again afterwards if it can be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cera.automata.automaton import LAST, Reference
from cera.automata.compact import FEW, CompactRun, contracted, expanded
from cera.automata.compiled import Bindings, CompiledAutomaton, CompiledStep, Fields, times_hold
from cera.automata.direct import FINISHED, TIMED, UNSEEN, DirectSteps
from cera.automata.explored_steps import ExploredSteps
from cera.automata.exploring import Explorer
from cera.automata.histories import AnyHistory, AutomatonState, History
from cera.automata.module import AutomatonModule
from cera.automata.reporter import Reporter
from cera.automata.reports import Report, Reports, each_once
from cera.automata.run_sets import RunSet
from cera.automata.runs import Instance, Run
from cera.automata.saving import packed, unpacked
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
        reporter = Reporter(self._report, module, self._automaton, self._explorer)
        self._explored = ExploredSteps(self._automaton, self._explorer, reporter)
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
                self._explored.advance(history, each, now, events, expected, found)
            elif not self._advance_compact(history, each, now, events, expected, found):
                runs = expanded(each, self._automaton)
                history.sets[history.sets.index(each)] = runs
                self._explored.advance(history, runs, now, events, expected, found)
        for fields in events:
            entered = self._entered(state, key, fields, now)
            if entered:
                self._claim(key, entered, fields, found)
                expected.add(id(fields))
                sets += 1
                made = RunSet(entered)
                history.sets.append(made)
                others = [other for other in events if other is not fields]
                self._explored.begin(history, made, now, fields, others, expected, found)
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
        return packed(history)

    def unpack_history(self, data: Any) -> AnyHistory:
        return unpacked(data, self._automaton)
