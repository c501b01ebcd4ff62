"""Rules of constraints over recorded events: the local engine runs them in Python workers, each on some of the events.

A constraint is a rule or more, and a file of them is many joins of the same few events: Spark plans these longer than
workers need to go through the events. Where all queries of a rule have an attribute with one variable, as `item(I)`,
events are divided by its values, and all rules with this attribute see each event once. Other rules are DataFrames.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from cera.engines.spark.division.slots import slots
from cera.model.events.states import ENDING, OPENING, is_opening
from cera.model.matching.patterns import Pattern, TermPattern
from cera.modules.rules.module import RuleModule
from cera.rules.analysis.dependencies import dependencies, event_patterns
from cera.rules.rule import Rule, relations_of


@dataclass(frozen=True)
class DividedRules(RuleModule):
    """Rules that see events with the same values of an attribute together, as the histories of other modules are."""

    attribute: str = ""

    @property
    def partition(self) -> str:
        return self.attribute

    @property
    def is_divided_by_values(self) -> bool:
        return True

    @cached_property
    def reads(self) -> frozenset[str | None]:
        """The labels of its queries, and of the endings of the states that it queries the openings of."""
        asked = super().reads
        opened = [label for label in asked if label is not None and is_opening(label)]
        return asked | {ENDING + label.removeprefix(OPENING) for label in opened}

    @property
    def description(self) -> str:
        return f"rules {', '.join(rule.name for rule in self.rules)}, partitioned by {self.attribute}"


def divided(module: RuleModule) -> tuple[list[DividedRules], RuleModule]:
    """Returns the rules of constraints that can be divided, those with the same attribute together, and all others."""
    found: list[DividedRules] = []
    rest = {number: attributes_of(rule) for number, rule in enumerate(module.rules) if rule.report is not None}
    names = {rule.name for rule in module.rules if rule.report is not None}
    for each in dependencies(module.rules) if rest else ():
        if each.rule.name in names or each.on.name in names:
            return [], module
    taken: set[int] = set()
    while attributes := Counter(name for several in rest.values() for name in sorted(several)):
        [(most, _)] = attributes.most_common(1)
        chosen = [number for number, several in rest.items() if most in several]
        found.append(DividedRules(module.restricted(chosen).program, attribute=most))
        rest = {number: several for number, several in rest.items() if number not in chosen}
        taken.update(chosen)
    return found, module.restricted([number for number, _ in enumerate(module.rules) if number not in taken])


def attributes_of(rule: Rule) -> frozenset[str]:
    """Returns the attributes by which the events of a rule can be divided: all queries have them with one variable.

    A rule that looks into relations has none: these may be tables that only Spark can read.
    """
    if relations_of((rule,)):
        return frozenset()
    queried = [query.pattern for query in event_patterns(rule)]
    shared = [frozenset.intersection(*slot.choices.values()) for slot in slots(rule)]
    names = {place[0] for places in shared for place in places if len(place) == 1}
    return frozenset(name for name in names if all(_has_one_value(pattern, name) for pattern in queried))


def _has_one_value(pattern: Pattern, attribute: str) -> bool:
    """Returns whether a query matches events, whatever other children they have, by one value of an attribute."""
    if not isinstance(pattern, TermPattern) or pattern.total or pattern.ordered:
        return False
    children = [child for child in pattern.children if not _has_another_label(child, attribute)]
    return all(isinstance(child, TermPattern) and child.total and len(child.children) == 1 for child in children)


def _has_another_label(pattern: Pattern, label: str) -> bool:
    return isinstance(pattern, TermPattern) and isinstance(pattern.label, str) and pattern.label != label
