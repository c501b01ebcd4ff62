"""Constraints that follow from an automaton (seed 002, section 12.1): numbers, causes, order, functional dependencies.

They are about the instances of one non-atomic state, in the time of that state, and hold of every stream that the
automaton accepts, under suppositions (`derived`):

    deterministic, and no simultaneous events    the states that are reported are those of one run
    unique names                                 no two instances have the same name, so that a state is one instance
    events that last no time                     what an instance accepts lies in its state
    no unexpected events                         of events outside of a state, that an instance has accepted them

An event that comes together with the one that ends a state lies in that state, and no instance has seen it; so events
at the same time break counts even in automata that are `strict`. Attributes are taken to have one value each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from cera.automata.automaton import Automaton, Constant, Declaration, EventQuery, Path, Reference
from cera.automata.structure import Step, Structure
from cera.constraints.cardinalities.laws import SOME, projected, specification_of
from cera.constraints.constraint import AnyConstraint, Constraint, ConstraintSet, Module
from cera.constraints.derivation.derived import DerivedConstraint, Supposition
from cera.constraints.derivation.determinism import are_apart, is_deterministic
from cera.constraints.derivation.evaluation_states import evaluation_states
from cera.constraints.derivation.paths import NEVER, ONCE, PERHAPS, Often, Ways, ways_of
from cera.constraints.names import fresh
from cera.constraints.numbers import ALL, NO_NUMBER, CountSet
from cera.constraints.queries import Conjunction, Literal, Query
from cera.constraints.specification import Limit
from cera.model.expressions.atoms import Atom
from cera.model.expressions.expression import Call, Comparison, EventReference, Temporal, Variable
from cera.model.expressions.expression import Literal as Value

_IN_STATES: frozenset[Supposition] = frozenset({"distinct", "unique"})
_OF_EVENTS: frozenset[Supposition] = _IN_STATES | {"points"}


def of_automaton(automaton: Automaton) -> list[DerivedConstraint]:
    """Returns the constraints that follow from an automaton; none from one that is not deterministic."""
    if not is_deterministic(automaton):
        return []
    structure = Structure(automaton)
    found: list[DerivedConstraint] = []
    for path, state in structure.states.items():
        if not state.is_atomic and _is_named_uniquely(structure, path):
            found += _State(structure, path).constraints()
    return [*found, *_in_all_of_time(structure)]


def _in_all_of_time(structure: Structure) -> Iterator[DerivedConstraint]:
    """Yields the order of events that say themselves in which state they come (`evaluation_states`)."""
    supposing: frozenset[Supposition] = _IN_STATES | {"expected"}
    for state in evaluation_states(structure):
        for first, last in state.orders():
            parts = tuple(
                Literal(_nested(label, [(state.attributes[label], Variable(state.key))]), "event", _id(name))
                for label, name in ((first, "i"), (last, "j"))
            )
            head = Comparison("<=", Call("end", (_id("i"),)), Call("end", (_id("j"),)))
            because = (
                f"automaton {structure.automaton.name}, {first} comes in the state {state.label}, before any {last}"
            )
            yield DerivedConstraint(Constraint(head, Conjunction(parts)), because, supposing)


def _is_named_uniquely(structure: Structure, path: Path) -> bool:
    """Returns whether every instance of a state gets a unique value into its name, which stays."""
    names = {value.variable for _, value in structure.states[path].attributes if isinstance(value, Reference)}
    creating = [step for step in structure.steps if path in step.created]
    for step in creating:
        query = step.transition.label.query
        if query is None or not names & {each.variable for each in query.unique}:
            return False
    inside = [step.transition.label.query for step in structure.executed[path]]
    return bool(creating) and not any(query is not None and query.declared & names for query in inside)


@dataclass(frozen=True)
class _State:
    """A non-atomic state whose instances have names of their own."""

    structure: Structure
    path: Path

    @cached_property
    def ways(self) -> Ways:
        return ways_of(self.structure, self.path)

    @property
    def name(self) -> str:
        return self.path[-1]

    @cached_property
    def variables(self) -> frozenset[str]:
        found = self.structure.states[self.path].attributes
        return frozenset(value.variable for _, value in found if isinstance(value, Reference))

    @cached_property
    def creating(self) -> tuple[Step, ...]:
        return tuple(step for step in self.structure.steps if self.path in step.created)

    @cached_property
    def leaving(self) -> tuple[Step, ...]:
        """The transitions that end an instance, or what is around it."""
        return tuple(step for step in self.structure.steps if any(self.path[: len(left)] == left for left in step.left))

    def constraints(self) -> Iterator[DerivedConstraint]:
        if not self.ways.starts:
            return
        seen_by_others = {s.transition.label.query.label for s in self.leaving if s.transition.label.query is not None}
        own = {s.transition.label.query.label for s in self.ways.steps if s.transition.label.query is not None}
        if own & seen_by_others:
            return  # one event may be a step of an instance, and end it
        yield from self._numbers()
        yield from self._ends()
        yield from self._causes()
        yield from self._order()
        yield from self._dependencies()

    # How many

    @cached_property
    def queries(self) -> tuple[EventQuery, ...]:
        """The queries of events that can be counted: all their values are those of the name, constants, or any."""
        found: dict[object, EventQuery] = {}
        for step in self.ways.steps:
            query = step.transition.label.query
            if query is not None and query.referenced <= self.variables and query.declared.isdisjoint(self.variables):
                found.setdefault((query.label, frozenset((p, _shape(v)) for p, v in query.attributes)), query)
        return tuple(found.values())

    @cached_property
    def atomic(self) -> tuple[Path, ...]:
        inside = sorted(self.ways.visited, key=list(self.structure.states).index)
        return tuple(path for path in inside if self.structure.states[path].is_atomic)

    def _events(self, query: EventQuery) -> dict[int, Often]:
        """Returns how often transitions accept an event that a query matches."""
        return {step.number: _matched(step.transition.label.query, query) for step in self.ways.steps}

    def _visits(self, path: Path) -> dict[int, Often]:
        return {s.number: ONCE for s in self.ways.steps if s.after == path and s.before != path}

    def _of_events(self, query: EventQuery, cause: tuple[Path, EventQuery] | None = None) -> CountSet:
        return self.ways.numbers(lambda _: 0, self._events(query), self._trigger(cause))

    def _of_states(self, path: Path, cause: tuple[Path, EventQuery] | None = None) -> CountSet:
        """Returns how many states there are; of several visits at one time only one is reported."""
        return projected(self.ways.numbers(lambda start: int(start == path), self._visits(path), self._trigger(cause)))

    def _trigger(self, cause: tuple[Path, EventQuery] | None) -> Callable[[Step], bool] | None:
        """Returns whether a transition may accept an event that lies in a child; None without a cause.

        A delay that is due at the time of the event may have led out of the child before it.
        """
        if cause is None:
            return None
        child, query = cause
        places = self.ways.through_delays(child)
        return lambda step: step.before in places and _matched(step.transition.label.query, query) != NEVER

    def _numbers(self) -> Iterator[DerivedConstraint]:
        way = f"on all ways of {self.name}"
        for query in self.queries:
            numbers = self._of_events(query)
            if numbers and numbers != ALL:
                yield self._fact(self._counted(query, numbers), f"{way}: {query.label}", _OF_EVENTS)
        for path in self.atomic:
            numbers = self._of_states(path)
            if numbers and numbers != ALL:
                yield self._fact(self._counted_state(path, numbers), f"{way}: {path[-1]}", _IN_STATES)

    def _ends(self) -> Iterator[DerivedConstraint]:
        """Yields that an instance ends with one of the events that end it, if nothing else happens around it."""
        around = self.path[:-1]
        if not self.leaving or len(self.path) == 1:
            return
        others = [step for step in self.structure.executed[around] if step.before == self.path]
        queries = [step.transition.label.query for step in self.leaving]
        known = [query for query in queries if query is not None]
        if {*others} != {*self.leaving} or len(known) < len(queries):
            return
        bound = _State(self.structure, around).variables & self.variables
        kept = list({(q.label, q.attributes): q for q in known}.values())
        if any(query.referenced - bound for query in kept) or len({query.label for query in kept}) < len(kept):
            return
        ends = [
            Constraint(
                Literal(
                    _atom(each, self._other(self.variables - bound)),
                    "event",
                    count=Limit("=", 1),
                    group_by=tuple(sorted(bound & each.referenced)),
                )
            )
            for each in kept
        ]
        tree: ConstraintSet = ends[0] if len(ends) == 1 else AnyConstraint(tuple(ends))
        named = " or ".join(sorted({each.label for each in kept}))
        yield self._module(tree, f"{self.name} ends with {named}", _OF_EVENTS)

    def _other(self, variables: Iterable[str]) -> dict[str, str]:
        """Returns other names for variables, which the automaton does not have."""
        taken = {name for query in self.structure.automaton.queries for name in query.declared | query.referenced}
        taken |= self.variables
        found: dict[str, str] = {}
        for name in sorted(variables):
            found[name] = fresh(name, taken)
            taken.add(found[name])
        return found

    def _fact(self, head: Query, because: str, supposing: frozenset[Supposition]) -> DerivedConstraint:
        return self._module(Constraint(head), because, supposing)

    def _module(self, tree: ConstraintSet, because: str, supposing: frozenset[Supposition]) -> DerivedConstraint:
        automaton = self.structure.automaton.name
        return DerivedConstraint(Module(self._context(), tree), f"automaton {automaton}, {because}", supposing)

    def _context(self, path: Path | None = None, identifier: str | None = None) -> Literal:
        """Returns the literal of the state, or of one inside of it, which has the same attributes."""
        return Literal(self._state_atom(path or self.path), "state", None if identifier is None else _id(identifier))

    def _state_atom(self, path: Path, names: dict[str, str] | None = None) -> Atom:
        arguments = []
        for attribute, value in self.structure.states[self.path].attributes:
            inner = (
                Value(value.value)
                if isinstance(value, Constant)
                else Variable((names or {}).get(value.variable, value.variable))
            )
            arguments.append(Atom(attribute, (inner,)))
        return Atom(self.structure.labels[path], tuple(arguments))

    def _counted(self, query: EventQuery, numbers: CountSet) -> Literal:
        groups = tuple(sorted(query.referenced & self.variables))
        return Literal(_atom(query), "event", count=specification_of(numbers), group_by=groups)

    def _counted_state(self, path: Path, numbers: CountSet) -> Literal:
        return Literal(
            self._state_atom(path), "state", count=specification_of(numbers), group_by=tuple(sorted(self.variables))
        )

    # Causes

    def _causes(self) -> Iterator[DerivedConstraint]:
        """Yields what follows from an event in a child that it leads out of, where that is more than always holds."""
        for child in self.atomic:
            for query in self.queries:
                own = self._events(query)
                if not any(s.before == child != s.after and own[s.number] != NEVER for s in self.ways.steps):
                    continue
                event = Literal(_atom(query, self._other(query.declared)), "event", time=_id("s"))
                body = Conjunction((self._context(child, "s"), event))
                way = f"on all ways of {self.name} after {query.label} in {child[-1]}"
                for each in self.queries:
                    numbers = self._of_events(each, (child, query))
                    if numbers not in (NO_NUMBER, ALL, self._of_events(each)) and (each, numbers) != (query, SOME):
                        head = self._counted(each, numbers)
                        yield self._module(Constraint(head, body), f"{way}: {each.label}", _OF_EVENTS)
                for path in self.atomic:
                    numbers = self._of_states(path, (child, query))
                    if numbers not in (NO_NUMBER, ALL, self._of_states(path)) and (path, numbers) != (child, SOME):
                        state = self._counted_state(path, numbers)
                        yield self._module(Constraint(state, body), f"{way}: {path[-1]}", _OF_EVENTS)

    # Order

    def _order(self) -> Iterator[DerivedConstraint]:
        """Yields what comes before what: nothing leads back from the second to the first."""
        for first in self.atomic:
            for second in self.atomic:
                if (
                    second in self.ways.reachable(first)
                    and first not in self.ways.reachable(second)
                    and first != second
                ):
                    body = Conjunction((self._context(first, "i"), self._context(second, "j")))
                    head = Temporal("before", _id("i"), _id("j"))
                    because = f"nothing leads from {second[-1]} to {first[-1]} in {self.name}"
                    yield self._module(Constraint(head, body), because, _IN_STATES)
        for one in self.queries:
            for other in self.queries:
                if one.label != other.label and self._precedes(one, other):
                    parts = (
                        Literal(_atom(one), "event", _id("i")),
                        Literal(_atom(other, self._other(one.declared)), "event", _id("j")),
                    )
                    later = Comparison("<=", Call("end", (_id("i"),)), Call("end", (_id("j"),)))
                    because = f"in {self.name} no {one.label} comes after {other.label}"
                    yield self._module(Constraint(later, Conjunction(parts)), because, _OF_EVENTS)

    def _precedes(self, one: EventQuery, other: EventQuery) -> bool:
        """Returns whether a way has both, and never the first after the second."""
        mine, theirs = self._events(one), self._events(other)
        firsts = [step for step in self.ways.steps if mine[step.number] != NEVER]
        seconds = [step for step in self.ways.steps if theirs[step.number] != NEVER]
        after = {step.number: {step.after} | self.ways.reachable(step.after) for step in (*firsts, *seconds)}
        follows = any(second.before in after[first.number] for first in firsts for second in seconds)
        return follows and not any(first.before in after[second.number] for first in firsts for second in seconds)

    # Functional dependencies

    def _dependencies(self) -> Iterator[DerivedConstraint]:
        """Yields that the unique value of an instance has one value of each other variable in its name."""
        attributes = {
            v.variable: name for name, v in self.structure.states[self.path].attributes if isinstance(v, Reference)
        }
        unique = set.intersection(*({each.variable for each in _query(step).unique} for step in self.creating))
        for key in sorted(unique & self.variables):
            for other in sorted(self.variables - {key}):
                yield from self._dependency(key, other, attributes)

    def _dependency(self, key: str, other: str, attributes: dict[str, str]) -> Iterator[DerivedConstraint]:
        created = [each for each in map(_query, self.creating) if self._carries(each, key, other)]
        if not created or len({each.label for each in created}) > 1:
            return
        first = created[0]
        supposing: frozenset[Supposition] = _IN_STATES | {"expected"}
        because = f"{key} is unique in {self.name}, so {attributes[other]} follows from {attributes[key]}"
        mine = self._other([other])[other]
        theirs = fresh(other, {mine, *self.variables})
        head = Comparison("=", Variable(mine), Variable(theirs))
        event = Literal(_only(first, {key: key, other: mine}), "event")
        accepted = [query for query in self.queries if self._carries(query, key, other)]
        for query in {each.label: each for each in accepted}.values():
            body = Conjunction((event, Literal(_only(query, {key: key, other: theirs}), "event")))
            yield DerivedConstraint(
                Constraint(head, body), f"automaton {self.structure.automaton.name}, {because}", supposing
            )
        for path in self.atomic:
            inside = Literal(self._named(path, {key: key, other: theirs}), "state")
            body = Conjunction((event, inside))
            yield DerivedConstraint(
                Constraint(head, body), f"automaton {self.structure.automaton.name}, {because}", supposing
            )

    def _named(self, path: Path, names: dict[str, str]) -> Atom:
        """Returns the atom of a state with those of its attributes that have these variables."""
        arguments = [
            Atom(attribute, (Variable(names[value.variable]),))
            for attribute, value in self.structure.states[self.path].attributes
            if isinstance(value, Reference) and value.variable in names
        ]
        return Atom(self.structure.labels[path], tuple(arguments))

    def _carries(self, query: EventQuery, key: str, other: str) -> bool:
        """Returns whether every event of a label that is expected carries two variables of the name of an instance."""
        known = {id(step.transition.label.query) for step in (*self.creating, *self.ways.steps)}
        for each in self.structure.automaton.queries:
            if each.label == query.label and (id(each) not in known or not {key, other} <= _named_variables(each)):
                return False
        return {key, other} <= _named_variables(query)


def _query(step: Step) -> EventQuery:
    query = step.transition.label.query
    assert query is not None
    return query


def _named_variables(query: EventQuery) -> set[str]:
    return {value.variable for path, value in query.attributes if not isinstance(value, Constant) and len(path) == 1}


def _shape(value: Constant | Reference | Declaration) -> object:
    return value if not isinstance(value, Declaration) else None


def _matched(found: EventQuery | None, query: EventQuery) -> Often:
    """Returns how often an event that one query has matched is one that another query matches."""
    if found is None or are_apart(found, query):
        return NEVER
    mine = dict(found.attributes)
    for path, value in query.attributes:
        if path not in mine or (not isinstance(value, Declaration) and mine[path] != value):
            return PERHAPS
    repeated = [v.variable for _, v in query.attributes if isinstance(v, Declaration)]
    return ONCE if len(set(repeated)) == len(repeated) else PERHAPS


def _id(name: str) -> EventReference:
    return EventReference(name)


def _atom(query: EventQuery, names: dict[str, str] | None = None) -> Atom:
    """Returns the atom of a query, in which variables that are declared are free. Some get other names."""

    def inner(value: Constant | Reference | Declaration) -> Value | Variable:
        if isinstance(value, Constant):
            return Value(value.value)
        return Variable((names or {}).get(value.variable, value.variable))

    return _nested(query.label, [(path, inner(value)) for path, value in query.attributes])


def _only(query: EventQuery, names: dict[str, str]) -> Atom:
    """Returns the atom of a query with those of its attributes that have these variables, under other names."""
    kept = [
        (path, Variable(names[value.variable]))
        for path, value in query.attributes
        if not isinstance(value, Constant) and value.variable in names
    ]
    return _nested(query.label, kept)


def _nested(label: str, attributes: Sequence[tuple[Path, Value | Variable]]) -> Atom:
    """Returns an atom with values at the ends of paths."""
    arguments: dict[str, list[tuple[Path, Value | Variable]]] = {}
    for (first, *rest), value in attributes:
        arguments.setdefault(first, []).append((tuple(rest), value))
    return Atom(
        label,
        tuple(
            Atom(name, (inner[0][1],)) if inner[0][0] == () else _nested(name, inner)
            for name, inner in arguments.items()
        ),
    )
