"""The times of modules: whether what is said in one is about times inside of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import assert_never

from cera.constraints.consequences.outside import is_apart, leads_out, lies_outside, sticks_out
from cera.constraints.constraint import (
    AllConstraints,
    AnyConstraint,
    Constraint,
    ConstraintSet,
    LocalDefinitions,
    Module,
)
from cera.constraints.names import time_identifiers
from cera.constraints.queries import Part, TimerLiteral, ValidityTime, WindowLiteral
from cera.diagnostics import Diagnostic, Note
from cera.languages.escl.scopes import Scope, anchored
from cera.languages.escl.steps import prepared
from cera.languages.escl.syntax import Program
from cera.model.expressions.atoms import Sliding
from cera.model.expressions.expression import EventReference
from cera.model.time.durations import format_duration


def check_outside(time: ValidityTime | None, scope: Scope, declared: Mapping[str, Part]) -> Iterator[Diagnostic]:
    """Reports literals that are evaluated outside of their module's time (EC304): both never share a point,
    or never more than one; and those of which a part always is (EC308)."""
    if not scope.modules:
        return
    others = (*scope.body, *scope.head)
    note = (Note("this is the time of the module", scope.modules[-1].span),)
    for each in time_identifiers(time):
        if each.identifier not in declared:
            continue
        if lies_outside(each.identifier, scope.modules, others):
            message = f"`{each.identifier}` lies outside of the time of the module"
            hint = "a literal is evaluated inside of its module; write the constraint outside, with the module in `IF`"
            yield Diagnostic("EC304", "error", message, each.span, hint, note)
        elif isinstance(time, EventReference) and sticks_out(each.identifier, scope.modules, others):
            message = f"`{each.identifier}` never lies as a whole in the time of the module, and is judged beyond it"
            hint = _room(declared[each.identifier], scope.modules[-1])
            yield Diagnostic("EC308", "warning", message, each.span, hint, note)


def _room(part: Part, around: Part) -> str:
    """Returns what to do about a time that there is no room for in its module."""
    if isinstance(part, TimerLiteral) and isinstance(around, WindowLiteral) and isinstance(around.window, Sliding):
        length, other = format_duration(around.window.range), format_duration(part.duration)
        same = ", since its end is not in it" if length == other else ""
        longer = f"a window of {length} has no room for a timer of {other}{same}"
        return f"{longer}: write a longer one, or the constraint outside of the module"
    return "write the constraint outside, with the module in `IF`, or a shorter time"


def check_modules(program: Program) -> Iterator[Diagnostic]:
    """Reports modules whose time lies outside of that of the module around them (EC307)."""
    for tree in prepared(program):
        yield from _modules(tree, ())


def _modules(tree: ConstraintSet, around: tuple[Module, ...]) -> Iterator[Diagnostic]:
    match tree:
        case Module():
            yield from _apart(tree, around)
            yield from _modules(tree.constraints, (*around, tree))
        case LocalDefinitions():
            yield from _modules(tree.constraints, around)
        case AllConstraints() | AnyConstraint():
            for each in tree.parts:
                yield from _modules(each, around)
        case Constraint():
            return
        case _:
            assert_never(tree)


def _apart(module: Module, around: tuple[Module, ...]) -> Iterator[Diagnostic]:
    """Looks at the next module around one, and at all of them where both are windows."""
    inner = list(anchored([module.time]))
    for number in range(len(around), 0, -1):
        outer = around[number - 1]
        if number == len(around):
            times = [part for each in around for part in anchored([each.time])]
        elif isinstance(outer.time, WindowLiteral) and isinstance(module.time, WindowLiteral):
            times = [outer.time]
        else:
            continue
        if is_apart(times, inner):
            message = "the time of this module has nothing in common with that of a module around it"
            note = (Note("this is the module around it", outer.time.span),)
            hint = "what is said inside is about times in both: write one module after the other, or change one"
            yield Diagnostic("EC307", "error", message, module.time.span, hint, note)
            return
    if around and isinstance(module.time, TimerLiteral):
        times = [part for each in around for part in anchored([each.time])]
        if leads_out(times, inner):
            message = "the time of this module never lies as a whole in the one around it, and is judged beyond it"
            note = (Note("this is the module around it", around[-1].time.span),)
            yield Diagnostic("EC308", "warning", message, module.time.span, _room(module.time, around[-1].time), note)
