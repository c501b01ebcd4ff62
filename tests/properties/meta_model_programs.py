"""Random modules of complex event types, and small random histories for them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, get_args

from cera.connectors.changes import Change
from cera.datalog.modules import Monitored, Output
from cera.instances.types import (
    STRENGTH,
    ComplexType,
    Component,
    Delimiter,
    EventType,
    Folded,
    InstanceModule,
    OperatorName,
    SelectionName,
    TimerType,
)
from cera.model.events import Event
from cera.model.expressions import Arithmetic, Comparison, Expression, Literal, Or, Variable
from cera.model.terms import Term
from cera.testing import SECOND, event

#: Primitive types; P are changes of a table, and E4 is used by no type.
LABELS = ("E1", "E2", "E3", "P")
OPERATORS: tuple[OperatorName, ...] = (";", ";", ";", "and", "and", "not", "not", "==", "or", "of")
SELECTIONS: tuple[SelectionName, ...] = get_args(SelectionName)
DELIMITERS = (Delimiter(2), Delimiter(2, 2), Delimiter(1, 2), Delimiter(0), Delimiter(0, 1), Delimiter(1, 1))


def random_module(random: Random) -> InstanceModule:
    types: list[EventType] = []
    names = list(LABELS[: random.choice((2, 3, 3, 4))])
    if random.random() < 0.25:
        types.append(_timer(random, "T0", names))
        names.append("T0")
    for number in range(random.choice((1, 1, 2, 3))):
        # a type that makes many instances of few is not used again: enumerating over those would take too long
        made = _complex_type(random, f"C{number}", names)
        types.append(made)
        if not any(each.combines for each in made.components):
            names.append(made.name)
        if random.random() < 0.1 and made.name in names:
            types.append(_timer(random, f"T{number + 1}", names))
            names.append(f"T{number + 1}")
    monitored = [Monitored("P", "ACC", "update"), *(Monitored(name, name) for name in ("E1", "E2", "E3", "E4"))]
    told = [each for each in types if isinstance(each, ComplexType) and not each.hidden]
    return InstanceModule(
        "M",
        tuple(monitored),
        tuple(types),
        tuple(Output(f"M.{each.name}", each.name, (), each.label, ()) for each in told),
        partition="k" if random.random() < 0.2 else None,
    )


def _timer(random: Random, name: str, names: Sequence[str]) -> TimerType:
    repeats = random.random() < 0.6
    stop = random.choice((None, *names)) if repeats else None
    latest = repeats and random.random() < 0.5
    return TimerType(name, random.choice((1, 2, 3)) * SECOND, random.choice(names), repeats, stop, latest)


def _complex_type(random: Random, name: str, names: Sequence[str]) -> ComplexType:
    operator = random.choice(OPERATORS)
    count = random.choice((3, 3, 4)) if operator == "not" else random.choice((1, 2, 2, 2, 3, 3))
    components = _components(random, count, names)
    inner = components[1:-1] if operator == "not" else ()
    plain = [each for each in components if each not in inner]
    fields, folds = _head(random, plain) if random.random() < 0.3 else (None, ())
    return ComplexType(
        name,
        operator,
        components,
        overlapping=operator == "==" or random.random() < 0.75,
        continuous=random.random() < 0.15,
        right_to_left=random.random() < 0.3,
        time=random.choice(("end", "end", "begin")),
        required=random.randint(1, count) if operator == "of" else None,
        where=_conjuncts(random, plain, inner),
        within=random.choice((None, None, None, 0, 1, 2, 4, 6)),
        label=random.choice((name, name, name, "found")),
        fields=fields,
        folds=folds,
        hidden=random.random() < 0.15,
    )._with_unit(SECOND) if False else _in_seconds(
        ComplexType(
            name,
            operator,
            components,
        ),
    )
