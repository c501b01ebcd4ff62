"""Correlation keys: the variables by which the events of a rule can be divided into parts that answer alone."""

from __future__ import annotations

from cera.model.expressions.constructs import free_variables
from cera.model.matching import patterns
from cera.rules.rule import Branch, Rule
from cera.rules.states import is_hidden


def correlation_key(rule: Rule) -> tuple[str, ...]:
    """Returns the variables that every event query of the rule binds, in all branches; if none, the rule runs
    unpartitioned.

    The events behind an answer, those collected and those found absent, all have the same values for these variables. A
    branch without an event query has no key: a timer belongs to every part, and what it collects must stay together.
    Where events are gathered, the group of an answer must stay together too: only what the head groups by is a key.
    """
    if rule.divided_by is not None:
        return rule.divided_by
    keys = [_key(branch) for branch in rule.branches]
    if any(branch.gathered for branch in rule.branches):
        keys.append(free_variables(rule.head))
    return tuple(sorted(frozenset[str].intersection(*keys))) if keys else ()


def _key(branch: Branch) -> frozenset[str]:
    if not branch.events:
        return frozenset()
    queries = [query.pattern for query in branch.events] + [part.pattern for part in branch.accumulations]
    shared = frozenset[str].intersection(*(patterns.bound_variables(pattern) for pattern in queries))
    return frozenset(name for name in shared if not is_hidden(name))
