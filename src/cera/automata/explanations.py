"""What instances would have accepted: what was expected, until when, and the nearest alternative to an event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from cera.automata.automaton import THIS, Constant, Declaration, EventQuery, Path, Reference
from cera.automata.compiled import Bindings, Fields, compiled_query
from cera.automata.structure import Step, Structure
from cera.automata.times import Known, Stretch, holds, times_of
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import Cell, Occurrence, unwrap, wrap
from cera.model.terms.term import Value
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeFormat

#: The attributes that an instance got its name from, with the values; those that had none are left out.
Name = tuple[tuple[str, Cell], ...]


@dataclass(frozen=True)
class InstanceView:
    """An instance as a report describes it."""

    state: Path
    active: Path
    name: Name
    variables: Mapping[str, Cell]
    known: Known
    parent: InstanceView | None
    #: The values that unique variables had, and when.
    used: Mapping[tuple[str, Cell], Time] = field(default_factory=dict)
    #: The transitions that wait for other instances, by their numbers.
    blocked: frozenset[int] = frozenset()

    def executing(self, step: Step) -> InstanceView:
        """Returns the instance that executes a transition: this one, or one around it."""
        at = self
        while at.state != step.level and at.parent is not None:
            at = at.parent
        return at


class Alternative(NamedTuple):
    """What would have been accepted. The nearest one comes first: with the fewest changes, the least in time, and one
    that leads on rather than back to the same state."""

    changes: int
    distance: Time
    leads_back: bool
    number: int
    text: str


class Explainer:
    """Writes explanations for people, with times as the run has them."""

    def __init__(self, structure: Structure, times: TimeFormat, timezone: str) -> None:
        self._structure = structure
        self._times = times
        self._timezone = timezone

    # What was expected

    def expected(self, views: Iterable[InstanceView]) -> list[str]:
        """Returns what instances in atomic states wait for, and when."""
        return sorted({text for view in views for text in self._expected(view)})

    def _expected(self, view: InstanceView) -> Iterator[str]:
        for step in self._structure.leaving.get(view.active, ()):
            at = view.executing(step)
            yield self._what(step, at) + self._when(self._stretch(step, view, at))

    def entering(self) -> list[str]:
        """Returns the events with which instances begin."""
        queries = (step.transition.label.query for step in self._structure.enters)
        return sorted({query_text(query, {}) for query in queries if query is not None})

    def _what(self, step: Step, at: InstanceView) -> str:
        label = step.transition.label
        what = "time to pass" if label.query is None else query_text(label.query, at.variables)
        return f"no {what}" if label.negated else what

    def _stretch(self, step: Step, view: InstanceView, at: InstanceView) -> Stretch:
        """Returns when a transition can happen: as long as the invariant of the state lasts."""
        invariant = times_of(self._structure.states[view.active].invariant, view.known)
        found = times_of(step.transition.label.times, at.known)
        return found if invariant.latest is None else found.until(invariant.latest)

    def _when(self, stretch: Stretch) -> str:
        first, last = stretch.first, stretch.latest
        if last is not None and first is not None and first > last:
            return ", which cannot be any more"
        if last is not None:
            return f" until {self._time(last)}" if first is None else f" from {self._time(first)} to {self._time(last)}"
        return "" if first is None else f" from {self._time(first)} on"

    def _time(self, time: Time) -> str | int | float:
        return self._times.format(time)

    # The nearest alternative

    def nearest(
        self,
        seeing: Iterable[InstanceView],
        views: Iterable[InstanceView],
        event: Occurrence | None,
        now: Time,
        *,
        together: bool,
    ) -> str | None:
        """Returns what would have been accepted instead of an event, or of time that passed; None if there is nothing.

        The instances that are `seeing` the event may be in any state; the others are in atomic ones.
        """
        if together:
            return "the same event at another time"
        found: list[Alternative] = []
        if event is not None:
            fields = Fields(event)
            for view in seeing:
                for step in self._structure.executed[view.state]:
                    if step.before == view.active and step.trigger == "event":
                        found += self._changed(step, view, fields, now)
        if not found:
            for view in views:
                for step in self._structure.leaving.get(view.active, ()):
                    found += self._instead(step, view, now)
        return min(found).text if found else None

    def _changed(self, step: Step, view: InstanceView, fields: Fields, now: Time) -> Iterator[Alternative]:
        """Yields the same event with the changes that make a transition accept it; none if no change does."""
        label, event = step.transition.label, fields.event
        assert label.query is not None
        if label.query.label != event.label:
            return
        changes, bound = self._values(label.query, view, fields, now)
        known = {**view.known, THIS: event}
        distance = 0
        if not all(holds(each, known, now) for each in label.times):
            stretch = times_of(label.times, view.known)
            if stretch.earliest(now) == now:
                changes.append("with another begin")
            elif (later := stretch.earliest(now)) is not None:
                distance = later - now
                changes.append(f"from {self._time(later)} on" if stretch.latest is None else f"at {self._time(later)}")
            elif stretch.latest is None or stretch.earliest(stretch.latest) is None:
                return
            else:
                distance = now - stretch.latest
                changes.append(f"until {self._time(stretch.latest)}")
        if not changes and label.conditions:  # else it is not known what the values would be
            values = {name: unwrap(value) for name, value in {**view.variables, **bound}.items()}
            evaluator = Evaluator((), self._timezone)
            if not all(evaluator.holds(each, values, {}) for each in label.conditions):
                changes.append("with values for which the conditions hold")
        if step.number in view.blocked:
            changes.append(self._waiting(step))
        if changes:
            text = f"the same event {', '.join(changes)} ({step.transition.name})"
            yield Alternative(len(changes), distance, step.before == step.after, step.number, text)

    def _values(self, query: EventQuery, view: InstanceView, fields: Fields, now: Time) -> tuple[list[str], Bindings]:
        """Returns how the values of an event would have to be others, and what it binds."""
        changes: list[str] = []
        bound: Bindings = {}
        for path, value in query.named:
            had = fields.value(path)
            name = " ".join(path)
            match value:
                case Constant():
                    if had != wrap(value.value):
                        changes.append(f"with {name} {shown(value.value)}")
                case Reference():
                    wanted = view.variables.get(value.variable)
                    if wanted is not None and had != wanted:
                        changes.append(f"with {name} {shown(unwrap(wanted))}")
                case Declaration():
                    if had is None:
                        changes.append(f"with {name}")
                        continue
                    bound[value.variable] = had
                    since = view.used.get((value.variable, had))
                    if value.unique and since is not None and (value.memory is None or now - since <= value.memory):
                        changes.append(f"with another {name} than {shown(unwrap(had))}")
        if query.pattern is not None and not changes and not compiled_query(query).matches(fields, view.variables):
            changes.append("in a form that the pattern matches")
        return changes, bound

    def _waiting(self, step: Step) -> str:
        given = step.transition.label.terminations
        if given:
            return "when " + " and ".join(f"{c.function}({c.identifier}) {c.operator} {c.number}" for c in given)
        left = [path[-1] for path in step.left if path != step.transition.source]
        return f"when all instances of {', '.join(left)} are finished"

    def _instead(self, step: Step, view: InstanceView, now: Time) -> Iterator[Alternative]:
        """Yields another event that the state waits for, or has waited for."""
        if step.trigger != "event":
            return
        at = view.executing(step)
        stretch = self._stretch(step, view, at)
        later, last = stretch.earliest(now), stretch.latest
        if later is None and (last is None or stretch.earliest(last) is None):
            return
        distance = later - now if later is not None else now - last if last is not None else 0
        text = f"{self._what(step, at)}{self._when(stretch)} ({step.transition.name})"
        yield Alternative(later is None, distance, step.before == step.after, step.number, text)


def query_text(query: EventQuery, variables: Mapping[str, Cell]) -> str:
    """Returns a query with the values that are known: `bid(itemID(5))`."""
    parts = []
    for path, value in query.named:
        known: Value | None = value.value if isinstance(value, Constant) else None
        if isinstance(value, Reference) and value.variable in variables:
            known = unwrap(variables[value.variable])
        if known is not None:
            parts.append(f"{'('.join(path)}({shown(known)}{')' * len(path)}")
    return f"{query.label}({', '.join(parts)})" if parts else query.label


def shown(value: Value) -> str:
    """Returns a value as people write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
