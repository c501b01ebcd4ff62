"""From Lark's tree of a rule or a directive to what it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from lark import Token, Tree

from cera.datalog.sections import (
    DetectDirective,
    GranularityDirective,
    Item,
    ModuleDirective,
    MonitorDirective,
    PartitionDirective,
    RelationDirective,
)
from cera.datalog.syntax import Atom
from cera.diagnostics import Diagnostic, Span, did_you_mean
from cera.languages.datalog.transformer import Application, ClauseError, ClauseTransformer
from cera.languages.text.items import Place
from cera.model.expressions.expression import Expression, Variable
from cera.modules.monitoring import GRANULARITIES, OPERATIONS, Granularity, MonitoredEvents, predicate_of


def transform(tree: Tree[Token], place: Place) -> Item:
    """Returns the rule or directive of a tree. Raises ClauseError."""
    found = _ItemTransformer(place)
    return found.clause(tree) if tree.data == "clause" else found.directive(tree)


class _ItemTransformer(ClauseTransformer):
    def directive(self, tree: Tree[Token]) -> Item:
        span = self._span_of(tree)
        parts = cast("list[Any]", tree.children)
        match tree.data:
            case "module_directive":
                return ModuleDirective(self.name(parts[0]), span)
            case "monitor_directive":
                return MonitorDirective(tuple(self._event(part) for part in parts), span)
            case "relation_directive":
                name, *attributes = map(self.name, parts)
                return RelationDirective(name, tuple(attributes), span)
            case "granularity_directive":
                unit = self._word(parts[0], GRANULARITIES, "a stage is made by an operation, a transaction or a time")
                return GranularityDirective(cast(Granularity, unit), span)
            case "partition_directive":
                return PartitionDirective(self.name(parts[0]), span)
            case "detect_directive":
                rule, detected, *head = parts
                label = self.name(head[0]) if head else None
                fields = tuple(self._field(field) for field in head[1:]) if head else None
                return DetectDirective(self.name(rule), *self._detected(detected), label, fields, span)
            case _:
                raise AssertionError(tree.data)

    def _event(self, tree: Tree[Token]) -> MonitoredEvents:
        span = self._span_of(tree)
        parts = cast("list[Token]", tree.children)
        if tree.data == "labelled":
            name = self.name(parts[0])
            return MonitoredEvents(name, name, span=span)
        operation = self._word(parts[0], OPERATIONS, "a change is insert(…), delete(…) or update(…)")
        table = self.name(parts[1])
        return MonitoredEvents(predicate_of(operation, table), table, operation, span=span)

    def _detected(self, tree: Tree[Token]) -> tuple[Atom, tuple[str, ...]]:
        """Returns the atom that is detected, and the names given to its arguments."""
        predicate, *written = cast("list[Any]", tree.children)
        names: list[str | None] = []
        arguments = []
        for argument in written:
            is_named = isinstance(argument, Tree) and argument.data == "named"
            names.append(self.name(argument.children[0]) if is_named else None)
            arguments.append(self.part(argument.children[1] if is_named else argument))
        atom = self.to_atom(Application(self.name(predicate), tuple(arguments), self._span_of(tree)))
        own = [each.name if isinstance(each, Variable) else "_" for each in atom.arguments]
        return atom, tuple(name or variable for name, variable in zip(names, own, strict=False))

    def _field(self, tree: Tree[Token]) -> tuple[str, Expression]:
        name, value = cast("list[Any]", tree.children)
        return self.name(name), self.expression(self.part(value))

    def _word(self, token: Token, known: Sequence[str], message: str) -> str:
        """Returns the word if it is one of those that can stand here, else raises ClauseError."""
        if token not in known:
            raise ClauseError(_unknown(str(token), known, message, self._span_of(token)))
        return str(token)


def _unknown(word: str, known: Sequence[str], message: str, span: Span) -> Diagnostic:
    return Diagnostic("DL001", "error", f"{message}, found '{word}'", span, did_you_mean(word, known))
