"""Q[i: q] as a DataFrame: the substitutions under which a pattern matches the events of a table.

Patterns that column expressions cannot state are matched in Python, on the JSON of the terms, in Arrow batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import LongType, StructField, StructType

from cera.engines.spark.plan.native_matching import Way, matches, native_ways
from cera.engines.spark.plan.term_shapes import NotNativeError, shape_of
from cera.engines.spark.tables.event_rows import term_row
from cera.engines.spark.tables.event_tables import EventTable, Terms
from cera.engines.spark.tables.relations import (
    EVENT,
    UNTIL,
    Relation,
    attribute,
    column,
    component,
    union,
    until_name,
)
from cera.engines.spark.tables.term_columns import term_column
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.arithmetic import canonical
from cera.engines.spark.values.cells import TYPES, Cell
from cera.model.events.states import OPENING
from cera.model.matching import patterns
from cera.model.matching.combination import described
from cera.model.matching.matching import match
from cera.model.matching.patterns import (
    Pattern,
    RegexLabel,
    RegexPattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
)
from cera.model.regex.regular_expressions import is_backtracking_safe
from cera.model.terms.json_terms import loads, term_from_json
from cera.model.terms.term import Term, Value
from cera.rules.analysis.unification import query_label

_MATCH = "match"
_NOT_FLAT = "on events that are not flat"


@dataclass(frozen=True)
class TableMatch:
    """How a pattern is matched in a table: in these `ways` by columns, and on what `in_python` says in Python.

    Without `ways` everything is; else, if there is a reason for Python, only the events that are not flat are.
    """

    table: EventTable
    pattern: Pattern
    ways: tuple[Way, ...] | None
    in_python: str | None = None


def lower_match(table: EventTable, pattern: Pattern) -> TableMatch | None:
    """Decides how a pattern is matched in a table; None if it matches none of its events."""
    if isinstance(pattern, ScalarPattern | RegexPattern) or not table.can_have(query_label(pattern)):
        return None
    flat = table.content.flat if isinstance(table.content, Terms) else True
    if flat is False:
        return TableMatch(table, pattern, None, _NOT_FLAT)
    try:
        ways = tuple(native_ways(pattern, shape_of(table)))
        if len(ways) > 1 and any(cell.term is not None for way in ways for cell in way.bindings.values()):
            raise NotNativeError("can bind a variable to several parts of one event")
    except NotNativeError as reason:
        return TableMatch(table, pattern, None, str(reason))
    if not ways and flat is True:
        return None
    return TableMatch(table, pattern, ways, _NOT_FLAT if flat is None else None)


def match_table(matched: TableMatch, identifier: str, fallback: Callable[[str], None]) -> DataFrame:
    """Returns a row for each event and each distinct substitution of the pattern on it.

    The columns are `X:component` for each variable that the pattern may bind, and `i.begin`, `i.end`, `i.h1`, `i.h2`;
    for openings of states that are matched in one way also the end of the state, as `with_ends_of_states` adds it. A
    variable has at least one component if the table can give it a value at all. `fallback` is called with what runs in
    Python.
    """
    table, pattern = matched.table, matched.pattern
    if matched.in_python is not None:
        fallback(f"pattern {described(pattern)}: {matched.in_python}")
    if matched.ways is None:
        return _in_python(table, table.frame, identifier, pattern)
    if matched.in_python is None:
        return _native(table.frame, identifier, matched.ways, ends=table.prefix == OPENING)
    found = [_in_python(table, table.frame.where(column("fields").isNull()), identifier, pattern)]
    if matched.ways:
        found.insert(0, _native(table.frame.where(column("fields").isNotNull()), identifier, matched.ways))
    return union([_relation(each, identifier) for each in found]).frame


def single_way(table: EventTable, pattern: Pattern) -> Way | None:
    """Returns the way in which a pattern matches the events of a table, if it is the only one and native."""
    if isinstance(pattern, ScalarPattern | RegexPattern):
        return None
    if isinstance(table.content, Terms) and table.content.flat is not True:
        return None
    try:
        ways = native_ways(pattern, shape_of(table))
    except NotNativeError:
        return None
    return ways[0] if len(ways) == 1 else None


def _relation(frame: DataFrame, identifier: str) -> Relation:
    """Returns the frame as a relation."""
    kinds: dict[str, tuple[str, ...]] = {}
    for name in frame.columns:
        variable, colon, kind = name.rpartition(":")
        if colon and kind in TYPES:
            kinds[variable] = (*kinds.get(variable, ()), kind)
    return Relation(frame, kinds, (identifier,))


def _native(frame: DataFrame, identifier: str, ways: Sequence[Way], *, ends: bool = False) -> DataFrame:
    event = [column(part).alias(attribute(identifier, part)) for part in EVENT]
    if len(ways) == 1:
        [way] = ways
        if ends:
            event.append(column(UNTIL).alias(component(until_name(identifier), "integer")))
        return frame.where(way.holds).select(*_columns(way.bindings), *event)
    cells = {name: [canonical(way.bindings.get(name, Cell())) for way in ways] for way in ways for name in way.bindings}
    kinds = {name: _kinds(found) for name, found in cells.items()}
    if not kinds:
        return frame.where(reduce(or_, [way.holds for way in ways])).select(*event)
    structs = [
        F.when(way.holds, F.struct(*_typed({name: found[i] for name, found in cells.items()}, kinds)))
        for i, way in enumerate(ways)
    ]
    rows = frame.select(F.explode(F.array_distinct(F.array_compact(F.array(*structs)))).alias(_MATCH), *event)
    names = [component(name, kind) for name, found in kinds.items() for kind in found]
    kept = [column(attribute(identifier, part)) for part in EVENT]
    return rows.select(*(column(_MATCH)[name].alias(name) for name in names), *kept)


def _columns(bindings: Mapping[str, Cell]) -> list[Column]:
    return [part.alias(component(name, kind)) for name, cell in sorted(bindings.items()) for kind, part in cell]


def _kinds(cells: Sequence[Cell]) -> tuple[str, ...]:
    found = {kind for cell in cells for kind in cell.components}
    return tuple(kind for kind in TYPES if kind in found)


def _typed(cells: Mapping[str, Cell], kinds: Mapping[str, tuple[str, ...]]) -> list[Column]:
    """Returns the values with all components that any way gives them."""
    return [
        dict(cells[name]).get(kind, F.lit(None)).cast(TYPES[kind]).alias(component(name, kind))
        for name, wanted in kinds.items()
        for kind in wanted
    ]


def _in_python(table: EventTable, frame: DataFrame, identifier: str, pattern: Pattern) -> DataFrame:
    label = _label_condition(pattern)
    events = frame if label is None else frame.where(label)
    text = term_column(table)["json"].alias("json")
    return match_in_python(events.select(text, *(column(part) for part in EVENT)), identifier, pattern)


def _label_condition(pattern: Pattern) -> Column | None:
    """Returns the condition that the pattern puts on an event's label, so that other events never reach Python."""
    match pattern:
        case VariablePattern(pattern=inner) if inner is not None:
            return _label_condition(inner)
        case TermPattern(label=str() as label):
            return column("label") == label
        case TermPattern(label=RegexLabel(expression)) if is_backtracking_safe(expression):
            return matches(column("label"), expression)
        case _:
            return None


_KINDS = ("integer", "fraction", "string", "boolean", "term")


@dataclass(frozen=True)
class _PatternMatcher:
    """The function that runs in the workers: the rows of Q[i: q] for batches of events (json, begin, end, h1, h2)."""

    pattern: Pattern
    kinds: tuple[tuple[str, tuple[str, ...]], ...]
    schema: pa.Schema

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            events = zip(*(column.to_pylist() for column in batch.columns), strict=True)
            rows = [row for text, *event in events for row in self._rows(text, event)]
            columns = list(zip(*rows, strict=True)) if rows else [()] * len(self.schema)
            arrays = [pa.array(c, field.type) for c, field in zip(columns, self.schema, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _rows(self, text: str, event: list[int]) -> Iterator[tuple[Any, ...]]:
        for answer in match(self.pattern, term_from_json(loads(text))):
            cells = (cell for name, kinds in self.kinds for cell in _cells(answer.get(name), kinds))
            yield (*cells, *event)


def _cells(value: Value | None, kinds: tuple[str, ...]) -> Iterator[Any]:
    """Yields the components of a value."""
    found = None if value is None else _kind(value)
    for kind in kinds:
        if kind != found:
            yield None
        elif isinstance(value, Term):
            yield dict(zip(("json", "h1", "h2"), term_row(value), strict=True))
        else:
            yield value


def _kind(value: Value) -> str:
    match value:
        case Term():
            return "term"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "fraction"
        case str():
            return "string"


def match_in_python(events: DataFrame, identifier: str, pattern: Pattern) -> DataFrame:
    """Returns the rows of Q[i: q] for events with the columns json, begin, end, h1, h2."""
    names = sorted(patterns.bound_variables(pattern) | patterns.optional_variables(pattern))
    kinds = tuple((name, _possible_kinds(pattern, name)) for name in names)
    parts = [StructField(component(name, kind), TYPES[kind]) for name, found in kinds for kind in found]
    parts += [StructField(attribute(identifier, part), LongType()) for part in EVENT]
    schema = StructType(parts)
    return events.mapInArrow(_PatternMatcher(pattern, kinds, to_arrow_schema(schema)), schema)


def _possible_kinds(pattern: Pattern, name: str) -> tuple[str, ...]:
    """Returns the kinds that a variable may have: only terms if it names term patterns or the whole event."""
    places = [part for part in patterns.walk(pattern) if isinstance(part, VariablePattern) and part.name == name]
    only_terms = all(place is pattern or isinstance(place.pattern, TermPattern) for place in places)
    return ("term",) if only_terms else _KINDS
