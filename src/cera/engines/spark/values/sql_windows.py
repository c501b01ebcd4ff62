"""Windows of sorted rows, as SQL text."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyspark.sql import Column

from cera.engines.spark.values.sql_columns import SqlColumn, text_of


@dataclass(frozen=True)
class Window:
    """What a function is over: the columns by which rows are divided and sorted, and the rows around each."""

    partition: tuple[str, ...]
    order: tuple[str, ...] = ()
    frame: str = ""

    def of(self, function: Column) -> Column:
        """Returns a function over the window of each row."""
        order = f" ORDER BY {', '.join(self.order)}" if self.order else ""
        return SqlColumn(f"{text_of(function)} OVER (PARTITION BY {', '.join(self.partition)}{order}{self.frame})")

    @classmethod
    def partitioned_by(cls, *columns: object) -> Window:
        return cls(tuple(map(text_of, columns)))

    def ordered_by(self, *columns: object) -> Window:
        return replace(self, order=tuple(map(text_of, columns)))

    def between(self, first: int, last: int) -> Window:
        return replace(self, frame=f" RANGE BETWEEN {_bound(first)} AND {_bound(last)}")


def _bound(distance: int) -> str:
    if distance == 0:
        return "CURRENT ROW"
    return f"{-distance}L PRECEDING" if distance < 0 else f"{distance}L FOLLOWING"
