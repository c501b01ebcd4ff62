"""Modules as text in the canonical layout: parse(print(m)) = m."""

from __future__ import annotations

import re

from cera.diagnostics import Source
from cera.languages.epl.parser import parse
from cera.languages.epl.syntax import (
    Action,
    AnyEvent,
    Basic,
    Conjunction,
    Declaration,
    Disjunction,
    Event,
    First,
    Granularity,
    Head,
    Module,
    Monitor,
    Negation,
    Prior,
    Relation,
    RelaxedSequence,
    Rule,
    Sequence,
    Sql,
    Star,
    System,
    Within,
    Write,
)
from cera.languages.expressions.printer import ExpressionPrinter
from cera.languages.text.formatting import formatted
from cera.languages.text.layout import HARD, SPACE, Document, Group, Indent, bracket, concat, join, render
from cera.languages.text.literals import string_text
from cera.languages.text.nodes import EventType, Partition
from cera.model.expressions.expression import Expression
from cera.model.expressions.printer import Spelling
from cera.model.time.durations import format_duration

#: Words that would be read as something else where a label stands; as labels they are quoted.
_RESERVED = frozenset(
    {"any", "insert", "delete", "update", "ins", "del", "upd", "sequence", "relative", "prior", "first"}
)
#: The same where the name of an attribute or a field stands.
_WORDS = frozenset({"not", "and", "or", "mod", "true", "false"})
_LABEL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(-[A-Za-z0-9_]+)*")


def print_modules(modules: tuple[Module, ...]) -> str:
    return render(Printer().modules(modules))


def print_event(event: Event) -> str:
    """Prints the event on one line."""
    return render(Printer().event(event), width=None)


def print_condition(condition: Expression) -> str:
    """Prints the condition on one line."""
    return render(Printer().expression(condition), width=None)


class Printer(ExpressionPrinter):
    spelling = Spelling(conjunction="AND", disjunction="OR", negation="NOT")

    def modules(self, modules: tuple[Module, ...]) -> Document:
        documents = [self.decorate(module, self.module(module)) for module in modules]
        return concat(join(concat(HARD, HARD), documents), HARD) if documents else ""

    def module(self, module: Module) -> Document:
        declarations = [self.decorate(declared, self._declaration(declared)) for declared in module.declarations]
        rules = [self.decorate(rule, self.rule(rule)) for rule in module.rules]
        blocks = ([join(HARD, declarations)] if declarations else []) + rules
        if not blocks:
            return concat(f"begin {module.name.name}", HARD, "end.")
        inside = Indent(concat(HARD, join(concat(HARD, HARD), blocks)))
        return concat(f"begin {module.name.name}", inside, HARD, "end.")

    def _declaration(self, declared: Declaration) -> Document:
        match declared:
            case Monitor():
                types = join(concat(",", SPACE), (event_type_text(each) for each in declared.types))
                return Group(concat("monitor ", Indent(types), ";"))
            case Relation():
                attributes = [name_text(each) for each in declared.attributes]
                return concat(bracket(f"relation {label_text(declared.name)}(", attributes, ")"), ";")
            case Granularity():
                return f"granularity {declared.unit};"
            case Partition():
                return f"partition by {name_text(declared.attribute)};"

    def rule(self, rule: Rule) -> Document:
        parts: list[Document] = [concat(HARD, self.decorate(rule.event, self.event(rule.event)))]
        if rule.context != "unrestricted":
            parts.append(concat(HARD, f"in {rule.context} context"))
        if rule.head is not None:
            parts.append(concat(HARD, self.decorate(rule.head, self._head(rule.head))))
        if rule.action is not None:
            parts.append(concat(HARD, self.decorate(rule.action, concat("-> ", self._action(rule.action)))))
        return concat(f"{rule.name.name}:", Indent(concat(*parts)), ".")

    def _head(self, head: Head) -> Document:
        fields = [
            self.decorate(each, concat(name_text(each.name), ": ", self.expression(each.expression)))
            for each in head.fields
        ]
        return bracket(f"as {label_text(head.label)}(", fields, ")")

    def _action(self, action: Action) -> Document:
        match action:
            case Write():
                opening, text = (
                    "write(" if action.file is None else f"write to {string_text(action.file)} (",
                    action.format,
                )
            case Sql():
                opening, text = "sql(", action.command
            case System():
                opening, text = "system(", action.command
        return bracket(opening, [string_text(text), *(self.expression(each) for each in action.arguments)], ")")

    def event(self, event: Event) -> Document:
        match event:
            case Basic():
                return self._basic(event)
            case AnyEvent():
                return "any"
            case Sequence():
                return bracket("(", self._each(event.events), ")")
            case RelaxedSequence():
                return bracket("[", self._each(event.events), "]")
            case Disjunction():
                return bracket("{", self._each(event.events), "}")
            case Prior():
                return bracket("prior(", self._each(event.events), ")")
            case First():
                return bracket("first(", self._each((event.event,)), ")")
            case Conjunction():
                first, *others = self._each(event.events)
                chain = concat(first, *(concat(" &", SPACE, other) for other in others))
                return Group(concat("(", Indent(chain), ")"))
            case Star():
                return concat("*:", self.event(event.event))
            case Negation():
                return concat("!", self.event(event.event))
            case Within():
                inner = self.event(event.event)
                needs_parentheses = isinstance(event.event, Star | Negation | Within)
                return concat(
                    concat("(", inner, ")") if needs_parentheses else inner,
                    f" within {format_duration(event.duration)}",
                )

    def _each(self, events: tuple[Event, ...]) -> list[Document]:
        return [self.decorate(event, self.event(event)) for event in events]

    def _basic(self, event: Basic) -> Document:
        conditions = [self.decorate(condition, self.expression(condition)) for condition in event.conditions]
        variable = "" if event.variable is None else event.variable.name
        if event.type.kind is None:
            return (
                bracket(f"{label_text(event.type.name)}(", [variable, *conditions], ")")
                if variable
                else (label_text(event.type.name))
            )
        named = f"{label_text(event.type.name)}({variable})" if variable else label_text(event.type.name)
        return bracket(f"{event.type.kind}(", [named, *conditions], ")")


def event_type_text(event: EventType) -> str:
    return label_text(event.name) if event.kind is None else f"{event.kind}({label_text(event.name)})"


def label_text(label: str) -> str:
    return label if _LABEL.fullmatch(label) and label not in _RESERVED else string_text(label)


def name_text(name: str) -> str:
    """Prints the name of an attribute or a field where it is declared."""
    return name if _LABEL.fullmatch(name) and name.lower() not in _WORDS else string_text(name)


def format_source(source: Source) -> str:
    """Formats a source as `cera fmt` does; doing that again changes nothing. Raises ProgramError if it does not
    parse."""
    parsed = parse(source)
    modules = parsed.modules
    printed = (lambda decorate: Printer(decorate).modules(modules)) if modules else None
    return formatted(source, parsed.diagnostics, parsed.comments, printed)
