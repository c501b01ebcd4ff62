"""How far events lie apart, where the types measure time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cera.comparing.letters import TIMES
from cera.comparing.subjects import complex_types
from cera.instances.types import ComplexType, InstanceModule, TimerType
from cera.model.expressions.expression import Expression, Literal, variables, walk

_SECOND = 1_000_000
_UNITS = (86_400 * _SECOND, 3_600 * _SECOND, 60 * _SECOND, _SECOND, 1_000, 1)

#: So many short steps are shorter than the shortest limit.
_SHORT = 10


def distances(modules: Sequence[InstanceModule]) -> tuple[int, ...]:
    """In microseconds, the shortest first. Limits are reached and passed; a short step stays far below all of them."""
    limits = sorted(set(_limits(modules)))
    if not limits:
        return (_SECOND,)
    step = next((unit for unit in _UNITS if unit * _SHORT <= limits[0]), 1)
    return tuple(sorted({step, *(each + more for each in limits for more in (0, step))}))


def measures_time(modules: Sequence[InstanceModule]) -> bool:
    """Whether more than the order of events matters."""
    return any(bool(module.timers) for module in modules) or any(
        type_.within is not None or any(map(_is_about_time, _names(type_))) for _, type_ in complex_types(modules)
    )


def _names(type_: ComplexType) -> Iterator[str]:
    return (name for each in _expressions(type_) for name in variables(each))


def _expressions(type_: ComplexType) -> Iterator[Expression]:
    yield from type_.where
    yield from (expression for _, expression in type_.fields or ())


def _limits(modules: Sequence[InstanceModule]) -> Iterator[int]:
    for module in modules:
        yield from (each.after for each in module.types if isinstance(each, TimerType))
    for _, type_ in complex_types(modules):
        if type_.within is not None:
            yield type_.within
        for conjunct in _expressions(type_):
            if any(_is_about_time(name) for name in variables(conjunct)):
                numbers = [part.value for part in walk(conjunct) if isinstance(part, Literal)]
                yield from (each for each in numbers if isinstance(each, int) and each > 0)


def _is_about_time(variable: str) -> bool:
    return variable.rpartition(".")[2] in TIMES
