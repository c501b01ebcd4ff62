"""Join elimination: an event or a row that must be there is not looked for (the third heuristic).

    h ← B, j: q      →      h ← B, if every match of B has a q that satisfies the conditions on j, nothing but these
                                conditions asks for the values of q, and every such q lies inside the hull of B

So the rewritten rule has the same answers at the same times. Under an aggregate the matches are counted, so that there
has to be exactly one q for each match of B. A row of a relation has no time; a state that a rule is evaluated in stays
(R-06), as does an event that timers, windows or absences are relative to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cera.constraints.clause import Clause
from cera.constraints.subsumption.atoms import FlatAtom, flat_pattern
from cera.model.expressions import constructs
from cera.model.expressions.expression import (
    Aggregate,
    EventReference,
    Expression,
    InOneWindow,
    event_references,
    variables,
    walk,
)
from cera.model.matching import patterns
from cera.optimizer.semantic.residues import residues
from cera.optimizer.semantic.witnesses import Joined, Witness, certain_literals
from cera.rules.reasoning.difference_bounds import Constraint
from cera.rules.reasoning.impossibility import implies, is_impossible
from cera.rules.reasoning.time_conditions import tighter_conditions
from cera.rules.reasoning.time_consequences import time_network
from cera.rules.reasoning.time_constraints import TimeConstraint
from cera.rules.reasoning.time_points import TimePoint
from cera.rules.rule import Branch, EventQuery, PeriodicWindow, RelationQuery, Rule, gathered_order

LAW = "join elimination"

#: The aggregates that do not depend on the order of matches; a sum of doubles does.
_UNORDERED = frozenset({"count", "min", "max"})


@dataclass(frozen=True)
class _Hull:
    """Two events of the rest between whose begin and end what goes always lies."""

    first: str
    last: str


def without_certain_joins(
    rule: Rule, branch: Branch, clauses: Sequence[Clause]
) -> tuple[Branch, tuple[tuple[Joined, Clause], ...]]:
    """Returns a branch of a rule without the events and rows that are certain, and each of those with its reason.

    They go one at a time, so that two do not vouch for each other (ERR-92).
    """
    gone: list[tuple[Joined, Clause]] = []
    changed = True
    while changed:
        changed = False
        literals: tuple[Joined, ...] = (*branch.events, *branch.relations)
        for joined in literals:
            found = _without(rule, branch, joined, clauses)
            if found is not None:
                branch, reason = found
                gone.append((joined, reason))
                changed = True
                break
    return branch, tuple(gone)


def _without(rule: Rule, branch: Branch, joined: Joined, clauses: Sequence[Clause]) -> tuple[Branch, Clause] | None:
    """Returns a branch without one of its literals, and the clause that justifies it; None if there is none."""
    atom = flat_pattern(joined.pattern)
    own = _own_variables(branch, joined)
    if atom is None or not _may_go(rule, branch, joined, own):
        return None
    about = [each for each in branch.conditions if variables(each) & own or _names(each, joined)]
    loose = replace(branch, conditions=tuple(each for each in branch.conditions if each not in about))
    through = tuple(_bounds_through(branch, loose, joined))
    for kept in ((), through) if through else ((),):
        candidate = _Candidate(rule, branch, joined, atom, own, tuple(about), _also(loose, kept))
        found = candidate.without(clauses)
        if found is not None:
            return found
    return None


def _also(branch: Branch, conditions: Sequence[Expression]) -> Branch:
    return replace(branch, conditions=(*branch.conditions, *conditions))


def _bounds_through(branch: Branch, loose: Branch, joined: Joined) -> Iterator[Expression]:
    """Yields what the times of an event say of those of others: what is before it is before what is after it."""
    network = time_network(branch)
    if isinstance(joined, EventQuery) and network.contradiction is None:
        names = [each.identifier for each in branch.events if each.kind == "event" and each is not joined]
        yield from tighter_conditions(network, time_network(loose), names)


@dataclass(frozen=True)
class _Candidate:
    """A literal that could go: its atom, its own variables, the conditions on it, and the branch without these."""

    rule: Rule
    branch: Branch
    joined: Joined
    atom: FlatAtom
    own: frozenset[str]
    about: tuple[Expression, ...]
    loose: Branch

    def without(self, clauses: Sequence[Clause]) -> tuple[Branch, Clause] | None:
        """Returns the branch without the literal, and the clause that says that it must be there."""
        rest = _rest(self.loose, self.joined)
        if rest is None:
            return None
        counted = self.rule.grouping or self.rule.gathers
        for clause in clauses:
            for way, literal in certain_literals(rest, clause, self.joined):
                witness = Witness.of(self.atom, literal, way, self.own, self.joined)
                if witness is None or (counted and not witness.is_the_only_one(self.atom, literal)):
                    continue
                left = self._conditions_left(witness, clause, clauses)
                if left is not None:
                    return _also(rest, left), clause
        return None

    def _conditions_left(
        self, witness: Witness, clause: Clause, clauses: Sequence[Clause]
    ) -> tuple[Expression, ...] | None:
        """Returns what is left of the conditions on the literal; None if what must be there need not satisfy them."""
        given = [*witness.given(clause), *(each.condition for each in residues(self.loose, clauses))]
        hull = _hull(self.branch, self.loose, self.joined, given, clauses)
        if isinstance(self.joined, EventQuery) and hull is None:
            return None
        left: list[Expression] = []
        for condition in self.about:
            reduced = _reduced(condition, self.joined, hull)
            if reduced is not None:
                left.append(reduced)
            elif not implies(self.loose, condition, given):
                return None
        return tuple(left)


def _own_variables(branch: Branch, joined: Joined) -> frozenset[str]:
    """Returns the variables that no other literal binds."""
    others = [each.pattern for each in branch.events if each is not joined]
    others += [each.pattern for each in branch.relations if each is not joined]
    others += [each.pattern for each in branch.collections]
    others += [each.timer.pattern for each in branch.absolute_timers]
    bound = frozenset[str]().union(*map(patterns.bound_variables, others))
    return (patterns.bound_variables(joined.pattern) | patterns.optional_variables(joined.pattern)) - bound


def _may_go(rule: Rule, branch: Branch, joined: Joined, own: frozenset[str]) -> bool:
    """Returns whether an answer needs a literal for nothing but that it is there."""
    if rule.traced or rule.report is not None or own & constructs.variables(rule.head):
        return False
    for part in branch.accumulations:
        used = patterns.bound_variables(part.pattern) | patterns.optional_variables(part.pattern)
        if own & used.union(*map(variables, part.conditions)):
            return False
    if isinstance(joined, RelationQuery):
        return not (rule.grouping or rule.gathers)
    if joined.kind != "event" or joined.auxiliary or _is_anchor(branch, joined.identifier):
        return False
    if rule.grouping or rule.gathers:
        is_last = gathered_order(branch)[-1:] == (joined.identifier,)  # then the order of matches does not depend on it
        return not own and joined.identifier in branch.gathered and (is_last or not _is_ordered(rule))
    return True


def _is_anchor(branch: Branch, identifier: str) -> bool:
    """Returns whether times or absences are relative to an event."""
    timers = any(timer.anchor == identifier for timer in branch.relative_timers)
    bounded = any(identifier in each.over for each in branch.windows if not isinstance(each, PeriodicWindow))
    held = any(
        part.window == identifier
        or identifier in part.excluded
        or any(identifier in event_references(each) for each in part.conditions)
        for part in branch.accumulations
    )
    return timers or bounded or held


def _is_ordered(rule: Rule) -> bool:
    """Returns whether a head depends on the order of the matches that it gathers."""
    for part in constructs.walk(rule.head):
        if isinstance(part, constructs.All):
            return True
        for expression in constructs.own_expressions(part):
            if any(isinstance(e, Aggregate) and e.function not in _UNORDERED for e in walk(expression)):
                return True
    return False


def _names(condition: Expression, joined: Joined) -> bool:
    return isinstance(joined, EventQuery) and joined.identifier in event_references(condition)


def _rest(branch: Branch, joined: Joined) -> Branch | None:
    """Returns a branch without a literal; None if nothing would be left that has a time."""
    if isinstance(joined, RelationQuery):
        return replace(branch, relations=tuple(each for each in branch.relations if each is not joined))
    events = tuple(each for each in branch.events if each is not joined)
    if not any(each.kind == "event" and not each.auxiliary for each in events):
        return None
    windows = []
    for window in branch.windows:
        if joined.identifier in window.over:
            assert isinstance(window, PeriodicWindow)
            over = tuple(each for each in window.over if each != joined.identifier)
            if not over:
                return None
            window = replace(window, over=over)
        windows.append(window)
    gathered = tuple(each for each in branch.gathered if each != joined.identifier)
    if branch.gathered and not gathered:
        return None
    return replace(branch, events=events, windows=tuple(windows), gathered=gathered)


def _hull(
    branch: Branch, loose: Branch, joined: Joined, given: Sequence[Expression], clauses: Sequence[Clause]
) -> _Hull | None:
    """Returns the events between which every event lies that the rule could find, and the one that must be there."""
    if not isinstance(joined, EventQuery):
        return None
    known = [each.condition for each in residues(branch, clauses)]
    others = [
        each.identifier
        for each in branch.events
        if each is not joined
        and each.kind == "event"
        and not each.auxiliary
        and (each.identifier in branch.gathered) == (joined.identifier in branch.gathered)
    ]

    def always(first: TimePoint, last: TimePoint) -> bool:
        later: list[TimeConstraint] = [Constraint(last, first, -1)]
        return is_impossible(branch, known, later) and is_impossible(loose, given, later)

    name = joined.identifier
    first = next((each for each in others if always(TimePoint(each, "begin"), TimePoint(name, "begin"))), None)
    last = next((each for each in others if always(TimePoint(name, "end"), TimePoint(each, "end"))), None)
    if first is None or last is None:
        return None
    for window in branch.windows:
        if name in window.over and not {first, last} <= {*window.over}:
            return None
    return _Hull(first, last)


def _reduced(condition: Expression, joined: Joined, hull: _Hull | None) -> Expression | None:
    """Returns what is left of a condition that events lie in one window, if one of them goes that lies between two
    others; None if nothing is, or it is another condition."""
    if hull is None or not isinstance(condition, InOneWindow) or not isinstance(joined, EventQuery):
        return None
    left = tuple(each for each in condition.intervals if each != EventReference(joined.identifier))
    if not {EventReference(hull.first), EventReference(hull.last)} <= {*left}:
        return None
    return replace(condition, intervals=left)
