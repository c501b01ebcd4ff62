"""The meaning of a program over a whole history: slow on purpose, the truth that `stages` is held against.

A rule with J stands for all its instances with a number in place of J. So the history has the ground predicates
(p, 0), (p, 1), …; the program is locally stratified if none of them depends on its own absence, and its perfect model
comes from naive fixpoints, one for each component of that graph, those depended on first. Nothing is remembered from
one stage for the next, nothing is indexed, no rule is rewritten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cera.datalog.stratification import components
from cera.datalog.syntax import (
    NEXT,
    Anonymous,
    Argument,
    Atom,
    J,
    Not,
    Program,
    Rule,
    StageTerm,
    atoms,
    positive_atoms,
    root,
)
from cera.model.evaluation.evaluator import Evaluator
from cera.model.expressions.expression import Expression, Variable, variables
from cera.modules.tuples import Fact, Row, cell_of, look_up, value_of, wrapped

#: A predicate at a stage; None for predicates without one.
Ground = tuple[str, int | None]
Binding = Mapping[str, Any]


@dataclass(frozen=True)
class HistoryStage:
    """Stage of a history: the facts of each event predicate, and the time."""

    events: Mapping[str, Iterable[Fact]] = field(default_factory=dict)
    time: int | None = None


@dataclass(frozen=True)
class _Instance:
    """A rule with a number in place of J."""

    rule: Rule
    j: int

    def ground(self, atom: Atom) -> Ground:
        match atom.stage:
            case StageTerm.CURRENT:
                return atom.predicate, self.j
            case StageTerm.NEXT:
                return atom.predicate, self.j + 1
            case constant:
                return atom.predicate, constant


def evaluate(
    program: Program,
    history: Sequence[HistoryStage],
    relations: Mapping[str, Iterable[Fact]] | None = None,
    evaluator: Evaluator | None = None,
) -> list[dict[str, frozenset[Row]]]:
    """Returns the facts of each stage by predicate, stage 0 first; facts without a stage are in all of them.

    `history` are the stages from 1 on, `relations` the facts of predicates without a stage. Truth values are wrapped.
    Raises ValueError if the instances of the rules are not locally stratified. The evaluator counts what had no value.
    """
    evaluator = evaluator or Evaluator()
    derived = {rule.head.predicate for rule in program.rules}
    facts = {g: rows for g, rows in _given(history, relations or {}).items() if g[0] not in derived}
    last = len(history)
    instances = [i for rule in program.rules for i in _instances(rule, last)]
    by_head: dict[Ground, list[_Instance]] = {}
    for instance in instances:
        by_head.setdefault(instance.ground(instance.rule.head), []).append(instance)
    graph = {
        head: [i.ground(atom) for i in group for atom in atoms(i.rule) if i.ground(atom) in by_head]
        for head, group in by_head.items()
    }
    for component in components(graph):
        group = [instance for ground in component for instance in by_head[ground]]
        _reject_cycles_through_negation(group, component)
        _fixpoint(group, facts, evaluator)
    return [_at(facts, stage) for stage in range(last + 1)]


def _given(history: Sequence[HistoryStage], relations: Mapping[str, Iterable[Fact]]) -> dict[Ground, set[Row]]:
    facts: dict[Ground, set[Row]] = {(name, None): {wrapped(fact) for fact in rows} for name, rows in relations.items()}
    for number, stage in enumerate(history, 1):
        for name, rows in stage.events.items():
            facts[name, number] = {wrapped(fact) for fact in rows}
        if "any" not in stage.events and any(facts[name, number] for name in stage.events):
            facts["any", number] = {()}
        if stage.time is not None:
            facts["time", number] = {(stage.time,)}
    return facts


def _instances(rule: Rule, last: int) -> Iterator[_Instance]:
    stages = {rule.head.stage, *(atom.stage for atom in atoms(rule))}
    if NEXT in stages:
        return (_Instance(rule, j) for j in range(last))
    return (_Instance(rule, j) for j in range(last + 1 if J in stages else 1))


def _reject_cycles_through_negation(group: Sequence[_Instance], component: Sequence[Ground]) -> None:
    for instance in group:
        for part in instance.rule.body:
            if isinstance(part, Not) and instance.ground(part.atom) in component:
                raise ValueError(f"{component} depend on their own absence")


def _fixpoint(group: Sequence[_Instance], facts: dict[Ground, set[Row]], evaluator: Evaluator) -> None:
    """Evaluates all instances again and again, until none of them finds a new fact.

    The last time around each binding is seen once: what has no value in it is what is counted.
    """
    grows, before = True, evaluator.undefined
    while grows:
        grows, evaluator.undefined = False, before
        for instance in group:
            known = facts.setdefault(instance.ground(instance.rule.head), set())
            derived = set(_consequences(instance, facts, evaluator))
            grows = grows or not derived <= known
            known |= derived


def _consequences(instance: _Instance, facts: Mapping[Ground, set[Row]], evaluator: Evaluator) -> Iterator[Row]:
    """Yields the heads for all bindings of the body. Conditions are evaluated as soon as their variables are bound."""
    rule = instance.rule
    if not all(facts.get(instance.ground(atom)) for atom in positive_atoms(rule)):
        return
    bindings: list[Binding] = [{}]
    rest = [part for part in rule.body if not _has_variables_only(part)]
    for atom in (None, *positive_atoms(rule)):
        if atom is not None:
            bindings = list(_extended(bindings, atom, facts.get(instance.ground(atom), set())))
        decided = [p for p in rest if not isinstance(p, Atom | Not) and bindings and _roots(p) <= bindings[0].keys()]
        rest = [part for part in rest if part not in decided]
        bindings = [b for b in bindings if all(_holds(part, b, instance, facts, evaluator) for part in decided)]
    for binding in bindings:
        if all(_holds(part, binding, instance, facts, evaluator) for part in rest):
            head = [_value(argument, binding, evaluator) for argument in rule.head.arguments]
            if all(value is not None for value in head):
                yield tuple(head)


def _roots(condition: Expression) -> frozenset[str]:
    return frozenset(map(root, variables(condition)))


def _has_variables_only(part: object) -> bool:
    """Returns whether none of an atom's arguments is computed, so that a binding determines the fact."""
    return isinstance(part, Atom) and all(
        isinstance(a, Anonymous) or (isinstance(a, Variable) and "." not in a.name) for a in part.arguments
    )


def _extended(bindings: Iterable[Binding], atom: Atom, rows: Iterable[Row]) -> Iterator[Binding]:
    """Yields the bindings extended by the values that an atom gives its variables where it is one of the rows."""
    places = [(i, a.name) for i, a in enumerate(atom.arguments) if isinstance(a, Variable) and "." not in a.name]
    for binding in bindings:
        for row in rows:
            extended = dict(binding)
            if all(extended.setdefault(name, row[place]) == row[place] for place, name in places):
                yield extended


def _holds(
    part: object, binding: Binding, instance: _Instance, facts: Mapping[Ground, set[Row]], evaluator: Evaluator
) -> bool:
    match part:
        case Atom():
            return any(_matches(part, row, binding, evaluator) for row in facts.get(instance.ground(part), set()))
        case Not():
            return not any(
                _matches(part.atom, r, binding, evaluator) for r in facts.get(instance.ground(part.atom), ())
            )
        case _:
            return evaluator.holds(part, _environment(part, binding), {})  # type: ignore[arg-type]


def _matches(atom: Atom, row: Row, binding: Binding, evaluator: Evaluator) -> bool:
    for argument, cell in zip(atom.arguments, row, strict=True):
        if not isinstance(argument, Anonymous) and _value(argument, binding, evaluator) != cell:
            return False
    return True


def _value(argument: Argument, binding: Binding, evaluator: Evaluator) -> Any:
    """Returns the value of an argument, None where it has none."""
    assert not isinstance(argument, Anonymous)
    if isinstance(argument, Variable) and argument.name in binding:
        return binding[argument.name]
    return cell_of(evaluator.value(argument, _environment(argument, binding), {}))


def _environment(expression: Any, binding: Binding) -> dict[str, Any]:
    """Returns the values of the names in an expression, attributes of event tuples included."""
    environment = {}
    for name in variables(expression):
        cell = binding[root(name)]
        value = look_up(cell, name.partition(".")[2]) if "." in name else value_of(cell)
        if value is not None:
            environment[name] = value
    return environment


def _at(facts: Mapping[Ground, set[Row]], stage: int) -> dict[str, frozenset[Row]]:
    return {name: frozenset(rows) for (name, at), rows in facts.items() if at in (stage, None) and rows}
