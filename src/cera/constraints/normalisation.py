"""Normalisation of sets of constraints (seed 002, section 7.4, corrected by ERR-62), step by step:

    1. local definitions are replaced by their bodies (`definitions`)
    2. a constraint with a disjunction in its body becomes one for each alternative
    3. modules become parts of the bodies, and the default times of literals are written out
    4. constraints become clauses: what is said by default is said, and independent parts of a head are clauses each
    5. a disjunction of constraints becomes the disjunction of their heads, for each combination of their bodies

The paper makes sets of constraint sets of a disjunction, which is not equivalent: for every item one of the constraints
holds, and not one of them for all items. The variables of the modules around a disjunction are common to its parts, all
others are renamed apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import assert_never

from cera.constraints.alternatives import MOST, TooManyAlternativesError, alternatives, of_all_copies
from cera.constraints.clause import Clause, DerivedPredicate
from cera.constraints.constraint import (
    AllConstraints,
    AnyConstraint,
    Constraint,
    ConstraintSet,
    Definition,
    LocalDefinitions,
    Module,
    ModuleTime,
    constraints_of,
    parts_of,
)
from cera.constraints.definitions import labels_of, names_of, without_definitions
from cera.constraints.groups import binds, components, counted, given_names
from cera.constraints.names import Names, fresh, used_variables
from cera.constraints.queries import (
    Combination,
    Conjunction,
    Disjunction,
    Literal,
    Membership,
    Part,
    Query,
    TimerLiteral,
    ValidityTime,
    WindowLiteral,
)
from cera.diagnostics import Span
from cera.model.expressions.atoms import Unbounded
from cera.model.expressions.expression import EventReference, Variable


@dataclass(frozen=True)
class OpenClause:
    """A clause, what its modules ask for, and the definitions that it may need."""

    clause: Clause
    context: tuple[Part, ...]


@dataclass(frozen=True)
class AllClauses:
    parts: tuple[ClauseSet, ...]


@dataclass(frozen=True)
class AnyClause:
    parts: tuple[ClauseSet, ...]


ClauseSet = OpenClause | AllClauses | AnyClause


@dataclass(frozen=True)
class Steps:
    """A set of constraints after each of the five steps."""

    without_definitions: ConstraintSet
    without_disjunctions: ConstraintSet
    without_modules: ConstraintSet
    clausal: ClauseSet
    clauses: tuple[Clause, ...]


def normalise(tree: ConstraintSet) -> Steps:
    """Returns a set of constraints in normal form, with the steps that lead there. Every constraint has a name.

    Raises TooManyAlternativesError.
    """
    first = without_definitions(tree)
    second = without_disjunctions(first)
    third = without_modules(second)
    fourth = clausal(third)
    return Steps(first, second, third, fourth, tuple(numbered(each.clause for each in joined(fourth))))


# Step 2


def without_disjunctions(tree: ConstraintSet) -> ConstraintSet:
    """Returns a set in which no body has a disjunction, and no literal of a body `each` or `any`."""
    match tree:
        case Constraint():
            found = [replace(tree, body=body, head=head) for body, head in _split(tree)]
            return found[0] if len(found) == 1 else AllConstraints(tuple(found), tree.span)
        case Module() | LocalDefinitions():
            return replace(tree, constraints=without_disjunctions(tree.constraints))
        case AllConstraints():
            inner = [without_disjunctions(each) for each in tree.parts]
            flat = (part for each in inner for part in (each.parts if isinstance(each, AllConstraints) else (each,)))
            return replace(tree, parts=tuple(flat))
        case AnyConstraint():
            return replace(tree, parts=tuple(map(without_disjunctions, tree.parts)))
        case _:
            assert_never(tree)


def _split(constraint: Constraint) -> Iterator[tuple[Query | None, Query]]:
    taken = {name for part in (*parts_of(constraint.body), *parts_of(constraint.head)) for name in names_of(part)}
    for body in alternatives(constraint.body, taken):
        yield _conjunction(body.parts), _with_copies(constraint.head, body.copies)


def _with_copies(query: Query, copies: Mapping[str, tuple[str, ...]]) -> Query:
    if not copies:
        return query
    if isinstance(query, Conjunction | Disjunction):
        return replace(query, queries=tuple(_with_copies(each, copies) for each in query.queries))
    found = of_all_copies([query], copies)
    return found[0] if len(found) == 1 else Conjunction(tuple(found), query.span)


def _conjunction(parts: Sequence[Part]) -> Query | None:
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else Conjunction(tuple(parts))


# Step 3


def without_modules(tree: ConstraintSet) -> ConstraintSet:
    """Returns a set in which the times of modules are parts of the bodies. What has no time then has all of time."""
    parts = (part for each in constraints_of(tree) for part in (*parts_of(each.body), *parts_of(each.head)))
    return _ModuleElimination({name for part in parts for name in names_of(part)}).tree(tree, (), None)


@dataclass
class _ModuleElimination:
    taken: set[str]

    def tree(self, tree: ConstraintSet, context: tuple[Part, ...], time: ValidityTime | None) -> ConstraintSet:
        match tree:
            case Constraint():
                body = None if tree.body is None else _timed(tree.body, time)
                return replace(tree, body=body, head=_timed(tree.head, time), context=context)
            case Module():
                inner, own = self._module(tree.time, context, time)
                return self.tree(tree.constraints, inner, _inside(tree.time, own, context, time))
            case LocalDefinitions():
                definitions = tuple(
                    replace(each, body=_timed(each.body, time), context=context) for each in tree.definitions
                )
                return replace(tree, definitions=definitions, constraints=self.tree(tree.constraints, context, time))
            case AllConstraints() | AnyConstraint():
                kind = type(tree)
                inside = [self.tree(each, context, time) for each in tree.parts]
                flat = (part for each in inside for part in (each.parts if isinstance(each, kind) else (each,)))
                return replace(tree, parts=tuple(flat))
            case _:
                assert_never(tree)

    def _module(
        self, module: ModuleTime, context: tuple[Part, ...], time: ValidityTime | None
    ) -> tuple[tuple[Part, ...], EventReference]:
        """Returns what a module asks for, together with those around it, and the identifier of its time."""
        match module:
            case Literal():
                name = module.identifier or self._new("s" if module.kind == "state" else "m")
                return (*context, replace(module, identifier=name, time=module.time or time)), name
            case TimerLiteral():
                parts, anchor = context, module.anchor
                if isinstance(anchor, Literal):
                    parts, anchor = self._module(anchor, context, time)
                name = module.identifier or self._new("t")
                return (*parts, replace(module, anchor=anchor, identifier=name)), name
            case WindowLiteral():
                name = module.identifier or self._new("w")
                return (*context, replace(module, identifier=name)), name
            case _:
                assert_never(module)

    def _new(self, name: str) -> EventReference:
        found = fresh(name, self.taken)
        self.taken.add(found)
        return EventReference(found)


def _inside(
    module: ModuleTime, own: EventReference, context: tuple[Part, ...], time: ValidityTime | None
) -> ValidityTime:
    """Returns the time of what a module says. A window does not lie in the time around it, nor what shares time with a
    window in that: both hold for what they have in common."""
    windows = {part.identifier: part.window for part in context if isinstance(part, WindowLiteral)}
    around = () if time is None else time.identifiers if isinstance(time, Combination) else (time,)
    around = tuple(each for each in around if not isinstance(windows.get(each), Unbounded))
    if not around or time is None:
        return own
    if isinstance(module, WindowLiteral):
        return time if isinstance(module.window, Unbounded) else _common((*around, own), module.span)
    is_state = isinstance(module, Literal) and module.kind == "state"
    known = tuple(each for each in around if each in windows)
    return _common((*known, own), module.span) if is_state and known else own


def _common(times: tuple[EventReference, ...], span: Span | None) -> Combination:
    return Combination("intersection", times, span, of_modules=True)


def _timed(query: Query, time: ValidityTime | None) -> Query:
    """Returns a query whose literals all have a time."""
    match query:
        case Conjunction() | Disjunction():
            return replace(query, queries=tuple(_timed(each, time) for each in query.queries))
        case Literal():
            return query if query.kind == "relation" else replace(query, time=query.time or time)
        case Membership():
            return replace(query, time=query.time or time)
        case TimerLiteral(anchor=Literal() as anchor):
            timed = _timed(anchor, time)
            assert isinstance(timed, Literal)
            return replace(query, anchor=timed)
        case _:
            return query


# Step 4


def clausal(tree: ConstraintSet, definitions: tuple[Definition, ...] = ()) -> ClauseSet:
    """Returns the clauses of a set without modules."""
    match tree:
        case Constraint():
            found = tuple(OpenClause(each, tree.context) for each in clauses_of(tree, definitions))
            return found[0] if len(found) == 1 else AllClauses(found)
        case LocalDefinitions():
            return clausal(tree.constraints, (*definitions, *tree.definitions))
        case AllConstraints() | AnyConstraint():
            kind = AllClauses if isinstance(tree, AllConstraints) else AnyClause
            inside = [clausal(each, definitions) for each in tree.parts]
            flat = (part for each in inside for part in (each.parts if isinstance(each, kind) else (each,)))
            return kind(tuple(flat))
        case Module():
            raise AssertionError("modules have been eliminated")
        case _:
            assert_never(tree)


def clauses_of(constraint: Constraint, definitions: Sequence[Definition]) -> Iterator[Clause]:
    """Yields the clauses of a constraint whose body has no disjunction."""
    taken = {name for part in (*parts_of(constraint.body), *parts_of(constraint.head)) for name in names_of(part)}
    taken |= {name for part in constraint.context for name in names_of(part)}
    [found] = alternatives(constraint.body, taken)
    body = list(_anchors_apart([*constraint.context, *found.parts], taken))
    bound = bound_variables(body)
    heads = [list(_anchors_apart(each.parts, taken)) for each in alternatives(constraint.head, taken)]
    said = [tuple(counted(each, body, bound)) for each in heads]
    counted_body = tuple(counted(body, (), frozenset()))
    name = constraint.name or ""
    if len(said) == 1:
        known = given_names(counted_body)
        for part in components(said[0], known):
            yield _clause(name, (part,), counted_body, definitions, constraint)
    else:
        yield _clause(name, tuple(said), counted_body, definitions, constraint)


def _clause(
    name: str,
    head: tuple[tuple[Part, ...], ...],
    body: tuple[Part, ...],
    definitions: Sequence[Definition],
    constraint: Constraint,
) -> Clause:
    parts = [*body, *(part for each in head for part in each)]
    return Clause(name, name, head, body, tuple(_predicates(parts, definitions)), constraint.span)


def _predicates(parts: Sequence[Part], definitions: Sequence[Definition]) -> Iterator[DerivedPredicate]:
    """Yields the derived predicates that parts ask for, those that others need before these."""
    asked = {label for part in parts for label in labels_of(part)}
    by_label = {each.head.atom.label: each for each in definitions}
    needed: set[str] = set()
    while asked - needed:
        needed |= asked & by_label.keys()
        inner = (part for each in definitions if each.head.atom.label in needed for part in parts_of(each.body))
        asked = (asked & needed) | {label for part in inner for label in labels_of(part) if label in by_label}
    for each in definitions:
        if each.head.atom.label in needed:
            taken = {name for part in (*each.context, *parts_of(each.body)) for name in names_of(part)}
            bodies = [
                tuple(counted(list(_anchors_apart([*each.context, *one.parts], taken)), (), frozenset()))
                for one in alternatives(each.body, taken)
            ]
            yield DerivedPredicate(each.head, tuple(bodies))


def _anchors_apart(parts: Iterable[Part], taken: set[str]) -> Iterator[Part]:
    """Yields parts with the literals that timers are relative to as parts of their own."""
    for part in parts:
        if isinstance(part, TimerLiteral) and isinstance(part.anchor, Literal):
            name = part.anchor.identifier
            if name is None:
                name = EventReference(fresh("x", taken))
                taken.add(name.identifier)
            yield replace(part.anchor, identifier=name)
            yield replace(part, anchor=name)
        else:
            yield part


# Step 5


def joined(tree: ClauseSet) -> list[OpenClause]:
    """Returns the clauses of a set in which disjunctions are pushed into the heads (ERR-62)."""
    match tree:
        case OpenClause():
            return [tree]
        case AllClauses():
            return [each for part in tree.parts for each in joined(part)]
        case AnyClause():
            several = [joined(part) for part in tree.parts]
            number = 1
            for each in several:
                number *= len(each)
                if number > MOST:
                    raise TooManyAlternativesError(each[0].clause.span)
            return [_either(choice) for choice in product(*several)]
        case _:
            assert_never(tree)


def _either(choice: Sequence[OpenClause]) -> OpenClause:
    """Returns the disjunction of clauses: what their modules have in common is asked for once."""
    common = list(choice[0].context)
    for each in choice[1:]:
        same = 0
        while same < min(len(common), len(each.context)) and common[same] == each.context[same]:
            same += 1
        common = common[:same]
    shared_variables = bound_variables(common)
    shared_identifiers = {name for part in common for name in names_of(part)}
    variables, identifiers = set(shared_variables), set(shared_identifiers)
    body: list[Part] = list(common)
    head: list[tuple[Part, ...]] = []
    definitions: dict[DerivedPredicate, None] = {}
    for each in choice:
        names = _apart(each.clause, shared_variables, shared_identifiers, variables, identifiers)
        body += [names.part(part) for part in each.clause.body if part not in common]
        head += [tuple(map(names.part, one)) for one in each.clause.head]
        definitions |= dict.fromkeys(each.clause.definitions)
    constraint = " or ".join(dict.fromkeys(each.clause.constraint for each in choice))
    first = choice[0].clause
    clause = Clause(constraint, constraint, tuple(head), tuple(body), tuple(definitions), first.span)
    return OpenClause(clause, tuple(common))


def _apart(
    clause: Clause, shared_variables: frozenset[str], shared: set[str], variables: set[str], identifiers: set[str]
) -> Names:
    """Returns names for a clause that no other has but those that are shared; they are taken from then on."""
    parts = [*clause.body, *(part for each in clause.head for part in each)]
    moved_identifiers: dict[str, str] = {}
    moved_variables: dict[str, Variable] = {}
    for name in dict.fromkeys(name for part in parts for name in names_of(part)):
        if name not in shared:
            moved_identifiers[name] = fresh(name, identifiers)
            identifiers.add(moved_identifiers[name])
    for name in sorted({name for part in parts for name in used_variables(part)}):
        if name not in shared_variables:
            moved_variables[name] = Variable(fresh(name, variables))
            variables.add(moved_variables[name].name)
    return Names(moved_identifiers, moved_variables)


def bound_variables(parts: Iterable[Part]) -> frozenset[str]:
    """Returns the variables that a conjunction gives a value."""
    return frozenset(name for part in parts for name in binds(part))


def numbered(clauses: Iterable[Clause]) -> Iterator[Clause]:
    """Yields clauses with names of their own: `fair`, `fair.2`."""
    taken: set[str] = set()
    for clause in clauses:
        name, number = clause.constraint, 2
        while name in taken:
            name, number = f"{clause.constraint}.{number}", number + 1
        taken.add(name)
        yield replace(clause, name=name)
