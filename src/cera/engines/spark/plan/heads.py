"""Heads of rules as columns: C[h] for heads without `all`.

A construct yields at most one value for each place in it. Where something has no value, the smallest `optional`
around it is left out, or else the whole event.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import TypeGuard, assert_never

from pyspark.sql import Column

from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.arithmetic import is_defined
from cera.engines.spark.values.cells import Cell
from cera.engines.spark.values.expressions import Scope, compile_value
from cera.engines.spark.values.hashing import hash_cell, hash_term
from cera.engines.spark.values.json_text import NO_KEYS, cell_json, children_json, object_json
from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct


@dataclass(frozen=True)
class Item:
    """A value that a construct may yield: its JSON and hashes, null where it is absent; its cell if it has one.

    A term that is built here has a `member`: its label, and the JSON of what is in it. `plain`: that is how the term is
    written everywhere; else its children may come in another order.
    """

    json: Column
    h1: Column
    h2: Column
    cell: Cell | None = None
    member: tuple[str, Column] | None = None
    plain: bool = True

    def only(self, there: Column) -> Item:
        """Returns the item, null where a condition does not hold."""
        cell = None if self.cell is None else Cell(**{kind: F.when(there, part) for kind, part in self.cell})
        member = None if self.member is None else (self.member[0], F.when(there, self.member[1]))
        json, h1, h2 = (F.when(there, part) for part in (self.json, self.h1, self.h2))
        return Item(json, h1, h2, cell, member, self.plain)


@dataclass(frozen=True)
class Instance:
    """The items that a construct yields in a row, and whether these are defined (None: always)."""

    items: tuple[Item, ...]
    defined: Column | None = None


def instantiate(construct: Construct, scope: Scope) -> Instance:
    match construct:
        case ConstructValue():
            value = compile_value(construct.expression, scope)
            cell = value if isinstance(value, Cell) else Cell()  # an interval or a duration is not a data value
            item = Item(cell_json(cell), hash_cell(cell, 1), hash_cell(cell, 2), cell)
            return Instance((item,), is_defined(cell))
        case ConstructTerm():
            parts = [instantiate(child, scope) for child in construct.children]
            items = [item for part in parts for item in part.items]
            return Instance((_term(construct, items),), _all([part.defined for part in parts]))
        case OptionalConstruct():
            return _optional(construct, scope)
        case All():
            raise AssertionError("a head with `all` is built by the head UDF")
        case _:
            assert_never(construct)


def _term(construct: ConstructTerm, items: Sequence[Item]) -> Item:
    h1 = hash_term(construct.label, [item.h1 for item in items], construct.ordered, 1)
    h2 = hash_term(construct.label, [item.h2 for item in items], construct.ordered, 2)
    body, plain = _body(construct, items)
    member = (construct.label, body)
    return Item(object_json([member]), h1, h2, member=member, plain=plain and all(item.plain for item in items))


def _body(construct: ConstructTerm, items: Sequence[Item]) -> tuple[Column, bool]:
    """Returns the JSON of a term's content, and whether that is its only spelling: its children are ordered, or have
    known and different labels, in the order of JSON."""
    members = {item.member[0]: item.member[1] for item in items if item.member is not None}
    if not construct.ordered and len(members) == len(items) and not members.keys() & NO_KEYS:
        return object_json(members.items()), True
    if not construct.ordered and len(items) == 1 and _is_scalar(items[0]):
        return F.coalesce(items[0].json, F.lit("{}")), True
    written = children_json([item.json for item in items], construct.ordered)
    return written, construct.ordered and "" not in members


def _is_scalar(item: Item) -> bool:
    return item.cell is not None and item.cell.term is None


def _optional(construct: OptionalConstruct, scope: Scope) -> Instance:
    wanted = instantiate(construct.construct, scope)
    there = F.lit(True) if wanted.defined is None else wanted.defined
    if construct.default is None:
        return Instance(tuple(item.only(there) for item in wanted.items))
    there = there & reduce(or_, [item.json.isNotNull() for item in wanted.items])  # an empty one is missing too
    default = instantiate(construct.default, scope)
    instead = ~there if default.defined is None else ~there & default.defined
    items = [item.only(there) for item in wanted.items], [item.only(instead) for item in default.items]
    return Instance(_either(*items), None if default.defined is None else there | default.defined)


def _either(wanted: Sequence[Item], default: Sequence[Item]) -> tuple[Item, ...]:
    """Merges items of alternatives into one if they are terms with the same label, `u{…} or else u{…}`."""
    match wanted, default:
        case [Item(member=(str(label), body)) as one], [Item(member=(str(other), instead)) as two] if label == other:
            json, h1, h2 = F.coalesce(one.json, two.json), F.coalesce(one.h1, two.h1), F.coalesce(one.h2, two.h2)
            return (Item(json, h1, h2, member=(label, F.coalesce(body, instead)), plain=one.plain and two.plain),)
        case _:
            return *wanted, *default


def _all(conditions: Sequence[Column | None]) -> Column | None:
    known = [condition for condition in conditions if condition is not None]
    return reduce(and_, known) if known else None


@dataclass(frozen=True)
class FlatHead:
    """A head `label{ name{value}, … }` with different names and scalar values: its events need no terms."""

    label: str
    children: dict[str, Cell]
    defined: Column | None


def flat_head(head: Construct, scope: Scope) -> FlatHead | None:
    """Returns the head as a flat one; None if it is not flat."""
    if not isinstance(head, ConstructTerm) or head.ordered:
        return None
    children: dict[str, Cell] = {}
    conditions: list[Column | None] = []
    for child in head.children:
        inner = child.construct if isinstance(child, OptionalConstruct) and child.default is None else child
        if not _is_field(inner) or inner.label in children:
            return None
        value = instantiate(inner.children[0], scope)
        [item] = value.items
        if item.cell is None or item.cell.term is not None:
            return None
        children[inner.label] = item.cell
        if inner is child:
            conditions.append(value.defined)
    return FlatHead(head.label, children, _all(conditions))


def _is_field(construct: Construct) -> TypeGuard[ConstructTerm]:
    return (
        isinstance(construct, ConstructTerm)
        and not construct.ordered
        and len(construct.children) == 1
        and isinstance(construct.children[0], ConstructValue)
    )
