"""Translation of normalised rules into CERA (Fig. 8 of seed 000) and of programs into plans (section 3.4.2).

    B1     = Q[j: q]
    B(i+1) = Bi ⋈ Q[j: q]           for event j: q
             Bi ⋈ X[j: kind[j', d]] for event j: kind[j', d]
             Bi ⋈ W[j: p ⊒ i1, …]   for a periodic window j over i1, …, and W[j: [f, g]] for one with bounds
             Bi ⋈ Q[j: q](name)      for relation j: q, a pattern of rows of the relation `name`
             Bi ⋈_{j⊒i'} Q[i': q]   for while j: collect q        (i' fresh)
             Bi ▷_{j⊒i'} Q[i': q]   for while j: not q
    C      = σ[ck](… σ[c1](Bn))
    P      = π[sch(C) - X1, …](C)   for variables X1, … whose values tell no matches apart, else C
    G      = Γ[i1' ← i1, …](P)      for gathered i1, …              (i1', … fresh), else P
    Q      = C[h](μ[[begin, end] ← j1 ⊔ … ⊔ jl](G))               (j1 … jl the other positive literals, ERR-03)

A matching takes its events from the incoming stream and from the rules whose heads it can match (ERR-17).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count

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
    Selection,
    Stream,
    TemporalJoin,
    Union,
)
from cera.algebra.plan import Plan, Point
from cera.algebra.recursion_depth import make_room_for
from cera.algebra.schema import SchemaError
from cera.algebra.selections import MAX_SELECTIONS, select
from cera.model.expressions.expression import Comparison, event_references
from cera.model.expressions.expression import Expression as Condition
from cera.model.matching.patterns import Pattern, bound_variables
from cera.rules.analysis.producers import Producers
from cera.rules.analysis.strata import PrecedenceGraph
from cera.rules.containment_conditions import begin_of, end_of, state_in_state
from cera.rules.declarations import RelationDeclaration
from cera.rules.earliest import Earliest
from cera.rules.reasoning.gathering import late_gathered
from cera.rules.rule import (
    Accumulation,
    BoundedWindow,
    Branch,
    EventQuery,
    QueryKind,
    RelationQuery,
    Rule,
    RuleProgram,
    Semantics,
    Window,
    anchors_first,
    auxiliary_windows,
    gathered_order,
    set_on,
    trace_order,
)
from cera.rules.states import contained, in_state, overlapping

_FRESH = "vwuxyz"
_AROUND: Mapping[QueryKind, int] = {"opening": 0, "event": 1, "ending": 2}


def translate(program: RuleProgram) -> Plan:
    """Returns one materialization point for each rule, each after those that it queries."""
    make_room_for(max((_depth(branch) for rule in program.rules for branch in rule.branches), default=0))
    declared = {relation.name: relation for relation in program.relations}
    translator = _Translator(program.semantics, program.rules, fresh_identifiers(program.rules), declared)
    points = [Point(rule.name, translator.rule(rule), result=True) for rule in in_order(program.rules)]
    return Plan(tuple(points), program.semantics, program.calendars, program.answer_limit)


def _states_around(queries: Sequence[EventQuery], loose: Collection[str]) -> list[EventQuery]:
    """Returns the openings of states before events, and their endings after them: events are then kept with a state
    that is open. Loose states come after events.
    """
    return sorted(queries, key=lambda query: 2 if query.identifier in loose else _AROUND[query.kind])


def _loose_states(branch: Branch) -> Iterator[EventQuery]:
    """Yields the openings of states that have no value in common with anything in them, though that has.

    Each state that is open would be joined with all of it. So what is in them is joined first, by its values, and kept
    as long as a state is open that has begun before.
    """
    queries = {query.identifier: query for query in branch.events}
    inside = _inside(branch)
    for name, query in queries.items():
        within = [other for other, state in inside if state == name]
        others = [each for each in _states_around(branch.events, ()) if each is not query]
        if (
            query.kind == "opening"
            and any(queries[each].kind == "event" for each in within)
            and len(within) > 1
            and all(each.kind != "ending" for each in others)
            and name not in {each for each, _ in inside}
            and _has_no_variable_of(query, others)
            and _are_connected(others)
        ):
            yield query


def _has_no_variable_of(query: EventQuery, others: Iterable[EventQuery]) -> bool:
    own = bound_variables(query.pattern)
    return all(own.isdisjoint(bound_variables(each.pattern)) for each in others)


def _are_connected(queries: Sequence[EventQuery]) -> bool:
    """Returns whether each but the first has a value in common with those before it."""
    known: set[str] = set()
    for query in queries:
        own = bound_variables(query.pattern)
        if known and known.isdisjoint(own):
            return False
        known |= own
    return bool(known)


def _admitted(branch: Branch, loose: Collection[str]) -> dict[str, EventQuery]:
    """Returns the openings of states that what is in a state, but for the first, is joined with by itself.

    So none of that is kept but with a state that is open, whichever of it comes first.
    """
    openings = {query.identifier: query for query in branch.events}
    return {
        name: replace(openings[state], identifier=f"{name}#in", auxiliary=True)
        for name, state in _admitting(branch, loose).items()
    }


def _admitting(branch: Branch, loose: Collection[str]) -> dict[str, str]:
    """Returns what is joined with the opening of a state by itself, with that opening as the branch has it."""
    openings = {query.identifier for query in branch.events if query.kind == "opening"}.difference(loose)
    found: dict[str, str] = {}
    first: dict[str, str] = {}
    for name, state in _inside(branch):
        if state in openings and first.setdefault(state, name) != name:
            found.setdefault(name, state)
    return found


def _inside(branch: Branch) -> list[tuple[str, str]]:
    """Returns the events and the openings of states that must be in a state, with the opening of that."""
    kinds = {query.identifier: query.kind for query in branch.events}
    pairs = overlapping(branch.conditions)
    found = [pair for pair in pairs if all(kinds.get(each) == "opening" for each in pair)]  # as they are joined first
    return found + [pair for pair in contained(branch.conditions) if kinds.get(pair[0]) == "event"]


def _admissions(branch: Branch, admitted: Mapping[str, EventQuery], loose: Collection[str]) -> Iterator[Condition]:
    """Yields that what is in a state is in it as others have it, so that what is kept of these goes with it."""
    openings = {query.identifier for query in branch.events if query.kind == "opening"}
    inside = _inside(branch)
    for name, state in _admitting(branch, loose).items():
        own = admitted[name].identifier
        together = [other for other, time in inside if time == state]
        yield from (_is_in(other, own, openings) for other in together if other != name)
        if openings.intersection(together):  # which may have begun before the state
            yield Comparison("=", begin_of(own), begin_of(state))


def _is_in(name: str, state: str, states: Collection[str]) -> Condition:
    return state_in_state(name, state) if name in states else in_state(name, state)


def _earliest(left: Expression, right: Expression, branch: Branch) -> Earliest | None:
    """Returns the event of the left side of which only the first matters, if all is there that says so.

    What a row with a later one satisfies, that with the first one does: also a time that it may not end after.
    """
    known = left.schema.intervals
    for one in branch.earliest:
        if one.identifier not in known or one.later[0] not in right.schema.intervals:
            continue
        asked = [c for c in branch.conditions if one.identifier in event_references(c)]
        if all(known >= event_references(c) or _may_be_earlier(c, one) for c in asked):
            return one
    return None


def _may_be_earlier(condition: Condition, one: Earliest) -> bool:
    """Returns whether a condition that holds of an event holds of an earlier one, or is about those that are later."""
    if not event_references(condition).isdisjoint(one.later):
        return True
    return (
        isinstance(condition, Comparison)
        and condition.operator == "<="
        and condition.left == (end_of if one.edge == "end" else begin_of)(one.identifier)
        and one.identifier not in event_references(condition.right)
    )


def _depth(branch: Branch) -> int:
    """Returns at most how many operators are on the longest way down its expression."""
    return len(branch.positive) + len(branch.relations) + len(branch.accumulations) + 2 * MAX_SELECTIONS + 4


def in_order(rules: Sequence[Rule]) -> list[Rule]:
    """Returns the rules in an order in which each comes after those it depends on (X-36), recursive ones together."""
    return [rule for component in components_in_order(rules) for rule in component]


def components_in_order(rules: Sequence[Rule]) -> list[tuple[Rule, ...]]:
    """Returns the rules that depend on each other together, and every other one alone; each after those it depends on.

    Of those that could come next, the first in the text does.
    """
    precedence = PrecedenceGraph(rules)
    home = {number: frozenset(component) for component in precedence.components for number in component}
    ordered: list[tuple[Rule, ...]] = []
    done: set[int] = set()
    waiting = list(range(len(rules)))
    while waiting:
        ready = next(n for n in waiting if all(done >= {*precedence.graph[m]} - home[n] for m in home[n]))
        ordered.append(tuple(rules[number] for number in sorted(home[ready])))
        done |= home[ready]
        waiting = [number for number in waiting if number not in done]
    return ordered


def fresh_identifiers(rules: Sequence[Rule]) -> Iterator[str]:
    """Yields identifiers that no rule uses, for the events of accumulations: v, w, u, x, y, z, v1, …"""
    taken = {identifier for rule in rules for branch in rule.branches for identifier in branch.identifiers}
    candidates = (f"{letter}{number or ''}" for number in count() for letter in _FRESH)
    return (name for name in candidates if name not in taken)


def _windows(window: Window) -> PeriodicWindows | BoundedWindows:
    if isinstance(window, BoundedWindow):
        return BoundedWindows(window.identifier, window.bounds, auxiliary=window.auxiliary)
    return PeriodicWindows(window.identifier, *window.period, window.over, auxiliary=window.auxiliary)


@dataclass(frozen=True)
class _Translator:
    semantics: Semantics
    rules: Sequence[Rule]
    fresh: Iterator[str]
    declared: Mapping[str, RelationDeclaration] = field(default_factory=dict)

    @cached_property
    def producers(self) -> Producers:
        return Producers(self.rules)

    def rule(self, rule: Rule) -> Expression:
        """Returns Q. A head with grouping groups the union of its branches; any other is built for each branch
        (ERR-18).

        Events that branches collect for the same event trace are reported together as well, whatever the head.
        """
        merged = [self._merged(branch, rule) for branch in rule.branches]
        united = rule.grouping or rule.gathers
        if united and len(merged) > 1:
            return self._construct(rule, Union(tuple(merged)))
        constructed = tuple(self._construct(rule, body) for body in merged)
        return constructed[0] if len(constructed) == 1 else Union(constructed)

    def _merged(self, branch: Branch, rule: Rule) -> Merging:
        names = [literal.identifier for literal in branch.events if literal.identifier in branch.openings]
        names += [opening.identifier for opening in _admitted(branch, self._loose(branch)).values()]
        traced = tuple(name for name in trace_order(branch) if name not in names)
        return Merging(traced, self._gathered(branch, rule), tuple(n for n in names if n not in branch.gathered))

    def _construct(self, rule: Rule, body: Expression) -> Construction:
        causes = tuple(pair for pair in rule.causes if pair[1] in body.schema.references)
        called = None if rule.report is None else rule.title
        made = (rule.recipient, rule.traced, rule.momentary, rule.settlements, called)
        return Construction(rule.name, rule.head, body, causes, *made)

    def _gathered(self, branch: Branch, rule: Rule) -> Expression:
        """Returns G: the body with what is gathered as matches, which must have ended when the answer does."""
        late = late_gathered(branch)
        if late:
            raise SchemaError(
                f"rule '{rule.name}' gathers {', '.join(late)}, and nothing says that these end before its answer does"
            )
        pairs = tuple((next(self.fresh), name) for name in gathered_order(branch))
        body = self.body(branch)
        if branch.forgotten:
            body = Projection(body.schema.attributes - branch.forgotten, body)
        dropped = auxiliary_windows(branch)
        return Gathering(pairs, body, self.semantics == "practical", dropped) if pairs or dropped else body

    def body(self, branch: Branch) -> Expression:
        """Returns C: the literals from left to right, then the conditions."""
        loose = self._loose(branch)
        admitted = _admitted(branch, loose)
        literals: list[Expression] = [
            *(self._event(query, admitted) for query in _states_around(branch.events, loose)),
            *(AbsoluteTimers(timer.identifier, timer.timer) for timer in branch.absolute_timers),
            *(
                RelativeTimers(timer.identifier, timer.kind, timer.anchor, timer.duration)
                for timer in anchors_first(branch)
            ),
            *map(_windows, branch.windows),
        ]
        expression = literals[0]
        for literal in literals[1:]:
            expression = Join(expression, literal, _earliest(expression, literal, branch))
        for rows in branch.relations:
            expression = Join(expression, self._relation(rows, branch))
        for collection in branch.collections:
            expression = self._accumulate(expression, collection, branch)
        # they may use variables that a later `collect` binds
        expression = select([c for collection in branch.collections for c in collection.conditions], expression)
        for absence in branch.absences:
            expression = self._accumulate(expression, absence, branch)
        return select((*branch.conditions, *_admissions(branch, admitted, loose)), expression)

    def _loose(self, branch: Branch) -> frozenset[str]:
        """Returns the identifiers of the openings of loose states, of those that no rule derives."""
        return frozenset(each.identifier for each in _loose_states(branch) if not self.producers.of(each.pattern))

    def _relation(self, rows: RelationQuery, branch: Branch) -> Relation:
        declared = self.declared.get(rows.relation)
        at = trace_order(branch) if declared is not None and declared.valid_from is not None else ()
        refreshed = declared is not None and declared.refresh is not None
        return Relation(rows.identifier, rows.pattern, rows.relation, at, refreshed)

    def _event(self, query: EventQuery, admitted: Mapping[str, EventQuery]) -> Expression:
        """Returns the matching of a query; of one that has an opening of its own, among what is in its state."""
        matching = self.matching(query.identifier, query.pattern)
        opening = admitted.get(query.identifier)
        if opening is None:
            return matching
        opened = self.matching(opening.identifier, opening.pattern)
        states = (query.identifier,) if query.kind == "opening" else ()
        return Selection(_is_in(query.identifier, opening.identifier, states), Join(opened, matching))

    def matching(self, identifier: str, pattern: Pattern) -> Matching:
        producers = [Reference(self.rules[i].name) for i in self.producers.of(pattern)]
        return Matching(identifier, pattern, Union((Stream(), *producers)) if producers else Stream())

    def _accumulate(self, expression: Expression, accumulation: Accumulation, branch: Branch) -> Expression:
        element = accumulation.element or next(self.fresh)
        right = self._collected(element, accumulation)
        anchors = () if accumulation.with_anchor else self._excluded(accumulation.window, branch)
        excluded = frozenset((*anchors, *accumulation.excluded))
        window, contained = accumulation.window, accumulation.containment
        if accumulation.negated:
            return AntiSemiJoin(window, element, expression, right, excluded, accumulation.conditions, contained)
        counted = self.semantics == "practical"
        return TemporalJoin(window, element, expression, right, excluded, (), counted, contained)

    def _collected(self, element: str, accumulation: Accumulation) -> Expression:
        """Returns Q[i': q]; where the window is a state, or in one, only what is in an open one."""
        right = self.matching(element, accumulation.pattern)
        if accumulation.opening is None:
            return right
        state = next(self.fresh)
        opened = self.matching(state, accumulation.opening.pattern)
        states = (element,) if accumulation.containment in ("common", "sharing") else ()
        return Selection(_is_in(element, state, states), Join(opened, right))

    def _excluded(self, window: str, branch: Branch) -> Iterator[str]:
        """Yields the identifiers of the event that a window is, or is defined relative to (ERR-05)."""
        if self.semantics == "practical":
            events = {query.identifier for query in branch.events}
            yield from (name for name in set_on(window, branch) if name in events)
