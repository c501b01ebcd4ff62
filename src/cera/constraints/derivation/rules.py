"""Constraints that follow from rules alone, and that rules propagate to what they derive (seed 002, 12.2 and 12.3).

    numbers         a count in the head is the number of events in the evaluation time (Listing 12.3)
    cardinalities   `cera.constraints.cardinalities`
    causes          what causes all events of a match causes an answer (`causes`)
    order           what comes before all events of a match comes before the answer, whose time is their hull
    dependencies    if the values of two matches agree because of other constraints, those of two answers do

Only labels that one rule derives, and nobody else, are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from cera.constraints.cardinalities.cardinality import cardinality_of, window_of
from cera.constraints.cardinalities.propagation import Premises, propagated
from cera.constraints.clause import Clause
from cera.constraints.constraint import Constraint, Module
from cera.constraints.derivation.causes import causes
from cera.constraints.derivation.closing import closed, copied
from cera.constraints.derivation.derived import DerivedConstraint, Supposition
from cera.constraints.names import fresh, used_variables
from cera.constraints.queries import Conjunction, Literal, WindowLiteral
from cera.constraints.specification import SOME, Limit
from cera.constraints.subsumption.atoms import Fixed, FlatAtom, Name, Place, Substitution, Value, extended, flat_pattern
from cera.constraints.subsumption.conjunctive import ConjunctiveQuery, QueryLiteral, of_body, of_branch
from cera.constraints.subsumption.subsumption import is_proved
from cera.model.expressions.atoms import Atom
from cera.model.expressions.constructs import ConstructTerm, ConstructValue
from cera.model.expressions.expression import (
    Aggregate,
    Call,
    Comparison,
    EventReference,
    Expression,
    InState,
    Temporal,
    Variable,
)
from cera.model.expressions.expression import Literal as Constant
from cera.rules.analysis.unification import head_label
from cera.rules.reasoning.difference_bounds import Constraint as Bound
from cera.rules.reasoning.time_constraints import TimeConstraint
from cera.rules.reasoning.time_points import TimePoint
from cera.rules.rule import Branch, EventQuery, PeriodicWindow, Rule, RuleProgram


def of_rules(program: RuleProgram, clauses: Sequence[Clause] = ()) -> list[DerivedConstraint]:
    """Returns the constraints that follow from rules, and with them from other constraints."""
    found: list[DerivedConstraint] = []
    labels = [head_label(rule.head) for rule in program.rules]
    outside = {*(program.sources or ()), *program.from_modules}
    for rule in program.rules:
        label = head_label(rule.head)
        if label is None or None in labels or labels.count(label) > 1 or label in outside or rule.recipient is not None:
            continue
        if program.semantics == "practical":
            found += _numbers(rule)
        if clauses:
            found += _causes(rule, clauses)
            found += _order(rule, clauses)
            found += _dependencies(rule, clauses)
    labels_of_all = frozenset(each.atom.label for clause in clauses for each in of_body(clause.body).literals)
    counted = [each for each in map(cardinality_of, clauses) if each is not None]
    flat = labels_of_all | {each.atom.label for each in counted}
    for each in propagated(program, counted, Premises(0, flat)):
        tree = each.module()
        if tree is not None:
            supposing: frozenset[Supposition] = frozenset({"flat", "points"} if len(each.because) > 1 else ())
            found.append(
                DerivedConstraint(tree, f"from {', '.join(each.because)}: the numbers of {each.atom.label}", supposing)
            )
    return found


# Numbers


def _numbers(rule: Rule) -> Iterator[DerivedConstraint]:
    """Yields that a count in the head is the number of events, where there are any (Listing 12.3, ERR-69)."""
    head = _head(rule)
    if head is None or len(rule.branches) != 1 or rule.momentary or rule.traced:
        return
    values, aggregates = head
    [branch] = rule.branches
    found = _evaluated(branch)
    if found is None or len(aggregates) != 1 or next(iter(aggregates.values())) != "count":
        return
    time, query, in_state = found
    atom = flat_pattern(query.pattern)
    groups = {value.name for value in values.values() if isinstance(value, Name)}
    if atom is None or not groups <= atom.variables or not (time.variables if in_state else frozenset()) <= groups:
        return
    names = _shown_names(atom.variables)
    [(place, _)] = aggregates.items()
    number, result = (fresh(name, names.values()) for name in ("K", "N"))
    counted = Literal(
        written(atom, names),
        "event",
        count=Limit("=", Variable(number)),
        group_by=tuple(sorted(names[name] for name in groups)),
    )
    body = Conjunction((counted, Comparison(">=", Variable(number), Constant(1))))
    answer = FlatAtom(head_label(rule.head) or "", "event", (*values.items(), (place, Name("#"))))
    one = Literal(written(answer, {**names, "#": result}), "event", count=Limit("=", 1))
    same = Comparison("=", Variable(result), Variable(number))
    context: WindowLiteral | Literal
    if in_state:
        context = Literal(written(time, {**_shown_names(time.variables), **names}), "state")
    else:
        window = branch.windows[0]
        assert isinstance(window, PeriodicWindow)
        context = WindowLiteral(window_of(window.period))
    tree = Module(context, Constraint(Conjunction((one, same)), body))
    supposing: frozenset[Supposition] = frozenset({"flat", "single"} if in_state else {"flat"})
    yield DerivedConstraint(tree, f"rule {rule.name}: it counts {atom.label}", supposing)


def _evaluated(branch: Branch) -> tuple[FlatAtom, EventQuery, bool] | None:
    """Returns the evaluation time of a rule that gathers events of one kind and nothing else, and their query."""
    gathered = [query for query in branch.events if query.identifier in branch.gathered]
    others = [query for query in branch.events if query.identifier not in branch.gathered]
    plain = not (branch.absences or branch.collections or branch.relations or branch.relative_timers)
    if len(gathered) != 1 or gathered[0].kind != "event" or not plain or branch.absolute_timers:
        return None
    [query] = gathered
    if not others and len(branch.windows) == 1 and isinstance(branch.windows[0], PeriodicWindow):
        is_plain = not branch.conditions and not branch.windows[0].auxiliary
        return (FlatAtom("", "event", ()), query, False) if is_plain else None
    if branch.windows or sorted(each.kind for each in others) != ["ending", "opening"]:
        return None
    opening, ending = (next(each for each in others if each.kind == kind) for kind in ("opening", "ending"))
    state = flat_pattern(opening.pattern)
    known: list[Expression] = [
        InState(EventReference(query.identifier), EventReference(opening.identifier)),
        Comparison("<=", _end(query.identifier), _end(ending.identifier)),
        InState(EventReference(ending.identifier), EventReference(opening.identifier)),
    ]
    if state is None or state != flat_pattern(ending.pattern) or any(each not in known for each in branch.conditions):
        return None
    return state, query, True


def _end(identifier: str) -> Call:
    return Call("end", (EventReference(identifier),))


# Causes


def _causes(rule: Rule, clauses: Sequence[Clause]) -> Iterator[DerivedConstraint]:
    """Yields what there is an answer after, because there is all that it is derived from."""
    head = _head(rule)
    if head is None or head[1]:
        return
    answer = FlatAtom(head_label(rule.head) or "", "event", tuple(head[0].items()))
    seen: list[Constraint] = []
    for each in causes(rule, answer, clauses):
        taken = frozenset[str]().union(*(used_variables(part) for part in each.clause.body))
        names = _shown_names(each.answer.variables | taken)
        groups = tuple(sorted(names[name] for name in each.groups))
        demanded = Literal(written(each.answer, names), "event", time=each.state, count=SOME, group_by=groups)
        tree = Constraint(demanded, Conjunction(each.clause.body))
        if tree not in seen:
            seen.append(tree)
            yield DerivedConstraint(
                tree, f"rule {rule.name}: {each.clause.constraint} causes all that it is derived from"
            )


# Order

#: The identifier of what may come before or after the events of a rule.
_OTHER = "#x"


def _order(rule: Rule, clauses: Sequence[Clause]) -> Iterator[DerivedConstraint]:
    """Yields what comes before or after the answers of a rule, because it does so of all events of a match."""
    head = _head(rule)
    if head is None or head[1] or len(rule.branches) != 1 or not _is_hull(rule):
        return
    [branch] = rule.branches
    query = of_branch(branch)
    events = [each.identifier for each in branch.events if each.kind == "event"]
    answer = FlatAtom(head_label(rule.head) or "", "event", tuple(head[0].items()))
    seen: set[object] = set()
    for clause, other in _others(clauses, query):
        extended_query = replace(
            query, literals=(*query.literals, QueryLiteral(other, _OTHER)), bounds=(*query.bounds, _duration(_OTHER))
        )
        if other.label == answer.label or (other.variables & query.variables) - answer.variables:
            continue
        known = closed(extended_query, clauses)
        for relation in ("before", "after"):
            wanted = [Temporal(relation, EventReference(_OTHER), EventReference(each)) for each in events]
            if (relation, other) in seen or not all(is_proved(each, known) for each in wanted):
                continue
            seen.add((relation, other))
            names = _shown_names(other.variables | answer.variables)
            parts = (
                Literal(written(other, names), "event", EventReference("x")),
                Literal(written(answer, names), "event", EventReference("h")),
            )
            first, second = ("x", "h") if relation == "before" else ("h", "x")
            told = Temporal("before", EventReference(first), EventReference(second))
            because = (
                f"rule {rule.name}, and {clause.constraint}: {other.label} comes {relation} all that it is derived from"
            )
            yield DerivedConstraint(Constraint(told, Conjunction(parts)), because)


def _others(clauses: Sequence[Clause], query: ConjunctiveQuery) -> Iterator[tuple[Clause, FlatAtom]]:
    """Yields what constraints on the order of two events say something about, in the variables of a rule."""
    for clause in clauses:
        body = of_body(clause.body)
        if not body.is_complete or len(body.positive) != 2 or len(body.literals) != 2:
            continue
        for one, other in (body.positive, body.positive[::-1]):
            for each in query.positive:
                theta = extended(one.atom, each.atom, {})
                if theta is None or other.atom.kind != "event":
                    continue
                apart: Substitution = {n: Name(f"{n}#") for n in other.atom.variables if n not in theta}
                yield clause, other.atom.renamed({**theta, **apart})


def _duration(identifier: str) -> TimeConstraint:
    return Bound(TimePoint(identifier, "begin"), TimePoint(identifier, "end"), 0)


def _is_hull(rule: Rule) -> bool:
    """Returns whether the time of an answer is the hull of the events of its match, and states add nothing to it."""
    [branch] = rule.branches
    extended_by = branch.absences or branch.collections or branch.windows or branch.gathered
    timers = branch.absolute_timers or branch.relative_timers
    if extended_by or timers or rule.momentary or any(query.kind == "ending" for query in branch.events):
        return False
    events = {query.identifier for query in branch.events if query.kind == "event"}
    states = {query.identifier for query in branch.events if query.kind == "opening"}
    inside = {
        each.state.identifier
        for each in branch.conditions
        if isinstance(each, InState) and isinstance(each.event, EventReference) and each.event.identifier in events
    }
    return bool(events) and states <= inside


# Functional dependencies


def _dependencies(rule: Rule, clauses: Sequence[Clause]) -> Iterator[DerivedConstraint]:
    """Yields which values of an answer determine others, because they do so in the events of its match."""
    head = _head(rule)
    if head is None or len(rule.branches) != 1:
        return
    places = {place: value.name for place, value in head[0].items() if isinstance(value, Name)}
    query = of_branch(rule.branches[0])
    for key_place, key in places.items():
        for place, value in places.items():
            if value == key or value not in query.variables or key not in query.variables:
                continue
            twice, names = copied(query, {key})
            known = closed(twice, clauses)
            if not is_proved(Comparison("=", Variable(value), Variable(names[value])), known):
                continue
            label = head_label(rule.head) or ""
            one, other = (FlatAtom(label, "event", ((key_place, Name("X")), (place, Name(n)))) for n in ("Y", "Z"))
            parts = tuple(Literal(written(each, {n: n for n in "XYZ"}), "event") for each in (one, other))
            tree = Constraint(Comparison("=", Variable("Y"), Variable("Z")), Conjunction(parts))
            because = f"rule {rule.name}: {place[0][-1]} follows from {key_place[0][-1]} in what it is derived from"
            yield DerivedConstraint(tree, because)


# Heads


def _head(rule: Rule) -> tuple[dict[Place, Value], dict[Place, str]] | None:
    """Returns the values and the aggregates of a head, by their attributes; None if it has others."""
    head = rule.head
    if not isinstance(head, ConstructTerm) or head.ordered:
        return None
    values: dict[Place, Value] = {}
    aggregates: dict[Place, str] = {}
    for child in head.children:
        if not isinstance(child, ConstructTerm) or len(child.children) != 1:
            return None
        [inner] = child.children
        place: Place = ((child.label,), 1, 0)
        if not isinstance(inner, ConstructValue) or place in values or place in aggregates:
            return None
        match inner.expression:
            case Variable(name=name):
                values[place] = Name(name)
            case Constant(value=scalar):
                values[place] = Fixed(scalar)
            case Aggregate(function=function, distinct=False):
                aggregates[place] = function
            case _:
                return None
    return values, aggregates


def written(atom: FlatAtom, names: Mapping[str, str]) -> Atom:
    """Returns an atom as a constraint writes it."""
    arguments: dict[str, list[tuple[Place, Value]]] = {}
    direct: list[Variable | Constant] = []
    for (path, number, index), value in atom.places:
        if path:
            arguments.setdefault(path[0], []).append(((path[1:], number, index), value))
        else:
            direct.append(Variable(names[value.name]) if isinstance(value, Name) else Constant(value.value))
    inner = [written(FlatAtom(name, atom.kind, tuple(below)), names) for name, below in arguments.items()]
    return Atom(atom.label, (*direct, *inner))


def _shown_names(variables: frozenset[str]) -> dict[str, str]:
    """Returns names for variables that a text can have: those that languages have made have signs in them."""
    found: dict[str, str] = {}
    for name in sorted(variables, key=lambda each: (not each.isalnum(), each)):
        letters = "".join(each for each in name if each.isalnum()) or "V"
        found[name] = fresh(letters[:1].upper() + letters[1:], found.values())
    return found
