"""Join introduction: an event that comes last closes what rules wait for (the sixth heuristic, R-08).

    h ← B, over windows of q      →      h ← B, settled by r(K)

    if every event that q finds, with its values of K, ends no later than every event r with these values, for each
    query q that the answers wait for, and an answer has one value of each variable of K

The answers of the group that an event r belongs to are then complete, and only these (ERR-94).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from cera.constraints.subsumption.atoms import Fixed, FlatAtom, Name, Substitution, extended, flat_pattern
from cera.model.expressions.atoms import Atom, pattern_of
from cera.model.expressions.expression import Expression, Literal, Variable
from cera.model.matching.patterns import Pattern
from cera.optimizer.semantic.inputs import AwaitedInputs, awaited_inputs
from cera.optimizer.semantic.orders import Order
from cera.rules.branch_building import Names
from cera.rules.rule import Rule
from cera.rules.settlements import ClosingEvent

LAW = "join introduction"


def closing_events(rule: Rule, orders: Sequence[Order]) -> Iterator[tuple[ClosingEvent, Order]]:
    """Yields the events that close the groups of a rule, each with the first order that says so."""
    inputs = awaited_inputs(rule)
    atoms = [] if inputs is None else [flat_pattern(each) for each in inputs.patterns]
    known = [atom for atom in atoms if atom is not None]
    if inputs is None or len(known) < len(atoms):
        return
    found: dict[tuple[Pattern, tuple[str, ...]], Order] = {}
    closings = [{_key(each): each for each in _closings(atom, inputs, orders)} for atom in known]
    for key, (closing, order) in closings[0].items():
        if all(key in others for others in closings[1:]) and key not in found:
            found[key] = order
            yield closing, order


def _key(found: tuple[ClosingEvent, Order]) -> tuple[Pattern, tuple[str, ...]]:
    return found[0].pattern, found[0].by


def _closings(atom: FlatAtom, inputs: AwaitedInputs, orders: Sequence[Order]) -> Iterator[tuple[ClosingEvent, Order]]:
    for order in orders:
        substitution = extended(order.first, atom, {})
        if substitution is None:
            continue
        common = order.first.variables & order.last.variables
        values = {name: substitution[name] for name in common}
        by = tuple(sorted({value.name for value in values.values() if isinstance(value, Name)}))
        if frozenset(by) <= inputs.fixed:
            pattern = pattern_of(_instance(order.written, values, Names(taken=by)), lambda name: name)
            source = f"{LAW}, constraint {order.clause.constraint}"
            yield ClosingEvent(pattern, by, source), order


def _instance(atom: Atom, values: Substitution, names: Names) -> Atom:
    """Returns an atom with the values of a rule in the place of its variables; its other variables have fresh names."""
    renamed: dict[str, Expression] = {}
    return replace(atom, arguments=tuple(_argument(each, values, renamed, names) for each in atom.arguments))


def _argument(
    argument: Atom | Expression, values: Substitution, renamed: dict[str, Expression], names: Names
) -> Atom | Expression:
    if isinstance(argument, Atom):
        inside = tuple(_argument(each, values, renamed, names) for each in argument.arguments)
        return replace(argument, arguments=inside)
    if not isinstance(argument, Variable):
        return argument
    match values.get(argument.name):
        case Name(name):
            return replace(argument, name=name)
        case Fixed(value):
            return Literal(value, argument.span)
        case None:
            if argument.name not in renamed:
                renamed[argument.name] = replace(argument, name=names.fresh(argument.name))
            return renamed[argument.name]
