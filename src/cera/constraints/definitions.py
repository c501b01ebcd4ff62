"""Normalisation, step 1: what a local definition derives is replaced by the body of the definition.

This is so for literals that need one event. Where events are counted, are absent, or lie between others, the body
cannot take their place: such definitions stay, and become derived predicates of the clauses. So do states that are
derived from several others.

The variables of a definition that its modules do not bind are its own, and get other names. The time of a derived event
is the hull of the events of the body; where the literal has an identifier, it is that of the one event, or names the
hull (ERR-62).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from cera.constraints.constraint import (
    AllConstraints,
    AnyConstraint,
    Constraint,
    ConstraintSet,
    Definition,
    LocalDefinitions,
    Module,
    parts_of,
)
from cera.constraints.names import (
    ANONYMOUS,
    Names,
    declared_identifier,
    fresh,
    quantities_of,
    used_identifiers,
    used_variables,
)
from cera.constraints.queries import (
    Combination,
    Conjunction,
    Disjunction,
    GapContent,
    HullLiteral,
    Literal,
    Membership,
    Part,
    Query,
    TimerLiteral,
)
from cera.model.expressions.atoms import Atom
from cera.model.expressions.expression import Comparison, EventReference, Expression, Variable

Definitions = Mapping[str, tuple[Definition, ...]]


def without_definitions(tree: ConstraintSet) -> ConstraintSet:
    """Returns a set of constraints with the definitions eliminated that can be."""
    return _Elimination(frozenset(_identifiers(tree))).tree(tree)


def _identifiers(tree: ConstraintSet) -> Iterator[str]:
    """Yields all identifiers of a set, so that new ones are different."""
    match tree:
        case Constraint():
            for part in (*parts_of(tree.body), *parts_of(tree.head)):
                yield from names_of(part)
        case Module():
            yield from names_of(tree.time)
            yield from _identifiers(tree.constraints)
        case LocalDefinitions():
            for definition in tree.definitions:
                for part in parts_of(definition.body):
                    yield from names_of(part)
            yield from _identifiers(tree.constraints)
        case AllConstraints() | AnyConstraint():
            for each in tree.parts:
                yield from _identifiers(each)
        case _:
            assert_never(tree)


def names_of(part: Part) -> Iterator[str]:
    """Yields the identifiers that a part declares or uses."""
    yield from (each.identifier for each in used_identifiers(part))
    declared = declared_identifier(part)
    if declared is not None:
        yield declared.identifier
    if isinstance(part, TimerLiteral) and isinstance(part.anchor, Literal) and part.anchor.identifier is not None:
        yield part.anchor.identifier.identifier


@dataclass
class _Elimination:
    """The walk over a set. `shared` are the variables that the modules around bind, which are no definition's own."""

    taken: frozenset[str]
    known: Definitions = field(default_factory=dict)
    shared: frozenset[str] = frozenset()

    def tree(self, tree: ConstraintSet) -> ConstraintSet:
        match tree:
            case Constraint():
                return self._constraint(tree)
            case Module():
                inner = _Elimination(self.taken, self.known, self.shared | used_variables(tree.time))
                return replace(tree, constraints=inner.tree(tree.constraints))
            case LocalDefinitions():
                return self._definitions(tree)
            case AllConstraints() | AnyConstraint():
                return replace(tree, parts=tuple(map(self.tree, tree.parts)))
            case _:
                assert_never(tree)

    def _definitions(self, tree: LocalDefinitions) -> ConstraintSet:
        known = dict(self.known)
        own: dict[str, tuple[Definition, ...]] = {}
        for definition in tree.definitions:
            inner = _Elimination(self.taken, {**known, **own}, self.shared)
            variables = {name for part in parts_of(definition.body) for name in used_variables(part)}
            rewritten = replace(definition, body=inner.query(definition.body, variables))
            label = definition.head.atom.label
            own[label] = (*own.get(label, ()), rewritten)
        inside = _Elimination(self.taken, {**known, **own}, self.shared).tree(tree.constraints)
        needed = _needed(inside, own)
        if not needed:
            return inside
        kept = tuple(each for label, several in own.items() if label in needed for each in several)
        return replace(tree, definitions=kept, constraints=inside)

    def _constraint(self, constraint: Constraint) -> Constraint:
        parts = (*parts_of(constraint.body), *parts_of(constraint.head))
        variables = {name for part in parts for name in used_variables(part)} | set(self.shared)
        body = None if constraint.body is None else self.query(constraint.body, variables)
        return replace(constraint, body=body, head=self.query(constraint.head, variables))

    def query(self, query: Query, variables: set[str]) -> Query:
        """Returns a query with the derived events replaced. `variables` are taken, and get those that are new."""
        match query:
            case Conjunction() | Disjunction():
                kind = type(query)
                found = tuple(self.query(each, variables) for each in query.queries)
                flat = [part for each in found for part in (each.queries if isinstance(each, kind) else (each,))]
                return replace(query, queries=tuple(flat))
            case Literal() if query.atom.label in self.known and query.kind != "relation":
                definitions = self.known[query.atom.label]
                if not all(_replaceable(query, each, self.shared) for each in definitions):
                    return query
                bodies = [self._instance(query, each, variables) for each in definitions]
                found = tuple(part for each in bodies for part in _of_kind(each, Disjunction))
                return found[0] if len(found) == 1 else Disjunction(found, query.span)
            case _:
                return query

    def _instance(self, literal: Literal, definition: Definition, variables: set[str]) -> Query:
        """Returns the body of a definition with the names of a literal."""
        bound, equal = _unified(definition.head.atom, literal.atom, self.shared)
        renamed: dict[str, Expression] = dict(bound)
        for part in parts_of(definition.body):
            for name in sorted(used_variables(part)):
                if name not in renamed and name not in self.shared:
                    renamed[name] = Variable(fresh(name, variables))
                    variables.add(fresh(name, variables))
        identifiers: dict[str, str] = {}
        for part in parts_of(definition.body):
            declared = declared_identifier(part)
            if declared is not None:
                new = fresh(declared.identifier, {*self.taken, *identifiers.values()})
                identifiers[declared.identifier] = new
        self.taken |= frozenset(identifiers.values())
        body = Names(identifiers, renamed).query(definition.body)
        timed = _each(body, lambda part: self._placed(part, literal))
        found = self._identified(timed, literal)
        return found if not equal else Conjunction((*_of_kind(found, Conjunction), *equal), literal.span)

    def _placed(self, part: Part, literal: Literal) -> tuple[Part, ...]:
        """Returns a part of a body in the time of the literal that it stands for."""
        if not isinstance(part, Literal) or part.kind == "relation":
            return (part,)
        if part.time is None:
            return (replace(part, time=literal.time),)
        if part.kind == "state" or part.count is not None or part.negated:
            return (part,)
        named = part if part.identifier is not None else replace(part, identifier=self._new("x"))
        assert named.identifier is not None
        return (named, Membership(named.identifier, literal.time, span=part.span))

    def _new(self, name: str) -> EventReference:
        found = fresh(name, self.taken)
        self.taken |= {found}
        return EventReference(found)

    def _identified(self, body: Query, literal: Literal) -> Query:
        """Returns a body in which something has the identifier of the literal."""
        if literal.identifier is None:
            return body
        if isinstance(body, Disjunction):
            return replace(body, queries=tuple(self._identified(each, literal) for each in body.queries))
        parts = list(_of_kind(body, Conjunction))
        places = [index for index, part in enumerate(parts) if isinstance(part, Literal) and _is_source(part, literal)]
        if len(places) == 1:
            [place] = places
            found = parts[place]
            assert isinstance(found, Literal)
            if found.identifier is None:
                parts[place] = replace(found, identifier=literal.identifier)
            else:
                names = Names({found.identifier.identifier: literal.identifier.identifier})
                parts = [names.query(each) for each in parts]
            return parts[0] if len(parts) == 1 else Conjunction(tuple(parts), literal.span)
        references: list[EventReference] = []
        for place in places:
            found = parts[place]
            assert isinstance(found, Literal)
            named = found if found.identifier is not None else replace(found, identifier=self._new("x"))
            assert named.identifier is not None
            parts[place] = named
            references.append(named.identifier)
        hull = HullLiteral(literal.identifier, Combination("cover-all", tuple(references)), literal.span)
        return Conjunction((*parts, hull), literal.span)


def _each(query: Query, change: Callable[[Part], tuple[Part, ...]]) -> Query:
    """Returns a query with each part replaced by others, which are joined."""
    if isinstance(query, Disjunction):
        return replace(query, queries=tuple(_each(each, change) for each in query.queries))
    if isinstance(query, Conjunction):
        inner = [_each(each, change) for each in query.queries]
        return replace(query, queries=tuple(part for each in inner for part in _of_kind(each, Conjunction)))
    found = change(query)
    return found[0] if len(found) == 1 else Conjunction(found, query.span)


def _of_kind(query: Query, kind: type[Conjunction] | type[Disjunction]) -> tuple[Query, ...]:
    return query.queries if isinstance(query, kind) else (query,)


def _is_source(part: Literal, literal: Literal) -> bool:
    """Returns whether the time of a derived event or state comes from this part."""
    return part.kind == literal.kind and part.count is None and not part.negated


def _replaceable(literal: Literal, definition: Definition, shared: frozenset[str]) -> bool:
    """Returns whether the body of a definition can take the place of a literal. It must give the variables of the
    literal their values, and not only be compared with them."""
    if literal.count is not None or literal.negated or literal.kind != definition.head.kind:
        return False
    _, equal = _unified(definition.head.atom, literal.atom, shared)
    if any(isinstance(each.left, Variable) and each.left.name not in shared for each in equal):
        return False
    branches = _of_kind(definition.body, Disjunction)
    flat = all(
        not isinstance(part, Conjunction | Disjunction) for branch in branches for part in _of_kind(branch, Conjunction)
    )
    if not flat:
        return False
    for branch in branches:
        parts = _of_kind(branch, Conjunction)
        sources = [part for part in parts if isinstance(part, Literal) and _is_source(part, literal)]
        timed = any(isinstance(part, TimerLiteral | HullLiteral) for part in parts)
        if not sources or (literal.kind == "state" and len(parts) > 1) or (timed and literal.identifier is not None):
            return False
    return _attributes(literal.atom) <= _attributes(definition.head.atom)


def _attributes(atom: Atom) -> set[str]:
    return {argument.label for argument in atom.arguments if isinstance(argument, Atom)}


def _unified(head: Atom, atom: Atom, shared: frozenset[str]) -> tuple[dict[str, Expression], tuple[Comparison, ...]]:
    """Returns what the variables of a head are for an atom, and what else must be equal."""
    bound: dict[str, Expression] = {}
    equal: list[Comparison] = []
    for ours, theirs in _pairs(head, atom):
        if isinstance(theirs, Variable) and theirs.name == ANONYMOUS:
            continue
        if isinstance(ours, Variable) and ours.name not in bound and ours.name not in shared:
            bound[ours.name] = theirs
            continue
        known = bound.get(ours.name, ours) if isinstance(ours, Variable) else ours
        if known != theirs:
            equal.append(Comparison("=", theirs, known, atom.span))
    return bound, tuple(equal)


def _pairs(head: Atom, atom: Atom) -> Iterator[tuple[Expression, Expression]]:
    """Yields the values that stand in the same place of a head and of an atom."""
    named = {each.label: each for each in head.arguments if isinstance(each, Atom)}
    ours = [each for each in head.arguments if not isinstance(each, Atom)]
    theirs = [each for each in atom.arguments if not isinstance(each, Atom)]
    yield from zip(ours, theirs, strict=False)
    for each in atom.arguments:
        if isinstance(each, Atom) and each.label in named:
            yield from _pairs(named[each.label], each)


def _needed(tree: ConstraintSet, own: Definitions) -> set[str]:
    """Returns the labels of definitions that something in a set still refers to, directly or by another one."""
    found = {label for part in all_parts(tree) for label in labels_of(part) if label in own}
    while True:
        more = {
            label
            for known in found
            for definition in own[known]
            for part in parts_of(definition.body)
            for label in labels_of(part)
            if label in own
        }
        if more <= found:
            return found
        found |= more


def all_parts(tree: ConstraintSet) -> Iterator[Part]:
    """Yields the literals and conditions of a set, those of definitions and the times of modules too."""
    match tree:
        case Constraint():
            yield from parts_of(tree.body)
            yield from parts_of(tree.head)
        case Module():
            yield tree.time
            yield from all_parts(tree.constraints)
        case LocalDefinitions():
            for definition in tree.definitions:
                yield from parts_of(definition.body)
            yield from all_parts(tree.constraints)
        case AllConstraints() | AnyConstraint():
            for each in tree.parts:
                yield from all_parts(each)
        case _:
            assert_never(tree)


def labels_of(part: Part) -> tuple[str, ...]:
    """Returns the labels that a part asks for."""
    return tuple(each.atom.label for each in literals_of(part))


def literals_of(part: Part) -> Iterable[Literal]:
    """Returns the literals of a part: itself, the anchor of a timer, what is counted between others."""
    match part:
        case Literal():
            return (part,)
        case TimerLiteral(anchor=Literal() as anchor):
            return (anchor,)
        case GapContent():
            return tuple(each.literal for each in quantities_of(part.quantities))
        case _:
            return ()
