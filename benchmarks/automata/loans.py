"""Counts the loan applications that break `loans.ihta`, by hand: `python -m benchmarks.automata.loans FILE`.

It shares no code with the automata of cera, so that both can be compared. As there, equal records are one event, and
of simultaneous events every order counts.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from datetime import datetime, timedelta
from itertools import groupby, permutations, product
from pathlib import Path

_WORK = "W_Completeren aanvraag"
_AFTER = {
    "Submitted": {"A_PARTLYSUBMITTED": "Partly"},
    "Partly": {"A_PREACCEPTED": "Completing", "A_DECLINED": "over", "A_CANCELLED": "over"},
    "Completing": {"A_ACCEPTED": "Accepted", "A_DECLINED": "over", "A_CANCELLED": "over"},
    "Accepted": {"A_FINALIZED": "Finalized", "A_DECLINED": "over", "A_CANCELLED": "over"},
    "Finalized": {"A_DECLINED": "over", "A_CANCELLED": "over"},
}
_WORKING = {
    ("Waiting", "SCHEDULE"): "Scheduled",
    ("Scheduled", "START"): "Working",
    ("Working", "COMPLETE"): "Paused",
    ("Paused", "START"): "Working",
}
_LAST = {"A_APPROVED", "A_REGISTERED", "A_ACTIVATED"}


#: The state of the application, that of the work on it, what has been done at last, and the time of the last event.
_Stage = tuple[str, str, frozenset[str], datetime]
_NOTHING: _Stage = ("", "", frozenset(), datetime.min)


def step(stage: _Stage, event: dict[str, str]) -> _Stage | None:
    """Returns the stage after an event; None if the event breaks the case."""
    state, work, done, last = stage
    activity, at = event["activity"], datetime.fromisoformat(event["at"])
    if state == "":
        return ("Submitted", "", done, at) if activity == "A_SUBMITTED" else stage
    if activity == _WORK and state == "Completing":
        following = _WORKING.get((work, event["transition"]))
        return None if following is None else (state, following, done, at)
    if state == "over" or not activity.startswith("A_") or activity == "A_SUBMITTED":
        return stage
    if activity in _LAST and state == "Finalized" and activity not in done:
        done |= {activity}
        return ("over" if done == _LAST else state, work, done, at)
    target = _AFTER.get(state, {}).get(activity)
    if target is None or (done and activity not in _LAST):
        return None
    if activity == "A_ACCEPTED" and at - last > timedelta(days=7):
        return None
    return (target, "Waiting", done, at)


def outcome(events: list[dict[str, str]]) -> str:
    """Returns what becomes of one case: finished, running, or violated if no order of simultaneous events is right."""
    stages = {_NOTHING}
    for _, together in groupby(events, key=lambda event: event["at"]):
        different = list({json.dumps(event): event for event in together}.values())
        found = set()
        for stage, order in product(stages, permutations(different)):
            at: _Stage | None = stage
            for event in order:
                at = None if at is None else step(at, event)
            found |= set() if at is None else {at}
        if not found:
            return "violated"
        stages = found
    return "finished" if all(stage[0] == "over" for stage in stages) else "running"


def counts(path: Path) -> Counter[str]:
    """Returns how many cases are finished, running and violated."""
    by_case: dict[str, list[dict[str, str]]] = {}
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt") as lines:
        for line in lines:
            event = json.loads(line)
            by_case.setdefault(event["case"], []).append(event)
    return Counter(map(outcome, by_case.values()))


def main() -> None:
    for what, number in sorted(counts(Path(sys.argv[1])).items()):
        print(f"{number:7,} {what}")


if __name__ == "__main__":
    main()
