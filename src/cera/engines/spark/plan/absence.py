"""R ▷_{i⊒j} S where R has few rows: R is broadcast, and the events of S are not shuffled.

Whether there are few is judged by the first events of the table, which is the only thing that is computed while a plan
is made; and only where that is cheap, because the table is read from files and not the result of other work.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from operator import and_, or_
from typing import Any

from cera.algebra.operators import AntiSemiJoin
from cera.engines.spark.plan.joins import Buckets, equal, in_bucket, touched_buckets
from cera.engines.spark.plan.sides import Side
from cera.engines.spark.tables.outlines import Outline
from cera.engines.spark.tables.queries import broadcast
from cera.engines.spark.tables.relations import Relation, attribute, column
from cera.engines.spark.values import sql_functions as F

#: R is broadcast up to this size.
MOST_BYTES = 64 * 1024 * 1024

#: The number of events of a table in a sample.
SAMPLE = 20_000

_LEFT = "left "
_BUCKET, _LEFT_BUCKET = "bucket", "left bucket"
_CHEAP = frozenset({"Project", "Filter", "LogicalRelation", "DataSourceV2ScanRelation", "LocalRelation"})


def are_few(side: Side) -> bool:
    """Returns whether a side matches few events, by the size of its files and by a sample."""
    if isinstance(side.table.frame, Outline):
        return False
    threshold = side.table.frame.sparkSession.conf.get("spark.sql.autoBroadcastJoinThreshold")
    if threshold is not None and threshold.startswith("-"):  # broadcasting is switched off
        return False
    plan = side.table.frame._jdf.queryExecution().optimizedPlan()
    if side.table.frame.isStreaming or not all(node.nodeName() in _CHEAP for node in _nodes(plan)):
        return False
    size = int(str(plan.stats().sizeInBytes()))
    if size <= MOST_BYTES:
        return True
    [row] = side.table.frame.limit(SAMPLE).agg(F.count_if(side.holds), F.count(F.lit(1))).collect()
    return bool(size * row[0] <= MOST_BYTES * row[1])


def _nodes(plan: Any) -> Iterator[Any]:
    yield plan
    children = plan.children()
    for number in range(children.size()):
        yield from _nodes(children.apply(number))


def without_any(left: Relation, anchor: str, right: Side, operator: AntiSemiJoin, buckets: Buckets) -> Relation:
    """Returns the rows of R without an event of S in their windows; no two rows of R have the same `anchor`."""
    identity = right.table.identity
    assert identity is not None
    few = left.prefixed(_LEFT)
    begin, end = few.interval(_LEFT + operator.window)
    inside = [begin <= column("begin"), column("end") <= end]
    for name in left.variables:
        if name in right.cells:
            inside += equal(few.cell(_LEFT + name), right.cells[name])
    for name in sorted(operator.excluded):
        times = zip(few.interval(_LEFT + name), (column("begin"), column("end")), strict=True)
        halves = zip((column(_LEFT + attribute(name, half)) for half in ("h1", "h2")), identity, strict=True)
        different = [theirs != own for pair in (times, halves) for theirs, own in pair]
        inside.append(reduce(or_, different))  # ids come last, because they are computed only where times are equal
    waiting = touched_buckets(few.frame, column(_LEFT + buckets.left), buckets, _LEFT_BUCKET)
    events = right.table.frame.where(right.holds).withColumn(_BUCKET, in_bucket(column("end"), buckets))
    condition = reduce(and_, inside, column(_BUCKET) == column(_LEFT_BUCKET))
    rows = [attribute(anchor, part) for part in ("end", "h1", "h2")]
    found = events.join(broadcast(waiting), condition).select(*(column(_LEFT + name) for name in rows))
    same = reduce(and_, [column(name) == column(_LEFT + name) for name in rows])
    frame = left.frame.join(found, same, "left_anti")
    return replace(left, frame=frame.select(*(column(name) for name in left.columns)))
