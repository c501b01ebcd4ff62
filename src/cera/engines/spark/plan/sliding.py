"""Aggregates over windows of one length that lie at the same distance from each event: a pass over sorted events.

Where both sides of a temporal join match points of time in the same table and share a value, nothing is joined: the
events are sorted by what is shared and by time, and Spark collects for each those around it. Events of the same time
are *tied*; they are rare, and what they need is computed for them alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_

from pyspark.sql import Column, DataFrame

from cera.algebra.operators import Construction, Merging, TemporalJoin
from cera.engines.spark.plan.grouping import MATCHES, GroupedRelation
from cera.engines.spark.plan.sides import Side, Sources, anchor_side, side_of, unwrapped
from cera.engines.spark.tables.relations import TIMES, Relation, Timer, attribute, column, component
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.arithmetic import canonical
from cera.engines.spark.values.hashing import unsigned
from cera.engines.spark.values.sql_windows import Window
from cera.model.expressions.constructs import free_variables
from cera.model.time.interval import Interval
from cera.model.time.timers import relative_timer

_KEY, _TIME, _ORDER, _TIED = "sliding key", "sliding time", "sliding order", "sliding tied"
_ELEMENT, _ANCHOR = "sliding element", "sliding anchor"
_AGAIN, _OWN, _TIE = "sliding again", "sliding own", "sliding tie"
_BEFORE, _AT, _AFTER = "sliding before", "sliding at", "sliding after"
_ORIGIN = Interval(0, 0)

#: Why nothing slides where a rule has no window that it collects.
NO_WINDOW = "there is no window"


@dataclass(frozen=True)
class SlidingWindow:
    """A window: the `elements` within `[first, last]` microseconds of each anchor with the same values of `shared`.

    `alone`: the anchor itself does not count. `untied`: the table promises that no two events have the same values and
    time.
    """

    join: TemporalJoin
    anchors: Side
    elements: Side
    window: str
    timer: Timer
    first: int
    last: int
    shared: tuple[str, ...]
    alone: bool
    untied: bool


def sliding_window(construction: Construction, sources: Sources) -> SlidingWindow | str:
    """Returns the window over which a head is aggregated, if it slides, or else why it does not."""
    body = construction.input
    while isinstance(body, Merging):
        body = body.input
    join, names = unwrapped(body, sources.plan)
    if not isinstance(join, TemporalJoin):
        return NO_WINDOW
    if join.condition or join.containment != "inside":
        return "the window has conditions"
    if not join.counted:
        return "different values count, not events"
    found, elements = anchor_side(join.left, sources), side_of(join.right, sources)
    if found is None or elements is None or found.window != join.window:
        return "a side is not one query in one table, matched in columns"
    if not join.excluded <= {found.side.identifier}:
        return "other events than the one around which it lies are left out"
    if sources.environment.tally is not None and (found.side.selected or elements.selected):
        return "what is undefined is counted"  # in selections, which are not made here
    found, elements = found.renamed(names), elements.renamed(names)
    anchors, timer = found.side, found.timer
    shared = tuple(name for name in anchors.cells if name in elements.cells)
    if timer.duration.months:
        return "its length depends on the calendar"
    if anchors.table is not elements.table:
        return "its sides are different tables"
    if not anchors.table.points:
        return "events may last"
    if not shared:
        return "no value is shared"
    if not all(_same_columns(anchors, elements, name) for name in shared):
        return "what is shared stands in different children"
    if not free_variables(construction.head) <= anchors.cells.keys():
        return "the head takes values of what lies in the window"
    span = relative_timer(timer.kind, _ORIGIN, timer.duration)
    if span is None:
        return "it never happens"
    alone = bool(join.excluded)
    same_label = anchors.label is not None and anchors.label == elements.label
    untied = same_label and anchors.table.is_unique_by(anchors.cells[name] for name in shared)
    return SlidingWindow(join, anchors, elements, found.window, timer, span.begin, span.end, shared, alone, untied)


def _same_columns(one: Side, other: Side, name: str) -> bool:
    columns = [[(kind, str(part)) for kind, part in side.cells[name]] for side in (one, other)]
    return name in one.certain & other.certain and columns[0] == columns[1]


def collected(window: SlidingWindow) -> GroupedRelation:
    """Returns a row for each anchor with a non-empty window; its matches are the elements of the window."""
    gathered = {name: cell for name, cell in window.elements.cells.items() if name not in window.anchors.cells}
    parts = {component(name, kind): part for name, cell in gathered.items() for kind, part in cell}
    bare = len(parts) == 1 and window.elements.certain >= gathered.keys()
    element = F.struct(*(part.alias(name) for name, part in parts.items())) if parts else F.struct(F.lit(0).alias("0"))
    element = next(iter(parts.values())) if bare else element
    rows = _rows(window, element)
    frame = _checked(window, rows) if window.untied else _surrounded(window, _tied(window, rows))
    frame = frame.where(column(_ANCHOR) & (F.size(column(MATCHES)) > 0))
    relation = Relation(
        frame.withColumns(_known(window)),
        {name: cell.components for name, cell in window.anchors.cells.items()},
        (window.anchors.identifier,),
        carried=() if window.untied else (*_keys(window), _TIME, _ORDER, _TIED),
    )
    return GroupedRelation(relation, {name: cell.components for name, cell in gathered.items()}, bare=bare)


def _rows(window: SlidingWindow, element: Column) -> DataFrame:
    """Returns the events of both sides."""
    anchors, elements = window.anchors, window.elements
    keys = [part for name in window.shared for _, part in anchors.cells[name]]
    others = {name: cell for name, cell in anchors.cells.items() if name not in window.shared}
    return anchors.table.frame.where(anchors.holds | elements.holds).select(
        *(part.alias(name) for name, part in zip(_keys(window), keys, strict=True)),
        column("end").alias(_TIME),
        unsigned(column("h1")).alias(_ORDER),
        F.coalesce(anchors.holds, F.lit(False)).alias(_ANCHOR),
        F.when(elements.holds, element).alias(_ELEMENT),
        *(part.alias(component(name, kind)) for name, cell in others.items() for kind, part in cell),
        column("h2").alias(attribute(anchors.identifier, "h2")),
    )


def _tied(window: SlidingWindow, rows: DataFrame) -> DataFrame:
    """Drops equal events, and marks which of the others are tied."""
    order = Window.partitioned_by(*map(column, _keys(window))).ordered_by(column(_TIME), column(_ORDER))
    time = column(_TIME)
    before, after = order.of(F.lag(time)), order.of(F.lead(time))
    tied = F.coalesce(before == time, F.lit(False)) | F.coalesce(after == time, F.lit(False))
    # half of the id is enough to distinguish events with the same values and times
    again = (before == time) & (order.of(F.lag(column(_ORDER))) == column(_ORDER))
    rows = rows.withColumns({_TIED: tied, _AGAIN: F.coalesce(again, F.lit(False))})
    return rows.where(~column(_AGAIN))


def _known(window: SlidingWindow) -> dict[str, Column]:
    """Returns what the sorted rows hold of their anchors: the shared values, the times, the order of ids."""
    shared = [component(name, kind) for name in window.shared for kind in window.anchors.cells[name].components]
    known = {name: column(key) for name, key in zip(shared, _keys(window), strict=True)}
    known |= {attribute(window.anchors.identifier, part): column(_TIME) for part in TIMES}
    return {**known, attribute(window.anchors.identifier, "h1"): unsigned(column(_ORDER))}


def _checked(window: SlidingWindow, rows: DataFrame) -> DataFrame:
    """Returns each row with the elements of its window; the query fails at a tie."""
    around = Window.partitioned_by(*map(column, _keys(window))).ordered_by(column(_TIME))
    frames = [(window.first, window.last)]
    if window.alone and window.first <= 0 <= window.last:
        frames = [(window.first, -1), (1, window.last)]
    parts = [around.between(*one).of(F.collect_list(column(_ELEMENT))) for one in frames if one[0] <= one[1]]
    found = {f"{_BEFORE} {number}": part for number, part in enumerate(parts)}
    rows = rows.withColumns({**found, _TIED: around.of(F.lag(column(_TIME)))})
    single = no_ties(window, column(_TIED) == column(_TIME), column(_TIME))
    matches = _concatenated([column(name) for name in found]) if found else F.array()
    return rows.where(single).withColumn(MATCHES, matches)


def no_ties(window: SlidingWindow, tied: Column, at: Column) -> Column:
    """Returns a condition that always holds; the query fails at a row that is tied, and says at which time."""
    assert window.anchors.table.unique is not None
    names = " and ".join(f"`{name}`" for name in sorted(window.anchors.table.unique))
    words = F.concat(
        F.lit(f"two events `{window.anchors.label}` at "),
        F.timestamp_micros(at).cast("string"),
        F.lit(f" have the same {names}, which "),
        F.lit("was said to be unique; leave out `unique`"),
    )
    return F.when(tied, F.raise_error(words).cast("boolean")).otherwise(F.lit(True))


def _surrounded(window: SlidingWindow, rows: DataFrame) -> DataFrame:
    """Returns each row with the elements of its window, in order."""
    around = Window.partitioned_by(*map(column, _keys(window))).ordered_by(column(_TIME))
    element = column(_ELEMENT)
    if not window.alone or not window.first <= 0 <= window.last:
        return rows.withColumn(MATCHES, around.between(window.first, window.last).of(F.collect_list(element)))
    found: dict[str, Column] = {}
    if window.first < 0:
        found[_BEFORE] = around.between(window.first, -1).of(F.collect_list(element))
    at = F.when(column(_TIED) & element.isNotNull(), F.struct(column(_ORDER).alias("order"), element.alias("element")))
    found[_AT] = around.between(0, 0).of(F.collect_list(at))
    if window.last > 0:
        found[_AFTER] = around.between(1, window.last).of(F.collect_list(element))
    rows = rows.withColumns(found)
    others = F.filter(column(_AT), lambda one: one["order"] != column(_ORDER))
    tied = [F.transform(others, lambda one: one["element"]) if name == _AT else column(name) for name in found]
    usual = [column(name) for name in found if name != _AT]
    if not usual:  # a window without length can only hold tied events
        return rows.withColumn(MATCHES, tied[0])
    return rows.withColumn(MATCHES, F.when(column(_TIED), _concatenated(tied)).otherwise(_concatenated(usual)))


def _concatenated(arrays: list[Column]) -> Column:
    return arrays[0] if len(arrays) == 1 else F.concat(*arrays)


def _keys(window: SlidingWindow) -> tuple[str, ...]:
    parts = sum(len(window.anchors.cells[name].components) for name in window.shared)
    return tuple(f"{_KEY} {number}" for number in range(parts))


def first_of_ties(window: SlidingWindow, relation: Relation, variables: Iterable[str], cause: str) -> Relation:
    """Keeps the first of rows that differ only in their anchor, by the id of one of its causes.

    Only tied anchors can differ in nothing else: neither in these variables nor in their times.
    """
    values = [part for name in sorted(variables) for _, part in canonical(relation.cell(name))]
    parts = {f"value {number}": part for number, part in enumerate(values)}
    ranks = {f"rank {number}": unsigned(half) for number, half in enumerate(relation.event_id(cause))}
    own = F.struct(*(part.alias(name) for name, part in {**parts, **ranks}.items()))
    frame = relation.frame.withColumn(_OWN, F.when(column(_TIED), own))
    around = Window.partitioned_by(*map(column, _keys(window))).ordered_by(column(_TIME)).between(0, 0)
    frame = frame.withColumn(_TIE, around.of(F.collect_list(column(_OWN))))
    mine = column(_OWN)

    def earlier(one: Column) -> Column:
        equal = [one[name].eqNullSafe(mine[name]) for name in parts]
        before, same = one["rank 0"] < mine["rank 0"], one["rank 0"] == mine["rank 0"]
        return reduce(and_, equal, before | (same & (one["rank 1"] < mine["rank 1"])))

    return replace(relation, frame=frame.where(mine.isNull() | ~F.exists(column(_TIE), earlier)))
