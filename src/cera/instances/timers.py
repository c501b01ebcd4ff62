"""The ticks of a timer: after each start, once or again and again until something stops it."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable

from cera.instances.instance import Instance, tick
from cera.instances.types import TimerType
from cera.model.time.interval import Time


class TimerState:
    """The starts that still tick, by their time, each once; and what has been heard at the stages of now."""

    __slots__ = ("begun", "ended", "starts")

    def __init__(self) -> None:
        self.starts: list[Time] = []
        self.begun: set[Time] = set()
        self.ended: set[Time] = set()

    def packed(self) -> list[Time]:
        return self.starts

    def unpack(self, data: list[Time]) -> None:
        self.starts = list(data)


class Timer:
    def __init__(self, type_: TimerType) -> None:
        self.type = type_

    @property
    def component_types(self) -> tuple[str, ...]:
        """The types that start and stop it."""
        return (self.type.start,) if self.type.stop is None else (self.type.start, self.type.stop)

    def ticks(self, state: TimerState, now: Time) -> list[Instance]:
        """Returns the ticks of now, the oldest start first, and drops the starts of a timer that ticks once."""
        type_ = self.type
        found = [since for since in state.starts if now > since and (now - since) % type_.after == 0]
        if not type_.repeats:
            found = [since for since in found if now - since == type_.after]
            state.starts = [since for since in state.starts if since + type_.after > now]
        return [tick(type_.name, now, since) for since in found]

    def hear(self, state: TimerState, starts: Iterable[Instance], stops: Iterable[Instance]) -> None:
        """Records the starts and stops of a stage. They count when the time is over: a timer still ticks when it is
        stopped."""
        state.begun.update(one.end for one in starts)
        state.ended.update(one.end for one in stops)

    def settle(self, state: TimerState) -> None:
        """Applies the recorded starts and stops: their time is over."""
        begun, ended = state.begun, state.ended
        if self.type.latest:
            ended = ended | begun
        if ended:
            last = max(ended)
            state.starts = [since for since in state.starts if since >= last]
        for since in begun:
            if since not in state.starts:
                insort(state.starts, since)
        state.begun, state.ended = set(), set()

    def due(self, state: TimerState, now: Time) -> Time | None:
        """Returns the time of the next tick after now, None if there is none."""
        after = self.type.after
        if not state.starts:
            return None
        if not self.type.repeats:
            return state.starts[0] + after
        return min(now + after - (now - since) % after for since in state.starts)
