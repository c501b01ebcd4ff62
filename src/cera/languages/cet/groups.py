"""Combinations need terminators that are shared (M-25): the first event of a group must not take away what ends it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cera.diagnostics import Diagnostic, Note
from cera.instances.types import STRENGTH
from cera.languages.cet.printer import print_operand
from cera.languages.cet.syntax import Complex, Definition, Operand, Program, complexes
from cera.languages.text.nodes import Identifier

_COMBINATIONS = ("combinations", "combinations minimum")


def check_groups(program: Program) -> Iterator[Diagnostic]:
    """Reports combinations in types that consume their terminators inside of a group (CE306)."""
    definitions = {definition.name.name: definition for definition in program.definitions}
    for definition in program.definitions:
        if isinstance(definition.type, Complex):
            for type_ in complexes(definition.type):
                yield from _check(type_, definitions)


def _check(type_: Complex, definitions: Mapping[str, Definition]) -> Iterator[Diagnostic]:
    bound = _bound(type_)
    combined = next((operand for operand in bound if operand.selection in _COMBINATIONS), None)
    if combined is None:
        return
    for operand in terminators(type_, definitions):
        strongest = max(
            (each for each in bound if _same_type(each, operand)), key=lambda each: STRENGTH.index(each.inside)
        )
        if strongest.inside == "shared":
            continue
        name = operand.type.name if isinstance(operand.type, Identifier) else "…"
        yield Diagnostic(
            "CE306",
            "error",
            f"`{print_operand(operand)}` can end an event, and the first event of a group consumes it",
            operand.span,
            _instead(name, strongest),
            tuple(_reasons(combined, operand, strongest)),
        )


def _instead(name: str, strongest: Operand) -> str:
    hint = f"it has to be shared: `shared: {name}`"
    if strongest.outside == "shared":
        return hint
    return f"{hint}, or `inside shared: outside {strongest.outside}: {name}` to consume it after the group"


def _reasons(combined: Operand, operand: Operand, strongest: Operand) -> Iterator[Note]:
    yield Note(f"`{combined.selection}` makes groups of several events", combined.span)
    if operand.inside != strongest.inside:
        yield Note(f"of the modes of a type the strongest holds: here it is `{strongest.inside}`", strongest.span)


def terminators(type_: Complex, definitions: Mapping[str, Definition]) -> list[Operand]:
    """Returns the components whose instances can be the last to come.

    Of a sequence that is the last, and where that may be missing, the one before. An instance whose time is its begin
    can come later than others that follow it.
    """
    bound = _bound(type_)
    if type_.operator not in (";", "not"):
        return bound
    ends: list[Operand] = []
    open_end = True
    for operand in reversed(bound):
        if open_end or _is_early(operand, definitions):
            ends.append(operand)
        open_end = open_end and operand.delimiter is not None and operand.delimiter.least == 0
    return ends[::-1]


def _bound(type_: Complex) -> list[Operand]:
    return [operand for operand in type_.operands if not any(operand is each for each in type_.forbidden)]


def _same_type(one: Operand, other: Operand) -> bool:
    return one is other or (isinstance(one.type, Identifier) and one.type == other.type)


def _is_early(operand: Operand, definitions: Mapping[str, Definition]) -> bool:
    """Returns whether the time of a component's instances is their begin."""
    if isinstance(operand.type, Complex):
        return operand.type.time == "begin"
    defined = definitions.get(operand.type.name)
    return defined is not None and isinstance(defined.type, Complex) and defined.type.time == "begin"
