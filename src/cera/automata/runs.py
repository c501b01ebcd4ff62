"""Runs of an automaton as the processor has them: trees of instances that change in place, and can be copied.

What a transition does to a run is Definition 18: instances below are terminated, the instance changes its state and its
bindings, and instances are created, each with what its parent knows but for what was bound while its siblings were
created.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator
from typing import Any

from cera.automata.automaton import LAST, Constant
from cera.automata.compiled import Bindings, CompiledAutomaton, CompiledStep, Fields
from cera.automata.explanations import Name
from cera.automata.reports import Period, StateKey
from cera.automata.traces import Firing, Trace, shortest
from cera.model.events.occurrence import Cell, Occurrence, wrap
from cera.model.time.interval import Time

#: No names, and no transitions: one object for all instances.
NOBODY: frozenset[str] = frozenset()
NONE: frozenset[int] = frozenset()


class Instance:
    """An instance of a non-atomic state."""

    __slots__ = (
        "active",
        "alive",
        "children",
        "due",
        "entered",
        "events",
        "is_overdue",
        "missed",
        "name",
        "parent",
        "state",
        "variables",
        "yielded",
    )

    def __init__(self, state: int, active: int, entered: Time, parent: Instance | None) -> None:
        self.state = state
        self.active = active
        self.entered = entered
        self.parent = parent
        self.name: Name = ()
        self.variables: Bindings = {}
        self.events: dict[str, Occurrence] = {}
        self.children: list[Instance] = []
        self.yielded = NOBODY
        self.missed = NONE
        self.is_overdue = False
        #: The next time at which something happens to it without an event.
        self.due: Time | None = None
        self.alive = True

    def enter(self, active: int, now: Time) -> None:
        """Comes into a state."""
        self.active = active
        self.entered = now
        self.missed = NONE
        self.yielded = NOBODY
        self.is_overdue = False

    def walk(self) -> Iterator[Instance]:
        yield self
        for child in self.children:
            yield from child.walk()


class Run:
    """A tree of instances, with an index of them and a queue of their timers."""

    __slots__ = (
        "_queued",
        "automaton",
        "index",
        "left",
        "past",
        "root",
        "since",
        "states",
        "timers",
        "trace",
        "used",
        "visited",
    )

    def __init__(self, automaton: CompiledAutomaton, root: Instance) -> None:
        self.automaton = automaton
        self.root = root
        #: The instances but for the root, by their states and the attributes that all their queries name.
        self.index: dict[tuple[Any, ...], list[Instance]] = {}
        #: How many instances are in each state that is reported.
        self.states: dict[StateKey, int] = {}
        #: The states that it was in at the time of the step.
        self.visited: set[StateKey] = set()
        #: Since when it has been in its states, and whether a state was certain meanwhile. None if it is the only run,
        #: and all its states were certain from their begin.
        self.since: dict[StateKey, tuple[Time, bool]] | None = None
        #: The states that it was in and left before they were certain.
        self.past: set[Period] = set()
        #: The states that it, or a run that has become equal to it, has left in this step.
        self.left: set[Period] = set()
        self.trace: Trace = ()
        self.used: dict[tuple[str, Cell], Time] = {}
        self.timers: list[tuple[Time, int, Instance]] = []
        self._queued = 0

    # Instances and their index

    def add(self, instance: Instance) -> None:
        """Enters a new instance in the index."""
        if instance is not self.root:
            self.index.setdefault(self._key(instance), []).append(instance)
        self._count(instance, 1)

    def _key(self, instance: Instance) -> tuple[Any, ...]:
        get = instance.variables.get
        return (instance.state, *[get(name) for _, name in self.automaton.keys[instance.state]])

    def _count(self, instance: Instance, change: int) -> None:
        automaton = self.automaton
        if automaton.is_shown[instance.state]:
            self._count_key((automaton.labels[instance.state], instance.name), change)
        self._count_active(instance, change)

    def _count_key(self, key: StateKey, change: int) -> None:
        count = self.states.get(key, 0) + change
        if count:
            self.states[key] = count
        else:
            del self.states[key]
        self.visited.add(key)

    def _remove(self, instance: Instance) -> None:
        for each in instance.walk():
            each.alive = False
            key = self._key(each)
            beside = self.index[key]
            beside.remove(each)
            if not beside:
                del self.index[key]
            self._count(each, -1)

    def concerned(self, fields: Fields, *, later: bool = False) -> list[Instance]:
        """Returns the instances for which an event is relevant, or could be after their variables have changed."""
        automaton, label = self.automaton, fields.event.label
        found: list[Instance] = []
        for state in automaton.concerned.get(label, ()):
            if state == automaton.root:
                candidates = [self.root]
            else:
                key = (state, *[fields.value(path) for path, _ in automaton.keys[state]])
                candidates = self.index.get(key, [])
            queries = automaton.schemas[state][label]
            rebound = automaton.rebound[state] if later else frozenset()
            for instance in candidates:
                variables = instance.variables
                if rebound:
                    variables = {name: value for name, value in variables.items() if name not in rebound}
                for query in queries:
                    if query.accepts(fields, variables):
                        found.append(instance)
                        break
        return found

    # States that are not certain

    def live(self, before: Collection[StateKey], active: Collection[StateKey], now: Time) -> None:
        """Takes note of the states that the run has left in a step, and of those that it is in."""
        since = self.since
        assert since is not None
        for key in self.visited:
            if key not in before and key not in active:
                self.left.add((key, now, now))
                self.past.add((key, now, now))
        for key in before:
            if key not in active:
                begin, was_certain = since.pop(key)
                self.left.add((key, begin, now))
                if not was_certain:
                    self.past.add((key, begin, now))
        for key in active:
            if key not in before:
                since[key] = now, False

    def meet(self, other: Run) -> None:
        """Takes up a run that is equal: only what both have in common is certain."""
        self.visited &= other.visited
        self.past &= other.past
        self.left |= other.left
        if self.since is not None and other.since is not None:
            own = self.since
            self.since = {key: max(since, own[key]) for key, since in other.since.items()}
        self.trace = shortest(self.trace, other.trace)

    # Timers

    def wake(self, instance: Instance, due: Time | None) -> None:
        """Sets the next time of an instance."""
        if due != instance.due:
            instance.due = due
            if due is not None:
                self._queued += 1
                heapq.heappush(self.timers, (due, self._queued, instance))

    @property
    def due(self) -> Time | None:
        timers = self.timers
        while timers:
            time, _, instance = timers[0]
            if instance.alive and instance.due == time:
                return time
            heapq.heappop(timers)
        return None

    def due_instances(self, now: Time) -> list[Instance]:
        """Returns the instances whose time has come, in the order of the tree."""
        if (due := self.due) is None or due > now:
            return []
        return [each for each in self.root.walk() if each.due is not None and each.due <= now]

    # Transitions

    def fire(
        self, instance: Instance, step: CompiledStep, event: Occurrence | None, bound: Bindings, now: Time
    ) -> None:
        """Lets an instance execute a transition."""
        if self.automaton.is_traced:
            self.trace = (*self.trace, Firing(now, step.number, instance.name, event))
        if step.terminates:
            for child in instance.children:
                self._remove(child)
            instance.children = []
        if step.after != instance.active:
            self._count_active(instance, -1)
            instance.enter(step.after, now)
            self._count_active(instance, 1)
        elif step.terminates:
            instance.enter(step.after, now)
        if event is not None:
            self.change(instance, step, event, bound, now)
        if step.created:
            names = frozenset(bound)
            if event is not None and step.identifier is not None:
                names |= {step.identifier}
            self.instantiate(instance, step, names, now)
        needed = self.automaton.needed[instance.state]
        for name in bound:
            if name not in needed:
                instance.variables.pop(name, None)

    def change(self, instance: Instance, step: CompiledStep, event: Occurrence, bound: Bindings, now: Time) -> None:
        """Notes the event of a transition, and what it binds."""
        instance.is_overdue = False
        self.note_last(instance, event)
        if step.created:
            instance.variables.update(bound)
        else:
            needed = self.automaton.needed[instance.state]
            for name, value in bound.items():
                if name in needed:
                    instance.variables[name] = value
        if step.identifier is not None:
            instance.events[step.identifier] = event
        assert step.query is not None
        for unique in step.query.unique:
            self.used[unique.variable, bound[unique.variable]] = now

    def note_last(self, instance: Instance, event: Occurrence) -> None:
        """Notes the last event of an instance, and of those around it."""
        instance.events[LAST] = event
        around = instance.parent
        while around is not None:
            events = around.events
            if _is_later(event, events[LAST]):
                events[LAST] = event
            around = around.parent

    def _count_active(self, instance: Instance, change: int) -> None:
        automaton = self.automaton
        if automaton.is_shown[instance.active] and automaton.is_atomic[instance.active]:
            self._count_key((automaton.labels[instance.active], instance.name), change)

    def instantiate(self, instance: Instance, step: CompiledStep, names: frozenset[str], now: Time) -> None:
        """Creates the instances that a transition goes into."""
        hidden = instance.yielded - names
        at = instance
        created = []
        for state, active in step.created:
            made = Instance(state, active, now, at)
            made.variables = {name: value for name, value in at.variables.items() if name not in hidden}
            made.events = {name: event for name, event in at.events.items() if name not in hidden or name == LAST}
            made.name = self.name_of(made)
            at.children.append(made)
            created.append(made)
            at = made
        instance.yielded |= names
        for made in created:
            needed = self.automaton.needed[made.state]
            made.variables = {name: value for name, value in made.variables.items() if name in needed}
            self.add(made)

    def name_of(self, instance: Instance) -> Name:
        """Returns the attributes of an instance's state with the values that they have now."""
        found = []
        for attribute, value in self.automaton.attributes[instance.state]:
            cell = wrap(value.value) if isinstance(value, Constant) else instance.variables.get(value.variable)
            if cell is not None:
                found.append((attribute, cell))
        return tuple(found)

    # Copies

    def copy(self) -> tuple[Run, dict[int, Instance]]:
        """Returns the same run, and its instances by the identities of those of this one."""
        made: dict[int, Instance] = {}
        root = _copied(self.root, None, made)
        run = Run(self.automaton, root)
        for instance in root.walk():
            run.add(instance)
            due, instance.due = instance.due, None
            run.wake(instance, due)
        run.visited = set(self.visited)
        run.since = None if self.since is None else dict(self.since)
        run.past, run.left = set(self.past), set(self.left)
        run.trace = self.trace
        run.used = dict(self.used)
        return run, made

    @property
    def frozen(self) -> object:
        """A value that equals that of every run with the same instances."""
        return self._frozen(self.root), frozenset(self.used.items())

    def _frozen(self, instance: Instance) -> object:
        needed = self.automaton.needed[instance.state]
        variables = frozenset((name, value) for name, value in instance.variables.items() if name in needed)
        events = frozenset((name, event.id) for name, event in instance.events.items())
        children = tuple(sorted((self._frozen(child) for child in instance.children), key=repr))
        yielded = frozenset(name for name in instance.yielded if name in needed or name in instance.events)
        kept = (instance.state, instance.active, instance.entered, instance.name, instance.is_overdue)
        return (*kept, variables, events, yielded, instance.missed, children)


def _is_later(event: Occurrence, than: Occurrence) -> bool:
    """Returns whether an event is the greater one by end, begin and id."""
    if event.end != than.end:
        return event.end > than.end
    return (event.begin, event.id) > (than.begin, than.id)


def _copied(instance: Instance, parent: Instance | None, made: dict[int, Instance]) -> Instance:
    copy = Instance(instance.state, instance.active, instance.entered, parent)
    copy.name, copy.yielded, copy.missed = instance.name, instance.yielded, instance.missed
    copy.is_overdue, copy.due = instance.is_overdue, instance.due
    copy.variables, copy.events = dict(instance.variables), dict(instance.events)
    made[id(instance)] = copy
    copy.children = [_copied(child, copy, made) for child in instance.children]
    return copy
