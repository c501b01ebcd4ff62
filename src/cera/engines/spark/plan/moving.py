"""Windows that end with or before each event, folded in NumPy: the plan around the kernel.

Events are divided by what is shared and sorted by time, as integers, which Spark sorts without comparing rows; a Python
worker takes them through Arrow (`moving_kernel`). Their children come back beside the aggregates, so that ids of
anchors and causes are made of them only where they are asked for. Windows of Spark sort by two columns, and need ids of
all events beforehand, because some may be equal.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import BooleanType, LongType, StructField, StructType

from cera.engines.spark.plan.moving_kernel import ANCHOR, ELEMENT, TIE, TIME, Fold, MovingWindows, fold_name
from cera.engines.spark.plan.sliding import SlidingWindow, no_ties
from cera.engines.spark.tables.event_tables import EventTable, Flat
from cera.engines.spark.tables.queries import query
from cera.engines.spark.tables.relations import TIMES, Relation, attribute, column, component
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.cells import TYPES, Cell
from cera.engines.spark.values.sql_columns import SqlColumn
from cera.model.expressions.expression import Aggregate, Variable

#: `0` leaves windows to Spark.
_SWITCH = "CERA_COLUMNS"

_KINDS = frozenset({"integer", "double", "string", "boolean"})
_KEYS = frozenset({"integer", "string", "boolean"})
_NUMBERS = frozenset({"integer", "double"})


def moves(window: SlidingWindow, aggregates: Mapping[str, Aggregate]) -> bool:
    """Returns whether the kernel computes these aggregates over a window."""
    table, label = window.anchors.table, window.anchors.label
    return not (
        os.environ.get(_SWITCH, "") == "0"
        or window.last > 0
        or window.first > window.last
        or _children(table) is None
        or _element(window, aggregates) is None
        or label is None
        or label != window.elements.label
        or table.identity is None
        or not all(_is_kept(window.anchors.cells[name], _KEYS) for name in window.shared)
        or not all(_is_kept(cell, _KINDS) for cell in window.anchors.cells.values())
    )


def moving(
    window: SlidingWindow, aggregates: Mapping[str, Aggregate], own: frozenset[str], cause: str, *, once: bool
) -> Relation:
    """Returns a row for each anchor with a non-empty window that `moves`, with the aggregates as variables.

    With `once`, of tied anchors that have the same aggregates and values of `own` variables there is the one of which
    the event `cause` has the least id.
    """
    table, label = window.anchors.table, window.anchors.label
    children, element = _children(table), _element(window, aggregates)
    assert children is not None
    assert element is not None
    assert label is not None
    kind, value = element
    folds = tuple(Fold(each.function, _kinds(each.function, kind)) for each in aggregates.values())
    frame = table.frame.where(window.anchors.holds | window.elements.holds).select(
        *(column(name) for _, _, name in children),
        column("end").alias(TIME),
        F.coalesce(window.anchors.holds, F.lit(False)).alias(ANCHOR),
        F.when(window.elements.holds, value).alias(ELEMENT),
    )
    names = [fold_name(place, kind) for place, each in enumerate(folds) for kind in each.kinds]
    kinds = [TYPES[kind] for each in folds for kind in each.kinds]
    schema = StructType(
        [
            *(StructField(name, TYPES[kind]) for _, kind, name in children),
            StructField(TIME, LongType()),
            *(StructField(name, kind) for name, kind in zip(names, kinds, strict=True)),
            *([StructField(TIE, BooleanType())] if window.untied else []),
        ]
    )
    kernel = MovingWindows(
        label=label,
        children=children,
        keys=tuple(name for each in window.shared for name in _names(window.anchors.cells[each])),
        folds=folds,
        first=window.first,
        last=window.last,
        alone=window.alone,
        checked=window.untied,
        once=once and not window.untied,
        own=tuple(
            name for each in sorted(own & window.anchors.cells.keys()) for name in _names(window.anchors.cells[each])
        ),
        timer=None if cause == window.anchors.identifier else (window.timer.kind, str(window.timer.duration)),
        schema=to_arrow_schema(schema),
    )
    parts = frame.repartition(*map(column, kernel.keys)).sortWithinPartitions(column(TIME))
    found: DataFrame = query(parts.mapInArrow(kernel, schema))
    if window.untied:
        found = found.where(no_ties(window, column(TIE), column(TIME)))
    return _relation(window, found, table, {name: each.kinds for name, each in zip(aggregates, folds, strict=True)})


def _relation(
    window: SlidingWindow, found: DataFrame, table: EventTable, aggregates: Mapping[str, tuple[str, ...]]
) -> Relation:
    """Returns the rows of the kernel as a relation."""
    anchor, cells = window.anchors.identifier, window.anchors.cells
    events = found.withColumns({"label": F.lit(window.anchors.label), **{part: column(TIME) for part in TIMES}})
    assert table.identity is not None
    identity = dict(zip(("h1", "h2"), table.identity, strict=True))
    parts: list[Column] = [part.alias(component(name, kind)) for name, cell in cells.items() for kind, part in cell]
    parts += [column(part).alias(attribute(anchor, part)) for part in TIMES]
    parts += [part.alias(attribute(anchor, name)) for name, part in identity.items()]
    parts += [
        column(fold_name(place, kind)).alias(component(name, kind))
        for place, (name, kinds) in enumerate(aggregates.items())
        for kind in kinds
    ]
    variables = {**{name: cell.components for name, cell in cells.items()}, **aggregates}
    return Relation(events.select(*parts), variables, (anchor,))


def _children(table: EventTable) -> tuple[tuple[str, str, str], ...] | None:
    """Returns the children of the events of a table: names, kinds and columns; None if one is not of one kind."""
    if not isinstance(table.content, Flat) or table.content.present is not None:
        return None
    found: list[tuple[str, str, str]] = []
    for name, cell in table.content.children.items():
        if not isinstance(cell, Cell) or not _is_kept(cell, _KINDS):
            return None
        found += [(name, kind, own) for kind, own in zip(cell.components, _names(cell), strict=True)]
    return tuple(found)


def _is_kept(cell: Cell, kinds: frozenset[str]) -> bool:
    """Returns whether a value is a column of a table, of one of these kinds."""
    return len(cell.components) == 1 and kinds.issuperset(cell.components) and len(_names(cell)) == 1


def _names(cell: Cell) -> list[str]:
    return [part.named for _, part in cell if isinstance(part, SqlColumn) and part.named is not None]


def _element(window: SlidingWindow, aggregates: Mapping[str, Aggregate]) -> tuple[str, Column] | None:
    """Returns the kind and the column of the one value of an element that all aggregates take, if they are numbers."""
    operands = {each.operand for each in aggregates.values()}
    if len(operands) != 1 or any(each.distinct for each in aggregates.values()):
        return None
    [operand] = operands
    if not isinstance(operand, Variable) or operand.name in window.anchors.cells:
        return None
    if {*window.elements.cells} - {*window.anchors.cells} != {operand.name}:
        return None
    cell = window.elements.cells[operand.name]
    if operand.name not in window.elements.certain or not _is_kept(cell, _NUMBERS):
        return None
    [(kind, value)] = cell
    return kind, value


def _kinds(function: str, kind: str) -> tuple[str, ...]:
    """Returns the kinds of the values of an aggregate of numbers of a kind, as `values.folding` has them."""
    match function:
        case "count":
            return ("integer",)
        case "avg":
            return ("double",)
        case "sum":
            return ("integer",) if kind == "integer" else ("integer", "double")
        case _:
            return (kind,)
