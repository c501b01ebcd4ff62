"""A program that runs inside a Python process, event by event."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from cera.engines.local.fingerprint import fingerprint
from cera.engines.local.state_bytes import check, dump, restore
from cera.errors import DataError, EngineError, UsageError
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.occurrence import Occurrence, occurrence
from cera.model.events.states import is_internal
from cera.model.time.durations import Duration, format_duration
from cera.model.time.interval import Time
from cera.modules.driving import Driver
from cera.modules.processor import AnyProcessor, Detection
from cera.modules.refreshing import RefreshedRelations

#: The first bytes of every saved state, before the fingerprint of its program.
_MARK = b"state of a cera session "
#: Then follow so many digits of a digest of the rest, and the rest; or the rest at once, as in older versions.
_DIGITS = 32
_OLD = b"\x80"


class Session:
    """A running program.

        session = program.session(max_delay="5 sec")
        for derived in session.push(event): ...
        for derived in session.advance_to(time): ...
        for derived in session.close(): ...

    Events are sorted within `max_delay`; later ones go to `late`. Events derived at a time are returned when no event
    that is not late can change them any more. `close` ends the stream: it is complete, timers run out, and no further
    events can be pushed. After an error of the engine, such as a limit that was passed, a session only takes a state
    that was saved before.
    """

    def __init__(
        self,
        processor: AnyProcessor,
        *,
        max_delay: int = 0,
        max_duration: int | None = None,
        timezone: str = "UTC",
        late: Callable[[Event], object] | None = None,
        refreshed: RefreshedRelations | None = None,
    ) -> None:
        """Starts a run; `max_duration` and `timezone` are those of the processor."""
        self._refreshed = refreshed
        self._processor = processor
        self._max_duration = max_duration
        self._timezone = timezone
        self.late = 0
        self._late = late
        #: The undefined expressions counted before the state was restored, less those that this processor had counted.
        self._undefined_before = 0
        self._failure: EngineError | None = None
        self._driver = Driver(self._processor, max_delay, self._count_late)

    def push(self, *events: Event) -> list[DerivedEvent]:
        """Takes events; returns what is derived at the times that are now complete, in the order of time.

        If one of them is not an event, or lasts longer than `max_duration`, none is taken.
        """
        self._check_open()
        for event in events:
            self._check(event)
        self._read_again()
        with self._failing():
            return _results(self._driver.push(map(occurrence, events)))

    def advance_to(self, time: Time) -> list[DerivedEvent]:
        """Moves time forward to a point without further events; returns what is derived up to it."""
        self._check_open()
        if not isinstance(time, int):
            raise UsageError(f"a time is a whole number of microseconds since 1970, not {time!r}")
        self._read_again()
        with self._failing():
            return _results(self._driver.advance_to(time))

    def close(self) -> list[DerivedEvent]:
        """Ends the stream: lets the timers run out, and returns the rest. A second call returns nothing."""
        self._check_sound()
        with self._failing():
            return _results(self._driver.close())

    def save(self) -> bytes:
        """Returns the state as bytes; another session of the same program continues from it with `restore`."""
        self._check_sound()
        rows = () if self._refreshed is None else (dump(self._refreshed.snapshot()),)
        body = dump((dump(self._driver.snapshot()), self.late, self.undefined, *rows))
        return _MARK + self._program + _digest(body) + body

    def restore(self, state: bytes) -> None:
        """Continues where a session of the same program, with the same `max_duration`, was when it was saved."""
        expected = _MARK + self._program
        given: object = state
        if not isinstance(given, bytes) or not given.startswith(_MARK):
            raise UsageError("this is not the state of a session: it does not come from `save`")
        if not state.startswith(expected):
            raise UsageError("the state is that of another program, max_duration or version of cera")
        try:
            snapshot, late, undefined, *rows = _body(state[len(expected) :])
            versions = [restore(each) for each in rows]
            self._driver.resume(restore(snapshot))
            if self._refreshed is not None:
                self._refreshed.resume(*versions)
            counted = self.undefined
        except Exception as error:  # broken bytes can raise anything in a reader
            raise UsageError(f"the state is damaged: {error}") from error
        self._failure = None
        self.late = late
        self._undefined_before += undefined - counted

    @property
    def live(self) -> int:
        """The number of tuples in the session's state."""
        return self._driver.counts.in_state

    @property
    def unread(self) -> int:
        """How often a relation could not be read again; its rows stayed as they were."""
        return 0 if self._refreshed is None else self._refreshed.refresher.unread

    @property
    def left_out(self) -> int:
        """The number of events that lacked the attribute by which a module is partitioned."""
        return self._driver.counts.left_out

    @property
    def repaired(self) -> int:
        """How many ends of open states came too late, and were moved on; since the session was made or restored."""
        return self._driver.repaired

    @property
    def undefined(self) -> int:
        """How often an expression had no value."""
        return self._undefined_before + self._driver.counts.undefined

    def _read_again(self) -> None:
        """Reads the relations that are due. Their rows count for all that is decided from now on."""
        if self._refreshed is not None:
            self._refreshed.refresher.poll()

    @cached_property
    def _program(self) -> bytes:
        """The mark of the program that a state belongs to; the content of a state depends on `max_duration` too."""
        return fingerprint((self._processor.identity, self._max_duration, self._timezone)).encode()

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Notes an error in a step, of which only a part was done: what follows it would lack the rest."""
        try:
            yield
        except EngineError as error:
            self._failure = error
            raise

    def _check_sound(self) -> None:
        if self._failure is not None:
            raise EngineError(
                "the session ended with an error, and cannot go on or be saved; restore a state that was saved before: "
                f"{self._failure.message}"
            ) from self._failure

    def _check_open(self) -> None:
        self._check_sound()
        if self._driver.state.closing:
            raise UsageError("the session is closed: its stream was said to be complete")

    def _check(self, event: Any) -> None:
        if not isinstance(event, Event):
            raise UsageError(f"a session takes events (cera.Event), not {type(event).__name__}")
        if self._max_duration is not None and event.end - event.begin > self._max_duration:
            longest = format_duration(Duration(0, self._max_duration))
            raise DataError(f"the event {event} lasts longer than max_duration, which is {longest}")

    def _count_late(self, event: Occurrence) -> None:
        self.late += 1
        if self._late is not None:
            self._late(event.event)


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:_DIGITS].encode()


def _body(saved: bytes) -> tuple[Any, ...]:
    """Returns what a session saved: its driver's snapshot, its counts, and the rows of relations that are read again,
    if there are some. Nothing is read before it is checked."""
    if not saved.startswith(_OLD):
        digest, saved = saved[:_DIGITS], saved[_DIGITS:]
        if digest != _digest(saved):
            raise UsageError("bytes of it have changed since it was saved")
    check(saved)
    snapshot, late, undefined, *rows = restore(saved)
    parts = [snapshot, *rows]
    if (
        not all(isinstance(part, bytes) for part in parts)
        or not isinstance(late, int)
        or not isinstance(undefined, int)
    ):
        raise UsageError("it has other parts than those of a session")
    for part in parts:
        check(part)
    return (snapshot, late, undefined, *rows)


def _results(derived: Iterable[Detection]) -> list[DerivedEvent]:
    """Returns what is shown of detections: states open and end, and what they are composed of is left out."""
    return [one.result() for one in derived if not is_internal(one.label)]
