"""Instances as derived events: their children, and the events that are bound to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cera.instances.folds import folded
from cera.instances.instance import Bound, Instance, NoValue, agreed
from cera.instances.types import ComplexType, InstanceModule
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import Occurrence
from cera.model.expressions.expression import Variable, variables
from cera.model.terms.term import Term, TermError, Value
from cera.model.time.interval import Time
from cera.modules.detection import TermDetection, Way, tick_occurrence


class InstanceDetection(TermDetection):
    """An event with all instances that stand for it, and their rules."""

    __slots__ = ("found",)

    def __init__(self, term: Term, begin: Time, end: Time) -> None:
        super().__init__(term, begin, end)
        self.found: list[tuple[str, Instance]] = []

    def ways(self) -> Iterator[Way]:
        return ((rule, occurrences(instance).items()) for rule, instance in self.found)


def occurrences(instance: Instance) -> dict[str, Occurrence]:
    """Returns the events bound to an instance by the names of their components; numbered where there are several."""
    by_name: dict[str, list[Occurrence]] = {}
    for name, cause in _bound(instance):
        by_name.setdefault(name, []).append(cause)
    return {
        name if len(several) == 1 else f"{name}[{number}]": cause
        for name, several in by_name.items()
        for number, cause in enumerate(several, 1)
    }


def _bound(instance: Instance) -> Iterator[tuple[str, Occurrence]]:
    """In place of the instances of hidden types stand those that are bound to them."""
    for name, several in instance.bound:
        for one in several:
            if one.event is not None:
                yield name, one.event
            elif one.bound:
                yield from _bound(one)
            else:
                assert one.fields is not None
                yield name, tick_occurrence(one.type, one.end, one.fields["since"])


class Heads:
    """Makes instances of complex types, and detections of them."""

    def __init__(self, module: InstanceModule, evaluator: Evaluator) -> None:
        self._rules = {each.predicate: each.rule for each in module.outputs}
        self._evaluator = evaluator

    def instance(self, type_: ComplexType, bound: Bound) -> Instance | None:
        """None where its term cannot be made, which is counted."""
        several = [one for _, instances in bound for one in instances]
        begin, end = min(one.begin for one in several), max(one.end for one in several)
        times = [one.time for one in several]
        time = min(times) if type_.time == "begin" else max(times)
        fields = None if type_.fields is None else dict(self._values(type_, bound))
        made = Instance(type_.name, time, begin, end, fields=fields, bound=bound)
        if not type_.hidden:
            try:
                term = Term(type_.label, list(_children(made)))
            except TermError:  # too large: undefined, as in the heads of other languages
                self._evaluator.undefined += 1
                return None
            made.event = Occurrence(begin, end, type_.label, known=term)
        return made

    def detections(self, instances: Iterable[Instance]) -> list[InstanceDetection]:
        """What is detected at one time; equal events are one."""
        found: dict[tuple[Time, Term], InstanceDetection] = {}
        for one in instances:
            if one.event is not None:
                key = (one.begin, one.event.term)
                detection = found.get(key)
                if detection is None:
                    detection = found[key] = InstanceDetection(one.event.term, one.begin, one.end)
                detection.found.append((self._rules[one.type], one))
        return list(found.values())

    def _values(self, type_: ComplexType, bound: Bound) -> Iterator[tuple[str, Value | NoValue]]:
        """An attribute of a component is the value that all its instances agree on; a field without a value is none.

        A hidden type hands on why it has none.
        """
        assert type_.fields is not None
        of = dict(bound)
        folds = {each.name: each for each in type_.folds}
        for name, expression in type_.fields:
            if isinstance(expression, Variable) and expression.name not in folds:
                told = _told(of, expression.name)
                if told is None or isinstance(told, NoValue):
                    self._evaluator.undefined += 1
                if told is not None and (type_.hidden or not isinstance(told, NoValue)):
                    yield name, told
                continue
            values: dict[str, Value] = {}
            for variable in variables(expression):
                if variable in folds:
                    value = folded(folds[variable], of.get(folds[variable].component, ()))
                else:
                    found = _told(of, variable)
                    value = None if isinstance(found, NoValue) else found
                if value is not None:
                    values[variable] = value
            result = self._evaluator.value(expression, values, {})
            if isinstance(result, bool | str | int | float | Term):
                yield name, result


def _told(bound: Mapping[str, tuple[Instance, ...]], variable: str) -> Value | NoValue | None:
    component, _, attribute = variable.partition(".")
    instances = bound.get(component, ())
    return agreed(one.value_or_reason(attribute) for one in instances) if instances else NoValue.MISSING


def _children(instance: Instance) -> Iterator[Term]:
    if instance.fields is not None:
        yield from _fields(instance.fields.items())
        return
    for name, several in _in_order(instance.bound):
        yield _child(name, several)


def _in_order(bound: Bound) -> list[tuple[str, Instance]]:
    pairs = [(name, one) for name, instances in bound for one in instances]
    return sorted(pairs, key=lambda pair: pair[1].time)


def _child(name: str, instance: Instance) -> Term:
    if instance.fields is not None:
        return Term(name, list(_fields(instance.fields.items())))
    return Term(name, [_child(inner, one) for inner, one in _in_order(instance.bound)])


def _fields(items: Iterable[tuple[str, Any]]) -> Iterator[Term]:
    """A structured attribute is given on with its own children."""
    for name, value in items:
        if isinstance(value, NoValue):
            continue
        yield Term(name, value.children, ordered=value.ordered) if isinstance(value, Term) else Term(name, [value])
