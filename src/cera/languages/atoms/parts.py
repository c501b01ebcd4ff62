"""Parts of rules and constraints before it is known what they are: an atom or a function, a string, a label or a name.

What `p(x(A))` is depends on where it stands: beside an operator it is a function of values, alone it is an atom. The
functions of this file make one or the other of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from cera.diagnostics import Span
from cera.languages.atoms.syntax import NOW, Kind
from cera.languages.text.nodes import Identifier
from cera.model.evaluation.functions import FUNCTIONS
from cera.model.expressions.atoms import Atom, Between, Now, Sliding, TimeNode, Unbounded
from cera.model.expressions.expression import (
    AGGREGATES,
    Aggregate,
    Call,
    DurationLiteral,
    EventReference,
    Expression,
    Literal,
    Variable,
)
from cera.model.time.timers import SYNONYMS

#: The functions of time as the papers write them, and as the model calls them.
SHORT = {"b": "begin", "e": "end"}


class MisplacedError(Exception):
    """A part stands where something else is expected; `span` is its place."""

    def __init__(self, message: str, span: Span | None, hint: str | None = None) -> None:
        super().__init__(message)
        self.span = span
        self.hint = hint


@dataclass(frozen=True)
class Word:
    """`red`: a string, an identifier, or an atom without attributes."""

    name: str
    span: Span | None


@dataclass(frozen=True)
class Term:
    """`p(x(A), 3)`: an atom, a function or an aggregate. A label in quotes is that of an atom."""

    label: str
    quoted: bool
    arguments: tuple[Part, ...]
    span: Span | None


@dataclass(frozen=True)
class Distinct:
    """`distinct X`, in an aggregate."""

    part: Part
    span: Span | None


@dataclass(frozen=True)
class KindPrefix:
    """`event i`, `state`, before a colon."""

    kind: Kind
    identifier: Identifier | None
    span: Span | None


@dataclass(frozen=True)
class Prefixed:
    """`prefix: part`, `while prefix: part`."""

    prefix: Part | KindPrefix
    part: Part
    is_while: bool
    span: Span | None


@dataclass(frozen=True)
class Negated:
    """`not part`."""

    part: Part
    span: Span | None


@dataclass(frozen=True)
class Braces:
    """`{i, j}` before `within`, `{…}` as a residue."""

    parts: tuple[Part, ...]
    span: Span | None


class OtherPart(Protocol):
    """What else a language has: a query, a timer."""

    @property
    def span(self) -> Span | None: ...


Part = (
    Word | Term | Distinct | Prefixed | Negated | Braces | Expression | Unbounded | Now | Sliding | Between | OtherPart
)

_NAMED_ATOM = "write an atom such as p(x(A)) or a condition such as X > 3"


def value(part: Part) -> Expression:
    """Returns a part that stands for a value: a word is the string of itself."""
    match part:
        case Word():
            return Literal(part.name, part.span)
        case Now():
            return EventReference(NOW, part.span)
        case Term():
            return _function(part)
        case TimeNode():
            raise MisplacedError(
                "expected a value, found an interval of time", part.span, "its bounds are b(w) and e(w)"
            )
        case Distinct():
            hint = "`distinct` stands in an aggregate of one value: count(distinct X)"
            raise MisplacedError("expected a value, found 'distinct'", part.span, hint)
        case _ if isinstance(part, Expression):
            return part
        case _:
            raise MisplacedError("expected a value, found a query", part.span, _NAMED_ATOM)


def interval(part: Part) -> Expression:
    """Returns a part that stands for an interval of time: a word is an identifier."""
    return EventReference(part.name, part.span) if isinstance(part, Word) else value(part)


def _function(term: Term) -> Expression:
    if term.quoted:
        hint = "an atom is a query by itself; beside an operator stand values"
        raise MisplacedError("expected a value, found an atom", term.span, hint)
    name = SHORT.get(term.label, term.label)
    if name in AGGREGATES:
        return _aggregate(name, term)
    known = FUNCTIONS.get(name)
    arguments = tuple(
        interval(each) if known is not None and known.parameter(index) == "interval" else value(each)
        for index, each in enumerate(term.arguments)
    )
    return Call(name, arguments, term.span)


def _aggregate(name: str, term: Term) -> Expression:
    match term.arguments:
        case [Distinct(part=part)]:
            return Aggregate(name, value(part), distinct=True, span=term.span)
        case [part]:
            return Aggregate(name, value(part), span=term.span)
        case _:
            return Call(name, tuple(map(value, term.arguments)), term.span)


def query_atom(part: Part) -> Atom:
    """Returns the atom of a literal: its values are variables, constants and atoms."""
    match part:
        case Word():
            return Atom(part.name, (), part.span)
        case Variable():
            return Atom(part.name, (), part.span)
        case Term() if part.label in SYNONYMS and any(isinstance(each, DurationLiteral) for each in part.arguments):
            hint = f"a timer is written with brackets: `{part.label}[i, 1h]`"
            raise MisplacedError("a timer has other brackets", part.span, hint)
        case Term():
            return Atom(part.label, tuple(map(_query_argument, part.arguments)), part.span)
        case _:
            raise MisplacedError("expected an atom or a condition", part.span, _NAMED_ATOM)


def _query_argument(part: Part) -> Atom | Expression:
    match part:
        case Term():
            return query_atom(part)
        case Word():
            return Literal(part.name, part.span)
        case Variable() | Literal():
            return part
        case Now() | Unbounded():
            word = part.span.text if part.span is not None else "now"
            raise MisplacedError(f"'{word}' is a window", part.span, f'as a string it is written "{word}"')
        case _:
            hint = "bind a variable here, and write a condition beside the atom: p(x(X)) and X > 3"
            raise MisplacedError("a query asks for variables, constants and atoms only", part.span, hint)


def head_atom(part: Part) -> Atom:
    """Returns the atom of a head. What stands directly in it is an attribute, even if a function has its name."""
    match part:
        case Word() | Variable():
            return Atom(part.name, (), part.span)
        case Term():
            return Atom(part.label, tuple(map(_attribute, part.arguments)), part.span)
        case _:
            raise MisplacedError("a rule derives an atom", part.span, "write a label and its attributes: h(x(X)) <- …")


def _attribute(part: Part) -> Atom | Expression:
    if isinstance(part, Term) and not any(isinstance(each, Distinct) for each in part.arguments):
        return Atom(part.label, tuple(map(_head_value, part.arguments)), part.span)
    return value(part)


def _head_value(part: Part) -> Atom | Expression:
    if isinstance(part, Term) and (part.quoted or not is_function(part.label)):
        return Atom(part.label, tuple(map(_head_value, part.arguments)), part.span)
    return value(part)


def is_function(name: str) -> bool:
    """Returns whether a name before a bracket is that of a function where values stand."""
    return name in SHORT or name in AGGREGATES or name in FUNCTIONS
