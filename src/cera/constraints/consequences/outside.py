"""Times that lie outside of the time of a module."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from cera.constraints.consequences.facts import is_condition
from cera.constraints.consequences.impossibility import is_impossible
from cera.constraints.names import APART, declared_identifier
from cera.constraints.queries import Literal, Part, TimerLiteral, WindowLiteral
from cera.model.expressions.expression import Call, Comparison, EventReference, Expression


def lies_outside(time: str, modules: Sequence[Part], others: Sequence[Part]) -> bool:
    """Returns whether a time never shares a point with the time of the innermost module; or never more than one, though
    it is longer than that, and the module can be. Conditions are not looked at."""
    found = _known(time, modules, others)
    if found is None:
        return False
    parts, own, around = found
    shared = (Comparison("<=", _begin(own), _end(around)), Comparison("<=", _begin(around), _end(own)))
    if is_impossible([*parts, *shared]):
        return True
    if not is_impossible([*parts, Comparison("=", _begin(own), _end(own))]):
        return False
    if is_impossible([*parts, Comparison("<", _begin(around), _end(around))]):
        return False
    more = (Comparison("<", _begin(own), _end(around)), Comparison("<", _begin(around), _end(own)))
    return is_impossible([*parts, *more])


def sticks_out(time: str, modules: Sequence[Part], others: Sequence[Part]) -> bool:
    """Returns whether a time never lies as a whole in the time of the innermost module, whatever part of it does."""
    found = _known(time, modules, others)
    if found is None:
        return False
    parts, own, around = found
    inside = (Comparison("<=", _begin(around), _begin(own)), Comparison("<=", _end(own), _end(around)))
    return is_impossible([*parts, *inside])


def _known(
    time: str, modules: Sequence[Part], others: Sequence[Part]
) -> tuple[list[Part], EventReference, EventReference] | None:
    """Returns all that is declared, a time and that of the innermost module; None if both are the same, or there are
    never any such times."""
    module = declared_identifier(list(_identified(modules))[-1])
    if module is None or module.identifier == time:
        return None
    inside = [_timed(part, module) for part in others if not is_condition(part)]
    parts = list(_identified([*modules, *inside]))
    return None if is_impossible(parts) else (parts, EventReference(time), module)


def is_apart(modules: Sequence[Part], inner: Sequence[Part]) -> bool:
    """Returns whether the time of a module has nothing in common with that of the innermost module around it."""
    return _with_names(lies_outside, modules, inner)


def leads_out(modules: Sequence[Part], inner: Sequence[Part]) -> bool:
    """Returns whether the time of a module never lies as a whole in that of the innermost module around it."""
    return _with_names(sticks_out, modules, inner)


def _with_names(
    check: Callable[[str, Sequence[Part], Sequence[Part]], bool], modules: Sequence[Part], inner: Sequence[Part]
) -> bool:
    parts = list(_identified([*modules, *inner]))
    own = declared_identifier(parts[-1])
    return own is not None and check(own.identifier, parts[: len(modules)], parts[len(modules) :])


def _timed(part: Part, module: EventReference) -> Part:
    """Returns a literal in the time of its module, if it has no other."""
    if isinstance(part, Literal) and part.time is None and part.kind != "relation":
        return replace(part, time=module)
    return part


def _begin(identifier: EventReference) -> Expression:
    return Call("begin", (identifier,))


def _end(identifier: EventReference) -> Expression:
    return Call("end", (identifier,))


def _identified(parts: Sequence[Part]) -> Iterator[Part]:
    """Yields parts that all have an identifier, if they can; literals in timers stand before them already."""
    before: Part | None = None
    for number, part in enumerate(parts):
        found = part
        if isinstance(part, Literal | TimerLiteral | WindowLiteral) and part.identifier is None:
            found = replace(part, identifier=EventReference(f"{APART}{number}"))
        if isinstance(found, TimerLiteral) and isinstance(found.anchor, Literal) and before is not None:
            anchor = declared_identifier(before)
            found = found if anchor is None else replace(found, anchor=anchor)
        before = found
        yield found
