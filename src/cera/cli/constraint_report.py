"""What `cera verify` says about constraints and automata: what held, what was violated, how often, and how it began."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any

from cera.automata.module import AutomatonModule
from cera.cli import report
from cera.cli.verdicts import WORDS, AutomatonVerdict, Verdict, reason_unjudged
from cera.cli.verification import InstanceCounts
from cera.connectors.event_lines import event_line
from cera.constraints.clause import Clause
from cera.constraints.judged_windows import Recording
from cera.constraints.module import ConstraintModule
from cera.constraints.occasions import Seen, states_of
from cera.constraints.reports import UNKNOWN_PLACE, VIOLATION
from cera.constraints.translation.clause_rules import clause_of
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.states import name_of
from cera.model.time.interval import Interval, Time
from cera.model.time.time_text import TimeFormat
from cera.running.listener import LineOutput, Output
from cera.running.outcome import InputCounts, Outcome

#: How many violations of a constraint are shown.
SHOWN = 3


@dataclass(frozen=True)
class Judged:
    """What of a recording constraints could judge: what there was in its events and what was derived, how many labels
    its events had, which states are open at its end, and which violations would follow if nothing else came."""

    seen: Seen
    labels: int
    open_states: Mapping[str, int] = field(default_factory=dict)
    pending: Mapping[str, int] = field(default_factory=dict)
    #: Why nothing of the recording could be used.
    unusable: str | None = None
    #: When it was, where that is known.
    recording: Recording | None = None
    #: Why clauses were not judged whose bodies never held, by file and clause, where it was looked.
    unmatched: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        outcome: Outcome,
        unusable: str | None,
        recording: Recording | None = None,
        unmatched: Mapping[str, str] | None = None,
    ) -> Judged:
        """Returns what could be judged in a run."""
        counts, observed = outcome.counts, outcome.observed_in_time or outcome.observed
        labels = counts.used_labels.union(label for label, number in outcome.derived.items() if number)
        reason = None if unusable is None else unusable.partition(":")[0]
        seen = Seen(labels, observed.missing, observed.missing_values, _only(counts))
        return cls(
            seen, len(counts.used_labels), outcome.open_states, outcome.pending, reason, recording, unmatched or {}
        )


def recording_of(
    outcome: Outcome, since: Time | None, until: Time | None, times: TimeFormat, timezone: str
) -> Recording | None:
    """Returns when a recording was; None if that is not known: what rules derive may be later."""
    extent = outcome.extent
    if extent is None or any(
        number and label not in (VIOLATION, UNKNOWN_PLACE) for label, number in outcome.derived.items()
    ):
        return None
    end = extent.end if until is None else until
    begin = extent.begin if since is None else min(since, end)
    return Recording(Interval(begin, end), times, timezone)


def _only(counts: InputCounts) -> str:
    """Returns which events were used, in words behind a name; nothing if all were."""
    parts = [" that came in time"] if counts.late else []
    return ",".join([*parts, *([" up to --until"] if counts.after_until else [])])


#: Of a stream it is not known what could be judged.
EVERYTHING = Judged(Seen(()), 1)


def rule_of(record: Mapping[str, Any]) -> str:
    """Returns the clause or the automaton that a violation is counted for."""
    automaton = record["term"][VIOLATION].get("automaton")
    return automaton if isinstance(automaton, str) else clause_of(record["rule"])


class Tally:
    """Violations by constraint and automaton, counted on their way to the output."""

    def __init__(self, times: TimeFormat) -> None:
        self._times = times
        #: The first violations by rule, each with its number among all, which come in the order of time.
        self._first: dict[str, list[tuple[int, Mapping[str, Any]]]] = {}
        self._numbers: dict[str, int] = {}
        self._taken = 0
        self.places: list[str] = []

    def counting(
        self, opened: Callable[[], AbstractContextManager[Output]]
    ) -> Callable[[], AbstractContextManager[Output]]:
        """Returns the same output, which counts what is written."""

        @contextmanager
        def output() -> Iterator[Output]:
            with opened() as inner:
                yield _CountingLines(inner, self) if isinstance(inner, LineOutput) else _Counting(inner, self)

        return output

    def take(self, item: DerivedEvent) -> None:
        """Counts a derived event."""
        if item.event.label in (VIOLATION, UNKNOWN_PLACE):
            self.take_record(event_line(item, self._times))

    def take_record(self, record: Mapping[str, Any]) -> None:
        """Counts a derived event that is a JSON record."""
        term = record["term"]
        if VIOLATION in term:
            rule = rule_of(record)
            self._numbers[rule] = self._numbers.get(rule, 0) + 1
            first = self._first.setdefault(rule, [])
            if len(first) < SHOWN:
                first.append((self._taken, record))
            self._taken += 1
        elif UNKNOWN_PLACE in term:
            self.places.append(str(term[UNKNOWN_PLACE].get("name", "no place at all")))

    def take_totals(self, totals: Iterable[tuple[int, Sequence[str]]]) -> None:
        """Counts what rules have derived, each with how much and the lines of the first."""
        for number, lines in totals:
            records = [json.loads(line) for line in lines]
            rule = rule_of(records[0])
            self._numbers[rule] = self._numbers.get(rule, 0) + number
            self._first.setdefault(rule, []).extend((self._times.parse(each["end"]), each) for each in records)

    def verdicts(self, module: ConstraintModule, judged: Judged) -> list[Verdict]:
        """Returns what became of the constraints of a file, in its order."""
        clauses: dict[str, list[Clause]] = {}
        for clause in module.clauses:
            clauses.setdefault(clause.constraint, []).append(clause)
        if judged.recording is not None:
            judged = replace(judged, recording=replace(judged.recording, origin=module.origin))
        return [self._verdict(module.name, name, several, judged) for name, several in clauses.items()]

    def _verdict(self, file: str, name: str, clauses: Sequence[Clause], judged: Judged) -> Verdict:
        rules = [f"{file}.{clause.name}" for clause in clauses]
        number, first = self._violations(rules)
        place = None if clauses[0].span is None else str(clauses[0].span)
        still_open = sum(number for rule, number in judged.pending.items() if clause_of(rule) in rules)
        states = {label for clause in clauses for label in states_of(clause)}
        open_states = sum(judged.open_states.get(label, 0) for label in states)
        recording = None if still_open or open_states else judged.recording
        unmatched = {} if still_open or open_states else judged.unmatched
        reasons = {each.name: unmatched.get(f"{file}.{each.name}") for each in clauses}
        unjudged = judged.unusable or reason_unjudged(clauses, judged.seen, judged.labels, recording, reasons)
        return Verdict(file, name, place, number, first, still_open, open_states, unjudged)

    def number(self, rule: str) -> int:
        """Returns how often a clause was violated so far, given its file and its name."""
        return self._numbers.get(rule, 0)

    def violated(self, module: ConstraintModule) -> Iterator[tuple[str, int]]:
        """Yields the constraints of a file that were violated, and how often."""
        for name in dict.fromkeys(clause.constraint for clause in module.clauses):
            rules = [f"{module.name}.{clause.name}" for clause in module.clauses if clause.constraint == name]
            number, _ = self._violations(rules)
            if number:
                yield name, number

    def automaton(self, counts: InstanceCounts) -> AutomatonVerdict:
        """Returns what became of an automaton."""
        return AutomatonVerdict(counts, *self._violations([counts.automaton]))

    def _violations(self, rules: Sequence[str]) -> tuple[int, tuple[Mapping[str, Any], ...]]:
        """Returns how many violations rules have, and the first of them all."""
        first = sorted((each for rule in rules for each in self._first.get(rule, ())), key=itemgetter(0))
        return sum(self._numbers.get(rule, 0) for rule in rules), tuple(record for _, record in first[:SHOWN])


def show_verdicts(name: str, verdicts: Sequence[Verdict]) -> None:
    """Says for each constraint of a file what became of it, and shows the first violations."""
    parts = [report.count(len(verdicts), "constraint")]
    for outcome, word in WORDS.items():
        number = sum(each.outcome == outcome for each in verdicts)
        if number or outcome == "held":
            parts.append(f"{number} {word}")
    report.say(f"{name}: {', '.join(parts if verdicts else parts[:1])}")
    for each in verdicts:
        for line in each.lines:
            report.say(report.printable(line))


def show_so_far(name: str, verdicts: Sequence[Verdict]) -> None:
    """Says which constraints of a file a stream has violated, and shows the first violations."""
    violated = [each for each in verdicts if each.number]
    others = len(verdicts) - len(violated)
    said = f"{others} not violated so far" + (", judged or not" if others else "")
    report.say(f"{name}: {report.count(len(verdicts), 'constraint')}, {len(violated)} violated, {said}")
    for line in (line for each in violated for line in each.lines):
        report.say(report.printable(line))


def warn_of_places(places: Sequence[str]) -> None:
    """Warns of places that nobody knows."""
    if places:
        listed = report.listed(sorted(places), 5)
        report.warn(report.printable(f"places that the file of locations does not know: {listed}"))


def unseen_by(constraints: Sequence[ConstraintModule], automata: Sequence[AutomatonModule]) -> str:
    """Returns who has not seen records, in words."""
    return " and ".join([*(["constraints"] if constraints else []), *(["automata"] if automata else [])])


def unadmitted(
    constraints: Sequence[ConstraintModule],
    automata: Sequence[AutomatonModule],
    late: Mapping[str, int],
    rejected: int,
) -> Iterator[str]:
    """Yields warnings of records that were not verified: constraints and automata speak of the admitted stream only."""
    for kind, modules in (("constraints", constraints), ("automata", automata)):
        used = {name_of(label) for module in modules for label in module.reads if label is not None}
        seen: dict[str, int] = {}
        for label, number in late.items():
            if name_of(label) in used:
                seen[name_of(label)] = seen.get(name_of(label), 0) + number
        if seen:
            named = report.listed([f"{report.printable(label)} {number:,}" for label, number in sorted(seen.items())])
            yield f"{kind} have not seen late events of labels that they ask for: {named}"
    if rejected:
        yield (
            f"{unseen_by(constraints, automata)} have not seen {report.count(rejected, 'record')} that "
            f"{'was' if rejected == 1 else 'were'} rejected; what is said is about the others"
        )


class _Counting:
    def __init__(self, inner: Output, tally: Tally) -> None:
        self._inner = inner
        self._tally = tally

    def write(self, item: Event | DerivedEvent) -> None:
        if isinstance(item, DerivedEvent):
            self._tally.take(item)
        self._inner.write(item)

    def finish(self) -> None:
        self._inner.finish()


class _CountingLines(_Counting):
    def __init__(self, inner: LineOutput, tally: Tally) -> None:
        super().__init__(inner, tally)
        self._lines = inner

    def write_line(self, line: str) -> None:
        if f'"{VIOLATION}"' in line or f'"{UNKNOWN_PLACE}"' in line:
            self._tally.take_record(json.loads(line))
        self._lines.write_line(line)

    def write_lines(self, data: bytes | memoryview) -> None:
        for line in bytes(data).decode().split("\n")[:-1]:
            self.write_line(line)
