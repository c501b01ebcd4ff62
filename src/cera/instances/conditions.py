"""Conditions on the data of instances: the conjuncts of `where`."""

from __future__ import annotations

from collections.abc import Mapping

from cera.instances.instance import Instance, Untold
from cera.instances.types import ComplexType
from cera.model.evaluation.evaluator import Evaluator
from cera.model.expressions.expression import Comparison, Expression, Variable, variables
from cera.model.terms.term import Value


class Condition:
    """A conjunct, and the names of the components that it is about."""

    def __init__(self, expression: Expression, evaluator: Evaluator) -> None:
        self.expression = expression
        self._evaluator = evaluator
        self._variables = [(name, *_split(name)) for name in sorted(variables(expression))]
        self.components = frozenset(component for _, component, _ in self._variables)

    def holds(self, bound: Mapping[str, Instance]) -> bool:
        """For one instance of each component. It says nothing of what is not bound inside of one."""
        values: dict[str, Value] = {}
        for name, component, attribute in self._variables:
            value = bound[component].told(attribute)
            if value is Untold.MISSING:
                return True
            if value is not None and not isinstance(value, Untold):
                values[name] = value
        return self._evaluator.holds(self.expression, values, {})


def conditions(type_: ComplexType, evaluator: Evaluator) -> tuple[Condition, ...]:
    return tuple(Condition(each, evaluator) for each in type_.where)


def equated(expression: Expression) -> tuple[tuple[str, str], tuple[str, str]] | None:
    """The two attributes (component, attribute) that a conjunct says are equal, if that is what it says."""
    match expression:
        case Comparison(operator="=", left=Variable(name=left), right=Variable(name=right)):
            return _split(left), _split(right)
        case _:
            return None


def _split(name: str) -> tuple[str, str]:
    component, _, attribute = name.partition(".")
    return component, attribute
