"""What transitions do to runs: Definitions 16 and 18 of seed 002, with the errata's corrections."""

from __future__ import annotations

import copy
from collections.abc import Mapping

from cera.automata.automaton import LAST, Constant, Path
from cera.automata.definition_runs import Bindings, Instance, Run
from cera.automata.explanations import Name
from cera.automata.module import AutomatonModule
from cera.automata.reports import StateKey
from cera.automata.structure import Step, Structure
from cera.automata.traces import Firing
from cera.model.events.event import Event
from cera.model.events.occurrence import Cell, occurrence, wrap
from cera.model.time.interval import Time


class Transitions:
    """The effects of the transitions of an automaton."""

    def __init__(self, module: AutomatonModule) -> None:
        self.module = module
        self.structure = module.structure

    def fired(self, run: Run, chosen: list[tuple[int, Step, Event | None, Bindings]], now: Time) -> Run:
        """Returns a run in which these transitions have fired, those of inner instances first."""
        run = copy.deepcopy(run)
        instances = run.instances
        for number, step, event, found in sorted(chosen, key=lambda each: -len(instances[each[0]].state)):
            if self.module.traced:
                happened = None if event is None else occurrence(event)
                run.trace = (*run.trace, Firing(now, step.number, instances[number].name, happened))
            self._fire(run, instances[number], step, event, found, now)
            run.visited |= self.active(run)
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
        self.instantiate(instance, step, names, now)

    def instantiate(self, instance: Instance, step: Step, names: set[str], now: Time) -> None:
        at = instance
        hidden = instance.yielded - names
        for state in step.created:
            if state == self.structure.root:
                continue
            active = self.child_towards(state, step.transition.target)
            made = Instance(state, active, now, parent=at)
            made.variables = {name: value for name, value in at.variables.items() if name not in hidden}
            made.events = {name: event for name, event in at.events.items() if name not in hidden or name == LAST}
            made.name = self.name(made)
            at.children.append(made)
            if at is instance:
                instance.yielded |= names
            at = made

    def child_towards(self, state: Path, target: Path) -> Path:
        return target[: len(state) + 1]

    def name(self, instance: Instance) -> Name:
        return instance_name(self.structure, instance.state, instance.variables)

    def active(self, run: Run) -> set[StateKey]:
        labels, states, shown = self.structure.labels, self.structure.states, self.module.shown
        found = {(labels[i.state], i.name) for i in run.instances if i.state in shown}
        active = [i for i in run.instances if states[i.active].is_atomic and i.active in shown]
        return found | {(labels[i.active], i.name) for i in active}


def instance_name(structure: Structure, state: Path, variables: Mapping[str, Cell]) -> Name:
    """Returns the name of an instance: the attributes of its state with the values of its variables."""
    found = []
    for attribute, value in structure.states[state].attributes:
        cell = wrap(value.value) if isinstance(value, Constant) else variables.get(value.variable)
        if cell is not None:
            found.append((attribute, cell))
    return tuple(found)
