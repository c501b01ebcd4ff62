"""A program of several languages about the doors of rooms, and events for it: rules around event types, timers."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

#: What is in which file: rules, modules over what these derive, and a rule over what those detect.
PROGRAM: Mapping[str, str] = {
    "doors.xceq": """
DETECT open{ room{ var R } } ON event d: door{{ room{{ var R }}, state{{ "open" }} }} END
DETECT closed{ room{ var R } } ON event d: door{{ room{{ var R }}, state{{ "closed" }} }} END
""",
    "rooms.snoop": """
partition by room;
Beep := recent P(open, tick: [7 sec], closed) as beep(room: open.room, at: tick.evtime)
Stay := chronicle P*(open, tick: [5 sec], closed) as stay(room: closed.room, ticks: count(tick))
Hot := chronicle open ; temp where temp.value > 40 as hot(room: temp.room, value: temp.value)
""",
    "still.cet": """
partition by room;
T := 4 sec after open;
Still := not(last: exclusive: open, closed, T) as still(room: open.room, since: T.since);
""",
    "alarms.xceq": """
DETECT alarm{ room{ var R }, value{ var V } }
ON and { event b: beep{{ room{{ var R }} }}, event h: hot{{ room{{ var R }}, value{{ var V }} }} }
where { {b, h} within 20 sec } END
""",
}

#: What the program derives, from the lowest layer to the highest.
LABELS = frozenset({"open", "closed", "beep", "stay", "hot", "still", "alarm"})


def write_program(folder: Path) -> list[str]:
    for name, text in PROGRAM.items():
        (folder / name).write_text(text)
    return list(PROGRAM)


def records(random: Random, seconds: int) -> list[dict[str, Any]]:
    """An event a second in one of five rooms, or outside of all rooms; the last one, which nothing reads, comes later.

    They are up to two seconds out of order, and all times are whole seconds.
    """
    found: list[tuple[float, dict[str, Any]]] = []
    for second in range(seconds):
        content: dict[str, Any] = {"room": random.randrange(5), "n": second}
        if random.random() < 0.05:
            del content["room"]
        if random.random() < 0.4:
            term = {"door": {**content, "state": random.choice(("open", "open", "closed"))}}
        else:
            term = {"temp": {**content, "value": random.choice((20, 41, 45.5))}}
        found.append((second + random.random() * 2, {"at": second, "term": term}))
    found.sort(key=lambda item: item[0])
    return [*(record for _, record in found), {"at": seconds + 30, "term": {"other": {}}}]


def write_files(folder: Path, several: list[dict[str, Any]], files: int, first: int = 0) -> None:
    """The records in files, the oldest file first."""
    for number in range(files):
        part = several[number * len(several) // files : (number + 1) * len(several) // files]
        file = folder / f"{first + number:03d}.jsonl"
        file.write_text("".join(json.dumps(record) + "\n" for record in part))
        os.utime(file, (1_000_000_000 + first + number,) * 2)
