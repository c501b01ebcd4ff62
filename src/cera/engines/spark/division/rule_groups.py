"""Rules that share an operator, which gets every event once.

Rules whose correlation keys agree are together. A rule that consumes what another derives is in the same group if the
derived event carries the key, else in a layer behind it. A group without a key is one piece.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from cera.algebra.translation import in_order
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


def rule_groups(rules: Sequence[Rule], *, divided: bool) -> list[RuleGroup]:
    """Returns the groups, each after those whose events it queries. If they are not `divided`, no group has a key."""
    producers: dict[str, list[Rule]] = {rule.name: [] for rule in rules}
    for dependency in dependencies(rules):
        producers[dependency.rule.name].append(dependency.on)
    groups: list[RuleGroup] = []
    home: dict[str, RuleGroup] = {}
    for rule in in_order(rules):
        own = slots(rule, producers[rule.name]) if divided else ()
        group = next(_homes(rule, own, producers[rule.name], groups, home), None)
        if group is None:
            layer = max((home[producer.name].layer + 1 for producer in producers[rule.name]), default=1)
            group = RuleGroup([rule], own, layer)
            groups.append(group)
        home[rule.name] = group
    return groups


def _homes(
    rule: Rule,
    own: tuple[Slot, ...],
    producers: Sequence[Rule],
    groups: Sequence[RuleGroup],
    home: dict[str, RuleGroup],
) -> Iterator[RuleGroup]:
    """Yields the first group that the rule fits into, which has it then."""
    labels = frozenset(query_label(query.pattern) for query in event_patterns(rule))
    for group in groups:
        inside = [producer for producer in producers if home[producer.name] is group]
        before = all(home[p.name].layer < group.layer for p in producers if home[p.name] is not group)
        if not before or bool(group.key) != bool(own) or not (inside or labels & group.labels):
            continue
        inner = [*group.inner, *inside]
        key = _joined(group.key, own, inner)
        if own and not key:
            continue
        group.rules.append(rule)
        group.key, group.inner = key, inner
        yield group
        return


def _joined(key: Sequence[Slot], own: Sequence[Slot], producers: Sequence[Rule]) -> tuple[Slot, ...]:
    """Returns the slots that a group and a rule have in common; what producers derive must carry them."""
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
