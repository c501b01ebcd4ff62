"""Recordings answered in columns where the program and the events allow it.

Where a batch has something that columns do not hold exactly, the event-by-event engine takes the events that still
matter, and goes on from there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from cera.connectors.files import EventFile
from cera.engines.columns.lowering import lower
from cera.engines.columns.physical import PhysicalPlan
from cera.model.events.occurrence import Occurrence
from cera.model.events.states import is_chosen
from cera.model.time.interval import Time
from cera.modules.layering import Layers
from cera.modules.rules.module import RuleModule
from cera.running.flow import Flow
from cera.running.listener import LineOutput, Output
from cera.running.run import Run

#: `0` turns columns off, `1` takes them whatever the size of the input.
SWITCH = "CERA_COLUMNS"
#: From so many bytes of input on columns are taken: less is answered while NumPy is loaded.
COLUMNS_FROM = 2_000_000
#: How many events are in a batch, at least.
BATCH = 100_000
#: How many events are kept; where more matter, the event-by-event engine knows better which.
MOST_KEPT = 500_000


def why_not_in_columns(layers: Layers, max_duration: int | None = None) -> str | None:
    """Returns why a program is answered event by event, whatever its recording; None if it can be in columns."""
    match layers.modules:
        case (RuleModule() as module,):
            found = lower(module.plan, max_duration)
            return found if isinstance(found, str) else None
        case _:
            return "the program has more than rules"


def takes_columns(run: Run, output: Output) -> bool:
    """Returns whether a run is to be answered in columns, if its events allow it."""
    request, switch = run.request, os.environ.get(SWITCH, "")
    if switch == "0" or not isinstance(output, LineOutput):
        return False
    watched = run.each is not None or bool(run.listener.acting)
    if request.in_memory or request.max_delay is not None or request.base or watched:
        return False
    if switch != "1" and _size(run) < COLUMNS_FROM:
        return False
    return why_not_in_columns(run.layers) is None


def _size(run: Run) -> int:
    found = [file for source in run.request.sources for file in source.files(run.request.layout)]
    return sum(file.path.stat().st_size for file in found if isinstance(file, EventFile))


class ColumnsFlow(Flow):
    """A run whose events are taken in batches, as columns."""

    _plan: PhysicalPlan | None = None

    def _drive(
        self, events: Iterator[Occurrence], max_duration: int | None, max_delay: int | None, show: Callable[[str], None]
    ) -> None:
        [module] = self._modules
        assert isinstance(module, RuleModule)
        plan = lower(module.plan, max_duration)
        self._plan = None if isinstance(plan, str) else plan
        super()._drive(events, max_duration, max_delay, show)

    def _take(self, flowing: Iterator[Occurrence], show: Callable[[str], None]) -> None:
        if self._plan is None:
            super()._take(flowing, show)
            return
        from cera.engines.columns.recording import Batches, ColumnsRecording, different
        from cera.engines.columns.rows import OutsideColumnsError

        chosen = self._request.labels
        plan, until = self._plan, self._request.until
        recording = ColumnsRecording(plan, self._request.times, until, lambda label: is_chosen(label, chosen))
        batches = Batches(flowing)
        while batch := batches.next(MOST_KEPT if plan.horizon is None else max(BATCH, len(recording.kept) // 2)):
            events, repeated = different(batch)
            try:
                if plan.horizon is None and not batches.at_end:
                    raise OutsideColumnsError("too many events matter for good")
                answers = recording.answer(events, None if batches.at_end else batch[-1].end)
            except OutsideColumnsError:
                self._hand_over(recording.kept, recording.answered_to, chain(batch, batches.rest()), show)
                return
            for event in repeated:
                self._take_repeated(event)
            self._write_batch(answers.lines, answers.labels)
            self._most_in_state = recording.most_kept
            show(f"{self._admission.read.total():,} events read, {self._written:,} written")
            if len(recording.kept) > MOST_KEPT:
                self._hand_over(recording.kept, recording.answered_to, batches.rest(), show)
                return
        self._admission.report()
        self._out.finish()

    def _write_batch(self, lines: Sequence[str], labels: dict[str, int]) -> None:
        assert self._line_output is not None
        self._derived.update(labels)
        self._written += len(lines)
        if lines:
            self._line_output.write_line("\n".join(lines))

    def _hand_over(
        self, kept: Sequence[Occurrence], after: Time | None, rest: Iterator[Occurrence], show: Callable[[str], None]
    ) -> None:
        """Goes on event by event; what the kept events derived up to a time is written already."""
        self._driver.push(kept)
        if after is not None:
            self._driver.advance_to(after)
        super()._take(rest, show)
