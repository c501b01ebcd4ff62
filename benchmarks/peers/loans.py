"""`python -m benchmarks.peers.loans [FILE]`: three rules over the loan applications, and the same counted by hand.

The file is `loan-applications.jsonl.gz`. The CPU time of cera is that of a fresh process, from the compressed file to
written answers. Exit status 1: the counts differ.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
import tempfile
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from pathlib import Path

from benchmarks.processes import cost

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FILE = ROOT.parent / "shared" / "data" / "loan-applications.jsonl.gz"
LAYOUT = ("--label-field", "activity", "--time-field", "at", "--engine", "local")
_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


def by_hand(file: Path) -> Counter[str]:
    """Counts the answers of the rules in `loans.xceq` with sorted lists."""
    by_case: dict[tuple[str, str], list[datetime]] = defaultdict(list)
    submitted: list[datetime] = []
    for record in distinct(file):
        at = datetime.fromisoformat(record["at"])
        by_case[record["activity"], record["case"]].append(at)
        if record["activity"] == "A_SUBMITTED":
            submitted.append(at)
    found: Counter[str] = Counter()
    approved, unanswered = set(), set()
    for (activity, case), times in by_case.items():
        if activity == "O_SENT":
            for sent in times:
                for at in by_case.get(("A_APPROVED", case), ()):
                    if sent < at <= sent + timedelta(days=30):
                        approved.add((case, sent, at))
                if not any(sent <= at <= sent + timedelta(days=14) for at in by_case.get(("O_SENT_BACK", case), ())):
                    unanswered.add((case, sent))
    found["approved"], found["unanswered"] = len(approved), len(unanswered)
    for at in submitted:
        others = bisect_right(submitted, at) - bisect_left(submitted, at - timedelta(hours=1)) - 1
        found["amounts"] += others > 0
    return found


def distinct(file: Path) -> list[dict[str, str]]:
    """Returns the records of a file in their order; equal ones are one event."""
    with gzip.open(file, "rt") as lines:
        return [json.loads(line) for line in dict.fromkeys(lines)]


def events(file: Path) -> list[dict[str, object]]:
    """Returns what the rules ask for in the layout of the sensors: times as milliseconds, and in their order."""
    found = {}
    for record in distinct(file):
        at = (datetime.fromisoformat(record["at"]) - _EPOCH) // timedelta(milliseconds=1)
        event = {"type": record["activity"], "case": record["case"], "amount": float(record["amount"]), "ts": at}
        found[tuple(event.values())] = event
    return sorted(found.values(), key=lambda event: event["ts"])


def main() -> int:
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    expected = by_hand(file)
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder) / "answers.jsonl"
        command = [sys.executable, "-m", "cera", "run", str(HERE / "loans.xceq"), "--events", str(file), *LAYOUT]
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPATH"] = str(ROOT / "src")
        taken = [cost([*command, "--out", str(answers)], environment) for _ in range(3)]
        found = Counter(re.findall(r'"rule": "(\w+)"', answers.read_text()))
    for rule in expected:
        print(f"{rule}: {found[rule]:,}, by hand {expected[rule]:,}")
    best = min(taken, key=lambda each: each.cpu)
    print(f"CPU of a run with its start, the best of three: {best.cpu:.2f} s, {best.megabytes:,.0f} MiB")
    return 0 if found == expected else 1


if __name__ == "__main__":
    sys.exit(main())
