"""Selection strategies by name: which of the instances that could be bound to a component are."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cera.instances.selections.combinations import Combinations
from cera.instances.selections.combinations_minimum import CombinationsMinimum
from cera.instances.selections.cumulative import Cumulative
from cera.instances.selections.first import First
from cera.instances.selections.last import Last
from cera.instances.selections.restricted_cumulative import RestrictedCumulative
from cera.instances.selections.selection import Fixed, Selection
from cera.instances.types import SelectionName

__all__ = ["SELECTIONS", "Fixed", "Selection"]

SELECTIONS: Mapping[SelectionName, Selection] = MappingProxyType(
    {
        "first": First(),
        "last": Last(),
        "cumulative": Cumulative(),
        "restricted cumulative": RestrictedCumulative(),
        "combinations": Combinations(),
        "combinations minimum": CombinationsMinimum(),
    }
)
