"""Joins of relations: natural joins, temporal joins and temporal anti-semi-joins.

A join is made by the values that both sides share. Where the conditions bound the time between both sides, that bound
also cuts time into buckets: a row of the left side is in the bucket of its time, a row of the right side in those of
all times that it can be joined to, of which there are at most two. So no key degenerates to a cross product. Without a
shared value and without a bound, the right side is broadcast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pyspark.sql import Column, DataFrame

from cera.engines.spark.tables.queries import broadcast
from cera.engines.spark.tables.relations import EVENT, UNTIL, Relation, attribute, column, component, match_name
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.arithmetic import canonical
from cera.engines.spark.values.cells import Cell
from cera.engines.spark.values.temporal import IntervalColumns, contained
from cera.model.expressions.expression import until_of
from cera.model.time.containment import Containment

#: How a join is made; `explain` shows it.
Strategy = Literal["bucket", "plain", "broadcast", "sliding", "moving"]

_RIGHT = "right "
_BUCKET = "bucket"


@dataclass(frozen=True)
class Buckets:
    """The right side lies in `[left - before, left + after]`, both times being columns of their side (in µs)."""

    left: str
    right: str
    before: int
    after: int

    @property
    def width(self) -> int:
        return max(self.before + self.after, 1)


@dataclass(frozen=True)
class JoinWay:
    """How two sides meet: by the values of these variables, and in buckets of time where it is bounded.

    If it is by neither, the right side is broadcast.
    """

    shared: tuple[str, ...]
    buckets: Buckets | None = None

    @property
    def strategy(self) -> Strategy:
        if self.buckets is not None:
            return "bucket"
        return "plain" if self.shared else "broadcast"


@dataclass(frozen=True)
class Pair:
    """Both sides of a join as a condition sees them: the right side under other column names."""

    left: Relation
    right: Relation

    def cell(self, variable: str) -> Cell:
        if variable in self.left.variables:
            return self.left.cell(variable)
        return self.right.cell(_RIGHT + variable)

    def interval(self, identifier: str) -> tuple[Column, Column]:
        if identifier.removesuffix(f".{UNTIL}") in self.left.literals:
            return self.left.interval(identifier)
        return self.right.interval(_RIGHT + identifier)

    def right_event(self, identifier: str, part: str) -> Column:
        return column(attribute(_RIGHT + identifier, part))


def natural_join(left: Relation, right: Relation, way: JoinWay) -> Relation:
    """Returns R ⋈ S: the pairs that agree on all shared variables, with the times and references of both."""
    right = right.with_timer_ids()
    frame, pair = _joined(left, right, "inner", way, lambda pair: [])
    return _taking(frame, pair, right.identifiers, right.matches, {})


def lookup_join(left: Relation, right: Relation, way: JoinWay, identifier: str, at: Sequence[str]) -> Relation:
    """Returns R ⋈ T for a relation T, whose rows are matched as events that last as long as the row is valid.

    With `at`, they are valid at the last end of these events of R. No two rows are the same.
    """
    if not at:
        data = [column(name) for name in replace(right, identifiers=()).columns]
        right = replace(right, frame=right.frame.select(*data).distinct(), identifiers=())
        frame, pair = _joined(left, right, "inner", way, lambda pair: [])
        return _taking(frame, pair, (), (), {})

    def valid(pair: Pair) -> list[Column]:
        since, until = pair.right.interval(_RIGHT + identifier)
        ends = [pair.left.interval(name)[1] for name in at]
        time = F.greatest(*ends) if len(ends) > 1 else ends[0]
        return [since <= time, time <= until]

    frame, pair = _joined(left, right, "inner", way, valid)
    found = _taking(frame, pair, (), (), {})
    return replace(found, frame=found.frame.dropDuplicates())


def temporal_join(
    left: Relation, right: Relation, way: JoinWay, element: str, inside: Callable[[Pair], list[Column]]
) -> Relation:
    """Returns R ⋈_{i⊒j} S: the events in the windows of R, each a match; heads say whether they are counted."""
    frame, pair = _joined(left, right, "inner", way, inside)
    return _taking(frame, pair, (), (), {element: match_name(element)})


def anti_join(left: Relation, right: Relation, way: JoinWay, inside: Callable[[Pair], list[Column]]) -> Relation:
    """Returns R ▷_{i⊒j} S: the rows of R with nothing of S in their windows."""
    frame, _ = _joined(left, right, "left_anti", way, inside)
    names = [column(name) for name in left.columns]
    return replace(left, frame=frame.select(*names))


def inside(
    window: str, element: str, conditions: Callable[[Pair], list[Column]], containment: Containment
) -> Callable[[Pair], list[Column]]:
    """Returns the conditions under which an event lies in the window of a row."""

    def both(pair: Pair) -> list[Column]:
        outer = IntervalColumns(*pair.left.interval(window))
        held = containment in ("holding", "sharing", "common")
        inner = IntervalColumns(*pair.right.interval(_RIGHT + (until_of(element) if held else element)))
        return [*contained(containment, outer, inner), *conditions(pair)]

    return both


def _joined(
    left: Relation, right: Relation, how: str, way: JoinWay, more: Callable[[Pair], list[Column]]
) -> tuple[DataFrame, Pair]:
    other = right.prefixed(_RIGHT)
    pair = Pair(left, other)
    conditions = [c for name in way.shared for c in equal(left.cell(name), other.cell(_RIGHT + name))]
    left_frame, right_frame = left.frame, other.frame
    buckets = way.buckets
    if buckets is not None:
        width = buckets.width
        time = column(_RIGHT + buckets.right)
        places = F.sequence(_floor(time - buckets.after, width), _floor(time + buckets.before, width))
        left_frame = left_frame.withColumn(_BUCKET, in_bucket(column(buckets.left), buckets))
        right_frame = right_frame.withColumn(_RIGHT + _BUCKET, F.explode(places))
        conditions.append(column(_BUCKET) == column(_RIGHT + _BUCKET))
    elif way.strategy == "broadcast":
        right_frame = broadcast(right_frame)
    condition = F.lit(True)
    for part in (*conditions, *more(pair)):
        condition = condition & part
    return left_frame.join(right_frame, condition, how), pair


def in_bucket(time: Column, buckets: Buckets) -> Column:
    """Returns the bucket of a time."""
    return _floor(time, buckets.width)


def touched_buckets(frame: DataFrame, time: Column, buckets: Buckets, name: str) -> DataFrame:
    """Returns the rows of a left side, once for every bucket that may hold a row to join."""
    width = buckets.width
    places = F.sequence(_floor(time - buckets.before, width), _floor(time + buckets.after, width))
    return frame.withColumn(name, F.explode(places))


def _floor(time: Column, width: int) -> Column:
    """Returns the number of a bucket, which never falls as time goes on: nothing else matters.

    Rounding goes towards 1970, so that the bucket there is twice as wide as others.
    """
    return F.call_function("div", time, F.lit(width))


def equal(left: Cell, right: Cell) -> list[Column]:
    """Returns the equality of two values as equalities that Spark can join by."""
    if left.components == right.components and len(left.components) == 1 and left.term is None:
        return [a == b for (_, a), (_, b) in zip(left, right, strict=True)]
    one, other = dict(canonical(left)), dict(canonical(right))
    conditions: list[Column] = []
    for kind in dict.fromkeys((*one, *other)):
        if kind not in one or kind not in other:
            conditions.append((one.get(kind, other.get(kind))).isNull())  # type: ignore[union-attr]
        elif kind == "term":
            conditions += [one[kind][part].eqNullSafe(other[kind][part]) for part in ("h1", "h2")]
        else:
            conditions.append(one[kind].eqNullSafe(other[kind]))
    return conditions if set(one) & set(other) else [F.lit(False)]


def _taking(
    frame: DataFrame, pair: Pair, identifiers: Sequence[str], matches: Sequence[str], counted: Mapping[str, str]
) -> Relation:
    """Returns the rows of a join under the names of both sides."""
    left = pair.left
    parts = [column(name) for name in left.columns]
    variables = dict(left.variables)
    for prefixed, kinds in pair.right.variables.items():
        name = prefixed.removeprefix(_RIGHT)
        if name not in variables:
            variables[name] = kinds
            parts += [column(component(prefixed, kind)).alias(component(name, kind)) for kind in kinds]
    taken = {**{name: name for name in (*identifiers, *matches)}, **counted}
    for name, new in taken.items():
        parts += [column(attribute(_RIGHT + name, part)).alias(attribute(new, part)) for part in EVENT]
    return Relation(
        frame.select(*parts),
        variables,
        (*left.identifiers, *identifiers),
        (*left.matches, *matches, *counted.values()),
        left.timers,
        whole=left.whole and pair.right.whole,
    )
