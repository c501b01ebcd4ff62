"""Datalog_1S programs as data (seed 003, section 3).

A predicate has data arguments and at most one temporal argument, its stage: a number, `J`, or `s(J)`, the stage after
`J`. A data argument is an expression of the model: a `Variable`, a `Literal` (a constant), arithmetic such as `N + 1`;
or `_`. Conditions are expressions of the model, too; `X.Balance` in them is the variable named `X.Balance`, an
attribute of the event tuple that `X` stands for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from cera.diagnostics import Span
from cera.model.expressions.expression import Expression, Literal, Variable
from cera.model.tags import tagged, tagged_members
from cera.model.terms.values import Scalar


@tagged_members(CURRENT="StageTerm.CURRENT", NEXT="StageTerm.NEXT")
class StageTerm(Enum):
    """A stage that is not the same for every instance of a rule."""

    CURRENT = "J"
    NEXT = "s(J)"


J = StageTerm.CURRENT
NEXT = StageTerm.NEXT

#: None for a predicate without a temporal argument.
Stage = StageTerm | int | None


@tagged("Anonymous")
@dataclass(frozen=True)
class Anonymous:
    """`_`: some value that nothing else refers to. In bodies only."""

    span: Span | None = field(default=None, compare=False, repr=False)


Argument = Anonymous | Expression


@tagged("Atom")
@dataclass(frozen=True)
class Atom:
    """`predicate(arguments, stage)`; `predicate(arguments)` where there is no stage."""

    predicate: str
    arguments: tuple[Argument, ...] = ()
    stage: Stage = None
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Not")
@dataclass(frozen=True)
class Not:
    """`not atom`: no fact matches the atom."""

    atom: Atom
    span: Span | None = field(default=None, compare=False, repr=False)


BodyPart = Atom | Not | Expression


@tagged("Rule")
@dataclass(frozen=True)
class Rule:
    """`head <- body.`, or a fact `head.` where the body is empty."""

    head: Atom
    body: tuple[BodyPart, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Program")
@dataclass(frozen=True)
class Program:
    rules: tuple[Rule, ...]


def variable(name: str) -> Variable:
    return Variable(name)


def constant(value: Scalar) -> Literal:
    return Literal(value)


def positive_atoms(rule: Rule) -> Iterator[Atom]:
    return (part for part in rule.body if isinstance(part, Atom))


def negated_atoms(rule: Rule) -> Iterator[Atom]:
    return (part.atom for part in rule.body if isinstance(part, Not))


def conditions(rule: Rule) -> Iterator[Expression]:
    return (part for part in rule.body if not isinstance(part, Atom | Not))


def atoms(rule: Rule) -> Iterator[Atom]:
    """Returns the atoms of the body, those under `not` as well."""
    return (part.atom if isinstance(part, Not) else part for part in rule.body if isinstance(part, Atom | Not))


def root(name: str) -> str:
    """Returns the variable that a dotted name begins with: `X` of `X.Balance`."""
    return name.partition(".")[0]
