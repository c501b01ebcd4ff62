"""The conditions of transitions: Definitions 9 to 12 of seed 002, with the errata's corrections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cera.automata.automaton import THIS, Constant, Declaration, EventQuery, Path, Reference
from cera.automata.definition_runs import Bindings, Instance, Run, Used, is_finished
from cera.automata.structure import Step, Structure
from cera.automata.times import Stretch, Times, compares, holds, times_of
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.event import Event
from cera.model.events.occurrence import Cell, unwrap, wrap
from cera.model.terms.term import Term, Value
from cera.model.time.interval import Time


class Conditions:
    """What is relevant for the instances of an automaton, what is enabled in them, and what is due."""

    def __init__(self, structure: Structure, evaluator: Evaluator) -> None:
        self.structure = structure
        self.evaluator = evaluator

    def is_relevant_to(self, run: Run, event: Event) -> bool:
        return any(self.is_relevant(instance, event) for instance in run.instances)

    def is_relevant(self, instance: Instance, event: Event) -> bool:
        schema = self.structure.schemas[instance.state]
        return any(match(query, event, instance.variables, unbound=True) is not None for query in schema)

    def enabled_by(self, run: Run, instance: Instance, step: Step, event: Event, now: Time) -> Bindings | None:
        """Returns what an event binds if it enables a transition in an instance."""
        label = step.transition.label
        if step.trigger != "event" or step.before != instance.active:
            return None
        assert label.query is not None
        found = match(label.query, event, instance.variables)
        if found is None or any(self.is_used(run.used, each, found[each.variable], now) for each in label.query.unique):
            return None
        known = {**instance.known, THIS: Times(event.begin, event.end)}
        if not all(holds(each, known, now) for each in label.times):
            return None
        values = {name: unwrap(value) for name, value in {**instance.variables, **found}.items()}
        if not all(self.evaluator.holds(each, values, {}) for each in label.conditions):
            return None
        return found if self.terminates(instance, step) else None

    def is_used(self, used: Iterable[Used], unique: Declaration, value: Cell, now: Time) -> bool:
        return any(
            name == unique.variable and had == value and (unique.memory is None or now - since <= unique.memory)
            for name, had, since in used
        )

    def terminates(self, instance: Instance, step: Step) -> bool:
        """Returns whether the termination constraints hold, or the default ones if there are none."""
        if not step.is_terminating:
            return True
        source = step.transition.source
        below = [each for each in instance.walk() if each is not instance]
        given = step.transition.label.terminations
        if not given:
            return all(is_finished(each, source) for each in below if each.state in step.left and each.state != source)
        for each in given:
            counted = [i for i in below if i.state == self.structure.identified[each.identifier]]
            if each.function == "finishedInstances":
                counted = [i for i in counted if is_finished(i, source)]
            if not compares(len(counted), each.operator, each.number):
                return False
        return True

    def note_absences(self, instance: Instance, event: Event, now: Time) -> None:
        for step in self.structure.executed[instance.state]:
            label = step.transition.label
            if step.trigger != "absence" or step.before != instance.active:
                continue
            assert label.query is not None
            if match(label.query, event, instance.variables) is None:
                continue
            stretch = times_of(label.times, instance.known)
            if stretch.latest is None or all(holds(each, instance.known, now) for each in label.times):
                instance.missed.add(step.number)

    def is_due(self, instance: Instance, step: Step, now: Time) -> bool:
        """Returns whether a transition without an event fires now, if the instance is in its source."""
        return self.time_of(instance, step, now) == now

    def time_of(self, instance: Instance, step: Step, since: Time) -> Time | None:
        """Returns the first time, not before another, at which a transition without an event fires."""
        label = step.transition.label
        if step.before != instance.active or step.number in instance.missed or not self.terminates(instance, step):
            return None
        values = {name: unwrap(value) for name, value in instance.variables.items()}
        if not all(self.evaluator.holds(each, values, {}) for each in label.conditions):
            return None
        stretch = times_of(label.times, instance.known)
        if not label.negated or stretch.latest is None:
            return stretch.earliest(since)
        latest = stretch.latest
        return latest if stretch.earliest(instance.entered) is not None and latest >= since else None

    def invariants_hold(self, run: Run, now: Time) -> bool:
        return all(self.invariant(instance).earliest(now) == now for instance in run.instances)

    def invariant(self, instance: Instance) -> Stretch:
        return times_of(self.structure.states[instance.active].invariant, instance.known)

    def deadline(self, instance: Instance) -> Time | None:
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


def match(query: EventQuery, event: Event, variables: Mapping[str, Cell], *, unbound: bool = False) -> Bindings | None:
    """Returns what a query binds if an event matches it with these bindings; None if it does not.

    A variable that has no value matches nothing, or anything if `unbound`.
    """
    if event.label != query.label:
        return None
    found: Bindings = {}
    for path, value in query.attributes:
        had = attribute(event.term, path)
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


def attribute(term: Term, path: Path) -> Value | None:
    """Returns the one value at the end of a path of labels; None if there is none, or more than one."""
    at = term
    for label in path:
        inside = [child for child in at.children if isinstance(child, Term) and child.label == label]
        if len(inside) != 1:
            return None
        at = inside[0]
    return at.children[0] if len(at.children) == 1 else None
