"""Programs as text in the canonical layout, in ASCII: parse(print(p)) = p.

What a person would type is printed where there is a choice: `while` before every evaluation time of a literal, timers
by their canonical names, strings without quotes where they are plain words, as few parentheses as possible, a full stop
after each rule.
"""

from __future__ import annotations

import re
from typing import assert_never

from cera.diagnostics import Source
from cera.languages.expressions.printer import ExpressionPrinter
from cera.languages.streamlog.cutting import arrows_joined
from cera.languages.streamlog.parser import parse
from cera.languages.streamlog.raw import SHORT, is_function
from cera.languages.streamlog.syntax import (
    Atom,
    Between,
    Cardinality,
    Conjunction,
    Declaration,
    Disjunction,
    EvaluationTime,
    Head,
    Kind,
    Literal,
    Module,
    Now,
    Origin,
    Program,
    Query,
    Relation,
    Residue,
    Rule,
    Sliding,
    Timer,
    TimerLiteral,
    Unbounded,
    Window,
    WindowLiteral,
)
from cera.languages.text.formatting import formatted
from cera.languages.text.items import scanned
from cera.languages.text.layout import HARD, SOFT, SPACE, Document, Group, Indent, bracket, concat, join, render
from cera.languages.text.literals import string_text
from cera.languages.text.nodes import Identifier
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Aggregate, Comparison, DateTime, Expression, Not, Temporal, Within
from cera.model.expressions.printer import NOT, SUM, Special, Spelling
from cera.model.time.allen import RELATIONS
from cera.model.time.durations import format_duration
from cera.rules.declarations import Attribute

#: Words that mean something else where a string or a label may stand; these are quoted.
_RESERVED = frozenset(
    {"and", "or", "not", "mod", "true", "false", "now", "unbounded", "distinct", "datetime", "within", "while", "until"}
    | {"exists", "group-by", "event", "state", "relation", "from", "refresh", "valid", *RELATIONS}
)
_WORD = re.compile(r"[a-z][A-Za-z0-9_]*(-[A-Za-z][A-Za-z0-9_]*)*")
_CODE = re.compile("0[0-9]+")
_LABEL = re.compile(rf"{_WORD.pattern}|[A-Z_][A-Za-z0-9_]*|[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+")
_LONG = {long: short for short, long in SHORT.items()}
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


class Printer(ExpressionPrinter):
    spelling = Spelling(variable=str, function=lambda name: _LONG.get(name, name))

    def program(self, program: Program) -> Document:
        """Prints declarations on lines of their own, then the modules, with a blank line between any two rules."""
        parts: list[Document] = []
        for declaration in program.declarations:
            parts.append(concat(HARD if parts else "", self.decorate(declaration, self.declaration(declaration))))
        for module in program.modules:
            parts.append(concat(HARD, HARD) if parts else "")
            parts.append(self.module(module))
        return concat(*parts, HARD) if parts else ""

    def declaration(self, declaration: Declaration) -> Document:
        match declaration:
            case Origin():
                return f"ORIGIN {string_text(declaration.text)}."
            case Relation():
                name: Document = f"relation {name_text(declaration.name)}"
                if declaration.attributes is not None:
                    name = concat(name, bracket("(", [_attribute(each) for each in declaration.attributes], ")"))
                source = "" if declaration.source is None else f" from {string_text(declaration.source)}"
                refresh = "" if declaration.refresh is None else f" refresh {format_duration(declaration.refresh)}"
                valid = "" if declaration.valid_from is None else f" valid from {name_text(declaration.valid_from)}"
                versions = ", ".join(map(name_text, declaration.versions_of))
                return concat(name, source, refresh, valid, f" by {versions}" if versions else "", ".")
            case _:
                assert_never(declaration)

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
        parts: list[Document] = [_name(head.kind, head.identifier), self._atom(head.atom, 0, head=True)]
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
        atom = self._atom(literal.atom, 0, head=False, called=called)
        return concat(time, negation, _name(literal.kind, literal.identifier), atom)

    def time(self, time: EvaluationTime) -> Document:
        match time:
            case Identifier():
                return time.name
            case Literal():
                return self._literal(time, called=True)  # a word before a colon is an identifier
            case TimerLiteral():
                return concat(_name(time.kind, time.identifier), self._timer(time.timer))
            case WindowLiteral():
                return concat(_name(None, time.identifier), self._window(time.window))
            case _:
                assert_never(time)

    def _timer(self, timer: Timer) -> Document:
        match timer.anchor:
            case Identifier():
                anchor: Document = timer.anchor.name
            case Literal():
                anchor = self.time(timer.anchor)
        return concat(f"{timer.kind}[", anchor, f", {format_duration(timer.duration)}]")

    def _window(self, window: Window) -> Document:
        match window:
            case Unbounded():
                return "unbounded"
            case Now():
                return "now"
            case Sliding():
                slide = "" if window.slide is None else f" Slide {format_duration(window.slide)}"
                return f"Range {format_duration(window.range)}{slide}"
            case Between():
                return concat("[", self.expression(window.begin, SUM), ", ", self.expression(window.end, SUM), "]")
            case _:
                assert_never(window)

    def _atom(self, atom: Atom, depth: int, *, head: bool, called: bool = False) -> Document:
        """Prints the atom; with `called`, or inside of another one, it has brackets even if there is nothing in it."""
        label = label_text(atom.label)
        if head and depth > 1 and is_function(atom.label):
            label = string_text(atom.label)
        if not atom.arguments:
            return f"{label}()" if called or depth or label.startswith('"') else label
        return bracket(f"{label}(", [self._argument(each, depth + 1, head=head) for each in atom.arguments], ")")

    def _argument(self, argument: Atom | Expression, depth: int, *, head: bool) -> Document:
        if isinstance(argument, Atom):
            return self.decorate(argument, self._atom(argument, depth, head=head))
        return self.decorate(argument, self.expression(argument, SUM))

    def _bare(self, expression: Expression, own: int) -> Document:
        match expression:
            case expressions.Literal(value=str() as text):
                return value_text(text)
            case _:
                return super()._bare(expression, own)

    def _special(self, expression: Special) -> Document:
        match expression:
            case DateTime():
                return self._call("datetime", [string_text(text) for text in expression.texts])
            case Temporal():
                left, right = self.expression(expression.left, SUM), self.expression(expression.right, SUM)
                return self._infix(left, expression.relation, right)
            case Within():
                intervals = bracket("{", [self.expression(each, SUM) for each in expression.intervals], "}")
                return self._infix(intervals, "within", self.expression(expression.duration, SUM))
            case Aggregate():
                which = "distinct " if expression.distinct else ""
                return self._call(expression.function, [concat(which, self.expression(expression.operand, SUM))])
            case _:
                return super()._special(expression)


def _name(kind: Kind | None, identifier: Identifier | None) -> str:
    """Prints `event i: `, `state: `, `i: ` or nothing."""
    words = [each for each in (kind, None if identifier is None else identifier.name) if each is not None]
    return f"{' '.join(words)}: " if words else ""


def _attribute(attribute: Attribute) -> Document:
    return name_text(attribute.name) + ("" if attribute.kind is None else f": {attribute.kind}")


def value_text(text: str) -> str:
    """Returns a string as it stands among values: `red`, `007`, `"two words"`."""
    plain = (_WORD.fullmatch(text) and text not in _RESERVED) or _CODE.fullmatch(text)
    return text if plain else string_text(text)


def label_text(label: str) -> str:
    return label if _LABEL.fullmatch(label) and label not in _RESERVED else string_text(label)


def name_text(name: str) -> str:
    """Returns the name of a relation or of one of its attributes."""
    return label_text(name) if "." not in name else string_text(name)


def format_source(source: Source) -> str:
    """Formats a source as `cera fmt` does; doing that again changes nothing. Raises ProgramError if it does not
    parse."""
    parsed = parse(source)
    program = parsed.program
    filled = program.declarations or program.modules
    printed = (lambda decorate: Printer(decorate).program(program)) if filled else None
    return formatted(_without_separators(source), parsed.diagnostics, parsed.comments, printed)


def _without_separators(source: Source) -> Source:
    """Returns the source with blanks for connectives, so that a comment after one belongs to what stands before it."""
    text = list(source.text)
    for lexeme in arrows_joined(scanned(source)[0]):
        if lexeme.text in _SEPARATORS:
            text[lexeme.start : lexeme.end] = " " * len(lexeme.text)
    return Source(source.name, "".join(text))
