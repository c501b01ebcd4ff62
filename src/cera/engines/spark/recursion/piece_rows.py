"""The work of Python workers for recursions: dividing events by key, and the local engine over what is together."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import chain

import pyarrow as pa

from cera.engines.spark.division.operators import Operator
from cera.engines.spark.division.routing import DividedEventError, Router
from cera.engines.spark.modules.module_rows import PLACED, HistoryDetector, Placed, events_of, pushed, read_occurrence
from cera.model.events.event import Event
from cera.model.events.occurrence import Identified
from cera.model.time.interval import Interval, Time
from cera.modules.driving import Driver
from cera.modules.module import known
from cera.modules.processor import Detection

#: The bucket of events that belong to several at once.
DIVIDED = -1


class KeyDivider:
    """Divider that runs in the workers. In: end, begin, the halves of the id, the term as JSON. Out: the same behind
    the share, which is 0, and the bucket; without the events that no query of the recursion can match.
    """

    def __init__(self, operator: Operator) -> None:
        self.operator = operator

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        router = Router((self.operator,))
        for batch in batches:
            rows: list[int] = []
            places: list[int] = []
            for row, text in enumerate(batch.column("term").to_pylist()):
                place = _place(router, text)
                if place is not None:
                    rows.append(row)
                    places.append(place)
            taken = batch.take(pa.array(rows, pa.int64()))
            placed = [pa.array([0] * len(rows), pa.int32()), pa.array(places, pa.int32())]
            yield pa.RecordBatch.from_arrays([*placed, *taken.columns], PLACED)


def _place(router: Router, text: str) -> int | None:
    """Returns the bucket of an event; None if it is in none."""
    try:
        found = router.destinations(read_occurrence(0, 0, text))
    except DividedEventError:
        return DIVIDED
    return found[0].bucket if found else None


class RecursionDetector(HistoryDetector):
    """Detector of the events of recursive rules. In: the events that they query, sorted. Out: rows of detections."""

    @cached_property
    def _derived(self) -> frozenset[str]:
        [[module]] = self.shares
        return frozenset(known(module.derives)) if None not in module.derives else frozenset()

    def detections(self, driver: Driver, history: Iterator[Placed]) -> Iterator[Detection]:
        """Yields the detections. Absolute timers end with the recording, after which lower rules may derive events."""
        events: Iterator[Identified] = map(self._qualified, events_of(history))
        end = self.limits.end
        if end is not None:
            later: list[Identified] = []
            yield from pushed(driver, _until(end, events, later))
            yield from driver.advance_to(end)
            if self.limits.until is not None:
                return
            driver.processor.close(driver.state)
            events = chain(later, events)
        yield from pushed(driver, events)
        yield from driver.close()

    def _qualified(self, event: Identified) -> Identified:
        """Returns the event, which differs from all derived ones if its source has given it an id."""
        if not self._derived or event.label in self._derived:
            same = Event(event.term, Interval(event.begin, event.end))
            if same.id != event.id:
                event.qualifier = event.id
        return event


def _until(end: Time, events: Iterator[Identified], later: list[Identified]) -> Iterator[Identified]:
    """Yields the events until a time; the first one behind it is put aside."""
    for event in events:
        if event.end > end:
            later.append(event)
            return
        yield event
