"""All runs that accept the events of one time: every choice, and every order that matters.

Events that different instances see commute, unless one of these instances is inside of another: whatever the order, the
same runs come out. So events are divided into groups that have nothing in common, and only inside of a group all orders
are tried, those that lead to the same run once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Protocol

from cera.automata.compiled import Bindings, CompiledAutomaton, CompiledStep, Fields, times_hold
from cera.automata.limits import too_many_runs
from cera.automata.module import AutomatonModule
from cera.automata.reports import Period, step_text
from cera.automata.runs import Instance, Run
from cera.automata.times import compares, times_of
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import Cell, unwrap
from cera.model.time.interval import Time

#: A transition that an instance executes, with what the event binds.
Choice = tuple[Instance, CompiledStep, Bindings]


class Member(Protocol):
    """An instance, in whatever form."""

    state: int
    active: int

    @property
    def children(self) -> Sequence[Member]: ...

    def walk(self) -> Iterator[Member]: ...


class Explorer:
    """The rules by which runs follow from each other."""

    def __init__(self, module: AutomatonModule, automaton: CompiledAutomaton, evaluator: Evaluator) -> None:
        self._module = module
        self._automaton = automaton
        self._evaluator = evaluator
        self._is_strict = module.automaton.is_strict
        #: The transitions between which there was a choice last, for messages.
        self._choices: list[str] = []
        #: For each label, those of the events that instances see which its events may create.
        self._begets = _begotten(automaton)

    # What is enabled

    def enabled(self, run: Run, instance: Instance, fields: Fields, now: Time) -> list[tuple[CompiledStep, Bindings]]:
        """Returns the transitions of an instance that an event enables, with what it binds."""
        steps = self._automaton.by_event[instance.state].get((instance.active, fields.event.label))
        if steps is None:
            return []
        found = []
        for step in steps:
            assert step.query is not None
            for bound in step.query.matches(fields, instance.variables):
                if step.query.unique and self.is_used(run.used, step, bound, now):
                    continue
                if step.times and not times_hold(step.times, instance.events, fields.event, now):
                    continue
                if step.conditions and not self.conditions_hold(step, {**instance.variables, **bound}):
                    continue
                if step.terminates and not self.terminates(instance, step):
                    continue
                found.append((step, bound))
        return found

    def is_used(self, used: dict[tuple[str, Cell], Time], step: CompiledStep, bound: Bindings, now: Time) -> bool:
        """Returns whether a value that must be unique was there before."""
        assert step.query is not None
        for unique in step.query.unique:
            since = used.get((unique.variable, bound[unique.variable]))
            if since is not None and (unique.memory is None or now - since <= unique.memory):
                return True
        return False

    def conditions_hold(self, step: CompiledStep, variables: Bindings) -> bool:
        values = {name: unwrap(value) for name, value in variables.items()}
        return all(self._evaluator.holds(each, values, {}) for each in step.conditions)

    def terminates(self, instance: Member, step: CompiledStep) -> bool:
        """Returns whether a transition does not wait for other instances."""
        if not step.counts:
            below = (each for child in instance.children for each in child.walk())
            return all(_is_finished(each, step.source) for each in below if each.state in step.terminated)
        for finished_only, state, operator, number in step.counts:
            count = sum(
                each.state == state and (not finished_only or _is_finished(each, step.source))
                for child in instance.children
                for each in child.walk()
            )
            if not compares(count, operator, number):
                return False
        return True

    # Time

    def time_of(self, instance: Instance, step: CompiledStep, since: Time) -> Time | None:
        """Returns the first time, not before another, at which a transition without an event fires."""
        if step.number in instance.missed or (step.terminates and not self.terminates(instance, step)):
            return None
        if step.conditions and not self.conditions_hold(step, instance.variables):
            return None
        stretch = times_of(step.times, instance.events)
        latest = stretch.latest
        if not step.is_absence or latest is None:
            return stretch.earliest(since)
        return latest if stretch.earliest(instance.entered) is not None and latest >= since else None

    def set_timer(self, run: Run, instance: Instance, now: Time) -> None:
        """Sets when something happens to an instance after now, without an event."""
        automaton = self._automaton
        if not automaton.has_timers[instance.state][instance.active]:
            run.wake(instance, None)
            return
        times = [self.time_of(instance, s, now + 1) for s in automaton.timed[instance.state].get(instance.active, ())]
        invariant = automaton.invariants[instance.active]
        if invariant:
            latest = times_of(invariant, instance.events).latest
            times.append(None if latest is None else latest + 1)
        times.append(self.deadline(instance))
        run.wake(instance, min((time for time in times if time is not None and time > now), default=None))

    def set_timers(self, run: Run, changed: Iterable[Instance], now: Time) -> None:
        """Sets the timers of instances that have changed, of those inside of them, and of those around them."""
        done: set[int] = set()
        for instance in changed:
            for each in instance.walk():
                self._set_once(run, each, now, done)
            around = instance.parent
            while around is not None:
                self._set_once(run, around, now, done)
                around = around.parent

    def _set_once(self, run: Run, instance: Instance, now: Time, done: set[int]) -> None:
        if id(instance) not in done and instance.alive:
            done.add(id(instance))
            self.set_timer(run, instance, now)

    def deadline(self, instance: Instance) -> Time | None:
        """Returns the first time at which nothing can lead out of an atomic state any more; None if there is none."""
        automaton = self._automaton
        if instance.is_overdue or not automaton.is_atomic[instance.active]:
            return None
        latest = None
        for step in automaton.leaving[instance.active]:
            if step.level != instance.state:
                return None
            last = times_of(step.times, instance.events).latest
            if last is None:
                return None
            latest = last if latest is None else max(latest, last)
        return None if latest is None else latest + 1

    def invariants_hold(self, run: Run, now: Time) -> bool:
        for instance in run.root.walk():
            invariant = self._automaton.invariants[instance.active]
            if invariant and times_of(invariant, instance.events).earliest(now) != now:
                return False
        return True

    def _due(self, run: Run, now: Time, *, absences: bool) -> Iterator[tuple[Instance, CompiledStep]]:
        timed = self._automaton.timed
        for instance in run.root.walk():
            for step in timed[instance.state].get(instance.active, ()):
                if (absences or not step.is_absence) and self.time_of(instance, step, now) == now:
                    yield instance, step

    # What follows

    def outcomes(
        self,
        runs: Iterable[Run],
        events: Sequence[Fields],
        now: Time,
        seen: set[int],
        given_up: set[Period] | None = None,
    ) -> list[Run]:
        """Returns the runs that accept the events in some order, each with the states that it has entered and left in
        this step.

        Adds which of the events were relevant, and the states of the runs that nothing follows.
        """
        found: dict[object, Run] = {}
        for run in runs:
            start, _ = run.copy()
            assert start.since is not None
            before = set(start.since)
            start.left.clear()
            start.visited = {key for key in start.states if key not in before}
            has_ended = True
            for end in self._ends(start, events, now, seen):
                has_ended = False
                end.visited -= before
                end.live(before, end.states, now)
                self._keep(found, end, events)
            if has_ended and given_up is not None and run.since is not None:
                given_up.update((key, begin, now) for key, (begin, _) in run.since.items())
        return list(found.values())

    def _ends(self, start: Run, events: Sequence[Fields], now: Time, seen: set[int]) -> Iterator[Run]:
        if not self.invariants_hold(start, now):
            return
        if self._is_strict and self._coincide(start, events):
            seen.update(id(fields) for fields in events if start.concerned(fields))
            return
        for accepted in self._after(start, events, now, seen):
            for end in self._closed(accepted, now):
                if self.invariants_hold(end, now):
                    yield end

    def all_coincide(self, runs: Iterable[Run], events: Sequence[Fields]) -> bool:
        """Returns whether events are given up because they happen together, in all runs."""
        return self._is_strict and all(self._coincide(run, events) for run in runs)

    def _coincide(self, run: Run, events: Sequence[Fields]) -> bool:
        seen: set[int] = set()
        for fields in events:
            for instance in run.concerned(fields):
                if id(instance) in seen:
                    return True
                seen.add(id(instance))
        return False

    def _keep(self, found: dict[object, Run], run: Run, events: Sequence[Fields]) -> None:
        """Adds a run; of those that are equal one is kept."""
        before = found.setdefault(run.frozen, run)
        if before is not run:
            before.meet(run)
        if len(found) > self._module.run_limit:
            labels = [fields.event.label for fields in events]
            raise too_many_runs(self._module, run.root.name, self._module.run_limit, labels, self._choices)

    def _after(self, run: Run, events: Sequence[Fields], now: Time, seen: set[int]) -> list[Run]:
        """Returns the runs after the events, group by group."""
        runs = [run]
        for group in self._groups(run, events, now):
            found: dict[object, Run] = {}
            for each in runs:
                for end in self._in_all_orders(each, group, now, seen):
                    self._keep(found, end, events)
            runs = list(found.values())
        return runs

    def _in_all_orders(self, run: Run, events: Sequence[Fields], now: Time, seen: set[int]) -> list[Run]:
        """Returns the runs after all orders of events, from one set of events that are over to the next larger ones."""
        reached: dict[frozenset[int], dict[object, Run]] = {frozenset(): {run.frozen: run}}
        for _ in events:
            following: dict[frozenset[int], dict[object, Run]] = {}
            for over, runs in reached.items():
                for each in runs.values():
                    for start in self._with_delays(each, now):
                        for number, fields in enumerate(events):
                            if number not in over:
                                into = following.setdefault(over | {number}, {})
                                for accepted in self._accept(start, fields, now, seen):
                                    self._keep(into, accepted, events)
            reached = following
        return [run for runs in reached.values() for run in runs.values()]

    def _with_delays(self, run: Run, now: Time) -> Iterator[Run]:
        """Yields the run, and those into which delays that are due now lead."""
        yield run
        for instance, step in list(self._due(run, now, absences=False)):
            yield from self._with_delays(self._fired(run, [(instance, step, {})], None, now), now)

    def _closed(self, run: Run, now: Time) -> Iterator[Run]:
        """Yields the runs in which all that is due now has happened."""
        firing = list(self._due(run, now, absences=True))
        if not firing:
            yield run
        for instance, step in firing:
            yield from self._closed(self._fired(run, [(instance, step, {})], None, now), now)

    def _accept(self, run: Run, fields: Fields, now: Time, seen: set[int]) -> Iterator[Run]:
        concerned = run.concerned(fields)
        if not concerned:
            yield run
            return
        seen.add(id(fields))
        run, made = run.copy()
        choices: list[list[Choice]] = []
        for old in concerned:
            instance = made[id(old)]
            self.note_absences(instance, fields, now)
            enabled = [(instance, *found) for found in self.enabled(run, instance, fields, now)]
            if enabled or not self._automaton.is_opaque[instance.state]:
                choices.append(enabled)
            if len(enabled) > 1:
                steps = self._module.structure.steps
                self._choices = [step_text(steps[step.number]) for _, step, _ in enabled]
        for chosen in product(*choices):
            yield self._fired(run, chosen, fields, now)

    def note_absences(self, instance: Instance, fields: Fields, now: Time) -> None:
        """Notes for which absences an event comes in the way."""
        key = (instance.active, fields.event.label)
        for step in self._automaton.absences[instance.state].get(key, ()):
            assert step.query is not None
            if not step.query.matches(fields, instance.variables):
                continue
            stretch = times_of(step.times, instance.events)
            if stretch.latest is None or times_hold(step.times, instance.events, None, now):
                instance.missed |= {step.number}

    def _fired(self, run: Run, chosen: Sequence[Choice], fields: Fields | None, now: Time) -> Run:
        """Returns a run in which these transitions have fired, those of inner instances first."""
        run, made = run.copy()
        event = None if fields is None else fields.event
        depth = self._automaton.paths
        for instance, step, bound in sorted(chosen, key=lambda each: -len(depth[each[0].state])):
            mine = made[id(instance)]
            if mine.alive:
                run.fire(mine, step, event, bound, now)
                run.visited |= run.states.keys()
        return run

    # Groups of events that have nothing in common

    def only_one(self, run: Run, events: Sequence[Fields]) -> Fields | None:
        """Returns the only event that instances of a run see, now and after it; None if there are several."""
        seen = [fields for fields in events if run.concerned(fields, later=True)]
        if len(seen) != 1:
            return None
        [fields] = seen
        created = self._begets.get(fields.event.label, frozenset())
        if any(other is not fields and other.event.label in created for other in events):
            return None
        return fields

    def _groups(self, run: Run, events: Sequence[Fields], now: Time) -> list[list[Fields]]:
        if len(events) < 2:
            return [list(events)]
        if any(True for _ in self._due(run, now, absences=False)):
            return [list(events)]
        views = [self._view(run, fields, events) for fields in events]
        groups: list[tuple[set[int], list[Fields]]] = []
        for fields, (own, around) in zip(events, views, strict=True):
            joined: tuple[set[int], list[Fields]] = (set(own), [fields])
            apart = []
            for other in groups:
                meets = bool(other[0] & (own | around)) or any(own & views[events.index(each)][1] for each in other[1])
                if meets:
                    joined = (joined[0] | other[0], other[1] + joined[1])
                else:
                    apart.append(other)
            groups = [*apart, joined]
        return [group for _, group in groups]

    def _view(self, run: Run, fields: Fields, events: Sequence[Fields]) -> tuple[set[int], set[int]]:
        """Returns the instances that see an event, or may create one that does, and those around them."""
        own: set[int] = set()
        around: set[int] = set()
        seeing = run.concerned(fields, later=True)
        for other in events:
            if other is not fields and fields.event.label in self._begets.get(other.event.label, ()):
                seeing += run.concerned(other, later=True)
        for instance in seeing:
            own.add(id(instance))
            above = instance.parent
            while above is not None:
                around.add(id(above))
                above = above.parent
        return own, around


def _is_finished(instance: Member, end: int) -> bool:
    """Returns whether an instance is finished with respect to an end state."""
    if instance.active == end:
        return True
    inside = [child for child in instance.children if child.state == instance.active]
    return bool(inside) and all(_is_finished(child, end) for child in inside)


def _begotten(automaton: CompiledAutomaton) -> dict[str, frozenset[str]]:
    """Returns the labels that instances see which events with a label create."""
    found: dict[str, set[str]] = {}
    for by_event in automaton.by_event:
        for (_, label), steps in by_event.items():
            for step in steps:
                for state, _ in step.created:
                    found.setdefault(label, set()).update(automaton.schemas[state])
    return {label: frozenset(labels) for label, labels in found.items()}
