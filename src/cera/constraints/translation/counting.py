"""Counts as joins and absences: so many as soon as there are, and so many when their time is over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from cera.constraints.queries import Literal
from cera.constraints.translation.branches import ClauseBranch
from cera.constraints.translation.places import NotByRulesError, Place
from cera.model.expressions.expression import Arithmetic, Comparison, DurationLiteral, Expression
from cera.model.matching.patterns import variables
from cera.model.time.bounded_windows import Bounds, MovedEdge
from cera.model.time.durations import Duration
from cera.model.time.interval import MIN_TIME
from cera.model.time.periodic_windows import Period
from cera.rules.containment_conditions import begin_of, end_of
from cera.rules.earliest import Earliest
from cera.rules.rule import Accumulation, BoundedWindow
from cera.rules.states import state_variable

#: More literals than these for what is counted would be joined with each other too often.
MOST_COUNTED = 2

#: The begin and the end of a time.
Window = tuple[Expression, Expression]


def exactly(branch: ClauseBranch, literal: Literal, number: int, shared: frozenset[str]) -> Place:
    """Adds that a literal finds just so many when its time is over; returns that. Raises NotByRulesError."""
    found = copies(branch, literal, number, shared)
    branch.absent(literal, shared, found)
    branch.parts.earliest += _earliest(branch, literal, found, shared)
    [place] = branch.times(literal.time)
    return place


def at_least(
    branch: ClauseBranch, literal: Literal, number: int, shared: frozenset[str]
) -> tuple[Place, Window | None]:
    """Adds that a literal finds so many, as soon as that is so; returns its time, and that as a window if its end is
    known then. Raises NotByRulesError."""
    if number > MOST_COUNTED:
        raise NotByRulesError(f"more than {MOST_COUNTED} are counted")
    found = copies(branch, literal, number, shared)
    [place, *others] = branch.times(literal.time)
    if others:
        raise NotByRulesError("what happens in the intersection of several times is counted")
    if place.over and (number == 1 or place.first is None or literal.kind == "state"):
        return place, (place.begin, place.end)
    window = _first(branch, literal, found, place, shared)
    branch.parts.earliest += _earliest(branch, literal, found, shared)
    return place, window


def copies(
    branch: ClauseBranch, literal: Literal, number: int, shared: frozenset[str], *, at_fault: bool = True
) -> list[str]:
    """Adds several different events or states that a literal finds, in the order in which they are known; returns their
    identifiers."""
    edge = begin_of if literal.kind == "state" else end_of
    found = [branch.add(literal, shared=shared, at_fault=at_fault) for _ in range(number)]
    for index, name in enumerate(found):
        branch.parts.conditions += branch.different(name, found[:index])
    branch.parts.conditions += (Comparison("<=", edge(first), edge(second)) for first, second in pairwise(found))
    return found


def _earliest(
    branch: ClauseBranch, literal: Literal, found: Sequence[str], shared: frozenset[str]
) -> Iterator[Earliest]:
    """Yields that each but the last of what is counted is the first one besides those before it."""
    clocks = [branch.clocks[each.name] for each in branch.times(literal.time) if each.kind == "clock"]
    if len(clocks) > 1:
        return
    period = Period(clocks[0].length, clocks[0].slide, branch.setting.origin) if clocks else None
    is_state = literal.kind == "state"
    queries = {each.identifier: each.pattern for each in branch.parts.events}
    queries |= {each.identifier: each.pattern for each in branch.parts.states}
    for number, name in enumerate(found[:-1], 1):
        own = (variables(queries[name]) | {state_variable(name)} if is_state else variables(queries[name])) - shared
        yield Earliest(name, tuple(found[number:]), own, period, "begin" if is_state else "end")


def _first(
    branch: ClauseBranch, literal: Literal, found: Sequence[str], place: Place, shared: frozenset[str]
) -> Window | None:
    """Adds that the last of some is the first one that is too much: none of the others was known before.

    Returns the window that the violation shows.
    """
    last = found[-1]
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
    excluded = tuple(dict.fromkeys((*found, *(owner for owner in place.owners if _may_be(branch, owner, literal)))))
    absence = Accumulation(
        name,
        pattern,
        negated=True,
        conditions=tuple(conditions),
        span=literal.span,
        containment="in-state" if place.is_lasting and not state else "inside",
        opening=branch.opening(place.name),  # what is kept is dropped when the state ends
        element=element,
        excluded=excluded,
        with_anchor=place.is_bounded,
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
