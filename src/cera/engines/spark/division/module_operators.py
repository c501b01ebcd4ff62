"""Modules as stateful operators, beside those of rules, and the operators of a program of several languages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from cera.engines.layers.layering import Layers
from cera.engines.layers.modules import Module, identity_of
from cera.engines.local.fingerprint import fingerprint
from cera.engines.spark.division.operators import BUCKETS, Operator, operators
from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.model.expressions.expression import Variable


@dataclass(frozen=True)
class ModuleOperator:
    """A module, divided by its partition attribute; one piece without it."""

    module: Module
    layer: int
    max_duration: int | None = None
    timezone: str = "UTC"
    buckets: int = BUCKETS
    #: The rules with actions, for which the events behind a detection are told as well.
    acting: frozenset[str] = frozenset()
    tick_limit: int = TICK_LIMIT

    @property
    def labels(self) -> frozenset[str | None]:
        """The labels of the events that it monitors."""
        return self.module.reads

    @property
    def ticks(self) -> bool:
        return False

    @cached_property
    def identity(self) -> str:
        """What its state belongs to: the same for the same module on the same division of the stream."""
        return fingerprint((identity_of(self.module), self.timezone, self.buckets))

    @property
    def parts(self) -> dict[str, object]:
        """Its rules by name. They share a history, so that none stays the same if one changes."""
        return dict.fromkeys((output.rule for output in self.module.outputs), identity_of(self.module))

    @property
    def derives(self) -> frozenset[str | None]:
        """The labels of the events that it derives."""
        return self.module.derives

    def queries(self, label: str) -> bool:
        return label in self.labels

    def tells_apart(self, label: str | None) -> bool:
        """Whether events with a label from different buckets differ: all of them carry the partition attribute."""
        fields = [output.fields for output in self.module.outputs if output.label == label]
        names = [frozenset(name for name, value in each if self._is_key(value)) for each in fields]
        return bool(frozenset[str].intersection(*names))

    def _is_key(self, value: object) -> bool:
        return isinstance(value, Variable) and value.name.partition(".")[2] == self.module.partition

    def description(self) -> str:
        """`module Alerts by Accno`, as it is told to people."""
        divided = self.module.partition is not None and self.buckets > 1
        return f"module {self.module.name} {f'by {self.module.partition}' if divided else 'in one piece'}"


AnyOperator = Operator | ModuleOperator


def layered_operators(
    layers: Layers,
    *,
    max_duration: int | None = None,
    timezone: str = "UTC",
    buckets: int = BUCKETS,
    acting: frozenset[str] = frozenset(),
    tick_limit: int = TICK_LIMIT,
) -> tuple[AnyOperator, ...]:
    """The operators of a program, each after those whose events it queries.

    Raises ProgramError for recursive rules, as the local engine does.
    """
    made: list[AnyOperator] = []
    for number, layer in enumerate(layers.layers):
        below = max((operator.layer for operator in made), default=0)
        longest = max_duration if number == 0 else None  # nobody knows how long a detected event lasts
        if layer.rules is not None:
            rules = operators(layer.rules, max_duration=longest, timezone=timezone, buckets=buckets)
            made += [replace(operator, layer=below + operator.layer) for operator in rules]
        for module in layer.modules:
            parts = 1 if module.partition is None else buckets
            made.append(ModuleOperator(module, below + 1, longest, timezone, parts, acting))
    return tuple(replace(operator, tick_limit=tick_limit) for operator in made)


def of_rules(made: tuple[AnyOperator, ...]) -> Iterator[Operator]:
    """Those of rules alone."""
    return (operator for operator in made if isinstance(operator, Operator))
