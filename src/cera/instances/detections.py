"""Instances as derived events: their children, values made of several instances, and the events bound to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from cera.instances.instance import Bound, Instance, NoValue, agreed
from cera.instances.types import ComplexType, FoldedValue, InstanceModule
from cera.model.evaluation.aggregates import fold
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import Occurrence, unwrap, wrap
from cera.model.expressions.expression import Variable, variables
from cera.model.terms.term import Term, TermError, Value, record_child, record_term
from cera.model.time.interval import Time
from cera.modules.detection import TermDetection, Way, tick_occurrence


class InstanceDetection(TermDetection):
    """An event with all instances that stand for it, and their rules."""

    __slots__ = ("found",)

    def __init__(self, term: Term, begin: Time, end: Time) -> None:
        self.term = term  # all of it here: a call of the inherited one would cost as much again
        self.begin = begin
        self.end = end
        self._occurrence = None
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
    """Yields the events bound to an instance; for an instance of a hidden type, those that are bound to it."""
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
    """A maker of instances of complex types, and of detections of them."""

    def __init__(self, module: InstanceModule, evaluator: Evaluator) -> None:
        self._rules = {each.predicate: each.rule for each in module.outputs}
        self._evaluator = evaluator
        self._plain: dict[str, _Plain | None] = {}

    def instance(self, type_: ComplexType, bound: Bound) -> Instance | None:
        """Returns an instance of what is bound; None if its term cannot be made, which is counted."""
        try:
            plain = self._plain[type_.name]
        except KeyError:
            plain = self._plain[type_.name] = plain_fields(type_)
        if plain is not None and not [name for name, instances in bound if len(instances) != 1]:
            return self._plain_instance(type_, plain, bound)
        several = [one for _, instances in bound for one in instances]
        begin, end = min(one.begin for one in several), max(one.end for one in several)
        times = [one.time for one in several]
        time = min(times) if type_.time == "begin" else max(times)
        fields = None if type_.fields is None else dict(self._values(type_, bound))
        made = Instance(type_.name, time, begin, end, fields=fields, bound=bound)
        return made if type_.hidden else self.with_event(made, type_)

    def _plain_instance(self, type_: ComplexType, plain: _Plain, bound: Bound) -> Instance | None:
        """Returns an instance as above, of one instance for each component, whose fields are attributes of them."""
        first = last = bound[0][1][0]
        begin, end = first.begin, first.end
        of = {}
        for name, (one,) in bound:
            of[name] = one
            begin = one.begin if one.begin < begin else begin
            end = one.end if one.end > end else end
            first = one if one.time < first.time else first
            last = one if one.time > last.time else last
        fields: dict[str, Any] = {}
        hidden = type_.hidden
        for name, component, attribute in plain:
            leaf = of.get(component)
            found = NoValue.MISSING if leaf is None else leaf.value_or_reason(attribute)
            if found is None:
                self._evaluator.undefined += 1
            elif found.__class__ is NoValue:
                self._evaluator.undefined += 1
                if hidden:
                    fields[name] = found
            else:
                fields[name] = found
        time = first.time if type_.time == "begin" else last.time
        made = Instance(type_.name, time, begin, end, fields=fields, bound=bound)
        return made if hidden else self.with_event(made, type_)

    def with_event(self, made: Instance, type_: ComplexType) -> Instance | None:
        try:
            fields = made.fields
            term = Term(type_.label, list(_children(made))) if fields is None else record_term(type_.label, fields)
        except TermError:  # too large: undefined, as in the heads of other languages
            self._evaluator.undefined += 1
            return None
        made.event = Occurrence(made.begin, made.end, type_.label, known=term)
        return made

    def detections(self, instances: Sequence[Instance]) -> list[InstanceDetection]:
        """Returns the detections of the instances of one time; equal events are one."""
        if len(instances) == 1:
            [one] = instances
            return [] if one.event is None else [self._detection(one)]
        found: dict[tuple[Time, Term], InstanceDetection] = {}
        for one in instances:
            if one.event is not None:
                key = (one.begin, one.event.term)
                detection = found.get(key)
                if detection is None:
                    detection = found[key] = InstanceDetection(one.event.term, one.begin, one.end)
                detection.found.append((self._rules[one.type], one))
        return list(found.values())

    def _detection(self, one: Instance) -> InstanceDetection:
        detection = InstanceDetection(one.event.term, one.begin, one.end)
        detection.found.append((self._rules[one.type], one))
        return detection

    def _values(self, type_: ComplexType, bound: Bound) -> Iterator[tuple[str, Value | NoValue]]:
        """Yields the fields of a head that have a value; an attribute of a component has the one that all its instances
        agree on. A hidden type hands on why a field has none.
        """
        assert type_.fields is not None
        of = dict(bound)
        folds = {each.name: each for each in type_.folds}
        for name, expression in type_.fields:
            if isinstance(expression, Variable) and expression.name not in folds:
                found = _attribute_value(of, expression.name)
                if found is None or isinstance(found, NoValue):
                    self._evaluator.undefined += 1
                if found is not None and (type_.hidden or not isinstance(found, NoValue)):
                    yield name, found
                continue
            values: dict[str, Value] = {}
            for variable in variables(expression):
                if variable in folds:
                    value = _folded(folds[variable], of.get(folds[variable].component, ()))
                else:
                    found = _attribute_value(of, variable)
                    value = None if isinstance(found, NoValue) else found
                if value is not None:
                    values[variable] = value
            result = self._evaluator.value(expression, values, {})
            if isinstance(result, bool | str | int | float | Term):
                yield name, result


#: The fields of a head that are attributes of components: name, component, attribute.
_Plain = tuple[tuple[str, str, str], ...]


def plain_fields(type_: ComplexType) -> _Plain | None:
    """Returns the fields of a head; None if there is something else among them."""
    if type_.fields is None or len(dict(type_.fields)) < len(type_.fields):
        return None
    folds = {each.name for each in type_.folds}
    found = []
    for name, expression in type_.fields:
        if not isinstance(expression, Variable) or expression.name in folds:
            return None
        component, _, attribute = expression.name.partition(".")
        found.append((name, component, attribute))
    return tuple(found)


def _attribute_value(bound: Mapping[str, tuple[Instance, ...]], variable: str) -> Value | NoValue | None:
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
    """Yields the children of a term for its fields; a structured attribute keeps its own children."""
    for name, value in items:
        if isinstance(value, NoValue):
            continue
        yield record_child(name, value)


#: A fold that a hidden type hands on: `sum(E1.v)`.
_HANDED_ON = re.compile(r"(count|sum|avg|min|max|first|last)\(([^.()]+)(?:\.(.*))?\)", re.DOTALL)


def _folded(wanted: FoldedValue, instances: Sequence[Instance]) -> Value | None:
    """Returns the value of a fold, if any. `count(E1)` counts the instances, `count(E1.v)` those with the attribute.

    What a hidden type hands on is folded over the instances inside of it, each once, in the order of time.
    """
    function, attribute = str(wanted.function), wanted.attribute
    if attribute is not None and (inner := _HANDED_ON.fullmatch(attribute)) and all(map(_is_hidden, instances)):
        function, component, attribute = inner.groups()
        several = {id(one): one for instance in instances for one in _inside(instance, component)}
        instances = sorted(several.values(), key=lambda one: one.time)
    if attribute is None:
        return len(instances)
    values = [wrap(value) for one in instances if (value := one.attribute(attribute)) is not None]
    result = fold(function, values)
    return None if result is None else unwrap(result)


def _is_hidden(instance: Instance) -> bool:
    return instance.event is None and bool(instance.bound)


def _inside(instance: Instance, component: str) -> Iterator[Instance]:
    """Yields the instances of a component somewhere inside of an instance of a hidden type."""
    for name, several in instance.bound:
        for one in several:
            if name == component:
                yield one
            elif _is_hidden(one):
                yield from _inside(one, component)
