"""Recordings answered in columns where the program and the events allow it.

Where a batch has something that columns do not hold exactly, the event-by-event engine takes the events that still
matter, and goes on from there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from cera.connectors.fast_jsonl import unreadable
from cera.connectors.files import EventFile
from cera.connectors.ordering import OrderedEvents, changed, checked_order
from cera.connectors.records.layout import Rejected
from cera.engines.columns.lowering import lower
from cera.engines.columns.physical import PhysicalPlan
from cera.engines.columns.splitting import RuleGroup, Split, split
from cera.model.events.occurrence import Occurrence
from cera.model.events.states import is_chosen
from cera.model.time.interval import Time
from cera.modules.layered_processor import LayeredProcessor
from cera.modules.layering import Layers
from cera.modules.module import Settings
from cera.modules.rules.module import RuleModule
from cera.running.flow import Flow
from cera.running.listener import LineOutput, Output
from cera.running.outcome import Outcome
from cera.running.request import Request
from cera.running.run import Run

if TYPE_CHECKING:
    from cera.engines.columns.answer_lines import OrderedLines
    from cera.engines.columns.event_tables import EventTable
    from cera.engines.columns.recording import ColumnsRecording
    from cera.engines.local.processor import RuleProcessor
    from cera.running.split_recording import SplitRecording

#: `0` turns columns off, `1` takes them whatever the size of the input.
SWITCH = "CERA_COLUMNS"
#: From so many bytes of input on columns are taken: less is answered while NumPy is loaded.
COLUMNS_FROM = 2_000_000
#: How many events are in a batch, at least.
BATCH = 100_000
#: After so many blocks in a row that are not columns, the rest of a file is read line by line.
MOST_OTHERS = 8
#: How many events are kept that some rule reads; where there are more, the event-by-event engine knows better which
#: matter. A million of them, the readings of a minute for the average rule, took 760 MB in all.
MOST_KEPT = 2_000_000
#: How many events are in a recording that is one batch, because events matter for good.
MOST_AT_ONCE = 500_000


def why_not_in_columns(layers: Layers, max_duration: int | None = None) -> str | None:
    """Returns why a program is not answered in columns as a whole, whatever its recording; None if it can be."""
    match layers.modules:
        case (RuleModule() as module,):
            found = lower(module.plan, max_duration)
            return found if isinstance(found, str) else None
        case _:
            return "the program has more than rules"


def rules_in_columns(layers: Layers, max_duration: int | None = None) -> Split | None:
    """Returns which rules of a program that is not in columns as a whole are; None if it has more than rules."""
    match layers.modules:
        case (RuleModule() as module,):
            return split(module.plan, max_duration)
        case _:
            return None


@dataclass(frozen=True)
class ColumnsExplanation:
    """How recordings are answered: data that prints as JSON, and lines for a person."""

    data: Mapping[str, Any]
    lines: tuple[str, ...]


def explained_columns(layers: Layers, max_duration: int | None) -> ColumnsExplanation:
    """Returns whether a program is answered in columns, or which of its rules are, and why not."""
    reason = why_not_in_columns(layers, max_duration)
    data = {"columns": reason is None, "reason": reason}
    title = "recordings on the local engine: "
    where = f"from {COLUMNS_FROM // 1_000_000} MB of input on, where the events are flat"
    if reason is None:
        return ColumnsExplanation(data, (f"{title}in columns {where}",))
    found = rules_in_columns(layers, max_duration)
    if found is None:
        return ColumnsExplanation({**data, "rules": []}, (f"{title}event by event, because {reason}",))
    # how long events last is often not known here, but when a recording is read
    points = rules_in_columns(layers, 0) if max_duration is None else found
    assert points is not None
    reasons = points.reasons
    rules = [
        {"rule": name, "columns": each is None, "points": bool(found.reasons[name]) and each is None, "reason": each}
        for name, each in reasons.items()
    ]
    count = sum(each is None for each in reasons.values())
    lines = [f"{title}{count} of {len(rules)} rules in columns {where}"]
    if not count:
        lines = [f"{title}event by event, because {reason}"]
    for name, each in reasons.items() if len(rules) > 1 else ():
        ways = ("in columns", "in columns if its events are points") if each is None else ()
        way = ways[found.reasons[name] is not None] if ways else f"event by event, because {each}"
        lines.append(f"  {name}: {way}")
    return ColumnsExplanation({**data, "rules": rules}, tuple(lines))


def takes_columns(run: Run, output: Output) -> bool:
    """Returns whether a run is to be answered in columns, if its events allow it."""
    request, switch = run.request, os.environ.get(SWITCH, "")
    if switch == "0" or not isinstance(output, LineOutput):
        return False
    watched = run.each is not None or bool(run.listener.acting)
    if request.in_memory or request.max_delay is not None or request.base or watched:
        return False
    size = None if switch == "1" else _size(request)
    if size is not None and size < COLUMNS_FROM:
        return False
    if why_not_in_columns(run.layers) is None:
        return True
    found = rules_in_columns(run.layers, 0)  # how long events last is not known yet
    return found is not None and bool(found.groups)


def _processor(group: RuleGroup, settings: Settings) -> RuleProcessor:
    return RuleModule.processor_of(group.plan, replace(settings, max_duration=group.max_duration))


def _size(request: Request) -> int | None:
    """Returns how many bytes the input has; None where that is known when standard input was read."""
    if any(source.is_standard_input for source in request.sources):
        return None
    layout = request.layout
    found = [file for source in request.sources for file in source.files(layout, parquet=layout.is_flat)]
    return sum(file.path.stat().st_size for file in found if isinstance(file, EventFile))


class ColumnsFlow(Flow):
    """A run whose events are taken in batches, as columns."""

    #: The plan in columns of all rules, or the groups of a plan that is split; neither where columns do not help.
    _plan: PhysicalPlan | None = None
    _groups: tuple[RuleGroup, ...] = ()
    _processors: Sequence[RuleProcessor] = ()

    def run(self) -> Outcome:
        if _size(self._request) is not None:
            self._keep_memory()
        return super().run()

    def _keep_memory(self) -> None:
        from cera.engines.columns.memory import kept_memory

        self._files.enter_context(kept_memory())

    def _drive(
        self, events: Iterator[Occurrence], max_duration: int | None, max_delay: int | None, show: Callable[[str], None]
    ) -> None:
        [module] = self._modules
        assert isinstance(module, RuleModule)
        if self._is_large():
            self._lower(module, max_duration)
        super()._drive(events, max_duration, max_delay, show)

    def _lower(self, module: RuleModule, max_duration: int | None) -> None:
        plan = lower(module.plan, max_duration)
        if not isinstance(plan, str):
            self._plan = plan
            return
        self._groups = groups = split(module.plan, max_duration).groups
        if groups:
            settings = self._run_settings(max_duration)
            self._processors = [_processor(group, settings) for group in groups]
            self._processor = lambda *_: LayeredProcessor([[each] for each in self._processors])

    def _is_large(self) -> bool:
        """Returns whether the recording is large enough for columns, which of standard input is known by now."""
        if _size(self._request) is None:
            assert self._recording is not None
            if os.environ.get(SWITCH) != "1" and self._recording.size < COLUMNS_FROM:
                return False
            self._keep_memory()
        return True

    def _check(self, recording: OrderedEvents) -> None:
        from cera.engines.columns.block_readers import accepts_all

        longer = self._request.max_duration is not None and not self._request.layout.is_points
        if longer or recording.not_read or not accepts_all(recording, self._request.layout):
            super()._check(recording)

    def _begin(self, events: Iterator[Occurrence]) -> tuple[Time | None, Iterator[Occurrence]]:
        # blocks have all events, also the first one, which would be counted twice; rules do not ask for the begin
        return (None, events) if self._in_columns else super()._begin(events)

    @property
    def _in_columns(self) -> bool:
        return self._plan is not None or bool(self._groups)

    def _take(self, flowing: Iterator[Occurrence], show: Callable[[str], None]) -> None:
        if not self._in_columns:
            super()._take(flowing, show)
            return
        from cera.engines.columns.recording import Batches, different
        from cera.engines.columns.rows import OutsideColumnsError

        self._knows_extent = False  # not all events come by
        recording = self._recording_in_columns()
        # events of a split plan matter for a limited time to what is in columns
        at_once = self._plan is not None and self._plan.horizon is None
        rest = flowing if at_once else self._take_blocks(recording, flowing, show)
        if rest is None:
            return
        batches = Batches(rest)
        while batch := batches.next(MOST_AT_ONCE if at_once else max(BATCH, recording.kept // 2)):
            events, repeated = different(batch)
            try:
                if at_once and not batches.at_end:
                    raise OutsideColumnsError("too many events matter for good")
                answers = recording.answer(events, None if batches.at_end else batch[-1].end)
            except OutsideColumnsError:
                self._hand_over(recording, chain(batch, batches.rest()), show)
                return
            for event in repeated:
                self._take_repeated(event)
            self._write_batch(recording, answers, show)
            if recording.kept > MOST_KEPT:
                self._hand_over(recording, batches.rest(), show)
                return
        self._admission.report()
        self._out.finish()

    def _recording_in_columns(self) -> ColumnsRecording | SplitRecording:
        from cera.engines.columns.recording import ColumnsRecording
        from cera.running.split_recording import SplitRecording

        request = self._request

        def chosen(label: str) -> bool:
            return is_chosen(label, request.labels)

        if self._plan is not None:
            return ColumnsRecording(self._plan, request.times, request.until, chosen)
        processors = zip(self._processors, self._driver.state.parts, strict=True)
        return SplitRecording(self._groups, processors, request.times, request.until, chosen)

    def _take_blocks(
        self,
        recording: ColumnsRecording | SplitRecording,
        flowing: Iterator[Occurrence],
        show: Callable[[str], None],
    ) -> Iterator[Occurrence] | None:
        """Answers blocks of lines as long as they are columns. Returns the events that are left; None if none are."""
        from cera.engines.columns.block_readers import blocks_of
        from cera.engines.columns.event_blocks import EventBlocks
        from cera.engines.columns.event_tables import FEW_STRINGS, all_joined, cut, occurrences_of, tables_of
        from cera.engines.columns.ordered_blocks import ordered_blocks
        from cera.engines.columns.rows import OutsideColumnsError

        request, ordered = self._request, self._recording
        longer = request.max_duration is not None and not request.layout.is_points
        asked = longer or request.until is not None or self._admission.counts_changes
        if ordered is None or asked:
            return flowing
        file = ordered.file_in_order
        blocks: EventBlocks | None
        if file is None:
            blocks = ordered_blocks(ordered, request.layout, recording.strings)
        else:
            blocks = blocks_of(file, request.layout, recording.strings)
        if blocks is None:
            return flowing
        waiting: dict[str, EventTable] = {}
        last: Time | None = None
        others = 0

        def accepted(records: Iterator[Occurrence | Rejected]) -> Iterator[Occurrence]:
            return self._admission.accepted(checked_order(records, ordered.longest, last), request.max_duration)

        try:
            for block in blocks:
                others = 0 if block.tables is not None else others + 1
                if (
                    block.is_last
                    or others > MOST_OTHERS
                    or len(recording.strings) > FEW_STRINGS
                    or recording.kept > MOST_KEPT
                ):
                    return chain(occurrences_of(waiting.values()), accepted(blocks.rest(block)))
                if block.tables is None:
                    events = list(accepted(block.records()))
                    last = events[-1].end if events else last
                    try:
                        waiting = all_joined(waiting, tables_of(events, recording.strings))
                    except OutsideColumnsError:
                        return chain(occurrences_of(waiting.values()), events, accepted(blocks.rest()))
                elif block.tables:
                    if (last is not None and block.first_end < last) or block.longest > ordered.longest:
                        raise changed()
                    try:
                        waiting = all_joined(waiting, block.tables)
                    except OutsideColumnsError:
                        return chain(occurrences_of(waiting.values()), accepted(blocks.rest(block)))
                    last = block.last_end
                    self._admission.take_many({name: len(t) for name, t in block.tables.items()}, block.examples)
                    self._admission.take_values({name: t.distinct for name, t in block.tables.items()})
                for _ in self._admission.accepted(block.rejected, None):
                    pass
                if last is None:
                    continue
                if sum(map(len, waiting.values())) < max(BATCH, recording.kept // 2):
                    continue
                parts = {name: cut(table, last - 1) for name, table in waiting.items()}
                now = {name: part for name, (part, _) in parts.items()}
                if not self._answer_tables(recording, now, last - 1, show):
                    rest = chain(occurrences_of(waiting.values()), accepted(blocks.rest()))
                    self._hand_over(recording, rest, show)
                    return None
                waiting = {name: part for name, (_, part) in parts.items()}
        except OSError as error:
            assert file is not None  # others say it themselves
            for _ in self._admission.accepted([unreadable(file, error)], None):
                pass
        if self._answer_tables(recording, waiting, None, show):
            self._admission.report()
            self._out.finish()
        else:
            self._hand_over(recording, iter(occurrences_of(waiting.values())), show)
        return None

    def _answer_tables(
        self,
        recording: ColumnsRecording | SplitRecording,
        tables: Mapping[str, EventTable],
        last: Time | None,
        show: Callable[[str], None],
    ) -> bool:
        """Writes the answers of tables up to a time, None for all. Returns False if they are outside of columns."""
        from cera.engines.columns.event_tables import distinct_events
        from cera.engines.columns.rows import OutsideColumnsError

        different = {label: distinct_events(table) for label, table in tables.items()}
        try:
            answers = recording.answer_tables(different, last)
        except OutsideColumnsError:
            return False
        for label, table in tables.items():
            repeated = len(table) - len(different[label])
            self._repeated += repeated
            self._admission.read[label] -= repeated
        self._write_batch(recording, answers, show)
        return True

    def _write_batch(
        self, recording: ColumnsRecording | SplitRecording, answers: OrderedLines, show: Callable[[str], None]
    ) -> None:
        assert self._line_output is not None
        self._derived.update(answers.labels)
        self._written += answers.count
        self._most_in_state = recording.most_kept
        for text in answers.texts:
            self._line_output.write_lines(text)
        show(f"{self._admission.read.total():,} events read, {self._written:,} written")

    def _hand_over(
        self, recording: ColumnsRecording | SplitRecording, rest: Iterator[Occurrence], show: Callable[[str], None]
    ) -> None:
        """Goes on event by event; what the kept events derived up to a time is written already."""
        from cera.engines.columns.recording import ColumnsRecording

        if isinstance(recording, ColumnsRecording):
            self._driver.push(recording.kept_events())
        else:
            recording.hand_over()
        if recording.answered_to is not None:
            self._driver.advance_to(recording.answered_to)
        super()._take(rest, show)
