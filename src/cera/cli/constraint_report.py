"""What `cera verify` says about constraints: which held, which were violated, how often, and the first violations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from cera.cli import report
from cera.connectors.event_lines import event_line
from cera.constraints.module import ConstraintModule
from cera.constraints.reports import UNKNOWN_PLACE, VIOLATION
from cera.constraints.translation.clause_rules import clause_of
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.states import name_of
from cera.model.time.time_text import TimeFormat
from cera.running.listener import LineOutput, Output
from cera.running.outcome import InputCounts

#: How many violations of a constraint are shown.
_SHOWN = 3


@dataclass(frozen=True)
class Verdict:
    """What became of one constraint: how often it was violated, and the first violations as their JSON records."""

    file: str
    name: str
    place: str | None
    number: int
    first: tuple[Mapping[str, Any], ...]

    @property
    def as_json(self) -> dict[str, Any]:
        named = {"file": self.file, "constraint": self.name, "place": self.place}
        return {**named, "held": not self.number, "violations": self.number, "first": list(self.first)}


class Tally:
    """Violations by constraint, counted on their way to the output."""

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
            rule = clause_of(record["rule"])
            self._numbers[rule] = self._numbers.get(rule, 0) + 1
            first = self._first.setdefault(rule, [])
            if len(first) < _SHOWN:
                first.append((self._taken, record))
            self._taken += 1
        elif UNKNOWN_PLACE in term:
            self.places.append(str(term[UNKNOWN_PLACE].get("name", "no place at all")))

    def verdicts(self, module: ConstraintModule) -> list[Verdict]:
        """Returns what became of the constraints of a file, in its order."""
        rules: dict[str, list[str]] = {}
        places: dict[str, str | None] = {}
        for clause in module.clauses:
            rules.setdefault(clause.constraint, []).append(f"{module.name}.{clause.name}")
            places.setdefault(clause.constraint, None if clause.span is None else str(clause.span))
        found: list[Verdict] = []
        for name, several in rules.items():
            first = sorted((each for rule in several for each in self._first.get(rule, ())), key=itemgetter(0))
            number = sum(self._numbers.get(rule, 0) for rule in several)
            shown = tuple(record for _, record in first[:_SHOWN])
            found.append(Verdict(module.name, name, places[name], number, shown))
        return found

    def show(self, modules: Sequence[ConstraintModule]) -> None:
        """Says for each constraint whether it held, and shows the first violations."""
        for module in modules:
            verdicts = self.verdicts(module)
            held = sum(not each.number for each in verdicts)
            report.say(f"{module.name}: {report.count(len(verdicts), 'constraint')}, {held} held")
            for each in verdicts:
                if each.number:
                    where = "" if each.place is None else f" ({each.place})"
                    report.say(report.printable(f"  {each.name}: violated {_often(each.number)}{where}"))
                    for record in each.first:
                        report.say(report.printable(f"    {violation_text(record)}"))
        if self.places:
            listed = report.listed(sorted(self.places), 5)
            report.warn(report.printable(f"places that the file of locations does not know: {listed}"))


def violation_text(record: Mapping[str, Any]) -> str:
    """Returns a line about a violation: when, for what, what was expected and what was found."""
    violation = record["term"][VIOLATION]
    values = [f"{name} = {_value(value)}" for name, value in violation.get("binding", {}).items()]
    where = f" for {', '.join(values)}" if values else ""
    found = f", found {violation['found'] or 'none'}" if "found" in violation else ""
    return f"{record['end']}{where}: expected {violation['expected']}{found}"


def unadmitted(modules: Sequence[ConstraintModule], counts: InputCounts) -> Iterator[str]:
    """Yields warnings of records that constraints did not see: they speak of the admitted stream only."""
    used = {name_of(label) for module in modules for label in module.reads if label is not None}
    late: dict[str, int] = {}
    for label, number in counts.late_labels.items():
        late[name_of(label)] = late.get(name_of(label), 0) + number
    seen = {label: number for label, number in late.items() if label in used}
    if seen:
        named = report.listed([f"{report.printable(label)} {number:,}" for label, number in sorted(seen.items())])
        yield f"constraints have not seen late events of labels that they ask for: {named}"
    if counts.rejected:
        yield (
            f"constraints have not seen {report.count(counts.rejected, 'record')} that "
            f"{'was' if counts.rejected == 1 else 'were'} rejected; what they say is about the others"
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


def _value(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _often(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"
