"""The reports of a stream on standard error, micro-batch by micro-batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cera.automata.module import VIOLATION, AutomatonModule
from cera.automata.uniqueness import UniqueModule
from cera.cli import report
from cera.cli.ahead import warn_of_lateness
from cera.cli.constraint_report import EVERYTHING, Tally, show_so_far, unadmitted
from cera.cli.constraint_tally import show_violated
from cera.cli.recording import show_rejected
from cera.cli.verdicts import Verdict
from cera.cli.verification import automata_of, constraints_of, instances, violations_text
from cera.connectors.line_writer import write_output
from cera.connectors.records.layout import Rejected
from cera.constraints.module import ConstraintModule
from cera.model.time.time_text import TimeFormat
from cera.modules.layering import Layers
from cera.program import Program
from cera.running.admission import REJECTED_SHOWN
from cera.running.derived_states import ended_states
from cera.running.refreshing import not_read_again
from cera.running.streams.listener import StreamListener
from cera.running.streams.running_stream import BatchReport, StreamCounts
from cera.wording import on_command_line


def undefined_text(number: int) -> str:
    return f", {report.count(number, 'expression')} without a value" if number else ""


#: Why events belong to no history of a module: of most modules, and of automata.
NO_KEY = "without the attribute that a module is partitioned by"
NOT_AWAITED = "that no instance waited for"


def left_out_reason(layers: Layers) -> str:
    """Returns why events are left out by the modules of a program."""
    divided = [each for each in layers.modules if not isinstance(each, ConstraintModule)]
    found = {NOT_AWAITED if isinstance(module, AutomatonModule | UniqueModule) else NO_KEY for module in divided}
    return found.pop() if len(found) == 1 else f"{NO_KEY}, or {NOT_AWAITED}" if NOT_AWAITED in found else NO_KEY


def without_key_text(number: int, reason: str = NO_KEY) -> str:
    return f", {report.count(number, 'event')} {reason}" if number else ""


def repaired_text(number: int) -> str:
    return f", {report.count(number, 'late end')} of states repaired" if number else ""


class StreamReports(StreamListener):
    """A listener that writes the lines of a stream on standard output and its reports on standard error."""

    def __init__(self, times: TimeFormat, left_out: str = NO_KEY) -> None:
        self._times = times
        self._left_out = left_out
        self._shown = 0

    def words(self, text: str) -> str:
        return on_command_line(text)

    def operators(self, descriptions: Sequence[str]) -> None:
        for description in descriptions:
            report.say(description)

    def lines(self, lines: Sequence[str]) -> None:
        if lines:
            write_output("".join(f"{line}\n" for line in lines))

    def batch(self, done: BatchReport) -> None:
        watermark = "none yet" if done.watermark is None else self._times.format(done.watermark)
        report.say(
            f"batch {done.batch}: {report.count(done.events, 'event')} in, {done.derived:,} out, {done.late:,} late, "
            f"{done.rejected:,} rejected{undefined_text(done.undefined)}"
            f"{without_key_text(done.without_key, self._left_out)}{repaired_text(done.repaired)}; "
            f"{report.count(done.live, 'tuple')} in state; watermark {watermark}; {done.seconds:.1f} s"
        )

    def rejected(self, records: Sequence[Rejected]) -> None:
        shown = records[: max(0, REJECTED_SHOWN - self._shown)]
        self._shown += len(shown)
        show_rejected(shown, len(records) if shown else 0, report.warn)

    def stalled(self, source: str, watermark: int | None, live: int) -> None:
        where = "time has not begun" if watermark is None else f"time stands at {self._times.format(watermark)}"
        held = f"{report.count(live, 'tuple')} in state, and what waits is undecided"
        report.warn(f"{where}: no newer events from {source}; {held}")

    def quiet(self, sources: Sequence[str]) -> None:
        names = ", ".join(sources)
        report.warn(f"no newer events from {names} since the start; what waits is undecided")

    def resumed(self) -> None:
        report.warn("a Python worker of Spark was killed; the stream goes on from its checkpoint")

    def late(self, late: int, events: int, watermark: int | None) -> None:
        time = "no time" if watermark is None else self._times.format(watermark)
        warn_of_lateness(late, events, time, "start anew with another --checkpoint, and with --max-ahead '1 day'")

    def version(self, relation: str, number: int, since: int) -> None:
        report.say(f"the relation {relation} has changed: version {number} counts from {self._times.format(since)} on")

    def unread(self, relation: str, why: str) -> None:
        report.warn(f"{not_read_again(relation, on_command_line(why))}; it is tried again")

    def finish(self) -> None:
        """Says what there is to say when the stream has ended."""

    def away(self, source: str, why: str | None) -> None:
        if why is None:
            report.say(f"{source} answers again")
        else:
            report.warn(f"{source} is away, and is tried again: {why}")


class Verification(StreamReports):
    """Reports of a stream that is verified: what has become of instances and constraints since it began, after each
    micro-batch in which that has changed, and a summary at the end.

    `beside` is the program whose constraints are checked beside its rules: of each that is violated it is said once
    which laws would have relied on it.
    """

    def __init__(self, times: TimeFormat, layers: Layers, beside: Program | None = None) -> None:
        super().__init__(times, left_out_reason(layers))
        self._beside = beside
        self._warned_of: set[str] = set()
        self._layers = layers
        self._constraints, self._automata = constraints_of(layers), automata_of(layers)
        self._said: Mapping[str, int] = {}
        self._warned: frozenset[str] = frozenset()
        self.counters: StreamCounts | None = None

    def batch(self, done: BatchReport) -> None:
        super().batch(done)
        if self.counters is None:
            return
        labels = self.counters.totals.labels
        if labels != self._said:
            self._said = dict(labels)
            for line in instances(self._layers, labels, ended_states(labels)):
                report.say(f"since the stream began: {line}")
            violated = [f"{each.name} {each.number:,}" for each in self._verdicts() if each.number]
            which = f": {report.listed(violated)}" if violated else ""
            report.say(report.printable(f"since the stream began: {violations_text(labels.get(VIOLATION, 0))}{which}"))
            self._warn_of_laws()
        late, rejected = self.counters.late_labels, self.counters.rejected
        warnings = dict.fromkeys(unadmitted(self._constraints, self._automata, late, rejected))
        for warning in warnings:
            if warning not in self._warned:
                report.warn(warning)
        self._warned = frozenset(warnings)

    def finish(self) -> None:
        """Shows what has become of each constraint and automaton since the stream began."""
        if self.counters is None:
            return
        tally, labels = self._tally(), self.counters.totals.labels
        for module in self._constraints:
            show_so_far(module.name, tally.verdicts(module, EVERYTHING))
        for each in instances(self._layers, labels, ended_states(labels)):
            for line in tally.automaton(each).lines:
                report.say(report.printable(line))
        report.say(f"{violations_text(labels.get(VIOLATION, 0))} since the stream began")
        self._warn_of_laws()

    def _warn_of_laws(self) -> None:
        """Warns of the laws that would have relied on a constraint, when it is violated for the first time."""
        if self._beside is not None:
            show_violated(self._beside, self._tally(), self._warned_of)

    def _tally(self) -> Tally:
        tally = Tally(self._times)
        if self.counters is not None:
            tally.take_totals((each.number, each.first) for each in self.counters.totals.rules.values())
        return tally

    def _verdicts(self) -> list[Verdict]:
        tally = self._tally()
        return [each for module in self._constraints for each in tally.verdicts(module, EVERYTHING)]
