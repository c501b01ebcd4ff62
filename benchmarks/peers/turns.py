"""What the script of a system and the one who measures it say to each other, in lines.

The script says that it is ready, and after each line that it is sent it does the whole work once more and says what it
counted. So the time of each turn, and of the start, can be read off from outside, for all processes together.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

from benchmarks.peers.tasks import TASKS, Task


def given() -> tuple[Task, str, str | None]:
    """Returns the task, the path of the events, and that of the answers, if any are to be written."""
    name, events, answers = sys.argv[1:]
    return TASKS[name], events, None if answers == "-" else answers


def take_turns(work: Callable[[], int]) -> None:
    said = sys.stdout  # what else is printed meanwhile is printed to stderr
    sys.stdout = sys.stderr
    print(json.dumps({"ready": True}), file=said, flush=True)
    for _ in sys.stdin:
        print(json.dumps({"count": work()}), file=said, flush=True)
