"""A plan split into groups of rules, each of which is answered in columns or event by event.

A group reads the stream, and what groups before it derive as if that came with the stream, so that it has a plan of its
own: some points of the whole one. Rules of one way between which nothing of the other way is needed are one group.

    fire      reads temp and smoke     group 1, in columns
    spread    reads fire and spread    group 2, event by event: it is recursive
    size      reads spread             group 3, in columns
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from cera.algebra.operators import (
    AbsoluteTimers,
    AntiSemiJoin,
    Construction,
    Expression,
    Matching,
    Projection,
    Reference,
    Renaming,
    Stream,
    TemporalJoin,
    Union,
    rebuild,
    walk,
)
from cera.algebra.plan import Plan, Point, references
from cera.algebra.relevance import Relevance
from cera.engines.columns.lowering import flat_head, lower
from cera.engines.columns.physical import PhysicalPlan
from cera.model.events.event import STATES
from cera.model.expressions.constructs import ConstructTerm
from cera.model.matching.patterns import TermPattern

#: What is never undefined, so that it may be evaluated in several groups and counted by none.
_ALWAYS_DEFINED = (Stream, Reference, Union, Matching, Projection, Renaming)


@dataclass(frozen=True)
class RuleGroup:
    """Rules that are answered together, with the points that they need; in columns if they have a plan for that."""

    rules: tuple[str, ...]
    plan: Plan
    #: How long the events that it reads last at most, in microseconds; None: for any time.
    max_duration: int | None
    columns: PhysicalPlan | None


@dataclass(frozen=True)
class Split:
    """The groups in their order, none if no rule is in columns; and for each rule why it is answered event by event,
    None if it is in columns."""

    groups: tuple[RuleGroup, ...]
    reasons: Mapping[str, str | None]


class _WholeError(Exception):
    """A plan is not split; the text says why."""


def split(plan: Plan, max_duration: int | None) -> Split:
    """Splits a plan into groups. No event of the stream lasts longer than `max_duration`."""
    return _Splitting(plan, max_duration).split()


class _Splitting:
    def __init__(self, plan: Plan, max_duration: int | None) -> None:
        self._plan = plan
        self._relevance = Relevance(plan, max_duration)
        self._rules = tuple(point.name for point in plan.results)
        #: Why rules are answered event by event.
        self._reasons: dict[str, str] = {}

    def split(self) -> Split:
        try:
            self._check()
            for name in self._rules:
                reason = self._why_not(name)
                if reason is not None:
                    self._reasons[name] = reason
            groups = self._groups()
        except _WholeError as error:
            return Split((), {name: self._reasons.get(name, str(error)) for name in self._rules})
        return Split(groups, {name: self._reasons.get(name) for name in self._rules})

    def _check(self) -> None:
        """Raises what keeps all rules together."""
        parts = [part for point in self._plan.points for part in walk(point.expression)]
        if any(isinstance(part, AbsoluteTimers) for part in parts):
            raise _WholeError("rules have absolute timers, which begin with any event")
        if any(map(_is_about_states, parts)):
            raise _WholeError("rules are about states")
        if any(isinstance(part, Construction) and part.may_be_early for part in parts):
            raise _WholeError("answers may be certain before their end")

    def _why_not(self, name: str) -> str | None:
        """Returns why a rule is not answered in columns for itself; None if it is."""
        if self._plan.cycle(name):
            return f"rule '{name}' is recursive"
        lowered = self._lowered((name,))
        if isinstance(lowered, str):
            return lowered
        for other in sorted(self._needs[name].rules):
            if any(flat_head(made.head) is None for made in _constructions(self._plan.by_name[other])):
                return f"it reads what rule '{other}' derives, which is not flat"
        return None

    def _groups(self) -> tuple[RuleGroup, ...]:
        """Returns groups between which there is nothing but events; puts more rules event by event for that."""
        while len(self._reasons) < len(self._rules):
            levels = self._levels()
            if self._keep_apart(levels):
                continue
            found: list[RuleGroup] = []
            for level in sorted(set(levels.values())):
                rules = tuple(name for name in self._rules if levels[name] == level)
                lowered = None if level % 2 else self._lowered(rules)
                if isinstance(lowered, str):  # together they are not what each is alone
                    self._reasons[rules[-1]] = lowered
                    break
                plan, longest = self._restricted(rules)
                found.append(RuleGroup(rules, plan, longest, lowered))
            else:
                return tuple(found)
        return ()

    def _levels(self) -> dict[str, int]:
        """Returns the place of the group of each rule: an even one in columns, an odd one event by event."""
        levels: dict[str, int] = {}
        for name in self._rules:
            self._enter_level(name, levels)
        return levels

    def _enter_level(self, name: str, levels: dict[str, int]) -> int:
        if name not in levels:
            together = [point.name for point in self._plan.cycle(name) if point.result] or [name]
            read = {other for each in together for other in self._needs[each].rules} - set(together)
            level = max((self._enter_level(other, levels) for other in read), default=0)
            levels.update(dict.fromkeys(together, level + (level % 2 != (name in self._reasons))))
        return levels[name]

    def _keep_apart(self, levels: Mapping[str, int]) -> bool:
        """Finds rules of several groups that have to be in one, and puts them event by event. Returns whether some were
        in columns."""
        for label in sorted({label for name in self._rules for label in self._labels(name)}):
            derivers = [name for name in self._rules if label in self._labels(name)]
            if self._joined(derivers, levels, f"rules that are answered event by event derive {label} too"):
                return True
        for point in self._plan.points:
            if point.result or all(isinstance(part, _ALWAYS_DEFINED) for part in walk(point.expression)):
                continue
            served = [name for name in self._rules if point.name in self._needs[name].points]
            if self._joined(served, levels, "it shares a query with a rule that is answered event by event"):
                return True
            if len({levels[name] for name in served}) > 1:
                raise _WholeError("rules share a query, between which there are others in columns")
        return False

    def _joined(self, rules: Collection[str], levels: Mapping[str, int], reason: str) -> bool:
        if len({levels[name] for name in rules}) < 2:
            return False
        in_columns = [name for name in rules if name not in self._reasons]
        self._reasons.update(dict.fromkeys(in_columns, reason))
        return bool(in_columns)

    def _labels(self, name: str) -> set[str]:
        return set(map(_label, _constructions(self._plan.by_name[name])))

    @cached_property
    def _needs(self) -> dict[str, _Needs]:
        return {name: self._needed(name) for name in self._rules}

    def _needed(self, name: str) -> _Needs:
        points: dict[str, None] = {name: None}
        rules: set[str] = set()
        waiting = [name]
        for each in waiting:  # grows as it goes
            for reference in references(self._plan.by_name[each].expression):
                if self._plan.by_name[reference.name].result:
                    rules.add(reference.name)
                elif reference.name not in points:
                    points[reference.name] = None
                    waiting.append(reference.name)
        return _Needs(frozenset(points), frozenset(rules))

    def _lowered(self, rules: tuple[str, ...]) -> PhysicalPlan | str:
        plan, longest = self._restricted(rules)
        found = lower(plan, longest)
        if isinstance(found, PhysicalPlan) and found.horizon is None:
            return "events may matter for good"
        return found

    def _restricted(self, rules: Collection[str]) -> tuple[Plan, int | None]:
        """Returns the plan of some rules, and how long the events that it reads last at most."""
        points = {point for name in rules for point in self._needs[name].points}
        others = {other for name in rules for other in self._needs[name].rules} - set(rules)
        chosen = [
            replace(point, expression=_from_stream(point.expression, others))
            for point in self._plan.points
            if point.name in points
        ]
        durations = [self._relevance.max_duration, *map(self._relevance.duration, others)]
        known = [duration for duration in durations if duration is not None]
        longest = max(known) if len(known) == len(durations) else None
        return replace(self._plan, points=tuple(chosen)), longest


@dataclass(frozen=True)
class _Needs:
    """The points of a rule, itself among them, and the rules whose events these read."""

    points: frozenset[str]
    rules: frozenset[str]


def _from_stream(expression: Expression, others: Collection[str]) -> Expression:
    """Returns an expression in which the events of other rules come with the stream: Q[i: q](E ∪ R) → Q[i: q](E)."""
    match expression:
        case Matching(source=Union(inputs=parts)) if any(isinstance(part, Stream) for part in parts):
            left = tuple(part for part in parts if not (isinstance(part, Reference) and part.name in others))
            if len(left) == len(parts):
                return expression
            return replace(expression, source=left[0] if len(left) == 1 else Union(left))
        case Reference(name=name) if name in others:
            raise _WholeError(f"rules take the events of rule '{name}' from it alone")
        case _:
            return rebuild(expression, lambda part: _from_stream(part, others))


def _constructions(point: Point) -> Iterator[Construction]:
    return (part for part in walk(point.expression) if isinstance(part, Construction))


def _label(made: Construction) -> str:
    if not isinstance(made.head, ConstructTerm):
        raise _WholeError(f"the label of what rule '{made.rule}' derives is not known")
    return made.head.label


def _is_about_states(part: Expression) -> bool:
    match part:
        case Matching(pattern=TermPattern(label=str(label))) | Construction(head=ConstructTerm(label=label)):
            return label.startswith(STATES)
        case TemporalJoin() | AntiSemiJoin():
            return part.containment != "inside"
        case _:
            return False
