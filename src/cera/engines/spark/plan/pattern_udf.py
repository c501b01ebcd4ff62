"""Patterns that column expressions cannot state: matched in Python, on the JSON of the terms, in Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import LongType, StructField, StructType

from cera.engines.spark.tables.event_rows import term_row
from cera.engines.spark.tables.relations import EVENT, attribute, component
from cera.engines.spark.values.cells import TYPES
from cera.model.matching import patterns
from cera.model.matching.matching import match
from cera.model.matching.patterns import Pattern, TermPattern, VariablePattern
from cera.model.terms.json_terms import loads, term_from_json
from cera.model.terms.term import Term, Value

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
