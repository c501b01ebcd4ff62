"""Functions that look at an event, before anything is made of it: does it matter to a module, and to which history?

    key, a0, a1 = new["Accno"], new["Balance"], old["Balance"]
    if a0 - a1 > 900: return MATTERS
    return key

Each is written for events of one shape: for the columns of a table, or the children of a label. It has the conditions
that rules ask of an event alone (see `idle_stages`), as far as they are certain of the classes of the values; whatever
else an event has inside, it matters.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from cera.codegen.functions import indented
from cera.datalog.expression_source import ExpressionSource, RuleWriter
from cera.datalog.idle_stages import Asked, IdleStages, attributes
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import Occurrence, Truth
from cera.model.expressions.expression import Expression
from cera.modules.arrivals import Key, Reader, Recognizer
from cera.modules.monitoring import CHANGE
from cera.modules.tuples import EventTuple

#: The answers for an event that the rules have to look at, and for one that is not monitored.
MATTERS: Any = object()
UNSEEN: Any = object()

#: So many shapes of events are learnt.
_MOST_SHAPES = 100


class _UnsureError(Exception):
    """The rules have to decide."""


def _unsure() -> NoReturn:
    raise _UnsureError


class _CertainSource(ExpressionSource):
    """Sources of conditions that leave nothing to the evaluator, which counts what is undefined."""

    def evaluated(self, condition: Expression) -> str:
        return "unsure()"


@dataclass(frozen=True, slots=True)
class _Shape:
    """What is known of the events of a shape: `fields` makes their attributes."""

    predicate: str
    look: Callable[..., Key]
    fields: Callable[..., dict[str, Any]]


#: The columns of the old and of the new row of a change.
_RowColumns = tuple[tuple[str, ...] | None, tuple[str, ...] | None]

#: The history of an event that is alone in its stage, and that stage.
Single = tuple[Key, dict[str, list[tuple[EventTuple]]]]


class Probes:
    """The probes of a module, by the shapes of events. `absent` are predicates of which a new history has no facts."""

    def __init__(
        self, idle: IdleStages, recognizer: Recognizer, partition: str | None, absent: Collection[str]
    ) -> None:
        self._idle = idle
        self._recognizer = recognizer
        self._partition = partition
        self._absent = absent
        self._writer = RuleWriter(Evaluator())
        self._writer.values |= {"MATTERS": MATTERS, "unsure": _unsure, "Unsure": _UnsureError}
        self._shapes: dict[Any, _Shape | None] = {}
        self._plain_changes = recognizer.reader_of_label(CHANGE) is None

    def look(self, event: Occurrence, histories: Container[Key]) -> Key:
        """Returns the key of the history that an event belongs to if it is of no interest there, else MATTERS; UNSEEN
        if it is not monitored."""
        if event.label != CHANGE:
            content = event.content
            if content is None:
                return MATTERS if event.label in self._recognizer.labels else UNSEEN
            try:
                shape = self._shapes[event.label, (*content,)]
            except KeyError:
                shape = self._learn_label(event.label, content)
            return UNSEEN if shape is None else shape.look(content, event.end, histories)
        nested = event.nested
        if nested is None or not self._plain_changes:
            return MATTERS
        get = nested.get
        old, new = get("old"), get("new")
        if old.__class__ not in _ROWS or new.__class__ not in _ROWS:
            return MATTERS
        columns = None if old is None else (*old,), None if new is None else (*new,)
        try:
            shape = self._shapes[get("operation"), get("table"), columns]
        except (KeyError, TypeError):  # a shape that is new, or not that of a change
            shape = self._learn_change(get("operation"), get("table"), columns)
        return UNSEEN if shape is None else shape.look(old, new, event.end, histories)

    def single(self, event: Occurrence, number: int) -> Single | None:
        """Returns the stage of an event that was looked at; None if it has no shape that is known, or no history."""
        nested = event.nested
        if event.label != CHANGE:
            rows: tuple[Any, ...] = (event.content,)
            shape = None if event.content is None else self._shapes.get((event.label, (*event.content,)))
        elif nested is None or not self._plain_changes:
            return None
        else:
            get = nested.get
            old, new = rows = get("old"), get("new")
            if old.__class__ not in _ROWS or new.__class__ not in _ROWS:
                return None
            columns = None if old is None else (*old,), None if new is None else (*new,)
            try:
                shape = self._shapes.get((get("operation"), get("table"), columns))
            except TypeError:
                return None
        if shape is None or shape.look is _matters:
            return None
        fields = shape.fields(*rows)
        made = EventTuple(str(number), fields, event.begin, event.end, event)
        key = None
        if self._partition is not None:
            value = made.attribute(self._partition)
            if value is None:
                return None
            key = Truth(value) if value.__class__ is bool else value
        return key, {shape.predicate: [(made,)]}

    def _learn_change(self, operation: Any, table: Any, columns: _RowColumns) -> _Shape | None:
        if table.__class__ is not str or operation.__class__ is dict:
            return _UNKNOWN
        reader = self._recognizer.reader_of_changes(operation, table)
        shape = None
        if reader is not None:
            found = reader.columns_of_change(*columns)
            sources = {name: f"{row}[{column!r}]" for name, (row, column) in found.items()}
            shape = self._shape(reader, "old, new", sources)
        return self._learnt((operation, table, columns), shape)

    def _learn_label(self, label: str, content: Mapping[str, Any]) -> _Shape | None:
        reader = self._recognizer.reader_of_label(label)
        shape = None
        if reader is not None:
            columns = reader.columns(tuple(content))
            shape = self._shape(reader, "content", {name: f"content[{found!r}]" for name, found in columns.items()})
        return self._learnt((label, (*content,)), shape)

    def _learnt(self, key: Any, shape: _Shape | None) -> _Shape | None:
        if len(self._shapes) == _MOST_SHAPES:
            return _UNKNOWN
        self._shapes[key] = shape
        return shape

    def _shape(self, reader: Reader, parameters: str, sources: Mapping[str, str]) -> _Shape:
        fields = "{" + ", ".join(f"{name!r}: {source}" for name, source in sources.items()) + "}"
        make = self._writer.function("fields", parameters, [f"return {fields}"])
        return _Shape(reader.predicate, self._probe(reader, parameters, {**sources, "evtime": "end"}), make)

    def _probe(self, reader: Reader, parameters: str, sources: Mapping[str, str]) -> Callable[..., Key]:
        """Returns the probe of events of a shape, given the source of each attribute."""
        asked = self._idle.of(reader.predicate)
        key = "None" if self._partition is None else sources.get(self._partition)
        if asked is None or key is None:
            return _matters
        lines = [f"key = {key}"]
        lines += [] if self._partition is None else ["if key.__class__ is bool: key = Truth(key)"]
        locals_ = {name: f"a{number}" for number, name in enumerate(attributes(asked))}
        lines += [f"{local} = {sources.get(name)}" for name, local in locals_.items()]
        later = [one for one in asked if not one.remembered.isdisjoint(self._absent)]
        tests = self._test([one for one in asked if one not in later], locals_), self._test(later, locals_)
        body = [f"if {tests[0]}: return MATTERS"] if tests[0] else []
        body += [f"if {tests[1]}: return MATTERS if key in histories else key"] if tests[1] else []
        lines += ["try:", *indented(body), "except Unsure: return MATTERS"] if body else []
        probe: Callable[..., Key] = self._writer.function(
            "probe", f"{parameters}, end, histories", [*lines, "return key"]
        )
        return probe

    def _test(self, asked: Iterable[Asked], locals_: Mapping[str, str]) -> str:
        """Returns the source of a test whether an event is what one of several rules asks for."""
        tests = []
        for one in asked:
            source = _CertainSource(self._writer, {f"{one.variable}.{name}": local for name, local in locals_.items()})
            tests.append(f"({' and '.join(map(source.operand, one.conditions))})")
        return " or ".join(tests)


_ROWS = (dict, type(None))


def _matters(*arguments: Any) -> Any:
    return MATTERS


#: For events whose shape cannot be known.
_UNKNOWN = _Shape("", _matters, dict)
