"""What the processor of an automaton reports of a set of runs: the states that are certain, violations, and what is
overdue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

from cera.automata.automaton import LAST
from cera.automata.compiled import CompiledAutomaton, Fields
from cera.automata.explanations import InstanceView
from cera.automata.exploring import Explorer
from cera.automata.module import AutomatonModule
from cera.automata.reports import (
    NOT_ACCEPTED,
    TIME_OVER,
    TOGETHER,
    Causes,
    Fault,
    Period,
    Report,
    Reports,
    StateKey,
    latest_overdue,
)
from cera.automata.run_sets import RunSet
from cera.automata.runs import Instance, Run
from cera.automata.traces import trace_causes
from cera.model.time.interval import Time


class Breach(NamedTuple):
    """What will be reported if a set of runs comes to nothing: as it was before the event."""

    fault: Fault
    seeing: Sequence[InstanceView]
    views: Sequence[InstanceView]
    ways: Sequence[Causes]


class Reporter:
    """Adds what it reports to the lists that it is given."""

    def __init__(self, reports: Reports, module: AutomatonModule, automaton: CompiledAutomaton, explorer: Explorer):
        self._reports = reports
        self._module = module
        self._automaton = automaton
        self._explorer = explorer

    # States

    def settle(
        self, runs: RunSet, now: Time, causes: Causes, given_up: set[Period], found: list[Report], *, is_over: bool
    ) -> None:
        """Reports what a step has done to the states of runs. All these are left if the instance `is_over`."""
        if is_over:
            for run in runs.runs:
                own = set(run.states)
                run.visited |= own
                run.live(own, (), now)
        active = set() if is_over else set.intersection(*(set(run.states) for run in runs.runs))
        visited = set.intersection(*(run.visited for run in runs.runs))
        certain = self._changed_among(runs, {*runs.open, *active, *visited}, active, now, causes, found)
        for run in runs.runs:
            assert run.since is not None
            run.past -= certain
            for key in runs.open:
                run.since[key] = run.since[key][0], True
        late = set.intersection(*(run.past for run in runs.runs))
        for run in runs.runs:
            run.past -= late
        found += [self._reports.past(each, now, causes) for each in late]
        self._add_possible(set.union(given_up, *(run.left for run in runs.runs)) - certain, causes, found)
        runs.forget_own_states()

    def change(self, runs: RunSet, run: Run, now: Time, causes: Causes, found: list[Report], *, is_over: bool) -> None:
        """Reports the changes of the only run of a set, whose states have all been certain."""
        concerned = run.visited if runs.open else run.visited | run.states.keys()
        if is_over:
            concerned = concerned | runs.open.keys()
        active = set() if is_over else concerned & run.states.keys()
        self._changed_among(runs, concerned, active, now, causes, found)

    def _changed_among(
        self,
        runs: RunSet,
        concerned: set[StateKey],
        active: set[StateKey],
        now: Time,
        causes: Causes,
        found: list[Report],
    ) -> set[Period]:
        """Reports the changes of some states, the others are as they were; returns what has ended."""
        is_open, change = runs.open, partial(self._reports.state_change, runs.name)
        ended: set[Period] = set()
        for key in sorted(concerned, key=repr):
            if key in active:
                if key not in is_open:
                    is_open[key] = now
                    found.append(change(key, now, None, causes))
            elif key in is_open:
                begin = is_open.pop(key)
                ended.add((key, begin, now))
                found.append(change(key, begin, now, causes))
            else:
                ended.add((key, now, now))
                found.append(change(key, now, None, causes))
                found.append(change(key, now, now, causes))
        return ended

    def _add_possible(self, periods: Iterable[Period], causes: Causes, found: list[Report]) -> None:
        if self._module.possible:
            found += [self._reports.possible(each, causes) for each in periods]

    # Violations

    def violate(
        self, runs: RunSet, breach: Breach, now: Time, causes: Causes, given_up: set[Period], found: list[Report]
    ) -> None:
        """Reports a violation, which ends all states."""
        report = self._reports.violation(
            runs.name, breach.fault, breach.seeing, breach.views, now, breach.ways or [causes]
        )
        found.append(report)
        marked = [*causes, ("violation", report.occurrence)]
        ended = self._changed_among(runs, set(runs.open), set(), now, marked, found)
        self._add_possible(given_up - ended, marked, found)
        if self._module.marks_violated:
            found.append(self._reports.violated(runs.name, now, marked))

    def breach(self, runs: RunSet, events: Sequence[Fields], now: Time) -> Breach:
        """Returns what is to be said of runs that cannot accept events."""
        at_fault, reason = self._fault(runs, events, now)
        return self.breach_by(runs, at_fault, reason)

    def breach_by(self, runs: RunSet, at_fault: Fields | None, reason: str) -> Breach:
        """Returns what is to be said of runs that cannot accept an event."""
        automaton = self._automaton
        seeing: list[tuple[Run, Instance]] = []
        concerned: list[tuple[Run, Instance]] = []
        for run in runs.runs:
            own = [] if at_fault is None else run.concerned(at_fault)
            seeing += [(run, i) for i in own]
            concerned += [(run, i) for i in own or run.root.walk() if automaton.is_atomic[i.active]]
        if not concerned:
            every = ((run, instance) for run in runs.runs for instance in run.root.walk())
            concerned = [(run, i) for run, i in every if automaton.is_atomic[i.active]]
        fault = Fault(None if at_fault is None else at_fault.event, reason)
        ways: list[Causes] = []
        if self._module.traced:
            ways = [trace_causes(self._module.structure, run.trace, fault.event) for run in runs.runs]
        views = [self._view(run, i) for run, i in concerned]
        return Breach(fault, [self._view(run, i) for run, i in seeing], views, ways)

    def _view(self, run: Run, instance: Instance) -> InstanceView:
        automaton = self._automaton
        steps = automaton.steps
        waiting = [
            step
            for step in automaton.structure.executed[automaton.paths[instance.state]]
            if step.is_terminating and step.before == automaton.paths[instance.active]
        ]
        return InstanceView(
            automaton.paths[instance.state],
            automaton.paths[instance.active],
            instance.name,
            dict(instance.variables),
            dict(instance.events),
            None if instance.parent is None else self._view(run, instance.parent),
            dict(run.used),
            frozenset(step.number for step in waiting if not self._explorer.terminates(instance, steps[step.number])),
        )

    def _fault(self, runs: RunSet, events: Sequence[Fields], now: Time) -> tuple[Fields | None, str]:
        """Returns the first event that cannot be accepted together with those before it."""
        if not self._explorer.outcomes(runs.runs, (), now, set()):
            return None, TIME_OVER
        if self._explorer.all_coincide(runs.runs, events):
            relevant = [fields for fields in events if any(run.concerned(fields) for run in runs.runs)]
            return relevant[1], TOGETHER
        for number, fields in enumerate(events):
            if not self._explorer.outcomes(runs.runs, events[: number + 1], now, set()):
                return fields, NOT_ACCEPTED
        raise AssertionError("all events are accepted")

    # What is overdue

    def note_overdue(self, runs: RunSet, instance: Instance, now: Time, found: list[Report]) -> None:
        """Reports what an instance that has changed is late for, and those inside of it, in the only run."""
        has_timers = self._automaton.has_timers
        if runs.overdue or any(has_timers[i.state][i.active] and self._is_late(i, now) for i in instance.walk()):
            self.report_overdue(runs, now, found)

    def _is_late(self, instance: Instance, now: Time) -> bool:
        deadline = self._explorer.deadline(instance)
        return deadline is not None and deadline <= now

    def report_overdue(self, runs: RunSet, now: Time, found: list[Report]) -> None:
        """Reports the instances that are overdue in all runs, each once."""
        late: list[dict[StateKey, list[tuple[Run, Instance]]]] = []
        for run in runs.runs:
            own: dict[StateKey, list[tuple[Run, Instance]]] = {}
            for instance in run.root.walk():
                if instance.is_overdue or self._is_late(instance, now):
                    instance.is_overdue = True
                    own.setdefault((self._automaton.labels[instance.active], instance.name), []).append((run, instance))
            late.append(own)
        certain = frozenset.intersection(*map(frozenset, late))
        for key in sorted(certain - runs.overdue, key=repr):
            reports = [
                self._reports.overdue(self._view(run, i), now, i.events[LAST]) for own in late for run, i in own[key]
            ]
            found.append(latest_overdue(reports))
        runs.overdue = certain
