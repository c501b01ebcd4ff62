"""From an automaton back to its syntax tree: its states, then its transitions, each in the braces of its level.

`lower(raised(a))` is `a`, but for the order of transitions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from cera.automata.automaton import Automaton, Path, State, TerminationConstraint, Transition
from cera.automata.structure import Structure
from cera.automata.times import TimeConstraint
from cera.languages.ihta.names import resolve
from cera.languages.ihta.syntax import (
    NOW,
    Arrow,
    AutomatonText,
    Block,
    Header,
    Invariant,
    LabelText,
    Member,
    Names,
    Nested,
    Role,
    Schema,
)
from cera.languages.text.nodes import Identifier
from cera.model.expressions.expression import (
    Arithmetic,
    Call,
    Comparison,
    DurationLiteral,
    EventReference,
    Expression,
    Literal,
    Negative,
)
from cera.model.time.durations import Duration


def raised(automaton: Automaton) -> AutomatonText:
    """Returns the syntax tree of an automaton, in one order of its parts."""
    structure = Structure(automaton)
    block = _block(structure, structure.root)
    return AutomatonText(_header(automaton.root), block, automaton.is_strict)


def _header(state: State) -> Header:
    return Header(state.name, state.attributes)


def _block(structure: Structure, path: Path) -> Block:
    state = structure.states[path]
    schema = (Schema(state.schema),) if state.schema else ()
    if state.is_opaque:
        return Block(schema, is_opaque=True)
    arrows = [
        _arrow(structure, path, step.transition) for step in structure.steps if (step.level or structure.root) == path
    ]
    return Block((*_states(structure, path, state.children), *_invariants(state.children), *schema, *arrows))


def _states(structure: Structure, path: Path, children: Sequence[State]) -> Iterator[Member]:
    for is_atomic_with, group in groupby(children, _roles_if_atomic):
        if is_atomic_with is not None:
            yield Names(is_atomic_with, tuple(Identifier(state.name) for state in group))
            continue
        for state in group:
            identifier = None if state.identifier is None else Identifier(state.identifier)
            yield Nested(_roles(state), identifier, _header(state), _block(structure, (*path, state.name)))


def _roles_if_atomic(state: State) -> tuple[Role, ...] | None:
    return _roles(state) if state.is_atomic else None


def _roles(state: State) -> tuple[Role, ...]:
    roles: tuple[tuple[Role, bool], ...] = (("start", state.is_start), ("end", state.is_end))
    return tuple(role for role, has in roles if has)


def _invariants(children: Sequence[State]) -> Iterator[Member]:
    for state in children:
        if state.invariant:
            yield Invariant(Identifier(state.name), tuple(map(time_expression, state.invariant)))


def _arrow(structure: Structure, path: Path, transition: Transition) -> Arrow:
    """Returns a transition as it stands in the braces of a state."""
    source = None if transition.source is None else _named(structure, path, transition.source)
    return Arrow(source, _named(structure, path, transition.target), _label(transition))


def _named(structure: Structure, scope: Path, state: Path) -> Identifier:
    """Returns the shortest name by which a state is found."""
    for length in range(1, len(state) + 1):
        if resolve(structure.states, scope, state[-length:]) == [state]:
            return Identifier(".".join(state[-length:]))
    return Identifier(".".join(state))


def _label(transition: Transition) -> LabelText:
    label = transition.label
    conditions = (
        *map(time_expression, label.times),
        *label.conditions,
        *map(count_expression, label.terminations),
    )
    identifier = None if label.identifier is None else Identifier(label.identifier)
    return LabelText(label.query, label.negated, identifier, conditions)


def time_expression(constraint: TimeConstraint) -> Expression:
    """Returns a bound as it is written: `e(this) - e(last) < 30 sec`."""
    factors: list[tuple[int, Expression]] = [
        (factor, Call(bound, (EventReference(name),))) for factor, bound, name in constraint.terms
    ]
    factors.append((constraint.now_factor, EventReference(NOW)))
    added = [part for factor, part in factors for _ in range(factor)]
    subtracted = [part for factor, part in factors for _ in range(-factor)]
    total: Expression = added[0] if added else DurationLiteral(Duration())
    for part in added[1:]:
        total = Arithmetic("+", total, part)
    for part in subtracted:
        total = Arithmetic("-", total, part)
    length: Expression = DurationLiteral(Duration(0, abs(constraint.bound)))
    return Comparison(constraint.operator, total, length if constraint.bound >= 0 else Negative(length))


def count_expression(constraint: TerminationConstraint) -> Expression:
    """Returns a number of instances as it is written: `finishedInstances(b) >= 2`."""
    counted = Call(constraint.function, (EventReference(constraint.identifier),))
    return Comparison(constraint.operator, counted, Literal(constraint.number))
