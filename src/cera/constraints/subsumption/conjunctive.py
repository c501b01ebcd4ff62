"""Conjunctive queries, as the bodies of constraints and the branches of rules are (seed 002, Def. 33).

Their conditions are expressions, whatever language they come from, so that one prover reasons about all of them. A
query that is *complete* says all that it was made of; one that is not says less, and may follow from others only as
what they are held against.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cera.constraints.numbers import CountSet, compared, numbers_of
from cera.constraints.queries import (
    Apart,
    Condition,
    Directed,
    Gap,
    GapContent,
    Literal,
    Part,
    SentFrom,
    SpatialCondition,
    Spread,
    WindowLiteral,
)
from cera.constraints.specification import AllLimits, Limit, Specification
from cera.constraints.subsumption.atoms import FlatAtom, flat, flat_pattern
from cera.model.expressions.atoms import Sliding, Unbounded
from cera.model.expressions.expression import (
    Call,
    Comparison,
    DurationLiteral,
    EventReference,
    Expression,
    InOneWindow,
    InState,
    Temporal,
    Within,
    event_references,
    walk,
)
from cera.model.time.durations import Duration
from cera.model.time.interval import Time
from cera.model.time.periodic_windows import Period
from cera.rules.reasoning.difference_bounds import Constraint
from cera.rules.reasoning.time_constraints import TimeConstraint, literal_constraints
from cera.rules.reasoning.time_points import TimePoint
from cera.rules.rule import Accumulation, Branch, PeriodicWindow

#: None of them.
NONE = compared("=", 0)


@dataclass(frozen=True)
class QueryLiteral:
    """An event or a state that is asked for, or with `numbers` how many of them.

    `time` is the identifier of what it is evaluated in, None if that is all of time. `groups` are the variables of a
    count that are not counted over.
    """

    atom: FlatAtom
    identifier: str | None = None
    time: str | None = None
    numbers: CountSet | None = None
    groups: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ConjunctiveQuery:
    """Literals, the windows of the clock in which they lie, and conditions.

    `bounds` are what holds of the times anyway. `contents` are the events that lie in windows, where literals do not
    say it.
    """

    literals: tuple[QueryLiteral, ...] = ()
    windows: Mapping[str, Period] = field(default_factory=dict)
    contents: Mapping[str, frozenset[str]] = field(default_factory=dict)
    conditions: tuple[Expression, ...] = ()
    places: tuple[SpatialCondition, ...] = ()
    bounds: tuple[TimeConstraint, ...] = ()
    is_complete: bool = True

    @property
    def positive(self) -> tuple[QueryLiteral, ...]:
        return tuple(each for each in self.literals if each.numbers is None)

    @property
    def counted(self) -> tuple[QueryLiteral, ...]:
        return tuple(each for each in self.literals if each.numbers is not None)

    @property
    def variables(self) -> frozenset[str]:
        """The variables that have a value in every match."""
        return frozenset[str]().union(*(each.atom.variables for each in self.positive))

    @property
    def states(self) -> frozenset[str]:
        return frozenset(each.identifier for each in self.positive if each.identifier and each.atom.kind == "state")


def of_branch(branch: Branch) -> ConjunctiveQuery:
    """Returns a branch of a rule as a query; what has no such form is left out."""
    literals: list[QueryLiteral] = []
    windows: dict[str, Period] = {}
    contents: dict[str, frozenset[str]] = {}
    conditions: list[Expression] = []
    complete = not (branch.absolute_timers or branch.relative_timers or branch.collections or branch.relations)
    for query in branch.events:
        atom = flat_pattern(query.pattern)
        complete = complete and atom is not None and query.kind != "ending"
        if atom is not None and query.kind != "ending":
            literals.append(QueryLiteral(atom, query.identifier))
    for window in branch.windows:
        if isinstance(window, PeriodicWindow):
            windows[window.identifier] = window.period
            contents[window.identifier] = frozenset(window.over)
        else:
            complete = False
    for number, each in enumerate(branch.conditions):
        if isinstance(each, InOneWindow) and all(isinstance(i, EventReference) for i in each.intervals):
            windows[f"#{number}"] = each.period
            contents[f"#{number}"] = frozenset[str]().union(*(event_references(i) for i in each.intervals))
        conditions.append(each)
    for absence in branch.absences:
        atom = _absent(absence, branch)
        complete = complete and atom is not None
        if atom is not None:
            literals.append(QueryLiteral(atom, None, absence.window, NONE))
    return ConjunctiveQuery(
        tuple(literals), windows, contents, tuple(conditions), (), literal_constraints(branch), complete
    )


def _absent(absence: Accumulation, branch: Branch) -> FlatAtom | None:
    """Returns the atom of an absence that has no further conditions, over a window of its own kind."""
    openings = branch.openings | {query.identifier for query in branch.events if query.kind == "ending"}
    if absence.conditions or absence.element or absence.excluded or absence.with_anchor or absence.opening:
        return None
    if absence.containment != "inside" or absence.window in openings:
        return None
    return flat_pattern(absence.pattern)


def of_body(parts: Sequence[Part], origin: Time = 0) -> ConjunctiveQuery:
    """Returns a conjunction of a clause as a query; what has no such form is left out."""
    literals: list[QueryLiteral] = []
    windows: dict[str, Period] = {}
    conditions: list[Expression] = []
    places: list[SpatialCondition] = []
    always: set[str] = set()
    complete = True
    kinds = {p.identifier.identifier: p.kind for p in parts if isinstance(p, Literal) and p.identifier is not None}
    for part in parts:
        match part:
            case WindowLiteral(window=Sliding() as slid, identifier=EventReference(identifier=name)):
                length, slide = slid.range, slid.slide or slid.range
                windows[name] = Period(length.microseconds, slide.microseconds, origin)
            case WindowLiteral(window=Unbounded(), identifier=EventReference(identifier=name)):
                always.add(name)
            case Literal():
                literal = _literal(part)
                complete = complete and literal is not None
                literals += [] if literal is None else [literal]
            case Apart() | SentFrom() | Directed():
                places.append(part)
            case Comparison() | Temporal() | Spread() | Gap() | GapContent():
                found = _condition(part, kinds)
                complete = complete and found is not None
                conditions += found or ()
            case _:
                complete = False
    literals = [replace(each, time=None) if each.time in always else each for each in literals]
    names = {*kinds, *windows}
    complete = complete and all(each.time is None or each.time in names for each in literals)
    events = [name for name, kind in kinds.items() if kind == "event"]
    bounds: list[TimeConstraint] = [Constraint(TimePoint(each, "begin"), TimePoint(each, "end"), 0) for each in events]
    return ConjunctiveQuery(tuple(literals), windows, {}, tuple(conditions), tuple(places), tuple(bounds), complete)


def _literal(literal: Literal) -> QueryLiteral | None:
    atom = flat(literal.atom, literal.kind or "event") if literal.kind != "relation" else None
    if atom is None or not isinstance(literal.time, EventReference | None):
        return None
    identifier = None if literal.identifier is None else literal.identifier.identifier
    time = None if literal.time is None else literal.time.identifier
    if literal.count is None:
        return QueryLiteral(atom, identifier, time)
    numbers = numbers_of(literal)
    return None if numbers is None else QueryLiteral(atom, identifier, time, numbers, frozenset(literal.group_by or ()))


def _condition(condition: Condition, kinds: Mapping[str, str | None]) -> list[Expression] | None:
    """Returns expressions that hold exactly if a condition does; None if there are none.

    The end of a state is left out: it may not be known yet.
    """
    found: list[Expression] | None
    match condition:
        case Temporal():
            found = [condition]
        case Comparison():
            found = [condition]
        case Spread():
            found = _spread(condition.identifiers, condition.duration)
        case _:
            return None
    for each in found or ():
        if any(_names_end(part, kinds) for part in ([each] if isinstance(each, Temporal | Within) else walk(each))):
            return None
    return found


def conditions_of(parts: Sequence[Part], body: Sequence[Part]) -> list[Expression] | None:
    """Returns the conditions that a conjunction is, with what its body says of identifiers; None if it is another."""
    kinds = {p.identifier.identifier: p.kind for p in body if isinstance(p, Literal) and p.identifier is not None}
    found: list[Expression] = []
    for part in parts:
        if not isinstance(part, Comparison | Temporal | Spread):
            return None
        conditions = _condition(part, kinds)
        if conditions is None:
            return None
        found += conditions
    return found


def _names_end(expression: Expression, kinds: Mapping[str, str | None]) -> bool:
    sides: tuple[Expression, ...]
    match expression:
        case Temporal():
            sides = (expression.left, expression.right)
        case Within():
            sides = expression.intervals
        case Call(function="begin"):
            return False
        case Call(arguments=arguments):
            sides = arguments
        case _:
            return False
    return any(isinstance(side, EventReference) and kinds.get(side.identifier) == "state" for side in sides)


def _spread(identifiers: Iterable[EventReference], specification: Specification) -> list[Expression] | None:
    match specification:
        case Limit(operator="<=", amount=Duration() as duration):
            return [Within(tuple(identifiers), DurationLiteral(duration))]
        case AllLimits():
            found = [_spread(identifiers, each) for each in specification.parts]
            if any(each is None for each in found):
                return None
            return [condition for each in found for condition in each or ()]
        case _:
            return None


def holds_in(literal: QueryLiteral, query: ConjunctiveQuery) -> frozenset[str]:
    """Returns the identifiers of what an event or a state of a query is known to lie in."""
    found = {name for name, inside in query.contents.items() if literal.identifier in inside}
    if literal.time is not None:
        found.add(literal.time)
    for each in query.conditions if literal.atom.kind == "event" else ():
        if isinstance(each, InState) and each.event == EventReference(literal.identifier or ""):
            found.add(each.state.identifier)
    return frozenset(found)
