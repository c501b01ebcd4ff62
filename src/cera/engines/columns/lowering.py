"""From a plan of the algebra to a physical plan over columns, or to why there is none.

What is covered is lowered; a program with anything else is run event by event as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

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
from cera.algebra.plan import Plan, Point
from cera.algebra.relevance import Relevance
from cera.engines.columns import physical
from cera.engines.columns.coverage import why_not_condition, why_not_value
from cera.engines.columns.physical import Answers, Folded, HeadValue, Node, PhysicalPlan, Results
from cera.model.events.event import STATES
from cera.model.expressions.constructs import Construct, ConstructTerm, ConstructValue
from cera.model.expressions.expression import AGGREGATES, Aggregate, Variable, variables
from cera.model.expressions.expression import Expression as Condition
from cera.model.matching.patterns import Pattern, ScalarPattern, TermPattern, VariablePattern
from cera.model.terms.values import Scalar

#: Names of children that JSON writes in another way.
_SPECIAL_NAMES = ("", "{}")


class NotCoveredError(Exception):
    """A program has something that is not evaluated in columns; the text says what."""


def lower(plan: Plan, max_duration: int | None) -> PhysicalPlan | str:
    """Returns the physical plan of a plan, or why it has none. No event lasts longer than `max_duration`."""
    try:
        return _Lowering(plan, Relevance(plan, max_duration)).plan_of_all()
    except NotCoveredError as reason:
        return str(reason)


@dataclass
class _Lowering:
    plan: Plan
    relevance: Relevance
    labels: set[str] = field(default_factory=set)
    #: Of each label, the rules that derive events with it.
    derivers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    #: The rules whose events others read.
    read: set[str] = field(default_factory=set)

    def plan_of_all(self) -> PhysicalPlan:
        if self.plan.recursion:
            raise NotCoveredError("rules are recursive")
        for point in self.plan.points:
            self.read.update(name for each in walk(point.expression) for name in _derived(each))
        points = tuple((p.name, self._results(p) if p.result else self.node(p.expression)) for p in self.plan.points)
        horizons = [_horizon(p.expression, self.plan, self.relevance) for p in self.plan.results]
        known = [horizon for horizon in horizons if horizon is not None]
        horizon = max(known, default=0) if len(known) == len(horizons) else None
        return PhysicalPlan(points, frozenset(self.labels), horizon, self.plan.answer_limit)

    def _results(self, point: Point) -> Results:
        return Results(tuple(self._branches(point)), point.name in self.read)

    def _branches(self, point: Point) -> Iterator[Answers]:
        parts = point.expression.inputs if isinstance(point.expression, Union) else (point.expression,)
        for part in parts:
            if not isinstance(part, Construction):
                raise NotCoveredError(f"rule {point.name} is no construction")
            yield self._answers(part)

    def _answers(self, made: Construction) -> Answers:
        rule = f"rule '{made.rule}'"
        if made.recipient is not None:
            raise NotCoveredError(f"{rule} sends its events away")
        if made.traced or made.may_be_early:
            raise NotCoveredError(f"{rule} has answers that carry their causes, or are certain before their end")
        merging = made.input
        if not isinstance(merging, Merging):
            raise NotCoveredError(f"{rule} groups what several branches find")
        if merging.openings:
            raise NotCoveredError(f"{rule} is about states")
        body, window = merging.input, None
        if isinstance(body, TemporalJoin):
            window = self._window(body, rule)
            if not body.counted or self.plan.semantics == "formal":
                raise NotCoveredError(f"{rule} collects events under the formal semantics")
            if body.window not in merging.identifiers:
                raise NotCoveredError(f"{rule} has a window that its answers do not wait for")
            body = body.left
        children = _head(made.head, rule)
        left = body.schema.data
        for _, value in children:
            if isinstance(value, Folded):
                if window is None:
                    raise NotCoveredError(f"{rule} has an aggregate without a window")
            elif not variables(value) <= left:
                raise NotCoveredError(f"{rule} makes an event for each value that a window holds")
        if not all(name in body.schema.intervals for name in merging.identifiers):
            raise NotCoveredError(f"{rule} merges the times of events that it gathers")
        input_ = self.node(body, merging.identifiers)
        assert isinstance(made.head, ConstructTerm)
        return Answers(
            made.rule, made.head.label, children, input_, window, merging.identifiers, made.causes, made.momentary
        )

    def node(self, expression: Expression, waited: tuple[str, ...] | None = None) -> Node:
        """Returns the node of an expression. `waited` are the events that an answer waits for, if that is known."""
        match expression:
            case Matching():
                return self._scan(expression)
            case Reference():
                if self.plan.by_name[expression.name].result:
                    raise NotCoveredError("rules read what other rules derive")
                return physical.Shared(expression.name)
            case Selection() | Join():
                return self._selections(expression, waited)
            case Projection():
                return physical.Projected(expression.schema.data, self.node(expression.input, waited))
            case Renaming():
                old_names = dict(expression.identifiers)
                old = None if waited is None else tuple(old_names.get(name, name) for name in waited)
                input_ = self.node(expression.input, old)
                return physical.Renamed(expression.identifiers, expression.variables, input_)
            case AntiSemiJoin():
                if waited is None or expression.window not in waited:
                    raise NotCoveredError("an absence is part of a larger query")
                left = self.node(expression.left, waited)
                return physical.Absence(left, self._window(expression, "a rule"))
            case TemporalJoin() | Gathering():
                raise NotCoveredError("a rule asks more of what it has collected than an aggregate")
            case Union() | Merging() | Construction() | Stream():
                raise NotCoveredError("a query unites several")
            case Relation():
                raise NotCoveredError("rules look rows up in relations")
            case AbsoluteTimers():
                raise NotCoveredError("rules have absolute timers")
            case RelativeTimers() | PeriodicWindows() | BoundedWindows():
                raise NotCoveredError("rules have windows that are not relative timers")

    def _selections(self, expression: Selection | Join, waited: tuple[str, ...] | None) -> Node:
        conditions: list[Condition] = []
        below: Expression = expression
        while isinstance(below, Selection):
            _check(why_not_condition(below.condition))
            conditions.append(below.condition)
            below = below.input
        conditions.reverse()
        if isinstance(below, Join) and not isinstance(below.right, RelativeTimers):
            return self._pairs(below, tuple(conditions), waited)
        node = self._timed(below, waited) if isinstance(below, Join) else self.node(below, waited)
        for condition in conditions:
            node = physical.Filter(condition, node)
        return node

    def _timed(self, join: Join, waited: tuple[str, ...] | None) -> Node:
        timers = join.right
        assert isinstance(timers, RelativeTimers)
        if timers.duration.months:
            raise NotCoveredError("a timer counts months")
        if timers.anchor not in join.left.schema.intervals or timers.identifier in join.left.schema.intervals:
            raise NotCoveredError("a timer stands apart from its event")
        left = self.node(join.left, waited)
        return physical.Timed(timers.identifier, timers.kind, timers.anchor, timers.duration, left)

    def _pairs(self, join: Join, conditions: tuple[Condition, ...], waited: tuple[str, ...] | None) -> Node:
        one, other = join.left.schema, join.right.schema
        if one.intervals & other.intervals or one.references & other.references or one.matches or other.matches:
            raise NotCoveredError("a join is about the same event on both sides")
        found = self.relevance.join_span(join)
        span = None if found is None else physical.Span(found.left, found.right, found.before, found.after)
        if span is not None and (span.left not in one.intervals or span.right not in other.intervals):
            span = None
        limited = bool(self.read) or len(one.intervals) > 1 or len(other.intervals) > 1
        shared = tuple(sorted(one.data & other.data))
        sides = self.node(join.left, waited), self.node(join.right, waited)
        return physical.Pairs(*sides, shared, span, conditions, limited)

    def _window(self, operator: TemporalJoin | AntiSemiJoin, rule: str) -> physical.Window:
        if operator.containment != "inside":
            raise NotCoveredError(f"{rule} is about states")
        for condition in operator.condition:
            _check(why_not_condition(condition))
        shared = tuple(sorted(operator.left.schema.data & operator.right.schema.data))
        right = self.node(operator.right)
        if not _is_of_single_events(operator.right, self.plan):
            raise NotCoveredError(f"{rule} has a window over combinations of events")
        excluded = tuple(sorted(operator.excluded))
        return physical.Window(operator.window, operator.element, right, shared, excluded, operator.condition)

    def _scan(self, matching: Matching) -> physical.Scan:
        scan = flat_scan(matching.identifier, matching.pattern)
        if scan is None:
            raise NotCoveredError(f"the pattern of {matching.identifier} is not flat")
        if scan.label.startswith(STATES):
            raise NotCoveredError("rules are about states")
        self.labels.add(scan.label)
        derived = _derived(matching)
        if self.derivers.setdefault(scan.label, derived) != derived:
            raise NotCoveredError(f"rules that read {scan.label} read what different rules derive")
        return replace(scan, derived=derived)


def _derived(expression: Expression) -> tuple[str, ...]:
    """Returns the rules whose events a matching reads beside those of the stream; none for another operator."""
    if not isinstance(expression, Matching):
        return ()
    source = expression.source
    parts = source.inputs if isinstance(source, Union) else (source,)
    others = [part for part in parts if not isinstance(part, Stream)]
    if len(others) == len(parts) or not all(isinstance(part, Reference) for part in others):
        raise NotCoveredError("rules match what is not the stream, or derived by rules")
    return tuple(part.name for part in others if isinstance(part, Reference))


def _check(reason: str | None) -> None:
    if reason is not None:
        raise NotCoveredError(reason)


def flat_scan(identifier: str, pattern: Pattern) -> physical.Scan | None:
    """Returns the scan of `label{{name{{var X}}, name{{constant}}, name{{}}, …}}`; None for another pattern."""
    if not isinstance(pattern, TermPattern) or not isinstance(pattern.label, str) or pattern.ordered:
        return None
    bound: list[tuple[str, str]] = []
    constants: list[tuple[str, Scalar]] = []
    present: list[str] = []
    names: set[str] = set()
    for child in pattern.children:
        if not isinstance(child, TermPattern) or not isinstance(child.label, str) or child.ordered:
            return None
        if child.label in names or child.label in _SPECIAL_NAMES:
            return None
        names.add(child.label)
        match child.children:
            case () if not child.total:
                present.append(child.label)
            case (VariablePattern(pattern=None) as variable,):
                bound.append((variable.name, child.label))
            case (ScalarPattern() as scalar,) if why_not_value(scalar.value) is None:
                constants.append((child.label, scalar.value))
            case _:
                return None
    if len({name for name, _ in bound}) < len(bound):
        return None
    total = len(pattern.children) if pattern.total else None
    return physical.Scan(identifier, pattern.label, tuple(bound), tuple(constants), tuple(present), total)


def _head(head: Construct, rule: str) -> tuple[tuple[str, HeadValue], ...]:
    """Returns the children of a flat head in the order of their labels."""
    children = flat_head(head)
    if children is None:
        raise NotCoveredError(f"the head of {rule} is not flat")
    return tuple(sorted((label, _head_value(value, rule)) for label, value in children.items()))


def flat_head(head: Construct) -> dict[str, Condition] | None:
    """Returns the values of the children of `label{name{value}, …}`; None for a head of another form."""
    if not isinstance(head, ConstructTerm) or head.ordered or head.label in _SPECIAL_NAMES:
        return None
    children: dict[str, Condition] = {}
    for child in head.children:
        match child:
            case ConstructTerm(label=label, children=(ConstructValue(expression=value),), ordered=False):
                if label in children or label in _SPECIAL_NAMES:
                    return None
                children[label] = value
            case _:
                return None
    return children


def _head_value(value: Condition, rule: str) -> HeadValue:
    match value:
        case Aggregate(operand=Variable(name=name), distinct=False, function=function) if function in AGGREGATES:
            return Folded(function, name)
        case Aggregate():
            raise NotCoveredError(f"{rule} has an aggregate of distinct values or of expressions")
        case _:
            _check(why_not_value(value))
            return value


def _is_of_single_events(expression: Expression, plan: Plan) -> bool:
    """Returns whether there is at most one row for each event."""
    match expression:
        case Matching():
            return True
        case Selection() | Projection() | Renaming():
            return _is_of_single_events(expression.input, plan)
        case Reference():
            return _is_of_single_events(plan.by_name[expression.name].expression, plan)
        case _:
            return False


def _horizon(expression: Expression, plan: Plan, relevance: Relevance) -> int | None:
    """Returns an upper bound of how long after its end an event can contribute to an answer: what each operator on the
    way may add to it. None if one has no bound.
    """
    total = 0
    match expression:
        case Reference():
            return _horizon(plan.by_name[expression.name].expression, plan, relevance)
        case Matching():
            parts: tuple[Expression, ...] = (expression.source,)
        case Join(right=RelativeTimers() as timers):
            total = timers.duration.microseconds
            parts = (expression.left,)
        case Join():
            left, right = relevance.join_horizons(expression)
            if left is None or right is None:
                return None
            total = max(left, right, 0)
            parts = (expression.left, expression.right)
        case TemporalJoin() | AntiSemiJoin():
            kept = relevance.window_horizon(expression)
            if kept is None:
                return None
            total = max(kept, 0)
            parts = (expression.left, expression.right)
        case Selection() | Projection() | Renaming() | Merging() | Construction():
            parts = (expression.input,)
        case Union():
            parts = expression.inputs
        case _:
            return total
    for part in parts:
        below = _horizon(part, plan, relevance)
        if below is None:
            return None
        total += below
    return total
