"""Programs as text in the canonical layout: parse(print(p)) = p.

Operators inside of others stand in parentheses, except in a chain of the same one and as arguments.
"""

from __future__ import annotations

from cera.diagnostics import Source
from cera.languages.cet import printer as cet
from cera.languages.cet.syntax import Complex, EventDeclaration
from cera.languages.snoop.parser import parse
from cera.languages.snoop.syntax import Definition, Event, Item, Mark, Operand, Operation, Program, TypeName
from cera.languages.text.formatting import formatted
from cera.languages.text.layout import HARD, SPACE, Document, Group, Indent, bracket, concat, render
from cera.languages.text.nodes import Partition
from cera.model.time.durations import format_duration

#: The operators that stand between their operands.
_BETWEEN = ("and", "or", ";")
_SIGNS: dict[Mark, tuple[str, str]] = {"*": ("*", ""), "last": ("last ", ""), "times": ("TIMES([>0], ", ")")}


def print_program(program: Program) -> str:
    return render(Printer().snoop_program(program))


def print_definition(definition: Definition) -> str:
    """Prints the definition on one line."""
    return render(Printer().named_event(definition), width=None)


class Printer(cet.Printer):
    def snoop_program(self, program: Program) -> Document:
        """Prints the declarations together, and each definition by itself."""
        written: list[Document] = []
        for place, item in enumerate(program.items):
            if place:
                apart = isinstance(item, Definition) or isinstance(program.items[place - 1], Definition)
                written.append(concat(HARD, HARD) if apart else HARD)
            written.append(self.decorate(item, self._item(item)))
        return concat(*written, HARD) if written else ""

    def _item(self, item: Item) -> Document:
        match item:
            case Definition():
                return self.named_event(item)
            case Partition() | EventDeclaration():
                return self.item(item)

    def named_event(self, definition: Definition) -> Document:
        event = definition.event
        clauses = self._clauses_of(event)
        if definition.head is not None:
            clauses.append(self.decorate(definition.head, self._head(definition.head)))
        return Group(concat(f"{definition.name.name} := ", self._in_context(event), _indented(clauses)))

    def _in_context(self, event: Event) -> Document:
        """Prints an event without its clauses; a context at its beginning governs all of it."""
        if isinstance(event, TypeName):
            return event.name
        context = "" if event.context is None else f"{event.context} "
        return concat(context, self._operation(event))

    def _clauses_of(self, event: Event) -> list[Document]:
        if isinstance(event, TypeName):
            return []
        return self._clauses(Complex(";", (), where=event.where, within=event.within))

    def _operation(self, operation: Operation) -> Document:
        if operation.kind in _BETWEEN:
            first, *others = self._chained(operation)
            rest = (concat(SPACE, f"{operation.kind} ", other) for other in others)
            return Group(concat(first, Indent(concat(*rest))))
        arguments = [self.decorate(each, self._argument(each)) for each in operation.operands]
        match operation.kind:
            case "not":
                first, absent, last = arguments
                return concat(bracket("NOT(", [absent], ")"), bracket("[", [first, last], "]"))
            case "any":
                return bracket("ANY(", [str(operation.required), *arguments], ")")
            case _ if operation.every is not None:
                called = "" if operation.ticks is None else f"{operation.ticks.name}: "
                first, last = arguments
                period = f"{called}[{format_duration(operation.every)}]"
                return bracket(f"{operation.kind}(", [first, period, last], ")")
            case _:
                return bracket(f"{operation.kind}(", arguments, ")")

    def _chained(self, operation: Operation) -> list[Document]:
        """Prints the operands of a chain of the same operator, which is a tree to the left."""
        left, right = operation.operands
        own = self.decorate(right, self._operand(right))
        inner = left.event
        if isinstance(inner, Operation) and inner.kind == operation.kind and _is_bare(inner) and left == Operand(inner):
            return [*self._chained(inner), own]
        return [self.decorate(left, self._operand(left)), own]

    def _argument(self, operand: Operand) -> Document:
        if operand.name is not None or operand.mark is not None:
            return self._operand(operand)
        return concat(self._in_context(operand.event), _indented(self._clauses_of(operand.event)))

    def _operand(self, operand: Operand) -> Document:
        name = "" if operand.name is None else f"{operand.name.name}: "
        before, after = ("", "") if operand.mark is None else _SIGNS[operand.mark]
        return concat(name, before, self._simple(operand.event), after)

    def _simple(self, event: Event) -> Document:
        if isinstance(event, TypeName):
            return event.name
        if event.kind not in _BETWEEN and _is_bare(event):
            return self._operation(event)
        return Group(concat("(", Indent(concat(self._in_context(event), _indented(self._clauses_of(event)))), ")"))


def _is_bare(operation: Operation) -> bool:
    """Returns whether an operation has neither a context nor clauses of its own."""
    return operation.context is None and not operation.where and operation.within is None


def _indented(clauses: list[Document]) -> Document:
    return Indent(concat(*(concat(SPACE, clause) for clause in clauses)))


def format_source(source: Source) -> str:
    """Formats a source as `cera fmt` does; doing that again changes nothing. Raises ProgramError if it does not
    parse."""
    parsed = parse(source)
    program = parsed.program
    printed = (lambda decorate: Printer(decorate).snoop_program(program)) if program.items else None
    return formatted(source, parsed.diagnostics, parsed.comments, printed)
