"""How long an event or a state can still matter: after that it is forgotten.

The times of a goal are nodes of a network of difference bounds: what lies in a time, timers, windows, and conditions of
the seed. An event matters until the last of the others can have happened, and until the last time has passed in which
something is counted or missed. Where no bound follows, because states last as long as they do, it matters as long as a
state that it could lie in. Where nothing follows at all, it is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cera.constraints.binding import Plan
from cera.constraints.clause import Clause
from cera.constraints.definitions import literals_of
from cera.constraints.goals import ClauseGoals, Goal
from cera.constraints.names import NOW, declared_identifier, time_identifiers
from cera.constraints.queries import (
    Combination,
    GapContent,
    HullLiteral,
    Literal,
    Part,
    Spread,
    TimerLiteral,
    WindowLiteral,
)
from cera.constraints.quiescence import quiescent_key
from cera.constraints.specification import Limit, limits
from cera.constraints.times import is_moving
from cera.model.expressions.atoms import Between, Now, Sliding
from cera.model.expressions.expression import (
    Arithmetic,
    Call,
    Comparison,
    DurationLiteral,
    EventReference,
    Expression,
    Temporal,
)
from cera.model.time.durations import Duration
from cera.model.time.interval import Time
from cera.model.time.timers import TIMERS
from cera.rules.reasoning.difference_bounds import Constraint, DifferenceBounds

#: The begin or the end of something, or the time that a moving window is relative to.
_Point = tuple[str, str]
_Bound = Constraint[_Point, None]


@dataclass(frozen=True)
class Retention:
    """How long what a literal finds is kept after its end.

    With a `state`, the place of one in the seed, as long as such a state can begin, at most `before` after it, or has
    begun until then, and so long after its end. Without a duration it is kept for good.
    """

    duration: Time | None
    state: int | None = None
    before: Time = 0

    @property
    def is_forever(self) -> bool:
        return self.duration is None


def retentions(goal: Goal, longest: Time | None = None) -> Mapping[int, Sequence[Retention]]:
    """Returns how long what each literal of a goal finds is kept, by the identity of the literal: the longest of
    these. Events that are not derived here last for `longest` at most, if that is known."""
    found: dict[int, list[Retention]] = {}
    for head in goal.heads or (Plan(()),):
        for literal, retention in _Times(goal, head, longest).retentions().items():
            found.setdefault(literal, []).append(retention)
    return found


def kept_for_good(clause: Clause) -> list[Literal]:
    """Returns the literals of a clause and its definitions whose events or states are never forgotten, even if events
    are points."""
    goals = ClauseGoals(clause, 0)
    if quiescent_key(goals) is not None:
        return []
    found: list[Literal] = []
    for goal in goals.goals:
        for identity, several in retentions(goal, longest=0).items():
            literal = goals.asked[identity].literal
            if literal.kind != "relation" and any(each.is_forever for each in several):
                found.append(literal)
    return found


def steps_kept(goal: Goal) -> Time | None:
    """Returns how long the times at which something happens are kept for the moving windows of a goal; None if for
    good."""
    longest = 0
    for head in goal.heads or (Plan(()),):
        kept = _Times(goal, head).steps_kept()
        if kept is None:
            return None
        longest = max(longest, kept)
    return longest


class _Times:
    """The network of the times of a goal, with one alternative of its head."""

    def __init__(self, goal: Goal, head: Plan, longest: Time | None = None) -> None:
        self._goal = goal
        self._longest = longest
        self._local = {each.head.atom.label for each in goal.clause.definitions}
        self._others = (*goal.rest.parts, *head.parts)
        self._names: dict[int, str] = {}
        self._kinds: dict[str, str] = {}
        parts = [*goal.seed, *self._others]
        bounds: list[_Bound] = []
        for number, part in enumerate(parts):
            declared = declared_identifier(part)
            name = f"#{number}" if declared is None else declared.identifier
            self._names[id(part)] = name
            if isinstance(part, Literal):
                self._kinds[name] = part.kind or "event"
        for part in parts:
            bounds += self._of_part(part, self._names[id(part)])
        for part in goal.seed:
            bounds += _of_condition(part)
        self._network: DifferenceBounds[_Point, None] = DifferenceBounds(bounds)
        self._is_impossible = self._network.contradiction is not None
        self._later = list(self._points())

    def _of_part(self, part: Part, name: str) -> Iterator[_Bound]:
        yield _at_most(("begin", name), ("end", name), 0)
        match part:
            case Literal():
                if part.kind == "event" and self._longest is not None and part.atom.label not in self._local:
                    yield _at_most(("end", name), ("begin", name), self._longest)
                for each in _convex(part.time):
                    if part.kind == "state" or self._kinds.get(each) == "state":
                        yield _at_most(("begin", each), ("end", name), 0)
                        yield _at_most(("begin", name), ("end", each), 0)
                    if part.kind != "state":
                        yield _at_most(("begin", each), ("begin", name), 0)
                        yield _at_most(("end", name), ("end", each), 0)
            case TimerLiteral(anchor=EventReference() as anchor) if not part.duration.months:
                for edge, (own, sign) in zip(("begin", "end"), TIMERS[part.timer], strict=True):
                    moved = sign * part.duration.microseconds
                    yield from _equal((edge, name), (own, anchor.identifier), moved)
            case HullLiteral():
                for covered in part.combination.identifiers:
                    yield _at_most(("begin", name), ("begin", covered.identifier), 0)
                    yield _at_most(("end", covered.identifier), ("end", name), 0)
            case WindowLiteral(window=Sliding() as window):
                yield from _equal(("end", name), ("begin", name), window.range.microseconds - 1)
            case WindowLiteral(window=Now()):
                yield from _equal(("end", name), ("begin", name), 0)
                yield from _equal(("now", name), ("begin", name), 0)
            case WindowLiteral(window=Between() as window):
                for edge, bound in (("begin", window.begin), ("end", window.end)):
                    moved_from = _shifted(bound)
                    if moved_from is not None:
                        point, offset = moved_from
                        anchor_point = ("now", name) if point[1] == NOW else point
                        yield from _equal((edge, name), anchor_point, offset)
            case _:
                pass

    def _points(self) -> Iterator[_Point]:
        """Yields the times up to which something can come that makes a seed, or changes what one comes to."""
        for place in self._goal.literals:
            yield "end", self._names[id(self._goal.seed[place])]
        for place in self._goal.windows:
            name = self._names[id(self._goal.seed[place])]
            part = self._goal.seed[place]
            assert isinstance(part, WindowLiteral)
            yield ("begin" if isinstance(part.window, Sliding) else "now"), name
        for part in self._others:
            for each in _times_of(part):
                yield "end", each

    def retentions(self) -> Mapping[int, Retention]:
        found: dict[int, Retention] = {}
        for place in self._goal.literals:
            literal = self._goal.literal(place)
            found[id(literal)] = self._kept([("end", self._names[id(literal)])], place)
        for part in self._others:
            begins = [("begin", each) for each in _times_of(part)]
            if isinstance(part, Literal):
                found[id(part)] = self._kept(begins, None)
            elif isinstance(part, GapContent):
                found |= {id(each): self._kept(begins, None) for each in literals_of(part)}
        return found

    def steps_kept(self) -> Time | None:
        """Returns how long the times that windows are relative to are kept, zero if there are none."""
        if any(isinstance(part, WindowLiteral) and is_moving(part.window) for part in self._others):
            return None
        found = [0]
        for place in self._goal.windows:
            part = self._goal.seed[place]
            assert isinstance(part, WindowLiteral)
            if is_moving(part.window):
                kept = self._kept([("now", self._names[id(part)])], None)
                if kept.duration is None or kept.state is not None:
                    return None
                found.append(kept.duration + 1)
        return max(found)

    def _kept(self, since: Sequence[_Point], own: int | None) -> Retention:
        """Returns how long something is kept that does not end before the first of some times."""
        if self._is_impossible:
            return Retention(0)
        lasting = self._last(since)
        if lasting is not None:
            return Retention(max(0, lasting))
        for place in self._goal.literals:
            part = self._goal.literal(place)
            if part.kind == "state" and place != own and since:
                name = self._names[id(part)]
                after = self._last([("end", name)])
                befores = [self._network.least(("begin", name), each) for each in since]
                known = [each for each in befores if each is not None]
                if after is not None and len(known) == len(befores):
                    return Retention(max(0, after), place, max(known))
        return Retention(None)

    def _last(self, since: Sequence[_Point]) -> Time | None:
        """Returns how long after the first of some times the last of all that counts can be; None if nothing says."""
        lengths = [self._network.least(point, each) for point in self._later for each in since]
        known = [each for each in lengths if each is not None]
        return max(known, default=0) if since and len(known) == len(lengths) else None


def _times_of(part: Part) -> list[str]:
    """Returns the identifiers of the times in which a part looks for something."""
    if isinstance(part, Literal):
        return [each.identifier for each in time_identifiers(part.time)]
    return [each.identifier for each in part.identifiers] if isinstance(part, GapContent) else []


def _convex(time: EventReference | Combination | None) -> list[str]:
    """Returns the identifiers of times in all of which something lies."""
    if isinstance(time, Combination) and time.operator != "intersection":
        return []
    return [each.identifier for each in time_identifiers(time)]


def _at_most(left: _Point, right: _Point, bound: Time) -> _Bound:
    """Returns left - right <= bound."""
    return Constraint(left, right, bound)


def _equal(left: _Point, right: _Point, moved: Time) -> Iterator[_Bound]:
    yield _at_most(left, right, moved)
    yield _at_most(right, left, -moved)


def _of_condition(part: Part) -> Iterator[_Bound]:
    match part:
        case Spread():
            longest = _longest(limits(part.duration)) if isinstance(part.duration, Limit) else None
            if longest is not None:
                names = [each.identifier for each in part.identifiers]
                yield from (_at_most(("end", x), ("begin", y), longest) for x in names for y in names)
        case Temporal(left=EventReference() as left, right=EventReference() as right):
            first, second = left.identifier, right.identifier
            if part.relation in ("after", "met-by", "overlapped-by"):
                first, second = second, first
            match part.relation:
                case "before" | "after" | "meets" | "met-by":
                    yield _at_most(("end", first), ("begin", second), 0)
                    if part.relation in ("meets", "met-by"):
                        yield _at_most(("begin", second), ("end", first), 0)
                case "overlaps" | "overlapped-by":
                    yield _at_most(("begin", first), ("begin", second), 0)
                    yield _at_most(("begin", second), ("end", first), 0)
                    yield _at_most(("end", first), ("end", second), 0)
                case "during" | "starts" | "finishes" | "equals":
                    yield _at_most(("begin", second), ("begin", first), 0)
                    yield _at_most(("end", first), ("end", second), 0)
                case _:
                    yield _at_most(("begin", first), ("begin", second), 0)
                    yield _at_most(("end", second), ("end", first), 0)
        case Comparison(operator="<" | "<=" | "=" | ">" | ">="):
            left_point, right_point = _shifted(part.left), _shifted(part.right)
            if left_point is not None and right_point is not None:
                (one, offset), (other, moved) = left_point, right_point
                if part.operator in ("<", "<=", "="):
                    yield _at_most(one, other, moved - offset)
                if part.operator in (">", ">=", "="):
                    yield _at_most(other, one, offset - moved)
        case _:
            pass


def _longest(found: Iterable[Limit]) -> Time | None:
    for limit in found:
        if limit.operator in ("<", "<=", "=") and isinstance(limit.amount, Duration) and not limit.amount.months:
            return limit.amount.microseconds
    return None


def _shifted(expression: Expression) -> tuple[_Point, Time] | None:
    """Returns the begin or the end of something, and how far from it a time is: `e(i) + 1 min`."""
    match expression:
        case EventReference(identifier="now"):
            return ("now", NOW), 0
        case Call(function="begin" | "end" as edge, arguments=(EventReference(identifier=name),)):
            return (edge, name), 0
        case Arithmetic(left=left, right=DurationLiteral(duration)) if not duration.months:
            found = _shifted(left) if expression.operator not in ("*", "/", "mod") else None
            sign = 1 if expression.operator == "+" else -1
            return None if found is None else (found[0], found[1] + sign * duration.microseconds)
        case _:
            return None
