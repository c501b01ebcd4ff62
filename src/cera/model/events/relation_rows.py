"""The rows of a relation: terms without a time of their own, which rules look up.

A row of a relation with versions is valid for a time: from its own time on, until the next row with the same key takes
its place. All others are always valid. A relation that is read again has other rows from some time on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from cera.errors import UsageError
from cera.model.terms.term import Term
from cera.model.time.interval import MAX_TIME, MIN_TIME, Time
from cera.wording import Setting


@dataclass(frozen=True, slots=True)
class RelationRow:
    """A row, valid in `[since, until[`."""

    term: Term
    since: Time = MIN_TIME
    until: Time = MAX_TIME + 1

    def is_valid(self, time: Time) -> bool:
        return self.since <= time < self.until


class RelationRows(ABC):
    """The rows of a relation, as they were when a run started. Rows that are equal count once."""

    @property
    @abstractmethod
    def rows(self) -> tuple[RelationRow, ...]: ...

    def each(self) -> Iterator[RelationRow]:
        """Yields the rows, which need not all be in this process at once."""
        return iter(self.rows)

    def valid(self, time: Time) -> list[Term]:
        """Returns the rows that are valid at a time."""
        return [row.term for row in self.rows if row.is_valid(time)]


class FileRows(RelationRows):
    """Rows that are read from a file, one by one, or all of them once where that is asked for.

    Those of the same `place`, `written` at the same time, are the same.
    """

    @property
    @abstractmethod
    def place(self) -> str: ...

    @property
    @abstractmethod
    def written(self) -> Hashable: ...

    @abstractmethod
    def each(self) -> Iterator[RelationRow]: ...


@dataclass(frozen=True)
class ReadRows(RelationRows):
    """Rows that are in this process."""

    rows: tuple[RelationRow, ...] = ()


class RefreshedRows(RelationRows):
    """Rows that are read again while a stream runs: those of the version that counts for what is decided next."""

    @property
    @abstractmethod
    def current(self) -> RelationRows:
        """The version that counts now; another version is another object."""

    @property
    def rows(self) -> tuple[RelationRow, ...]:
        return self.current.rows

    def each(self) -> Iterator[RelationRow]:
        return self.current.each()


class ReplacedRows(RefreshedRows):
    """Rows of which the next version replaces the last one."""

    def __init__(self, current: RelationRows) -> None:
        self._current = current

    @property
    def current(self) -> RelationRows:
        return self._current

    def replace(self, version: RelationRows) -> None:
        """Lets another version count from now on."""
        self._current = version


class NumberedRows(RefreshedRows):
    """Rows whose versions have numbers. `first` is the version that counts where nothing else is known."""

    first: int

    @abstractmethod
    def use(self, number: int) -> None:
        """Lets the version with a number count from now on."""


#: The relations of a run that was given none.
NO_RELATIONS: Mapping[str, RelationRows] = MappingProxyType({})


def named_rows(relations: Mapping[str, RelationRows], name: str) -> RelationRows:
    """Returns the rows of a relation. Raises UsageError if the run was given none."""
    rows = relations.get(name)
    if rows is None:
        raise UsageError(f"the relation {name} has no rows: say where they are with {Setting.RELATION.of(f'{name}=…')}")
    return rows


@dataclass(frozen=True, slots=True)
class Version:
    """A row with the time from which it is valid, and the key that it has in common with its other versions."""

    term: Term
    since: Time
    key: Hashable


def versioned(versions: Iterable[Version]) -> ReadRows:
    """Returns the rows with the times in which they are valid. Those with one key and one time are valid together."""
    found = list(versions)
    times: dict[Hashable, set[Time]] = {}
    for version in found:
        times.setdefault(version.key, set()).add(version.since)
    ordered = {key: sorted(each) for key, each in times.items()}
    ends = {(key, since): after for key, each in ordered.items() for since, after in pairwise(each)}
    return ReadRows(tuple(RelationRow(v.term, v.since, ends.get((v.key, v.since), MAX_TIME + 1)) for v in found))
