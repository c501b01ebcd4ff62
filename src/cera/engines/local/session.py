"""A program that runs inside a Python process, event by event."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cera.algebra.plan import Plan
from cera.engines.local.derived import Derived
from cera.engines.local.host import Host
from cera.engines.local.occurrence import Occurrence, occurrence
from cera.engines.local.processor import Processor
from cera.model.events import DerivedEvent, Event
from cera.model.interval import Time


class Session:
    """A running program.

        session = program.session(max_delay="5 sec")
        for derived in session.push(event): ...
        for derived in session.advance_to(time): ...
        for derived in session.close(): ...

    Events are sorted within `max_delay`; later ones go to `late`. What is derived at a time is told when no event that
    is not late can change it any more. `close` says that the stream is complete: timers run out.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        max_delay: int = 0,
        max_duration: int | None = None,
        timezone: str = "UTC",
        late: Callable[[Event], object] | None = None,
    ) -> None:
        self._processor = Processor(plan, max_duration=max_duration, timezone=timezone)
        self.late = 0
        self._late = late
        self._host = Host(self._processor, max_delay, self._count_late)

    def push(self, *events: Event) -> list[DerivedEvent]:
        """Takes events; returns what is derived at the times that are now complete, in the order of time."""
        return _results(derived for event in events for derived in self._host.push(occurrence(event)))

    def advance_to(self, time: Time) -> list[DerivedEvent]:
        """Time has come to a point without further events: all that ends until then is decided."""
        return _results(self._host.advance_to(time))

    def close(self) -> list[DerivedEvent]:
        """The stream is complete: decides the rest, and lets the timers run out."""
        return _results(self._host.close())

    def save(self) -> bytes:
        """The state as bytes; another session of the same program goes on from it with `restore`."""
        return self._host.snapshot()

    def restore(self, state: bytes) -> None:
        self._host.resume(state)

    @property
    def live(self) -> int:
        """How many tuples the session remembers."""
        return self._host.state.live

    @property
    def undefined(self) -> int:
        """How often an expression had no value."""
        return self._processor.evaluator.undefined

    def _count_late(self, event: Occurrence) -> None:
        self.late += 1
        if self._late is not None:
            self._late(event.event)


def _results(derived: Iterable[Derived]) -> list[DerivedEvent]:
    return [one.result() for one in derived]
