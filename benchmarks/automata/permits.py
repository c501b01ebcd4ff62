"""Counts the permits that break `permits.ihta`, by hand: `python -m benchmarks.automata.permits FILE`.

It shares no code with the automata of cera, so that both can be compared. The two lines of work are regular
expressions: a case is right as long as what has happened in a line can be continued to a word of its expression.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

#: The activities of each line by their short names, `R` is the receipt.
LINES = {
    "Letter": {"Confirmation": "R", "T02": "c", "T03": "a", "T04": "d", "T05": "s"},
    "Advice": {
        **dict(zip(("Confirmation", "T06", "T10"), "Rdx", strict=True)),
        **{f"T07-{number}": "w" for number in range(1, 6)},
        **dict(zip(("T11", "T12", "T13", "T14", "T15"), "Ckjtp", strict=True)),
        **dict(zip(("T16", "T17", "T18", "T19", "T20"), "HKJTP", strict=True)),
    },
}
#: All beginnings of a case that are right, and those with which it is over.
BEGINNINGS = {
    "Letter": re.compile(r"R(c(ac)*(a|ds?)?)?"),
    "Advice": re.compile(r"R(d(w+d)*(w+|x(C(k(jk)*(j|tp?)?)?|H(K(JK)*(J|TP?)?)?)?)?)?"),
}
OVER = {"Letter": re.compile(r".*s"), "Advice": re.compile(r".*[pP]")}
MOST = timedelta(days=28)


def outcome(line: str, events: list[tuple[str, datetime]]) -> str:
    """Returns what becomes of one case in one line of work: finished, running, or violated."""
    word = ""
    for activity, at in events:
        letter = LINES[line].get(activity.split()[0])
        if letter is None:
            continue
        word += letter
        if not BEGINNINGS[line].fullmatch(word):
            return "violated"
        if letter == "s" and at - events[0][1] > MOST:
            return "violated"
        if OVER[line].fullmatch(word):
            return "finished"
    return "running"


def counts(path: Path) -> dict[str, Counter[str]]:
    """Returns how many cases are finished, running and violated, by the line of work."""
    by_case: dict[str, list[tuple[str, datetime]]] = {}
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt") as lines:
        for text in lines:
            event = json.loads(text)
            by_case.setdefault(event["case"], []).append((event["activity"], datetime.fromisoformat(event["at"])))
    return {line: Counter(outcome(line, events) for events in by_case.values()) for line in LINES}


def main() -> None:
    for line, found in counts(Path(sys.argv[1])).items():
        for what, number in sorted(found.items()):
            print(f"{line:8}{number:7,} {what}")


if __name__ == "__main__":
    main()
