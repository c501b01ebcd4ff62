"""Atoms, windows, values and declarations as documents, as the languages of atoms print them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import assert_never

from cera.diagnostics import Source
from cera.languages.atoms.parts import SHORT, is_function
from cera.languages.atoms.syntax import Declaration, Kind, Origin, Relation
from cera.languages.expressions.printer import ExpressionPrinter
from cera.languages.text.layout import Document, bracket, concat
from cera.languages.text.literals import string_text
from cera.languages.text.nodes import Identifier
from cera.languages.text.scanner import Lexeme
from cera.model.expressions import expression as expressions
from cera.model.expressions.atoms import Atom, Between, Now, Sliding, Unbounded, Window
from cera.model.expressions.expression import Aggregate, DateTime, Expression, Temporal, Within
from cera.model.expressions.printer import SUM, Special, Spelling
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


class AtomPrinter(ExpressionPrinter):
    spelling = Spelling(variable=str, function=lambda name: _LONG.get(name, name))

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

    def window(self, window: Window) -> Document:
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

    def atom(self, atom: Atom, depth: int, *, head: bool, called: bool = False) -> Document:
        """Prints the atom; with `called`, or inside of another one, it has brackets even if there is nothing in it."""
        label = label_text(atom.label)
        if head and depth > 1 and is_function(atom.label):
            label = string_text(atom.label)
        if not atom.arguments:
            return f"{label}()" if called or depth or label.startswith('"') else label
        return bracket(f"{label}(", [self._argument(each, depth + 1, head=head) for each in atom.arguments], ")")

    def _argument(self, argument: Atom | Expression, depth: int, *, head: bool) -> Document:
        if isinstance(argument, Atom):
            return self.decorate(argument, self.atom(argument, depth, head=head))
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


def declared_name(kind: Kind | None, identifier: Identifier | None) -> str:
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


def without_separators(source: Source, lexemes: Iterable[Lexeme], separators: Collection[str]) -> Source:
    """Returns the source with blanks for connectives, so that a comment after one belongs to what stands before it."""
    text = list(source.text)
    for lexeme in lexemes:
        if lexeme.text in separators:
            text[lexeme.start : lexeme.end] = " " * len(lexeme.text)
    return Source(source.name, "".join(text))
