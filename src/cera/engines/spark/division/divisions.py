"""The two ways to divide the events of an operator into buckets: by the correlation key of rules, or by histories.

A bucket follows from the hash of the key, `xxhash64` as Spark computes it, so that columns and Python agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cera.engines.spark.division.slots import Place, Slot, variable_at
from cera.model.expressions.constructs import Construct, ConstructTerm
from cera.model.expressions.expression import Variable
from cera.modules.module import Module
from cera.rules.analysis.unification import head_label
from cera.rules.rule import Rule


@dataclass(frozen=True)
class KeyDivision:
    """Rules whose answers depend on events with the same values in all slots; without slots they run in one piece."""

    rules: tuple[Rule, ...]
    slots: tuple[Slot, ...]

    def identity(self, module: object, max_duration: int | None, timezone: str, buckets: int) -> object:
        """Returns what identifies the state of an operator."""
        division = (buckets, [slot.places for slot in self.slots]) if self.slots else ()
        return (module, max_duration, timezone, division)

    def distinguishes(self, label: str | None) -> bool:
        """Returns whether events with a label from different buckets differ: each carries its key, in one place."""
        rules = [rule for rule in self.rules if head_label(rule.head) == label]
        return label is not None and all(
            frozenset[Place].intersection(*(frozenset(_carrying(rule, slot)) for rule in rules)) for slot in self.slots
        )

    def description(self, buckets: int) -> str:
        """Returns `fire, burnt_down, partitioned by var A`."""
        names = ", ".join(rule.name for rule in self.rules)
        if not self.slots:
            return f"{names} in one piece"
        return f"{names}, partitioned by {', '.join(map(_slot_text, self.slots))}"


@dataclass(frozen=True)
class HistoryDivision:
    """A module whose events with the same value of the partition attribute are in one bucket; one piece without it."""

    module: Module

    def identity(self, module: object, max_duration: int | None, timezone: str, buckets: int) -> object:
        """Returns what identifies the state of an operator."""
        longest = (max_duration,) if self.module.depends_on_duration else ()
        return (module, *longest, timezone, buckets)

    def distinguishes(self, label: str | None) -> bool:
        """Returns whether events with a label from different buckets differ: all carry the partition attribute."""
        fields = [output.fields for output in self.module.outputs if output.label == label]
        names = [frozenset(name for name, value in each if self._is_key(value)) for each in fields]
        return bool(frozenset[str].intersection(*names))

    def _is_key(self, value: object) -> bool:
        return isinstance(value, Variable) and value.name.partition(".")[2] == self.module.partition

    def description(self, buckets: int) -> str:
        """Returns `module Alerts, partitioned by Accno`."""
        divided = self.module.partition is not None and buckets > 1
        place = f", partitioned by {self.module.partition}" if divided else " in one piece"
        return f"module {self.module.name}{place}"


Division = KeyDivision | HistoryDivision


def _slot_text(slot: Slot) -> str:
    names = sorted({f"var {variable}" for variable in slot.variables.values()})
    return "/".join(names)


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
