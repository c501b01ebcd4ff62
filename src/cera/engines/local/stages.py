"""What is done with a new row on its way through the network, as lines of Python.

A row passes several small stages (tests, stores, timers, slots), and a call for each of them costs more than what it
does. So a stage can write itself: the stages behind all patterns of a label become one function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappush
from typing import Any

from cera.engines.local.network import Emit, Step
from cera.engines.local.occurrence import TimerOccurrence
from cera.engines.local.rows import Row
from cera.engines.local.storage import COMPACT
from cera.model.durations import Duration
from cera.model.interval import MAX_TIME, MIN_TIME
from cera.model.timers import TIMERS


class Scope:
    """The values that written lines refer to, each under a name of its own."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {"heappush": heappush, "TimerOccurrence": TimerOccurrence, "COMPACT": COMPACT}

    def name(self, value: Any) -> str:
        name = f"k{len(self.values)}"
        self.values[name] = value
        return name

    def function(self, name: str, lines: Sequence[str]) -> Any:
        exec("\n".join(lines), self.values)  # source made here from a checked program
        return self.values[name]


class Stage:
    """A stage can be called, or written into a function over `step`, its `stores`, and `now`."""

    _function: Emit | None = None

    def lines(self, row: str, scope: Scope) -> list[str]:
        raise NotImplementedError  # every stage defines its own

    def __call__(self, step: Step, row: Row) -> None:
        if self._function is None:  # only now: consumers and slots are connected after the stage was made
            scope = Scope()
            body = [*PRELUDE, *self.lines("row", scope)]
            self._function = scope.function("emit", ["def emit(step, row):", *indented(body)])
        self._function(step, row)


PRELUDE = ("stores, now = step.state.stores, step.now",)


def write(emit: Emit, row: str, scope: Scope) -> list[str]:
    """The lines of a stage; a call of anything else."""
    return emit.lines(row, scope) if isinstance(emit, Stage) else [f"{scope.name(emit)}(step, {row})"]


def indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


class Broadcast(Stage):
    """The row goes to all consumers of a materialization point."""

    def __init__(self, consumers: Sequence[Emit]) -> None:
        self.consumers = consumers

    def lines(self, row: str, scope: Scope) -> list[str]:
        return [line for consumer in self.consumers for line in write(consumer, row, scope)] or ["pass"]


class Select(Stage):
    """σ[c]"""

    def __init__(self, test: Callable[[Row], bool], emit: Emit) -> None:
        self.test = test
        self.emit = emit

    def lines(self, row: str, scope: Scope) -> list[str]:
        return [f"if {scope.name(self.test)}({row}):", *indented(write(self.emit, row, scope))]


class Remember(Stage):
    """Adds the row of an event to a store for windows; does what `Store.add_event` does."""

    def __init__(self, store: int, key: Sequence[int]) -> None:
        self.store = store
        self.key = key

    def lines(self, row: str, scope: Scope) -> list[str]:
        cells = ", ".join(f"{row}[{slot}]" for slot in self.key)
        return [
            f"store, key = stores[{self.store}], ({cells})" if self.key else f"store, key = stores[{self.store}], None",
            "bucket = store.buckets.get(key)",
            f"if bucket is None or not bucket.plain or bucket.ends[-1] == now or {row}[-1].begin != now:",
            f"    store.add_event(key, now, {row})",
            "else:",
            "    ends = bucket.ends",
            "    ends.append(now)",
            f"    bucket.rows.append({row})",
            "    store.size += 1",
            "    if store.horizon is not None:",
            "        start, before = bucket.start, now - store.horizon",
            "        if ends[start] < before:",
            "            if not start and ends[1] >= before and len(ends) < COMPACT:",  # one in, one out
            "                del ends[0], bucket.rows[0]",
            "                store.size -= 1",
            "            else:",
            "                store.size -= bucket.cut(before)",
        ]


class Timed(Stage):
    """R ⋈ X[i: kind[j, d]] for durations of a fixed length: the row with its timer; nothing if it does not happen."""

    def __init__(self, kind: str, duration: Duration, anchor: int, emit: Emit) -> None:
        self.kind = kind
        self.duration = duration
        self.anchor = anchor
        self.emit = emit

    def lines(self, row: str, scope: Scope) -> list[str]:
        (begin_edge, begin_sign), (end_edge, end_sign) = TIMERS[self.kind]
        length = self.duration.microseconds
        kind, duration = scope.name(self.kind), scope.name(self.duration)
        return [
            f"anchor = {row}[{self.anchor}]",
            f"begin, end = anchor.{begin_edge} + {begin_sign * length}, anchor.{end_edge} + {end_sign * length}",
            f"if {MIN_TIME} <= begin <= end <= {MAX_TIME}:",
            f"    {row}_ = (*{row}, TimerOccurrence(begin, end, {kind}, {duration}, anchor))",
            *indented(write(self.emit, f"{row}_", scope)),
        ]


class Ready(Stage):
    """The row waits in a slot for the end of the step; does what `Step.make_ready` does."""

    def __init__(self, target: Sequence[int]) -> None:
        self.target = target

    def lines(self, row: str, scope: Scope) -> list[str]:
        [slot] = self.target
        return [
            f"if {slot} in step.ready: step.ready[{slot}].append({row})",
            f"else: step.ready[{slot}] = [{row}]; heappush(step.due, {slot})",
        ]
