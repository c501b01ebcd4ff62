"""Join introduction: an event that comes last closes what rules wait for (the sixth heuristic, R-08).

    h ← B, over windows of q      →      h ← B, settled by r(K)

    if every event that q finds, with its values of K, ends no later than every event r with these values, for each
    query q that the answers wait for, and the answers show K: one that several rows give is complete with all of them

The answers of the group that an event r belongs to are then complete, and only these (ERR-94). If the same is so of all
queries of B, nothing more comes that has these values of K, and what the rule has remembered of them is forgotten.
Where windows begin with the end of the one event that B finds, what they hold is forgotten also if more such events may
come: their windows hold nothing that has happened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from cera.constraints.subsumption.atoms import Fixed, FlatAtom, Name, Substitution, extended, flat_pattern
from cera.model.expressions.atoms import Atom, pattern_of
from cera.model.expressions.expression import Expression, Literal, Variable
from cera.model.matching.patterns import Pattern
from cera.optimizer.semantic.inputs import awaited_inputs, comes_at_once, looks_ahead, remembered_inputs
from cera.optimizer.semantic.orders import Order
from cera.rules.branch_building import Names
from cera.rules.early_states import early_state
from cera.rules.rule import Rule
from cera.rules.settlements import ClosingEvent

LAW = "join introduction"


#: What a closing event is known by: its pattern and the variables.
_Key = tuple[Pattern, tuple[str, ...]]


def closing_events(
    rule: Rule, orders: Sequence[Order], *, may_be_early: bool = True
) -> Iterator[tuple[ClosingEvent, Order]]:
    """Yields the events that close the groups of a rule, each with the first order that says so.

    If no answer may be early, only those with which something is forgotten.
    """
    inputs = awaited_inputs(rule) if may_be_early else None
    settling = {} if inputs is None else _of_all(inputs.patterns, orders)
    if inputs is not None:
        settling = {key: found for key, found in settling.items() if frozenset(key[1]) <= inputs.fixed}
    forgetting = _of_all(remembered_inputs(rule), orders)
    if settling and not comes_at_once(rule):  # else a row that comes later gives its answer again
        settling = {key: found for key, found in settling.items() if key in forgetting}
    over_state = early_state(rule) is not None  # the end of the state still finds what is forgotten without an answer
    if forgetting and (over_state or len(rule.branches[0].events) == 1):  # windows go with their rows
        forgetting = {key: found for key, found in forgetting.items() if key in settling}
    if looks_ahead(rule):
        forgetting |= settling
    for key, (closing, order) in {**forgetting, **settling}.items():
        yield replace(closing, settles=key in settling, forgets=key in forgetting), order


def _of_all(patterns: Sequence[Pattern], orders: Sequence[Order]) -> dict[_Key, tuple[ClosingEvent, Order]]:
    """Returns the events that come after all that some patterns find with the same values."""
    atoms = [flat_pattern(each) for each in patterns]
    known = [atom for atom in atoms if atom is not None]
    if not known or len(known) < len(atoms):
        return {}
    first, *others = ({_key(each): each for each in reversed([*_closings(atom, orders)])} for atom in known)
    return {key: found for key, found in reversed(first.items()) if all(key in other for other in others)}


def _key(found: tuple[ClosingEvent, Order]) -> _Key:
    return found[0].pattern, found[0].by


def _closings(atom: FlatAtom, orders: Sequence[Order]) -> Iterator[tuple[ClosingEvent, Order]]:
    for order in orders:
        substitution = extended(order.first, atom, {})
        if substitution is None:
            continue
        common = order.first.variables & order.last.variables
        values = {name: substitution[name] for name in common}
        by = tuple(sorted({value.name for value in values.values() if isinstance(value, Name)}))
        pattern = pattern_of(_instance(order.written, values, Names(taken=by)), lambda name: name)
        yield ClosingEvent(pattern, by, f"{LAW}, constraint {order.clause.constraint}"), order


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
