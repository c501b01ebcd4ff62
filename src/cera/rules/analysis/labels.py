"""The labels that rules ask for and those that they derive."""

from __future__ import annotations

from collections.abc import Sequence

from cera.rules.analysis.dependencies import event_patterns
from cera.rules.analysis.producers import Producers
from cera.rules.analysis.unification import query_label
from cera.rules.rule import Rule


def queried_labels(rules: Sequence[Rule]) -> frozenset[str]:
    """Returns the labels that some query asks for by name."""
    return frozenset(label for label in _asked(rules) if label is not None)


def queries_any_label(rules: Sequence[Rule]) -> bool:
    """Returns whether some query could match events of whatever label."""
    return None in _asked(rules)


def _asked(rules: Sequence[Rule]) -> set[str | None]:
    return {query_label(query.pattern) for rule in rules for query in event_patterns(rule)}


def derived_labels(rules: Sequence[Rule]) -> frozenset[str]:
    """Returns the labels of the events that rules derive and other rules can see, as far as the heads tell."""
    return Producers(rules).labels
