"""Event operators by name. Each says which components take part, and how two instances have to lie to each other."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cera.instances.operators.at_least import AtLeast
from cera.instances.operators.conjunction import Conjunction
from cera.instances.operators.disjunction import Disjunction
from cera.instances.operators.negation import Negation
from cera.instances.operators.operator import Operator
from cera.instances.operators.sequence import InSequence
from cera.instances.operators.simultaneous import Simultaneous
from cera.instances.types import OperatorName

__all__ = ["OPERATORS", "Operator"]

OPERATORS: Mapping[OperatorName, type[Operator]] = MappingProxyType(
    {
        "==": Simultaneous,
        ";": InSequence,
        "and": Conjunction,
        "or": Disjunction,
        "not": Negation,
        "of": AtLeast,
    }
)
