"""Matching on event tables, for tests: all answers of many patterns on a table, and what the model says they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from cera.engines.spark.plan.patterns import lower_match, match_table
from cera.engines.spark.tables.event_tables import EventTable
from cera.engines.spark.tables.relations import column
from cera.engines.spark.tables.term_columns import term_column
from cera.engines.spark.values.cells import TYPES
from cera.model.events.event import Event
from cera.model.matching.matching import match, substitution_key
from cera.model.matching.patterns import Pattern
from cera.model.terms.hashing import hash_value
from cera.model.terms.json_terms import loads, term_from_json
from cera.model.terms.term import Value
from cera.model.terms.values import number
from cera.model.time.interval import Interval

#: For each pattern by its number: each event and substitution, and how many rows have them.
Answers = Counter[tuple[int, int, int, tuple[Any, ...]]]


def signed(half: str) -> int:
    value = int(half, 16)
    return value - 2**64 if value >= 2**63 else value


def halves(event: Event) -> tuple[int, int]:
    return signed(event.id[:16]), signed(event.id[16:])


def expected_answers(patterns: Sequence[Pattern], events: Sequence[Event]) -> Answers:
    """Q[i: q] by the model, for events that are different ones."""
    return Counter(
        (number_, *halves(event), substitution_key(answer))
        for number_, pattern in enumerate(patterns)
        for event in events
        for answer in match(pattern, event.term)
    )


def spark_answers(patterns: Sequence[Pattern], table: EventTable, fallbacks: list[str] | None = None) -> Answers:
    """Q[i: q] by Spark, for all patterns in one job."""
    told = [] if fallbacks is None else fallbacks
    lowered = [lower_match(table, pattern) for pattern in patterns]
    frames = [None if each is None else match_table(each, "i", told.append) for each in lowered]
    found = [_uniform(frame, number_) for number_, frame in enumerate(frames) if frame is not None]
    rows = reduce(DataFrame.unionByName, found).collect() if found else []
    return Counter((row["number"], row["h1"], row["h2"], substitution_key(_substitution(row["cells"]))) for row in rows)


def _uniform(frame: DataFrame, number_: int) -> DataFrame:
    """The variables as a map, so that the answers of different patterns fit into one table."""
    cells = []
    for name in frame.columns:
        variable, colon, kind = name.rpartition(":")
        if colon:
            parts = [
                (column(name) if kind == other else F.lit(None)).cast(TYPES[other]).alias(other) for other in TYPES
            ]
            cells.append(F.struct(F.lit(variable).alias("name"), *parts))
    empty = "array<struct<name:string," + ",".join(f"{n}:{t.simpleString()}" for n, t in TYPES.items()) + ">>"
    found = F.array(*cells) if cells else F.array()
    return frame.select(
        F.lit(number_).alias("number"),
        column("i.h1").alias("h1"),
        column("i.h2").alias("h2"),
        found.cast(empty).alias("cells"),
    )


def _substitution(cells: Sequence[Row]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for cell in cells:
        for kind in TYPES:
            if cell[kind] is not None:
                assert cell["name"] not in found, "at most one component of a value is not null"
                found[cell["name"]] = _value(kind, cell[kind])
    return found


def _value(kind: str, value: Any) -> Value:
    if kind == "double":
        whole = number(value)
        assert whole is not None
        return whole
    if kind == "term":
        term = term_from_json(loads(value["json"]))
        assert [value["h1"], value["h2"]] == [hash_value(term, 1), hash_value(term, 2)]
        return term
    assert not (kind == "fraction" and number(value) != value)
    return value  # type: ignore[no-any-return]


def events_in(tables: Sequence[EventTable]) -> list[Event]:
    """The events of tables; their ids are those that the columns h1 and h2 have."""
    found = []
    for table in tables:
        rows = table.frame.select("begin", "end", "h1", "h2", "label", "qualifier", term_column(table).alias("term"))
        for row in rows.collect():
            term = term_from_json(loads(row["term"]["json"]))
            event = Event(term, Interval(row["begin"], row["end"]), row["qualifier"])
            assert event.label == row["label"]
            assert halves(event) == (row["h1"], row["h2"]), event
            assert (hash_value(term, 1), hash_value(term, 2)) == (row["term"]["h1"], row["term"]["h2"]), event
            found.append(event)
    return found
