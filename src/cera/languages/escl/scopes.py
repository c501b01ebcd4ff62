"""The conjunctions of constraints as checks look at them: what each part can refer to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import assert_never

from cera.constraints.alternatives import TooManyAlternativesError, alternatives
from cera.constraints.constraint import (
    AllConstraints,
    AnyConstraint,
    Constraint,
    ConstraintSet,
    Definition,
    LocalDefinitions,
    Module,
    parts_of,
)
from cera.constraints.definitions import names_of
from cera.constraints.queries import Literal, Part, TimerLiteral
from cera.diagnostics import Diagnostic
from cera.languages.escl.steps import prepared
from cera.languages.escl.syntax import Program


@dataclass(frozen=True)
class Scope:
    """One alternative of a constraint or a definition: what modules ask for, the body, and one alternative of the head.

    `definition` is given if it is that of a definition, which has no head.
    """

    modules: tuple[Part, ...]
    body: tuple[Part, ...]
    head: tuple[Part, ...]
    definition: Definition | None = None

    @property
    def parts(self) -> tuple[Part, ...]:
        return (*self.modules, *self.body, *self.head)


def scopes(program: Program) -> tuple[list[Scope], list[Diagnostic]]:
    """Returns the scopes of a program, and an error for each constraint that has too many alternatives."""
    found: list[Scope] = []
    problems: list[Diagnostic] = []
    for tree in prepared(program):
        for one in _leaves(tree, ()):
            try:
                found += _scopes(*one)
            except TooManyAlternativesError as error:
                hint = "write several constraints, or derive what they have in common by a local definition"
                problems.append(Diagnostic("EC301", "error", str(error), error.span, hint))
    return found, problems


def _leaves(
    tree: ConstraintSet, modules: tuple[Part, ...]
) -> Iterator[tuple[Constraint | Definition, tuple[Part, ...]]]:
    match tree:
        case Constraint():
            yield tree, modules
        case Module():
            yield from _leaves(tree.constraints, (*modules, *anchored([tree.time])))
        case LocalDefinitions():
            yield from ((each, modules) for each in tree.definitions)
            yield from _leaves(tree.constraints, modules)
        case AllConstraints() | AnyConstraint():
            for each in tree.parts:
                yield from _leaves(each, modules)
        case _:
            assert_never(tree)


def _scopes(leaf: Constraint | Definition, modules: tuple[Part, ...]) -> Iterator[Scope]:
    head = leaf.head if isinstance(leaf, Constraint) else None
    taken = {name for part in (*modules, *parts_of(leaf.body), *parts_of(head)) for name in names_of(part)}
    for body in alternatives(leaf.body, taken):
        own = tuple(anchored(body.parts))
        if isinstance(leaf, Definition):
            yield Scope(modules, own, (), leaf)
            continue
        for each in alternatives(head, taken):
            yield Scope(modules, own, tuple(anchored(each.parts)))


def anchored(parts: Iterable[Part]) -> Iterator[Part]:
    """Yields parts, and before a timer the literal that it is relative to, if that is written in it."""
    for part in parts:
        if isinstance(part, TimerLiteral) and isinstance(part.anchor, Literal):
            yield part.anchor
        yield part
