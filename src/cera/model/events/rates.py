"""Rates: how often events come, and what values they have. They are for estimates of costs alone: nothing is answered
otherwise because of them.

Values are taken to be equally frequent, and attributes to be independent (section 8.6 of seed 002 names this
assumption; it is never one for soundness).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: What is assumed of labels and attributes of which nothing is known.
PER_SECOND = 1.0
DISTINCT = 100.0
IN_USE = 600.0
SECONDS = 86_400.0


@dataclass(frozen=True)
class LabelRates:
    """The events of one label: how many come in a second, how many different values each attribute has, the share of
    events that lack it, and how many seconds an event lasts on average.
    """

    per_second: float
    distinct: Mapping[str, float] = field(default_factory=dict)
    missing: Mapping[str, float] = field(default_factory=dict)
    lasts: float = 0.0


@dataclass(frozen=True)
class Rates:
    """What is known of the events of a stream. `seconds` is for how long: what is never forgotten adds up so long."""

    seconds: float = SECONDS
    labels: Mapping[str, LabelRates] = field(default_factory=dict)
    #: For how many seconds events with the same value of an attribute come, from the first to the last one.
    in_use: Mapping[str, float] = field(default_factory=dict)
    #: The share of the events of a label that have what rules ask for (`cera.optimizer.costs.asked`).
    asked: Mapping[str, float] = field(default_factory=dict)
    #: The file; None if nothing is known, and all is assumed.
    origin: str | None = None

    def per_second(self, label: str | None) -> float:
        """Returns how many events of a label come in a second: if it is not known, as many as of others on average, or
        one. None is any label."""
        known = [each.per_second for each in self.labels.values()]
        if label is None:
            return sum(known) if known else PER_SECOND
        found = self.labels.get(label)
        if found is not None:
            return found.per_second
        return sum(known) / len(known) if known else PER_SECOND

    def distinct(self, label: str | None, attribute: str) -> float:
        """Returns how many different values an attribute has; at least one."""
        found = self.labels.get(label or "")
        return max(1.0, DISTINCT if found is None else found.distinct.get(attribute, DISTINCT))

    def missing(self, label: str | None, attribute: str) -> float:
        """Returns the share of events that lack an attribute."""
        found = self.labels.get(label or "")
        return 0.0 if found is None else found.missing.get(attribute, 0.0)

    def used_for(self, attribute: str) -> float:
        """Returns for how many seconds a value of an attribute is in use."""
        return self.in_use.get(attribute, min(IN_USE, self.seconds))


#: What estimates go by where there are no rates.
ASSUMED = Rates()
