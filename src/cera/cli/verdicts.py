"""What became of each constraint and of each automaton in a verification."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from cera.cli import report
from cera.cli.verification import InstanceCounts
from cera.constraints.clause import Clause
from cera.constraints.judged_windows import Recording, unjudged_time
from cera.constraints.occasions import Seen, missing_occasion
from cera.constraints.reports import VIOLATION

Outcome = Literal["held", "violated", "open", "not judged"]

#: The words for outcomes.
WORDS: Mapping[Outcome, str] = {
    "held": "held",
    "violated": "violated",
    "open": "still open",
    "not judged": "not judged",
}


@dataclass(frozen=True)
class Verdict:
    """What became of one constraint: how often it was violated, and the first violations as their JSON records.

    `still_open` is how often it would be violated if nothing else came. `unjudged` is why nothing of it was judged.
    """

    file: str
    name: str
    place: str | None
    number: int
    first: tuple[Mapping[str, Any], ...]
    still_open: int = 0
    open_states: int = 0
    unjudged: str | None = None

    @property
    def outcome(self) -> Outcome:
        if self.number:
            return "violated"
        if self.unjudged is not None:
            return "not judged"
        return "open" if self.still_open or self.open_states else "held"

    @property
    def as_json(self) -> dict[str, Any]:
        found = {
            "file": self.file,
            "constraint": self.name,
            "place": self.place,
            "outcome": self.outcome,
            "held": self.outcome == "held",
            "violations": self.number,
            "open": self.still_open,
            "open_states": self.open_states,
            "first": list(self.first),
        }
        return found if self.unjudged is None else {**found, "why": self.unjudged}

    @property
    def lines(self) -> list[str]:
        """What is said of it, with its first violations; nothing if it held."""
        if self.outcome == "held":
            return []
        where = "" if self.place is None else f" ({self.place})"
        if self.unjudged is not None and not self.number:
            return [f"  {self.name}: not judged{where}: {self.unjudged}"]
        often = f"violated {_often(self.number)}" if self.number else ""
        said = ", ".join(each for each in (often, *self._open_parts) if each)
        return [f"  {self.name}: {said}{where}", *(f"    {violation_text(each)}" for each in self.first)]

    @property
    def _open_parts(self) -> list[str]:
        found = []
        if self.still_open:
            found.append(f"{report.count(self.still_open, 'deadline')} still open")
        if self.open_states:
            found.append(f"{report.count(self.open_states, 'state')} still open")
        return found


@dataclass(frozen=True)
class AutomatonVerdict:
    """What became of the instances of an automaton, and the first violations as their JSON records."""

    counts: InstanceCounts
    number: int
    first: tuple[Mapping[str, Any], ...]

    @property
    def as_json(self) -> dict[str, Any]:
        return {**asdict(self.counts), "violations": self.number, "first": list(self.first)}

    @property
    def lines(self) -> list[str]:
        return [str(self.counts), *(f"  {violation_text(each)}" for each in self.first)]


def reason_unjudged(
    clauses: Sequence[Clause],
    seen: Seen,
    labels: int,
    recording: Recording | None = None,
    unmatched: Mapping[str, str | None] | None = None,
) -> str | None:
    """Returns why nothing of a constraint was judged; None if some of it was. `unmatched` is why clauses were not, by
    name, whose bodies never held."""
    if not labels:
        return f"there was no event{seen.only}"
    reasons = [_reason(each, seen, recording) or (unmatched or {}).get(each.name) for each in clauses]
    return None if None in reasons else reasons[0]


def _reason(clause: Clause, seen: Seen, recording: Recording | None) -> str | None:
    missing = missing_occasion(clause, seen)
    if missing is not None:
        return f"there was no {missing}"
    return None if recording is None else unjudged_time(clause, recording)


def violation_text(record: Mapping[str, Any]) -> str:
    """Returns a line about a violation: when, for what, what was expected and what was found."""
    violation = record["term"][VIOLATION]
    about = violation.get("binding", violation.get("instance", {}))
    values = [f"{name} = {_value(value)}" for name, value in about.items()] if isinstance(about, dict) else []
    where = f" for {', '.join(values)}" if values else ""
    if "automaton" in violation:
        return f"{record['end']}{where}: {_fault(violation)}"
    found = f", found {violation['found'] or 'none'}" if "found" in violation else ""
    return f"{record['end']}{where}: expected {violation['expected']}{found}"


def _fault(violation: Mapping[str, Any]) -> str:
    """Returns what an automaton did not allow, where, and what it would have."""
    event = violation.get("event")
    what = f"{', '.join(event)}: " if isinstance(event, dict) else ""
    state = f" in {violation['state']}" if violation.get("state") else ""
    expected = violation.get("expected", violation.get("nearest"))
    return f"{what}{violation['reason']}{state}" + (f"; expected {expected}" if expected else "")


def _value(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _often(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"
