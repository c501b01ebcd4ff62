"""The answers of the recursive examples, computed again by plain Python that knows nothing of rules."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[2] / "examples"
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
OFFICE_AND_WEB = {"winword.exe", "excel.exe", "outlook.exe", "apache2", "nginx"}
SHELLS = {"cmd.exe", "powershell.exe", "sh", "bash"}

Answer = tuple[Any, ...]


def time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def lines(example: str, file: str) -> Iterator[dict[str, Any]]:
    return map(json.loads, (EXAMPLES / example / file).read_text().splitlines())


def expected(example: str, label: str, *fields: str) -> set[Answer]:
    """Returns begin, end and some children of the expected events with a label."""
    found: set[Answer] = set()
    for line in lines(example, "expected.jsonl"):
        if label in line["term"]:
            found.add((time(line["begin"]), time(line["end"]), *(line["term"][label][field] for field in fields)))
    return found


def test_a_path_is_a_walk_over_links_of_an_hour_that_takes_the_first_and_the_last_of_them() -> None:
    events = [(time(line["at"]), line["term"]) for line in lines("network", "events.jsonl")]
    links = [(at, term["link"]["from"], term["link"]["to"]) for at, term in events if "link" in term]
    times, hosts = sorted({at for at, _, _ in links}), {host for _, *ends in links for host in ends}
    found: set[Answer] = set()
    for begin, end in product(times, times):
        if begin <= end <= begin + HOUR:
            inside = [link for link in links if begin <= link[0] <= end]
            for host in hosts:
                found |= {(begin, end, host, other) for other in walks(host, inside, begin, end)}
    assert found == expected("network", "path", "from", "to")
    assert len(found) > 20

    exposed: set[Answer] = set()
    isolated = [(at, term["isolated"]["host"]) for at, term in events if "isolated" in term]
    for (since, host), (begin, end, start, reached) in product(isolated, found):
        if start == "internet" and reached == host and since < begin and end - since <= DAY:
            before = [path for path in found if path[2:] == (start, host) and begin - HOUR <= path[0]]
            if not any(path[1] <= begin for path in before if path[:2] != (begin, end)):
                exposed.add((min(since, begin - HOUR), end, host))
    assert exposed == expected("network", "exposed", "host")


def walks(start: str, links: list[tuple[datetime, str, str]], begin: datetime, end: datetime) -> set[str]:
    """Returns where walks end that take a link of the time `begin` and one of the time `end`."""
    reached = {(start, False, False)}
    waiting = list(reached)
    for host, first, last in waiting:  # grows as it goes
        for at, source, target in links:
            state = (target, first or at == begin, last or at == end)
            if source == host and state not in reached:
                reached.add(state)
                waiting.append(state)
    return {host for host, first, last in reached if first and last}


def test_a_chain_follows_the_holders_of_a_ticket() -> None:
    with (EXAMPLES / "escalations" / "events.csv").open(newline="") as file:
        rows = [{**row, "at": time(row["at"])} for row in csv.DictReader(file)]
    chains: set[Answer] = set()
    circles: set[Answer] = set()
    handled: dict[str, tuple[int, list[str]]] = {}
    for first in (row for row in rows if row["type"] == "assigned"):
        ticket, holders, last = first["ticket"], [first["to"]], first["at"]
        chains.add((first["at"], last, ticket, first["to"], 0))
        for row in rows:
            passed = row["type"] == "escalated" and (row["ticket"], row["from"]) == (ticket, holders[-1])
            if passed and last < row["at"] <= last + timedelta(hours=4):
                last = row["at"]
                circles |= {
                    (first["at"], last, ticket, row["to"], len(holders) - at)
                    for at, holder in enumerate(holders)
                    if holder == row["to"]
                }
                holders.append(row["to"])
                chains.add((first["at"], last, ticket, row["to"], len(holders) - 1))
        handled[ticket] = len(holders) - 1, list(dict.fromkeys(holders))
    assert chains == expected("escalations", "chain", "ticket", "holder", "length")
    assert circles == expected("escalations", "circle", "ticket", "holder", "steps")
    reports = [line["term"]["handled"] for line in lines("escalations", "expected.jsonl") if "handled" in line["term"]]
    assert {report["ticket"]: (report["escalations"], report["holders"]) for report in reports} == handled


def test_a_shell_is_reported_for_each_listed_program_among_its_ancestors_of_a_day() -> None:
    processes = [{**line, "time": time(line["time"])} for line in lines("processes", "events.jsonl")]
    found: set[Answer] = set()
    descendants: set[Answer] = set()
    for process in processes:
        for ancestor in ancestors(process, processes):
            if process["time"] - ancestor["time"] <= DAY:
                interval = ancestor["time"], process["time"]
                descendants.add((*interval, ancestor["image"], ancestor["pid"], process["image"], process["pid"]))
                if ancestor["image"] in OFFICE_AND_WEB and process["image"] in SHELLS:
                    found.add((*interval, process["host"], ancestor["image"], process["image"], process["pid"]))
    assert descendants == expected("processes", "descendant", "of", "of_pid", "image", "pid")
    assert found == expected("processes", "shell_alert", "host", "from", "shell", "pid")
    assert len(found) == 6


def ancestors(process: Mapping[str, Any], processes: list[dict[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yields the parent of a process, which is the last one before it that had that pid, and the ancestors of that."""
    before = [
        each
        for each in processes
        if (each["host"], each["pid"]) == (process["host"], process["ppid"]) and each["time"] < process["time"]
    ]
    if before:
        parent = max(before, key=lambda each: each["time"])
        yield parent
        yield from ancestors(parent, processes)
