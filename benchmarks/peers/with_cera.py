"""The rules in cera in one process, as its command line runs them."""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
from pathlib import Path

from benchmarks.peers.tasks import Task
from benchmarks.peers.turns import given, take_turns
from cera.cli.main import main

LAYOUT = ("--label-field", "type", "--time-field", "ts", "--time-unit", "ms", "--engine", "local")


def answered(task: Task, path: str, answers: str | None) -> int:
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "rules.xceq"
        program.write_text(task.program)
        kept = ("--out", answers) if answers else ("--select", "nothing", "--out", str(Path(folder) / "nothing.jsonl"))
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            status = main.main(["run", str(program), "--events", path, *LAYOUT, *kept], standalone_mode=False)
    counted = re.search(r"([\d,]+) events? derived", said.getvalue())
    if status or counted is None:
        raise SystemExit(said.getvalue())
    return int(counted[1].replace(",", ""))


if __name__ == "__main__":
    its_task, its_events, its_answers = given()
    take_turns(lambda: answered(its_task, its_events, its_answers))
