"""Derived events as typed columns: the values that they are made of, without terms and ids.

Most heads are flat, and most events have one derivation. Of such an event only the values of its head and the ids and
times of its causes leave the operator; `compact_columns` computes terms, ids and causes from them.

Functions that read these values are generated for the head that made the events. They append a tuple for each: begin,
end, the leaves of its head, the halves of the ids of the events that caused it, the begins and ends of its timers.
Events that were derived in several ways, or are not drafts, go to `others`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import pyarrow as pa

from cera.codegen.functions import FunctionWriter, indented
from cera.engines.local.derived import RuleDetection, WindowDetection, WindowHead
from cera.engines.spark.streaming.messages.messages import pack_columns
from cera.model.columns.flat_events import arrow_stream
from cera.model.events.occurrence import Identified, Truth, halves
from cera.model.events.states import is_internal
from cera.model.expressions.constructs import ConstructTerm, ConstructValue
from cera.modules.processor import Detection
from cera.rules.rule import RelativeTimer, Rule, anchors_first

Reader = Callable[[Sequence[RuleDetection], list[tuple[Any, ...]], list[RuleDetection]], None]


def collected_reader(window: WindowHead, events: Sequence[int], timers: Sequence[int]) -> Reader:
    """Returns a reader of what a window collected. `events` and `timers` are columns of the event trace's row."""
    cells = window.cells
    unpacking = [_unpacked(window.source.values, "one.values"), _unpacked(window.parts, "one.parts")]
    edges = [edge for timer in timers for edge in (cells.begin(timer), cells.end(timer))]
    causes = [cells[event] for event in events]
    return _reader("one.more is not None", unpacking, window.source.leaves, causes, edges, window.writer.values)


def constructed_reader(children: int, events: Sequence[int], timers: Sequence[int]) -> Reader:
    """Returns a reader of what was made of rows, with a head of so many children of one leaf each."""
    leaves = [f"leaf_{number}" for number in range(children)]
    draft = ", ".join(f"(_, _, ({leaf},))" for leaf in leaves)
    unpacking = [f"({draft},) = one.content[2]", "row = one.leading"]
    edges = [f"row[{timer}].{edge}" for timer in timers for edge in ("begin", "end")]
    causes = [f"row[{event}]" for event in events]
    return _reader("one.more is not None or one.content.__class__ is not tuple", unpacking, leaves, causes, edges, {})


def _unpacked(names: Sequence[str], source: str) -> str:
    return f"{', '.join(names)}, = {source}" if names else "pass"


def _reader(
    unusual: str,
    unpacking: Sequence[str],
    leaves: Sequence[str],
    causes: Sequence[str],
    edges: Sequence[str],
    names: Mapping[str, Any],
) -> Reader:
    ids = [f"half_{number}_{half}" for number in range(len(causes)) for half in (1, 2)]
    known = [
        f"half_{number}_1, half_{number}_2 = "
        f"(cause.h1, cause.h2) if (cause := {source}).__class__ is Identified else halves(cause.event.id)"
        for number, source in enumerate(causes)
    ]
    lines = [
        "for one in derived:",
        f"    if {unusual}:",
        "        others.append(one)",
        "        continue",
        *indented((*unpacking, *known)),
        f"    rows.append((one.begin, one.end, {', '.join([*leaves, *ids, *edges])},))",
    ]
    writer = FunctionWriter({**names, "Identified": Identified, "halves": halves})
    reader: Reader = writer.function("read", "derived, rows, others", lines)
    return reader


#: With more rules than this, the expressions that distinguish them would cost more than they save.
_MOST_RULES = 20


@dataclass(frozen=True)
class Shape:
    """The parts of a rule's events: a flat head with these children, by label, causes, and timers on causes."""

    rule: str
    label: str
    children: tuple[str, ...]
    events: tuple[str, ...]
    timers: tuple[RelativeTimer, ...]
    #: All of these causes, in the order of output.
    causes: tuple[str, ...]


def shapes(rules: Sequence[Rule]) -> tuple[Shape, ...]:
    """Returns the shapes of the rules that have one."""
    found = [shape for rule in rules if (shape := _shape(rule)) is not None]
    return tuple(found) if len(found) <= _MOST_RULES else ()


def _shape(rule: Rule) -> Shape | None:
    head = rule.head
    if rule.recipient is not None or len(rule.branches) != 1 or not isinstance(head, ConstructTerm) or head.ordered:
        return None
    if is_internal(head.label) or rule.report is not None:  # which no output shows; whose causes are others
        return None
    [branch] = rule.branches
    children: list[str] = []
    for child in head.children:
        match child:
            case ConstructTerm(label=label, children=(ConstructValue(),), ordered=False) if label not in children:
                children.append(label)
            case _:
                return None
    if branch.windows or branch.gathered:  # these have causes of other kinds
        return None
    if branch.absolute_timers or not children or any(label in ("", "{}") for label in children):
        return None
    events = tuple(query.identifier for query in branch.events)
    return Shape(rule.name, head.label, tuple(sorted(children)), events, tuple(anchors_first(branch)), rule.identifiers)


class Compactor:
    """A compactor: it takes the derived events that have a shape."""

    def __init__(self, shapes: Sequence[Shape]) -> None:
        self._numbers = {shape.rule: number for number, shape in enumerate(shapes)}
        self._shapes = shapes
        self._writers: dict[int, _Writer | None] = {}

    def take(self, derived: Sequence[Detection]) -> tuple[list[bytes], Sequence[Detection]]:
        """Returns the payloads of the events that have a shape, and the other events. All are from one operator."""
        if not derived or not isinstance(derived[0], RuleDetection):
            return [], derived
        return self._taken(cast(Sequence[RuleDetection], derived))

    def _taken(self, derived: Sequence[RuleDetection]) -> tuple[list[bytes], list[RuleDetection]]:
        groups: dict[int, list[RuleDetection]] = {}
        for one in derived:
            key = id(one.window) if one.__class__ is WindowDetection else id(one.head)
            group = groups.get(key)
            if group is None:
                groups[key] = [one]
            else:
                group.append(one)
        payloads: list[bytes] = []
        others: list[RuleDetection] = []
        for key, group in groups.items():
            writer = self._writer(key, group[0])
            payload = None if writer is None else writer.payload(group, others)
            if payload is None:
                others += group
            else:
                payloads.append(payload)
        return payloads, others

    def _writer(self, key: int, one: RuleDetection) -> _Writer | None:
        if key not in self._writers:
            number = self._numbers.get(one.rule)
            self._writers[key] = None if number is None else _Writer(number, self._shapes[number], one)
        return self._writers[key]


class _Writer:
    """Writer of a rule's events into columns."""

    def __init__(self, number: int, shape: Shape, example: RuleDetection) -> None:
        head = example.head
        slots = {name: head.layout.event(reference) for name, reference in head.construction.causes}
        self._example = example  # the id of its head or window is a key, so it has to stay
        self.number = number
        self.children = len(shape.children)
        self.events = len(shape.events)
        events, timers = [slots[name] for name in shape.events], [slots[timer.identifier] for timer in shape.timers]
        self._take = (
            collected_reader(example.window, events, timers)
            if isinstance(example, WindowDetection)
            else constructed_reader(self.children, events, timers)
        )

    def payload(self, group: Sequence[RuleDetection], others: list[RuleDetection]) -> bytes | None:
        """Returns the events with one derivation as an Arrow stream; None if they have no typed columns."""
        rows: list[tuple[Any, ...]] = []
        several: list[RuleDetection] = []
        self._take(group, rows, several)
        if not rows:
            return None
        columns = list(zip(*rows, strict=True))
        arrays: list[tuple[str, pa.Array]] = [("begin", _integers(columns[0])), ("end", _integers(columns[1]))]
        for child in range(self.children):
            typed = _typed(columns[2 + child])
            if typed is None:
                return None
            arrays += [(f"{kind} {child}", array) for kind, array in typed]
        first = 2 + self.children
        for place, half in enumerate(columns[first : first + 2 * self.events]):
            arrays.append((f"event {place}", _integers(half)))
        for place, times in enumerate(columns[first + 2 * self.events :]):
            arrays.append((f"timer {place}", _integers(times)))
        others += several
        table = pa.table([array for _, array in arrays], [name for name, _ in arrays])
        return pack_columns(self.number, arrow_stream(table))


def _integers(values: Sequence[int]) -> pa.Array:
    return pa.array(values, pa.int64())


KINDS: dict[type, tuple[str, pa.DataType]] = {
    str: ("string", pa.string()),
    int: ("integer", pa.int64()),
    float: ("fraction", pa.float64()),
    Truth: ("boolean", pa.bool_()),
}


def _typed(values: Sequence[Any]) -> list[tuple[str, pa.Array]] | None:
    """Returns the values as a column for each of their types; None if some have no such type."""
    kinds = set(map(type, values))
    if not KINDS.keys() >= kinds:
        return None
    if Truth in kinds:
        values = [bool(value.value) if isinstance(value, Truth) else value for value in values]
    if len(kinds) == 1:
        [kind] = kinds
        name, arrow = KINDS[kind]
        return [(name, pa.array(values, arrow))]
    plain = {bool if kind is Truth else kind: KINDS[kind] for kind in kinds}
    return [
        (name, pa.array([value if type(value) is kind else None for value in values], arrow))
        for kind, (name, arrow) in plain.items()
    ]
