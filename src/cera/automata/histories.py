"""What the processor of an automaton remembers: for each key, the sets of runs, and when they have to be looked at."""

from __future__ import annotations

import heapq
from collections import deque

from cera.automata.compact import CompactRun
from cera.automata.run_sets import RunSet
from cera.model.time.interval import Time
from cera.modules.arrivals import Key
from cera.modules.history_processor import HistoryState


class History:
    """The runs of one key: a set of them for each instance of the root, compact where there is only one."""

    __slots__ = ("sets", "wakeup")

    def __init__(self, *sets: RunSet | CompactRun) -> None:
        self.sets = list(sets)
        #: When it has to be looked at.
        self.wakeup: Time | None = None

    @property
    def next_due(self) -> Time | None:
        return min((time for each in self.sets if (time := each.next_due) is not None), default=None)


#: A history that consists of one compact run is that run.
AnyHistory = History | CompactRun


class AutomatonState(HistoryState[AnyHistory]):
    """The histories, when delays are over in them, and the values that must be unique when they are entered."""

    def __init__(self) -> None:
        super().__init__()
        #: A heap; entries may be out of date.
        self.wakeups: list[tuple[Time, int, Key]] = []
        self._queued = 0
        #: When values that must be unique were used: the key if it is one of them, others with the key and their names.
        self.used: dict[Key, Time] = {}
        #: Those that are forgotten after a time, in the order in which they were used, and when the first of them is.
        self.forgetting: deque[Key] = deque()
        self._forgets: Time | None = None

    def wake(self, key: Key, history: AnyHistory) -> None:
        """Enters the next time at which something happens in a history."""
        due = history.next_due
        if due != history.wakeup:
            history.wakeup = due
            if due is not None:
                self._queued += 1
                heapq.heappush(self.wakeups, (due, self._queued, key))

    @property
    def next(self) -> Time | None:
        """The next time at which something happens, or a value is forgotten."""
        wakeup = self._next_wakeup() if self.wakeups else None
        forgets = self._forgets
        return wakeup if forgets is None or (wakeup is not None and wakeup < forgets) else forgets

    def _next_wakeup(self) -> Time | None:
        wakeups = self.wakeups
        while wakeups:
            time, _, key = wakeups[0]
            history = self.histories.get(key)
            if history is not None and history.wakeup == time:
                return time
            heapq.heappop(wakeups)
        return None

    def due(self, now: Time) -> list[Key]:
        """Returns the keys of the histories in which something happens up to now; they have to be woken again."""
        found = []
        while (time := self._next_wakeup()) is not None and time <= now:
            _, _, key = heapq.heappop(self.wakeups)
            self.histories[key].wakeup = None
            found.append(key)
        return found

    def use(self, value: Key, now: Time, memory: Time | None) -> None:
        """Notes that a value was used now, which is forgotten after so long."""
        if memory is not None and value not in self.used:
            self.forgetting.append(value)
            if self._forgets is None:
                self._forgets = now + memory + 1
        self.used[value] = now

    def forget(self, now: Time, memory: Time) -> None:
        """Drops the values of unique variables that may come again."""
        used, forgetting = self.used, self.forgetting
        while forgetting and now - used[forgetting[0]] > memory:
            del used[forgetting.popleft()]
        self._forgets = used[forgetting[0]] + memory + 1 if forgetting else None
