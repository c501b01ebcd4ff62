"""The runs of one instance of the root: alternatives, one of which is what happened."""

from __future__ import annotations

from cera.automata.explanations import Name
from cera.automata.reports import StateKey
from cera.automata.runs import Instance, Run
from cera.model.time.interval import Time


class RunSet:
    """The runs of one instance of the root, and since when its certain states hold."""

    __slots__ = ("open", "overdue", "runs", "steps")

    def __init__(self, runs: list[Run]) -> None:
        self.runs = runs
        self.open: dict[StateKey, Time] = {}
        #: The instances that are overdue in all runs, by their active states; that was reported.
        self.overdue: frozenset[StateKey] = frozenset()
        #: How many steps have been explored since somebody asked whether it can be compact.
        self.steps = 0

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
    def roots(self) -> list[Instance]:
        return [run.root for run in self.runs]

    @property
    def name(self) -> Name:
        return self.runs[0].root.name

    @property
    def next_due(self) -> Time | None:
        if len(self.runs) == 1:
            return self.runs[0].due
        return min((due for run in self.runs if (due := run.due) is not None), default=None)
