"""The operators of a definition as a tree in which the names of operands are looked up, each with its context.

A condition belongs to the innermost operator that has all operands that it speaks of. Where these stand at different
depths, an operator inside hands up the attributes that are asked for: it becomes a type with fields, `part1."E1.v"`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from cera.diagnostics import Span
from cera.languages.snoop.syntax import DEFAULT, Context, Event, Operand, Operation, TypeName
from cera.languages.text.nodes import Identifier
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Aggregate, EventReference, Expression, Variable


@dataclass(frozen=True)
class OperationInContext:
    """An operator with its context, and that of the operator around it."""

    operation: Operation
    context: Context
    around: Context | None


def context_of(operation: Operation, around: Context | None) -> Context:
    return operation.context or around or DEFAULT


def operations_in_context(event: Event, around: Context | None = None) -> Iterator[OperationInContext]:
    """Yields all operators of an event, outermost first, from left to right."""
    if isinstance(event, Operation):
        context = context_of(event, around)
        yield OperationInContext(event, context, around)
        for operand in event.operands:
            yield from operations_in_context(operand.event, context)


#: The places of operands on the way to one, from the outermost operator inwards.
Path = tuple[int, ...]

#: The fold of the folds of several parts; it is taken over all instances inside of them, each once.
_AGAIN = {"count": "sum", "sum": "sum", "avg": "avg", "min": "min", "max": "max", "first": "first", "last": "last"}


class AmbiguousError(Exception):
    """Several operands have the name that stands at `place`."""

    def __init__(self, name: str, place: Span | None) -> None:
        super().__init__(name)
        self.place = place


@dataclass
class Scope:
    """An operator in its context, the scopes of those that are its operands, its conditions, and what it hands up."""

    operation: Operation
    context: Context
    nested: dict[int, Scope] = field(default_factory=dict)
    where: list[Expression] = field(default_factory=list)
    fields: dict[str, Expression] = field(default_factory=dict)
    #: The name of the type of the ticks of P and P*.
    timer: str | None = None

    @property
    def ticks(self) -> str | None:
        return self.operation.ticks.name if self.operation.ticks is not None else self.timer

    @property
    def names(self) -> list[str | None]:
        """The names of the operands; the ticks of P come last."""
        return [name_of(operand) for operand in self.operation.operands] + ([self.ticks] if self.ticks else [])

    def called(self, place: int) -> str:
        return self.names[place] or f"part{place + 1}"

    def alias(self, place: int) -> Identifier | None:
        """Returns the name of an operand if it is not that of its type."""
        own = self.operation.operands[place].name
        if own is None and place in self.nested and self.nested[place].fields:
            return Identifier(self.called(place))
        return own

    def paths(self, name: str) -> Iterator[Path]:
        for place, own in enumerate(self.names):
            if own == name:
                yield (place,)
        for place, scope in self.nested.items():
            yield from ((place, *path) for path in scope.paths(name))

    def path(self, name: str, place: Span | None = None) -> Path | None:
        """Returns the path to the operand with the name, the outermost one of several; None if there is none."""
        found = sorted(self.paths(name), key=len)
        if len(found) > 1 and len(found[0]) == len(found[1]):
            raise AmbiguousError(name, place)
        return found[0] if found else None

    def add(self, conjunct: Expression) -> None:
        """Adds a condition to the innermost operator that it can be about."""
        paths = [self.path(name, conjunct.span) for name in mentioned(conjunct)]
        first = paths[0] if paths else None
        if first is not None and len(first) > 1 and all(path is not None and path[0] == first[0] for path in paths):
            self.nested[first[0]].add(conjunct)
        else:
            self.where.append(self.resolved(conjunct))

    def resolved(self, expression: Expression) -> Expression:
        """Returns the expression with attributes of nested operators handed up."""
        match expression:
            case Variable(name=name):
                path = self.path(name.partition(".")[0], expression.span)
                return expression if path is None or len(path) == 1 else self._handed(path, expression)
            case Aggregate(operand=EventReference(identifier=component) | Variable(name=component)):
                path = self.path(component.partition(".")[0], expression.span)
                return expression if path is None or len(path) == 1 else self._folded(path, expression)
            case _:
                return expressions.rebuild(expression, self.resolved)

    def _handed(self, path: Path, attribute: Variable) -> Variable:
        """Hands up an attribute of a nested operand, which keeps its name: `part1."E1.v"`."""
        place, *rest = path
        scope = self.nested[place]
        scope.fields[attribute.name] = attribute if len(rest) == 1 else scope._handed(tuple(rest), attribute)
        return Variable(f"{self.called(place)}.{attribute.name}", attribute.span)

    def _folded(self, path: Path, fold: Aggregate) -> Expression:
        place, *rest = path
        scope = self.nested[place]
        known = fold_text(fold)
        scope.fields[known] = fold if len(rest) == 1 else scope._folded(tuple(rest), fold)
        return Aggregate(_AGAIN[fold.function], Variable(f"{self.called(place)}.{known}"), span=fold.span)


def scope_of(operation: Operation, around: Context | None = None) -> Scope:
    context = context_of(operation, around)
    nested = {
        place: scope_of(operand.event, context)
        for place, operand in enumerate(operation.operands)
        if isinstance(operand.event, Operation)
    }
    return Scope(operation, context, nested)


def scopes(scope: Scope) -> Iterator[Scope]:
    """Yields the scope and those inside of it, outermost first."""
    yield scope
    for inner in scope.nested.values():
        yield from scopes(inner)


def name_of(operand: Operand) -> str | None:
    """Returns the name of an operand in conditions."""
    if operand.name is not None:
        return operand.name.name
    return operand.event.name if isinstance(operand.event, TypeName) else None


def mentioned(expression: Expression) -> list[str]:
    """Returns the names of the operands in an expression."""
    found = {
        part.name.partition(".")[0] if isinstance(part, Variable) else part.identifier
        for part in expressions.walk(expression)
        if isinstance(part, Variable | EventReference)
    }
    return sorted(found)


def fold_text(fold: Aggregate) -> str:
    operand = fold.operand
    assert isinstance(operand, Variable | EventReference)
    return f"{fold.function}({operand.name if isinstance(operand, Variable) else operand.identifier})"
