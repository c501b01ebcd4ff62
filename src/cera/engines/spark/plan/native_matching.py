"""Patterns as column expressions, for terms whose shape is known beforehand.

A pattern is matched on the shape of a table's terms instead of on one term. What depends on the row becomes conditions;
the result is the *ways* in which the pattern can match: for each its conditions, and the columns to which its variables
are bound. The definition is that of `cera.model.matching.term_matcher`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import product
from operator import and_, or_
from typing import assert_never

from pyspark.sql import Column

from cera.engines.spark.plan.term_shapes import (
    Leaf,
    NotNativeError,
    Shape,
    Tree,
    as_cell,
    child_count,
    slot_named,
    slots,
)
from cera.engines.spark.tables.event_tables import Opaque
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.cells import Cell
from cera.engines.spark.values.comparison import same
from cera.model.matching import patterns
from cera.model.matching.patterns import (
    AnyLabel,
    Descendant,
    Label,
    OptionalPattern,
    Pattern,
    RegexLabel,
    RegexPattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
    Without,
)
from cera.model.regex.regular_expressions import compile_regex, is_backtracking_safe
from cera.model.terms.values import Scalar
from cera.rules.analysis.unification import query_label

#: A pattern that can match in more ways than this on one event is left to Python.
MOST_WAYS = 4

Bindings = Mapping[str, Cell]


@dataclass(frozen=True)
class UndecidedChildren:
    """Children under `optional` and `without`, which may mention variables that are bound anywhere else.

    `matched` is the number of required children, and `count`, if the pattern is total, that of the data.
    """

    children: tuple[OptionalPattern | Without, ...]
    tree: Tree
    matched: int
    count: Column | None


@dataclass(frozen=True)
class Way:
    """One way in which a pattern matches, where all conditions hold and what is undecided comes out true."""

    conditions: tuple[Column, ...] = ()
    bindings: Bindings = field(default_factory=dict)
    undecided: tuple[UndecidedChildren, ...] = ()

    def under(self, *conditions: Column | None) -> Way:
        return replace(self, conditions=(*(c for c in conditions if c is not None), *self.conditions))

    def joined(self, other: Way) -> Way:
        """Joins two ways, where they agree on the variables that they share."""
        return Way(
            (*self.conditions, *other.conditions, *_agreement(self.bindings, other.bindings)),
            {**other.bindings, **self.bindings},
            (*self.undecided, *other.undecided),
        )

    @property
    def holds(self) -> Column:
        return reduce(and_, self.conditions) if self.conditions else F.lit(True)


def native_ways(pattern: Pattern, tree: Tree) -> list[Way]:
    """Returns all ways in which the pattern can match terms of this shape, decided; raises NotNativeError."""
    for part in (pattern, *(p.pattern for p in patterns.walk(pattern) if isinstance(p, Without))):
        _check_optional_variables(part)
    return [_decided(way, {}) for way in _ways(pattern, tree)]


def _check_optional_variables(pattern: Pattern) -> None:
    """Raises NotNativeError for a variable that several `optional` bind: each would depend on the first."""
    places = [p.pattern for p in patterns.walk(pattern) if isinstance(p, OptionalPattern)]
    for name in patterns.optional_variables(pattern):
        if not any(
            name in patterns.bound_variables(place) and _occurrences(place, name) == _occurrences(pattern, name)
            for place in places
        ):
            raise NotNativeError("uses a variable that `optional` binds in several places")


def _occurrences(pattern: Pattern, name: str) -> int:
    return sum(isinstance(part, VariablePattern) and part.name == name for part in patterns.walk(pattern))


def _ways(pattern: Pattern, shape: Shape) -> list[Way]:
    match pattern:
        case VariablePattern(pattern=inner):
            own = Way(bindings={pattern.name: as_cell(shape)})
            return [own] if inner is None else [own.joined(way) for way in _ways(inner, shape)]
        case ScalarPattern(value=value):
            if not isinstance(shape, Leaf) or not _can_be(shape.cell, value):
                return []
            return [Way((same(shape.cell, value),))]
        case RegexPattern(expression=expression):
            text = shape.cell.string if isinstance(shape, Leaf) else None
            return [] if text is None else [Way((matches(text, expression),))]
        case Descendant():
            return _bounded([*_ways(pattern.pattern, shape), *_ways_below(pattern, shape)])
        case TermPattern():
            if isinstance(shape, Tree):
                return _bounded(_term_ways(pattern, shape))
            if shape.cell.term is not None:
                raise NotNativeError("looks into terms of any shape")
            return []
        case Without() | OptionalPattern():
            raise AssertionError("`without` and `optional` stand among the children of a term pattern")
        case _:
            assert_never(pattern)


def _can_be(cell: Cell, value: Scalar) -> bool:
    kinds = {"string"} if isinstance(value, str) else {"integer", "fraction", "double"}
    return not ({"boolean"} if isinstance(value, bool) else kinds).isdisjoint(cell.components)


def matches(text: Column, expression: str) -> Column:
    """Returns whether the expression matches the whole text."""
    if not is_backtracking_safe(expression):
        raise NotNativeError("has a regular expression that Java would go back in")
    return text.rlike(rf"(?d)\A(?:{expression})\z")


def _bounded(ways: Sequence[Way] | Iterator[Way]) -> list[Way]:
    found: list[Way] = []
    for way in ways:
        found.append(way)
        if len(found) > MOST_WAYS:
            raise NotNativeError(f"can match in more than {MOST_WAYS} ways on one event")
    return found


def _ways_below(pattern: Descendant, shape: Shape) -> list[Way]:
    if isinstance(shape, Leaf):
        if shape.cell.term is not None:
            raise NotNativeError("looks into terms of any shape")
        return []
    return [way.under(slot.there) for slot in slots(shape) for way in _ways(pattern, slot.shape)]


def _term_ways(pattern: TermPattern, tree: Tree) -> Iterator[Way]:
    label = _label_condition(pattern.label, tree.label)
    if label is False:
        return
    start = Way(() if label is True else (label,))
    if isinstance(tree.content, Opaque):
        if pattern.children or pattern.total or pattern.ordered:
            raise NotNativeError("looks into terms of any shape")
        yield start
        return
    required = [p for p in pattern.children if not isinstance(p, Without | OptionalPattern)]
    undecided = _undecided_children(pattern, tree, len(required))
    start = start if undecided is None else replace(start, undecided=(undecided,))
    if isinstance(tree.content, Cell):  # one child, whatever the brackets
        if pattern.total and undecided is None and len(required) != 1:
            return
    elif pattern.total and undecided is None:
        start = start.under(child_count(tree) == len(required))
    if pattern.ordered and not isinstance(tree.content, Cell):
        start = start.under(child_count(tree) <= 1)
    for choice in _placements(required, tree):
        yield reduce(Way.joined, choice, start)


def _label_condition(label: Label, found: str | Column) -> Column | bool:
    match label:
        case AnyLabel():
            return True
        case RegexLabel(expression):
            return compile_regex(expression).matches(found) if isinstance(found, str) else matches(found, expression)
        case str():
            return label == found if isinstance(found, str) else found == label


def _undecided_children(pattern: TermPattern, tree: Tree, required: int) -> UndecidedChildren | None:
    """Returns the children under `without` and `optional`, if no two children can match the same child of the data."""
    children = tuple(p for p in pattern.children if isinstance(p, Without | OptionalPattern))
    if not children or (isinstance(tree.content, Cell) and required):  # no child is left for them
        return None
    labels = {query_label(p.pattern if isinstance(p, Without | OptionalPattern) else p) for p in pattern.children}
    if len(pattern.children) > 1 and (
        isinstance(tree.content, Cell) or None in labels or len(labels) < len(pattern.children)
    ):
        raise NotNativeError("has `without` or `optional` beside children that may be the same")
    return UndecidedChildren(children, tree, required, child_count(tree) if pattern.total else None)


def _placements(required: Sequence[Pattern], tree: Tree) -> Iterator[tuple[Way, ...]]:
    """Yields the ways of the required children, each matching a different child."""
    places = [_places(child, tree) for child in required]
    for chosen in product(*places):
        if len({place for place, _ in chosen}) == len(chosen):
            yield tuple(way for _, way in chosen)


def _places(child: Pattern, tree: Tree) -> list[tuple[str | None, Way]]:
    """Returns the ways of a pattern's child on each child of the data, with the name of that place."""
    if isinstance(child, ScalarPattern | RegexPattern) and not isinstance(tree.content, Cell):
        return []
    label = query_label(child)
    possible = slots(tree) if label is None else [slot for slot in [slot_named(tree, label)] if slot is not None]
    return [(slot.name, way.under(slot.there)) for slot in possible for way in _ways(child, slot.shape)]


def _decided(way: Way, outer: Bindings) -> Way:
    """Turns what is undecided in a way into conditions and bindings; `outer` is bound outside of it."""
    known = {**outer, **way.bindings}
    return reduce(Way.joined, (_outcome(undecided, known) for undecided in way.undecided), replace(way, undecided=()))


def _outcome(undecided: UndecidedChildren, known: Bindings) -> Way:
    result = Way()
    matched = F.lit(undecided.matched)
    for child in undecided.children:
        found = [_agreeing(_decided(way, known), known) for _, way in _places(child.pattern, undecided.tree)]
        if isinstance(child, Without):
            result = result.under(*([_not(reduce(or_, [way.holds for way in found]))] if found else ()))
        elif found:
            if len(found) > 1:
                raise NotNativeError("has an `optional` that can match in several ways on one event")
            there = found[0].holds
            matched = matched + F.when(there, 1).otherwise(0)
            bound = {name: _only(there, cell) for name, cell in found[0].bindings.items() if name not in known}
            result = result.joined(Way(bindings=bound))
    return result if undecided.count is None else result.under(undecided.count == matched)


def _agreeing(way: Way, known: Bindings) -> Way:
    return way.under(*_agreement(known, way.bindings))


def _agreement(one: Bindings, other: Bindings) -> list[Column]:
    return [same(one[name], other[name]) for name in sorted(one.keys() & other.keys())]


def _not(condition: Column) -> Column:
    return ~F.coalesce(condition, F.lit(False))


def _only(there: Column, cell: Cell) -> Cell:
    return Cell(**{kind: F.when(there, column) for kind, column in cell})
