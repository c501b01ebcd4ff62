"""What the definitions report of a set of runs: the states that are certain, violations, and what is overdue."""

from __future__ import annotations

from collections.abc import Sequence

from cera.automata.automaton import LAST
from cera.automata.definition_acceptance import Acceptance
from cera.automata.definition_conditions import Conditions
from cera.automata.definition_runs import Instance, Run, RunSet
from cera.automata.explanations import InstanceView
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
from cera.automata.traces import trace_causes
from cera.model.events.event import Event
from cera.model.events.occurrence import Cell, Occurrence, occurrence
from cera.model.time.interval import Time


class Reporter:
    """Adds what it reports to a list."""

    def __init__(
        self,
        reports: Reports,
        module: AutomatonModule,
        conditions: Conditions,
        acceptance: Acceptance,
        found: list[Report],
    ) -> None:
        self._reports = reports
        self._module = module
        self._structure = module.structure
        self._conditions = conditions
        self._acceptance = acceptance
        self._found = found

    # States

    def settle(self, runs: RunSet, now: Time, causes: Causes, given_up: set[Period], *, is_over: bool) -> None:
        """Reports what a step has done to the states of runs. All these are left if the instance `is_over`."""
        active = [self._acceptance.transitions.active(run) for run in runs.runs]
        if is_over:
            for run, own in zip(runs.runs, active, strict=True):
                run.visited |= own
                run.live(own, set(), now)
        holding = set() if is_over else set.intersection(*active)
        certain = self._change(runs, holding, set.intersection(*(run.visited for run in runs.runs)), now, causes)
        for run in runs.runs:
            run.past -= certain
            run.since |= {key: (run.since[key][0], True) for key in runs.open}
        late = set.intersection(*(run.past for run in runs.runs))
        for run in runs.runs:
            run.past -= late
        self._found += [self._reports.past(each, now, causes) for each in late]
        self._add_possible(set.union(given_up, *(run.left for run in runs.runs)) - certain, causes)

    def _change(
        self, runs: RunSet, active: set[StateKey], visited: set[StateKey], now: Time, causes: Causes
    ) -> set[Period]:
        """Reports what has begun and ended, and what lasted no time at all; returns what has ended."""
        changes: list[tuple[StateKey, Time, Time | None]] = []
        for key in sorted(runs.open.keys() - active, key=repr):
            changes.append((key, runs.open.pop(key), now))
        changed = {key for key, _, _ in changes}
        for key in sorted((visited - active) - changed, key=repr):
            changes += [(key, now, None), (key, now, now)]
        for key in sorted(active - runs.open.keys(), key=repr):
            runs.open[key] = now
            changes.append((key, now, None))
        self._found += [self._reports.state_change(runs.name, *each, causes) for each in changes]
        return {(key, begin, end) for key, begin, end in changes if end is not None}

    def _add_possible(self, periods: set[Period], causes: Causes) -> None:
        if self._module.possible:
            self._found += [self._reports.possible(each, causes) for each in periods]

    # Violations

    def violate(self, runs: RunSet, events: Sequence[Event], now: Time, causes: Causes, given_up: set[Period]) -> None:
        """Reports a violation, which ends all states."""
        event, reason = self._fault(runs, events, now)
        every = [(run, instance) for run in runs.runs for instance in run.instances]
        atomic = [(run, i) for run, i in every if self._structure.states[i.active].is_atomic]
        seeing = [] if event is None else [each for each in every if self._conditions.is_relevant(each[1], event)]
        concerned = [
            (run, i)
            for run, i in atomic
            if event is None
            or self._conditions.is_relevant(i, event)
            or not self._conditions.is_relevant_to(run, event)
        ]
        fault = Fault(None if event is None else occurrence(event), reason)
        ways = [causes]
        if self._module.traced:
            ways = [trace_causes(self._structure, run.trace, fault.event) for run in runs.runs]
        report = self._reports.violation(
            runs.name,
            fault,
            [self._view(run, i) for run, i in seeing],
            [self._view(run, i) for run, i in concerned or atomic],
            now,
            ways,
        )
        self._found.append(report)
        marked = [*causes, ("violation", report.occurrence)]
        self._add_possible(given_up - self._change(runs, set(), set(), now, marked), marked)
        if self._module.marks_violated:
            self._found.append(self._reports.violated(runs.name, now, marked))

    def _view(self, run: Run, instance: Instance) -> InstanceView:
        used: dict[tuple[str, Cell], Time] = {}
        for name, value, since in run.used:
            used[name, value] = max(since, used.get((name, value), since))
        waiting = [step for step in self._structure.executed[instance.state] if step.before == instance.active]
        return InstanceView(
            instance.state,
            instance.active,
            instance.name,
            instance.variables,
            instance.known,
            None if instance.parent is None else self._view(run, instance.parent),
            used,
            frozenset(step.number for step in waiting if not self._conditions.terminates(instance, step)),
        )

    def _fault(self, runs: RunSet, events: Sequence[Event], now: Time) -> tuple[Event | None, str]:
        """Returns the first event that cannot be accepted together with those before it."""
        if not self._acceptance.outcomes(runs.runs, (), now):
            return None, TIME_OVER
        ordered = sorted(events, key=lambda event: (event.begin, event.id))
        if self._module.automaton.is_strict and all(self._acceptance.coincide(run, ordered) for run in runs.runs):
            relevant = [
                event for event in ordered if any(self._conditions.is_relevant_to(run, event) for run in runs.runs)
            ]
            return relevant[1], TOGETHER
        for number, event in enumerate(ordered):
            if not self._acceptance.outcomes(runs.runs, ordered[: number + 1], now):
                return event, NOT_ACCEPTED
        raise AssertionError("all events are accepted")

    # What is overdue

    def report_overdue(self, runs: RunSet, now: Time) -> None:
        """Reports the instances that are overdue in all runs, each once."""
        late: list[dict[StateKey, list[tuple[Run, Instance]]]] = []
        for run in runs.runs:
            for instance in run.instances:
                deadline = self._conditions.deadline(instance)
                instance.is_overdue |= deadline is not None and deadline <= now
            own: dict[StateKey, list[tuple[Run, Instance]]] = {}
            for instance in run.instances:
                if instance.is_overdue:
                    own.setdefault((self._structure.labels[instance.active], instance.name), []).append((run, instance))
            late.append(own)
        certain = set.intersection(*(set(each) for each in late))
        for key in sorted(certain - runs.overdue, key=repr):
            found = [self._reports.overdue(self._view(run, i), now, _last(i)) for each in late for run, i in each[key]]
            self._found.append(latest_overdue(found))
        runs.overdue = certain


def _last(instance: Instance) -> Occurrence:
    return occurrence(instance.events[LAST])
