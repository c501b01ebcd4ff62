"""Modules outside of their evaluation time: `python -m benchmarks.streamlog.suspended [--modules N] [--events N]`.

All ask for the same bids. One is evaluated all the time; the others in states that never hold, so that each bid would
be looked at as often as there are modules if they were not suspended. A run over two records shows what the program
itself costs, its compilation above all; what a bid costs is what a run over many takes beyond that.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.processes import cost
from benchmarks.streamlog.generate import generate
from benchmarks.streamlog.runner import ROOT

_BID = "bid(auctionID(A), itemID(I), value(V)) and V > 490."


def program(modules: int) -> str:
    """Returns a program with so many modules that are suspended."""
    suspended = [f"closing{n}(auctionID(A)):\n  late{n}(itemID(I), value(V)) <- {_BID}\n" for n in range(modules)]
    return "".join([f"high(itemID(I), value(V)) <- {_BID}\n", *suspended])


def measure(modules: int, events: int) -> Table:
    """Returns the table of the CPU seconds without modules that are suspended, and with them."""
    table = Table(title=f"Suspended modules of StreamLog over {events:,} records, `cera run --engine local`")
    for name in ("suspended", "CPU s, 2 records", f"CPU s, {events:,} records", "difference", "µs a record"):
        table.add_column(name, justify="right")
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for number in (2, events):
            generate("bids", number, folder / f"{number}.jsonl")
        for suspended in (0, modules):
            (folder / "program.slog").write_text(program(suspended))
            took = []
            for number in (2, events):
                given = ["--engine", "local", "--events", f"{number}.jsonl", "--out", "answers.jsonl", "--quiet"]
                found = cost([sys.executable, "-m", "cera", "run", "program.slog", *given], environment, folder)
                if found.status:
                    raise SystemExit(f"cera run ended with the status {found.status}")
                took.append(found.cpu)
            more = took[1] - took[0]
            figures = (*took, more, more / events * 1_000_000)
            table.add_row(f"{suspended:,}", *(f"{figure:.2f}" for figure in figures))
    return table


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.streamlog.suspended", description=__doc__)
    options.add_argument("--modules", type=int, default=1_000, help="how many modules are suspended")
    options.add_argument("--events", type=int, default=50_000, help="how many records there are")
    given = options.parse_args()
    Console(width=None if sys.stdout.isatty() else 130).print(measure(given.modules, given.events))


if __name__ == "__main__":
    main()
