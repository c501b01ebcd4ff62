"""The cells as a table for a terminal, and as tables of Markdown: each rule and all, and how the cost grows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from rich.table import Table

from benchmarks.peers import data
from benchmarks.peers.cells import Cell, Place, differing
from benchmarks.peers.runner import EVENTS_OF_A_KEY
from benchmarks.peers.tasks import TASKS

_COLUMNS = ("start", "cold", "warm", "seconds", "MiB", "others")


def table(cells: Sequence[Cell], expected: Mapping[str, int]) -> Table:
    """Returns all cells. What differs in its count from the others is marked with an exclamation mark."""
    differs = differing(cells, expected)
    shown = Table(title="CPU seconds of all processes of a cell")
    for name in ("file", "rule", "mode", "system"):
        shown.add_column(name, no_wrap=name != "file")
    for name in ("answers", *_COLUMNS):
        shown.add_column(name, justify="right")
    for cell in cells:
        place = (cell.place.file, cell.place.task, cell.place.mode, cell.place.system)
        if cell.reason or cell.error:
            shown.add_row(*place, cell.reason or "failed")
            continue
        count = f"{cell.count:,}" + (" !" if cell.place in differs else "")
        seconds = cell.cold_seconds if cell.warm_seconds is None else cell.warm_seconds
        shown.add_row(*place, count, *map(_seconds, (cell.start, cell.cold, cell.warm, seconds)), *_rest(cell))
    return shown


def _rest(cell: Cell) -> tuple[str, str]:
    return f"{cell.megabytes or 0:,.0f}", f"{cell.others or 0:.1f}"


def markdown(cells: Sequence[Cell], expected: Mapping[str, int]) -> str:
    """Returns a table for each file and mode, with a row for each system, and one of what has grown."""
    differs = differing(cells, expected)
    plain = [cell for cell in cells if not TASKS[cell.place.task].grown and "-of-" not in cell.place.file]
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in plain:
        groups.setdefault((cell.place.file, cell.place.mode), []).append(cell)
    texts = [_group(file, mode, group, differs) for (file, mode), group in groups.items() if len(group) > 1]
    reasons = sorted({f"- {cell.place.system}: {cell.reason}" for cell in cells if cell.reason})
    if reasons:
        texts.append("Cells that cannot be:\n\n" + "\n".join(reasons))
    if rows := list(growth(cells)):
        head = "| what grows | task | system | before | after | times |\n|---|---|---|--:|--:|--:|"
        texts.append("\n".join((head, *(f"| {' | '.join(row)} |" for row in rows))))
    return "\n\n".join(texts) + "\n"


def _group(file: str, mode: str, cells: Sequence[Cell], differs: set[Place]) -> str:
    tasks = list(dict.fromkeys(cell.place.task for cell in cells))
    lines = [
        f"`{file}`, {'counting' if mode == 'count' else 'writing'}:",
        "",
        "| system | " + " | ".join(tasks) + " | start | MiB |",
        "|---|" + "--:|" * (len(tasks) + 2),
    ]
    counts = {cell.place.task: cell.count for cell in cells if cell.count is not None and cell.place not in differs}
    for system in dict.fromkeys(cell.place.system for cell in cells):
        row = {cell.place.task: cell for cell in cells if cell.place.system == system}
        if all(cell.reason for cell in row.values()):
            continue
        shown = [_cell(row.get(task), differs) for task in tasks]
        last = [cell for cell in row.values() if cell.megabytes][-1:]
        rest = [f"{_seconds(cell.start)} | {cell.megabytes:,.0f}" for cell in last] or [" | "]
        lines.append(f"| {system} | {' | '.join(shown)} | {rest[0]} |")
    lines.append("| answers | " + " | ".join(f"{counts.get(task) or 0:,}" for task in tasks) + " | | |")
    return "\n".join(lines)


def _cell(cell: Cell | None, differs: set[Place]) -> str:
    if cell is None:
        return ""
    if cell.reason or cell.error:
        return "cannot" if cell.reason else "failed"
    text = _seconds(cell.cold) if cell.warm is None else f"{_seconds(cell.cold)}, {_seconds(cell.warm)}"
    return f"{text} ({cell.count:,}!)" if cell.place in differs else text


def growth(cells: Sequence[Cell]) -> Iterator[tuple[str, ...]]:
    """Yields what has grown, of which task and system, and its cost before and after."""
    counted = {cell.place: cell for cell in cells if cell.place.mode == "count" and cell.best is not None}
    by_name = {(place.system, place.task, place.file): cell for place, cell in counted.items()}
    for (system, task, file), after in by_name.items():
        for what, of_task, of_file in _before(task, file):
            before = by_name.get((system, of_task, of_file))
            if before is not None and before.best and after.best is not None:
                times = f"{after.best / before.best:.1f}"
                yield what, task, system, _seconds(before.best), _seconds(after.best), times


def _before(task: str, file: str) -> Iterator[tuple[str, str, str]]:
    """Yields in which ways a cell has grown from which other task and file."""
    if TASKS[task].window > 1:
        yield "window x10", TASKS[task].rules[0], file
    if TASKS[task].hundred:
        shared = "sharing" if TASKS[task].hundred == "thresholds" else "not sharing"
        yield f"rules x100, {shared}", TASKS[task].rules[0], file
    found = re.fullmatch(r"sensors-(\d+)(?:-of-(\d+))?\.parquet", file)
    if found is None or TASKS[task].grown:
        return
    events = int(found[1])
    if found[2] is None and events >= 10:
        yield "events x10", task, f"{data.name(events // 10)}.parquet"
    few, many = (events // each for each in EVENTS_OF_A_KEY)
    if found[2] == str(many):
        yield "keys x1,000", task, f"{data.name(events, few)}.parquet"


def _seconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.2f}"
