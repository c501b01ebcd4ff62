"""A module over one history: stage by stage, and at each stage type by type."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from cera.instances.conditions import conditions
from cera.instances.detections import Heads
from cera.instances.history.groups import consumed, group
from cera.instances.history.legality import Sets, Situation
from cera.instances.instance import Instance, tick
from cera.instances.types import ComplexType, InstanceModule, TimerType
from cera.model.calendars.tick_limits import TICK_LIMIT, check_ticks
from cera.model.evaluation.evaluator import Evaluator
from cera.model.time.interval import MAX_TIME, Time

#: When it ticks, and when its start was.
Tick = tuple[Time, Time]


def ticks(
    timer: TimerType,
    starts: Collection[Time],
    stops: Collection[Time],
    end: Time,
    done: Time | None = None,
    limit: int = TICK_LIMIT,
) -> set[Tick]:
    """Returns all ticks, given the times of the starts and stops. Repeating timers tick no longer than until the end.

    Raises TickLimitError where one ticks more often than the limit after what is done.
    """
    stopped = (*stops, *(starts if timer.latest else ()))
    latest = end if timer.repeats else MAX_TIME

    def last(since: Time) -> Time:
        return min((latest, *(each for each in stopped if each > since)))

    return {(time, since) for since in starts for time in _times(timer, since, last(since), done, limit)}


def _times(timer: TimerType, since: Time, last: Time, done: Time | None, limit: int) -> Iterator[Time]:
    """Yields since + k · after until the last time, for k = 1 alone if the timer ticks once."""
    if timer.repeats:
        first = since if done is None else max(since, done)
        check_ticks(f"the timer `{timer.name}`", (last - first) // timer.after, first, last, limit)
    for number in count(1):
        time = since + number * timer.after
        if time > last:
            return
        yield time
        if not timer.repeats:
            return


@dataclass(frozen=True)
class Moment:
    """The primitive instances that end at one time: those with a place of their own, stage by stage, and the others."""

    time: Time
    placed: tuple[tuple[Instance, ...], ...] = ()
    others: tuple[Instance, ...] = ()


@dataclass(frozen=True)
class Recording:
    """One history. Repeating timers stop at its `end`, and all stops after `until`."""

    moments: Sequence[Moment]
    end: Time
    until: Time | None = None
    timezone: str = "UTC"
    tick_limit: int = TICK_LIMIT


def evaluate(module: InstanceModule, recording: Recording, heads: Heads) -> list[Instance]:
    """Returns all instances of complex types, in the order of their detection."""
    return _History(module, recording, heads).detected()


class _History:
    def __init__(self, module: InstanceModule, recording: Recording, heads: Heads) -> None:
        self._module = module
        self._recording = recording
        self._heads = heads
        # conditions without a truth value are not counted as undefined, so they have an evaluator to themselves
        evaluator = Evaluator((), recording.timezone)
        self._conditions = {
            each.name: conditions(each, evaluator) for each in module.types if isinstance(each, ComplexType)
        }
        self._primitive: list[Instance] = []
        #: All instances of each type, consumed or not.
        self._occurred: dict[str, list[Instance]] = {}
        self._stage = 0
        #: The time up to which everything is known.
        self._done: Time | None = None
        #: The stage of each instance, in the order in which they came to be known.
        self._stages: dict[Instance, int] = {}
        #: The sequence of each complex type: what is available to it.
        self._sequences: dict[str, list[Instance]] = {each.name: [] for each in module.types}

    def detected(self) -> list[Instance]:
        moments = {each.time: each for each in self._recording.moments}
        while (now := self._next(moments, self._done)) is not None:
            moment = moments.get(now, Moment(now))
            for instances in (*moment.placed, (*moment.others, *self._ticks_at(now))):
                self._take(now, instances)
            self._done = now
        complex_types = {each.name for each in self._module.types if isinstance(each, ComplexType)}
        return [one for one in self._stages if one.type in complex_types]

    def _next(self, moments: Iterable[Time], done: Time | None) -> Time | None:
        """Returns the next time at which something ends or a timer ticks."""
        times = [*moments, *(time for each in self._timers() for time, _ in self._ticks(each))]
        until = self._recording.until
        return min((t for t in times if (done is None or t > done) and (until is None or t <= until)), default=None)

    def _timers(self) -> list[TimerType]:
        return [each for each in self._module.types if isinstance(each, TimerType)]

    def _ticks(self, timer: TimerType) -> set[Tick]:
        """Returns the ticks from all known starts and stops, up to the next event: no later one matters until then."""
        starts, stops = ({one.end for one in self._occurred.get(name or "", ())} for name in (timer.start, timer.stop))
        coming = (each.time for each in self._recording.moments if self._done is None or each.time > self._done)
        end = min((self._recording.end, *coming))
        return ticks(timer, starts, stops, end, self._done, self._recording.tick_limit)

    def _ticks_at(self, now: Time) -> list[Instance]:
        return [
            tick(each.name, time, since)
            for each in self._timers()
            for time, since in sorted(self._ticks(each))
            if time == now
        ]

    def _take(self, now: Time, instances: Iterable[Instance]) -> None:
        """Evaluates a stage: the primitive instances, and then each complex type after those that it is made of."""
        self._stage += 1
        new = list(instances)
        for one in sorted(new, key=_identity):
            one.time = self._stage
            self._occurs(one)
        self._primitive += [one for one in new if one.event is not None]
        for type_ in self._module.types:
            if isinstance(type_, ComplexType):
                for one in self._detect(type_, now):
                    self._occurs(one)

    def _occurs(self, instance: Instance) -> None:
        self._stages[instance] = self._stage
        self._occurred.setdefault(instance.type, []).append(instance)

    def _detect(self, type_: ComplexType, now: Time) -> list[Instance]:
        """Returns the instances that new components trigger; consumed ones leave the sequence of the type."""
        places = list(dict.fromkeys(each.type for each in type_.components))
        new = [one for name in places for one in self._occurred.get(name, ()) if self._stages[one] == self._stage]
        # a sort is stable: new ones come after the older ones of their time, in the order of the components
        sequence = sorted([*self._sequences[type_.name], *new], key=lambda one: one.time)
        found: list[Instance] = []
        produced: set[frozenset[Instance]] = set()
        for terminator in sorted(new, key=lambda one: one.time):
            if terminator in sequence:
                known = tuple(sequence), tuple(self._primitive)
                situation = Situation(type_, self._conditions[type_.name], now, terminator, *known)
                solutions = group(situation, produced)
                gone = consumed(situation, solutions, "outside")
                sequence = [one for one in sequence if one not in gone]
                made = (self._instance(type_, sets) for sets in solutions)
                found += [one for one in made if one is not None]
        self._sequences[type_.name] = sequence
        return found

    def _instance(self, type_: ComplexType, sets: Sets) -> Instance | None:
        """Returns the instance, None where its term would be too large: all else is as if it were detected."""
        bound = tuple((type_.components[place].name, sets[place]) for place in sorted(sets) if sets[place])
        return self._heads.instance(type_, bound)


def _identity(instance: Instance) -> tuple[str, Time]:
    """Returns the sort key of an instance: the id of an event, the start of a tick."""
    if instance.event is None:
        assert instance.fields is not None
        return "", int(str(instance.fields["since"]))
    return instance.event.event.id, 0
