"""Random programs of flat rules over flat events, most of which are evaluated in columns, from a seed.

Values and times are few, so that events are equal, tie and meet often.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass

from cera.model.events.event import Event
from cera.model.terms.json_terms import term_to_json
from cera.model.terms.term import Term
from cera.model.time.interval import Interval
from cera.testing import SECOND

LABELS = ("a", "b", "c")
#: What rules derive, which events may be too.
DERIVED = ("r0", "r1", "r2")
_DERIVED_NAMES = {"v": ("v0", "x"), "w": ("w0",)}
ATTRIBUTES = ("k", "v", "w")
_RELATIONS = ("before", "after", "meets", "met-by", "overlaps", "starts", "during", "contains", "finishes", "equals")
_TIMERS = (
    "extend",
    "shorten",
    "extend-begin",
    "shorten-begin",
    "shift-forward",
    "shift-backward",
    "from-end",
    "from-end-backward",
    "from-start",
    "from-start-backward",
)
_AGGREGATES = ("avg", "sum", "count", "min", "max", "first", "last")

_TEXTS = (
    'concat(var K, "-", lower-case(var K))',
    'upper-case(trim(concat(var K, var K, " ")))',
    'replace(var K, "x", "")',
)
_TRUTHS = ('contains(var K, "\'") = true', 'starts-with(var K, "x") != true', 'ends-with(var K, "y") = true')
_CONSTANTS = {"k": '"x"', "v": "1", "w": "true"}


@dataclass(frozen=True)
class FlatCase:
    """The text of a program, and events."""

    text: str
    events: tuple[Event, ...]


def flat_case(seed: int) -> FlatCase:
    chance = random.Random(seed)
    rules = "\n".join(_rule(chance, number) for number in range(chance.randint(1, 3)))
    semantics = "SEMANTICS formal\n" if chance.random() < 0.1 else ""
    return FlatCase(semantics + rules, _events(chance))


def chained_case(seed: int) -> FlatCase:
    """Rules that read what the rules before them derive, and events of the labels of these."""
    chance = random.Random(seed)
    count = chance.randint(2, 4)
    rules = "\n".join(_rule(chance, number, (*LABELS, *DERIVED[:number])) for number in range(count))
    events = [
        Event(Term(chance.choice(DERIVED), [Term("k", [chance.choice(("x", "y"))])]), Interval(at, at))
        for at in (chance.randint(0, 150) * SECOND for _ in range(chance.randint(0, 5)))
    ]
    return FlatCase(rules, (*_events(chance), *events))


def choosing_case(seed: int) -> FlatCase:
    """Rules that ask something of nearly each event alone, which most do not meet; some read what others derive."""
    chance = random.Random(seed)
    labels = LABELS[: chance.choice((1, 2))]
    chained = chance.random() < 0.3
    rules = [
        _choosing_rule(chance, number, (*labels, *DERIVED[:number]) if chained else labels)
        for number in range(chance.randint(1, 3))
    ]
    events = _events(chance, labels)
    like_derived = [
        Event(
            Term(chance.choice(DERIVED), [child for child in each.term.children if _is_named(child, "k")]),
            Interval(each.begin, each.end),
        )
        for each in events
        if chance.random() < 0.2
    ]
    return FlatCase("\n".join(rules), (*events, *like_derived))


def mixed_case(seed: int) -> FlatCase:
    """Rules that read what the rules before them derive, some of which are not evaluated in columns."""
    chance = random.Random(seed)
    rules: list[str] = []
    for number in range(chance.randint(2, 5)):
        labels = (*LABELS, *DERIVED[:number] * 2)
        if chance.random() < 0.45:
            rules.append(_odd_rule(chance, number, labels))
        else:
            rules.append(_rule(chance, number, labels))
    events = [
        Event(Term(chance.choice(DERIVED), [Term("k", [chance.choice(("x", "y"))])]), Interval(at, at))
        for at in (chance.randint(0, 150) * SECOND for _ in range(chance.randint(0, 5)))
    ]
    return FlatCase("\n".join(rules), (*_events(chance), *events))


def _odd_rule(chance: random.Random, number: int, labels: tuple[str, ...]) -> str:
    """Returns a rule that is evaluated event by event, for one of several reasons."""
    label, other = chance.choice(labels), chance.choice(labels)
    window = (
        f"event i: {chance.choice(('from-end-backward', 'extend', 'from-end'))}[e, {chance.choice((1, 3, 10))} sec]"
    )
    key, near = "k{{var K}}", f"{{e, f}} within {chance.choice((1, 5))} sec"
    match chance.randrange(10):
        case 0:
            head, body = "k{var K}", f"event e: {label}{{{{desc {key}}}}}"
        case 1:
            head, body = "k{var K}", f"event e: {label}{{{{without w{{{{}}}}, {key}}}}}"
        case 2:
            head, body = "x{var X}", f"event e: {label}{{{{var X -> k{{{{}}}}}}}}"
        case 3:
            head, body = "v0{1 / var V}", f"event e: {label}{{{{{_child(label)}{{{{var V}}}}}}}}"
        case 4:
            asked = f"{key}, {_child(label)}{{{{{chance.choice((1, 40, 'var V'))}}}}}"
            head, body = "k{substring(var K, 1, 1)}", f"event e: {label}{{{{{asked}}}}}"
        case 5:
            value, least = f"{_child(other)}{{{{var V}}}}", chance.choice((1, 30, '"x"', "0 - 1"))
            collected = f"while i: collect {other}{{{{{key}, {value}}}}}"
            body = f"and {{ event e: {label}{{{{}}}}, {window}, {collected} }} where {{ var V >= {least} }}"
            head = "all k{var K}"
        case 6:
            distinct = f"while i: collect {other}{{{{{_child(other)}{{{{var V}}}}}}}}"
            body = f"and {{ event e: {label}{{{{{key}}}}}, {window}, {distinct} }}"
            head = "k{var K}, v0{count(distinct var V)}"
        case 7:
            head = "k{var K}"
            body = f"or {{ event e: {label}{{{{{key}}}}}, event e: {other}{{{{{key}, w{{{{}}}}}}}} }}"
        case _:
            again = f"and {{ event e: r{number}{{{{{key}}}}}, event f: {other}{{{{{key}}}}} }} where {{ {near} }}"
            first = f"DETECT r{number}{{k{{var K}}}}\nON event e: {label}{{{{{key}}}}}\nEND"
            return f"{first}\nDETECT r{number}{{k{{var K}}}}\nON {again}\nEND"
    return f"DETECT r{number}{{{head}}}\nON {body}\nEND"


def json_line(event: Event) -> str:
    """Returns the line of an event, with its times in microseconds."""
    qualifier = {} if event.qualifier is None else {"id": event.qualifier}
    record = {"begin": event.begin, "end": event.end, "term": term_to_json(event.term), **qualifier}
    return json.dumps(record, ensure_ascii=False)


def _is_named(child: object, name: str) -> bool:
    return isinstance(child, Term) and child.label == name


def _choosing_rule(chance: random.Random, number: int, labels: tuple[str, ...]) -> str:
    literals, conditions, children = [], list[str](), set[str]()
    names = [f"e{i}" for i in range(chance.choice((1, 1, 2)))]
    keyed = chance.random() < 0.5
    for i, name in enumerate(names):
        label = chance.choice(labels)
        value = f"{_child(label)}{{{{var V{i}}}}}"
        pattern = ["k{{var K}}"] if keyed else [f"k{{{{var K{i}}}}}"]
        match chance.randrange(6):
            case 0:
                pattern.append(f"{_child(label)}{{{{{chance.choice((40, 2))}}}}}")
            case 1:
                pattern = ['k{{"x"}}']
            case 2 if not keyed:
                conditions.append(f'var K{i} = "y"')
            case 3:
                pattern.append("w{{}}")
            case _:
                pattern.append(value)
                conditions.append(
                    chance.choice((f"var V{i} > 1", f"var V{i} + 1 < 0", f"(var V{i} > 30 or not var V{i} >= 0)"))
                )
        children |= {f"{word.split('}')[0].lower()}" for part in pattern for word in part.split("var ")[1:]}
        literals.append(f"event {name}: {label}{{{{{', '.join(pattern)}}}}}")
    if len(names) > 1:
        conditions.append(f"{{e0, e1}} within {chance.choice((5, 15, 60))} sec")
    head = [f"{child}{{var {child.upper()}}}" for child in sorted(children) if chance.random() < 0.6]
    if chance.random() < 0.6:
        anchor, label = chance.choice(names), chance.choice(labels)
        timer = chance.choice(("from-end", "from-start-backward", "extend", "shift-forward"))
        literals.append(f"event i: {timer}[{anchor}, {chance.choice((1, 3, 10))} sec]")
        key = chance.choice(('k{{"x"}}', "k{{var K}}" if keyed else 'k{{"y"}}'))
        if chance.random() < 0.4:
            literals.append(f"while i: not {label}{{{{{key}, {_child(label)}{{{{1}}}}}}}}")
        else:
            literals.append(f"while i: collect {label}{{{{{key}, {_child(label)}{{{{var X}}}}}}}}")
            head.append(f"x{{{chance.choice(_AGGREGATES)}(all var X)}}")
    where = f" where {{ {', '.join(conditions)} }}" if conditions else ""
    body = ",\n  ".join(literals)
    return f"DETECT r{number}{{{', '.join(head)}}}\nON and {{\n  {body}\n}}{where}\nEND"


def _child(label: str) -> str:
    return "v0" if label in DERIVED else "v"


def _events(chance: random.Random, labels: tuple[str, ...] = (*LABELS, "z")) -> tuple[Event, ...]:
    points, odd, last = chance.random() < 0.5, chance.random() < 0.15, chance.choice((20, 150))
    found: list[Event] = []
    for _ in range(chance.randint(0, 50)):
        begin = chance.randint(0, last) * SECOND
        end = begin if points else begin + chance.choice((0, 1, 2, 5)) * SECOND
        children = [
            Term(name, [_value(chance, name, odd)]) for name in ATTRIBUTES if name == "k" or chance.random() < 0.8
        ]
        found.append(Event(Term(chance.choice(labels), children), Interval(begin, end)))
    return tuple(found)


def _value(chance: random.Random, name: str, odd: bool) -> str | int | float | bool | Term:
    if odd and chance.random() < 0.03:
        return chance.choice(("x", 2**60 + 1, -0.0, 2.5, True, Term("n", [1])))
    if name == "k":
        return chance.choice(("x", "y", 'é"\\'))
    if name == "v":
        return chance.choice((0, 1, 2, 0.1, 0.2, 0.3, 1e-7, 40, -3, 1e15))
    return chance.choice((True, False))


def _pattern(chance: random.Random, label: str, bound: dict[str, str]) -> str:
    children = []
    for name in ATTRIBUTES:
        kind = chance.random()
        child = chance.choice(_DERIVED_NAMES.get(name, (name,))) if label in DERIVED else name
        if kind < (0.25 if label in DERIVED else 0.55):
            children.append(f"{child}{{{{var {bound.get(name, name.upper())}}}}}")
        elif kind < 0.65 and label not in DERIVED:
            children.append(f"{child}{{{{}}}}")
        elif 0.65 < kind < 0.72:
            children.append(f"{child}{{{{{_CONSTANTS[name]}}}}}")
    braces = ("{", "}") if chance.random() < 0.1 else ("{{", "}}")
    return f"{label}{braces[0]}{', '.join(children)}{braces[1]}"


def _rule(chance: random.Random, number: int, labels: tuple[str, ...] = LABELS) -> str:
    count = chance.choice((1, 1, 2, 2, 3))
    names = [f"e{i}" for i in range(count)]
    literals, variables = [], set[str]()
    for i, name in enumerate(names):
        bound = {"v": "V" if chance.random() < 0.2 else f"V{i}", "w": f"W{i}"}
        pattern = _pattern(chance, chance.choice(labels), bound)
        literals.append(f"event {name}: {pattern}")
        variables |= {word.strip("},") for word in pattern.split("var ")[1:] for word in [word.split("}")[0]]}
    conditions = [_condition(chance, names, variables) for _ in range(chance.randint(0, 3))]
    value = None
    timed = chance.random()
    if timed < 0.7:
        anchor = chance.choice(names)
        literals.append(f"event i: {chance.choice(_TIMERS)}[{anchor}, {chance.choice((1, 3, 10))} sec]")
        if timed < 0.55:
            negated = chance.random() < 0.4
            collected = _pattern(chance, chance.choice(labels), {"v": chance.choice(("V0", "X")), "w": "Y"})
            literals.append(f"while i: {'not' if negated else 'collect'} {collected}")
            if not negated and "var X" in collected:
                value = f"{chance.choice(_AGGREGATES)}(all var X)"
        else:
            names.append("i")
    children = [f"{name.lower()}{{var {name}}}" for name in sorted(variables) if chance.random() < 0.6]
    numbers = sorted(name for name in variables if name.startswith("V"))
    if value is not None:
        children.append(f"x{{{value}}}")
    elif numbers and chance.random() < 0.2:
        function = chance.choice(("abs", "round", "floor", "ceiling"))
        children.append(f"x{{{function}(var {numbers[0]} * 1.5)}}")
    elif "K" in variables and chance.random() < 0.2:
        children.append(f"x{{{chance.choice(_TEXTS)}}}")
    elif numbers and chance.random() < 0.4:
        operator, other = chance.choice((("+", "1"), ("-", "0.1"), ("*", "3"), ("/", "3"), ("mod", "2")))
        children.append(f"x{{var {numbers[0]} {operator} {other}}}")
    where = f" where {{ {', '.join(conditions)} }}" if conditions else ""
    body = ",\n  ".join(literals)
    label = f"r{number}" if labels != LABELS else chance.choice((f"r{number}", "r"))
    return f"DETECT {label}{{{', '.join(children)}}}\nON and {{\n  {body}\n}}{where}\nEND"


def _condition(chance: random.Random, names: list[str], variables: set[str]) -> str:
    if len(names) > 1 and chance.random() < 0.7:
        one, other = chance.sample(names, 2)
        if chance.random() < 0.5:
            return f"{{{one}, {other}}} within {chance.choice((1, 5, 15))} sec"
        return f"{one} {chance.choice(_RELATIONS)} {other}"
    numbers = sorted(name for name in variables if name.startswith("V"))
    if numbers and chance.random() < 0.8:
        operator = chance.choice(("<", "<=", "=", "!=", ">", ">="))
        other = chance.choice(("0.2", "1", f"var {chance.choice(numbers)} + 1"))
        return f"var {chance.choice(numbers)} {operator} {other}"
    if "K" in variables and chance.random() < 0.4:
        return chance.choice((f'{chance.choice(_TEXTS)} != "XX"', "string-length(var K) > 1", *_TRUTHS))
    if "K" in variables:
        return f'var K {chance.choice(("=", "!=", "<"))} "y"'
    return f"{{{names[0]}}} within 3 sec"
