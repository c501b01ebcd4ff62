"""Derived events as typed columns on their way out: what they are made of, and not yet their terms and ids.

Most heads are flat, and most events have one derivation. Of such an event only the values of its head and the ids and
times of its causes leave the operator; terms, ids and causes are computed from them by Spark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cera.algebra.translation import anchors_first
from cera.engines.local.derived import Derived
from cera.engines.spark.streaming.flat_events import arrow_stream
from cera.engines.spark.streaming.identified import Identified
from cera.engines.spark.streaming.messages import pack_columns
from cera.model.constructs import ConstructTerm, ConstructValue
from cera.model.occurrence import Truth
from cera.rules.rule import RelativeTimer, Rule

#: With more rules than this, the expressions that tell them apart would cost more than they save.
_MOST_RULES = 20
_MASK = 2**64 - 1


@dataclass(frozen=True)
class Shape:
    """What the events of a rule have: a flat head with these children, causes that are events, and timers on them."""

    rule: str
    label: str
    children: tuple[str, ...]
    events: tuple[str, ...]
    timers: tuple[RelativeTimer, ...]


def shapes(rules: Sequence[Rule]) -> tuple[Shape, ...]:
    """The shapes of the rules that have one."""
    found = [shape for rule in rules if (shape := _shape(rule)) is not None]
    return tuple(found) if len(found) <= _MOST_RULES else ()


def _shape(rule: Rule) -> Shape | None:
    head = rule.head
    if rule.recipient is not None or len(rule.branches) != 1 or not isinstance(head, ConstructTerm) or head.ordered:
        return None
    [branch] = rule.branches
    children: list[str] = []
    for child in head.children:
        match child:
            case ConstructTerm(label=label, children=(ConstructValue(),), ordered=False) if label not in children:
                children.append(label)
            case _:
                return None
    if branch.absolute_timers or not children or any(label in ("", "{}") for label in children):
        return None
    events = tuple(query.identifier for query in branch.events)
    return Shape(rule.name, head.label, tuple(children), events, tuple(anchors_first(branch)))


class Compactor:
    """Takes the derived events that have a shape."""

    def __init__(self, shapes: Sequence[Shape]) -> None:
        self._numbers = {shape.rule: number for number, shape in enumerate(shapes)}
        self._shapes = shapes
        self._writers: dict[int, _Writer | None] = {}

    def take(self, derived: Iterable[Derived]) -> tuple[list[bytes], list[Derived]]:
        """The payloads of the events that have a shape, and the other events."""
        others: list[Derived] = []
        used: dict[int, _Writer] = {}
        for one in derived:
            key = id(one.head)
            writer = used.get(key)
            if writer is None:
                writer = self._writer(one)
                if writer is None:
                    others.append(one)
                    continue
                used[key] = writer
            writer.take(one, writer.rows, others)
        payloads: list[bytes] = []
        for writer in used.values():
            payload = writer.flush(others)
            if payload is not None:
                payloads.append(payload)
        return payloads, others

    def _writer(self, one: Derived) -> _Writer | None:
        key = id(one.head)
        if key not in self._writers:
            number = self._numbers.get(one.rule)
            self._writers[key] = None if number is None else _Writer(number, self._shapes[number], one)
        return self._writers[key]


class _Writer:
    """The rows of a rule on their way into columns."""

    def __init__(self, number: int, shape: Shape, example: Derived) -> None:
        head = example.head
        slots = {name: head.layout.event(reference) for name, reference in head.construction.causes}
        self._head = head  # its id is a key, so it has to stay
        self.number = number
        self.children = len(shape.children)
        self.events = len(shape.events)
        self.rows: list[tuple[Any, ...]] = []
        self.take = _written(
            self.children,
            [slots[name] for name in shape.events],
            [slots[timer.identifier] for timer in shape.timers],
        )

    def flush(self, others: list[Derived]) -> bytes | None:
        """The rows as an Arrow stream; what has no typed columns goes to the others."""
        rows, self.rows = self.rows, []
        if not rows:
            return None
        columns = list(zip(*rows, strict=True))
        arrays: list[tuple[str, pa.Array]] = [("begin", _integers(columns[1])), ("end", _integers(columns[2]))]
        for child in range(self.children):
            typed = _typed(columns[3 + child])
            if typed is None:
                others += columns[0]
                return None
            arrays += [(f"{kind} {child}", array) for kind, array in typed]
        first = 3 + self.children
        for place, ids in enumerate(columns[first : first + self.events]):
            arrays.append((f"event {place}", pa.array(ids, pa.string())))
        for place, times in enumerate(columns[first + self.events :]):
            arrays.append((f"timer {place}", _integers(times)))
        table = pa.table([array for _, array in arrays], [name for name, _ in arrays])
        return pack_columns(self.number, arrow_stream(table))


def _integers(values: Sequence[int]) -> pa.Array:
    return pa.array(values, pa.int64())


_KINDS: dict[type, tuple[str, pa.DataType]] = {
    str: ("string", pa.string()),
    int: ("integer", pa.int64()),
    float: ("fraction", pa.float64()),
    Truth: ("boolean", pa.bool_()),
}


def _typed(values: Sequence[Any]) -> list[tuple[str, pa.Array]] | None:
    """The values as a column for each of their types; None if some have no such type."""
    kinds = set(map(type, values))
    if not _KINDS.keys() >= kinds:
        return None
    if Truth in kinds:
        values = [bool(value.value) if isinstance(value, Truth) else value for value in values]
    if len(kinds) == 1:
        [kind] = kinds
        name, arrow = _KINDS[kind]
        return [(name, pa.array(values, arrow))]
    plain = {bool if kind is Truth else kind: _KINDS[kind] for kind in kinds}
    return [
        (name, pa.array([value if type(value) is kind else None for value in values], arrow))
        for kind, (name, arrow) in plain.items()
    ]


def _written(children: int, events: Sequence[int], timers: Sequence[int]) -> Callable[..., None]:
    """A function that adds a derived event to rows: itself, its times, the values, ids and times of its causes."""
    values = [f"v{number}" for number in range(children)]
    unpacked = "".join(f"(_, _, ({value},))," for value in values)
    ids = [f"i{number}" for number in range(len(events))]
    times = [f"row[{slot}].{edge}" for slot in timers for edge in ("begin", "end")]
    lines = [
        "def take(one, rows, others):",
        "    draft = one.content",
        "    if draft.__class__ is not tuple or one.more is not None:",
        "        others.append(one)",
        "        return",
        f"    ({unpacked}) = draft[2]",
        "    row = one.leading",
    ]
    for number, slot in enumerate(events):
        lines += [
            f"    e = row[{slot}]",
            f"    i{number} = '%016x%016x' % (e.h1 & {_MASK}, e.h2 & {_MASK}) if e.__class__ is known else e.event.id",
        ]
    lines.append(f"    rows.append((one, one.begin, one.end, {', '.join([*values, *ids, *times])},))")
    scope: dict[str, Any] = {"known": Identified}
    exec("\n".join(lines), scope)  # source made here from a checked program
    take: Callable[..., None] = scope["take"]
    return take
