"""Programs as text in the canonical layout, in ASCII: parse(print(p)) = p.

What a person would type is printed where there is a choice: `while` before every evaluation time of a literal, timers
by their canonical names, strings without quotes where they are plain words, as few parentheses as possible, a full stop
after each rule.
"""

from __future__ import annotations

from typing import assert_never

from cera.diagnostics import Source
from cera.languages.atoms.printer import AtomPrinter, declared_name, without_separators
from cera.languages.streamlog.cutting import arrows_joined
from cera.languages.streamlog.parser import parse
from cera.languages.streamlog.syntax import (
    Cardinality,
    Conjunction,
    Disjunction,
    EvaluationTime,
    Head,
    Literal,
    Module,
    Program,
    Query,
    Residue,
    Rule,
    Timer,
    TimerLiteral,
    WindowLiteral,
)
from cera.languages.text.formatting import formatted
from cera.languages.text.items import scanned
from cera.languages.text.layout import HARD, SOFT, SPACE, Document, Group, Indent, concat, join, render
from cera.languages.text.nodes import Identifier
from cera.model.expressions.expression import Comparison, Not, Temporal, Within
from cera.model.expressions.printer import NOT
from cera.model.time.durations import format_duration

_SEPARATORS = frozenset({"and", "or", "∧", "∨", "<-", "←", ".", ":"})


def print_program(program: Program) -> str:
    return render(Printer().program(program))


def print_rule(rule: Rule) -> str:
    """Prints the rule on one line."""
    return render(Printer().rule(rule), width=None)


def print_query(query: Query) -> str:
    """Prints the query on one line."""
    return render(Printer().query(query), width=None)


def print_time(time: EvaluationTime) -> str:
    """Prints the evaluation time on one line."""
    return render(Printer().time(time), width=None)


class Printer(AtomPrinter):
    def program(self, program: Program) -> Document:
        """Prints declarations on lines of their own, then the modules, with a blank line between any two rules."""
        parts: list[Document] = []
        for declaration in program.declarations:
            parts.append(concat(HARD if parts else "", self.decorate(declaration, self.declaration(declaration))))
        for module in program.modules:
            parts.append(concat(HARD, HARD) if parts else "")
            parts.append(self.module(module))
        return concat(*parts, HARD) if parts else ""

    def module(self, module: Module) -> Document:
        rules = [self.decorate(rule, self.rule(rule)) for rule in module.rules]
        if module.time is None:
            return join(concat(HARD, HARD), rules)
        header = self.decorate(module.time, concat(self.time(module.time), ":"))
        return concat(header, Indent(concat(HARD, join(concat(HARD, HARD), rules))))

    def rule(self, rule: Rule) -> Document:
        head = self.decorate(rule.head, concat(self._head(rule.head), " <-"))
        several = isinstance(rule.query, Conjunction | Disjunction)
        return Group(concat(head, Indent(concat(HARD if several else SPACE, self._chain_of(rule.query, ".")))))

    def _head(self, head: Head) -> Document:
        parts: list[Document] = [declared_name(head.kind, head.identifier), self.atom(head.atom, 0, head=True)]
        parts += [concat(" and ", self.expression(each, NOT)) for each in head.conditions]
        if head.until is not None:
            parts.append(concat(" until ", self._literal(head.until)))
        return concat(*parts)

    def query(self, query: Query) -> Document:
        match query:
            case Conjunction() | Disjunction():
                return Group(self._chain_of(query, ""))
            case Literal():
                return self._literal(query)
            case TimerLiteral() | WindowLiteral():
                return self.time(query)
            case Residue():
                inside = self._chain_of(query.query, "")
                return Group(concat("{", Indent(concat(SPACE, inside)), SPACE, "}"))
            case Cardinality():
                subject = query.subject
                what = subject.name if isinstance(subject, Identifier) else self._counted(subject)
                grouped = "" if query.group_by is None else f" group-by ({', '.join(query.group_by)})"
                return concat(f"exists {query.operator} {query.number} ", what, grouped)
            case Comparison() | Temporal() | Within() | Not():
                return self.expression(query, NOT)
            case _:
                assert_never(query)

    def _counted(self, literal: Literal) -> Document:
        """Prints a literal that is counted; an atom that is one word would be read as an identifier."""
        printed = self._literal(literal)
        return concat(printed, "()") if render(printed) == literal.atom.label else printed

    def _chain_of(self, query: Query, ending: str) -> Document:
        """Prints the parts of a query on lines of their own; connectives stand before the comments at their ends."""
        if not isinstance(query, Conjunction | Disjunction):
            return self.decorate(query, concat(self.query(query), ending))
        word = " and" if isinstance(query, Conjunction) else " or"
        *others, last = query.queries
        lines = [self.decorate(each, concat(self._operand(each), word)) for each in others]
        return join(SPACE, [*lines, self.decorate(last, concat(self._operand(last), ending))])

    def _operand(self, query: Query) -> Document:
        """Prints a part of a chain, in parentheses if it is one itself: few know that `and` goes before `or`."""
        if not isinstance(query, Conjunction | Disjunction):
            return self.query(query)
        return Group(concat("(", Indent(concat(SOFT, self._chain_of(query, ""))), SOFT, ")"))

    def _literal(self, literal: Literal, *, called: bool = False) -> Document:
        time = "" if literal.time is None else concat("while ", self.time(literal.time), ": ")
        negation = "not " if literal.negated else ""
        atom = self.atom(literal.atom, 0, head=False, called=called)
        return concat(time, negation, declared_name(literal.kind, literal.identifier), atom)

    def time(self, time: EvaluationTime) -> Document:
        match time:
            case Identifier():
                return time.name
            case Literal():
                return self._literal(time, called=True)  # a word before a colon is an identifier
            case TimerLiteral():
                return concat(declared_name(time.kind, time.identifier), self._timer(time.timer))
            case WindowLiteral():
                return concat(declared_name(None, time.identifier), self.window(time.window))
            case _:
                assert_never(time)

    def _timer(self, timer: Timer) -> Document:
        match timer.anchor:
            case Identifier():
                anchor: Document = timer.anchor.name
            case Literal():
                anchor = self.time(timer.anchor)
        return concat(f"{timer.kind}[", anchor, f", {format_duration(timer.duration)}]")


def format_source(source: Source) -> str:
    """Formats a source as `cera fmt` does; doing that again changes nothing. Raises ProgramError if it does not
    parse."""
    parsed = parse(source)
    program = parsed.program
    filled = program.declarations or program.modules
    printed = (lambda decorate: Printer(decorate).program(program)) if filled else None
    return formatted(
        without_separators(source, arrows_joined(scanned(source)[0]), _SEPARATORS),
        parsed.diagnostics,
        parsed.comments,
        printed,
    )
