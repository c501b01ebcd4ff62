"""When two histories have the same future: their states are equal up to the identity of their events.

Events are renamed in their order. Times become their order as well where types do not measure time, else how long ago
they are. If the states of both types are equal then, by the same renaming, whatever follows distinguishes the types
after one history if and only if it does so after the other.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from cera.comparing.letters import Letter
from cera.instances.detector import AvailableInstances
from cera.instances.events.processor import InstanceState
from cera.instances.instance import Instance
from cera.instances.machine import History
from cera.model.time.interval import Time


def signature(states: Sequence[InstanceState], letters: Sequence[Letter], now: Time | None) -> Hashable:
    """Returns a key that is equal for states with the same future. `letters` are the events by their numbers.

    Without `now` only the order of times matters.
    """
    renaming = _Renaming(states, letters, now)
    return tuple(frozenset(renaming.histories(state)) for state in states)


class _Renaming:
    def __init__(self, states: Sequence[InstanceState], letters: Sequence[Letter], now: Time | None) -> None:
        self._letters = letters
        self._now = now
        times: set[Time] = set()
        stages: set[int] = set()
        numbers: set[int] = set()
        for state in states:
            for history in state.histories.values():
                stages.update(_past(history))
                for _, instance in _members(history):
                    stages.add(instance.time)
                    times.update((instance.begin, instance.end))
                    for leaf in instance.leaves():
                        stages.add(leaf.time)
                        if leaf.event is not None:
                            numbers.add(leaf.event.number)
        self._places = _ranked(numbers)
        self._times = _ranked(times)
        self._stages = _ranked(stages)

    def histories(self, state: InstanceState) -> Iterator[Hashable]:
        """Yields the histories with available instances or open starts, after renaming."""
        for key, history in state.histories.items():
            members = tuple((name, self._instance(instance)) for name, instance in _members(history))
            starts = tuple(
                (name, tuple(map(self._time, part.starts)))
                for name, part in history.parts.items()
                if not isinstance(part, AvailableInstances) and part.starts
            )
            if members or starts:
                yield key, members, starts, tuple(map(self._stages.__getitem__, _past(history)))

    def _instance(self, instance: Instance) -> Hashable:
        times = (self._stages[instance.time], self._time(instance.begin), self._time(instance.end))
        fields = () if instance.fields is None else frozenset(instance.fields.items())
        return instance.type, times, fields, tuple(map(self._leaf, instance.leaves()))

    def _leaf(self, leaf: Instance) -> Hashable:
        if leaf.event is None:
            return leaf.type, self._stages[leaf.time]
        number: int = leaf.event.number
        return self._places[number], self._letters[number], self._stages[leaf.time]

    def _time(self, time: Time) -> int:
        return self._times[time] if self._now is None else time - self._now


def _ranked(values: Iterable[int]) -> Mapping[int, int]:
    return {value: place for place, value in enumerate(sorted(values))}


def _members(history: History) -> Iterator[tuple[str, Instance]]:
    """Yields the instances that each type has available, in its order."""
    for name, part in history.parts.items():
        if isinstance(part, AvailableInstances):
            members = sorted(each for some in part.by_key.values() for each in some.all())
            yield from ((name, instance) for _, _, instance in members)


def _past(history: History) -> list[int]:
    """Returns the stages at which something available can still be interrupted."""
    if not history.past:
        return []
    leaves = (leaf for _, instance in _members(history) for leaf in instance.leaves())
    oldest = min((leaf.time for leaf in leaves), default=None)
    return [] if oldest is None else [time for time in history.past if time >= oldest]
