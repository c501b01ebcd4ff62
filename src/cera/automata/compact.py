"""Runs that have no alternative, in little memory: most instances are in one, most of the time.

All states of such a run are certain, so its instances know since when. Variables are places in a tuple, and the last
event is kept only where a bound on time may ask for it. What needs more, such as a choice, or two instances with one
name, is a `RunSet` (`expanded`), and becomes compact again when that is over (`contracted`).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from typing import Any, Final

from cera.automata.automaton import LAST
from cera.automata.compiled import CompiledAutomaton
from cera.automata.kept_events import LONG_AGO
from cera.automata.reports import named
from cera.automata.run_sets import RunSet
from cera.automata.runs import NOBODY, NONE, Instance, Run
from cera.model.events.occurrence import Cell, Occurrence
from cera.model.time.interval import Time

#: The values of variables, or of attributes, in the order of a layout; None for what has no value.
Values = tuple[Cell | None, ...]

#: How many instances inside of the root are looked through, rather than found by an index.
FEW: Final = 8


class CompactInstance:
    """An instance of a non-atomic state."""

    __slots__ = (
        "active",
        "children",
        "due",
        "entered",
        "events",
        "last",
        "missed",
        "name",
        "opened",
        "parent",
        "since",
        "state",
        "values",
        "yielded",
    )

    children: Sequence[CompactInstance]

    def __init__(
        self, state: int, active: int, now: Time, parent: CompactInstance | None, name: Values, values: Values
    ) -> None:
        self.state = state
        self.active = active
        self.parent = parent
        self.name = name
        self.values = values
        self.last: Occurrence | None = None
        self.events: dict[str, Occurrence] | None = None
        self.children = ()
        self.yielded = NOBODY
        self.missed = NONE
        self.due: Time | None = None
        #: When it came into its active state; since when it has been reported there, and how long it has existed.
        self.entered = self.since = self.opened = now

    def walk(self) -> Iterator[CompactInstance]:
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def known(self) -> dict[str, Occurrence]:
        """The events that it has names for."""
        found = dict(self.events) if self.events else {}
        if self.last is not None:
            found[LAST] = self.last
        return found


class CompactRun(CompactInstance):
    """The instance of the root, with what belongs to the run as a whole."""

    __slots__ = ("_queued", "index", "timers", "used", "wakeup")

    def __init__(self, state: int, active: int, now: Time, name: Values, values: Values) -> None:
        super().__init__(state, active, now, None, name, values)
        self.used: dict[tuple[str, Cell], Time] = {}
        #: The instances by what their queries name, once there are many; several of them in a list.
        self.index: dict[tuple[Any, ...], CompactInstance | list[CompactInstance]] | None = None
        #: A heap of the times of instances; None if there are none. Entries may be out of date.
        self.timers: list[tuple[Time, int, CompactInstance]] | None = None
        self._queued = 0
        #: When it has to be looked at.
        self.wakeup: Time | None = None

    def wake(self, instance: CompactInstance, due: Time | None) -> None:
        """Sets the next time of an instance."""
        if due != instance.due:
            instance.due = due
            if due is not None:
                if self.timers is None:
                    self.timers = []
                self._queued += 1
                heapq.heappush(self.timers, (due, self._queued, instance))

    @property
    def next_due(self) -> Time | None:
        timers = self.timers
        while timers:
            time, _, instance = timers[0]
            if instance.due == time:
                return time
            heapq.heappop(timers)
        self.timers = None
        return None

    def due_instances(self, now: Time) -> list[CompactInstance]:
        """Returns the instances whose time has come."""
        found = [each for time, _, each in self.timers or () if time <= now and each.due == time]
        return list({id(each): each for each in found}.values())


# Instances by what their queries name


def enter(run: CompactRun, instance: CompactInstance, automaton: CompiledAutomaton) -> None:
    """Enters a new instance among the children of its parent, and in the index if there is one."""
    parent = instance.parent
    assert parent is not None
    if parent.children.__class__ is list:
        parent.children.append(instance)
    else:
        parent.children = [instance]
    if run.index is None:
        if len(run.children) > FEW or automaton.is_deep:
            run.index = {}
            for each in run.walk():
                if each is not run:
                    _index(run, each, automaton)
    else:
        _index(run, instance, automaton)


def _index(run: CompactRun, instance: CompactInstance, automaton: CompiledAutomaton) -> None:
    assert run.index is not None
    places = automaton.key_places[instance.state]
    key = (instance.state, *[instance.values[place] for place in places])
    beside = run.index.get(key)
    if beside is None:
        run.index[key] = instance
    elif isinstance(beside, list):
        beside.append(instance)
    else:
        run.index[key] = [beside, instance]


def inside(run: CompactRun, state: int, key: Sequence[Cell | None], places: Sequence[int]) -> list[CompactInstance]:
    """Returns the instances of a state inside of the root that have these values in some places."""
    if run.index is None:
        return [each for each in run.children if each.state == state and [each.values[p] for p in places] == key]
    beside = run.index.get((state, *key))
    return [] if beside is None else beside if isinstance(beside, list) else [beside]


def leave(run: CompactRun, instance: CompactInstance, automaton: CompiledAutomaton) -> list[CompactInstance]:
    """Removes all instances inside of one; returns them."""
    removed = [each for child in instance.children for each in child.walk()]
    instance.children = ()
    for each in removed:
        each.due = None
    if instance is run:
        run.index = None
    elif run.index is not None:
        for each in removed:
            key = (each.state, *[each.values[place] for place in automaton.key_places[each.state]])
            beside = run.index[key]
            if isinstance(beside, list):
                beside.remove(each)
                if not beside:
                    del run.index[key]
            else:
                del run.index[key]
    return removed


# As runs that can be explored


def expanded(run: CompactRun, automaton: CompiledAutomaton) -> RunSet:
    """Returns a set of the one run that is compact."""
    root = _expanded(run, None, automaton)
    made = Run(automaton, root)
    made.used = run.used
    runs = RunSet([made])
    labels = automaton.labels
    for instance, compact in zip(root.walk(), run.walk(), strict=True):
        made.add(instance)
        made.wake(instance, compact.due)
        if automaton.is_shown[instance.state]:
            runs.open[labels[instance.state], instance.name] = compact.opened
        if automaton.is_told[instance.active]:
            runs.open[labels[instance.active], instance.name] = compact.since
    made.visited = set()
    return runs


def _expanded(compact: CompactInstance, parent: Instance | None, automaton: CompiledAutomaton) -> Instance:
    made = Instance(compact.state, compact.active, compact.entered, parent)
    made.name = named(compact.name, automaton.attribute_names[compact.state])
    layout = automaton.layouts[compact.state]
    made.variables = {name: value for name, value in zip(layout, compact.values, strict=True) if value is not None}
    made.events = {LAST: LONG_AGO, **compact.known}
    made.yielded, made.missed = compact.yielded, compact.missed
    made.children = [_expanded(child, made, automaton) for child in compact.children]
    return made


def contracted(runs: RunSet, automaton: CompiledAutomaton) -> CompactRun | None:
    """Returns the only run of a set, compact; None if there are several, or there is more to it."""
    if len(runs.runs) > 1 or runs.overdue:
        return None
    [run] = runs.runs
    if run.since is not None or run.past or any(count > 1 for count in run.states.values()):
        return None
    root = run.root
    made = CompactRun(root.state, root.active, root.entered, *_contents(root, automaton))
    made.used = run.used
    _contract(root, made, made, runs, automaton)
    return made


def _contents(instance: Instance, automaton: CompiledAutomaton) -> tuple[Values, Values]:
    names, variables = dict(instance.name), instance.variables
    name = tuple(names.get(each) for each in automaton.attribute_names[instance.state])
    return name, tuple(variables.get(each) for each in automaton.layouts[instance.state])


def _contract(
    instance: Instance, made: CompactInstance, run: CompactRun, runs: RunSet, automaton: CompiledAutomaton
) -> None:
    """Makes a compact instance what another one is, with those inside."""
    labels = automaton.labels
    made.yielded, made.missed = instance.yielded, instance.missed
    if automaton.is_shown[instance.state]:
        made.opened = runs.open[labels[instance.state], instance.name]
    if automaton.is_told[instance.active]:
        made.since = runs.open[labels[instance.active], instance.name]
    last = instance.events[LAST]
    if automaton.keeps_last[instance.state] or (made is run and last.end != LONG_AGO.end):
        made.last = last
    made.events = {name: event for name, event in instance.events.items() if name != LAST} or None
    run.wake(made, instance.due)
    for child in instance.children:
        inner = CompactInstance(child.state, child.active, child.entered, made, *_contents(child, automaton))
        enter(run, inner, automaton)
        _contract(child, inner, run, runs, automaton)
