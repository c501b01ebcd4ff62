"""Finds which attributes that a program asks for occur in the events of tables.

A sample of the events shows nearly always that all of them are there. Attributes that every match needs, and values,
that the sample lacks are searched in all events; what a match can do without is not, because that would cost as much.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cera.engines.spark.session.failures import engine_failure
from cera.engines.spark.tables.event_tables import EventTable
from cera.engines.spark.tables.relations import column
from cera.engines.spark.tables.term_columns import term_column
from cera.model.events.attributes import AskedAttribute, AskedValue, ObservedAttributes, Path
from cera.model.terms.json_terms import loads, term_from_json

#: The size of the sample of a table.
_SAMPLE = 500


def observe(tables: Sequence[EventTable], observed: ObservedAttributes, asked: Iterable[AskedAttribute]) -> None:
    """Notes the attributes that the events of the tables have. An action if some are asked for."""
    with engine_failure():
        for frame in _terms(tables, observed):
            for row in frame.limit(_SAMPLE).collect():
                observed.look_at_term(term_from_json(loads(row["json"])))
        needed = {(each.label, each.path) for each in asked if each.needed and not each.any_case}
        for label, paths in [(label, set(paths)) for label, paths in observed.missing.items()]:
            observed.see(
                label, [path for path in paths if (label, path) not in needed or not _can_be_named(label, path)]
            )
        for frame in _terms(tables, observed):
            wanted = [(label, path) for label, paths in observed.missing.items() for path in sorted(paths)]
            values = sorted(observed.missing_values, key=lambda each: (each.label, each.name, each.text))
            found = [F.max(_has(label, path)) for label, path in wanted] + [F.max(_has_value(each)) for each in values]
            (row,) = frame.agg(*found).collect()
            for (label, path), there in zip(wanted, row, strict=False):
                observed.see(label, [path] if there else [])
            observed.see_values(each for each, there in zip(values, row[len(wanted) :], strict=True) if there)


def _terms(tables: Sequence[EventTable], observed: ObservedAttributes) -> Iterator[DataFrame]:
    """Yields the JSON of the events of each table with labels of which attributes are still missing."""
    for table in tables:
        labels = [label for label in observed.missing if table.label in (None, label)]
        if labels:
            events = table.frame.where(column("label").isin(*labels))
            yield events.select("label", term_column(table)["json"].alias("json"))


def _can_be_named(label: str, path: Path) -> bool:
    """Returns whether a JSON path can name the attribute."""
    return not any(set(name) & set("'\\\"[]*") or not name for name in (label, *path))


def _has(label: str, path: Path) -> Column:
    """Returns whether an event with the label has the attribute, or children that JSON paths cannot reach."""
    inside = [F.get_json_object("json", _json_path(label, path[:depth])) for depth in range(len(path))]
    lists = [part.startswith("[") | part.startswith('{"{}"') for part in inside]
    found = F.get_json_object("json", _json_path(label, path)).isNotNull()
    for each in lists:
        found = found | F.coalesce(each, F.lit(False))
    return (column("label") == label) & found


def _has_value(asked: AskedValue) -> Column:
    """Returns whether an event has a value, or children that JSON paths cannot reach."""
    if not _can_be_named(asked.label, (asked.name,)):
        return F.lit(True)
    found = F.get_json_object("json", _json_path(asked.label, (asked.name,)))
    inside = F.get_json_object("json", _json_path(asked.label, ()))
    lists = [part.startswith("[") | part.startswith('{"{}"') for part in (inside, found)]
    there = F.coalesce(found == asked.text, F.lit(False))
    for each in lists:
        there = there | F.coalesce(each, F.lit(False))
    return (column("label") == asked.label) & there


def _json_path(label: str, path: Path) -> str:
    return "$" + "".join(f"['{name}']" for name in (label, *path))
