"""Automata as text in the canonical layout: parse(print(p)) = p."""

from __future__ import annotations

import re

from cera.automata.automaton import Constant, Declaration, EventQuery, Reference, Value
from cera.diagnostics import Source
from cera.errors import ProgramError
from cera.languages.ihta.json_reader import is_json
from cera.languages.ihta.parser import parse
from cera.languages.ihta.syntax import (
    Arrow,
    AutomatonText,
    Block,
    Header,
    Invariant,
    Item,
    LabelText,
    Member,
    Names,
    Nested,
    Program,
    Schema,
    Use,
)
from cera.languages.patterns.printer import PatternPrinter
from cera.languages.text.formatting import Decorate, blank_line_between, formatted, undecorated
from cera.languages.text.layout import HARD, SPACE, Document, Group, Indent, concat, join, render
from cera.languages.text.literals import string_text
from cera.model.expressions.expression import Expression
from cera.model.expressions.printer import COMPARISON, Spelling
from cera.model.matching.patterns import TermPattern
from cera.model.terms.term import format_scalar
from cera.model.time.durations import Duration, format_duration

_WORD = re.compile(r"(?!(?:true|false|not)$)[a-z][A-Za-z0-9_]*(-[A-Za-z][A-Za-z0-9_]*)*")
_LABEL = re.compile(rf"{_WORD.pattern}|[A-Z_][A-Za-z0-9_]*|true|false")
_CODE = re.compile("0[0-9]+")
#: Labels of patterns that need no quotes.
_PLAIN = re.compile(r"(?!(?:not|var|unique)$)([a-z][A-Za-z0-9_]*(-[A-Za-z][A-Za-z0-9_]*)*|[A-Z_][A-Za-z0-9_]*)")


def print_program(program: Program) -> str:
    return render(Printer().program(program))


def print_automaton(automaton: AutomatonText) -> str:
    return render(concat(Printer().item(automaton), HARD))


def print_arrow(arrow: Arrow) -> str:
    """Returns a transition on one line."""
    return render(Printer().member(arrow), width=None)


class Printer(PatternPrinter):
    spelling = Spelling(variable=str)

    def __init__(self, decorate: Decorate = undecorated, *, keeps_gaps: bool = False) -> None:
        super().__init__(decorate)
        #: Whether blank lines between states and transitions are those of the source.
        self._keeps_gaps = keeps_gaps
        #: The variables that the pattern being printed declares, each as it is written where it comes next.
        self._declared: dict[str, str] = {}

    def program(self, program: Program) -> Document:
        written: list[Document] = []
        for place, item in enumerate(program.items):
            if place:
                both = isinstance(item, Use) and isinstance(program.items[place - 1], Use)
                written.append(HARD if both else concat(HARD, HARD))
            written.append(self.decorate(item, self.item(item)))
        return concat(*written, HARD) if written else ""

    def item(self, item: Item) -> Document:
        if isinstance(item, Use):
            return f"use {string_text(item.path)};"
        strict = "strict " if item.is_strict else ""
        return concat(strict, "automaton ", self._header(item.header), " ", self._block(item.block))

    def _header(self, header: Header) -> str:
        inside = ", ".join(f"{name}({self._value(value)})" for name, value in header.attributes)
        return f"{header.name}({inside})" if header.attributes else header.name

    def _block(self, block: Block) -> Document:
        members = [self.decorate(member, self.member(member)) for member in block.members]
        if block.is_opaque:
            members.insert(0, "...")
        gaps = [False, *map(self._is_gap, block.members, block.members[1:])]
        gaps = [*([False] if block.is_opaque else []), *gaps]
        lines = (concat(HARD, HARD if gap else "", member) for gap, member in zip(gaps, members, strict=False))
        return concat("{", Indent(concat(*lines)), HARD, "}")

    def _is_gap(self, first: Member, second: Member) -> bool:
        """Returns whether there is a blank line between two members: as in the source, or around states with states."""
        if not self._keeps_gaps or first.span is None or second.span is None:
            return any(isinstance(each, Nested) and each.block is not None for each in (first, second))
        return blank_line_between(first.span.source.text, first.span.end, second.span.start)

    def member(self, member: Member) -> Document:
        match member:
            case Names():
                names = ", ".join(name.name for name in member.names)
                return f"{' '.join([*member.roles, names])};"
            case Nested():
                roles = "".join(f"{role} " for role in member.roles)
                identifier = "" if member.identifier is None else f"{member.identifier.name}: "
                begin = f"{roles}state {identifier}{self._header(member.header)}"
                return f"{begin};" if member.block is None else concat(begin, " ", self._block(member.block))
            case Arrow():
                source = "enter" if member.source is None else member.source.name
                return Group(concat(f"{source} -> {member.target.name}: ", self._label(member.label), ";"))
            case Invariant():
                return Group(
                    concat(
                        f"{member.state.name} while ", self._conjunction(list(map(self.bound, member.conditions))), ";"
                    )
                )
            case Schema():
                return concat("schema ", join(", ", [self.query(query) for query in member.queries]), ";")

    def _label(self, label: LabelText) -> Document:
        parts: list[Document] = []
        if label.query is not None:
            negation = "not " if label.negated else ""
            identifier = "" if label.identifier is None else f"{label.identifier.name}: "
            parts.append(concat(negation, identifier, self.query(label.query)))
        return self._conjunction([*parts, *map(self.bound, label.conditions)])

    def bound(self, condition: Expression) -> Document:
        return self.expression(condition, COMPARISON)

    def _conjunction(self, parts: list[Document]) -> Document:
        first, *others = parts
        return concat(first, Indent(concat(*(concat(SPACE, "and ", other) for other in others))))

    def query(self, query: EventQuery) -> Document:
        if query.pattern is not None:
            self._declared = {each.variable: self._declaration(each, "var ") for each in query.declarations}
            return self.pattern(query.pattern)
        label = query.label if _LABEL.fullmatch(query.label) else string_text(query.label)
        is_plain = not query.attributes and _PLAIN.fullmatch(query.label) and query.label not in ("true", "false")
        return label if is_plain else f"{label}({self._attributes(query.attributes)})"

    def _attributes(self, attributes: tuple[tuple[tuple[str, ...], Value], ...]) -> str:
        parts: list[str] = []
        place = 0
        while place < len(attributes):
            path, value = attributes[place]
            name = path[0] if _LABEL.fullmatch(path[0]) else string_text(path[0])
            if len(path) == 1:
                parts.append(f"{name}({self._value(value)})")
                place += 1
                continue
            inside = []
            while place < len(attributes) and attributes[place][0][0] == path[0] and len(attributes[place][0]) > 1:
                inside.append((attributes[place][0][1:], attributes[place][1]))
                place += 1
            parts.append(f"{name}({self._attributes(tuple(inside))})")
        return ", ".join(parts)

    def _value(self, value: Value) -> str:
        match value:
            case Reference():
                return value.variable
            case Declaration():
                return self._declaration(value)
            case Constant(value=str() as text) if _WORD.fullmatch(text) or _CODE.fullmatch(text):
                return text
            case Constant():
                return format_scalar(value.value)

    def _declaration(self, declaration: Declaration, word: str = "") -> str:
        unique = "unique " if declaration.unique else ""
        memory = "" if declaration.memory is None else f" for {format_duration(Duration(0, declaration.memory))}"
        return f"{unique}{word}{declaration.variable}*{memory}"

    def _pattern_variable(self, name: str) -> str:
        """Returns `var X`, or `var X*`: what makes it unique is written once."""
        found = self._declared.get(name)
        if found is None:
            return super()._pattern_variable(name)
        self._declared[name] = f"var {name}*"
        return found

    def _pattern_label(self, pattern: TermPattern) -> str:
        label = pattern.label
        return (
            string_text(label)
            if isinstance(label, str) and not _PLAIN.fullmatch(label)
            else super()._pattern_label(pattern)
        )


def format_source(source: Source) -> str:
    """Formats a source as `cera fmt` does; doing that again changes nothing. Raises ProgramError if it does not
    parse."""
    parsed = parse(source)
    program = parsed.program
    if is_json(source.text):
        from cera.languages.ihta.json_writer import json_text

        if parsed.diagnostics:
            raise ProgramError(parsed.diagnostics)
        return json_text(tuple(program.automata))
    printed = (lambda decorate: Printer(decorate, keeps_gaps=True).program(program)) if program.items else None
    return formatted(source, parsed.diagnostics, parsed.comments, printed, keeps_gaps=True)
