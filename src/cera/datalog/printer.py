"""Programs, directives and modules as text, in the spelling of the paper with ASCII signs. `parse` reads them back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import assert_never

from cera.datalog.sections import (
    DetectDirective,
    GranularityDirective,
    Item,
    ModuleDirective,
    MonitorDirective,
    PartitionDirective,
    RelationDirective,
    Section,
)
from cera.datalog.syntax import Anonymous, Argument, Atom, BodyPart, Not, Program, Rule, StageTerm
from cera.model.expressions.expression import Expression, Variable
from cera.model.expressions.printer import ExpressionPrinter, Special, Spelling
from cera.model.terms.term import format_scalar
from cera.modules.monitoring import MonitoredEvents

#: Longer rules are broken behind the commas of their bodies.
WIDTH = 110

_NAME = re.compile(r"(?!(?:or|and|not)$)[A-Za-z_][A-Za-z0-9_]*", re.IGNORECASE)

_HYPHENATED = re.compile(r"[a-z][A-Za-z0-9_]*(-[A-Za-z][A-Za-z0-9_]*)+")


def print_program(program: Program) -> str:
    """Prints one rule below the other, with a full stop each."""
    return "".join(f"{print_rule(rule)}\n" for rule in program.rules)


def print_rule(rule: Rule) -> str:
    head = print_atom(rule.head)
    if not rule.body:
        return f"{head}."
    parts = [print_part(part) for part in rule.body]
    line = f"{head} <- {', '.join(parts)}."
    return line if len(line) <= WIDTH else f"{head} <-\n    " + ",\n    ".join(parts) + "."


def print_part(part: BodyPart) -> str:
    match part:
        case Atom():
            return print_atom(part)
        case Not():
            return f"not {print_atom(part.atom)}"
        case _:
            return print_expression(part)


def print_atom(atom: Atom) -> str:
    arguments = [print_argument(argument) for argument in atom.arguments]
    match atom.stage:
        case None:
            pass
        case StageTerm():
            arguments.append(atom.stage.value)
        case int():
            arguments.append(str(atom.stage))
    return f"{print_name(atom.predicate)}({', '.join(arguments)})"


def print_name(name: str) -> str:
    """Prints a name as it is if it is a word, else in quotes."""
    return name if _NAME.fullmatch(name) else format_scalar(name)


def print_argument(argument: Argument) -> str:
    return "_" if isinstance(argument, Anonymous) else print_expression(argument)


def print_expression(expression: Expression) -> str:
    return _PRINTER.expression(expression)


def _function(name: str) -> str:
    return name if _HYPHENATED.fullmatch(name) else print_name(name)


class _Printer(ExpressionPrinter[str]):
    spelling = Spelling(function=_function)

    def _word(self, text: str) -> str:
        return text

    def _parenthesised(self, inside: str) -> str:
        return f"({inside})"

    def _prefixed(self, sign: str, operand: str) -> str:
        return f"{sign}{operand}"

    def _infix(self, left: str, operator: str, right: str) -> str:
        return f"{left} {operator} {right}"

    def _chain(self, connective: str, operands: Sequence[str]) -> str:
        return f" {connective} ".join(operands)

    def _call(self, function: str, arguments: Sequence[str]) -> str:
        return f"{function}({', '.join(arguments)})"

    def _special(self, expression: Special) -> str:
        raise ValueError(f"Datalog_1S has no {type(expression).__name__}")


_PRINTER = _Printer()


def print_section(section: Section) -> str:
    """Prints the directives, an empty line, the rules."""
    rules = [print_item(item) for item in section.items if isinstance(item, Rule)]
    directives = [print_item(item) for item in section.items if not isinstance(item, Rule)]
    gap = [""] if rules and directives else []
    return "".join(f"{line}\n" for line in (*directives, *gap, *rules))


def print_item(item: Item) -> str:
    match item:
        case Rule():
            return print_rule(item)
        case ModuleDirective():
            return f"module {print_name(item.name)}."
        case MonitorDirective():
            return f"monitor {', '.join(map(_event, item.events))}."
        case RelationDirective():
            return f"relation {print_name(item.name)}({', '.join(map(print_name, item.attributes))})."
        case GranularityDirective():
            return f"granularity {item.unit}."
        case PartitionDirective():
            return f"partition by {print_name(item.attribute)}."
        case DetectDirective():
            return f"detect {print_name(item.rule)}: {_told(item)}{_head(item)}."
        case _:
            assert_never(item)


def _event(event: MonitoredEvents) -> str:
    name = print_name(event.name)
    return name if event.operation is None else f"{event.operation}({name})"


def _told(item: DetectDirective) -> str:
    """Prints the atom with the names of its arguments, where these differ from their variables."""
    named = (
        print_argument(each) if each == Variable(name) else f"{print_name(name)}: {print_argument(each)}"
        for name, each in zip(item.causes, item.atom.arguments, strict=True)
    )
    stage = item.atom.stage
    arguments = [*named, *([] if stage is None else [stage.value if isinstance(stage, StageTerm) else str(stage)])]
    return f"{print_name(item.atom.predicate)}({', '.join(arguments)})"


def _head(item: DetectDirective) -> str:
    if item.label is None:
        return ""
    fields = (f"{print_name(name)}: {print_expression(value)}" for name, value in item.fields or ())
    return f" as {print_name(item.label)}({', '.join(fields)})"
