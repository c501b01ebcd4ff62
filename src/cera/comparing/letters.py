"""The letters that histories are made of: events of the labels of both types, with values that their conditions
distinguish, and how far they lie apart where the types measure time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from cera.comparing.subjects import complex_types
from cera.errors import UsageError
from cera.instances.types import ComplexType, InstanceModule, TimerType
from cera.model.events.occurrence import Occurrence, json_occurrence
from cera.model.expressions.expression import Arithmetic, Comparison, Expression, Literal, variables, walk
from cera.model.terms.values import Scalar
from cera.model.time.interval import Time
from cera.modules.monitoring import CHANGE, MonitoredEvents
from cera.wording import Setting

#: An attribute of the primitive events behind a predicate, with the name of these.
_Attribute = tuple[str, str]


@dataclass(frozen=True)
class Letter:
    """An event of a label, or a change of a table, with the values of its attributes."""

    event: str
    name: str
    operation: str | None
    values: tuple[tuple[str, Scalar], ...]

    def occurrence(self, time: Time, qualifier: str) -> Occurrence:
        values = dict(self.values)
        if self.operation is None:
            return json_occurrence(time, time, self.name, values, qualifier)
        rows: dict[str, dict[str, Scalar]] = {"old": {}, "new": {}}
        current = "old" if self.operation == "delete" else "new"
        for name, value in values.items():
            side, underscore, column = name.partition("_")
            row, column = (side, column) if underscore and side in rows else (current, name)
            rows[row][column] = value
        body: dict[str, Any] = {"operation": self.operation, "table": self.name}
        lacking = {"insert": "old", "delete": "new"}.get(self.operation)
        body |= {side: row for side, row in rows.items() if side != lacking}
        return json_occurrence(time, time, CHANGE, body, qualifier)


def letters(modules: Sequence[InstanceModule], labels: Iterable[str] | None = None) -> tuple[Letter, ...]:
    """Returns the letters in the order in which the types name them; with `labels`, only those of these labels or
    events."""
    monitored = {str(each): each for module in modules for each in module.monitored}
    names = {each.predicate: str(each) for module in modules for each in module.monitored}
    chosen = list(monitored)
    if labels is not None:
        unknown = [each for each in labels if each not in monitored and each not in names]
        if unknown:
            raise UsageError(
                f"{Setting.LABELS}: nothing is called {', '.join(unknown)}; there are {', '.join(monitored)}"
            )
        wanted = {names.get(each, each) for each in labels}
        chosen = [each for each in chosen if each in wanted]
        if not chosen:
            raise UsageError(f"{Setting.LABELS}: name at least one; there are {', '.join(monitored)}")
    values = _values(modules)
    return tuple(letter for each in chosen for letter in _letters(each, monitored[each], values))


def values_of(found: Iterable[Letter]) -> dict[str, dict[str, tuple[Scalar, ...]]]:
    """Returns the values of the attributes of each event; if it has some, it also occurs without any."""
    values: dict[str, dict[str, dict[str, Scalar]]] = {}
    for letter in found:
        for name, value in letter.values:
            values.setdefault(letter.event, {}).setdefault(name, {})[repr(value)] = value
    return {event: {name: tuple(some.values()) for name, some in own.items()} for event, own in values.items()}


def _letters(event: str, monitored: MonitoredEvents, values: dict[_Attribute, list[Scalar]]) -> Iterator[Letter]:
    """Yields a letter for each value of each attribute, and one without any."""
    own = {attribute: some for (name, attribute), some in values.items() if name == event}
    for chosen in product(*own.values()):
        yield Letter(event, monitored.name, monitored.operation, tuple(zip(own, chosen, strict=True)))
    if own:
        yield Letter(event, monitored.name, monitored.operation, ())


def _values(modules: Sequence[InstanceModule]) -> dict[_Attribute, list[Scalar]]:
    """Returns the values of each attribute that matters; those compared with each other have the same values."""
    pools: list[_Pool] = []
    for module, type_ in complex_types(modules):
        attributes = _Attributes(module)
        ordered = sum(not _is_equality(conjunct) for conjunct in type_.where)
        for conjunct in type_.where:
            compared = min(_MOST_VALUES, ordered + 1) if not _is_equality(conjunct) else 2
            found = attributes.of(type_, conjunct)
            _join(pools, _Pool(found, dict.fromkeys(_distinguished_values(conjunct)), compared))
    for module in modules:
        if module.partition is not None:
            _join(pools, _Pool({(str(each), module.partition) for each in module.monitored}, {}))
    return {attribute: pool.some() for pool in pools for attribute in sorted(pool.attributes)}


#: The most values that are tried of attributes that are compared with each other.
_MOST_VALUES = 4


@dataclass(frozen=True)
class _Pool:
    """Attributes that are compared with each other, the values they are compared with, and how many differ if none
    are."""

    attributes: set[_Attribute]
    values: dict[Scalar, None]
    differing: int = 2

    def some(self) -> list[Scalar]:
        return list(self.values) if len(self.values) > 1 else list(range(1, self.differing + 1))


def _is_equality(conjunct: Expression) -> bool:
    return isinstance(conjunct, Comparison) and conjunct.operator == "="


def _join(pools: list[_Pool], pool: _Pool) -> None:
    """Puts attributes and values into the pool of those with which they are compared."""
    if not pool.attributes:
        return
    for other in [each for each in pools if not each.attributes.isdisjoint(pool.attributes)]:
        pools.remove(other)
        values, differing = {**other.values, **pool.values}, max(other.differing, pool.differing)
        pool = _Pool(pool.attributes | other.attributes, values, differing)
    pools.append(pool)


def _distinguished_values(conjunct: Expression) -> Iterator[Scalar]:
    """Yields the literals, and values on both sides of them; where there is arithmetic, the small numbers too."""
    parts = list(walk(conjunct))
    if any(isinstance(part, Arithmetic) for part in parts):
        yield from (0, 1)
    for part in parts:
        if isinstance(part, Literal):
            yield from _sides(part.value)


def _sides(value: Scalar) -> tuple[Scalar, ...]:
    match value:
        case bool():
            return True, False
        case str():
            return value, f"not {value}"
        case _:
            return value - 1, value, value + 1


class _Attributes:
    """The attributes of primitive events that an expression over components looks at."""

    def __init__(self, module: InstanceModule) -> None:
        self._types = {each.name: each for each in module.types}
        self._events = {each.predicate: str(each) for each in module.monitored}

    def of(self, type_: ComplexType, expression: Expression) -> set[_Attribute]:
        components = {each.name: each.type for each in type_.components}
        folds = {each.name: each for each in type_.folds}
        found: set[_Attribute] = set()
        for variable in variables(expression):
            if variable in folds:
                component, attribute = folds[variable].component, folds[variable].attribute or ""
            else:
                component, _, attribute = variable.partition(".")
            if attribute and attribute not in TIMES:
                found |= self._attribute(components[component], attribute)
        return found

    def _attribute(self, type_name: str, attribute: str) -> set[_Attribute]:
        """Returns the primitive attributes behind one of a type: of a field of it, or of what is bound to it."""
        match self._types.get(type_name):
            case None:
                return {(self._events[type_name], attribute)}
            case TimerType():
                return set()
            case ComplexType(fields=None) as type_:
                inner = [type_.components[place].type for place in type_.bound]
                return {each for name in inner for each in self._attribute(name, attribute)}
            case ComplexType() as type_:
                fields = [expression for name, expression in type_.fields or () if name == attribute]
                return {each for expression in fields for each in self.of(type_, expression)}


#: The attributes that are times.
TIMES = ("evtime", "since")


_SECOND = 1_000_000
_UNITS = (86_400 * _SECOND, 3_600 * _SECOND, 60 * _SECOND, _SECOND, 1_000, 1)

#: This many short steps are shorter than the shortest limit.
_SHORT = 10


def distances(modules: Sequence[InstanceModule]) -> tuple[int, ...]:
    """Returns the distances in microseconds, sorted: limits are reached and passed; a short step stays far below
    them."""
    limits = sorted(set(_limits(modules)))
    if not limits:
        return (_SECOND,)
    step = next((unit for unit in _UNITS if unit * _SHORT <= limits[0]), 1)
    return tuple(sorted({step, *(each + more for each in limits for more in (0, step))}))


def measures_time(modules: Sequence[InstanceModule]) -> bool:
    """Returns whether more than the order of events matters."""
    return any(module.timers for module in modules) or any(
        type_.within is not None or any(map(_is_about_time, _names(type_))) for _, type_ in complex_types(modules)
    )


def _names(type_: ComplexType) -> Iterator[str]:
    return (name for each in _expressions(type_) for name in variables(each))


def _expressions(type_: ComplexType) -> Iterator[Expression]:
    yield from type_.where
    yield from (expression for _, expression in type_.fields or ())


def _limits(modules: Sequence[InstanceModule]) -> Iterator[int]:
    for module in modules:
        yield from (each.after for each in module.types if isinstance(each, TimerType))
    for _, type_ in complex_types(modules):
        if type_.within is not None:
            yield type_.within
        for conjunct in _expressions(type_):
            if any(_is_about_time(name) for name in variables(conjunct)):
                numbers = [part.value for part in walk(conjunct) if isinstance(part, Literal)]
                yield from (each for each in numbers if isinstance(each, int) and each > 0)


def _is_about_time(variable: str) -> bool:
    return variable.rpartition(".")[2] in TIMES
