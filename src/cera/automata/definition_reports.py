"""What the definitions report of a set of runs: the states that are certain, violations, and what is overdue."""

from __future__ import annotations

from collections.abc import Sequence

from cera.automata.automaton import LAST
from cera.automata.definition_acceptance import Acceptance
from cera.automata.definition_conditions import Conditions
from cera.automata.definition_runs import RunSet
from cera.automata.module import AutomatonModule
from cera.automata.reports import Report, StateKey, overdue, state_change, violation
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence, occurrence
from cera.model.time.interval import Time


class Reporter:
    """Adds what it reports to a list."""

    def __init__(
        self, module: AutomatonModule, conditions: Conditions, acceptance: Acceptance, found: list[Report]
    ) -> None:
        self._module = module
        self._structure = module.structure
        self._conditions = conditions
        self._acceptance = acceptance
        self._found = found

    def change(
        self,
        runs: RunSet,
        active: set[StateKey],
        visited: set[StateKey],
        now: Time,
        causes: Sequence[tuple[str, Occurrence]],
    ) -> None:
        """Reports the states that have begun and ended, and those that lasted no time at all."""
        changes: list[tuple[StateKey, Time, Time | None]] = []
        for key in sorted(runs.open.keys() - active, key=repr):
            changes.append((key, runs.open.pop(key), now))
        changed = {key for key, _, _ in changes}
        for key in sorted((visited - active) - changed, key=repr):
            changes += [(key, now, None), (key, now, now)]
        for key in sorted(active - runs.open.keys(), key=repr):
            runs.open[key] = now
            changes.append((key, now, None))
        self._found += [state_change(self._module, key, begin, end, causes) for key, begin, end in changes]

    def violate(
        self, runs: RunSet, events: Sequence[Event], now: Time, causes: Sequence[tuple[str, Occurrence]]
    ) -> None:
        event, reason = self._fault(runs, events, now)
        concerned = [
            instance.view
            for run in runs.runs
            for instance in run.instances
            if self._structure.states[instance.active].is_atomic
            and (
                event is None
                or self._conditions.is_relevant(instance, event)
                or not self._conditions.is_relevant_to(run, event)
            )
        ]
        happened = None if event is None else occurrence(event)
        views = concerned or [
            i.view for run in runs.runs for i in run.instances if self._structure.states[i.active].is_atomic
        ]
        self._found.append(violation(self._module, runs.name, views, happened, now, reason, causes))
        self.change(runs, set(), set(), now, causes)

    def _fault(self, runs: RunSet, events: Sequence[Event], now: Time) -> tuple[Event | None, str]:
        """Returns the first event that cannot be accepted together with those before it."""
        if not self._acceptance.outcomes(runs.runs, (), now):
            return None, "the time in this state is over"
        ordered = sorted(events, key=lambda event: (event.begin, event.id))
        if self._module.automaton.is_strict and all(self._acceptance.coincide(run, ordered) for run in runs.runs):
            relevant = [
                event for event in ordered if any(self._conditions.is_relevant_to(run, event) for run in runs.runs)
            ]
            return relevant[1], "it happens together with another event of the instance"
        for number, event in enumerate(ordered):
            if not self._acceptance.outcomes(runs.runs, ordered[: number + 1], now):
                return event, "no transition accepts it"
        raise AssertionError("all events are accepted")

    def report_overdue(self, runs: RunSet, now: Time) -> None:
        """Reports the instances that are overdue in the only run."""
        for run in runs.runs:
            for instance in run.instances:
                deadline = self._conditions.deadline(instance)
                if deadline is not None and deadline <= now:
                    instance.is_overdue = True
                    if len(runs.runs) == 1:
                        last = [("last", occurrence(instance.events[LAST]))]
                        self._found.append(overdue(self._module, instance.name, instance.active, now, last))
