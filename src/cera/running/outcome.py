"""What became of a run: what was read, left out, derived and written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from cera.model.events.attributes import ObservedAttributes
from cera.model.terms.term import Value
from cera.model.time.interval import Interval

#: How many changes of the input had an operation and a table; None stands for one that does not say it.
Changes = Mapping[tuple[Value | None, Value | None], int]


@dataclass(frozen=True)
class InputCounts:
    """Events by label, and how many were equal to another one, after `until`, late or malformed.

    Changes of tables are counted where a module monitors some. `repaired` are ends of open states that came too late
    and were moved to the first time that was not decided yet; `late_ends` are those of the late events that name the
    end of a state that is not open.
    """

    labels: Mapping[str, int]
    records: int
    repeated: int = 0
    after_until: int = 0
    late: int = 0
    rejected: int = 0
    changes: Changes = field(default_factory=dict)
    repaired: int = 0
    late_ends: int = 0
    #: The late events by label, where an engine of this process has seen them.
    late_labels: Mapping[str, int] = field(default_factory=dict)
    #: The different events after `until` by label.
    later_labels: Mapping[str, int] = field(default_factory=dict)

    @property
    def used_labels(self) -> frozenset[str]:
        """The labels of events that were neither late nor after `until`."""
        left_out = Counter(self.late_labels) + Counter(self.later_labels)
        return frozenset(label for label, number in self.labels.items() if number > left_out[label])


@dataclass(frozen=True)
class Outcome:
    """The counts of a run, and which of the attributes that the program asks for events had.

    `undefined` are expressions without a value, or rows in which there was such an expression; `left_out` events that
    lacked the attribute by which a module is partitioned. `open_states` are the states, by label, that are open at the
    end while some rule waits for the ends of states with this label.
    """

    counts: InputCounts
    derived: Counter[str]
    written: int
    undefined: int
    left_out: int
    observed: ObservedAttributes
    undefined_in: Literal["expression", "row"] = "expression"
    open_states: Mapping[str, int] = field(default_factory=dict)
    #: How many derived states have ended, by label.
    ended_states: Mapping[str, int] = field(default_factory=dict)
    #: How much would be derived after `until` if nothing else came, by rule, where that was asked for.
    pending: Mapping[str, int] = field(default_factory=dict)
    #: The most tuples that were kept where it was looked, between pieces of the input; None where it is not known.
    most_in_state: int | None = None
    #: What events that were neither late nor after `until` had, where open answers are counted and some could be.
    observed_in_time: ObservedAttributes | None = None
    #: From the first begin of these events to the last end, where open answers are counted and it is known.
    extent: Interval | None = None
