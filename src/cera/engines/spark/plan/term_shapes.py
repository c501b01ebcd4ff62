"""The shape of the terms of an event table: what is known about a term without looking at a row.

A place for a child is a slot; whether it is filled depends on the row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add

from pyspark.sql import Column

from cera.engines.spark.tables.event_tables import EventTable, Flat, Opaque
from cera.engines.spark.tables.term_columns import field, flat_term, presence
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.cells import Cell


class NotNativeError(Exception):
    """A pattern that column expressions do not state; the message says what it does."""


@dataclass(frozen=True)
class Fields:
    """Children in a column of FIELDS, with any names."""

    column: Column


@dataclass(frozen=True)
class Leaf:
    """A scalar as a child; a term where the cell has that component and it is not null."""

    cell: Cell


@dataclass(frozen=True)
class Tree:
    """A term. A cell as its content is the one leaf in it. `term` is the column of the whole where there is one."""

    label: str | Column
    content: Cell | Flat | Opaque | Fields
    term: Column | None = None


Shape = Leaf | Tree


@dataclass(frozen=True)
class Slot:
    """A place for a child: what stands there, and whether something does (None: always)."""

    shape: Shape
    there: Column | None = None

    @property
    def name(self) -> str | None:
        """Identifies a place among those of one term: the label, if there can be several."""
        return self.shape.label if isinstance(self.shape, Tree) and isinstance(self.shape.label, str) else None


def shape_of(table: EventTable) -> Tree:
    """Returns the shape of the events of a table; of terms, only of those that have `fields`."""
    label = F.col("label") if table.label is None else table.label
    if isinstance(table.content, Flat):
        return Tree(label, table.content)
    return Tree(label, Fields(F.col("fields")), F.col("term"))


def slots(tree: Tree) -> tuple[Slot, ...]:
    """Returns all places for children."""
    match tree.content:
        case Cell():
            return (Slot(Leaf(tree.content)),)
        case Flat():
            return tuple(_slot(name, child) for name, child in tree.content.children.items() if _can_be(child))
        case Fields():
            raise NotNativeError("asks for children of any label")
        case Opaque():
            raise NotNativeError("looks into terms of any shape")


def slot_named(tree: Tree, label: str) -> Slot | None:
    """Returns the place of the child with a label."""
    match tree.content:
        case Cell(term=None):
            return None
        case Flat():
            child = tree.content.children.get(label)
            return _slot(label, child) if child is not None and _can_be(child) else None
        case Fields():
            value = F.try_element_at(tree.content.column, F.lit(label))
            return Slot(Tree(label, field(value)), value.isNotNull())
        case Cell() | Opaque():
            raise NotNativeError("looks into terms of any shape")


def _can_be(child: Cell | Flat | Opaque) -> bool:
    return not isinstance(child, Cell) or bool(child.components)


def _slot(name: str, child: Cell | Flat | Opaque) -> Slot:
    return Slot(Tree(name, child, child.term if isinstance(child, Opaque) else None), presence(child))


def child_count(tree: Tree) -> Column:
    """Returns how many children the term has."""
    match tree.content:
        case Cell():
            return F.lit(1)
        case Fields():
            return F.size(tree.content.column)
        case _:
            found = [F.lit(1) if s.there is None else F.when(s.there, 1).otherwise(0) for s in slots(tree)]
            return reduce(add, found, F.lit(0))


def as_cell(shape: Shape) -> Cell:
    """Returns the cell to which a variable is bound that stands for the whole."""
    if isinstance(shape, Leaf):
        return shape.cell
    if shape.term is not None:
        return Cell(term=shape.term)
    assert isinstance(shape.content, Cell | Flat)
    return Cell(term=flat_term(shape.label, shape.content))
