"""The ways of an instance through the states of an automaton, and how often something happens on them.

Counts are exact up to a limit, and beyond it "more": the numbers of ways with cycles are sets such as {0} ∪ [3, ∞[.
Time constraints are not looked at, so there may be more ways than there are runs, and never fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from cera.automata.automaton import Path
from cera.automata.structure import Step, Structure
from cera.constraints.numbers import NO_NUMBER, CountSet

#: Counts at or above this are one.
MOST = 8

#: How often something may happen with a transition: surely once, or perhaps.
Often = tuple[int, ...]
NEVER, ONCE, PERHAPS = (0,), (1,), (0, 1)


@dataclass(frozen=True)
class Ways:
    """The children of a non-atomic state through which its instances go.

    `starts` are those in which instances are created, `exits` those in which they can end.
    """

    structure: Structure
    state: Path
    starts: frozenset[Path]
    exits: frozenset[Path]
    steps: tuple[Step, ...]
    _reachable: dict[Path, frozenset[Path]] = field(default_factory=dict, compare=False, repr=False)

    def reachable(self, start: Path) -> frozenset[Path]:
        """Returns the children that can be active after one, at the end of at least one transition."""
        if start not in self._reachable:
            found: set[Path] = set()
            waiting = [start]
            while waiting:
                at = waiting.pop()
                more = {step.after for step in self.steps if step.before == at} - found
                found |= more
                waiting += more
            self._reachable[start] = frozenset(found)
        return self._reachable[start]

    @property
    def visited(self) -> frozenset[Path]:
        return self.starts.union(*(self.reachable(start) for start in self.starts))

    def through_delays(self, start: Path) -> frozenset[Path]:
        """Returns a child, and those that delays lead to from it without an event."""
        found, waiting = {start}, [start]
        while waiting:
            at = waiting.pop()
            more = {s.after for s in self.steps if s.before == at and s.trigger == "delay"} - found
            found |= more
            waiting += more
        return frozenset(found)

    def numbers(
        self,
        initial: Callable[[Path], int],
        often: Mapping[int, Often],
        trigger: Callable[[Step], bool] | None = None,
    ) -> CountSet:
        """Returns how often something can have happened when an instance ends.

        `initial` is how often it happens with the start in a child, `often` with a transition, by its number. With a
        `trigger`, only those ways count on which such a transition was taken. What has happened more often on a way
        that leads to no end is among the numbers, too: upper bounds hold before an instance ends.
        """
        waiting = [(start, min(initial(start), MOST), trigger is None) for start in self.starts]
        seen = set(waiting)
        while waiting:
            at, count, done = waiting.pop()
            for step in self.steps:
                if step.before != at:
                    continue
                for more in often.get(step.number, NEVER):
                    flags = [done] if trigger is None or done or not trigger(step) else [True, False]
                    for flag in flags:
                        found = (step.after, min(count + more, MOST), flag)
                        if found not in seen:
                            seen.add(found)
                            waiting.append(found)
        ended = {count for at, count, done in seen if done and at in self.exits}
        others = {count for _, count, done in seen if done and count > max(ended, default=-1)}
        return _set(ended | others)


def _set(counts: Iterable[int]) -> CountSet:
    found = NO_NUMBER
    for each in counts:
        found = found.union(CountSet(((each, None if each == MOST else each),)))
    return found


def ways_of(structure: Structure, state: Path) -> Ways:
    """Returns the ways through a non-atomic state."""
    creating = [step for step in structure.steps if state in step.created]
    starts = frozenset(step.transition.target[: len(state) + 1] for step in creating)
    children = frozenset(path for path in structure.states if path[:-1] == state)
    exits: set[Path] = set(structure.is_final) if state == structure.root else set()
    for step in structure.steps:
        around = [left for left in step.left if state[: len(left)] == left]
        source = step.transition.source
        if not around:
            continue
        if source is not None and source[:-1] == state and not step.transition.label.terminations:
            exits.add(source)
        else:
            exits |= children
    return Ways(structure, state, starts, frozenset(exits), structure.executed[state])
