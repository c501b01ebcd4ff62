"""Programs as text in the canonical layout: parse(print(p)) = p.

Only modes that are not the default are printed, unless all are asked for.
"""

from __future__ import annotations

import re

from cera.diagnostics import Source
from cera.instances.types import Delimiter
from cera.languages.cet.parser import parse
from cera.languages.cet.syntax import (
    Complex,
    Definition,
    EventDeclaration,
    Head,
    Item,
    Operand,
    Program,
    Timer,
)
from cera.languages.expressions.printer import ExpressionPrinter
from cera.languages.text.formatting import Decorate, formatted, undecorated
from cera.languages.text.layout import HARD, SPACE, Document, Group, Indent, bracket, concat, render
from cera.languages.text.literals import string_text
from cera.languages.text.nodes import EventType, Field, Partition
from cera.model.expressions.expression import Expression
from cera.model.expressions.printer import NOT
from cera.model.time.durations import format_duration

#: Words that would be read as something else where the name of a field or an attribute stands; these are quoted.
_WORDS = frozenset({"not", "and", "or", "mod", "true", "false"})
_KINDS = frozenset({"insert", "delete", "update", "ins", "del", "upd"})
_LABEL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(-[A-Za-z0-9_]+)*")
_COMMENT = re.compile(r"#[^\n]*|/\*.*?\*/", re.DOTALL)
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


def print_program(program: Program, *, all_modes: bool = False) -> str:
    return render(Printer(all_modes=all_modes).program(program))


def print_definition(definition: Definition, *, all_modes: bool = False) -> str:
    """Prints the definition on one line."""
    return render(Printer(all_modes=all_modes).definition(definition), width=None)


def print_type(type_: Complex, *, all_modes: bool = False) -> str:
    """Prints the type on one line."""
    return render(Printer(all_modes=all_modes).complex(type_), width=None)


def print_operand(operand: Operand) -> str:
    """Prints the component with its modes on one line."""
    return render(Printer().operand(operand), width=None)


def print_expression(expression: Expression) -> str:
    """Prints the condition or value on one line."""
    return render(Printer().expression(expression), width=None)


class Printer(ExpressionPrinter):
    def __init__(self, decorate: Decorate = undecorated, *, all_modes: bool = False) -> None:
        super().__init__(decorate)
        self._all_modes = all_modes

    def program(self, program: Program) -> Document:
        """Prints the items, with the empty lines that there are, and one after the declarations."""
        written: list[Document] = []
        for place, item in enumerate(program.items):
            if place:
                written.append(concat(HARD, HARD) if _apart(program.items[place - 1], item) else HARD)
            written.append(self.decorate(item, self.item(item)))
        return concat(*written, HARD) if written else ""

    def item(self, item: Item) -> Document:
        match item:
            case Partition():
                return f"partition by {name_text(item.attribute)};"
            case EventDeclaration():
                return self._event(item)
            case Definition():
                return self.definition(item)

    def _event(self, event: EventDeclaration) -> Document:
        named: Document = f"event {event.name.name}"
        if event.attributes:
            named = bracket(f"event {event.name.name}(", [name_text(each) for each in event.attributes], ")")
        if event.type == EventType(None, event.name.name):
            return concat(named, ";")
        return concat(named, f" = {event_type_text(event.type)};")

    def definition(self, definition: Definition) -> Document:
        name = f"{definition.name.name} := "
        match definition.type:
            case Timer() as timer:
                return concat(name, self._timer(timer), ";")
            case Complex() as type_:
                head = definition.head
                clauses = self._clauses(type_, "" if head is not None else ";")
                if head is not None:
                    clauses.append(self.decorate(head, concat(self._head(head), ";")))
                return Group(concat(name, self._operands(type_), _indented(clauses) if clauses else ";"))

    def _timer(self, timer: Timer) -> str:
        every = "every " if timer.repeats else ""
        last = "last " if timer.latest else ""
        until = "" if timer.stop is None else f" until {timer.stop.name}"
        return f"{every}{format_duration(timer.after)} after {last}{timer.start.name}{until}"

    def complex(self, type_: Complex, alias: Document = "") -> Document:
        """Prints the type, and its name if it is a component."""
        clauses = self._clauses(type_)
        if not clauses:
            return concat(self._operands(type_), concat(" ", alias) if alias else "")
        return Group(concat(self._operands(type_), _indented([*clauses, *([alias] if alias else [])])))

    def _operands(self, type_: Complex) -> Document:
        operator = type_.operator if type_.operator != "of" else f"{type_.required} of "
        operands = [self.decorate(operand, self.operand(operand)) for operand in type_.operands]
        return bracket(f"{self._operator_modes(type_)}{operator}(", operands, ")")

    def _clauses(self, type_: Complex, ending: str = "") -> list[Document]:
        """Prints the clauses. `ending` stands right behind the last one, before any comment."""
        clauses: list[Document] = []
        if type_.where:
            endings = [*("" for _ in type_.where[1:]), ending if type_.within is None else ""]
            first, *others = (
                self.decorate(each, concat(self.expression(each, NOT), end))
                for each, end in zip(type_.where, endings, strict=True)
            )
            rest = (concat(SPACE, "and ", other) for other in others)
            clauses.append(Group(concat("where ", first, Indent(concat(*rest)))))
        if type_.within is not None:
            clauses.append(f"within {format_duration(type_.within)}{ending}")
        return clauses

    def _operator_modes(self, type_: Complex) -> str:
        modes = (
            (type_.time, type_.time != "end"),
            ("overlapping" if type_.overlapping else "non-overlapping", not type_.overlapping),
            ("continuous" if type_.continuous else "non-continuous", type_.continuous),
            ("right-to-left" if type_.right_to_left else "left-to-right", type_.right_to_left),
        )
        return "".join(f"{mode}: " for mode, differs in modes if differs or self._all_modes)

    def operand(self, operand: Operand) -> Document:
        modes: list[str] = [operand.selection] if operand.selection != "last" or self._all_modes else []
        if operand.inside != operand.outside:
            modes += [f"inside {operand.inside}", f"outside {operand.outside}"]
        elif operand.inside != "exclusive parameter" or self._all_modes:
            modes.append(operand.inside)
        if operand.delimiter is not None:
            modes.append(delimiter_text(operand.delimiter))
        before = "".join(f"{mode}: " for mode in modes)
        alias = self._alias(operand)
        if isinstance(operand.type, Complex):
            return concat(before, self.complex(operand.type, alias))
        return concat(before, operand.type.name, concat(" ", alias) if alias else "")

    def _alias(self, operand: Operand) -> Document:
        if operand.alias is None:
            return ""
        name = f"as {operand.alias.name}"
        return name if operand.fields is None else bracket(f"{name}(", self._fields(operand.fields), ")")

    def _head(self, head: Head) -> Document:
        label = f"as {label_text(head.label)}"
        return label if head.fields is None else bracket(f"{label}(", self._fields(head.fields), ")")

    def _fields(self, fields: tuple[Field, ...]) -> list[Document]:
        return [
            self.decorate(each, concat(name_text(each.name), ": ", self.expression(each.expression))) for each in fields
        ]


def _apart(before: Item, item: Item) -> bool:
    if isinstance(before, Definition) != isinstance(item, Definition):
        return True
    if before.span is None or item.span is None or before.span.source is not item.span.source:
        return False
    between = item.span.source.text[before.span.end : item.span.start]
    return _BLANK_LINE.search(_COMMENT.sub("#", between)) is not None


def _indented(clauses: list[Document]) -> Document:
    return Indent(concat(*(concat(SPACE, clause) for clause in clauses)))


def delimiter_text(delimiter: Delimiter) -> str:
    if delimiter.most is None:
        return f"({delimiter.least}-)"
    if delimiter.least == delimiter.most:
        return f"({delimiter.least})"
    return f"(-{delimiter.most})" if delimiter.least == 0 else f"({delimiter.least}-{delimiter.most})"


def event_type_text(event: EventType) -> str:
    return label_text(event.name) if event.kind is None else f"{event.kind}({label_text(event.name)})"


def label_text(label: str) -> str:
    return label if _LABEL.fullmatch(label) and label not in _KINDS else string_text(label)


def name_text(name: str) -> str:
    """Prints the name of an attribute or a field where it is declared."""
    return name if _LABEL.fullmatch(name) and name.lower() not in _WORDS else string_text(name)


def format_source(source: Source) -> str:
    """Formats a source as `cera fmt` does; doing that again changes nothing. Raises ProgramError if it does not
    parse."""
    parsed = parse(source)
    program = parsed.program
    printed = (lambda decorate: Printer(decorate).program(program)) if program.items else None
    return formatted(source, parsed.diagnostics, parsed.comments, printed)
