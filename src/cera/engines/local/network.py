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
from typing import Any

from cera.engines.local.heads import Derived
from cera.engines.local.occurrence import Occurrence
from cera.engines.local.patterns import Matcher
from cera.engines.local.rows import Row
from cera.engines.local.state import State
from cera.engines.local.storage import Store
from cera.model.expressions import TimerQuery

Emit = Callable[["Step", Row], None]


class Step:
    """One step: the time, the state, the rows that wait for the end of the step, and what was derived."""

    __slots__ = ("base", "derived", "due", "now", "ready", "state")

    def __init__(self, now: int, state: State, slots: int) -> None:
        self.now = now
        self.state = state
        self.ready: list[list[Row]] = [[] for _ in range(slots)]
        self.due: list[int] = []
        self.derived: dict[Any, Derived] = {}
        self.base: dict[str, list[Occurrence]] = {}

    def make_ready(self, slot: int, row: Row) -> None:
        rows = self.ready[slot]
        if not rows:
            heapq.heappush(self.due, slot)
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
    by_label: dict[str, list[tuple[Matcher, Emit]]] = field(default_factory=dict)
    any_label: list[tuple[Matcher, Emit]] = field(default_factory=list)
    timers: list[tuple[TimerQuery, Matcher, Emit]] = field(default_factory=list)
    #: What is done with the rows of each slot at the end of a step; slots are in the order of the plan.
    finishers: list[Callable[[Step, list[Row]], None]] = field(default_factory=list)
    #: The labels that rules derive: an incoming event may be one that a rule derives as well.
    derived_labels: frozenset[str] | None = frozenset()

    def start(self) -> State:
        return State([Store(horizon) for horizon in self.horizons])

    def step(self, state: State, now: int, occurrences: list[Occurrence], ticks: list[tuple[int, Occurrence]]) -> Step:
        """All events that end now, the absolute timers among them as (number of the timer, occurrence)."""
        for store in state.stores:
            if store.queue and store.queue[0][0] < now:
                store.drop(now)
        step = Step(now, state, len(self.finishers))
        state.now = now
        for occurrence in occurrences:
            if self.derived_labels is None or occurrence.label in self.derived_labels:
                step.base.setdefault(occurrence.label, []).append(occurrence)
        for occurrence in occurrences:
            self.take(step, occurrence)
        for number, occurrence in ticks:
            self._number(state, occurrence)
            _, matcher, emit = self.timers[number]
            for row in matcher(occurrence):
                emit(step, row)
        while state.waiting and state.waiting[0][0] <= now:
            _, _, slot, row = heapq.heappop(state.waiting)
            step.make_ready(slot, row)
        while step.due:
            slot = heapq.heappop(step.due)
            rows, step.ready[slot] = step.ready[slot], []
            self.finishers[slot](step, rows)
        return step

    def take(self, step: Step, occurrence: Occurrence) -> None:
        """A new event: every pattern that could match it is tried."""
        self._number(step.state, occurrence)
        for matcher, emit in self.by_label.get(occurrence.label, ()):
            for row in matcher(occurrence):
                emit(step, row)
        for matcher, emit in self.any_label:
            for row in matcher(occurrence):
                emit(step, row)

    @staticmethod
    def _number(state: State, occurrence: Occurrence) -> None:
        state.counter += 1
        occurrence.number = state.counter
