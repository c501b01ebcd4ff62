"""A plan compiled to a network of functions: each new row is pushed through the operators that use it.

This is finite differencing (Fig. 11 of seed 000, corrected), one new row at a time:

    Δ(R ⋈ S)      a new row of R meets the rows of S known so far, a new row of S those of R; whichever comes second
                  finds the other, so that each pair is found once
    Δ(R ⋈ X)      a timer is computed with its anchor (ERR-08); the row waits for the timer's end before a window or the
                  head looks at it
    Δ(R ⋈_{i⊒j} S), Δ(R ▷_{i⊒j} S)
                  ΔR against all of S up to now (ERR-01): a window has ended when its row comes, so nothing of S is
                  missing. All rows of the step are known first (ERR-09)
    Δ(σ, π, ρ, μ, C, Q)   the operator on the new rows

Within a step the points of the plan are finished one after the other, each after those that it queries.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

from cera.engines.local.heads import Derived
from cera.engines.local.occurrence import Occurrence
from cera.engines.local.patterns import Matcher
from cera.engines.local.rows import Row
from cera.engines.local.state import State
from cera.engines.local.storage import Store
from cera.model.expressions import TimerQuery
from cera.model.interval import MAX_TIME

Emit = Callable[["Step", Row], None]

#: Matches an event and emits its rows.
Feed = Callable[["Step", Occurrence], None]


class Step:
    """One step: the time, the state, the rows that wait for the end of the step, and what was derived."""

    __slots__ = ("base", "derived", "due", "index", "now", "ready", "state")

    def __init__(self, now: int, state: State) -> None:
        self.now = now
        self.state = state
        #: The rows of each slot that has some, and these slots as a heap.
        self.ready: dict[int, list[Row]] = {}
        self.due: list[int] = []
        self.derived: list[Derived] = []
        #: What was derived, by label and begin; made when there is more than one.
        self.index: dict[tuple[str, int], list[Derived]] | None = None
        #: The incoming events that a rule might derive as well.
        self.base: list[Occurrence] = []

    def make_ready(self, slot: int, row: Row) -> None:
        rows = self.ready.get(slot)
        if rows is None:
            self.ready[slot] = [row]
            heapq.heappush(self.due, slot)
        else:
            rows.append(row)

    def wait(self, until: int, slot: int, row: Row) -> None:
        """The row counts only when its timers have ended."""
        if until <= self.now:
            self.make_ready(slot, row)
        else:
            self.state.counter += 1
            heapq.heappush(self.state.waiting, (until, self.state.counter, slot, row))


@dataclass
class Network:
    """The compiled, read-only form of a plan."""

    #: How long each store keeps a row past its end; None keeps it for good.
    horizons: list[int | None] = field(default_factory=list)
    by_label: dict[str, Feed] = field(default_factory=dict)
    any_label: list[Feed] = field(default_factory=list)
    timers: list[tuple[TimerQuery, Matcher, Emit]] = field(default_factory=list)
    #: What is done with the rows of each slot at the end of a step; slots are in the order of the plan.
    finishers: list[Callable[[Step, list[Row]], None]] = field(default_factory=list)
    #: The labels that rules derive: an incoming event may be one that a rule derives as well.
    derived_labels: frozenset[str] | None = frozenset()

    def start(self) -> State:
        return State([Store(horizon) for horizon in self.horizons])

    def step(self, state: State, now: int, occurrences: list[Occurrence], ticks: list[tuple[int, Occurrence]]) -> Step:
        """All events that end now, the absolute timers among them as (number of the timer, occurrence)."""
        if now >= state.sweep_at:
            state.sweep_at = min([store.sweep(now) for store in state.stores], default=MAX_TIME)
        step = Step(now, state)
        state.now = now
        if self.derived_labels is None or self.derived_labels:
            labels = self.derived_labels
            step.base = [o for o in occurrences if labels is None or o.label in labels]
        for occurrence in occurrences:
            self.take(step, occurrence)
        for number, occurrence in ticks:
            state.counter += 1
            occurrence.number = state.counter
            _, matcher, emit = self.timers[number]
            for row in matcher(occurrence):
                emit(step, row)
        waiting = state.waiting
        while waiting and waiting[0][0] <= now:
            _, _, slot, row = heapq.heappop(waiting)
            step.make_ready(slot, row)
        while step.due:
            slot = heapq.heappop(step.due)
            self.finishers[slot](step, step.ready.pop(slot))
        return step

    def take(self, step: Step, occurrence: Occurrence) -> None:
        """A new event: every pattern that could match it is tried."""
        state = step.state
        state.counter += 1
        occurrence.number = state.counter
        by_label = self.by_label.get(occurrence.label)
        if by_label is not None:
            by_label(step, occurrence)
        for feed in self.any_label:
            feed(step, occurrence)
