"""All runs that accept the events of one time (Definitions 19 to 23 of seed 002, and the corrected Listing 6.1): in all
orders of the events and with all choices, however many are the same."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations, product

from cera.automata.definition_conditions import Conditions
from cera.automata.definition_runs import Run
from cera.automata.definition_transitions import Transitions
from cera.automata.limits import too_many_runs
from cera.automata.module import AutomatonModule
from cera.automata.reports import Period
from cera.automata.traces import shortest
from cera.model.events.event import Event
from cera.model.time.interval import Time


class Acceptance:
    """The runs that follow from others."""

    def __init__(self, module: AutomatonModule, conditions: Conditions, transitions: Transitions) -> None:
        self.module = module
        self.structure = module.structure
        self.conditions = conditions
        self.transitions = transitions

    def outcomes(
        self,
        runs: Iterable[Run],
        events: Sequence[Event],
        now: Time,
        expected: set[str] | None = None,
        given_up: set[Period] | None = None,
    ) -> list[Run]:
        """Returns the runs that follow, each with the states that it has entered and left in this step.

        Adds the ids of the events that were relevant, and the states of the runs that nothing follows.
        """
        found: dict[object, Run] = {}
        for run in runs:
            start = copy.deepcopy(run)
            before = set(start.since)
            start.visited = self.transitions.active(start) - before
            start.left = set()
            has_ended = True
            for end in self._accepting(start, events, now, set() if expected is None else expected):
                has_ended = False
                end.visited -= before
                end.live(before, self.transitions.active(end), now)
                self._keep(found, end)
            if has_ended and given_up is not None:
                given_up |= {(key, begin, now) for key, (begin, _) in run.since.items()}
        return list(found.values())

    def _keep(self, found: dict[object, Run], run: Run) -> None:
        """Adds a run; of those that are equal only what they have in common is certain."""
        before = found.setdefault(run.frozen(self.structure), run)
        before.visited &= run.visited
        before.past &= run.past
        before.left |= run.left
        before.since = {key: max(since, run.since[key]) for key, since in before.since.items()}
        before.trace = shortest(before.trace, run.trace)
        if len(found) > self.module.run_limit:
            raise too_many_runs(self.module, run.root.name, self.module.run_limit)

    def _accepting(self, run: Run, events: Sequence[Event], now: Time, expected: set[str]) -> Iterator[Run]:
        if not self.conditions.invariants_hold(run, now):
            return
        if self.module.automaton.is_strict and self.coincide(run, events):
            expected |= {event.id for event in events if self.conditions.is_relevant_to(run, event)}
            return
        for order in permutations(events):
            runs: dict[object, Run] = {}
            self._keep(runs, run)
            for event in order:
                following: dict[object, Run] = {}
                for each in runs.values():
                    for reached in self._with_delays(each, now):
                        for accepted in self._accept(reached, event, now, expected):
                            self._keep(following, accepted)
                runs = following
            for each in runs.values():
                yield from (end for end in self._closed(each, now) if self.conditions.invariants_hold(end, now))

    def coincide(self, run: Run, events: Sequence[Event]) -> bool:
        return any(sum(self.conditions.is_relevant(i, event) for event in events) > 1 for i in run.instances)

    def _with_delays(self, run: Run, now: Time) -> Iterator[Run]:
        """Yields the run, and those into which delays that are due now lead."""
        yield run
        for number, instance in enumerate(run.instances):
            for step in self.structure.executed[instance.state]:
                if step.trigger == "delay" and self.conditions.is_due(instance, step, now):
                    yield from self._with_delays(self.transitions.fired(run, [(number, step, None, {})], now), now)

    def _closed(self, run: Run, now: Time) -> Iterator[Run]:
        """Yields the runs in which all that is due now has happened."""
        firing = [
            (number, step)
            for number, instance in enumerate(run.instances)
            for step in self.structure.executed[instance.state]
            if step.trigger != "event" and self.conditions.is_due(instance, step, now)
        ]
        if not firing:
            yield run
        for number, step in firing:
            yield from self._closed(self.transitions.fired(run, [(number, step, None, {})], now), now)

    def _accept(self, run: Run, event: Event, now: Time, expected: set[str]) -> Iterator[Run]:
        """Yields the runs in which every instance for which the event is relevant has accepted it."""
        run = copy.deepcopy(run)
        choices = []
        for number, instance in enumerate(run.instances):
            self.conditions.note_absences(instance, event, now)
            if self.conditions.is_relevant(instance, event):
                expected.add(event.id)
                enabled = [
                    (number, step, event, found)
                    for step in self.structure.executed[instance.state]
                    if (found := self.conditions.enabled_by(run, instance, step, event, now)) is not None
                ]
                if not enabled and self.structure.states[instance.state].is_opaque:
                    continue
                choices.append(enabled)
        for chosen in product(*choices):
            yield self.transitions.fired(run, list(chosen), now)
