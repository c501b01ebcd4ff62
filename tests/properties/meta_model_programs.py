"""Random modules of complex event types, and small random histories for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import get_args

from cera.connectors.records.changes import Change
from cera.instances.events.module import EventTypeModule
from cera.instances.types import (
    STRENGTH,
    ComplexType,
    Component,
    Delimiter,
    EventType,
    Fold,
    FoldedValue,
    OperatorName,
    SelectionName,
    TimerType,
)
from cera.model.events.event import Event
from cera.model.expressions.expression import Arithmetic, Comparison, Expression, Literal, Or, Variable
from cera.model.terms.term import Term
from cera.modules.monitoring import GRANULARITIES, MonitoredEvents, Output
from cera.testing import SECOND, event
from instance_building import component

#: Primitive types; P are changes of a table, and E4 is used by no type.
LABELS = ("E1", "E2", "E3", "P")
OPERATORS: tuple[OperatorName, ...] = (";", ";", ";", "and", "and", "not", "not", "==", "or", "of")
SELECTIONS: tuple[SelectionName, ...] = get_args(SelectionName)
DELIMITERS = (Delimiter(2), Delimiter(2, 2), Delimiter(1, 2), Delimiter(0), Delimiter(0, 1), Delimiter(1, 1))


def random_module(random: Random) -> EventTypeModule:
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
    monitored = [
        MonitoredEvents("P", "ACC", "update"),
        *(MonitoredEvents(name, name) for name in ("E1", "E2", "E3", "E4")),
    ]
    if random.random() < 0.1:
        monitored.append(MonitoredEvents("change", "change"))  # a second type of the same events
    told = [each for each in types if isinstance(each, ComplexType) and not each.hidden]
    return EventTypeModule(
        "M",
        tuple(monitored),
        tuple(types),
        tuple(Output(f"M.{each.name}", each.name, (), each.label, ()) for each in told),
        granularity=random.choice((*GRANULARITIES, "operation", "operation", "operation")),
        partition="k" if random.random() < 0.2 else None,
    )


#: The modes of the components but the last, and of the last one: Snoop's contexts, SAMOS, Ode.
PRACTICAL = (
    ("last: shared", "exclusive parameter"),
    ("first: exclusive parameter", "exclusive parameter"),
    (
        "combinations minimum: inside exclusive parameter: outside exclusive",
        "inside shared: outside exclusive parameter",
    ),
    ("combinations minimum: inside shared: outside exclusive", "inside shared: outside exclusive parameter"),
    ("cumulative: exclusive parameter", "exclusive parameter"),
    ("restricted cumulative: exclusive parameter", "exclusive parameter"),
    ("last: exclusive", "exclusive parameter"),
    ("last: exclusive parameter", "exclusive parameter"),
    ("first: exclusive parameter", "shared"),
    ("first: exclusive", "exclusive parameter"),
)


def practical_module(random: Random) -> EventTypeModule:
    """One type as people write them: a context, a key, perhaps a length of time."""
    operator: OperatorName = random.choice((";", ";", "and", "not"))
    names = random.choice((("E1", "E2"), ("E1", "E2"), ("E1", "E2", "E3"), ("E1", "E1", "E2")))
    if operator == "not":
        names = ("E1", "E3", "E2")
    first, last = random.choice(PRACTICAL)
    modes = [first] * (len(names) - 1) + [last]
    written = zip(modes, names, strict=True)
    components = tuple(component(f"{mode}: {name} as c{place}") for place, (mode, name) in enumerate(written))
    keys = [Comparison("=", Variable("c0.k"), Variable(f"c{place}.k")) for place in range(1, len(names))]
    more = Comparison("<=", Variable("c0.v"), Variable(f"c{len(names) - 1}.v"))
    made = ComplexType(
        "C",
        operator,
        components,
        overlapping=random.random() < 0.7,
        right_to_left=random.random() < 0.2,
        where=(*(keys if random.random() < 0.7 else []), *([more] if random.random() < 0.3 else [])),
        within=random.choice((None, None, 3 * SECOND, 6 * SECOND)),
        label="C",
    )
    monitored = tuple(MonitoredEvents(name, name) for name in ("E1", "E2", "E3"))
    partition = "k" if random.random() < 0.2 else None
    return EventTypeModule("M", monitored, (made,), (Output("M.C", "C", (), "C", ()),), partition=partition)


def flat_module(random: Random) -> EventTypeModule:
    """One type over events of two or three labels, with any modes and nothing else."""
    operator: OperatorName = random.choice((";", ";", "and", "not"))
    count = 3 if operator == "not" else random.choice((2, 2, 3))
    drawn = zip(_components(random, count, LABELS), LABELS, strict=False)
    components = tuple(replace(each, type=name, name=name, delimiter=Delimiter()) for each, name in drawn)
    if random.random() < 0.7:  # so that there are groups
        components = (*components[:-1], replace(components[-1], inside="shared"))
    right_to_left = random.random() < 0.2
    made = ComplexType("C", operator, components, right_to_left=right_to_left, label="C")
    monitored = tuple(MonitoredEvents(name, name) for name in LABELS[:3])
    return EventTypeModule("M", monitored, (made,), (Output("M.C", "C", (), "C", ()),))


def tower_module(random: Random) -> EventTypeModule:
    """Three types, each over the one below, some of which occur at their beginning."""
    types: list[ComplexType] = []
    below = "E1"
    for number in range(3):
        operator: OperatorName = random.choice((";", ";", ";", "and", "not", "or", "=="))
        others = random.sample(LABELS[:3], 2 if operator == "not" else 1)
        names = [others[0], below, *others[1:]] if random.random() < 0.3 else [below, *others]
        selections = [random.choice(("last", "first", "restricted cumulative")) for _ in names]
        modes = [f"{selection}: {random.choice(STRENGTH)}" for selection in selections]
        written = enumerate(zip(modes, names, strict=True))
        components = tuple(component(f"{mode}: {name} as c{place}") for place, (mode, name) in written)
        made = ComplexType(f"C{number}", operator, components, label=f"C{number}")
        types.append(replace(made, time=random.choice(("begin", "end"))))
        below = f"C{number}"
    outputs = tuple(Output(f"M.{each.name}", each.name, (), each.label, ()) for each in types)
    return EventTypeModule("M", tuple(MonitoredEvents(name, name) for name in LABELS[:3]), tuple(types), outputs)


def sequence_module(random: Random) -> EventTypeModule:
    """A sequence with a key and a head, and perhaps another one over it: what is written out for each label."""
    lengths = (None, None, None, 3 * SECOND, 6 * SECOND)
    types: list[ComplexType] = []
    names = list(LABELS[:3]) if random.random() < 0.3 else list(LABELS[:2])
    random.shuffle(names)
    for number in range(random.choice((1, 1, 2))):
        *firsts, last = names
        modes = ("first: exclusive parameter", "last: exclusive parameter", "last: shared", "first: shared")
        mode = random.choice((*modes, random.choice(PRACTICAL)[0]))
        end = random.choice(("exclusive parameter", "exclusive parameter", "shared"))
        written = [f"{mode}: {name} as c{place}" for place, name in enumerate(firsts)]
        components = [component(each) for each in (*written, f"{end}: {last} as c{len(firsts)}")]
        keys = [Comparison("=", Variable("c0.k"), Variable(f"c{place}.k")) for place in range(1, len(names))]
        attributes = [f"c{place}.{name}" for place in range(len(names)) for name in ("k", "v", "evtime", "missing")]
        chosen = random.sample(attributes, 3)
        heads = (("k", Variable("c0.k")), *((f"f{place}", Variable(each)) for place, each in enumerate(chosen)))
        made = ComplexType(
            f"C{number}",
            ";",
            tuple(components),
            right_to_left=random.random() < 0.2,
            time=random.choice(("end", "end", "end", "begin")),
            where=tuple(keys if random.random() < 0.8 else ()),
            within=random.choice(lengths),
            label=f"C{number}",
            fields=heads if random.random() < 0.9 else None,
        )
        types.append(made)
        names = [made.name, random.choice(LABELS[:3])]
    if len(types) > 1 and random.random() < 0.6:
        types[0] = replace(types[0], hidden=True)
    outputs = tuple(Output(f"M.{each.name}", each.name, (), each.label, ()) for each in types if not each.hidden)
    monitored = tuple(MonitoredEvents(name, name) for name in LABELS[:3])
    partition = "k" if random.random() < 0.3 else None
    return EventTypeModule("M", monitored, tuple(types), outputs, partition=partition)


def _timer(random: Random, name: str, names: Sequence[str]) -> TimerType:
    repeats = random.random() < 0.6
    stop = random.choice((None, *names)) if repeats else None
    latest = repeats and random.random() < 0.5
    return TimerType(name, random.choice((1, 2, 3)) * SECOND, random.choice(names), repeats, stop, latest)


def _complex_type(random: Random, name: str, names: Sequence[str]) -> ComplexType:
    operator = random.choice(OPERATORS)
    count = random.choice((3, 3, 4)) if operator == "not" else random.choice((1, 2, 2, 2, 3, 3))
    components = _components(random, count, names)
    if operator == "not":
        components = (_there(components[0]), *components[1:-1], _there(components[-1]))
    inner = components[1:-1] if operator == "not" else ()
    plain = [each for each in components if each not in inner]
    fields, folds = _head(random, plain) if random.random() < 0.3 else (None, ())
    within = random.choice((None, None, None, None, None, 0, 1, 2, 4, 6))
    return ComplexType(
        name,
        operator,
        components,
        overlapping=operator == "==" or random.random() < 0.75,
        continuous=random.random() < 0.15,
        right_to_left=random.random() < 0.3,
        time=random.choice(("end", "end", "begin")),
        required=random.randint(1, count) if operator == "of" else None,
        where=tuple(_conjuncts(random, plain, inner)),
        within=None if within is None else within * SECOND,
        label=random.choice((name, name, name, "found")),
        fields=fields,
        folds=folds,
        hidden=random.random() < 0.15,
    )


def _components(random: Random, count: int, names: Sequence[str]) -> tuple[Component, ...]:
    """Plain ones and odd ones; now and then all of one type."""
    only = random.choice(names) if random.random() < 0.1 else None
    odd = random.random() < 0.7
    found: list[Component] = []
    for place in range(count):
        type_ = only or random.choice(names)
        # all subsets of all subsets would take too long
        subsets = type_ in LABELS and not any(each.selection == "combinations" for each in found)
        selections = [each for each in SELECTIONS if subsets or each != "combinations"]
        inside = random.choice(STRENGTH)
        found.append(
            Component(
                type_,
                f"c{place}",
                random.choice(selections) if odd else "last",
                inside,
                random.choice(STRENGTH) if random.random() < 0.4 else inside,
                random.choice(DELIMITERS) if random.random() < 0.2 else Delimiter(),
            )
        )
    return tuple(found)


def _there(component: Component) -> Component:
    """It without a delimiter that lets it be missing."""
    return component if component.delimiter.least else replace(component, delimiter=Delimiter())


def _conjuncts(random: Random, plain: Sequence[Component], inner: Sequence[Component]) -> Iterator[Expression]:
    """About one component or two of those that are bound, and about at most one of the others."""
    if random.random() < 0.6:
        if random.random() < 0.05:
            yield Comparison("<", Literal(0), Literal(random.choice((0, 1, 1))))  # about none
        return
    for _ in range(random.choice((1, 1, 1, 2))):
        names = [each.name for each in random.sample(plain, min(len(plain), random.choice((1, 2, 2))))]
        if inner and random.random() < 0.5:
            names = [random.choice(inner).name, *names[:1]]
        attributes = [
            f"{name}.{random.choice(('v', 'v', 'v', 'k', 'k', 'k', 'evtime', 'evtime', 'missing'))}" for name in names
        ]
        yield _conjunct(random, attributes)


def _conjunct(random: Random, attributes: list[str]) -> Expression:
    left = Variable(attributes[0])
    right: Expression = Variable(attributes[1]) if len(attributes) > 1 else Literal(random.randrange(2))
    match random.randrange(8):
        case 0 | 1 | 2:
            same = attributes[0].partition(".")[0] + "." + attributes[-1].partition(".")[2]
            return Comparison("=", Variable(same), right)
        case 3:
            return Comparison("=", Arithmetic("+", left, right), Literal(1))
        case 4:
            return Or((Comparison("=", left, Literal(0)), Comparison("=", right, left)))
        case _:
            return Comparison(random.choice(("<", "<=", ">=", ">", "!=", "<=")), left, right)


def _head(
    random: Random, components: Sequence[Component]
) -> tuple[tuple[tuple[str, Expression], ...], tuple[FoldedValue, ...]]:
    """Fields that the types above ask for, some of them undefined, and folds."""
    one, other = random.choice(components).name, random.choice(components).name
    fold: Fold = random.choice(get_args(Fold))
    folds = (FoldedValue(f"{fold}({other}.v)", fold, other, "v"), FoldedValue(f"count({one})", "count", one))
    fields: list[tuple[str, Expression]] = [
        ("v", Variable(f"{one}.v")),
        ("k", Variable(f"{other}.k")),
        ("ratio", Arithmetic("/", Variable(f"{one}.v"), Variable(f"{other}.v"))),
        *((f"f{place}", Variable(each.name)) for place, each in enumerate(folds)),
    ]
    return tuple(random.sample(fields, random.randint(1, len(fields)))), folds


def is_light(module: EventTypeModule) -> bool:
    """Whether enumerating all solutions in a longer history takes no time."""
    types = [each for each in module.types if isinstance(each, ComplexType)]
    return all(
        len(type_.bound) <= 2 and not any(each.combines or each.delimiter.least > 1 for each in type_.components)
        for type_ in types
    )


def random_history(random: Random, module: EventTypeModule, most: int | None = None) -> list[Event]:
    """In any order; some simultaneous, some longer than a moment, changes with a position and without."""
    if most is None:
        most = random.choice((11, 11, 30)) if is_light(module) else 11
    events: list[Event] = []
    time = 0
    used = [each.type for type_ in module.types if isinstance(type_, ComplexType) for each in type_.components]
    labels = [*LABELS, "E4", *(3 * [name for name in used if name in LABELS])]
    for number in range(random.randint(2, most)):
        time += random.choice((0, 0, 1, 1, 1, 2))
        row = {"v": random.randrange(2), "n": number}
        if random.random() < 0.9:
            row["k"] = random.randrange(2)
        label = random.choice(labels)
        if label == "P":
            position = number if random.random() < 0.7 else None
            transaction = str(number // 2) if random.random() < 0.7 else None
            events.append(Change("update", "ACC", time * SECOND, {**row, "v": 0}, row, position, transaction).event())
        else:
            children = [Term(name, [value]) for name, value in row.items()]
            begin = time - random.choice((0, 0, 0, 0, 1, 3))
            events.append(event(Term(label, children), begin, time))
    random.shuffle(events)
    return events
