"""Relations in the local engine: read-only indexes on the attributes that a rule shares with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from cera.algebra.operators import Relation
from cera.engines.local.python_source import Cells, SourceWriter, indented, key_of
from cera.engines.local.row_stages import Stage
from cera.engines.local.rows import Row
from cera.model.events.occurrence import wrap
from cera.model.events.relation_rows import RelationRows
from cera.model.matching.matching import match
from cera.model.time.interval import Time

#: The answers of a pattern on one row, and when they are valid: the last time is excluded.
_Answer = tuple[Row, Time, Time]


class RelationIndex:
    """The answers of a pattern on the rows of a relation, by the values of shared variables; each is there once."""

    def __init__(self, relation: Relation, rows: RelationRows, variables: Sequence[str], shared: Sequence[str]) -> None:
        self.width = len(variables)
        places = [variables.index(name) for name in shared]
        found: dict[Any, list[_Answer]] = {}
        for row in rows.rows:
            for answer in match(relation.pattern, row.term):
                cells = tuple(wrap(answer[name]) if name in answer else None for name in variables)
                found.setdefault(_key([cells[place] for place in places]), []).append((cells, row.since, row.until))
        self._answers = found
        self._always = {key: list(dict.fromkeys(cells for cells, _, _ in each)) for key, each in found.items()}

    @property
    def all(self) -> Callable[[Any, Iterable[Row]], list[Row]]:
        """The function from a key, and what to give where there is none, to the answers."""
        return self._always.get  # type: ignore[return-value]

    def valid(self, key: Any, time: Time) -> Iterable[Row]:
        """Returns the answers that are valid at a time."""
        answers = self._answers.get(key, ())
        return dict.fromkeys(cells for cells, since, until in answers if since <= time < until)


class Lookup(Stage):
    """R ⋈ Q[r: q](name): the row with each answer of a relation that agrees with it."""

    def __init__(
        self, index: RelationIndex, key: Sequence[int], at: Sequence[int], new: Sequence[int], then: Stage
    ) -> None:
        self.index = index
        self.key = key
        self.at = at
        self.new = new
        self.then = then

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        key = key_of([cells[position] for position in self.key])
        if self.at:
            ends = [cells.end(position) for position in self.at]
            time = f"max({', '.join(ends)})" if len(ends) > 1 else ends[0]
            found = f"{writer.name(self.index.valid)}({key}, {time})"
        else:
            found = f"{writer.name(self.index.all)}({key}, ())"
        row = writer.fresh("row")
        writer.depth += 1
        inner = self.then.write(cells.and_(Cells.of(row, self.index.width), self.new), writer)
        writer.depth -= 1
        return [f"for {row} in {found}:", *indented(inner)]


def _key(values: Sequence[Any]) -> Any:
    """Returns the key as `key_of` writes it."""
    return values[0] if len(values) == 1 else tuple(values) if values else None
