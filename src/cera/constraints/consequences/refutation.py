"""How the head of a clause is refuted, and what is certain then (`cera.constraints.semantics`).

a condition                         it is known not to hold, and the states whose ends it names have ended
a literal                           there is none in its time, which has passed
a count                             its number is another one, and its time has passed; or it is larger than all
                                    that are allowed, whatever time it is
parts that depend on one another    nothing makes all of them hold
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cera.constraints.consequences.counting import Count
from cera.constraints.consequences.facts import Facts, is_condition
from cera.constraints.groups import components, given_names
from cera.constraints.numbers import ALL, AT_LEAST_ONE, NO_NUMBER, ZERO, CountSet, complement, greatest, numbers_of
from cera.constraints.queries import Condition, Literal, Membership, Part, ValidityTime


@dataclass(frozen=True)
class Denial:
    """One way in which an alternative is refuted.

    `settled` are times that have passed then, `given` variables of a group that is at fault. `component` are parts of
    which it is enough to show that they hold.
    """

    conditions: tuple[Condition, ...] = ()
    counts: tuple[Count, ...] = ()
    settled: frozenset[ValidityTime] = frozenset()
    given: frozenset[str] = frozenset()
    component: tuple[Part, ...] = ()


def denials(alternative: Sequence[Part], body: Facts) -> Iterator[Denial]:
    """Yields the ways in which an alternative can be refuted: by one of the parts that depend on one another."""
    known = given_names(body.parts)
    for component in components(alternative, known):
        yield from _denials(component, body)


def _denials(component: tuple[Part, ...], body: Facts) -> Iterator[Denial]:
    match component:
        case (Literal(count=None) as literal,) if literal.kind != "relation":
            none = Count(replace(literal, group_by=()), ZERO)
            yield Denial(counts=(none,), settled=_times(component))
        case (Literal() as literal,) if literal.count is not None and literal.kind != "relation":
            yield from _counts(literal, body)
        case (Membership(),):
            yield Denial(component=component)
        case (part,) if is_condition(part):
            yield Denial((part,))  # type: ignore[arg-type]
        case _:
            yield Denial(settled=_times(component), component=component)


def _counts(literal: Literal, body: Facts) -> Iterator[Denial]:
    numbers = numbers_of(literal)
    if numbers is None:
        yield Denial()
        return
    groups = frozenset(literal.group_by or ()) - body.all_bound
    there = AT_LEAST_ONE if groups else ALL
    others = complement(numbers).intersection(there)
    yield Denial(counts=(Count(literal, others),), settled=_times((literal,)), given=groups)
    most = greatest(numbers)
    if most is not None:
        over = CountSet(((most + 1, None),)).intersection(there)
        yield Denial(counts=(Count(literal, over),), given=groups)


def _times(component: Sequence[Part]) -> frozenset[ValidityTime]:
    """Returns the time that has passed if the parts are refuted, if all are evaluated in one."""
    found = {part.time for part in component if isinstance(part, Literal) and part.kind != "relation"}
    times = frozenset(time for time in found if time is not None)
    return times if len(found) == 1 else frozenset()


def up_to_greatest(numbers: CountSet) -> CountSet:
    """Returns the numbers that can still lead to one of a set."""
    return CountSet(((0, greatest(numbers)),)) if numbers else NO_NUMBER
