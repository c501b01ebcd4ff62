"""Events of which only the first can be a part of an answer."""

from __future__ import annotations

from dataclasses import dataclass

from cera.model.tags import added_later, tagged
from cera.model.time.periodic_windows import Period
from cera.model.time.timers import Edge


@tagged("Earliest")
@dataclass(frozen=True)
class Earliest:
    """Of the rows that differ in one event alone, only those with the first one can be a part of an answer.

    It follows from the rest of a branch, and changes no answer: an absence forbids what ended before the last of
    several events that are counted, but for these. `later` are those that come after this one, `own` the variables
    that it has alone. With a `period`, only those of the rows that lie in the same windows of the clock.
    """

    identifier: str
    later: tuple[str, ...]
    own: frozenset[str] = frozenset()
    period: Period | None = added_later("period", None)
    #: What is compared: the begin of states, the end of events.
    edge: Edge = added_later("edge", "end")
