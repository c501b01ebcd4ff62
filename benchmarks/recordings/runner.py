"""`cera run FILE --events … --out …` as a user runs it, for each program, layout and engine, as one table."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from benchmarks.processes import Cost, cost
from benchmarks.recordings.data import LAYOUTS, generate

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "sensors" / "fire.xceq"
ENGINES = ("local", "spark")
PROGRAMS = ("fire", "all rules")
QUICK = 100_000
_CAPTION = (
    "The whole command, its start included: CPU seconds and the most memory of the process and of those that it "
    "starts. Every answer is written. `fire` is the join alone, `all rules` the three of examples/sensors/fire.xceq."
)


def program_text(name: str) -> str:
    """Returns the rules of a program: all of the example, or its first one."""
    text = PROGRAM.read_text()
    return text if name == "all rules" else text[: text.index("END") + len("END")] + "\n"


def options(program: Path, events: Path, layout: str, engine: str, out: Path) -> tuple[str, ...]:
    """Returns what a user would type behind `cera`."""
    places = ("--engine", engine, "--events", str(events), "--out", str(out))
    return ("run", str(program), *LAYOUTS[layout][1], *places)


def run(program: Path, events: Path, layout: str, engine: str, out: Path) -> tuple[Cost, int]:
    """Returns what a run took, and how many answers it wrote."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    out.unlink(missing_ok=True)
    took = cost([sys.executable, "-m", "cera", *options(program, events, layout, engine, out)], environment)
    if took.status:
        return took, 0
    with out.open("rb") as lines:
        return took, sum(1 for _ in lines)


def measure(
    events: int = QUICK,
    engines: Sequence[str] = ENGINES,
    programs: Sequence[str] = PROGRAMS,
    layouts: Sequence[str] = tuple(LAYOUTS),
) -> Table:
    """Returns the table of all runs."""
    table = Table(title=f"cera run over {events:,} sensor readings, answers written", caption=_CAPTION)
    for column in ("program", "layout", "engine"):
        table.add_column(column, no_wrap=True)
    for column in ("CPU s", "wall s", "events/s of CPU", "peak MiB", "answers"):
        table.add_column(column, justify="right")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for program in programs:
            (folder / f"{program}.xceq").write_text(program_text(program))
        for layout in layouts:
            path = folder / f"events.{LAYOUTS[layout][0]}"
            generate(events, layout, path)
            for program in programs:
                for engine in engines:
                    rules, out = folder / f"{program}.xceq", folder / "answers.jsonl"
                    took, written = run(rules, path, layout, engine, out)
                    table.add_row(program, layout, engine, *_figures(took, events, written))
            path.unlink()
            table.add_section()
    return table


def _figures(took: Cost, events: int, written: int) -> list[str]:
    if took.status:
        return [f"{took.cpu:.1f}", f"{took.seconds:.1f}", f"failed: {took.status}", f"{took.megabytes:.0f}", ""]
    rate = f"{events / took.cpu:,.0f}"
    return [f"{took.cpu:.1f}", f"{took.seconds:.1f}", rate, f"{took.megabytes:.0f}", f"{written:,}"]
