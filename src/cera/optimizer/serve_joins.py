"""What a rule joins serves the rules that join the same events and ask for more (seed 002, section 9.1).

    ⟨…, M := … Q …, N := … Q' …⟩ → ⟨…, P := ρ[n](Q), M := … ρ[n⁻¹](P) …, N := … σ[c](ρ[m](P)) …⟩

    if Q' is Q up to names with further conditions c, above its joins or below; neither c nor anything above Q and Q' is
    about times

The rows of a join have all its events, so a rule that is served has the answers and the causes that it had. It looks up
no label: events from outside that are called like the answers of the other rule have nothing to do with it. A join that
is shared keeps its rows as long as its own conditions on times say, which are all that there are.

A condition on one event alone sorts events out before they are joined. It is only tested afterwards where it is not
estimated to sort out most of them, because every row of the general join is tested then. For the same reason, what asks
for a constant where the other one has a variable is not served.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from cera.algebra.operators import Construction, Expression, Join, Matching, Reference, Selection, inputs, rebuild, walk
from cera.algebra.plan import Plan, Point
from cera.algebra.renaming import Names, named, renamed, renamed_condition
from cera.model.expressions.expression import Expression as Condition
from cera.model.expressions.expression import event_references, variables
from cera.model.matching.patterns import Pattern, ScalarPattern, TermPattern, VariablePattern
from cera.optimizer.canonical import canonical
from cera.optimizer.cost import selectivity
from cera.optimizer.plan_changes import FreshNames, with_points

#: Conditions that leave less than this of the events are tested before these are joined.
_KEPT = 0.25
#: Of joins over the same labels, at most so many are tried for each.
_MOST = 50


@dataclass(frozen=True, eq=False)
class _JoinedEvents:
    """A join of events with its conditions, wherever they stand, and the rule that has it."""

    rule: str
    expression: Expression
    events: tuple[Matching, ...]
    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class _Service:
    """How the join of one rule is found in that of another: its names there, and what more it asks for."""

    general: _JoinedEvents
    names: Names
    conditions: tuple[Condition, ...]


def served_by(plan: Plan) -> dict[str, str]:
    """Returns the rules that others serve with all that these join, each with the other one."""
    return {join.rule: service.general.rule for join, service in _services(plan)}


def serve_joins(plan: Plan) -> Plan:
    services = _services(plan)
    if not services:
        return plan
    serving = _Server({id(join.expression): service for join, service in services}, FreshNames(plan))
    for point in plan.points:
        expression = serving.rewrite(point.expression) if point.result else point.expression
        serving.points.append(Point(point.name, expression, point.result))
    return with_points(plan, serving.points)


def _joins_of(result: Expression) -> Iterator[_JoinedEvents]:
    """Yields the joins of a rule that others may share; where constraints let it forget rows, it has its own."""
    for part in walk(result):
        if isinstance(part, Construction) and not part.settlements:
            yield from _joins(part.input, part.rule)


def _joins(expression: Expression, rule: str, clear: bool = True) -> Iterator[_JoinedEvents]:
    """Yields the joins of events above which no condition and no window is about their times."""
    found = _joined_events(expression, rule) if clear else None
    if found is not None:
        yield found
        return
    match expression:
        case Join():  # windows bound times as conditions do
            clear = False
        case Selection(condition=condition):
            clear = clear and not event_references(condition)
        case _:
            pass
    for part in inputs(expression):
        yield from _joins(part, rule, clear)


def _joined_events(expression: Expression, rule: str) -> _JoinedEvents | None:
    """Returns the events and the conditions of an expression, if it has nothing else and joins some."""
    events: list[Matching] = []
    conditions: list[Condition] = []
    waiting = [expression]
    while waiting:
        match waiting.pop():
            case Selection() as selection:
                conditions.append(selection.condition)
                waiting.append(selection.input)
            case Join(left=left, right=right):
                waiting += (right, left)
            case Matching() as matching:
                events.append(matching)
            case _:
                return None
    return _JoinedEvents(rule, expression, tuple(events), tuple(conditions)) if len(events) > 1 else None


def _services(plan: Plan) -> list[tuple[_JoinedEvents, _Service]]:
    """Returns the joins that others serve; one that serves is not served itself."""
    alike: dict[object, list[_JoinedEvents]] = {}
    for point in plan.results:
        for join in _joins_of(point.expression):
            alike.setdefault(_labels(join), []).append(join)
    found: dict[int, tuple[_JoinedEvents, _Service]] = {}
    serving: set[int] = set()
    for several in alike.values():
        for join in several[:_MOST]:
            for other in several[:_MOST]:
                if other is join or id(join) in serving or id(other) in found:
                    continue
                service = _service(other, join)
                if service is not None and service.conditions:
                    found[id(join)] = join, service
                    serving.add(id(other))
                    break
        for join, other in product(several[:_MOST], several[:_MOST]):  # the same join as one that serves
            if id(other) in serving and id(join) not in serving and id(join) not in found:
                service = _service(other, join)
                if service is not None and not service.conditions:
                    found[id(join)] = join, service
    return list(found.values())


def _labels(join: _JoinedEvents) -> object:
    return tuple(str(each.pattern.label) if isinstance(each.pattern, TermPattern) else "" for each in join.events)


def _service(general: _JoinedEvents, special: _JoinedEvents) -> _Service | None:
    """Returns how a join serves another one, or one that is the same; None if it does not, or should not."""
    matching = _Matching()
    for one, other in zip(general.events, special.events, strict=True):
        if repr(one.source) != repr(other.source) or not matching.pattern(one.pattern, other.pattern):
            return None
        matching.identifiers[one.identifier] = other.identifier
    if len({*matching.variables.values()}) < len(matching.variables):  # values that must be equal are a join of its own
        return None
    names = Names(matching.identifiers, matching.variables)
    own = {repr(renamed_condition(each, names)) for each in general.conditions}
    there = {repr(each) for each in special.conditions}
    left = tuple(each for each in special.conditions if repr(each) not in own)
    served = own <= there and not any(map(event_references, left)) and _kept(special, left) >= _KEPT
    return _Service(general, names, left) if served else None


def _kept(join: _JoinedEvents, conditions: Sequence[Condition]) -> float:
    """Returns the estimated part of the events that conditions on one of them leave."""
    kept = 1.0
    for condition in conditions:
        if any(variables(condition) <= event.schema.data for event in join.events):
            kept *= selectivity(condition)
    return kept


@dataclass
class _Matching:
    """What the names of a general join stand for in a special one."""

    identifiers: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)

    def pattern(self, general: Pattern, special: Pattern) -> bool:
        match general, special:
            case VariablePattern(name, None), VariablePattern(other, None):
                return self.variables.setdefault(name, other) == other
            case TermPattern(), TermPattern():
                if len(general.children) != len(special.children):
                    return False
                if repr(replace(general, children=())) != repr(replace(special, children=())):
                    return False
                return all(map(self.pattern, general.children, special.children))
            case _:
                return isinstance(general, ScalarPattern) and repr(general) == repr(special)


@dataclass
class _Server:
    services: dict[int, _Service]
    fresh: FreshNames
    points: list[Point] = field(default_factory=list)
    #: The points of the joins that serve, each with its own names for theirs.
    defined: dict[int, tuple[Expression, Names]] = field(default_factory=dict)

    def rewrite(self, expression: Expression) -> Expression:
        service = self.services.get(id(expression))
        if service is not None:
            return self._served(service)
        if any(id(expression) == id(each.general.expression) for each in self.services.values()):
            return self._looked_up(expression, Names())
        return rebuild(expression, self.rewrite)

    def _served(self, service: _Service) -> Expression:
        """Returns the rows of the general join that a special one asks for, under its names."""
        found = self._looked_up(service.general.expression, service.names)
        for condition in reversed(service.conditions):
            found = Selection(condition, found)
        return found

    def _looked_up(self, general: Expression, names: Names) -> Expression:
        """Returns the point of a join under some names; it is made where it is first needed."""
        if id(general) not in self.defined:
            self._define(general)
        reference, own = self.defined[id(general)]
        return named(reference, own.inverse().then(names))

    def _define(self, general: Expression) -> None:
        """Makes a point for a join under fresh identifiers, and fresh variables if a name would clash."""
        found = canonical(general)
        using = [each.names.variables for each in self.services.values() if each.general.expression is general]
        clash = any(new != old and new in general.schema.data for names in using for old, new in names.items())
        own = Names(
            {name: self.fresh.identifier(name) for name in found.identifiers},
            {name: f"{name}'" for name in found.variables} if clash else {},
        )
        point = renamed(general, own)
        name = self.fresh.point(self.fresh.letter(), own.identifiers.values())
        self.points.append(Point(name, point))
        self.defined[id(general)] = Reference(name, point.schema), own
