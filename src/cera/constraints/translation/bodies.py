"""The body of a clause as a branch: its literals, the times that they are evaluated in, and its conditions."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain

from cera.constraints.binding import plan
from cera.constraints.clause import Clause
from cera.constraints.groups import binds
from cera.constraints.names import declared_identifier
from cera.constraints.numbers import AT_LEAST_ONE, counts
from cera.constraints.queries import (
    GapContent,
    HullLiteral,
    Literal,
    Membership,
    Part,
    Quantity,
    TimerLiteral,
    WindowLiteral,
)
from cera.constraints.specification import NONE, SOME
from cera.constraints.translation.bounded_times import bounded_place
from cera.constraints.translation.branches import ALWAYS, ClauseBranch, Setting
from cera.constraints.translation.conditions import condition_of, whole_states
from cera.constraints.translation.counting import MOST_COUNTED, at_least, exactly
from cera.constraints.translation.places import NotByRulesError, hull_place, timer_place
from cera.model.expressions.atoms import Between, Sliding, Unbounded
from cera.model.expressions.expression import Comparison
from cera.rules.branch_building import Names

_MAY_NOT_HAPPEN = ("shorten", "shorten-begin")


def body_of(clause: Clause, fixed: Collection[str], setting: Setting) -> ClauseBranch:
    """Returns the body of a clause; `fixed` are the relations whose rows do not change. Raises NotByRulesError."""
    parts = [*clause.body, *chain.from_iterable(clause.head)]
    declared = (each.identifier for part in parts if (each := declared_identifier(part)) is not None)
    found = ClauseBranch(Names("_", declared), setting)
    for part in plan(clause.body).parts:
        _add(found, part, fixed)
    return found


def _add(branch: ClauseBranch, part: Part, fixed: Collection[str]) -> None:
    match part:
        case Literal(kind="relation"):
            if part.count is not None:
                raise NotByRulesError("the rows of a relation are counted")
            if part.atom.label not in fixed:
                raise NotByRulesError("the rows of a relation change")
            branch.add(part)
        case Literal(count=None):
            branch.add(part)
        case Literal() if part.count == NONE and part.identifier is None:
            if not branch.bound >= {*(part.group_by or ())}:
                raise NotByRulesError("the body asks for groups of which there is nothing")
            branch.absent(part, frozenset(branch.bound))
        case Literal():
            _count(branch, part)
        case Membership():
            _member(branch, part)
        case TimerLiteral():
            _timer(branch, part)
        case HullLiteral():
            branch.places[part.identifier.identifier] = hull_place(part, branch.places)
        case WindowLiteral():
            _window(branch, part)
        case GapContent():
            if not isinstance(part.quantities, Quantity) or counts(part.quantities.count) != AT_LEAST_ONE:
                raise NotByRulesError("what happens between others is counted")
            branch.add_between(part, part.quantities)
        case _:
            branch.parts.whole |= {*whole_states(part, branch.places)}
            branch.parts.conditions.append(condition_of(part, branch.places))
    branch.bound |= binds(part)


def _count(branch: ClauseBranch, part: Literal) -> None:
    """Adds that there are at least so many of something, or just so many when its time is over."""
    shared = frozenset(branch.bound) | frozenset(part.group_by or ())
    admitted = None if part.count is None else counts(part.count)
    match None if admitted is None or part.identifier is not None else admitted.ranges:
        case ((least, None),) if least > 0:
            at_least(branch, part, least, shared)
        case ((least, most),) if least == most and 0 < least <= MOST_COUNTED:
            exactly(branch, part, least, shared)
        case _:
            raise NotByRulesError("the body counts")


def _member(branch: ClauseBranch, part: Membership) -> None:
    """Adds that something that has a name lies in a time."""
    admitted = counts(SOME if part.count is None else part.count)
    if admitted is None or 0 in admitted or 1 not in admitted:
        raise NotByRulesError("something that has a name is not to lie in a time")
    name = part.identifier.identifier
    if branch.places[name].kind not in ("event", "state"):
        raise NotByRulesError("it is asked whether a timer or a window lies in a time")
    for place in branch.times(part.time):
        branch.parts.conditions += branch.inside(name, place)


def _timer(branch: ClauseBranch, part: TimerLiteral) -> None:
    assert not isinstance(part.anchor, Literal)
    name = part.identifier.identifier if part.identifier is not None else branch.names.fresh("timer")
    place = branch.places[name] = timer_place(part, name, branch.places[part.anchor.identifier])
    if part.timer in _MAY_NOT_HAPPEN:
        branch.parts.conditions.append(Comparison("<=", place.begin, place.end))


def _window(branch: ClauseBranch, part: WindowLiteral) -> None:
    name = part.identifier.identifier if part.identifier is not None else branch.names.fresh("window")
    match part.window:
        case Unbounded():
            branch.places[name] = ALWAYS
        case Sliding() as window:
            slide = window.range if window.slide is None else window.slide
            branch.clock(name, window.range.microseconds, slide.microseconds)
        case Between() as window:
            place = branch.places[name] = bounded_place(window, name, branch.places, branch.setting.timezone)
            branch.parts.conditions.append(Comparison("<=", place.begin, place.end))
        case _:
            raise NotByRulesError("a window moves with each event")
