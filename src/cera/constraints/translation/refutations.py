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
from itertools import pairwise

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
from cera.constraints.texts import condition_text, count_text, literal_text
from cera.constraints.translation.branches import ClauseBranch
from cera.constraints.translation.conditions import condition_of, names_time, refuted, whole_states
from cera.constraints.translation.places import NotByRulesError, Place, event_place
from cera.model.expressions.expression import (
    Arithmetic,
    Comparison,
    DurationLiteral,
    Expression,
    Temporal,
)
from cera.model.time.bounded_windows import Bounds, MovedEdge
from cera.model.time.durations import Duration
from cera.model.time.interval import MIN_TIME
from cera.rules.containment_conditions import begin_of, end_of
from cera.rules.rule import Accumulation, BoundedWindow
from cera.rules.states import opening_query

#: More literals than these for what is counted would be joined with each other too often.
MOST_COUNTED = 2


@dataclass(frozen=True)
class Refuted:
    """What a violation says of an alternative: the window is that in which it was counted."""

    expected: str
    found: str = ""
    window: tuple[Expression, Expression] | None = None
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
        _copies(branch, replace(literal, identifier=None), 1, shared)
        element = branch.names.fresh("such")
        places = {**branch.places, name: event_place(element)}
        branch.absent(literal, shared, element=element, conditions=(condition_of(condition, places),))
        [place] = branch.times(literal.time)
        return Refuted(condition_text(condition), "", (place.begin, place.end))

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
        copies = _copies(branch, literal, number, shared)
        branch.absent(literal, shared, copies)
        [place] = branch.times(literal.time)
        text = count_text(literal) if literal.count is not None else f"at least 1 {literal_text(literal)}"
        found = "found none" if literal.count is None else f"found {number}"
        return Refuted(text, found, (place.begin, place.end))

    return Way(add)


def _more_than(literal: Literal, most: int, shared: frozenset[str]) -> Way:
    """Returns that there is one more than so many, as soon as that is so."""

    def add(branch: ClauseBranch) -> Refuted:
        copies = _copies(branch, literal, most + 1, shared)
        places = branch.times(literal.time)
        over = [place for place in places if place.over]
        window = _shown(branch, places)
        if not over:
            if len(places) > 1:
                raise NotByRulesError("what happens in the intersection of several times is counted")
            window = _first(branch, literal, copies, places[0], shared)
        return Refuted(count_text(literal), f"found {most + 1}", window)

    return Way(add)


def _copies(branch: ClauseBranch, literal: Literal, number: int, shared: frozenset[str]) -> list[str]:
    """Adds several different events or states that a literal finds, in the order in which they are known."""
    edge = begin_of if literal.kind == "state" else end_of
    copies = [branch.add(literal, shared=shared) for _ in range(number)]
    for index, name in enumerate(copies):
        branch.parts.conditions += branch.different(name, copies[:index])
    branch.parts.conditions += (Comparison("<=", edge(first), edge(second)) for first, second in pairwise(copies))
    return copies


def _shown(branch: ClauseBranch, places: Sequence[Place]) -> tuple[Expression, Expression] | None:
    if len(places) > 1:
        raise NotByRulesError("what happens in the intersection of several times is counted")
    [place] = places
    return None if place.kind == "always" or not place.foreseen else (place.begin, place.end)


def _first(
    branch: ClauseBranch, literal: Literal, copies: Sequence[str], place: Place, shared: frozenset[str]
) -> tuple[Expression, Expression] | None:
    """Adds that the last of some is the first one that is too much: none of the others was known before.

    Returns the window that the violation shows.
    """
    last = copies[-1]
    state = literal.kind == "state"
    first = MovedEdge(None, by=Duration(0, MIN_TIME)) if place.kind == "always" else place.first
    if first is None or (state and place.kind not in ("state", "always")):
        raise NotByRulesError("states in a timer or a window are counted")
    if first.edge == "end" and place.is_lasting and first.identifier is not None:
        branch.parts.whole.add(first.identifier)
    name = branch.names.fresh(f"until_{last}")
    ends = (MovedEdge(last, "begin"), first) if state else (MovedEdge(last, "end"),)
    branch.parts.windows.append(BoundedWindow(name, Bounds((first,), ends), anonymous=True))
    element = branch.names.fresh(f"earlier_{last}")
    edge = begin_of if state else end_of
    conditions: list[Expression] = [Comparison("<", edge(element), edge(last))]
    pattern = branch.pattern(literal.atom, shared)
    excluded = tuple(dict.fromkeys((*copies, *(owner for owner in place.owners if _may_be(branch, owner, literal)))))
    opened = [] if state else [each for each in branch.parts.states if each.identifier == place.name]
    absence = Accumulation(
        name,
        pattern,
        negated=True,
        conditions=tuple(conditions),
        span=literal.span,
        containment="in-state" if place.is_lasting and not state else "inside",
        opening=opening_query(opened[0]) if opened else None,  # what is kept is dropped when the state ends
        element=element,
        excluded=excluded,
    )
    branch.accumulate(literal, absence)
    if not place.foreseen or place.kind == "always":
        return None
    if place.kind == "clock":  # which is not in the row when the answer is made
        length = branch.clocks[place.name].length - 1
        return begin_of(name), Arithmetic("+", begin_of(name), DurationLiteral(Duration(0, length)))
    return place.begin, place.end


def _may_be(branch: ClauseBranch, owner: str, literal: Literal) -> bool:
    return branch.labels[owner] == literal.atom.label and (branch.places[owner].kind == "state") == (
        literal.kind == "state"
    )
