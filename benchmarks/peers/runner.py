"""Installs the systems, runs each cell as a process of its own, and makes the table."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from benchmarks.processes import cost

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
#: The events that each rule derives; all three together are one program.
RULES = {"join": "fire", "absence": "burnt_down", "average": "avg_temp", "all": ""}
MODES = ("count", "write")
#: What is installed for each system, and the script that runs there; cera runs as it is here.
PEERS: dict[str, tuple[tuple[str, ...], str]] = {
    "cera": ((), ""),
    "python": (("pyarrow",), "with_python.py"),
    "duckdb": (("duckdb",), "with_duckdb.py"),
    "polars": (("polars",), "with_polars.py"),
}


@dataclass(frozen=True)
class Cell:
    """A system with a rule over a file: what it counted, its CPU time with its start and without, its memory."""

    peer: str
    rule: str
    file: Path
    mode: str
    count: int | None
    total: float
    cold: float | None
    warm: float | None
    megabytes: float


def interpreter(peer: str, environments: Path) -> Path:
    """Returns the Python of a system's own environment, which is made where it is not there."""
    packages, _ = PEERS[peer]
    if not packages:
        return Path(sys.executable)
    folder = environments / peer
    python = folder / "bin" / "python"
    if not (folder / "installed").exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        (folder / "installed").touch()
    return python


def recordings(events: int, formats: Iterable[str], folder: Path) -> list[Path]:
    """Returns the files with so many events, which are written where they are not there."""
    files = [folder / f"sensors-{events}.{format}" for format in formats]
    if not all(file.exists() for file in files):
        subprocess.run([sys.executable, "-m", "benchmarks.peers.data", str(events), str(folder)], check=True)
    return files


def cells(
    peers: Iterable[str], rules: Sequence[str], files: Sequence[Path], modes: Sequence[str], folder: Path
) -> Iterator[Cell]:
    for peer in peers:
        python = interpreter(peer, folder / "environments")
        for file in files:
            for rule in rules:
                for mode in modes:
                    yield _cell(peer, python, rule, file, mode, folder)


def _cell(peer: str, python: Path, rule: str, file: Path, mode: str, folder: Path) -> Cell:
    answers, said = folder / "answers.jsonl", folder / "said.txt"
    for old in folder.glob(f"{answers.name}*"):
        old.unlink()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(ROOT / "src") if peer == "cera" else ""
    if peer == "cera":
        command = _cera(python, rule, file, mode, answers, folder)
    else:
        command = [str(python), str(HERE / PEERS[peer][1]), rule, str(file), "-" if mode == "count" else str(answers)]
    # the shell keeps what is said; the cost is that of all processes
    found = cost(["sh", "-c", 'out=$0; exec "$@" > "$out" 2>&1', str(said), *command], environment)
    if found.status:
        sys.exit(f"{peer}, {rule}, {file.name}: {said.read_text()[-2000:]}")
    text = said.read_text()
    if peer == "cera":
        counted = re.search(rf"{RULES[rule]} ([\d,]+)" if RULES[rule] else r"([\d,]+) events derived", text)
        count = 0 if counted is None else int(counted[1].replace(",", ""))
        return Cell(peer, rule, file, mode, count, found.cpu, None, None, found.megabytes)
    result = json.loads(text.splitlines()[-1])
    cold, warm = result["cold"], result.get("warm")
    total = found.cpu - (warm or 0.0)  # the second run is not a part of the first
    return Cell(peer, rule, file, mode, result["count"], total, cold, warm, found.megabytes)


def _cera(python: Path, rule: str, file: Path, mode: str, answers: Path, folder: Path) -> list[str]:
    program = folder / f"{rule}.xceq"
    rules = re.split(r"(?<=\nEND\n)", (HERE / "rules.xceq").read_text())
    chosen = rules if not RULES[rule] else [text for text in rules if f"DETECT {RULES[rule]}{{" in text]
    program.write_text("".join(chosen))
    layout = ("--label-field", "type", "--time-field", "ts", "--time-unit", "ms", "--engine", "local")
    kept = ("--select", "nothing") if mode == "count" else ()
    run = (str(python), "-m", "cera", "run", str(program), "--events", str(file), *layout, *kept)
    return [*run, "--out", str(answers)]


def table(found: Sequence[Cell]) -> tuple[Table, bool]:
    """Returns the table, and whether all systems counted the same."""
    shown = Table(title="CPU seconds of all processes")
    for name in ("file", "rule", "mode", "system", "answers", "with start", "cold", "warm", "MiB"):
        shown.add_column(name, justify="left" if name in ("file", "rule", "mode", "system") else "right")
    agree = True
    for cell in sorted(found, key=lambda cell: (cell.file.name, cell.rule, cell.mode)):
        others = {each.count for each in found if (each.file, each.rule) == (cell.file, cell.rule)}
        agree &= len(others) == 1
        count = f"{cell.count:,}" + ("" if len(others) == 1 else " !")
        times = (_seconds(cell.total), _seconds(cell.cold), _seconds(cell.warm), f"{cell.megabytes:,.0f}")
        shown.add_row(cell.file.name, cell.rule, cell.mode, cell.peer, count, *times)
    return shown, agree


def _seconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.2f}"
