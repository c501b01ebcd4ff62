"""Functions that look at an event, before anything is made of it: does it matter to a module, and to which history?

    old, new = event.nested["old"], event.nested["new"]
    key, a0, a1 = new["Accno"], new["Balance"], old["Balance"]
    if a0 - a1 > 900: return MATTERS
    return key

Each is written for events of one shape: for the columns of a table, or the children of a label. It has the conditions
that rules ask of an event alone (see `idle_stages`), as far as they are certain of the classes of the values; whatever
else an event has inside, it matters.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from cera.codegen.functions import indented
from cera.datalog.expression_source import ExpressionSource, RuleWriter
from cera.datalog.idle_stages import Asked, IdleStages, attributes
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import Occurrence, Truth
from cera.model.expressions.expression import Expression, Variable, rebuild
from cera.modules.arrivals import Key, Reader, Recognizer
from cera.modules.monitoring import CHANGE
from cera.modules.tuples import EventTuple

#: The answer for an event that the rules have to look at.
MATTERS: Any = object()

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


#: The columns of the old and of the new row of a change.
_RowColumns = tuple[tuple[str, ...] | None, tuple[str, ...] | None]

#: The history of an event that is alone in its stage, and that stage.
Single = tuple[Key, dict[str, list[tuple[EventTuple]]]]


@dataclass(frozen=True, slots=True)
class Shape:
    """The functions for events of a shape.

    `look` returns the key of the history that an event belongs to if it is of no interest there, given the known
    histories, else MATTERS. `single` returns the stage of an event; None if that takes more than the shape, or the
    event belongs to no history.
    """

    look: Callable[[Occurrence, Container[Key]], Key]
    single: Callable[[Occurrence, int], Single | None]


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
        self._writer.values |= {"EventTuple": EventTuple, "Truth": Truth}
        self._shapes: dict[Any, Shape | None] = {}
        self._plain_changes = recognizer.reader_of_label(CHANGE) is None

    def shape(self, event: Occurrence) -> Shape | None:
        """Returns what is known of events that look like this one; None if it is not monitored."""
        if event.label != CHANGE:
            content = event.content
            if content is None:
                return _UNKNOWN if event.label in self._recognizer.labels else None
            try:
                return self._shapes[event.label, (*content,)]
            except KeyError:
                return self._learn_label(event.label, content)
        nested = event.nested
        if nested is None or not self._plain_changes:
            return _UNKNOWN
        get = nested.get
        old, new = get("old"), get("new")
        if old.__class__ not in _ROWS or new.__class__ not in _ROWS:
            return _UNKNOWN
        try:
            return self._shapes[get("operation"), get("table"), old is None, *(old or ()), new is None, *(new or ())]
        except (KeyError, TypeError):  # a shape that is new, or not that of a change
            columns = None if old is None else (*old,), None if new is None else (*new,)
            return self._learn_change(get("operation"), get("table"), columns)

    def _learn_change(self, operation: Any, table: Any, columns: _RowColumns) -> Shape | None:
        if table.__class__ is not str or operation.__class__ is dict:
            return _UNKNOWN
        reader = self._recognizer.reader_of_changes(operation, table)
        shape = None
        if reader is not None:
            found = reader.columns_of_change(*columns)
            sources = {name: f"{row}[{column!r}]" for name, (row, column) in found.items()}
            rows = [f"{row} = event.nested[{row!r}]" for row in dict.fromkeys(row for row, _ in found.values())]
            shape = self._shape(reader, rows, sources)
        old, new = columns
        return self._learnt((operation, table, old is None, *(old or ()), new is None, *(new or ())), shape)

    def _learn_label(self, label: str, content: Mapping[str, Any]) -> Shape | None:
        reader = self._recognizer.reader_of_label(label)
        shape = None
        if reader is not None:
            columns = reader.columns(tuple(content))
            sources = {name: f"content[{found!r}]" for name, found in columns.items()}
            shape = self._shape(reader, ["content = event.content"], sources)
        return self._learnt((label, (*content,)), shape)

    def _learnt(self, key: Any, shape: Shape | None) -> Shape | None:
        if len(self._shapes) == _MOST_SHAPES:
            return _UNKNOWN
        self._shapes[key] = shape
        return shape

    def _shape(self, reader: Reader, rows: Sequence[str], sources: Mapping[str, str]) -> Shape:
        """Returns the functions for events of a shape, given lines that name their rows and the source of each
        attribute in these."""
        asked = self._idle.of(reader.predicate)
        named = {**sources, "evtime": "event.end"}
        key = "None" if self._partition is None else named.get(self._partition)
        if asked is None or key is None:
            return _UNKNOWN
        find_key = [f"key = {key}"]
        find_key += [] if self._partition is None else ["if key.__class__ is bool: key = Truth(key)"]
        fields = "{" + ", ".join(f"{name!r}: {source}" for name, source in sources.items()) + "}"
        made = f"EventTuple(str(number), {fields}, event.begin, event.end, event)"
        single = [*rows, *find_key, *([] if self._partition is None else ["if key is None: return None"])]
        single.append(f"return key, {{{reader.predicate!r}: [({made},)]}}")
        return Shape(
            self._writer.function("look", "event, histories", [*rows, *find_key, *self._look(asked, named)]),
            self._writer.function("single", "event, number", single),
        )

    def _look(self, asked: Sequence[Asked], sources: Mapping[str, str]) -> list[str]:
        """Returns the lines that look at an event whose `key` is known, given the source of each attribute."""
        locals_ = {name: f"a{number}" for number, name in enumerate(attributes(asked))}
        lines = [f"{local} = {sources.get(name)}" for name, local in locals_.items()]
        at_once = {_conditions(one) for one in asked if one.remembered.isdisjoint(self._absent)}
        several = dict.fromkeys(map(_conditions, asked))  # rules may ask the same
        tests = [
            self._test([each for each in several if (each in at_once) is first], locals_) for first in (True, False)
        ]
        body = [f"if {tests[0]}: return MATTERS"] if tests[0] else []
        body += [f"if {tests[1]}: return MATTERS if key in histories else key"] if tests[1] else []
        lines += ["try:", *indented(body), "except Unsure: return MATTERS"] if body else []
        return [*lines, "return key"]

    def _test(self, asked: Iterable[tuple[Expression, ...]], locals_: Mapping[str, str]) -> str:
        """Returns the source of a test whether an event is what one of several rules asks for."""
        source = _CertainSource(self._writer, {f"{_EVENT}.{name}": local for name, local in locals_.items()})
        return " or ".join(f"({' and '.join(map(source.operand, conditions))})" for conditions in asked)


#: The variable that stands for the event in all conditions.
_EVENT = "event"


def _conditions(asked: Asked) -> tuple[Expression, ...]:
    """Returns what a rule asks of the event, by its attributes."""
    return tuple(map(_about_event, asked.conditions))


def _about_event(expression: Expression) -> Expression:
    if isinstance(expression, Variable):
        return Variable(f"{_EVENT}.{expression.name.partition('.')[2]}")
    return rebuild(expression, _about_event)


_ROWS = (dict, type(None))


def _matters(event: Occurrence, histories: Container[Key]) -> Key:
    return MATTERS


def _not_known(event: Occurrence, number: int) -> None:
    """Returns None: the whole event has to be read."""


#: For events whose shape cannot be known.
_UNKNOWN = Shape(_matters, _not_known)
