"""What the processor of an automaton remembers: for each key, the sets of runs, and when they have to be looked at."""

from __future__ import annotations

import heapq
from collections import deque

from cera.automata.explanations import Name
from cera.automata.reports import StateKey
from cera.automata.runs import Run
from cera.model.events.occurrence import Cell
from cera.model.time.interval import Time
from cera.modules.arrivals import Key
from cera.modules.history_processor import HistoryState


class RunSet:
    """The runs of one instance of the root, and since when its certain states hold."""

    __slots__ = ("open", "overdue", "runs")

    def __init__(self, runs: list[Run]) -> None:
        self.runs = runs
        self.open: dict[StateKey, Time] = {}
        #: The instances that are overdue in all runs, by their active states; that was reported.
        self.overdue: frozenset[StateKey] = frozenset()

    def know_own_states(self) -> None:
        """Gives the only run its own memory of states, if it has none: until now they have all been certain."""
        for run in self.runs:
            if run.since is None:
                run.since = {key: (begin, True) for key, begin in self.open.items()}

    def forget_own_states(self) -> None:
        """Takes that memory from the only run, if it is that of the set."""
        if len(self.runs) == 1:
            [run] = self.runs
            if run.since is not None and {key: begin for key, (begin, _) in run.since.items()} == self.open:
                run.since = None

    @property
    def name(self) -> Name:
        return self.runs[0].root.name

    @property
    def due(self) -> Time | None:
        if len(self.runs) == 1:
            return self.runs[0].due
        return min((due for run in self.runs if (due := run.due) is not None), default=None)


class History:
    """The sets of runs of one key, and the values that must be unique when it is entered."""

    __slots__ = ("sets", "used", "wakeup")

    def __init__(self) -> None:
        self.sets: list[RunSet] = []
        self.used: dict[tuple[str, Cell], Time] = {}
        self.wakeup: Time | None = None


class AutomatonState(HistoryState[History]):
    """The histories, and when delays are over in them."""

    def __init__(self) -> None:
        super().__init__()
        #: A heap; entries may be out of date.
        self.wakeups: list[tuple[Time, int, Key]] = []
        self._queued = 0
        #: When values that must be unique are forgotten, and in which histories, in the order of time.
        self.forgetting: deque[tuple[Time, Key]] = deque()

    def wake(self, key: Key, history: History) -> None:
        """Enters the next time at which something happens in a history."""
        sets = history.sets
        due = sets[0].due if len(sets) == 1 else min((t for each in sets if (t := each.due) is not None), default=None)
        if due != history.wakeup:
            history.wakeup = due
            if due is not None:
                self._queued += 1
                heapq.heappush(self.wakeups, (due, self._queued, key))

    @property
    def next(self) -> Time | None:
        """The next time at which something happens, or a value is forgotten."""
        wakeup = self._next_wakeup()
        if not self.forgetting:
            return wakeup
        forgotten = self.forgetting[0][0]
        return forgotten if wakeup is None or forgotten < wakeup else wakeup

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

    def forget(self, now: Time, memory: Time) -> None:
        """Drops the values of unique variables that may come again, and histories of which nothing is left."""
        while self.forgetting and self.forgetting[0][0] <= now:
            _, key = self.forgetting.popleft()
            history = self.histories.get(key)
            if history is not None:
                history.used = {value: since for value, since in history.used.items() if now - since <= memory}
                if not history.sets and not history.used:
                    del self.histories[key]
