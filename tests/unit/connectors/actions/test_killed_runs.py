"""A run that is killed at any moment and started again does every SQL command and writes every text once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

#: In a process of its own, which has one thread and can be copied at each step.
RUNS = """
import os, signal, sqlite3, sys
from pathlib import Path
from cera.connectors.actions import ledger, sql
from cera.connectors.actions.action import Call, PlannedAction, Sql, Write
from cera.connectors.actions.permissions import Permissions
from cera.connectors.actions.runner import ActionRunner
from cera.model.events.event import Event
from cera.model.time.interval import Interval
from cera.model.terms.term import Term

top = Path(sys.argv[1])
places = {module.__file__ for module in (ledger, sql)}


def run(folder, steps):
    command, write = Sql("UPDATE T SET n = n + 1 WHERE id = :1"), Write("%d\\n", str(folder / "out.txt"))
    planned = [PlannedAction("r", "p", command, (None,)), PlannedAction("r", "p", write, (None,))]
    permissions = Permissions(sql=f"sqlite:{folder / 'x.db'}", write=(folder,))
    with ActionRunner(planned, permissions, ledger=folder / "ledger") as runner:

        def die_after_steps(frame, event, argument):
            # every line of the code that does actions is a place to die at
            nonlocal steps
            if event == "line" and frame.f_code.co_filename in places:
                steps -= 1
                if steps == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
            return die_after_steps

        sys.settrace(die_after_steps)
        for number in range(3):
            event = Event(Term("e"), Interval(number, number))
            runner.run(Call("r", event, command, (number,)))
            runner.run(Call("r", event, write, (number,)))
        sys.settrace(None)


def survives(folder, steps):
    child = os.fork()
    if child == 0:
        run(folder, steps)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL), status
    return status == 0


for steps in range(int(sys.argv[2]), 1000, int(sys.argv[3])):
    folder = top / str(steps)
    folder.mkdir()
    connection = sqlite3.connect(folder / "x.db", isolation_level=None)
    connection.execute("CREATE TABLE T (id, n)")
    connection.executemany("INSERT INTO T VALUES (?, 0)", [(0,), (1,), (2,)])
    connection.close()
    survived = survives(folder, steps)
    assert survives(folder, 0)
    connection = sqlite3.connect(folder / "x.db")
    assert connection.execute("SELECT n FROM T").fetchall() == [(1,)] * 3, steps
    connection.close()
    assert (folder / "out.txt").read_text() == "0\\n1\\n2\\n", steps
    if survived:
        print(steps)
        break
"""


@pytest.mark.parametrize(("first", "stride"), [(3, 7), pytest.param(1, 1, marks=pytest.mark.long)])
@pytest.mark.processes
def test_wherever_a_run_is_killed_everything_is_done_once(tmp_path: Path, first: int, stride: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUNS, str(tmp_path), str(first), str(stride)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 50  # so many places to die at
