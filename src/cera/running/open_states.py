"""States that are open when a run ends, while rules wait for their ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from cera.constraints.module import ConstraintModule
from cera.constraints.occasions import states_of
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence
from cera.model.events.states import OPENING, announced_end
from cera.model.time.interval import Time
from cera.modules.layering import Layers
from cera.modules.rules.module import rules_of
from cera.rules.states import awaited_labels

#: So many states that have ended are remembered, for records of them that are still to come.
_MOST_ENDED = 10_000


def awaited_states(layers: Layers) -> frozenset[str]:
    """Returns the labels of the states whose ends some rule or constraint of a program waits for."""
    modules = (module for module in layers.modules if isinstance(module, ConstraintModule))
    states = (states_of(clause) for module in modules for clause in module.clauses)
    return awaited_labels(rules_of(layers)).union(*states)


def open_derived(labels: frozenset[str], derived: Mapping[str, int], ended: Mapping[str, int]) -> Counter[str]:
    """Returns how many derived states with some labels are open, from the numbers of states and of those that ended."""
    return +Counter({label: derived.get(OPENING + label, 0) - ended.get(label, 0) for label in labels})


class OpenStates:
    """The open states among the records of a run, of labels that rules wait for; what ends after `until` is open."""

    def __init__(self, labels: frozenset[str], until: Time | None) -> None:
        self._labels = {OPENING + label: label for label in labels}
        self._until = until
        self._open: dict[str, str] = {}
        self._ended: dict[str, Time] = {}

    def take(self, record: Event | Occurrence, decided: Time | None = None) -> None:
        """Takes a record that is not late. None comes any more that begins until the time that is `decided`, but for
        those that end an open state."""
        label = self._labels.get(record.label)
        if label is None or (self._until is not None and record.begin > self._until):
            return
        end = announced_end(record.qualifier)
        if end is not None and (self._until is None or end <= self._until):
            self._open.pop(record.id, None)
            self._ended[record.id] = record.begin
            if len(self._ended) > _MOST_ENDED and decided is not None:
                self._ended = {state: begin for state, begin in self._ended.items() if begin > decided}
        elif record.id not in self._ended:
            self._open[record.id] = label

    def by_label(self) -> Counter[str]:
        """Returns how many states are open, by label."""
        return Counter(self._open.values())
