"""What the processor of an automaton reports of a set of runs: the states that are certain, violations, and what is
overdue."""

from __future__ import annotations

from collections.abc import Sequence

from cera.automata.automaton import LAST
from cera.automata.compiled import CompiledAutomaton, Fields
from cera.automata.exploring import Explorer
from cera.automata.histories import RunSet
from cera.automata.module import AutomatonModule
from cera.automata.reports import InstanceView, Report, StateKey, overdue, state_change, violation
from cera.automata.runs import Instance, Run
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time

Causes = Sequence[tuple[str, Occurrence]]


class Reporter:
    """Adds what it reports to the lists that it is given."""

    def __init__(self, module: AutomatonModule, automaton: CompiledAutomaton, explorer: Explorer) -> None:
        self._module = module
        self._automaton = automaton
        self._explorer = explorer

    def finish(self, runs: RunSet, after: list[Run], now: Time, causes: Causes, found: list[Report]) -> None:
        """Reports the states of runs that have all come to their end."""
        visited = set.intersection(*(run.visited | run.states.keys() for run in after))
        self.changed(runs, set(), visited, now, causes, found)

    def change(self, runs: RunSet, run: Run, now: Time, causes: Causes, found: list[Report]) -> None:
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
                    found.append(state_change(self._module, key, now, None, causes))
            elif key in is_open:
                found.append(state_change(self._module, key, is_open.pop(key), now, causes))
            else:
                found.append(state_change(self._module, key, now, None, causes))
                found.append(state_change(self._module, key, now, now, causes))

    def changed(
        self,
        runs: RunSet,
        active: set[StateKey],
        visited: set[StateKey],
        now: Time,
        causes: Causes,
        found: list[Report],
    ) -> None:
        self._changed_among(runs, {*runs.open, *active, *visited}, active, now, causes, found)

    def violate(self, runs: RunSet, events: list[Fields], now: Time, causes: Causes, found: list[Report]) -> None:
        at_fault, reason = self._fault(runs, events, now)
        views = self._views(runs, at_fault)
        event = None if at_fault is None else at_fault.event
        found.append(violation(self._module, runs.name, views, event, now, reason, causes))
        self.changed(runs, set(), set(), now, causes, found)

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

    def note_overdue(self, runs: RunSet, instance: Instance, now: Time, found: list[Report]) -> None:
        has_timers = self._automaton.has_timers
        for each in instance.walk():
            if has_timers[each.state][each.active]:
                self.overdue(runs, each, now, found)

    def overdue(self, runs: RunSet, instance: Instance, now: Time, found: list[Report]) -> None:
        deadline = self._explorer.deadline(instance)
        if deadline is not None and deadline <= now:
            instance.is_overdue = True
            if len(runs.runs) == 1:
                active = self._automaton.paths[instance.active]
                last = [("last", instance.events[LAST])]
                found.append(overdue(self._module, instance.name, active, now, last))
