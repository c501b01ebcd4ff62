"""Rules that share an operator, which gets every event once.

Rules whose correlation keys agree are together. A rule that consumes what another derives is in the same group if the
derived event carries the key, else in a layer behind it. Rules that depend on each other are always together. A group
without a key is one piece.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from cera.algebra.translation import components_in_order
from cera.engines.spark.division.cycle_keys import cycle_key
from cera.engines.spark.division.slots import Slot, slots
from cera.rules.analysis.dependencies import dependencies, event_patterns
from cera.rules.analysis.unification import head_label, query_label
from cera.rules.rule import Rule


@dataclass
class RuleGroup:
    """Rules that run together on the parts of one division of the stream. `key` is empty for one piece."""

    rules: list[Rule]
    key: tuple[Slot, ...]
    layer: int
    #: The rules of the group whose events others of the group query.
    inner: list[Rule] = field(default_factory=list)

    @property
    def labels(self) -> frozenset[str | None]:
        return frozenset(query_label(query.pattern) for rule in self.rules for query in event_patterns(rule))


@dataclass(frozen=True)
class _Unit:
    """Rules that come into a group together: those of a cycle, or one. Others derive what `producers` are."""

    rules: tuple[Rule, ...]
    key: tuple[Slot, ...]
    producers: tuple[Rule, ...]
    is_cycle: bool

    @property
    def labels(self) -> frozenset[str | None]:
        return frozenset(query_label(query.pattern) for rule in self.rules for query in event_patterns(rule))

    @property
    def inner(self) -> tuple[Rule, ...]:
        """Those of its rules whose events it queries itself."""
        return self.rules if self.is_cycle else ()


def rule_groups(rules: Sequence[Rule], *, divided: bool) -> list[RuleGroup]:
    """Returns the groups, each after those whose events it queries. If they are not `divided`, no group has a key."""
    groups: list[RuleGroup] = []
    home: dict[str, RuleGroup] = {}
    for unit in _units(rules, divided=divided):
        group = next(_homes(unit, groups, home), None)
        if group is None:
            layer = max((home[producer.name].layer + 1 for producer in unit.producers), default=1)
            group = RuleGroup([*unit.rules], unit.key, layer, [*unit.inner])
            groups.append(group)
        home.update((rule.name, group) for rule in unit.rules)
    return groups


def _units(rules: Sequence[Rule], *, divided: bool) -> Iterator[_Unit]:
    producers: dict[str, list[Rule]] = {rule.name: [] for rule in rules}
    for dependency in dependencies(rules):
        producers[dependency.rule.name].append(dependency.on)
    for component in components_in_order(rules):
        own = {rule.name for rule in component}
        queried = [producer for rule in component for producer in producers[rule.name]]
        outer = tuple(producer for producer in queried if producer.name not in own)
        is_cycle = len(outer) < len(queried)
        key: tuple[Slot, ...] = ()
        if divided:
            key = cycle_key(component, producers) if is_cycle else slots(component[0], outer)
        yield _Unit(component, key, outer, is_cycle)


def _homes(unit: _Unit, groups: Sequence[RuleGroup], home: dict[str, RuleGroup]) -> Iterator[RuleGroup]:
    """Yields the first group that the rules fit into, which has them then."""
    labels = unit.labels
    for group in groups:
        inside = [producer for producer in unit.producers if home[producer.name] is group]
        before = all(home[p.name].layer < group.layer for p in unit.producers if home[p.name] is not group)
        if not before or bool(group.key) != bool(unit.key) or not (inside or labels & group.labels):
            continue
        inner = [*group.inner, *inside, *unit.inner]
        key = _joined(group.key, unit.key, inner)
        if unit.key and not key:
            continue
        group.rules += unit.rules
        group.key, group.inner = key, inner
        yield group
        return


def _joined(key: Sequence[Slot], own: Sequence[Slot], producers: Sequence[Rule]) -> tuple[Slot, ...]:
    """Returns the slots that a group and rules that join it have in common; what producers derive must carry them."""
    found: list[Slot] = []
    free = list(own)
    for slot in key:
        for other in free:
            joined = slot.joined(other)
            if joined is not None and all(joined.carried_by(p, head_label(p.head)) for p in producers):
                found.append(joined)
                free.remove(other)
                break
    return tuple(found)
