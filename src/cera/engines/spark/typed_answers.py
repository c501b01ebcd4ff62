"""The derived events of one label as a table of their own: a typed field for each child of the head.

Only the columns that are used cost time: ids, terms and causes are computed from the others, so that Spark leaves them
out of its plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql.types import DoubleType, LongType, StringType, StructType

from cera.engines.spark.engine import Answers, as_derived_events
from cera.engines.spark.plan.deriving import CAUSES, DERIVATION, SENT, first_derivation
from cera.engines.spark.tables.event_tables import EventTable, Flat
from cera.engines.spark.tables.relations import column, component
from cera.engines.spark.tables.term_columns import written_term
from cera.engines.spark.tables.unions import united
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.cells import Cell
from cera.engines.spark.values.json_text import cell_json
from cera.errors import UsageError
from cera.model.events.states import is_internal, name_of
from cera.model.message_text import did_you_mean
from cera.modules.module import known
from cera.rules.analysis.unification import head_label

CHILDREN = "children"

_NUMBERS = frozenset({"integer", "fraction", "double"})


def labelled(answers: Answers, label: str) -> DataFrame:
    """Returns the derived events with a label, each once: id, times, label, children, term, rule, causes, recipient.

    `children` is a struct with a field for each child. Raises UsageError if no rule derives such events, or if columns
    cannot hold what one does.
    """
    tables = list(_tables(answers, label))
    if len(tables) == 1:
        return _alone(*tables[0])
    types = reduce(_common, [_typed_rows(*one).schema[CHILDREN].dataType for one in tables])
    assert isinstance(types, StructType)
    rows = [_fitted(_typed_rows(table, content), types) for table, content in tables]
    firsts = [F.first(column(name)).alias(name) for name in ("begin", "end", "label", CHILDREN, "term", *SENT)]
    groups = united(rows).groupBy("h1", "h2")
    return as_derived_events(groups.agg(*firsts, *first_derivation()), CHILDREN)


def _tables(answers: Answers, label: str) -> Iterator[tuple[EventTable, Flat]]:
    """Yields the tables of the rules that derive events with a label, with their content."""
    modules = [module for one in answers.detected for module in one.modules]
    for module in modules:
        if label in {name_of(derived) for derived in known(module.derives)}:
            raise UsageError(
                f"the module {module.name} derives events with the label `{label}`, whose children have no types that "
                "are known beforehand; leave `label` out, and take them from the column `term`"
            )
    labels = {name_of(name) for module in modules for name in known(module.derives)}
    for construction, table in answers.constructed():
        own = head_label(construction.head)
        labels |= set() if own is None or is_internal(own) else {own}
        if own not in (label, None):
            continue
        if not isinstance(table.content, Flat):
            raise UsageError(
                f"the rule {construction.rule} derives events with children that are no single values, for which there "
                "are no columns; leave `label` out, and take them from the column `term`"
            )
        yield table, table.content
    if label not in labels:
        there = f"there are {', '.join(sorted(labels))}" if labels else "no rule is left that derives any"
        guess = did_you_mean(label, labels) or f"; {there}"
        raise UsageError(f"no rule derives events with the label `{label}`{guess}")


def _alone(table: EventTable, content: Flat) -> DataFrame:
    """Returns the events of one rule, of which those with the same times and children are the same event."""
    if table.once:
        return as_derived_events(_typed_rows(table, content), CHILDREN)
    parts = [component(name, kind) for name, cell in content.children.items() for kind in _components(cell)]
    firsts = [F.first(column(name)).alias(name) for name in ("h1", "h2", "label", *SENT)]
    groups = table.frame.groupBy("begin", "end", *map(column, parts))
    first = groups.agg(*firsts, *first_derivation())
    return as_derived_events(_typed_rows(EventTable(first, content, table.label), content), CHILDREN)


def _components(content: object) -> tuple[str, ...]:
    return content.components if isinstance(content, Cell) else ()


def _typed_rows(table: EventTable, content: Flat) -> DataFrame:
    children = [_typed(cell).alias(name) for name, cell in content.children.items() if isinstance(cell, Cell)]
    struct = F.struct(*children) if children else F.struct(F.lit(None).cast("string").alias("none"))
    term = written_term(table).alias("term")
    return table.frame.select(
        "h1", "h2", "begin", "end", "label", struct.alias(CHILDREN), term, DERIVATION, CAUSES, *SENT
    )


def _typed(cell: Cell) -> Column:
    """Casts the value to one column: numbers that may be fractions to doubles, several kinds of values to texts."""
    kinds = frozenset(cell.components)
    if not kinds:
        return F.lit(None).cast("string")
    if len(kinds) == 1:
        [(_, only)] = cell
        return only
    if kinds <= _NUMBERS:
        return F.coalesce(*(part.cast("double") for _, part in cell))
    text = cell_json(cell)
    return text if cell.string is None else F.coalesce(cell.string, text)


def _common(one: object, other: object) -> StructType:
    """Returns the children of both: those of different types as doubles if both are numbers, else as texts."""
    assert isinstance(one, StructType)
    assert isinstance(other, StructType)
    found = {field.name: field.dataType for field in one}
    for field in other:
        own = found.setdefault(field.name, field.dataType)
        if own != field.dataType:
            numbers = {type(own), type(field.dataType)} == {LongType, DoubleType}
            found[field.name] = DoubleType() if numbers else StringType()
    result = StructType()
    for name, kind in found.items():
        result = result.add(name, kind)
    return result


def _fitted(rows: DataFrame, types: StructType) -> DataFrame:
    own = rows.schema[CHILDREN].dataType
    assert isinstance(own, StructType)
    found = {name: column(CHILDREN)[name] for name in own.names}
    parts = [found.get(field.name, F.lit(None)).cast(field.dataType).alias(field.name) for field in types]
    return rows.withColumn(CHILDREN, F.struct(*parts))
