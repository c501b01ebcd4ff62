"""Names for what the text leaves nameless: rules, and event queries without an identifier (ERR-16)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

from cera.languages.xchangeeq.syntax import Identifier, Literal, Query, RaiseHead, RuleSyntax, WhileLiteral, literals
from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct
from cera.model.matching.patterns import Pattern, TermPattern, VariablePattern

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*")


class Names:
    """Names that are all different: `name`, `name#2`, `name#3`."""

    def __init__(self, separator: str, taken: Iterable[str] = ()) -> None:
        self._separator = separator
        self._taken = set(taken)

    def fresh(self, name: str) -> str:
        numbered = (f"{name}{self._separator}{number}" for number in itertools.count(2))
        free = next(candidate for candidate in itertools.chain([name], numbered) if candidate not in self._taken)
        self._taken.add(free)
        return free


def rule_name(rule: RuleSyntax) -> str:
    """Returns the label of the rule's head; `raise` or `detect` if that is not known before the run."""
    return _head_label(rule.head.construct) or ("raise" if isinstance(rule.head, RaiseHead) else "detect")


def _head_label(construct: Construct) -> str | None:
    match construct:
        case ConstructTerm():
            return construct.label
        case All() | OptionalConstruct():
            return _head_label(construct.construct)
        case ConstructValue():
            return None


def declaration(literal: Literal) -> Identifier | None:
    """Returns the identifier that the literal declares, if any."""
    return None if isinstance(literal, WhileLiteral) else literal.identifier


def identifier_names(query: Query) -> Names:
    """Returns a source of names for the literals of a body that have none; never one that the body declares."""
    declared = (declaration(literal) for literal in literals(query))
    return Names("_", (identifier.name for identifier in declared if identifier is not None))


def plain_label(pattern: Pattern) -> str | None:
    """Returns the one label of the events that the pattern matches, if it can serve as an identifier."""
    match pattern:
        case TermPattern(label=str(label)) if _IDENTIFIER.fullmatch(label):
            return label
        case VariablePattern(pattern=TermPattern() as inner):
            return plain_label(inner)
        case _:
            return None
