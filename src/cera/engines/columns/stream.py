"""A stream answered micro-batch by micro-batch, by a processor over columns.

It has the methods of a processor (`modules/processor`), but events come as tables, and answers leave as blocks of
columns. A step is all that ends before a time, and the state is the events that may still matter after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from cera.engines.columns.answer_lines import check_length
from cera.engines.columns.answer_order import output_order
from cera.engines.columns.arrow_events import arrow_table, tables_in
from cera.engines.columns.evaluation import AnswerBlock, Evaluation
from cera.engines.columns.event_tables import EventStore, EventTable, distinct_events, occurrences_of
from cera.engines.columns.physical import PhysicalPlan
from cera.engines.columns.readings import Readings
from cera.engines.columns.strings import FEW, Strings
from cera.model.columns.flat_events import arrow_stream
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time


@dataclass
class ColumnsState:
    """The events that may still matter, by label; the time up to which all is answered; and the next time at which
    something ends that no further event is needed for."""

    strings: Strings
    kept: Mapping[str, EventTable] = field(default_factory=dict)
    decided: Time | None = None
    wakeup: Time | None = None
    closing: bool = False


class ColumnsProcessor:
    """The processor of a plan in which events matter for a limited time."""

    def __init__(self, plan: PhysicalPlan) -> None:
        if plan.horizon is None:
            raise ValueError("events of this plan may matter for good")
        self.plan = plan
        self._horizon = plan.horizon
        self._readings = Readings(plan)
        self._strings = Strings()

    @property
    def identity(self) -> object:
        return self.plan

    def start(self) -> ColumnsState:
        return ColumnsState(self._few_strings())

    def advance(self, state: ColumnsState, tables: Mapping[str, EventTable], before: Time | None) -> list[AnswerBlock]:
        """Answers all times before one, or all that there are. Returns each answer once, with its first derivation.

        The events end before that time, are in the order of their ends, have the strings of the state, and none ends
        before an earlier call's time. Raises OutsideColumnsError, and leaves the state as it was, if the events are not
        to be answered in columns.
        """
        last = None if before is None else before - 1
        store = EventStore(self.plan.labels, state.strings, dict(state.kept))
        asked = {label: distinct_events(table) for label, table in tables.items() if label in self.plan.labels}
        found: list[AnswerBlock] = []
        wakeup = state.wakeup
        if any(map(len, asked.values())) or (wakeup is not None and (last is None or wakeup <= last)):
            store.add_tables(asked)
            blocks = Evaluation(self.plan, store).answers(state.decided, None)
            found, wakeup = _up_to(blocks, last, state.strings)
            found = _once(found, state.strings)
        if last is not None:
            store.forget(last - self._horizon - 1, strings=False)
            self._readings.forget(store)
            state.decided = last
        state.kept = {label: table for label, table in store.tables.items() if len(table)}
        state.wakeup = wakeup
        return found

    def next_wakeup(self, state: ColumnsState) -> Time | None:
        return state.wakeup

    def close(self, state: ColumnsState) -> None:
        """Ends the stream: what is still open is answered by the next call for all times."""
        state.closing = True

    def count(self, state: ColumnsState) -> int:
        """Returns how many events are kept."""
        return sum(map(len, state.kept.values()))

    def trim(self, state: ColumnsState) -> bool:
        """Returns whether the state is like a new one."""
        return not state.kept and state.wakeup is None

    def kept_events(self, state: ColumnsState) -> list[Occurrence]:
        """Returns the events that are kept in the order of their ends, for the event-by-event engine."""
        return occurrences_of(state.kept.values())

    def pack(self, state: ColumnsState) -> Any:
        """Returns the state as plain data: columns of Arrow as bytes, and numbers."""
        return packed_tables(state.kept), state.decided, state.wakeup, state.closing

    def unpack(self, data: Any) -> ColumnsState:
        packed, decided, wakeup, closing = data
        strings = self._few_strings()
        return ColumnsState(strings, unpacked_tables(packed, strings), decided, wakeup, closing)

    def _few_strings(self) -> Strings:
        """Returns the strings of all states, or new ones where those are many by now."""
        if len(self._strings) > FEW:
            self._strings = Strings()
        return self._strings


def packed_tables(tables: Mapping[str, EventTable]) -> bytes:
    """Returns tables as a stream of Arrow; nothing if there are no events."""
    table = arrow_table(tables.values())
    return arrow_stream(table) if table.num_rows else b""


def unpacked_tables(data: bytes | memoryview, strings: Strings) -> dict[str, EventTable]:
    """Returns the tables of an Arrow stream of events. Raises OutsideColumnsError if they do not fit into tables."""
    if not len(data):
        return {}
    table = pa.ipc.open_stream(data).read_all()
    table.validate(full=True)  # it may come from a checkpoint: wrong offsets would crash Python
    return tables_in(table, strings)


def _up_to(blocks: list[AnswerBlock], last: Time | None, strings: Strings) -> tuple[list[AnswerBlock], Time | None]:
    """Returns the answers that end up to a time, and when the first of the others ends. Raises OutsideColumnsError if
    one is very long."""
    found: list[AnswerBlock] = []
    later: list[int] = []
    for block in blocks:
        if not len(block.end):
            continue
        check_length(block, strings)
        now = np.ones(len(block.end), np.bool_) if last is None else block.end <= last
        if now.all():
            found.append(block)
            continue
        later.append(int(block.end[~now].min()))
        if now.any():
            found.append(block.take(np.flatnonzero(now)))
    return found, min(later, default=None)


def _once(blocks: list[AnswerBlock], strings: Strings) -> list[AnswerBlock]:
    """Returns the blocks in the order of output, with each event once."""
    if not blocks:
        return []
    order = output_order(blocks, strings)
    sizes = [len(block.end) for block in blocks]
    firsts = np.cumsum(sizes) - sizes
    block_of = np.searchsorted(firsts, order, "right") - 1
    found: list[AnswerBlock] = []
    for number, block in enumerate(blocks):
        places = order[block_of == number] - firsts[number]
        if len(places):
            found.append(block.take(places))
    return found
