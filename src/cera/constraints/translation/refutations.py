"""What refutes an alternative of a head, as more parts of a branch: one way for each text that a violation can have.

a condition does not hold                       not c
a count admits no number above n, and x is      x_0, …, x_n = x in t, all different, and none of the others that lie
    one too many                                in t has ended before x
a count lacks n, when its time t is over        x_1, …, x_n in t, all different, and no other in t
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from cera.constraints.clause import Alternative
from cera.constraints.names import used_identifiers, used_variables
from cera.constraints.numbers import ZERO, CountSet, counts
from cera.constraints.queries import (
    Apart,
    Condition,
    Directed,
    Gap,
    GapContent,
    Literal,
    Quantity,
    SentFrom,
    Spread,
)
from cera.constraints.specification import SOME
from cera.constraints.texts import Finding, condition_text, count_text, literal_text
from cera.constraints.translation.branches import ClauseBranch
from cera.constraints.translation.conditions import condition_of, names_time, refuted, whole_states
from cera.constraints.translation.counting import MOST_COUNTED, Window, at_least, copies, exactly
from cera.constraints.translation.places import NotByRulesError, event_place
from cera.model.expressions.expression import (
    Comparison,
    Temporal,
)


@dataclass(frozen=True)
class Refuted:
    """What a violation says of an alternative: the window is that in which it was counted."""

    expected: str
    found: Finding = None
    window: Window | None = None
    #: The time in which it was counted.
    place: str | None = None
    #: Whether it is a condition on times, which may be refuted after all others.
    is_timed: bool = False


@dataclass(frozen=True)
class Way:
    """One way to refute an alternative: what it adds to a branch."""

    add: Callable[[ClauseBranch], Refuted]


def ways_of(alternative: Alternative, branch: ClauseBranch, *, alone: bool) -> list[Way]:
    """Returns all ways to refute an alternative of a head, whose body is in a branch. Raises NotByRulesError.

    It is `alone` if there are no others: then each group that is at fault makes a violation.
    """
    literals = [part for part in alternative if isinstance(part, Literal)]
    conditions = [part for part in alternative if isinstance(part, _CONDITIONS)]
    if len(literals) + len(conditions) < len(alternative):
        raise NotByRulesError("the head has timers, windows or members of its own")
    if not literals:
        return list(_conditions(conditions))
    if len(literals) > 1 or len(conditions) > 1:
        raise NotByRulesError("the head asks for several things that depend on each other")
    [literal] = literals
    if literal.kind == "relation":
        raise NotByRulesError("the head asks for rows of a relation")
    if conditions:
        return list(_one_with(literal, conditions[0], branch))
    return list(_counted(literal, branch, alone=alone))


_CONDITIONS = (Comparison, Temporal, Spread, Gap, GapContent, Directed, SentFrom, Apart)


def _conditions(conditions: Sequence[Condition]) -> Iterator[Way]:
    """Yields the ways to refute a conjunction: the first of them that is refuted says so. Those of values are known
    before those of times."""
    ordered = sorted(conditions, key=names_time)
    if sum(map(names_time, ordered)) > 1:
        raise NotByRulesError("an alternative has several conditions on times, and one of them is refuted first")
    for number in range(len(ordered)):
        yield Way(partial(_refute, conditions=ordered[: number + 1]))


def _refute(branch: ClauseBranch, conditions: Sequence[Condition]) -> Refuted:
    """Adds that the last of some conditions does not hold, though the others do."""
    *others, condition = conditions
    if isinstance(condition, GapContent):
        quantity = condition.quantities
        if others or not isinstance(quantity, Quantity) or counts(quantity.count) != ZERO:
            raise NotByRulesError("what happens between others is counted")
        branch.add_between(condition, quantity)
        return Refuted(condition_text(condition), is_timed=True)
    branch.parts.whole |= {*whole_states(condition, branch.places)}
    branch.parts.conditions += [condition_of(each, branch.places) for each in others]
    branch.parts.conditions.append(refuted(condition, branch.places))
    return Refuted(condition_text(condition), is_timed=names_time(condition))


def _one_with(literal: Literal, condition: Condition, branch: ClauseBranch) -> Iterator[Way]:
    """Yields the ways to refute that there is something in a time of which a condition holds."""
    if literal.count is not None or literal.kind != "event":
        raise NotByRulesError("the head counts, or asks for states, of which it says more")
    name = "" if literal.identifier is None else literal.identifier.identifier
    named = {each.identifier for each in used_identifiers(condition)}
    if name not in named or not used_variables(condition) <= branch.bound:
        raise NotByRulesError("the head compares values of what it asks for")
    if any(branch.places[each].kind != "event" for each in named - {name}):
        raise NotByRulesError("the head compares what it asks for with states or timers")
    shared = frozenset(branch.bound)
    yield _exactly(literal, 0, shared)

    def add(branch: ClauseBranch) -> Refuted:
        copies(branch, replace(literal, identifier=None), 1, shared, at_fault=False)
        element = branch.names.fresh("such")
        places = {**branch.places, name: event_place(element)}
        branch.absent(literal, shared, element=element, conditions=(condition_of(condition, places),))
        [place] = branch.times(literal.time)
        return Refuted(condition_text(condition), None, (place.begin, place.end), place.name)

    yield Way(add)


def _counted(literal: Literal, branch: ClauseBranch, *, alone: bool) -> Iterator[Way]:
    """Yields the ways to refute a literal that is counted, or that needs one."""
    admitted = counts(SOME if literal.count is None else literal.count)
    if admitted is None or not admitted:
        raise NotByRulesError("how many is a variable, or no number at all")
    groups = frozenset(literal.group_by or ()) if literal.count is not None else frozenset[str]()
    free = groups - branch.bound
    if free and not alone:
        raise NotByRulesError("one of several alternatives counts in groups of its own")
    shared = frozenset(branch.bound) | free
    if literal.identifier is not None:
        literal = replace(literal, identifier=None)
    for number in _too_few(admitted):
        if number or not free:
            yield _exactly(literal, number, shared)
    if (most := _most(admitted)) is not None:
        yield _more_than(literal, most, shared)


def _too_few(admitted: CountSet) -> Iterator[int]:
    """Yields the numbers that are not admitted, though greater ones are. Raises NotByRulesError if there are many."""
    last, _ = admitted.ranges[-1]
    missing = [number for number in range(min(last, MOST_COUNTED + 2)) if number not in admitted]
    if last > MOST_COUNTED + 1:
        raise NotByRulesError(f"more than {MOST_COUNTED} are counted")
    return iter(missing)


def _most(admitted: CountSet) -> int | None:
    """Returns the greatest number that is admitted, None if there is none. Raises NotByRulesError if it is large."""
    _, most = admitted.ranges[-1]
    if most is not None and most + 1 > MOST_COUNTED:
        raise NotByRulesError(f"more than {MOST_COUNTED} are counted")
    return most


def _exactly(literal: Literal, number: int, shared: frozenset[str]) -> Way:
    """Returns that there are just so many when their time is over."""

    def add(branch: ClauseBranch) -> Refuted:
        place = exactly(branch, literal, number, shared)
        text = count_text(literal) if literal.count is not None else f"at least 1 {literal_text(literal)}"
        return Refuted(text, number, (place.begin, place.end), place.name)

    return Way(add)


def _more_than(literal: Literal, most: int, shared: frozenset[str]) -> Way:
    """Returns that there is one more than so many, as soon as that is so."""

    def add(branch: ClauseBranch) -> Refuted:
        place, window = at_least(branch, literal, most + 1, shared)
        return Refuted(count_text(literal), most + 1, window, place.name)

    return Way(add)
