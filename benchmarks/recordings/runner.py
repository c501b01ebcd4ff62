"""`cera run FILE --events … --out …` as a user runs it, for each program, layout and engine, as one table."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Checkout:
    """The sources that a command runs with."""

    name: str
    root: Path


HERE = Checkout("this", ROOT)


def program_text(name: str) -> str:
    """Returns the rules of a program: all of the example, or its first one."""
    text = PROGRAM.read_text()
    return text if name == "all rules" else text[: text.index("END") + len("END")] + "\n"


def command(program: Path, events: Path, layout: str, engine: str, out: Path) -> list[str]:
    """Returns what a user would type."""
    options = [*LAYOUTS[layout][1], "--engine", engine, "--events", str(events), "--out", str(out)]
    return [sys.executable, "-m", "cera", "run", str(program), *options]


def run(checkout: Checkout, program: Path, events: Path, layout: str, engine: str, out: Path) -> tuple[Cost, int]:
    """Returns what a run took, and how many answers it wrote."""
    environment = {**os.environ, "PYTHONPATH": str(checkout.root / "src")}
    out.unlink(missing_ok=True)
    took = cost(command(program, events, layout, engine, out), environment)
    if took.status:
        return took, 0
    with out.open("rb") as lines:
        return took, sum(1 for _ in lines)


def measure(
    events: int = QUICK,
    engines: Sequence[str] = ENGINES,
    programs: Sequence[str] = PROGRAMS,
    layouts: Sequence[str] = tuple(LAYOUTS),
    against: Path | None = None,
) -> Table:
    """Returns the table of all runs; with `against`, each also with the sources of another checkout."""
    if against is not None and not (against / "src" / "cera").is_dir():
        raise SystemExit(f"{against} is not a checkout of cera: there is no folder src/cera in it")
    checkouts = [HERE] if against is None else [Checkout("other", against.resolve()), HERE]
    table = Table(title=f"cera run over {events:,} sensor readings, answers written", caption=_CAPTION)
    for column in ("program", "layout", "engine", *(["sources"] if against else [])):
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
                    answers = set()
                    for checkout in checkouts:
                        rules, out = folder / f"{program}.xceq", folder / "answers.jsonl"
                        took, written = run(checkout, rules, path, layout, engine, out)
                        source = [checkout.name] if against else []
                        table.add_row(program, layout, engine, *source, *_figures(took, events, written))
                        answers |= {written} if took.status == 0 else set()
                    if len(answers) > 1:
                        raise SystemExit(f"{program}, {layout}, {engine}: different numbers of answers: {answers}")
            path.unlink()
            table.add_section()
    return table


def _figures(took: Cost, events: int, written: int) -> list[str]:
    if took.status:
        return [f"{took.cpu:.1f}", f"{took.seconds:.1f}", f"failed: {took.status}", f"{took.megabytes:.0f}", ""]
    rate = f"{events / took.cpu:,.0f}"
    return [f"{took.cpu:.1f}", f"{took.seconds:.1f}", rate, f"{took.megabytes:.0f}", f"{written:,}"]
