"""Relations in the local engine: read-only indexes on the attributes that a rule shares with them.

Rows of a file, which workers of Spark read, go into the index one by one. Queries that ask for the same share it.

The index of a relation that is read again is built anew when another version counts. A row meets the version of the
time at which all its events and timers have happened, so it waits for its timers before it is looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

from cera.algebra.layouts import Row
from cera.algebra.operators import Relation
from cera.codegen.functions import indented
from cera.engines.local.fingerprint import fingerprint
from cera.engines.local.network import Finisher
from cera.engines.local.python_source import Cells, SourceWriter, key_of
from cera.engines.local.row_stages import Stage
from cera.engines.local.state import State
from cera.model.events.occurrence import wrap
from cera.model.events.relation_rows import FileRows, RefreshedRows, RelationRow, RelationRows
from cera.model.matching.matching import match
from cera.model.time.interval import Time

#: The answers of a pattern on one row, and when they are valid: the last time is excluded.
_Answer = tuple[Row, Time, Time]

#: The answers by the values of shared variables: with the times in which they are valid, and where these do not matter.
_Valid = dict[Any, list[_Answer]]
_Always = dict[Any, list[Row]]

#: What a process has read from files, which its operators share: of each place and query the version read last.
_SHARED: dict[tuple[str, str], tuple[Hashable, _Valid | _Always]] = {}
_KEPT = 50


class RelationIndex:
    """The answers of a pattern on the rows of a relation, by the values of shared variables; each is there once."""

    def __init__(self, relation: Relation, rows: RelationRows, variables: Sequence[str], shared: Sequence[str]) -> None:
        self.width = len(variables)
        self._relation = relation
        self._variables = tuple(variables)
        self._places = tuple(variables.index(name) for name in shared)
        self._fill(rows)

    def _fill(self, rows: RelationRows) -> None:
        if not isinstance(rows, FileRows):
            self._answers: Any = self._read(rows)
            return
        query = (
            rows.place,
            fingerprint((self._relation.pattern, bool(self._relation.at), self._variables, self._places)),
        )
        version = rows.written
        found = _SHARED.get(query)
        if found is None or found[0] != version:
            if len(_SHARED) >= _KEPT:
                _SHARED.clear()
            _SHARED.pop(query, None)  # before the next version is read, so that only one of them is in memory
            self._answers = found = None
            found = _SHARED[query] = (version, self._read(rows))
        self._answers = found[1]

    def _read(self, rows: RelationRows) -> _Valid | _Always:
        if self._relation.at:
            return self._read_valid(rows)
        found: _Always = {}
        for cells, _ in self._cells(rows):
            key = _key([cells[place] for place in self._places])
            if (those := found.get(key)) is None:
                found[key] = [cells]
            else:
                those.append(cells)
        for key, those in found.items():
            if len(those) > 1:
                found[key] = list(dict.fromkeys(those))
        return found

    def _read_valid(self, rows: RelationRows) -> _Valid:
        found: _Valid = {}
        for cells, row in self._cells(rows):
            key = _key([cells[place] for place in self._places])
            found.setdefault(key, []).append((cells, row.since, row.until))
        return found

    def _cells(self, rows: RelationRows) -> Iterator[tuple[Row, RelationRow]]:
        """Yields the answers on each row."""
        pattern, variables = self._relation.pattern, self._variables
        for row in rows.each():
            for answer in match(pattern, row.term):
                yield tuple(wrap(answer[name]) if name in answer else None for name in variables), row

    @property
    def all(self) -> Callable[[Any, Iterable[Row]], Iterable[Row]]:
        """The function from a key, and what to give where there is none, to the answers, which are always valid."""
        get: Callable[[Any, Iterable[Row]], Iterable[Row]] = self._answers.get
        return get

    def valid(self, key: Any, time: Time) -> Iterable[Row]:
        """Returns the answers that are valid at a time."""
        answers: Iterable[_Answer] = self._answers.get(key, ())
        return dict.fromkeys(cells for cells, since, until in answers if since <= time < until)


class RefreshedIndex(RelationIndex):
    """The answers of a pattern on the version of a relation that counts now."""

    def __init__(
        self, relation: Relation, rows: RefreshedRows, variables: Sequence[str], shared: Sequence[str]
    ) -> None:
        self._refreshed = rows
        super().__init__(relation, rows.current, variables, shared)

    def _fill(self, rows: RelationRows) -> None:
        super()._fill(rows)
        self._version = rows

    def _follow(self) -> None:
        version = self._refreshed.current
        if version is not self._version:
            self._fill(version)

    @property
    def all(self) -> Callable[[Any, Iterable[Row]], Iterable[Row]]:
        return self._all

    def _all(self, key: Any, default: Iterable[Row]) -> Iterable[Row]:
        self._follow()
        found: Iterable[Row] = self._answers.get(key, default)
        return found

    def valid(self, key: Any, time: Time) -> Iterable[Row]:
        self._follow()
        return super().valid(key, time)


def index_of(relation: Relation, rows: RelationRows, variables: Sequence[str], shared: Sequence[str]) -> RelationIndex:
    """Returns the index of a relation, which follows its versions if it is read again."""
    if isinstance(rows, RefreshedRows):
        return RefreshedIndex(relation, rows, variables, shared)
    return RelationIndex(relation, rows, variables, shared)


class LookupFinisher(Finisher):
    """The finisher of a slot whose rows have waited for their timers, and are looked up."""

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup

    def __call__(self, state: State, rows: list[Row]) -> None:
        for row in rows:
            self.lookup(state, row)


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
