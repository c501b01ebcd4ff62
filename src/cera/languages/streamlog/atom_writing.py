"""Patterns and heads as atoms, the other way round than `atoms` has them.

An atom with attributes names some of many, one with values alone has them all, in their order. Patterns that ask for
something else have no atom.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cera.diagnostics import Span
from cera.languages.streamlog.atoms import is_unnamed
from cera.languages.streamlog.scopes import ANONYMOUS
from cera.model.expressions.atoms import Atom
from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct
from cera.model.expressions.expression import (
    And,
    Comparison,
    Expression,
    InOneWindow,
    InState,
    Literal,
    Not,
    Or,
    Periodic,
    Temporal,
    Variable,
    Within,
)
from cera.model.matching.patterns import (
    Descendant,
    OptionalPattern,
    Pattern,
    RegexPattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
    Without,
)


class Refuse(Protocol):
    def __call__(self, message: str, span: Span | None, hint: str) -> None: ...


#: Stands for what was refused.
ANYTHING = Atom("event")
_SOME = "ask for attributes by name: `p{{ x{ var X } }}`"


@dataclass(frozen=True)
class AtomWriter:
    """Atoms of patterns and heads; what has none is refused."""

    refuse: Refuse

    def body(self, pattern: Pattern) -> Atom:
        """Returns the atom that asks for what a pattern asks for."""
        match pattern:
            case TermPattern(label=str() as label):
                arguments = tuple(map(self._argument, pattern.children))
                self._check(pattern, arguments)
                return Atom(label, arguments, pattern.span)
            case TermPattern():
                self.refuse("an atom of StreamLog has one label", pattern.span, "write the label")
            case VariablePattern():
                message = "an atom of StreamLog binds values, never a whole term"
                self.refuse(message, pattern.span, "bind the values of its attributes: `p{{ x{ var X } }}`")
            case ScalarPattern() | RegexPattern() | Descendant() | Without() | OptionalPattern():
                self._unknown(pattern)
        return ANYTHING

    def _argument(self, pattern: Pattern) -> Atom | Expression:
        match pattern:
            case VariablePattern(pattern=None):
                return Variable(ANONYMOUS if is_unnamed(pattern.name) else pattern.name, pattern.span)
            case ScalarPattern():
                return Literal(pattern.value, pattern.span)
            case _:
                return self.body(pattern)

    def _unknown(self, pattern: Pattern) -> None:
        names = {Descendant: "desc", Without: "without", OptionalPattern: "optional"}
        word = names.get(type(pattern))
        what = "regular expressions" if word is None else f"`{word}`"
        self.refuse(f"StreamLog has no {what}", pattern.span, _SOME)

    def _check(self, pattern: TermPattern, arguments: Sequence[Atom | Expression]) -> None:
        """Refuses a pattern that is more or less strict than the atom that looks like it."""
        if arguments and not any(isinstance(each, Atom) for each in arguments):
            several = len(arguments) > 1
            if not pattern.total:
                message = "values without names are all there are in StreamLog, and this pattern allows more"
                self.refuse(message, pattern.span, f"write single brackets: `{_brackets(pattern.label, several)}`")
            elif pattern.ordered != several:
                order = (
                    "several values have an order in StreamLog" if several else "one value has no order in StreamLog"
                )
                self.refuse(order, pattern.span, f"write `{_brackets(pattern.label, several)}`")
        elif pattern.total:
            message = "an atom of StreamLog allows other attributes, and this pattern asks for all there are"
            self.refuse(message, pattern.span, f"write double braces: `{pattern.label}{{{{…}}}}`")
        elif pattern.ordered:
            message = "the attributes of an atom have no order in StreamLog"
            self.refuse(message, pattern.span, f"write double braces: `{pattern.label}{{{{…}}}}`")

    def head(self, construct: Construct) -> Atom:
        """Returns the atom that derives what a head derives."""
        match construct:
            case ConstructTerm():
                arguments = tuple(map(self._value, construct.children))
                plain = not any(isinstance(each, Atom) for each in arguments)
                several = len(arguments) > 1 and plain
                if construct.ordered != several:
                    way = "have an order" if several else "have no order"
                    what = "values" if several or (plain and arguments) else "attributes"
                    shown = _brackets(construct.label, several) if plain else f"{construct.label}{{…}}"
                    self.refuse(f"the {what} of a head {way} in StreamLog", construct.span, f"write `{shown}`")
                return Atom(construct.label, arguments, construct.span)
            case ConstructValue():
                message = "a head of StreamLog has a label, and this one is what a variable is bound to"
                self.refuse(message, construct.span, "write the label and its attributes")
            case All() | OptionalConstruct():
                self.refuse("a head of StreamLog has no `all` and no `optional`", construct.span, "leave it out")
        return ANYTHING

    def _value(self, construct: Construct) -> Atom | Expression:
        if not isinstance(construct, ConstructValue):
            return self.head(construct)
        value = construct.expression
        if isinstance(value, Comparison | Temporal | Within | InState | InOneWindow | Not | And | Or | Periodic):
            self.refuse("a condition is not a value in StreamLog", construct.span, "write a rule for each case")
        return value


def _brackets(label: object, several: bool) -> str:
    return f"{label}[ var X, var Y ]" if several else f"{label}{{ var X }}"
