"""Estimates: what a rule costs on a stream with some rates, under three models.

    state     tuples that are remembered: each relation of a join and a window as many as come while they are kept, and
              the matches that wait for the end of a window
    work      what is looked at in a second: events of the labels that the rule asks for, rows that are tested, joined
              and counted
    latency   seconds from a match that decides an answer to the answer

They follow from the plan of the rule and from how long its stores keep what (`cera.algebra.relevance`). Rates are taken
to be the same at all times and values to be equally frequent, and events to last no time, so that figures are worth
comparing, not believing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal, assert_never, get_args

from cera.algebra.operators import (
    AbsoluteTimers,
    AntiSemiJoin,
    BoundedWindows,
    Construction,
    Expression,
    Gathering,
    Join,
    Matching,
    Merging,
    PeriodicWindows,
    Projection,
    Reference,
    Relation,
    RelativeTimers,
    Renaming,
    Selection,
    Stream,
    TemporalJoin,
    Union,
    walk,
)
from cera.algebra.plan import Plan
from cera.algebra.relevance import Relevance
from cera.algebra.schema import STREAM
from cera.algebra.translation import translate
from cera.model.events.rates import Rates
from cera.model.time.timers import TIMERS
from cera.optimizer.costs.asked import attributes_of
from cera.optimizer.costs.shares import condition_share, joined_share, matches_per_second, single_pattern, values_of
from cera.optimizer.driver import optimize
from cera.rules.analysis.unification import query_label
from cera.rules.rule import Rule, RuleProgram
from cera.rules.settlements import ClosingEvent, FirstMatch, MostMatches, OnlyPartner, RefutingEvent

CostModel = Literal["state", "work", "latency"]
COST_MODELS: tuple[CostModel, ...] = get_args(CostModel)

_SECOND = 1_000_000
#: Timers of calendars tick so often in a second.
_TICKS = 1 / 3600


@dataclass(frozen=True)
class Figures:
    """The estimated costs of a rule: tuples, tuples a second, and seconds."""

    state: float = 0.0
    work: float = 0.0
    latency: float = 0.0

    def by(self, model: CostModel) -> tuple[float, ...]:
        """Returns what to compare: the figure of a model, then the others. Little differences are none."""
        values = {"state": self.state, "work": self.work, "latency": self.latency}
        names = [model, *(name for name in COST_MODELS if name != model)]
        return tuple(float(f"{values[name]:.3g}") for name in names)


def figures(rule: Rule | None, program: RuleProgram, rates: Rates, without: Collection[str] = ()) -> Figures:
    """Returns what a rule of a program costs by itself, without some passes of the optimizer; nothing if it is None."""
    if rule is None:
        return Figures()
    alone = RuleProgram((rule,), program.semantics, calendars=program.calendars, relations=program.relations)
    return _Estimate(optimize(translate(alone), without, rates), rates).figures()


class _Estimate:
    """The costs of a plan, summed up from point to point."""

    def __init__(self, plan: Plan, rates: Rates) -> None:
        self._plan, self._rates = plan, rates
        self._relevance = Relevance(plan, 0)
        self._state = self._work = self._latency = 0.0
        #: The rows of points in a second.
        self._rows: dict[str, float] = {}
        #: The longest time for which stores keep anything: an event says that it is over before.
        self._longest = rates.seconds
        #: The windows of a rule whose events refute what waits for it, and are not kept.
        self._refuted = frozenset[str]()

    def figures(self) -> Figures:
        closings = [each for construction in self._constructions() for each in construction.settlements]
        forgetting = [each for each in closings if isinstance(each, ClosingEvent) and each.forgets]
        if forgetting:
            self._longest = min(self._until(each) for each in forgetting)
        for point in self._plan.points:
            self._rows[point.name] = self._flow(point.expression)
        return Figures(self._state, self._work, self._latency)

    def _constructions(self) -> Iterator[Construction]:
        for point in self._plan.points:
            yield from (part for part in walk(point.expression) if isinstance(part, Construction))

    def _parts(self, expression: Expression) -> Iterator[Expression]:
        """Yields the parts of an expression and of the points that it refers to, but for those that derive events."""
        for part in walk(expression):
            yield part
            if isinstance(part, Reference) and part.name in self._plan.by_name and part.schema != STREAM:
                yield from self._parts(self._plan.by_name[part.name].expression)

    def _flow(self, expression: Expression) -> float:
        """Returns how many rows of a relation come in a second, and counts what they cost."""
        match expression:
            case Matching(pattern=pattern):
                self._work += self._rates.per_second(query_label(pattern))
                return matches_per_second(pattern, self._rates)
            case Selection():
                rows = self._flow(expression.input)
                self._work += rows
                values = values_of(expression.input, self._plan, self._rates)
                of_events = single_pattern(expression.input, self._plan)
                return rows * condition_share(expression.condition, values, self._rates, of_events)
            case Join():
                return self._join(expression)
            case TemporalJoin() | AntiSemiJoin():
                return self._window(expression)
            case Construction():
                return self._construction(expression)
            case Gathering() | Merging() | Projection() | Renaming():
                return self._flow(expression.input)
            case Union():
                return sum(map(self._flow, expression.inputs))
            case Reference(name=name):
                return self._rows.get(name, 0.0)
            case AbsoluteTimers():
                return _TICKS
            case Stream() | Relation() | RelativeTimers() | PeriodicWindows() | BoundedWindows():
                return 0.0  # they come with the rows that they are joined with
            case _:
                assert_never(expression)

    def _join(self, join: Join) -> float:
        rows = self._flow(join.left)
        match join.right:
            case Relation():
                self._work += rows
                return rows
            case PeriodicWindows(length=length, slide=slide):
                return rows * max(1.0, length / slide)
            case RelativeTimers() | BoundedWindows():
                return rows
            case _:
                pass
        others = self._flow(join.right)
        kept, others_kept = (self._kept(each) for each in self._relevance.join_horizons(join))
        left, right = (values_of(part, self._plan, self._rates) for part in (join.left, join.right))
        share = joined_share(join.left.schema.data & join.right.schema.data, left, right)
        self._state += rows * kept + others * others_kept
        pairs = rows * others * (kept + others_kept) * share
        self._work += rows + others + pairs
        return pairs

    def _window(self, window: TemporalJoin | AntiSemiJoin) -> float:
        rows, inside = self._flow(window.left), self._flow(window.right)
        kept = self._kept(self._relevance.window_horizon(window))
        left, right = (values_of(part, self._plan, self._rates) for part in (window.left, window.right))
        share = joined_share(window.left.schema.data & window.right.schema.data, left, right)
        found = inside * kept * share
        if not isinstance(window, AntiSemiJoin) or window.window not in self._refuted:
            self._state += inside * kept
        self._work += inside + rows * (1 + found)
        return rows * max(1.0, found) if isinstance(window, TemporalJoin) else rows / (1 + found)

    def _kept(self, horizon: int | None) -> float:
        """Returns for how many seconds a row is kept."""
        return self._longest if horizon is None else min(self._longest, max(0, horizon) / _SECOND)

    def _construction(self, construction: Construction) -> float:
        refuting = (each for each in construction.settlements if isinstance(each, RefutingEvent))
        self._refuted = frozenset(each.window for each in refuting)
        rows = self._flow(construction.input)
        wait = max(map(_wait, self._parts(construction.input)), default=0.0)
        latency = wait
        self._refuted = frozenset()
        values = values_of(construction.input, self._plan, self._rates)
        matched = {part.pattern for part in self._parts(construction.input) if isinstance(part, Matching)}
        for each in construction.settlements:
            groups = _product(values.get(name, 1.0) for name in each.by)
            match each:
                case ClosingEvent():
                    until = self._until(each)
                    if each.pattern in matched:  # a match has come with it
                        until = 0.0
                    else:
                        self._work += self._rates.per_second(query_label(each.pattern))
                    if each.settles:
                        wait, latency = min(wait, until), min(latency, until)
                case MostMatches(most=most):
                    self._work += rows
                    full = most * groups / rows if rows else wait
                    if full < wait:
                        wait, latency = full, 0.0
                case FirstMatch():
                    if rows * wait > groups:
                        wait = groups / rows
                    latency = 0.0
                case OnlyPartner() | RefutingEvent():
                    pass  # no answer comes sooner
                case _:
                    assert_never(each)
        self._state += rows * wait
        self._work += rows
        self._latency = max(self._latency, latency)
        return rows

    def _until(self, closing: ClosingEvent) -> float:
        """Returns how long it takes, on average, until an event closes a group: half the time for which its values are
        in use; without any, the time between two such events."""
        attributes = attributes_of(closing.pattern)
        lives = [self._rates.used_for(attributes[name]) for name in closing.by if name in attributes]
        if lives:
            return min(lives) / 2
        often = matches_per_second(closing.pattern, self._rates)
        return min(self._rates.seconds, 1 / often) if often else self._rates.seconds


def _wait(part: Expression) -> float:
    """Returns how many seconds a match waits, on average, for the end of a window or for a timer."""
    match part:
        case PeriodicWindows(length=length, auxiliary=False):
            return length / 2 / _SECOND
        case RelativeTimers(kind=kind, duration=duration):
            _, (_, sign) = TIMERS[kind]
            return max(0, sign * duration.microseconds) / _SECOND
        case BoundedWindows(bounds=bounds, auxiliary=False):
            ends = [edge.by.microseconds for edge in bounds.end if edge.identifier is not None]
            return max(0, *ends) / _SECOND if ends else 0.0
        case _:
            return 0.0


def _product(numbers: Iterator[float]) -> float:
    found = 1.0
    for number in numbers:
        found *= number
    return found
