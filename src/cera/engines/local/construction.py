"""Heads compiled to functions from groups of rows to drafts of terms.

The rows of one event trace are put into the order of their matches (in the formal semantics the first of each
distinct substitution), grouped by the head's free variables, and each group is folded as
`docs/decisions/0006-grouping-and-order.md` says. A term that would be nested too deep or too large is not built: it is
undefined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, assert_never

from cera.algebra.layouts import Layout, Row
from cera.model.evaluation.aggregates import fold
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import Cell, draft_term, unwrap, wrap
from cera.model.expressions import expression as expressions
from cera.model.expressions.constructs import (
    All,
    Construct,
    ConstructTerm,
    ConstructValue,
    OptionalConstruct,
    free_variables,
)
from cera.model.expressions.expression import Aggregate, Expression, Literal, Variable
from cera.model.terms.term import MAX_DEPTH, MAX_SIZE, Term, TermError, Value, value_key, value_size

Group = Sequence[Row]

#: The children that a construct yields for a group; None where it is undefined.
Builder = Callable[[Group], tuple[Any, ...] | None]

#: Returns whether the term of a draft is not too deep or too large; may raise an error instead.
Fitting = Callable[[Any], bool]


def cell_key(cell: Cell | None) -> tuple[Any, ...]:
    return () if cell is None else value_key(unwrap(cell))


def child_value(child: Any) -> Value:
    return draft_term(child) if isinstance(child, tuple) else unwrap(child)


class HeadCompiler:
    """A compiler of the constructs of one head over one layout."""

    def __init__(self, layout: Layout, evaluator: Evaluator, fitting: Fitting | None = None) -> None:
        self.layout = layout
        self.evaluator = evaluator
        self.fits = fits if fitting is None else fitting

    def bounded(self, construct: Construct) -> Builder:
        """Returns the builder of a part that is undefined as a whole where a term would be too deep or too large."""
        builder = self.build(construct)

        def build(group: Group) -> tuple[Any, ...] | None:
            found = builder(group)
            if found is None or all(map(self.fits, found)):
                return found
            self.evaluator.undefined += 1
            return None

        return build

    def build(self, construct: Construct) -> Builder:
        match construct:
            case ConstructTerm():
                return self._term(construct)
            case ConstructValue():
                return self._value(construct.expression)
            case OptionalConstruct():
                return self._optional(construct)
            case All():
                return self._all(construct)
            case _:
                assert_never(construct)

    def _term(self, construct: ConstructTerm) -> Builder:
        """Returns the builder of a term; a draft where the order of its unordered children is known beforehand."""
        children = list(construct.children)
        labels = [c.label for c in children if isinstance(c, ConstructTerm)]
        label, ordered = construct.label, construct.ordered
        if not ordered:
            in_known_order = len(labels) == len(children) == len(set(labels)) or len(children) == 1
            if not in_known_order or any(isinstance(c, All | OptionalConstruct) for c in children):
                return self._sorted_term(construct, [self.build(c) for c in children])
            children.sort(key=lambda c: c.label if isinstance(c, ConstructTerm) else "")
        builders = [self.build(c) for c in children]
        if len(builders) == 1:
            [only] = builders

            def single(group: Group) -> tuple[Any, ...] | None:
                found = only(group)
                return None if found is None else ((label, ordered, found),)

            return single

        def several(group: Group) -> tuple[Any, ...] | None:
            found: list[Any] = []
            for builder in builders:
                children = builder(group)
                if children is None:
                    return None
                found += children
            return ((label, ordered, tuple(found)),)

        return several

    def _sorted_term(self, construct: ConstructTerm, builders: Sequence[Builder]) -> Builder:
        def build(group: Group) -> tuple[Any, ...] | None:
            found: list[Any] = []
            for builder in builders:
                children = builder(group)
                if children is None:
                    return None
                found += children
            try:
                return (Term(construct.label, map(child_value, found), ordered=construct.ordered),)
            except TermError:
                self.fits((construct.label, construct.ordered, tuple(found)))
                self.evaluator.undefined += 1
                return None

        return build

    def _value(self, expression: Expression) -> Builder:
        match expression:
            case Variable() if expression.name not in self.layout.variables:  # another branch of an `or` binds it
                return self._missing
            case Variable():
                slot = self.layout.data(expression.name)

                def variable(group: Group) -> tuple[Any, ...] | None:
                    cell = group[0][slot]
                    if cell is None:
                        self.evaluator.undefined += 1
                        return None
                    return (cell,)

                return variable
            case Literal():
                constant = (wrap(expression.value),)
                return lambda group: constant
            case Aggregate():
                aggregate = self._aggregate(expression)

                def folded(group: Group) -> tuple[Any, ...] | None:
                    cell = aggregate(group)
                    if cell is None:
                        self.evaluator.undefined += 1
                        return None
                    return (cell,)

                return folded
            case _:
                evaluate = self.evaluate(expression)

                def computed(group: Group) -> tuple[Any, ...] | None:
                    value = evaluate(group)
                    return (wrap(value),) if isinstance(value, str | int | float | bool | Term) else None

                return computed

    def _missing(self, group: Group) -> None:
        self.evaluator.undefined += 1

    def evaluate(self, expression: Expression) -> Callable[[Group], Any]:
        """Returns an expression over a group: aggregates are folded, the rest is evaluated on what the rows share."""
        aggregates: dict[str, Callable[[Group], Cell | None]] = {}

        def without_aggregates(part: Expression) -> Expression:
            if not isinstance(part, Aggregate):
                return expressions.rebuild(part, without_aggregates)
            name = f"aggregate {len(aggregates)}"
            aggregates[name] = self._aggregate(part)
            return Variable(name)

        plain = without_aggregates(expression)
        layout, evaluator = self.layout, self.evaluator

        def evaluated(group: Group) -> Any:
            values = layout.values(group[0])
            for name, aggregate in aggregates.items():
                cell = aggregate(group)
                if cell is not None:
                    values[name] = unwrap(cell)
            return evaluator.value(plain, values, layout.times(group[0]))

        return evaluated

    def _aggregate(self, aggregate: Aggregate) -> Callable[[Group], Cell | None]:
        function, distinct = aggregate.function, aggregate.distinct
        if isinstance(aggregate.operand, Variable):
            slot = self.layout.data(aggregate.operand.name)
            pick = itemgetter(slot)

            def of_variable(group: Group) -> Cell | None:
                return fold(function, [c for c in map(pick, group) if c is not None], distinct=distinct)

            return of_variable
        evaluate = self.evaluate(aggregate.operand)

        def of_expression(group: Group) -> Cell | None:
            values = [evaluate((row,)) for row in group]
            cells = [wrap(v) for v in values if isinstance(v, str | int | float | bool | Term)]
            return fold(function, cells, distinct=distinct)

        return of_expression

    def _optional(self, construct: OptionalConstruct) -> Builder:
        inner = self.bounded(construct.construct)
        default = (lambda group: ()) if construct.default is None else self.build(construct.default)

        def build(group: Group) -> tuple[Any, ...] | None:
            before = self.evaluator.undefined
            found = inner(group)
            self.evaluator.undefined = before  # optional variables may be missing
            return found or default(group)

        return build

    def _all(self, construct: All) -> Builder:
        inner = self.bounded(construct.construct)
        group_by = self.grouping(free_variables(construct.construct) | frozenset(construct.group_by))
        orders = [(self.evaluate(key.expression), key.descending) for key in construct.order_by]

        def build(group: Group) -> tuple[Any, ...] | None:
            subgroups = group_by(group)
            for evaluate, descending in reversed(orders):
                keyed = [(_order_key(evaluate(subgroup)), subgroup) for subgroup in subgroups]
                subgroups = [subgroup for _, subgroup in sorted(keyed, key=itemgetter(0), reverse=descending)]
            return tuple(child for subgroup in subgroups for child in inner(subgroup) or ())

        return build

    def grouping(self, variables: frozenset[str]) -> Callable[[Group], list[list[Row]]]:
        """Returns a function that groups rows by the variables, in the order of the first row of each group."""
        slots = [self.layout.data(name) for name in sorted(variables) if name in self.layout.variables]

        def grouped(rows: Group) -> list[list[Row]]:
            if len(rows) == 1:
                return [list(rows)]
            found: dict[Any, list[Row]] = {}
            for row in rows:
                found.setdefault(tuple([row[slot] for slot in slots]), []).append(row)
            return list(found.values())

        return grouped


def _order_key(value: Any) -> tuple[Any, ...]:
    return value_key(value) if isinstance(value, str | int | float | bool | Term) else ()


#: A head of strings that are shorter than this fits, whatever its shape.
LONG_STRING = 1_000


def fits(child: Any) -> bool:
    """Returns whether the term that a draft stands for can be built; other values always fit."""
    if not isinstance(child, tuple):
        return True
    depth, size = _extent(child)
    return depth <= MAX_DEPTH and size <= MAX_SIZE


def _extent(child: Any) -> tuple[int, int]:
    """Returns depth and size, as a term has them."""
    if isinstance(child, tuple):
        extents = [_extent(part) for part in child[2]]
        return 1 + max((depth for depth, _ in extents), default=0), 1 + sum(size for _, size in extents)
    return child.depth if isinstance(child, Term) else 0, value_size(child)
