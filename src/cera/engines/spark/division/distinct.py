"""Whether different parts of a stream can derive the same event, which must then be found out and told once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cera.engines.spark.division.module_operators import AnyOperator, ModuleOperator
from cera.engines.spark.division.places import Place, variable_at
from cera.engines.spark.division.slots import Slot
from cera.model.expressions.constructs import Construct, ConstructTerm
from cera.rules.analysis.unification import head_label
from cera.rules.rule import Rule


def may_repeat(operators: Sequence[AnyOperator]) -> bool:
    """Whether two operators, or two buckets of one, may derive the same event."""
    seen: set[str | None] = set()
    for operator in operators:
        labels = operator.derives
        if labels & seen or (labels and None in seen) or (seen and None in labels):
            return True
        seen |= labels
        if operator.buckets > 1 and not all(_tells_apart(operator, label) for label in labels):
            return True
    return False


def _tells_apart(operator: AnyOperator, label: str | None) -> bool:
    """Whether events with a label from different buckets differ: each carries its key, all in the same place."""
    if isinstance(operator, ModuleOperator):
        return operator.tells_apart(label)
    rules = [rule for rule in operator.rules if head_label(rule.head) == label]
    return label is not None and all(
        frozenset[Place].intersection(*(frozenset(_carrying(rule, slot)) for rule in rules)) for slot in operator.key
    )


def _carrying(rule: Rule, slot: Slot) -> Iterator[Place]:
    for place in _all_places(rule.head, ()):
        if variable_at(rule.head, place) == slot.variables[rule.name]:
            yield place


def _all_places(construct: Construct, path: Place) -> Iterator[Place]:
    yield path
    if isinstance(construct, ConstructTerm):
        for child in construct.children:
            if isinstance(child, ConstructTerm):
                yield from _all_places(child, (*path, child.label))
