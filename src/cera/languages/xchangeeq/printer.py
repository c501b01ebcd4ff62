"""Programs as text in the canonical layout: parse(print(p)) = p.

What a person would type is printed where there is a choice: `event i:` in full, timers by their canonical names, as
few parentheses as possible, a blank line between rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cera.diagnostics import Source
from cera.languages.text.formatting import formatted
from cera.languages.text.layout import (
    HARD,
    SPACE,
    Document,
    Group,
    Indent,
    bracket,
    concat,
    join,
    render,
)
from cera.languages.text.literals import string_text
from cera.languages.xchangeeq.parser import parse
from cera.languages.xchangeeq.syntax import (
    AbsoluteTimerLiteral,
    CalendarsDirective,
    Conjunction,
    DetectHead,
    Directive,
    Disjunction,
    EventLiteral,
    Head,
    Identifier,
    Item,
    ProgramSyntax,
    Query,
    RaiseHead,
    RelationDirective,
    RelationLiteral,
    RelativeTimerLiteral,
    RuleSyntax,
    SemanticsDirective,
    SourceDirective,
    StateLiteral,
    WhileLiteral,
)
from cera.languages.xchangeeq.term_printer import TermPrinter, label_text
from cera.model.expressions.constructs import Construct
from cera.model.expressions.expression import Expression
from cera.model.matching.patterns import Pattern
from cera.model.time.durations import format_duration
from cera.rules.declarations import Attribute, RelationDeclaration, SourceLabel
from cera.rules.states import as_written, asks_for_state, written_conditions


def print_program(program: ProgramSyntax) -> str:
    return render(Printer().program(program))


def print_rule(rule: RuleSyntax) -> str:
    return render(Printer().rule(rule))


def print_query(query: Query) -> str:
    return render(Printer().query(query))


def print_pattern(pattern: Pattern) -> str:
    """Prints the pattern on one line."""
    return render(Printer().pattern(pattern), width=None)


def print_query_pattern(pattern: Pattern) -> str:
    """Prints the pattern of a query on one line, one of openings or endings of states as that of the states."""
    return f"state {print_pattern(as_written(pattern))}" if asks_for_state(pattern) else print_pattern(pattern)


def print_expression(expression: Expression) -> str:
    """Prints the expression on one line."""
    return render(Printer().expression(expression), width=None)


def print_conditions(conditions: Iterable[Expression]) -> list[str]:
    """Prints the conditions of a branch, each on one line, as they were written."""
    return [print_expression(condition) for condition in written_conditions(conditions)]


def print_source(source: SourceLabel) -> str:
    """Prints a declared label with its attributes on one line."""
    return render(_declared(source.label, source.attributes), width=None)


def print_construct(construct: Construct) -> str:
    """Prints the construct on one line."""
    return render(Printer().construct(construct), width=None)


class Printer(TermPrinter):
    """Documents for rules, queries and directives."""

    def program(self, program: ProgramSyntax) -> Document:
        """Prints the items, each on lines of its own; a blank line between two unless both are directives."""
        parts: list[Document] = []
        for before, item in zip((None, *program.items), program.items, strict=False):
            if before is not None:
                parts.append(HARD if is_directive(before) and is_directive(item) else concat(HARD, HARD))
            parts.append(self.decorate(item, self.item(item)))
        return concat(*parts, HARD) if parts else ""

    def item(self, item: Item) -> Document:
        return self.rule(item) if isinstance(item, RuleSyntax) else self._directive(item)

    def _directive(self, directive: Directive) -> Document:
        match directive:
            case SemanticsDirective():
                return f"SEMANTICS {directive.name}"
            case SourceDirective():
                sources = (_declared(source.label, source.attributes) for source in directive.sources)
                return concat("SOURCE ", Indent(join(Group(concat(",", SPACE)), sources)))
            case CalendarsDirective():
                return f"CALENDARS {string_text(directive.path)}"
            case RelationDirective():
                return _relation(directive.declared)

    def rule(self, rule: RuleSyntax) -> Document:
        return concat(
            self.decorate(rule.head, self._head(rule.head)),
            HARD,
            self.decorate(rule.query, concat("ON ", self.query(rule.query))),
            HARD,
            "END",
        )

    def _head(self, head: Head) -> Document:
        match head:
            case DetectHead():
                return concat("DETECT ", self.construct(head.construct))
            case RaiseHead():
                options = [f"recipient={string_text(head.recipient)}"]
                if head.transport is not None:
                    options.append(f"transport={string_text(head.transport)}")
                construct = self.decorate(head.construct, self.construct(head.construct))
                to = bracket("RAISE to(", options, ")")
                return Group(concat(to, " {", Indent(concat(SPACE, construct)), SPACE, "}"))

    def query(self, query: Query) -> Document:
        match query:
            case Conjunction():
                return concat("and ", self._block(query.queries), self._where(query.conditions))
            case Disjunction():
                return concat("or ", self._block(query.queries), self._where(query.conditions))
            case EventLiteral():
                pattern = self.pattern(query.pattern)
                return concat(_event(query.identifier), pattern, self._where(query.conditions))
            case RelationLiteral():
                named = "relation " if query.identifier is None else f"relation {query.identifier.name}: "
                return concat(named, self.pattern(query.pattern), self._where(query.conditions))
            case StateLiteral():
                name = "state " if query.identifier is None else f"state {query.identifier.name}: "
                return concat(name, self.pattern(query.pattern), self._where(query.conditions))
            case AbsoluteTimerLiteral():
                timer = self.timer(query.timer)
                return concat(_event(query.identifier), timer, self._where(query.conditions))
            case RelativeTimerLiteral():
                duration = format_duration(query.duration)
                return concat(_event(query.identifier), f"{query.kind}[{query.anchor.name}, {duration}]")
            case WhileLiteral():
                kind = ("not" if query.negated else "collect") + (" state" if query.of_states else "")
                pattern = self.pattern(query.pattern)
                return concat(f"while {query.window.name}: {kind} ", pattern, self._where(query.conditions))

    def _block(self, queries: Iterable[Query]) -> Document:
        """Prints `{…}` with a line for each query."""
        return _broken([self.decorate(query, self.query(query)) for query in queries])

    def _where(self, conditions: Sequence[Expression]) -> Document:
        """Prints ` where {…}`: several conditions have a line each, a single one stays on the line if it fits."""
        documents = [self.decorate(condition, self.expression(condition)) for condition in conditions]
        match documents:
            case []:
                return ""
            case [single]:
                return concat(" where ", bracket("{", [single], "}", SPACE))
            case _:
                return concat(" where ", _broken(documents))


def is_directive(item: Item) -> bool:
    return not isinstance(item, RuleSyntax)


def _broken(items: Sequence[Document]) -> Document:
    return bracket("{", items, "}", HARD)


def _event(identifier: Identifier | None) -> str:
    return "" if identifier is None else f"event {identifier.name}: "


def _declared(name: str, attributes: Sequence[Attribute] | None) -> Document:
    if attributes is None:
        return label_text(name)
    return bracket(f"{label_text(name)}{{", [_attribute(attribute) for attribute in attributes], "}")


def _relation(declared: RelationDeclaration) -> Document:
    """Prints a declaration; its clauses stay on the line, with which a directive ends."""
    clauses: list[str] = []
    if declared.source is not None:
        clauses.append(f" FROM {string_text(declared.source)}")
    if declared.refresh is not None:
        clauses.append(f" REFRESH {format_duration(declared.refresh)}")
    if declared.valid_from is not None:
        key = ", ".join(map(label_text, declared.versions_of))
        clauses.append(f" VALID FROM {label_text(declared.valid_from)}{f' BY {key}' if key else ''}")
    return concat("RELATION ", Indent(_declared(declared.name, declared.attributes)), *clauses)


def _attribute(attribute: Attribute) -> Document:
    if attribute.kind is not None:
        return f"{label_text(attribute.name)}: {attribute.kind}"
    return _declared(attribute.name, attribute.children)


def format_source(source: Source) -> str:
    """Formats a source as `cera fmt` does; doing that again changes nothing. Raises ProgramError if it does not
    parse."""
    parsed = parse(source)
    program = parsed.program
    printed = (lambda decorate: Printer(decorate).program(program)) if program.items else None
    return formatted(source, parsed.diagnostics, parsed.comments, printed)
