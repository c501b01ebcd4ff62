"""Who follows a run while it goes on: the command line on a terminal, a test, a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, runtime_checkable

from cera.connectors.records.layout import Rejected
from cera.model.events.event import DerivedEvent, Event
from cera.model.time.interval import Time
from cera.wording import in_python


class Listener(Protocol):
    """Takes what a run reports, and performs what rules want done."""

    @property
    def acting(self) -> frozenset[str]:
        """The rules that want something done."""

    def words(self, text: str) -> str:
        """Returns a reason with its settings as they are named here; it goes into files."""

    def perform(self, derived: Sequence[DerivedEvent]) -> None:
        """Does what rules want done for events, in their order."""

    def performed(self) -> None:
        """Ends what actions have written so far."""

    def progress(self, activity: str) -> AbstractContextManager[Callable[[str], None]]:
        """Returns a context in which the function that is given shows how far the activity has come."""

    def rejected(self, first: Sequence[Rejected], number: int) -> None:
        """Takes the first malformed records of so many, where no file was named for them."""

    def nearly_all_late(self, late: int, events: int, time: Time | None) -> None:
        """Takes that so many of the last events were late; `time` is how far time has come."""


class Unattended:
    """A run that nobody follows, from Python: what there is to report is in its outcome."""

    acting: frozenset[str] = frozenset()

    def words(self, text: str) -> str:
        return in_python(text)

    def perform(self, derived: Sequence[DerivedEvent]) -> None:
        """Nothing is done: `cera.perform` does it for an answer."""

    def performed(self) -> None:
        """Nothing was done."""

    def progress(self, activity: str) -> AbstractContextManager[Callable[[str], None]]:
        return nullcontext(lambda text: None)

    def rejected(self, first: Sequence[Rejected], number: int) -> None:
        """Nothing is shown."""

    def nearly_all_late(self, late: int, events: int, time: Time | None) -> None:
        """Nothing is shown."""


class Output(Protocol):
    """Takes the events of a run in the order of output."""

    def write(self, item: Event | DerivedEvent) -> None: ...
    def finish(self) -> None: ...


@runtime_checkable
class LineOutput(Output, Protocol):
    """Takes events as JSON lines too, where nothing else of them is needed."""

    def write_line(self, line: str) -> None: ...
    def write_lines(self, data: bytes | memoryview) -> None: ...


class Collected:
    """Keeps the derived events of a run."""

    def __init__(self) -> None:
        self.derived: list[DerivedEvent] = []

    def write(self, item: Event | DerivedEvent) -> None:
        if isinstance(item, DerivedEvent):
            self.derived.append(item)

    def finish(self) -> None:
        """Does nothing: no event is held back."""
