"""One part of an operator whose events are answered in columns: takes messages, and answers up to the watermark.

Messages with columns become tables without an object for an event. Where events do not fit into columns, this part goes
on event by event: the event-by-event engine takes the events that still matter, whose answers are given already, and
its state takes the place of that of columns. So the bytes of a state say how it goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa

from cera.engines.columns.arrow_events import tables_in
from cera.engines.columns.evaluation import AnswerBlock
from cera.engines.columns.event_tables import EventTable, all_joined, cut, occurrences_of, tables_of
from cera.engines.columns.physical import PhysicalPlan
from cera.engines.columns.rows import OutsideColumnsError
from cera.engines.columns.stream import ColumnsProcessor, ColumnsState, packed_tables, unpacked_tables
from cera.engines.columns.strings import Strings
from cera.engines.local.state_bytes import dump, restore
from cera.engines.spark.streaming.messages.messages import (
    LatePolicy,
    event_count,
    first_end,
    table_data,
    unpack_events,
)
from cera.engines.spark.streaming.messages.packed_tables import read_rows
from cera.engines.spark.streaming.state.kernel import Kernel, Outcome, Part
from cera.model.columns.flat_events import END, REPORTED_IF_LATE
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time
from cera.modules.processor import Counts

#: The beginning of the state of a part in columns. That of other parts begins with the state of a processor.
_COLUMNS = "columns"
#: How many events are kept; where more matter, the event-by-event engine knows better which.
_MOST_KEPT = 500_000

Tables = dict[str, EventTable]


@dataclass
class ColumnsPart:
    """The state of one bucket: that of the processor over columns, the events that wait, and the timer that is set; or,
    in `events`, the part that goes on event by event."""

    state: ColumnsState
    waiting: Tables = field(default_factory=dict)
    payloads: list[bytes] = field(default_factory=list)
    timer: int | None = None
    events: Part | None = None


@dataclass(frozen=True)
class ColumnsOutcome(Outcome):
    """The result of a call whose answers are columns."""

    blocks: Sequence[AnswerBlock] = ()
    strings: Strings = field(default_factory=Strings)


class ColumnsKernel:
    """A plan over parts. `by_event` makes the kernel that takes parts over; with `starts` new parts are in columns."""

    def __init__(self, plan: PhysicalPlan, by_event: Callable[[], Kernel], *, starts: bool = True) -> None:
        self.processor = ColumnsProcessor(plan)
        self._by_event = by_event
        self._starts = starts

    @cached_property
    def events(self) -> Kernel:
        """The kernel that goes on event by event, compiled when a part needs it."""
        return self._by_event()

    def counts(self, part: ColumnsPart) -> Counts:
        """Returns how many events are kept or wait; in columns nothing is undefined, and rules leave nothing out."""
        if part.events is not None:
            return self.events.counts(part.events)
        waiting = sum(map(len, part.waiting.values())) + sum(map(event_count, part.payloads))
        return Counts(self.processor.count(part.state) + waiting, 0, self._undefined())

    def _undefined(self) -> int:
        """Returns how many expressions had no value, in all parts since this kernel was made."""
        if "events" not in vars(self):  # not compiled yet
            return 0
        processor = self.events.processor
        return processor.counts(processor.start()).undefined

    def load(self, data: bytes | None) -> ColumnsPart:
        if data is None:
            part = ColumnsPart(self.processor.start())
            return part if self._starts else self._handed_over(part)
        known = restore(data)
        if known[0] != _COLUMNS:
            events = self.events.load(data)
            return ColumnsPart(self.processor.start(), timer=events.timer, events=events)
        _, packed, waiting, payloads, timer = known
        state = self.processor.unpack(packed)
        part = ColumnsPart(state, unpacked_tables(waiting, state.strings), payloads, timer)
        return part if self._starts else self._handed_over(part)

    def save(self, part: ColumnsPart) -> bytes | None:
        """Returns the part as bytes; None if it is empty."""
        if part.events is not None:
            part.events.timer = part.timer
            return self.events.save(part.events)
        if self.processor.trim(part.state) and not part.waiting and not part.payloads:
            return None
        waiting = packed_tables(part.waiting)
        return dump((_COLUMNS, self.processor.pack(part.state), waiting, part.payloads, part.timer))

    def advance(self, part: ColumnsPart, payloads: Iterable[bytes], watermark: Time) -> Outcome:
        """Takes the events of payloads, and decides all times before the watermark."""
        payloads = list(payloads)
        if part.events is None:
            try:
                found = self._advance(part, payloads, watermark)
            except OutsideColumnsError:
                self._hand_over(part)
            else:
                if self.processor.count(part.state) > _MOST_KEPT:
                    self._hand_over(part)
                return found
        assert part.events is not None
        return self.events.advance(part.events, payloads, watermark)

    def _advance(self, part: ColumnsPart, payloads: Sequence[bytes], watermark: Time) -> ColumnsOutcome:
        """Raises OutsideColumnsError, and leaves the part as it was, if the events cannot be answered in columns."""
        strings = part.state.strings
        passed = [payload for payload in (*part.payloads, *payloads) if first_end(payload) < watermark]
        later = [payload for payload in (*part.payloads, *payloads) if first_end(payload) >= watermark]
        known = set(map(id, part.payloads))  # of these no event was late when it came
        late: list[Occurrence] = []
        tables = dict(part.waiting)
        for payload in passed:
            events, too_late = _read(payload, watermark if id(payload) not in known else None, strings)
            tables = all_joined(tables, events)
            late += too_late
        parts = {label: cut(_sorted(table), watermark - 1) for label, table in tables.items()}
        blocks = self.processor.advance(part.state, {label: now for label, (now, _) in parts.items()}, watermark)
        part.waiting = {label: rest for label, (_, rest) in parts.items() if len(rest)}
        part.payloads = later
        times = [first_end(payload) for payload in later]
        times += [int(table.end[0]) for table in part.waiting.values()]
        wakeup = self.processor.next_wakeup(part.state)
        if wakeup is not None:
            times.append(wakeup)
        return ColumnsOutcome((), late, min(times, default=None), blocks=blocks, strings=strings)

    def _handed_over(self, part: ColumnsPart) -> ColumnsPart:
        self._hand_over(part)
        return part

    def _hand_over(self, part: ColumnsPart) -> None:
        """Lets a part go on event by event; what its events have derived so far is not derived again."""
        processor, state = self.events.processor, part.state
        own = processor.start()
        if state.decided is not None:
            processor.advance(own, self.processor.kept_events(state), state.decided + 1)
        waiting = occurrences_of(part.waiting.values())
        part.events = Part(own, waiting, part.payloads, part.timer)
        part.state, part.waiting, part.payloads = self.processor.start(), {}, []


def _read(payload: bytes, watermark: Time | None, strings: Strings) -> tuple[Tables, list[Occurrence]]:
    """Returns the events of a payload by label, and those that are late and reported; None: none is late. Raises
    OutsideColumnsError if they are not columns."""
    data = table_data(payload)
    if data is None:
        return _read_events(payload, watermark, strings)
    table = pa.ipc.open_stream(data).read_all()
    table.validate(full=True)  # it may come from a checkpoint: wrong offsets would crash Python
    late: list[Occurrence] = []
    if watermark is not None and first_end(payload) < watermark:
        times = table.column(END).to_numpy()
        too_late = times < watermark
        if too_late.any():
            rows = table.filter(pa.array(too_late))
            reported = rows
            if REPORTED_IF_LATE in table.column_names:
                reported = rows.filter(rows.column(REPORTED_IF_LATE))
            late = read_rows(reported)[0] if reported.num_rows else []
            table = table.filter(pa.array(~too_late))
    return (tables_in(table, strings) if table.num_rows else {}), late


def _read_events(payload: bytes, watermark: Time | None, strings: Strings) -> tuple[Tables, list[Occurrence]]:
    """The same for events that were packed one by one."""
    events, policies = unpack_events(payload)
    if watermark is None:
        return _tables(events, strings), []
    late: list[Occurrence] = []
    taken: list[Occurrence] = []
    for event, policy in zip(events, policies, strict=True):
        if policy is LatePolicy.TAKE or event.end >= watermark:
            taken.append(event)
        elif policy is LatePolicy.REPORT:
            late.append(event)
    return _tables(taken, strings), late


def _tables(events: list[Occurrence], strings: Strings) -> Tables:
    return {label: _sorted(table) for label, table in tables_of(events, strings).items()}


def _sorted(table: EventTable) -> EventTable:
    """Returns the events in the order of their ends."""
    if not len(table) or bool((table.end[1:] >= table.end[:-1]).all()):
        return table
    return table.take(np.argsort(table.end, kind="stable"))
