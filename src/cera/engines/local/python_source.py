"""Python functions, generated for a plan.

A row passes several small stages (tests, stores, timers, slots), and a call and a tuple for each of them would cost
more than what they do. So stages write lines of Python, the stages behind a pattern all into one function, and a row on
its way through them exists in local variables only: it becomes a tuple where it is stored or handed on.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappush
from typing import Any

from cera.codegen.expressions import EXPRESSION_NAMES
from cera.codegen.functions import FunctionWriter, tuple_of
from cera.engines.local.occurrence import TimerOccurrence, WindowOccurrence
from cera.engines.local.storage import COMPACT, Bucket, add, add_event
from cera.model.events.occurrence import Truth

#: The names that every generated function may refer to.
_NAMES: Mapping[str, Any] = {
    "Bucket": Bucket,
    "COMPACT": COMPACT,
    **EXPRESSION_NAMES,
    "TimerOccurrence": TimerOccurrence,
    "Truth": Truth,
    "WindowOccurrence": WindowOccurrence,
    "add": add,
    "add_event": add_event,
    "bisect_left": bisect_left,
    "bisect_right": bisect_right,
    "heappush": heappush,
    "max": max,
    "min": min,
    "range": range,
}

#: Numbers closer to zero than this can be summed up one by one: however many there are, their sum stays below 2**53,
#: where every whole double is the integer that it stands for, so that integers and doubles may be mixed.
ORDINARY = 2**24

#: The limit of nested loops; deeper ones go into a function of their own (Python allows twenty).
DEEPEST = 6

#: The limit of stages nested in one function; Python takes a hundred levels of indentation.
MOST_NESTED = 40


@dataclass(frozen=True)
class Cells:
    """A row as the sources of its cells; `row` names the tuple where there is one already.

    `edges` has the sources of the begin and the end of those events for which a shorter one than their attributes is
    known; `names` are the local variables that the sources refer to.
    """

    columns: tuple[str, ...]
    names: tuple[str, ...]
    row: str | None = None
    edges: Mapping[int, tuple[str, str]] = field(default_factory=dict)

    @staticmethod
    def of(name: str, width: int) -> Cells:
        """Returns a row that is a tuple under a name."""
        return Cells(tuple(f"{name}[{i}]" for i in range(width)), (name,), name)

    def __getitem__(self, position: int) -> str:
        return self.columns[position]

    def begin(self, position: int) -> str:
        return self.edges[position][0] if position in self.edges else f"{self.columns[position]}.begin"

    def end(self, position: int) -> str:
        return self.edges[position][1] if position in self.edges else f"{self.columns[position]}.end"

    @property
    def tuple(self) -> str:
        """The source of the row as a tuple."""
        return self.row or tuple_of(self.columns)

    def and_(self, other: Cells, positions: Sequence[int]) -> Cells:
        """Returns this row with some cells of another one behind it."""
        width = len(self.columns)
        edges = {width + i: other.edges[p] for i, p in enumerate(positions) if p in other.edges}
        names = (*self.names, *(name for name in other.names if name not in self.names))
        return Cells((*self.columns, *(other[p] for p in positions)), names, None, {**self.edges, **edges})

    def picked(self, positions: Sequence[int | None]) -> Cells:
        """Returns the cells at some positions; None where there is no position."""
        columns = tuple("None" if p is None else self.columns[p] for p in positions)
        edges = {i: self.edges[p] for i, p in enumerate(positions) if p is not None and p in self.edges}
        return replace(self, columns=columns, row=None, edges=edges)

    def with_timer(self, source: str, begin: str, end: str) -> Cells:
        """Returns this row with the event of a timer behind it."""
        edges = {**self.edges, len(self.columns): (begin, end)}
        return Cells((*self.columns, source), (*self.names, begin, end), None, edges)


class SourceWriter(FunctionWriter):
    """A writer of functions over rows: where it is in loops and stages, and what it does with slots and buckets."""

    def __init__(self) -> None:
        super().__init__(_NAMES)
        #: The number of loops around the next line.
        self.depth = 0
        #: The number of stages around the next line.
        self.nested = 0
        #: Whether it is the function for the only event of a step; then the slots that it finishes itself, and their
        #: rows.
        self.own_slots: frozenset[int] = frozenset()
        self.alone = False
        self.finished: dict[int, Cells] = {}
        self._buckets: dict[tuple[int, str], str] = {}

    def bucket(self, store: int, key: str) -> str:
        """Returns the local variable for the bucket of a key, which is None until the bucket was looked up."""
        return self._buckets.setdefault((store, key), f"bucket_{len(self._buckets)}")

    @property
    def buckets(self) -> Collection[str]:
        return self._buckets.values()

    def finishes_itself(self, slot: int) -> bool:
        return slot in self.own_slots

    def finish_later(self, slot: int, cells: Cells) -> list[str]:
        """Returns lines that mark the slot as having a row; its cells stay as they are to the end of the function."""
        assert slot not in self.finished, "the plan says that it gets one row"
        self.finished[slot] = cells
        return [f"ready_{slot} = True"]


def key_of(sources: Sequence[str]) -> str:
    """Returns the source of the key of stores: the one value, the tuple of several, None for none."""
    return sources[0] if len(sources) == 1 else tuple_of(sources) if sources else "None"


def is_ordinary(cell: str) -> str:
    """Returns the source of a test that a cell is a number of ordinary size."""
    return f"{cell}.__class__ in NUMBERS and {-ORDINARY} < {cell} < {ORDINARY}"
