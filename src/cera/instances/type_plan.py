"""A complex type, compiled: its operator and modes as objects, its conditions by the components they are about."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice

from cera.instances.conditions import Condition, key_of, remaining
from cera.instances.modes import CONSUMPTIONS, SELECTIONS, Consumption, FixedSelection, GatheringSelection
from cera.instances.operators import OPERATORS
from cera.instances.types import STRENGTH, ComplexType, Component, ConsumptionName
from cera.model.evaluation.evaluator import Evaluator

#: A conjunct, and the places of the other components that it is about.
Asked = tuple[Condition, tuple[int, ...]]


class Part:
    """Components that take part in an event, as places in the order of traversal."""

    def __init__(self, plan: TypePlan, places: tuple[int, ...]) -> None:
        self.places = places
        self.in_order = tuple(sorted(places))
        self.fixed = tuple(place for place in places if plan.fixed[place])
        self.gathering = tuple(place for place in places if not plan.fixed[place])
        #: The number of instances that each needs.
        self.needed = {place: plan.components[place].delimiter.least for place in places}


class TypePlan:
    def __init__(self, type_: ComplexType, evaluator: Evaluator, uncertain: Collection[str] = ()) -> None:
        """Compiles a type. `uncertain` are hidden types inside of which something may be unbound."""
        self.type = type_
        self.operator = OPERATORS[type_.operator](type_)
        self.components = type_.components
        self.selections = [SELECTIONS[each.selection] for each in type_.components]
        self.fixed = [isinstance(each, FixedSelection) for each in self.selections]
        #: Which components gather instances that are out of place, too.
        self.anywhere = [isinstance(each, GatheringSelection) and each.anywhere for each in self.selections]
        self.order = type_.bound[::-1] if type_.right_to_left else type_.bound
        parts = list(islice(self.operator.parts(self.order), 2))
        #: The components that take part, if they are always the same.
        self.part = Part(self, parts[0]) if len(parts) == 1 else None
        self.combining = frozenset(place for place in type_.bound if type_.components[place].combines)
        #: The names of the component types, in the order of their first places.
        self.types = tuple(dict.fromkeys(each.type for each in type_.components))
        self.roles = {name: tuple(p for p in type_.bound if self.components[p].type == name) for name in self.types}
        found = None if any(name in uncertain for name in self.types) else key_of(type_)
        self.key = None if found is None else found[0]
        asked = [Condition(each, evaluator) for each in (type_.where if found is None else remaining(type_, found[1]))]
        #: True if the conjuncts that are about no component hold.
        self.possible = all(each.holds({}) for each in asked if not each.components)
        self.conditions = [each for each in asked if each.components]
        place_of = {each.name: place for place, each in enumerate(type_.components)}
        inner = frozenset(type_.forbidden)
        self.asked: list[list[Asked]] = [[] for _ in type_.components]
        for condition in self.conditions:
            places = frozenset(place_of[name] for name in condition.components)
            for place in places & inner or places:
                self.asked[place].append((condition, tuple(sorted(places - {place}))))
        self.inside = self._consumptions([(each.type, each.inside) for each in self._bound])
        self.outside = self._consumptions([(each.type, each.outside) for each in self._bound])
        self.restores = any(each.inside != each.outside for each in self._bound)

    @property
    def _bound(self) -> list[Component]:
        return [self.components[place] for place in self.type.bound]

    def _consumptions(self, modes: list[tuple[str, ConsumptionName]]) -> dict[str, Consumption]:
        """Returns the strongest mode of each type, without those that consume nothing."""
        strongest: dict[str, ConsumptionName] = {}
        for name, mode in modes:
            strongest[name] = max(strongest.get(name, "shared"), mode, key=STRENGTH.index)
        return {name: CONSUMPTIONS[mode] for name, mode in strongest.items() if mode != "shared"}
