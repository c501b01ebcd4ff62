"""Stateful operators: rules that run together on the parts of one division of the stream.

Rules whose correlation keys agree share an operator, which gets every event once. A rule that consumes what another
derives is in the same operator if the derived event carries the key, else in a layer behind it. An operator without a
key is one piece.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from cera.algebra.plan import Plan
from cera.algebra.relevance import Relevance
from cera.algebra.translation import in_order
from cera.engines.local.engine import plan_of
from cera.engines.local.fingerprint import fingerprint
from cera.engines.spark.division.slots import Slot, slots
from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.rules.analysis.dependencies import dependencies, event_patterns
from cera.rules.analysis.unification import head_label, query_label
from cera.rules.rule import Rule, RuleProgram

#: Into how many parts the events of an operator are divided, unless something else is asked for.
BUCKETS = 16


@dataclass(frozen=True)
class Operator:
    """The rules of an operator with what its processor needs. `key` is empty for one piece."""

    program: RuleProgram
    key: tuple[Slot, ...]
    layer: int
    max_duration: int | None = None
    timezone: str = "UTC"
    buckets: int = BUCKETS
    tick_limit: int = TICK_LIMIT

    @property
    def rules(self) -> tuple[Rule, ...]:
        return self.program.rules

    @cached_property
    def labels(self) -> frozenset[str | None]:
        """The labels of the events that it queries, with None if there may be any."""
        return frozenset(query_label(query.pattern) for rule in self.rules for query in event_patterns(rule))

    @property
    def parts(self) -> dict[str, object]:
        """Its rules by name."""
        return {rule.name: rule for rule in self.rules}

    @property
    def derives(self) -> frozenset[str | None]:
        """The labels of the events that it derives, with None if there may be any."""
        return frozenset(head_label(rule.head) for rule in self.rules)

    @property
    def ticks(self) -> bool:
        """Whether it has absolute timers, which start with the first event, whatever its label."""
        return any(branch.absolute_timers for rule in self.rules for branch in rule.branches)

    @cached_property
    def plan(self) -> Plan:
        return plan_of(self.program, "Spark")

    @cached_property
    def identity(self) -> str:
        """What its state belongs to: the same for the same plan on the same division of the stream."""
        division = (self.buckets, [slot.places for slot in self.key]) if self.key else ()
        return fingerprint((self.plan, self.max_duration, self.timezone, division))

    def queries(self, label: str) -> bool:
        return label in self.labels or None in self.labels

    def description(self) -> str:
        """`fire, burnt_down by area`, as it is told to people."""
        names = ", ".join(rule.name for rule in self.rules)
        return f"{names} by {', '.join(map(_slot_text, self.key))}" if self.key else f"{names} in one piece"


def _slot_text(slot: Slot) -> str:
    names = sorted({f"var {variable}" for variable in slot.variables.values()})
    return "/".join(names)


def operators(
    program: RuleProgram, *, max_duration: int | None = None, timezone: str = "UTC", buckets: int = BUCKETS
) -> tuple[Operator, ...]:
    """The operators of a program, by layers; each after those whose events it queries.

    Raises ProgramError for a recursive program, as the local engine does.
    """
    plan = plan_of(program, "Spark")
    groups = _groups(program.rules, divided=buckets > 1)
    lasting = Relevance(plan, max_duration)
    made = []
    for group in groups:
        own = {rule.name for rule in group.rules}
        foreign = {d.on.name for d in dependencies(program.rules) if d.rule.name in own and d.on.name not in own}
        lengths = [max_duration, *(lasting.duration(name) for name in sorted(foreign))]
        known = [length for length in lengths if length is not None]
        longest = max(known) if len(known) == len(lengths) else None
        kept = tuple(rule for rule in program.rules if rule.name in own)
        part = replace(program, rules=kept)
        made.append(Operator(part, group.key, group.layer, longest, timezone, buckets if group.key else 1))
    return tuple(sorted(made, key=lambda operator: operator.layer))


@dataclass
class _Group:
    """An operator in the making."""

    rules: list[Rule]
    key: tuple[Slot, ...]
    layer: int
    #: The rules of the group whose events others of the group query.
    inner: list[Rule] = field(default_factory=list)

    @property
    def labels(self) -> frozenset[str | None]:
        return frozenset(query_label(query.pattern) for rule in self.rules for query in event_patterns(rule))


def _groups(rules: Sequence[Rule], *, divided: bool) -> list[_Group]:
    producers: dict[str, list[Rule]] = {rule.name: [] for rule in rules}
    for dependency in dependencies(rules):
        producers[dependency.rule.name].append(dependency.on)
    groups: list[_Group] = []
    home: dict[str, _Group] = {}
    for rule in in_order(rules):
        own = slots(rule, producers[rule.name]) if divided else ()
        group = next(_homes(rule, own, producers[rule.name], groups, home), None)
        if group is None:
            layer = max((home[producer.name].layer + 1 for producer in producers[rule.name]), default=1)
            group = _Group([rule], own, layer)
            groups.append(group)
        home[rule.name] = group
    return groups


def _homes(
    rule: Rule, own: tuple[Slot, ...], producers: Sequence[Rule], groups: Sequence[_Group], home: dict[str, _Group]
) -> Iterator[_Group]:
    """Takes the rule into the first group that it fits into."""
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
    """The slots that a group and a rule have in common; what producers derive must carry them."""
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
