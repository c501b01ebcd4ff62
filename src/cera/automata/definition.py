"""The meaning of an automaton, slow on purpose: all runs over a whole stream, in all orders and with all choices.

It follows Definitions 8 to 23 of seed 002 with the corrections of the errata, and the algorithm I-32. A run is a tree
of instances; it is copied whenever a transition fires in it. At each time at which events end or a delay is over, each
run of each set is replaced by those that accept all the events in some order:

    the invariants of all active states hold, or the run is given up
    for each order of the events: delays that are due may come before each of them; an event is accepted by every
    instance for which it is relevant, or the run is given up; in the end all delays that are due have come, and
    absences that are certain now
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cera.automata.automaton import LAST, THIS
from cera.automata.definition_acceptance import Acceptance
from cera.automata.definition_conditions import Conditions, attribute, match
from cera.automata.definition_reports import Reporter
from cera.automata.definition_runs import Instance, Run, RunSet, Used
from cera.automata.definition_transitions import Transitions
from cera.automata.module import AutomatonModule
from cera.automata.reports import Period, Report, Reports, named_causes
from cera.automata.structure import Step
from cera.automata.times import Times, holds
from cera.automata.traces import Firing
from cera.automata.uniqueness import claim
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.event import Event, in_output_order
from cera.model.events.occurrence import Cell, occurrence, unwrap, wrap
from cera.model.time.interval import Interval, Time
from cera.modules.answers.answer import Answer
from cera.modules.module import Settings


@dataclass(frozen=True)
class AutomatonDefinition:
    """The configuration of an automaton (Definition 20), from time to time."""

    module: AutomatonModule
    settings: Settings

    def answer(self, events: Sequence[Event], extent: Interval | None) -> Answer:
        found = Configuration(self.module, self.settings)
        found.run([event for event in events if event.label in self.module.reads], self.settings.until)
        return Answer(
            tuple(in_output_order(one.result() for one in found.reports)),
            undefined=found.evaluator.undefined,
            left_out=found.unexpected,
        )


class Configuration:
    """All sets of runs, and what has been reported so far."""

    def __init__(self, module: AutomatonModule, settings: Settings) -> None:
        self.module = module
        self.structure = module.structure
        self.evaluator = Evaluator((), settings.timezone)
        self.reports: list[Report] = []
        self._conditions = Conditions(module.structure, self.evaluator)
        self._transitions = Transitions(module)
        self._acceptance = Acceptance(module, self._conditions, self._transitions)
        self._report = Reports(module, settings.timezone)
        self._reporter = Reporter(self._report, module, self._conditions, self._acceptance, self.reports)
        self.sets: list[RunSet] = []
        self.unexpected = 0
        #: The values that unique variables of enter transitions had, with the keys of their histories.
        self._used: set[tuple[Cell | None, Used]] = set()

    def run(self, events: Sequence[Event], until: Time | None = None) -> None:
        """Takes all steps: at the ends of events, and when delays are over."""
        waiting = sorted(set(events), key=lambda event: (event.end, event.begin, event.id))
        now: Time | None = None
        while True:
            times = [waiting[0].end] if waiting else []
            times += [] if now is None else [due for each in self.sets for due in self._due(each, now)]
            if not times or (until is not None and min(times) > until):
                return
            now = min(times)
            arrived = [event for event in waiting if event.end == now]
            waiting = waiting[len(arrived) :]
            self._step(now, arrived)

    # Steps

    def _step(self, now: Time, events: Sequence[Event]) -> None:
        expected: set[str] = set()
        for each in list(self.sets):
            self._advance(each, events, now, expected)
        for event in events:
            entered = [run for step in self.structure.enters for run in self._enter(step, event, now)]
            self._used |= {(self._key(event), each) for run in entered for each in run.used}
            if entered:
                self._claim(entered, event)
                expected.add(event.id)
                others = [other for other in events if other != event]
                made = RunSet(entered)
                self.sets.append(made)
                self._advance(made, others, now, expected, entering=event)
        for event in events:
            if event.id not in expected:
                self.unexpected += 1
                if self.module.expects_all:
                    self.reports.append(self._report.unexpected_event(occurrence(event)))

    def _claim(self, entered: Sequence[Run], event: Event) -> None:
        """Reports the values of unique variables with which an instance is entered, if others must not have them."""
        claims = {(name, value): run for run in entered for name, value, _ in run.used if name in self.module.claimed}
        key = self._key(event)
        for (name, value), run in claims.items():
            assert key is not None
            self.reports.append(claim(self.module.name, name, value, key, run.root.name, occurrence(event)))

    def _advance(
        self, runs: RunSet, events: Sequence[Event], now: Time, expected: set[str], entering: Event | None = None
    ) -> None:
        """Replaces the runs of a set by those that accept the events."""
        seen: set[str] = set()
        given_up: set[Period] = set()
        found = self._acceptance.outcomes(runs.runs, events, now, seen, given_up)
        expected |= seen
        taken = named_causes(
            occurrence(event)
            for event in [*([] if entering is None else [entering]), *(each for each in events if each.id in seen)]
        )
        if not taken:
            taken = [("last", occurrence(runs.runs[0].root.events[LAST]))]
        if not found:
            self.sets.remove(runs)
            self._reporter.violate(runs, events, now, taken, given_up)
            return
        is_over = all(run.root.active in self.structure.is_final for run in found)
        if is_over:
            self.sets.remove(runs)
        runs.runs = found
        self._reporter.settle(runs, now, taken, given_up, is_over=is_over)
        if not is_over:
            self._reporter.report_overdue(runs, now)

    def _due(self, runs: RunSet, now: Time) -> Iterator[Time]:
        """Yields the times after now at which something happens in a set without an event."""
        for run in runs.runs:
            for instance in run.instances:
                times = [
                    self._conditions.time_of(instance, step, now + 1)
                    for step in self.structure.executed[instance.state]
                    if step.trigger != "event"
                ]
                latest = self._conditions.invariant(instance).latest
                times += [] if latest is None else [latest + 1]
                times.append(self._conditions.deadline(instance))
                yield from (time for time in times if time is not None and time > now)

    def _enter(self, step: Step, event: Event, now: Time) -> Iterator[Run]:
        label = step.transition.label
        assert label.query is not None
        found = match(label.query, event, {})
        if found is None:
            return
        key = self._key(event)
        used = {each for where, each in self._used if where == key}
        if any(self._conditions.is_used(used, each, found[each.variable], now) for each in label.query.unique):
            return
        if not all(holds(each, {THIS: Times(event.begin, event.end)}, now) for each in label.times):
            return
        values = {name: unwrap(value) for name, value in found.items()}
        if not all(self.evaluator.holds(each, values, {}) for each in label.conditions):
            return
        root = Instance(self.structure.root, self.structure.root, now, variables=dict(found), events={LAST: event})
        root.name = self._transitions.name(root)
        if label.identifier is not None:
            root.events[label.identifier] = event
        root.active = self._transitions.child_towards(self.structure.root, step.transition.target)
        self._transitions.instantiate(root, step, set(found), now)
        run = Run(root)
        run.used |= {(each.variable, found[each.variable], now) for each in label.query.unique}
        run.trace = (Firing(now, step.number, root.name, occurrence(event)),) if self.module.traced else ()
        yield run

    def _key(self, event: Event) -> Cell | None:
        """Returns the value by which the history of an event is known."""
        value = None if self.structure.key is None else attribute(event.term, (self.structure.key,))
        return None if value is None else wrap(value)
