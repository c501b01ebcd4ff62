"""What automata derive: openings and endings of states, violations, and instances that are overdue."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from cera.automata.automaton import Constant, EventQuery, Path, Reference
from cera.automata.module import OVERDUE, VIOLATION, AutomatonModule
from cera.automata.structure import Step, Structure
from cera.automata.times import Known, times_of
from cera.model.events.occurrence import Cell, Occurrence, unwrap
from cera.model.events.states import ending, opening
from cera.model.terms.term import Term, Value
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeFormat
from cera.modules.detection import TermDetection, Way

#: The attributes that an instance got its name from, with the values; those that had none are left out.
Name = tuple[tuple[str, Cell], ...]
#: A state of an instance: the label of the state, and the name of the instance.
StateKey = tuple[str, Name]

_TIMES = TimeFormat()


class Report(TermDetection):
    """A detection of an automaton, with the events of the step as causes."""

    __slots__ = ("_causes", "_rule")

    def __init__(self, rule: str, term: Term, begin: Time, end: Time, causes: Sequence[tuple[str, Occurrence]]) -> None:
        super().__init__(term, begin, end)
        self._rule = rule
        self._causes = causes

    def ways(self) -> Iterator[Way]:
        yield self._rule, self._causes


class InstanceView(NamedTuple):
    """An instance as a report speaks of it."""

    state: Path
    active: Path
    variables: Mapping[str, Cell]
    known: Known


def children_of(name: Name) -> list[Term]:
    return [Term(attribute, [unwrap(value)]) for attribute, value in name]


def state_change(
    module: AutomatonModule, key: StateKey, begin: Time, end: Time | None, causes: Sequence[tuple[str, Occurrence]]
) -> Report:
    """Returns the opening of a state, or its ending if an end is given."""
    label, name = key
    event = opening(Term(label, children_of(name)), begin)
    if end is not None:
        event = ending(event, end)
    return Report(module.name, event.term, event.begin, event.end, causes)


def named_causes(events: Iterable[Occurrence]) -> list[tuple[str, Occurrence]]:
    """Returns the events of a step as causes, in an order of their own."""
    ordered = sorted(events, key=lambda event: (event.begin, event.id))
    return [("event" if not number else f"event {number + 1}", event) for number, event in enumerate(ordered)]


def violation(
    module: AutomatonModule,
    name: Name,
    views: Iterable[InstanceView],
    event: Occurrence | None,
    now: Time,
    reason: str,
    causes: Sequence[tuple[str, Occurrence]],
) -> Report:
    """Returns a violation: what happened, where the last runs were, and what they would have accepted."""
    structure = module.structure
    views = list(views)
    states = sorted({structure.labels[view.active] for view in views})
    expected = sorted({text for view in views for text in expectations(structure, view, now)})
    children = [
        Term("automaton", [module.name]),
        Term("instance", children_of(name)),
        Term("reason", [reason]),
        *([] if event is None else [Term("event", [event.term])]),
        Term("state", [", ".join(states)]),
        *([Term("expected", ["; or ".join(expected)])] if expected else []),
    ]
    return Report(module.name, Term(VIOLATION, children), now, now, causes)


def unexpected_event(module: AutomatonModule, event: Occurrence) -> Report:
    """Returns the violation by an event that no instance waits for."""
    children = [
        Term("automaton", [module.name]),
        Term("reason", ["no instance waits for it"]),
        Term("event", [event.term]),
    ]
    return Report(module.name, Term(VIOLATION, children), event.end, event.end, [("event", event)])


def overdue(
    module: AutomatonModule, name: Name, active: Path, now: Time, last: Sequence[tuple[str, Occurrence]]
) -> Report:
    """Returns the report of an instance that is in a state from which nothing can fire any more."""
    children = [
        Term("automaton", [module.name]),
        Term("instance", children_of(name)),
        Term("state", [module.structure.labels[active]]),
    ]
    return Report(module.name, Term(OVERDUE, children), now, now, last)


def expectations(structure: Structure, view: InstanceView, now: Time) -> Iterator[str]:
    """Yields what an instance would have accepted in its state, and when."""
    for step in structure.leaving.get(view.active, ()):
        label = step.transition.label
        what = "time to pass" if label.query is None else query_text(label.query, view.variables.get)
        what = f"no {what}" if label.negated else what
        stretch = times_of(label.times, view.known)
        first, last = stretch.first, stretch.latest
        if last is not None and first is not None and first > last:
            when = ", which cannot be any more"
        elif last is not None:
            when = (
                f" until {_TIMES.format(last)}"
                if first is None
                else f" from {_TIMES.format(first)} to {_TIMES.format(last)}"
            )
        else:
            when = "" if first is None else f" from {_TIMES.format(first)} on"
        yield what + when


def query_text(query: EventQuery, value_of: Callable[[str], Cell | None]) -> str:
    """Returns a query with the values that are known: `bid(itemID(5))`."""
    parts = []
    for path, value in query.named:
        known: Value | None = value.value if isinstance(value, Constant) else None
        if isinstance(value, Reference):
            cell = value_of(value.variable)
            known = None if cell is None else unwrap(cell)
        if known is not None:
            shown = str(known).lower() if isinstance(known, bool) else str(known)
            parts.append(f"{'('.join(path)}({shown}{')' * len(path)}")
    return f"{query.label}({', '.join(parts)})" if parts else query.label


def step_text(step: Step) -> str:
    """Returns a transition for people: its states, and its label."""
    return step.transition.text or step.transition.name
