"""The rules as loops over the lines of a file, with nothing but Python; Parquet is read with pyarrow."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.peers.tasks import AREAS, DAY, HOT, HOUR, MINUTE, SILENCE, THRESHOLDS, Task
from benchmarks.peers.turns import given, take_turns

Write = Callable[[dict[str, Any]], None]


def records(path: str) -> Iterator[dict[str, Any]]:
    if path.endswith(".parquet"):
        import pyarrow.parquet as pq

        for batch in pq.ParquetFile(path).iter_batches():
            yield from batch.to_pylist()
    else:
        with open(path) as lines:
            yield from map(json.loads, lines)


class Rule:
    """A rule that takes events in their order. Its answers are written."""

    def __init__(self, write: Write, task: Task) -> None:
        self.write = write
        self.task = task

    def take(self, event: dict[str, Any]) -> None:
        raise NotImplementedError

    def finish(self) -> None:
        """Writes what is known at the end."""


class Join(Rule):
    def __init__(self, write: Write, task: Task) -> None:
        super().__init__(write, task)
        self.smoke: dict[str, deque[int]] = defaultdict(deque)
        self.length = MINUTE * task.window
        self.areas = set(AREAS)

    def take(self, event: dict[str, Any]) -> None:
        at, area = event["ts"], event["area"]
        seen = self.smoke[area]
        if event["type"] == "smoke":
            seen.append(at)
        elif event["value"] > HOT:
            while seen and seen[0] < at - self.length:
                seen.popleft()
            for before in seen:
                if before < at:
                    self.answer(before, at, area, event["value"])

    def answer(self, before: int, at: int, area: str, value: float) -> None:
        if self.task.hundred == "thresholds":
            for number in range(bisect_left(THRESHOLDS, value)):
                self.write({"rule": f"fire_{number}", "begin": before, "end": at, "area": area})
        elif not self.task.hundred or area in self.areas:
            self.write({"begin": before, "end": at, "area": area})


class Absence(Rule):
    def __init__(self, write: Write, task: Task) -> None:
        super().__init__(write, task)
        self.hot: dict[str, int] = {}
        self.length = SILENCE * task.window

    def take(self, event: dict[str, Any]) -> None:
        if event["type"] == "temp":
            sensor, at = event["sensor"], event["ts"]
            since = self.hot.pop(sensor, None)
            if since is not None and at > since + self.length:
                self.write({"begin": since, "end": since + self.length, "sensor": sensor})
            if event["value"] > HOT:
                self.hot[sensor] = at

    def finish(self) -> None:
        for sensor, since in self.hot.items():
            self.write({"begin": since, "end": since + self.length, "sensor": sensor})


class Average(Rule):
    def __init__(self, write: Write, task: Task) -> None:
        super().__init__(write, task)
        self.readings: dict[str, deque[tuple[int, float]]] = defaultdict(deque)
        self.length = MINUTE * task.window

    def take(self, event: dict[str, Any]) -> None:
        if event["type"] == "temp":
            at, last = event["ts"], self.readings[event["sensor"]]
            while last and last[0][0] < at - self.length:
                last.popleft()
            if last:
                mean = sum(value for _, value in last) / len(last)
                self.write({"begin": at - self.length, "end": at, "sensor": event["sensor"], "value": mean})
            last.append((at, event["value"]))


class Approved(Rule):
    def __init__(self, write: Write, task: Task) -> None:
        super().__init__(write, task)
        self.sent: dict[str, list[int]] = defaultdict(list)

    def take(self, event: dict[str, Any]) -> None:
        at, case = event["ts"], event["case"]
        if event["type"] == "O_SENT":
            self.sent[case].append(at)
        elif event["type"] == "A_APPROVED":
            for before in self.sent.get(case, ()):
                if at - 30 * DAY <= before < at:
                    self.write({"begin": before, "end": at, "case": case})


class Unanswered(Rule):
    """An answer of the very time counts, wherever it stands in the file: all are compared at the end."""

    def __init__(self, write: Write, task: Task) -> None:
        super().__init__(write, task)
        self.sent: list[tuple[int, str]] = []
        self.back: dict[str, list[int]] = defaultdict(list)

    def take(self, event: dict[str, Any]) -> None:
        if event["type"] == "O_SENT":
            self.sent.append((event["ts"], event["case"]))
        elif event["type"] == "O_SENT_BACK":
            self.back[event["case"]].append(event["ts"])

    def finish(self) -> None:
        for at, case in self.sent:
            if not any(at <= back <= at + 14 * DAY for back in self.back.get(case, ())):
                self.write({"begin": at, "end": at + 14 * DAY, "case": case})


class Amounts(Rule):
    """What was submitted at the very time is in the window, too: the last ones wait for the next time."""

    def __init__(self, write: Write, task: Task) -> None:
        super().__init__(write, task)
        self.last: deque[tuple[int, float]] = deque()
        self.waiting: list[tuple[int, str, float]] = []

    def take(self, event: dict[str, Any]) -> None:
        if event["type"] == "A_SUBMITTED":
            if self.waiting and self.waiting[0][0] < event["ts"]:
                self.finish()
            self.waiting.append((event["ts"], event["case"], event["amount"]))
            self.last.append((event["ts"], event["amount"]))

    def finish(self) -> None:
        for at, case, amount in self.waiting:
            while self.last[0][0] < at - HOUR:
                self.last.popleft()
            others = len(self.last) - 1
            if others:
                mean = (sum(value for _, value in self.last) - amount) / others
                self.write({"begin": at - HOUR, "end": at, "case": case, "value": mean})
        self.waiting.clear()


RULES: dict[str, type[Rule]] = {
    "join": Join,
    "absence": Absence,
    "average": Average,
    "approved": Approved,
    "unanswered": Unanswered,
    "amounts": Amounts,
}


def answered(task: Task, path: str, answers: str | None) -> int:
    found = 0
    with open(answers or "/dev/null", "w") as out:

        def write(answer: dict[str, Any]) -> None:
            nonlocal found
            found += 1
            if answers:
                out.write(json.dumps(answer) + "\n")

        rules = [RULES[rule](write, task) for rule in task.rules]
        takes = [each.take for each in rules]
        for event in records(path):
            for take in takes:
                take(event)
        for each in rules:
            each.finish()
    return found


if __name__ == "__main__":
    its_task, its_events, its_answers = given()
    take_turns(lambda: answered(its_task, its_events, its_answers))
