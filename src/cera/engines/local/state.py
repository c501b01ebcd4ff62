"""The state of a running network: plain data, which can be written out and read back between any two steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any

from cera.algebra.layouts import Row
from cera.engines.local.recursion import rank_derivations
from cera.engines.local.storage import Store
from cera.engines.local.timers import Tick
from cera.model.events.occurrence import Occurrence, Opening
from cera.model.time.interval import MIN_TIME, Time

if TYPE_CHECKING:
    from cera.engines.local.derived import RuleDetection
    from cera.model.events.event import Event


#: Stands for a slot where an announced end of a state waits.
_ENDING = -1
#: The groups of rows that can be settled wait at this number less that of their slot.
_GROUPS = -2
#: The slot of events that were certain before their ends, which rules see at these; no network has so many slots.
_EVENTS = 1 << 62
#: So many ends may be left among those that wait whose groups have all been settled, unless there are more others.
_STALE = 64


class State:
    """The memory between steps, and the working data of a step.

    `open` are the openings of states that hold, by the ids of the states; their announced ends are in `waiting`.
    `stores` are the relations that joins and windows look into, `waiting` the rows whose timers have not ended (a
    heap), `ticks` the next occurrence of each absolute timer. `last` is the last end of an incoming event, `now` the
    last step, `sweeps` says when each store is swept next and `sweep_at` the first of them. `settling` are the rows
    that wait by slot and group, where they can be settled before; their ends are among `waiting`. `over` are the groups
    that are over, whose rows are still in stores. `complete` are the answers over states that are certain, by the ids
    of the states, for whose ends they wait: rule, begin, content, a row with the causes, and where that has the state.
    """

    __slots__ = (
        *(
            "stores",
            "waiting",
            "ticks",
            "counter",
            "last",
            "now",
            "closing",
            "sweeps",
            "sweep_at",
            "open",
            "ended",
            "gates",
            "closed_gates",
            "settling",
            "stale",
            "over",
            "complete",
        ),
        *("ready", "due", "derived", "recursive", "recurred", "index", "base", "incoming", "combined"),
        *("settled", "due_groups", "due_events", "is_settling", "is_opening"),
    )

    def __init__(self, stores: list[Store]) -> None:
        self.stores = stores
        self.waiting: list[tuple[Time, int, int, Row]] = []
        self.ticks: list[Tick | None] = []
        self.counter = 0
        self.last: Time | None = None
        self.now: Time | None = None
        self.closing = False
        self.sweeps: list[Time] = [MIN_TIME] * len(stores)
        self.sweep_at: Time = MIN_TIME
        self.open: dict[str, Opening] = {}
        #: How many states of each label hold, and the labels of those that have ended in the last step.
        self.gates: dict[str, int] = {}
        self.closed_gates: list[str] = []
        #: How many states have ended since rows about ended states were dropped.
        self.ended = 0
        self.settling: dict[int, list[Any]] = {}
        #: How many ends are among `waiting` of which all groups have been settled.
        self.stale = 0
        self.over: dict[int, dict[Any, None]] = {}
        self.complete: dict[str, list[tuple[Any, ...]]] = {}
        self._begin_step()

    def open_state(self, opening: Opening) -> None:
        self.open[opening.id] = opening
        self.gates[opening.label] = self.gates.get(opening.label, 0) + 1

    def close_gates(self) -> None:
        """Closes the gates of states that ended before this step: what happened as they ended happened in them."""
        for label in self.closed_gates:
            self.gates[label] -= 1
            if not self.gates[label]:
                del self.gates[label]
        self.closed_gates = []

    def _begin_step(self) -> None:
        #: The rows of each slot that has some, and these slots as a heap.
        self.ready: dict[int, list[Row]] = {}
        self.due: list[int] = []
        self.derived: list[RuleDetection] = []
        #: The derivations by recursive rules in this step, each with its event, and how many events are new.
        self.recursive: list[tuple[RuleDetection, RuleDetection]] = []
        self.recurred = 0
        #: The events derived in this step, by their identity; made when there is more than one.
        self.index: dict[Hashable, RuleDetection] | None = None
        #: The incoming events of this step that a rule might derive as well; made a set when it is asked for.
        self.base: list[Occurrence] = []
        self.incoming: set[Event] | None = None
        #: How many rows of stores the last event has met so far.
        self.combined = 0
        #: What is settled at the end of the step: slot, number of the settlement, values, and the end or None for all;
        #: or, for a group that is over, one less than nought less its number, and its values.
        self.settled: list[tuple[int, int, Any, Time | None]] = []
        #: The slots in which groups have windows that end in this step, with this end.
        self.due_groups: list[tuple[int, Time]] = []
        #: The events that were certain before, and end now.
        self.due_events: list[Occurrence] = []
        #: Whether what is derived is certain before its end.
        self.is_settling = False
        #: Whether what is derived is certain before its state ends, and comes when it does.
        self.is_opening = False

    @property
    def live(self) -> int:
        """The number of tuples in the state."""
        kept = sum([len(bucket) for store in self.stores for bucket in store.values()])
        groups = [group for data in self.settling.values() for group in data[0].values()]
        kept += sum([len(answers) for answers in self.complete.values()])
        waiting = [rows for group in groups for rows in group.values()]
        refutable = [rows for several in waiting if several.__class__ is dict for rows in several.values()]
        in_groups = sum([len(rows) for rows in waiting if rows.__class__ is list]) + sum(map(len, refutable))
        return kept + len(self.waiting) + in_groups

    def make_ready(self, slot: int, row: Row) -> None:
        """Puts the row into a slot until the end of the step."""
        rows = self.ready.get(slot)
        if rows is None:
            self.ready[slot] = [row]
            heappush(self.due, slot)
        else:
            rows.append(row)

    def wait(self, until: Time, slot: int, row: Row) -> None:
        """Keeps the row until its timers have ended."""
        if self.now is not None and until <= self.now:
            self.make_ready(slot, row)
        else:
            self.counter += 1
            heappush(self.waiting, (until, self.counter, slot, row))

    def wait_for_groups(self, until: Time, slot: int) -> None:
        """Wakes the groups of a slot when their windows end."""
        self.counter += 1
        heappush(self.waiting, (until, self.counter, _GROUPS - slot, ()))

    def hear_later(self, event: Occurrence) -> None:
        """Keeps an event that is certain before its end until then: rules see it when it ends."""
        self.counter += 1
        heappush(self.waiting, (event.end, self.counter, _EVENTS, (event.copy(),)))

    def is_incoming(self, event: Occurrence) -> bool:
        """Returns whether an incoming event of this step is the same event."""
        if all(base.label != event.label for base in self.base):
            return False
        if self.incoming is None:
            self.incoming = {base.event for base in self.base}
        return event.event in self.incoming

    @property
    def has_stale_ends(self) -> bool:
        """Whether there are many ends among `waiting` for which no group waits any more."""
        return self.stale > _STALE and self.stale * 2 > len(self.waiting)

    def drop_settled(self, is_waiting: Callable[[int, Time], bool]) -> None:
        """Drops the ends from `waiting` for which no group waits any more."""
        kept = [each for each in self.waiting if each[2] > _GROUPS or is_waiting(_GROUPS - each[2], each[0])]
        heapify(kept)
        self.waiting = kept
        self.stale = 0

    def announce(self, opening: Opening, end: Time) -> None:
        """Keeps the end of a state until it comes."""
        self.counter += 1
        heappush(self.waiting, (end, self.counter, _ENDING, (opening,)))

    def wake(self, now: Time) -> list[Opening]:
        """Puts the rows whose timers end now into their slots; returns the states that end now."""
        waiting = self.waiting
        ending: list[Opening] = []
        while waiting and waiting[0][0] <= now:
            until, _, slot, row = heappop(waiting)
            if slot == _ENDING:
                ending.append(row[0])
            elif slot == _EVENTS:
                self.due_events.append(row[0])
            elif slot <= _GROUPS:
                self.due_groups.append((_GROUPS - slot, until))
            else:
                self.make_ready(slot, row)
        return ending

    def taken(self) -> list[RuleDetection]:
        """Ends the step; returns the events that it derived."""
        derived = self.derived
        self.derived = []
        if self.recursive:
            rank_derivations(self.recursive)
            self.recursive = []
            self.recurred = 0
        self.index = self.incoming = None
        if self.base:
            self.base = []
        return derived

    def __getstate__(self) -> tuple[Any, ...]:
        return (
            *(self.stores, self.waiting, self.ticks, self.counter, self.last, self.now, self.closing),
            *(self.sweeps, self.sweep_at),
            *((self.open,) if self.open or self.settling or self.over or self.complete else ()),
            *((self.settling,) if self.settling or self.over or self.complete else ()),
            *((self.over,) if self.over or self.complete else ()),
            *((self.complete,) if self.complete else ()),
        )

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.stores, self.waiting, self.ticks, self.counter, self.last, self.now, self.closing = state[:7]
        self.sweeps, self.sweep_at = state[7:9]
        self.open = state[9] if len(state) > 9 else {}
        self.settling = state[10] if len(state) > 10 else {}
        self.over = state[11] if len(state) > 11 else {}
        self.complete = state[12] if len(state) > 12 else {}
        self.stale = sum(not groups for data in self.settling.values() for groups in data[3].values())
        self.gates = dict(Counter(opening.label for opening in self.open.values()))
        self.closed_gates = []
        self.ended = 0
        self._begin_step()
