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

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product

from cera.automata.automaton import LAST, THIS, Constant, Declaration, EventQuery, Path, Reference
from cera.automata.compiled import scalars
from cera.automata.limits import too_many_runs
from cera.automata.module import AutomatonModule
from cera.automata.reports import (
    InstanceView,
    Name,
    Report,
    StateKey,
    named_causes,
    overdue,
    state_change,
    unexpected_event,
    violation,
)
from cera.automata.structure import Step, Structure
from cera.automata.times import Stretch, Times, compares, holds, times_of
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.event import Event, in_output_order
from cera.model.events.occurrence import Cell, Occurrence, occurrence, unwrap, wrap
from cera.model.matching.matching import match
from cera.model.matching.patterns import with_values
from cera.model.terms.term import Term, Value
from cera.model.time.interval import Interval, Time
from cera.modules.answers.answer import Answer
from cera.modules.module import Settings

Bindings = dict[str, Cell]
#: A value that a `unique` variable had, and when it got it.
Used = tuple[str, Cell, Time]


@dataclass(eq=False)
class Instance:
    """An instance of a non-atomic state (Definition 8)."""

    state: Path
    active: Path
    #: When the active state was entered.
    entered: Time
    name: Name = ()
    variables: Bindings = field(default_factory=dict)
    events: dict[str, Event] = field(default_factory=dict)
    parent: Instance | None = None
    children: list[Instance] = field(default_factory=list)
    #: The variables and identifiers that were bound while the children were created.
    yielded: set[str] = field(default_factory=set)
    #: The absences that are none any more, by the numbers of their transitions.
    missed: set[int] = field(default_factory=set)
    is_overdue: bool = False

    def walk(self) -> Iterator[Instance]:
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def ancestors(self) -> Iterator[Instance]:
        at = self.parent
        while at is not None:
            yield at
            at = at.parent

    @property
    def known(self) -> dict[str, Times]:
        return {name: Times(event.begin, event.end) for name, event in self.events.items()}

    @property
    def view(self) -> InstanceView:
        return InstanceView(self.state, self.active, self.variables, self.known)


@dataclass(eq=False)
class Run:
    """A tree of instances (Definition 14), and the values that unique variables had in it."""

    root: Instance
    used: set[Used] = field(default_factory=set)
    #: The states that it was in at the time of the step.
    visited: set[StateKey] = field(default_factory=set)

    @property
    def instances(self) -> list[Instance]:
        return list(self.root.walk())

    def frozen(self, structure: Structure) -> object:
        """Returns a value that equals that of every run with the same instances."""
        return _frozen(self.root, structure), frozenset(self.used)


def _frozen(instance: Instance, structure: Structure) -> object:
    needed = structure.needed[instance.state]
    variables = frozenset((name, value) for name, value in instance.variables.items() if name in needed)
    events = frozenset((name, event.id) for name, event in instance.events.items())
    children = tuple(sorted((_frozen(child, structure) for child in instance.children), key=repr))
    yielded = frozenset(name for name in instance.yielded if name in needed or name in instance.events)
    kept = (instance.state, instance.active, instance.entered, instance.name, instance.is_overdue)
    return (*kept, variables, events, yielded, frozenset(instance.missed), children)


@dataclass(eq=False)
class RunSet:
    """The runs of one instance of the root (Definition 19), and since when its certain states hold."""

    runs: list[Run]
    open: dict[StateKey, Time] = field(default_factory=dict)

    @property
    def name(self) -> Name:
        return self.runs[0].root.name


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
        self.sets: list[RunSet] = []
        self.reports: list[Report] = []
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
                expected.add(event.id)
                others = [other for other in events if other != event]
                made = RunSet(entered)
                self.sets.append(made)
                self._advance(made, others, now, expected, entering=event)
        for event in events:
            if event.id not in expected:
                self.unexpected += 1
                if self.module.expects_all:
                    self.reports.append(unexpected_event(self.module, occurrence(event)))

    def _advance(
        self, runs: RunSet, events: Sequence[Event], now: Time, expected: set[str], entering: Event | None = None
    ) -> None:
        """Replaces the runs of a set by those that accept the events."""
        seen: set[str] = set()
        found = self._outcomes(runs.runs, events, now, seen, is_new=entering is not None)
        expected |= seen
        taken = named_causes(
            occurrence(event)
            for event in [*([] if entering is None else [entering]), *(each for each in events if each.id in seen)]
        )
        if not taken:
            taken = [("last", occurrence(runs.runs[0].root.events[LAST]))]
        if not found:
            self._violate(runs, events, now, taken)
        elif all(run.root.active in self.structure.is_final for run in found):
            visited = set.intersection(*(run.visited | self._active(run) for run in found))
            self._change(runs, set(), visited, now, taken)
            self.sets.remove(runs)
        else:
            runs.runs = found
            active = set.intersection(*map(self._active, found))
            self._change(runs, active, set.intersection(*(run.visited for run in found)), now, taken)
            self._report_overdue(runs, now)

    def _outcomes(
        self,
        runs: Iterable[Run],
        events: Sequence[Event],
        now: Time,
        expected: set[str] | None = None,
        *,
        is_new: bool = False,
    ) -> list[Run]:
        """Returns the runs that follow, each with the states that it has entered in this step."""
        found: dict[object, Run] = {}
        for run in runs:
            start = copy.deepcopy(run)
            start.visited = self._active(start) if is_new else set()
            before = set() if is_new else self._active(start)
            for end in self._accepting(start, events, now, set() if expected is None else expected):
                end.visited -= before
                self._keep(found, end)
        return list(found.values())

    def _keep(self, found: dict[object, Run], run: Run) -> None:
        """Adds a run; of those that are equal only what they have all visited is certain."""
        before = found.setdefault(run.frozen(self.structure), run)
        before.visited &= run.visited
        if len(found) > self.module.run_limit:
            raise too_many_runs(self.module, run.root.name, self.module.run_limit)

    def _accepting(self, run: Run, events: Sequence[Event], now: Time, expected: set[str]) -> Iterator[Run]:
        if not self._invariants_hold(run, now):
            return
        if self.module.automaton.is_strict and self._coincide(run, events):
            expected |= {event.id for event in events if self._is_relevant_to(run, event)}
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
                yield from (end for end in self._closed(each, now) if self._invariants_hold(end, now))

    def _coincide(self, run: Run, events: Sequence[Event]) -> bool:
        return any(sum(self._is_relevant(i, event) for event in events) > 1 for i in run.instances)

    def _with_delays(self, run: Run, now: Time) -> Iterator[Run]:
        """Yields the run, and those into which delays that are due now lead."""
        yield run
        for number, instance in enumerate(run.instances):
            for step in self.structure.executed[instance.state]:
                if step.trigger == "delay" and self._is_due(instance, step, now):
                    yield from self._with_delays(self._fired(run, [(number, step, None, {})], now), now)

    def _closed(self, run: Run, now: Time) -> Iterator[Run]:
        """Yields the runs in which all that is due now has happened."""
        firing = [
            (number, step)
            for number, instance in enumerate(run.instances)
            for step in self.structure.executed[instance.state]
            if step.trigger != "event" and self._is_due(instance, step, now)
        ]
        if not firing:
            yield run
        for number, step in firing:
            yield from self._closed(self._fired(run, [(number, step, None, {})], now), now)

    def _accept(self, run: Run, event: Event, now: Time, expected: set[str]) -> Iterator[Run]:
        """Yields the runs in which every instance for which the event is relevant has accepted it."""
        run = copy.deepcopy(run)
        choices = []
        for number, instance in enumerate(run.instances):
            self._note_absences(instance, event, now)
            if self._is_relevant(instance, event):
                expected.add(event.id)
                enabled = [
                    (number, step, event, found)
                    for step in self.structure.executed[instance.state]
                    for found in self._enabled_by(run, instance, step, event, now)
                ]
                if not enabled and self.structure.states[instance.state].is_opaque:
                    continue
                choices.append(enabled)
        for chosen in product(*choices):
            yield self._fired(run, list(chosen), now)

    # Conditions of transitions (Definitions 9 to 12)

    def _is_relevant_to(self, run: Run, event: Event) -> bool:
        return any(self._is_relevant(instance, event) for instance in run.instances)

    def _is_relevant(self, instance: Instance, event: Event) -> bool:
        schema = self.structure.schemas[instance.state]
        return any(self._matches(query, event, instance.variables, unbound=True) for query in schema)

    def _enabled_by(self, run: Run, instance: Instance, step: Step, event: Event, now: Time) -> Iterator[Bindings]:
        """Yields what an event can bind if it enables a transition in an instance."""
        label = step.transition.label
        if step.trigger != "event" or step.before != instance.active:
            return
        assert label.query is not None
        for found in self._matches(label.query, event, instance.variables):
            if any(self._is_used(run.used, each, found[each.variable], now) for each in label.query.unique):
                continue
            known = {**instance.known, THIS: Times(event.begin, event.end)}
            if not all(holds(each, known, now) for each in label.times):
                continue
            values = {name: unwrap(value) for name, value in {**instance.variables, **found}.items()}
            if not all(self.evaluator.holds(each, values, {}) for each in label.conditions):
                continue
            if self._terminates(instance, step):
                yield found

    def _matches(
        self, query: EventQuery, event: Event, variables: Mapping[str, Cell], *, unbound: bool = False
    ) -> list[Bindings]:
        """Returns all that a query can bind if an event matches it with these bindings; a pattern can in several ways.

        Where histories are divided by an attribute, an event without one value of it belongs to none.
        """
        if query.pattern is None:
            found = _match(query, event, variables, unbound=unbound)
            return [] if found is None else [found]
        divided = self.structure.key is not None
        if divided and self._key(event) is None:
            return []
        return _pattern_matches(query, event, variables, unbound=unbound)

    def _is_used(self, used: Iterable[Used], unique: Declaration, value: Cell, now: Time) -> bool:
        return any(
            name == unique.variable and had == value and (unique.memory is None or now - since <= unique.memory)
            for name, had, since in used
        )

    def _terminates(self, instance: Instance, step: Step) -> bool:
        """Returns whether the termination constraints hold, or the default ones if there are none."""
        if not step.is_terminating:
            return True
        source = step.transition.source
        below = [each for each in instance.walk() if each is not instance]
        given = step.transition.label.terminations
        if not given:
            return all(_is_finished(each, source) for each in below if each.state in step.left and each.state != source)
        for each in given:
            counted = [i for i in below if i.state == self.structure.identified[each.identifier]]
            if each.function == "finishedInstances":
                counted = [i for i in counted if _is_finished(i, source)]
            if not compares(len(counted), each.operator, each.number):
                return False
        return True

    def _note_absences(self, instance: Instance, event: Event, now: Time) -> None:
        for step in self.structure.executed[instance.state]:
            label = step.transition.label
            if step.trigger != "absence" or step.before != instance.active:
                continue
            assert label.query is not None
            if not self._matches(label.query, event, instance.variables):
                continue
            stretch = times_of(label.times, instance.known)
            if stretch.latest is None or all(holds(each, instance.known, now) for each in label.times):
                instance.missed.add(step.number)

    def _is_due(self, instance: Instance, step: Step, now: Time) -> bool:
        """Returns whether a transition without an event fires now, if the instance is in its source."""
        return self._time_of(instance, step, now) == now

    def _time_of(self, instance: Instance, step: Step, since: Time) -> Time | None:
        """Returns the first time, not before another, at which a transition without an event fires."""
        label = step.transition.label
        if step.before != instance.active or step.number in instance.missed or not self._terminates(instance, step):
            return None
        values = {name: unwrap(value) for name, value in instance.variables.items()}
        if not all(self.evaluator.holds(each, values, {}) for each in label.conditions):
            return None
        stretch = times_of(label.times, instance.known)
        if not label.negated or stretch.latest is None:
            return stretch.earliest(since)
        latest = stretch.latest
        return latest if stretch.earliest(instance.entered) is not None and latest >= since else None

    def _invariants_hold(self, run: Run, now: Time) -> bool:
        return all(self._invariant(instance).earliest(now) == now for instance in run.instances)

    def _invariant(self, instance: Instance) -> Stretch:
        return times_of(self.structure.states[instance.active].invariant, instance.known)

    def _due(self, runs: RunSet, now: Time) -> Iterator[Time]:
        """Yields the times after now at which something happens in a set without an event."""
        for run in runs.runs:
            for instance in run.instances:
                times = [
                    self._time_of(instance, step, now + 1)
                    for step in self.structure.executed[instance.state]
                    if step.trigger != "event"
                ]
                latest = self._invariant(instance).latest
                times += [] if latest is None else [latest + 1]
                times.append(self._deadline(instance))
                yield from (time for time in times if time is not None and time > now)

    def _deadline(self, instance: Instance) -> Time | None:
        """Returns the first time at which nothing can lead out of an atomic state any more; None if there is none."""
        if instance.is_overdue or not self.structure.states[instance.active].is_atomic:
            return None
        leaving = self.structure.leaving[instance.active]
        if not leaving:
            return None
        known = instance.known
        latest = []
        for step in leaving:
            if step.level != instance.state:
                return None
            latest.append(times_of(step.transition.label.times, known).latest)
        ends = [time for time in latest if time is not None]
        return max(ends) + 1 if len(ends) == len(latest) else None

    def _report_overdue(self, runs: RunSet, now: Time) -> None:
        """Reports the instances that are overdue in the only run."""
        for run in runs.runs:
            for instance in run.instances:
                deadline = self._deadline(instance)
                if deadline is not None and deadline <= now:
                    instance.is_overdue = True
                    if len(runs.runs) == 1:
                        last = [("last", occurrence(instance.events[LAST]))]
                        self.reports.append(overdue(self.module, instance.name, instance.active, now, last))

    # What transitions do (Definitions 16 and 18)

    def _enter(self, step: Step, event: Event, now: Time) -> Iterator[Run]:
        label = step.transition.label
        assert label.query is not None
        for found in self._matches(label.query, event, {}):
            yield from self._entered(step, event, found, now)

    def _entered(self, step: Step, event: Event, found: Bindings, now: Time) -> Iterator[Run]:
        label = step.transition.label
        assert label.query is not None
        key = self._key(event)
        used = {each for where, each in self._used if where == key}
        if any(self._is_used(used, each, found[each.variable], now) for each in label.query.unique):
            return
        if not all(holds(each, {THIS: Times(event.begin, event.end)}, now) for each in label.times):
            return
        values = {name: unwrap(value) for name, value in found.items()}
        if not all(self.evaluator.holds(each, values, {}) for each in label.conditions):
            return
        root = Instance(self.structure.root, self.structure.root, now, variables=dict(found), events={LAST: event})
        root.name = self._name(root)
        if label.identifier is not None:
            root.events[label.identifier] = event
        root.active = self._child_towards(self.structure.root, step.transition.target)
        self._instantiate(root, step, set(found), now)
        run = Run(root)
        run.used |= {(each.variable, found[each.variable], now) for each in label.query.unique}
        yield run

    def _key(self, event: Event) -> Cell | None:
        """Returns the value by which the history of an event is known."""
        value = None if self.structure.key is None else _attribute(event.term, (self.structure.key,))
        return None if value is None else wrap(value)

    def _fired(self, run: Run, chosen: list[tuple[int, Step, Event | None, Bindings]], now: Time) -> Run:
        """Returns a run in which these transitions have fired, those of inner instances first."""
        run = copy.deepcopy(run)
        instances = run.instances
        for number, step, event, found in sorted(chosen, key=lambda each: -len(instances[each[0]].state)):
            self._fire(run, instances[number], step, event, found, now)
            run.visited |= self._active(run)
        return run

    def _fire(self, run: Run, instance: Instance, step: Step, event: Event | None, found: Bindings, now: Time) -> None:
        label = step.transition.label
        if step.is_terminating:
            instance.children = []
        if step.after != instance.active or step.is_terminating:
            instance.entered, instance.missed, instance.yielded, instance.is_overdue = now, set(), set(), False
        instance.active = step.after
        names = set(found)
        if event is not None:
            instance.is_overdue = False
            instance.variables.update(found)
            instance.events[LAST] = event
            if label.identifier is not None:
                instance.events[label.identifier] = event
                names.add(label.identifier)
            for ancestor in instance.ancestors:
                before = ancestor.events[LAST]
                ancestor.events[LAST] = max(before, event, key=lambda each: (each.end, each.begin, each.id))
            assert label.query is not None
            run.used |= {(each.variable, found[each.variable], now) for each in label.query.unique}
        self._instantiate(instance, step, names, now)

    def _instantiate(self, instance: Instance, step: Step, names: set[str], now: Time) -> None:
        at = instance
        hidden = instance.yielded - names
        for state in step.created:
            if state == self.structure.root:
                continue
            active = self._child_towards(state, step.transition.target)
            made = Instance(state, active, now, parent=at)
            made.variables = {name: value for name, value in at.variables.items() if name not in hidden}
            made.events = {name: event for name, event in at.events.items() if name not in hidden or name == LAST}
            made.name = self._name(made)
            at.children.append(made)
            if at is instance:
                instance.yielded |= names
            at = made

    def _child_towards(self, state: Path, target: Path) -> Path:
        return target[: len(state) + 1]

    def _name(self, instance: Instance) -> Name:
        return instance_name(self.structure, instance.state, instance.variables)

    # Reports

    def _active(self, run: Run) -> set[StateKey]:
        labels, states, shown = self.structure.labels, self.structure.states, self.module.shown
        found = {(labels[i.state], i.name) for i in run.instances if i.state in shown}
        active = [i for i in run.instances if states[i.active].is_atomic and i.active in shown]
        return found | {(labels[i.active], i.name) for i in active}

    def _change(
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
        self.reports += [state_change(self.module, key, begin, end, causes) for key, begin, end in changes]

    def _violate(
        self, runs: RunSet, events: Sequence[Event], now: Time, causes: Sequence[tuple[str, Occurrence]]
    ) -> None:
        self.sets.remove(runs)
        event, reason = self._fault(runs, events, now)
        concerned = [
            instance.view
            for run in runs.runs
            for instance in run.instances
            if self.structure.states[instance.active].is_atomic
            and (event is None or self._is_relevant(instance, event) or not self._is_relevant_to(run, event))
        ]
        happened = None if event is None else occurrence(event)
        views = concerned or [
            i.view for run in runs.runs for i in run.instances if self.structure.states[i.active].is_atomic
        ]
        self.reports.append(violation(self.module, runs.name, views, happened, now, reason, causes))
        self._change(runs, set(), set(), now, causes)

    def _fault(self, runs: RunSet, events: Sequence[Event], now: Time) -> tuple[Event | None, str]:
        """Returns the first event that cannot be accepted together with those before it."""
        if not self._outcomes(runs.runs, (), now):
            return None, "the time in this state is over"
        ordered = sorted(events, key=lambda event: (event.begin, event.id))
        if self.module.automaton.is_strict and all(self._coincide(run, ordered) for run in runs.runs):
            relevant = [event for event in ordered if any(self._is_relevant_to(run, event) for run in runs.runs)]
            return relevant[1], "it happens together with another event of the instance"
        for number, event in enumerate(ordered):
            if not self._outcomes(runs.runs, ordered[: number + 1], now):
                return event, "no transition accepts it"
        raise AssertionError("all events are accepted")


def _is_finished(instance: Instance, end: Path | None) -> bool:
    """Returns whether an instance is finished with respect to an end state (Definition 17)."""
    if instance.active == end:
        return True
    inside = [child for child in instance.children if child.state == instance.active]
    return bool(inside) and all(_is_finished(child, end) for child in inside)


def _match(query: EventQuery, event: Event, variables: Mapping[str, Cell], *, unbound: bool = False) -> Bindings | None:
    """Returns what a query binds if an event matches it with these bindings; None if it does not.

    A variable that has no value matches nothing, or anything if `unbound`.
    """
    if event.label != query.label:
        return None
    found: Bindings = {}
    for path, value in query.attributes:
        had = _attribute(event.term, path)
        if had is None or isinstance(had, Term):
            return None
        cell = wrap(had)
        match value:
            case Constant():
                if wrap(value.value) != cell:
                    return None
            case Reference():
                if value.variable not in variables:
                    if not unbound:
                        return None
                elif variables[value.variable] != cell:
                    return None
            case Declaration():
                if found.setdefault(value.variable, cell) != cell:
                    return None
    return found


def _pattern_matches(
    query: EventQuery, event: Event, variables: Mapping[str, Cell], *, unbound: bool
) -> list[Bindings]:
    """Returns what a pattern binds: the values of its variables are put in, and those that it declares come out.

    Variables have values, not terms.
    """
    assert query.pattern is not None
    if event.label != query.label or (not unbound and not query.referenced <= variables.keys()):
        return []
    given = scalars({name: variables[name] for name in query.referenced & variables.keys()})
    found: list[Bindings] = []
    for answer in match(with_values(query.pattern, given), event.term):
        bound = {name: answer[name] for name in query.declared}
        cells = {name: wrap(value) for name, value in bound.items() if not isinstance(value, Term)}
        if len(cells) == len(bound) and cells not in found:
            found.append(cells)
    return found


def _attribute(term: Term, path: Path) -> Value | None:
    """Returns the one value at the end of a path of labels; None if there is none, or more than one."""
    at = term
    for label in path:
        inside = [child for child in at.children if isinstance(child, Term) and child.label == label]
        if len(inside) != 1:
            return None
        at = inside[0]
    return at.children[0] if len(at.children) == 1 else None


def instance_name(structure: Structure, state: Path, variables: Mapping[str, Cell]) -> Name:
    """Returns the name of an instance: the attributes of its state with the values of its variables."""
    found = []
    for attribute, value in structure.states[state].attributes:
        cell = wrap(value.value) if isinstance(value, Constant) else variables.get(value.variable)
        if cell is not None:
            found.append((attribute, cell))
    return tuple(found)
