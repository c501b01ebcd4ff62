"""Runs as Definitions 8 and 14 of seed 002 have them: trees of instances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from cera.automata.automaton import Path
from cera.automata.explanations import Name
from cera.automata.reports import Period, StateKey
from cera.automata.structure import Structure
from cera.automata.times import Times
from cera.automata.traces import Trace
from cera.model.events.event import Event
from cera.model.events.occurrence import Cell
from cera.model.time.interval import Time

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


@dataclass(eq=False)
class Run:
    """A tree of instances (Definition 14), and the values that unique variables had in it."""

    root: Instance
    used: set[Used] = field(default_factory=set)
    #: The states that it was in at the time of the step.
    visited: set[StateKey] = field(default_factory=set)
    #: Since when it has been in its states, and whether a state was certain meanwhile.
    since: dict[StateKey, tuple[Time, bool]] = field(default_factory=dict)
    #: The states that it was in and left before they were certain.
    past: set[Period] = field(default_factory=set)
    #: The states that it, or a run that has become equal to it, has left in this step.
    left: set[Period] = field(default_factory=set)
    trace: Trace = ()

    def live(self, before: set[StateKey], active: set[StateKey], now: Time) -> None:
        """Takes note of the states that the run has left in a step, and of those that it is in."""
        over = {key: self.since.pop(key) for key in before - active}
        self.left |= {(key, begin, now) for key, (begin, _) in over.items()}
        uncertain = {(key, begin, now) for key, (begin, was_certain) in over.items() if not was_certain}
        passed = {(key, now, now) for key in self.visited - before - active}
        self.left |= passed
        self.past |= uncertain | passed
        for key in active - before:
            self.since[key] = now, False

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
    #: The instances that are overdue in all runs, by their active states; that was reported.
    overdue: set[StateKey] = field(default_factory=set)

    @property
    def name(self) -> Name:
        return self.runs[0].root.name


def is_finished(instance: Instance, end: Path | None) -> bool:
    """Returns whether an instance is finished with respect to an end state (Definition 17)."""
    if instance.active == end:
        return True
    inside = [child for child in instance.children if child.state == instance.active]
    return bool(inside) and all(is_finished(child, end) for child in inside)
