"""Events flow from sources through a processor, and only what it must remember is kept.

Malformed and late records, and answers, are written as they come; a file appears under its name when the run is done.
With `max_delay` events are taken in the order in which they come. Without it the input is a recording that can be read
twice, and its events are taken in the order of time. What is `in_memory` is read once, and sorted by the driver.
"""

from __future__ import annotations

import heapq
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any

from cera.connectors.event_lines import base_line
from cera.connectors.line_writer import LineWriter
from cera.connectors.ordering import OrderedEvents
from cera.connectors.records.acceptance import in_time
from cera.connectors.records.ahead import Lateness, not_ahead
from cera.connectors.records.layout import Rejected
from cera.constraints.occasions import Seen
from cera.engines.local.answer_lines import AnswerLine, AnswerLines
from cera.errors import DataError
from cera.model.events.attributes import ObservedAttributes
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.occurrence import Occurrence
from cera.model.events.states import announced_end, is_chosen, names_end
from cera.model.time.interval import Interval, Time
from cera.modules.driving import Driver
from cera.modules.processor import AnyProcessor, Detection
from cera.running.admission import Admission
from cera.running.derived_states import DerivedStates, counted_states, ended_states
from cera.running.listener import LineOutput, Output
from cera.running.occasions import Search
from cera.running.open_states import OpenStates, awaited_states, open_derived
from cera.running.outcome import InputCounts, Outcome
from cera.running.request import Request
from cera.running.run import Run

_EVERY = 10_000
_AT_ONCE = 500
#: So many tuples are counted for each event at most: in a large state they are counted less often.
_COUNTED_FOR_EACH = 8

#: So many late events in a row are reported as a problem.
_LATE_EVENTS = 100


class Flow:
    """One run: what flows in and out is counted, and written where the request says.

    `processor` makes the processor, given how long an event can last, and when the recording begins if that is known.
    """

    def __init__(self, processor: Callable[[int | None, Time | None], AnyProcessor], run: Run, output: Output) -> None:
        self._processor = processor
        self._modules = run.layers.modules
        self._each = run.each
        self._request = request = run.request
        self._out = output
        self._listener = listener = run.listener
        self._derived: Counter[str] = Counter()
        self._written = self._late_events = self._repeated = 0
        self._late_ends = self._repaired = 0
        self._late_labels: Counter[str] = Counter()
        self._later_labels: Counter[str] = Counter()
        self._awaited = awaited = awaited_states(run.layers)
        self._open_states = OpenStates(awaited, request.until) if awaited else None
        #: The late events of the piece that is being processed.
        self._late_now: list[Occurrence] = []
        #: The input events that are still to be written, a heap by their ends; None if they are not.
        self._base: list[tuple[Time, int, Event]] | None = [] if request.base else None
        #: Makes the lines of answers of which nothing else is needed.
        by_term = request.base or listener.acting or request.changes
        self._lines = None if by_term else AnswerLines(request.times)
        self._line_output: LineOutput | None = output if isinstance(output, LineOutput) else None
        self._acting = bool(listener.acting)
        self._states = DerivedStates(changes=request.changes)
        #: Answers of a recording that are certain before their end: they are written when their time comes, in order.
        self._early: list[tuple[Time, int, Detection]] = []
        self._numbers = itertools.count()
        self._comes = request.comes
        self._files = ExitStack()
        self._late = run.late
        if self._late is None and request.late is not None:
            writer = self._files.enter_context(LineWriter(request.late))
            self._late = lambda event: writer.write(json.dumps(base_line(event, request.times), ensure_ascii=False))
        self._admission = Admission(run, self._files)
        left_out = request.until is not None or request.max_delay is not None
        self._in_time_only = run.expectations.observer() if request.counts_open and left_out else None
        #: From the first begin to the last end of what is not late, once there is something, where that is asked for.
        self._extent: Interval | None = None
        self._knows_extent = request.counts_open
        self._driver: Driver
        self._recording: OrderedEvents | None = None
        self._lateness = Lateness(_LATE_EVENTS)
        self._in_time = 0
        self._most_in_state = 0
        self._pending: Counter[str] = Counter()
        self._run_settings, self._occasions = run.settings, run.occasions
        #: Looks for occasions of constraints in what comes as it happens.
        self._search: Search | None = None

    def run(self) -> Outcome:
        """Reads all events, writes all answers."""
        failed: DataError | None = None
        with self._files, self._listener.progress("reading events") as show:
            try:
                self._run(show)
            except DataError as error:
                failed = error  # raised when what was rejected is in its file
        if failed is not None:
            raise failed
        self._listener.performed()
        counted = self._driver.counts
        observed = self._admission.observed
        derived = counted_states(self._derived, changes=self._request.changes)
        ended = ended_states(self._derived)
        open_states = open_derived(self._awaited, derived, ended)
        if self._open_states is not None:
            open_states += self._open_states.by_label()
        return Outcome(
            self._counts,
            derived,
            self._written,
            counted.undefined,
            counted.left_out,
            observed,
            open_states=open_states,
            ended_states=ended,
            pending=self._pending,
            most_in_state=self._most_in_state,
            observed_in_time=self._in_time_only,
            extent=self._extent if self._knows_extent else None,
        )

    @property
    def _counts(self) -> InputCounts:
        admitted = self._admission
        records = admitted.read.total() - self._late_events + self._repeated
        return InputCounts(
            admitted.read,
            records,
            self._repeated,
            self._later_labels.total(),
            self._late_events,
            admitted.rejected,
            admitted.changed,
            self._repaired + self._driver.repaired,
            self._late_ends,
            self._late_labels,
            self._later_labels,
        )

    def _run(self, show: Callable[[str], None]) -> None:
        request, longest = self._request, self._request.max_duration
        if request.in_memory:
            self._drive(self._arrivals(longest), longest, request.max_delay, show)
            return
        if request.max_delay is not None:
            if longest is None and request.layout.is_points:
                longest = 0
            if self._occasions is not None:
                self._search = self._occasions.search(None, partial(self._run_settings, longest))
                self._search.start(request.max_delay)
            self._drive(self._arrivals(longest), longest, request.max_delay, show)
            return
        with OrderedEvents(request.sources, request.layout, tell=show) as recording:
            if request.strict:
                self._check(recording)
            known = recording.longest if longest is None else min(recording.longest, longest)
            self._recording = recording
            self._drive(self._admission.accepted(recording, longest), known, 0, show)
            if self._occasions is not None:
                search = self._occasions.search(self._seen, partial(self._run_settings, known))
                search.look_through(_usable(recording, longest, request.until))

    @property
    def _seen(self) -> Seen:
        """What there was in the events that were neither late nor after `until`, and in what was derived."""
        observed = self._in_time_only or self._admission.observed
        return Seen(self._counts.used_labels | self._derived.keys(), observed.missing, observed.missing_values)

    def _check(self, recording: OrderedEvents) -> None:
        """Ends a strict run with a malformed record before anything is answered, written or done."""
        for _ in self._admission.accepted(recording.unsorted(), self._request.max_duration):
            pass
        self._admission.report()
        self._admission.start_again()

    def _begin(self, events: Iterator[Occurrence]) -> tuple[Time | None, Iterator[Occurrence]]:
        """Returns when a recording of points begins, before which nothing that comes later does, and its events."""
        first = next(events, None)
        return (None, events) if first is None else (first.end, itertools.chain((first,), events))

    def _drive(
        self, events: Iterator[Occurrence], max_duration: int | None, max_delay: int | None, show: Callable[[str], None]
    ) -> None:
        begin: Time | None = None
        if self._recording is not None and max_duration == 0:
            begin, events = self._begin(events)
        processor = self._processor(max_duration, begin)
        self._driver = Driver(processor, max_delay, self._take_late, self._take_repeated)
        until = self._request.until
        self._take(events if until is None else self._ended_by(until, events), show)

    def _take(self, flowing: Iterator[Occurrence], show: Callable[[str], None]) -> None:
        """Takes events into the driver, writes what it finds, and ends the run."""
        driver, until = self._driver, self._request.until
        number = count_at = live = 0
        # a recording is taken in pieces; of what comes as it happens, every event is answered at once
        alone = self._comes or self._base is not None or self._each is not None
        size = 1 if alone else _AT_ONCE
        while piece := list(itertools.islice(flowing, size)):
            late = self._late_events
            self._late_now.clear()
            found = driver.push(piece)
            if self._search is not None:
                self._search.push(piece)
            if self._open_states is not None:
                self._take_states(piece, self._open_states)
            if self._in_time_only is not None and until is None:
                self._look_at(self._not_late(piece), self._in_time_only)
            if self._knows_extent:
                self._extend(self._not_late(piece))
            if alone and self._late_events == late:
                self._keep_base(piece[0], number)
                if self._each is not None:
                    self._each(piece[0].event)
            if found:
                self._write(self._states.shown(found))
            number += len(piece)
            if (not alone or number % _EVERY < size) and number >= count_at:
                live = self._count_state()
                count_at = number + live // _COUNTED_FOR_EACH
            if number % _EVERY < size:
                show(f"{number:,} events read, {self._written:,} written, {live:,} tuples in state")
                if driver.closed_to is not None:
                    self._write_base(driver.closed_to)
        if not alone:
            self._count_state()
        self._admission.report()
        self._write(self._states.shown(driver.close() if until is None else driver.advance_to(until)))
        self._write_answers(self._certain_before(until))
        self._write_base(None)
        self._write(self._states.still_open())
        self._out.finish()
        if self._search is not None:
            self._search.finish()
        if until is not None and self._request.counts_open:
            later = [one.result() for one in driver.close() if is_chosen(one.label, self._request.labels)]
            self._pending = Counter(one.derivations[0].rule for one in later if one.event.end > until)

    def _count_state(self) -> int:
        """Returns the number of tuples in state, and takes note of it."""
        live = self._driver.counts.in_state
        self._most_in_state = max(self._most_in_state, live)
        return live

    def _ended_by(self, until: Time, events: Iterator[Occurrence]) -> Iterator[Occurrence]:
        """Yields the events up to `until`; those behind it make others late too, as without it."""
        delay = self._request.max_delay
        last: Occurrence | None = None
        together: set[Event] = set()  # those behind it that end with the last one, where there are several
        for event in events if delay is None else in_time(events, delay, self._take_late, self._take_repaired):
            if event.end <= until:
                if self._in_time_only is not None:
                    self._look_at((event,), self._in_time_only)
                yield event
                continue
            if last is None or last.end != event.end:
                last = event
                together.clear()
            else:
                together.add(last.event)
                if event.event in together:
                    self._take_repeated(event)
                    continue
                together.add(event.event)
            self._later_labels[event.label] += 1
            if self._each is not None:
                self._each(event.event)

    def _arrivals(self, max_duration: int | None) -> Iterator[Occurrence]:
        """Yields the events in the order in which they come."""
        return self._admission.accepted(arrivals(self._request), max_duration)

    def _write(self, derived: Iterable[Detection]) -> None:
        """Writes the answers of some steps in the order of output, and does what their rules want done."""
        self._write_answers(derived if self._comes else self._in_order(derived))

    def _in_order(self, derived: Iterable[Detection]) -> Iterator[Detection]:
        """Yields answers in the order of their ends; those that were certain before their end wait for it."""
        for one in derived:
            if one.early is not None:
                heapq.heappush(self._early, (one.end, next(self._numbers), one))
                continue
            if self._early:
                yield from self._certain_before(one.end)
            yield one

    def _certain_before(self, end: Time | None) -> Iterator[Detection]:
        """Yields the answers that waited and end by a time, or all of them."""
        while self._early and (end is None or self._early[0][0] <= end):
            yield heapq.heappop(self._early)[2]

    def _write_answers(self, derived: Iterable[Detection]) -> None:
        for end, together in itertools.groupby(derived, key=attrgetter("end")):
            answers = list(together)
            if not self._write_lines(answers):
                self._write_results(end, answers)

    def _write_lines(self, answers: Sequence[Detection]) -> bool:
        """Writes the answers of one time if nothing but their lines is needed. Returns whether it did."""
        if self._lines is None or self._line_output is None:
            return False
        lines: list[AnswerLine] = []
        for one in answers:
            line = self._lines.line(one)
            if line is None:
                return False
            lines.append(line)
        if len(lines) > 1:
            lines.sort(key=attrgetter("order"))
        for line in lines:
            self._derived[line.label] += 1
            if is_chosen(line.label, self._request.labels):
                self._written += 1
                self._line_output.write_line(line.text)
        return True

    def _write_results(self, end: Time, answers: Sequence[Detection]) -> None:
        self._write_base(end - 1)
        items: list[Event | DerivedEvent] = []
        results = sorted((one.result() for one in answers), key=_output_key)
        for one in results:
            if one.completes and not self._request.changes:
                one = replace(one, completes=())
            if self._acting:
                self._listener.perform([one])
            self._derived[one.event.label] += 1
            if is_chosen(one.event.label, self._request.labels):
                items.append(one)
        if self._base:
            known = {one.event for one in results}
            items += (event for event in self._base_until(end) if event not in known)
            items.sort(key=_output_key)
        for item in items:
            self._written += 1
            self._out.write(item)

    def _keep_base(self, event: Occurrence, number: int) -> None:
        if self._base is not None and is_chosen(event.label, self._request.labels):
            heapq.heappush(self._base, (event.end, number, event.event))

    def _write_base(self, end: Time | None) -> None:
        """Writes the input events up to a time of which all is known, or all of them."""
        if self._base:
            for event in sorted(self._base_until(end), key=_output_key):
                self._written += 1
                self._out.write(event)

    def _base_until(self, end: Time | None) -> Iterable[Event]:
        """Takes the input events up to a time out of those that are kept; equal ones are one."""
        found: dict[Event, None] = {}
        while self._base and (end is None or self._base[0][0] <= end):
            found[heapq.heappop(self._base)[2]] = None
        return found

    def _take_states(self, piece: Sequence[Occurrence], states: OpenStates) -> None:
        for event in self._not_late(piece):
            states.take(event, self._driver.closed_to)

    def _not_late(self, piece: Sequence[Occurrence]) -> Iterator[Occurrence]:
        late = set(map(id, self._late_now))
        return (event for event in piece if id(event) not in late)

    def _look_at(self, events: Iterable[Occurrence], observed: ObservedAttributes) -> None:
        for event in events:
            if event.label in observed.missing:
                observed.look(event)

    def _extend(self, events: Iterable[Occurrence]) -> None:
        for event in events:
            announced = announced_end(event.qualifier)
            end = event.end if announced is None else max(event.end, announced)
            found = self._extent or (event.begin, end)
            self._extent = Interval(min(found[0], event.begin), max(found[1], end))

    def _take_repaired(self) -> None:
        self._repaired += 1

    def _take_late(self, event: Occurrence) -> None:
        self._late_events += 1
        self._late_labels[event.label] += 1
        self._late_now.append(event)
        self._late_ends += names_end(event.label, event.qualifier)
        between = self._driver.arrived - self._in_time
        self._in_time = self._driver.arrived
        if self._lateness.take(between + 1, 1):
            self._listener.nearly_all_late(self._lateness.late, self._lateness.events, self._driver.closed_to)
        if self._late is not None:
            self._late(event.event)

    def _take_repeated(self, event: Occurrence) -> None:
        self._repeated += 1
        self._admission.read[event.label] -= 1


def _output_key(item: Event | DerivedEvent) -> tuple[Any, ...]:
    return item.event.output_key if isinstance(item, DerivedEvent) else item.output_key


def _usable(records: Iterable[Occurrence | Rejected], longest: int | None, until: Time | None) -> Iterator[Occurrence]:
    """Yields the events among records that are no longer than allowed, and not after `until`."""
    for each in records:
        if isinstance(each, Rejected) or (longest is not None and each.end - each.begin > longest):
            continue
        if until is None or each.end <= until:
            yield each


def arrivals(request: Request) -> Iterator[Occurrence | Rejected]:
    """Returns the records of all sources in the order in which they come."""
    sources = request.sources
    found = [not_ahead(source.occurrences(request.layout), request.max_ahead.get(source)) for source in sources]
    return itertools.chain.from_iterable(found)
