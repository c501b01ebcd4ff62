"""Events of any shape on their way into messages, divided and packed in Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from cera.connectors.records.acceptance import lasts_longer
from cera.connectors.records.layout import Rejected
from cera.engines.spark.division.routing import Destination, DividedEventError, Router
from cera.engines.spark.streaming.messages.messages import OUTPUT, EventCopy, LatePolicy, pack_events, pack_results
from cera.engines.spark.streaming.messages.stage_results import RejectedRecord
from cera.model.events.occurrence import Occurrence

_MESSAGES = pa.schema(
    [pa.field("operator", pa.string()), pa.field("bucket", pa.int32()), pa.field("payload", pa.binary())]
)
#: Looked up once, because there are many events.
_REPORT, _DROP = LatePolicy.REPORT, LatePolicy.DROP


class Packer:
    """A packer: it takes events and gives messages, one for each destination."""

    def __init__(self, router: Router, max_duration: int | None = None) -> None:
        self._router = router
        self._max_duration = max_duration
        self._events: dict[Destination, list[EventCopy]] = {}
        self._results: list[RejectedRecord] = []
        #: The latest end, and the number of events, since the last messages.
        self.latest: int | None = None
        self.size = 0

    def take(self, record: Occurrence | Rejected) -> None:
        if isinstance(record, Rejected):
            self._results.append(RejectedRecord(record.place, record.reason, record.text))
            return
        if self._max_duration is not None and record.end - record.begin > self._max_duration:
            self._reject(record, lasts_longer(self._max_duration))
            return
        self.size += 1
        if self.latest is None or record.end > self.latest:
            self.latest = record.end
        try:
            destinations = self._router.destinations(record)
        except DividedEventError as error:
            self._reject(record, str(error))
            return
        policy = _REPORT
        for destination in destinations:
            self._events.setdefault(destination, []).append((record, policy))
            policy = _DROP

    def _reject(self, event: Occurrence, reason: str) -> None:
        self._results.append(rejection(event, reason))

    def flush(self) -> pa.RecordBatch:
        """Returns the events taken since the last call as messages; the first message comes even if there were none."""
        rows: list[tuple[str, int, bytes]] = [(OUTPUT, 0, pack_results(self._results))]
        rows += [(to.operator, to.bucket, pack_events(events)) for to, events in self._events.items()]
        self._events, self._results, self.latest, self.size = {}, [], None, 0
        columns: Iterable[Sequence[object]] = zip(*rows, strict=True)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, _MESSAGES, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=_MESSAGES)


def rejection(event: Occurrence, reason: str) -> RejectedRecord:
    """Returns the rejection record for an event that cannot be routed."""
    return RejectedRecord(f"event {event.event.id}", reason, str(event.event))
