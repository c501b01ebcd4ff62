"""Stateful operators: the modules of a program, each on the parts of one division of the stream."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from cera.algebra.relevance import Relevance
from cera.engines.local.engine import plan_of
from cera.engines.local.fingerprint import fingerprint
from cera.engines.spark.division.divisions import Division, HistoryDivision, KeyDivision
from cera.engines.spark.division.rule_groups import rule_groups
from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.model.events.answer_limits import RECURSION_LIMIT
from cera.model.events.relation_rows import NO_RELATIONS, RelationRows
from cera.modules.layering import Layers
from cera.modules.module import Module, Settings
from cera.modules.processor import AnyProcessor
from cera.modules.rules.module import RuleModule
from cera.rules.analysis.dependencies import dependencies

#: Into how many parts the events of an operator are divided, unless something else is asked for.
BUCKETS = 16


@dataclass(frozen=True)
class Operator:
    """A module, how its events are divided into buckets, and what its processor needs."""

    module: Module
    division: Division
    layer: int
    max_duration: int | None = None
    timezone: str = "UTC"
    buckets: int = BUCKETS
    #: The rules with actions, for which the events behind a detection are reported as well.
    acting: frozenset[str] = frozenset()
    tick_limit: int = TICK_LIMIT
    recursion_limit: int = RECURSION_LIMIT
    #: The rows that its rules look up.
    relations: Mapping[str, RelationRows] = field(default_factory=dict, compare=False, repr=False)
    #: Identifies these rows: a worker keeps what it has compiled, and may serve another stream with other rows.
    rows_identity: str = field(default="", compare=False, repr=False)
    #: Whether its parts begin in columns; a part that has state goes on as that was written.
    in_columns: bool = field(default=False, compare=False)

    @property
    def labels(self) -> frozenset[str | None]:
        """The labels of the events that it queries, with None if there may be any."""
        return self.module.reads

    @property
    def parts(self) -> Mapping[str, object]:
        """Its rules by name."""
        return self.module.parts

    @property
    def derives(self) -> frozenset[str | None]:
        """The labels of the events that it derives, with None if there may be any."""
        return self.module.derives

    @property
    def takes_all(self) -> bool:
        """True if it has absolute timers, which start with the first event, whatever its label."""
        return self.module.starts_with_any_event

    @cached_property
    def identity(self) -> str:
        """Identifies its state: the same for the same module on the same division of the stream."""
        return fingerprint(self.division.identity(self.module.identity, self.max_duration, self.timezone, self.buckets))

    def queries(self, label: str) -> bool:
        return label in self.labels or None in self.labels

    def processor(self) -> AnyProcessor:
        limits = self.tick_limit, None, self.recursion_limit
        return self.module.processor(Settings(self.timezone, self.max_duration, *limits, self.relations))

    def description(self) -> str:
        """Returns `fire, burnt_down, partitioned by var A` or `module Alerts in one piece`, for messages."""
        return self.division.description(self.buckets)


def operators(
    layers: Layers,
    *,
    max_duration: int | None = None,
    timezone: str = "UTC",
    buckets: int = BUCKETS,
    acting: frozenset[str] = frozenset(),
    tick_limit: int = TICK_LIMIT,
    recursion_limit: int = RECURSION_LIMIT,
    relations: Mapping[str, RelationRows] = NO_RELATIONS,
) -> tuple[Operator, ...]:
    """Returns the operators of a program, each after those whose events it queries."""
    made: list[Operator] = []
    for number, layer in enumerate(layers.layers):
        below = max((operator.layer for operator in made), default=0)
        longest = max_duration if number == 0 else None  # the duration of a detected event is not known
        for module in layer.modules:
            if isinstance(module, RuleModule):
                made += _of_rules(module, Operator(module, KeyDivision((), ()), below, longest, timezone, buckets))
        for module in layer.modules:
            if not isinstance(module, RuleModule):
                parts = 1 if module.partition is None else buckets
                made.append(Operator(module, HistoryDivision(module), below + 1, longest, timezone, parts, acting))
    return tuple(
        replace(
            operator,
            tick_limit=tick_limit,
            recursion_limit=recursion_limit,
            relations=(used := _used(operator.module, relations)),
            rows_identity=secrets.token_hex(8) if used else "",
        )
        for operator in made
    )


def _used(module: Module, relations: Mapping[str, RelationRows]) -> Mapping[str, RelationRows]:
    """Returns the relations that a module looks up: they go to the workers with it."""
    return {name: relations[name] for name in sorted(module.looks_up) if name in relations}


def _of_rules(module: RuleModule, whole: Operator) -> Iterator[Operator]:
    """Yields the operators of rules by their layers, which lie above that of the whole."""
    rules, longest = module.rules, whole.max_duration
    lasting = Relevance(plan_of(module.program), longest)
    groups = rule_groups(rules, divided=whole.buckets > 1)
    for group in sorted(groups, key=lambda group: group.layer):
        own = {rule.name for rule in group.rules}
        foreign = {d.on.name for d in dependencies(rules) if d.rule.name in own and d.on.name not in own}
        lengths = [longest, *(lasting.duration(name) for name in sorted(foreign))]
        known = [length for length in lengths if length is not None]
        part = module.restricted([number for number, rule in enumerate(rules) if rule.name in own])
        yield replace(
            whole,
            module=part,
            division=KeyDivision(part.rules, group.key),
            layer=whole.layer + group.layer,
            max_duration=max(known) if len(known) == len(lengths) else None,
            buckets=whole.buckets if group.key else 1,
        )


def may_repeat(operators: Sequence[Operator]) -> bool:
    """Returns whether two operators, or two buckets of one, may derive the same event."""
    seen: set[str | None] = set()
    for operator in operators:
        labels = operator.derives
        if labels & seen or (labels and None in seen) or (seen and None in labels):
            return True
        seen |= labels
        if operator.buckets > 1 and not all(operator.division.distinguishes(label) for label in labels):
            return True
    return False
