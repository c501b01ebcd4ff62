"""A stream that is killed at twenty random moments writes what one does that is not: none twice, none missing."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cera.model.events.event import Event
from cera.model.terms.json_terms import term_from_json
from cera.model.time.interval import point
from cera.program import load
from cera.testing import SECOND
from module_runs import run_locally

pytestmark = [pytest.mark.long, pytest.mark.processes, pytest.mark.xdist_group("spark")]

KILLS = 20
FILES = 60
PROGRAM = """
DETECT fire{ area{ var A } }
ON and { event s: smoke{{ area{{ var A }} }}, event t: temp{{ area{{ var A }}, value{{ var T }} }} }
where { s before t, {s, t} within 1 min, var T > 40 } END

DETECT silent{ area{ var A } }
ON and { event t: temp{{ area{{ var A }} }}, event w: from-end[event t, 12 sec],
         while w: not temp{{ area{{ var A }} }} } END

DETECT calm{ count{ count(var A) } }
ON and { event f: fire{{ area{{ var _B }} }}, event w: extend-begin[event f, 2 min],
         while w: collect silent{{ area{{ var A }} }} } END
"""


def write_stream(folder: Path, chance: random.Random) -> list[Event]:
    """Files of a stream with disorder of up to two seconds, the oldest first."""
    records = []
    for second in range(FILES * 20):
        children: dict[str, object] = {"area": chance.choice("abcdefgh")}
        label = chance.choice(("smoke", "temp", "temp"))
        if label == "temp":
            children["value"] = chance.randint(35, 45)
        records.append((second + chance.random() * 2, second, {label: children}))
    records.append((10**9, 10**6, {"other": {}}))
    records.sort(key=lambda record: record[0])
    for number in range(FILES):
        part = records[number * len(records) // FILES : (number + 1) * len(records) // FILES]
        file = folder / f"{number:03d}.jsonl"
        file.write_text("".join(json.dumps({"at": at, "term": term}) + "\n" for _, at, term in part))
        os.utime(file, (1_000_000_000 + number, 1_000_000_000 + number))
    return [Event(term_from_json(term), point(at * SECOND)) for _, at, term in records]


def test_a_stream_that_is_killed_twenty_times_gives_what_it_gives_without(tmp_path: Path) -> None:
    chance = random.Random(20)
    (tmp_path / "in").mkdir()
    (tmp_path / "program.xceq").write_text(PROGRAM)
    events = write_stream(tmp_path / "in", chance)
    command = [sys.executable, "-m", "cera", "stream", "program.xceq", "--source", "in", "--sink", "out"]
    command += ["--checkpoint", "state", "--max-delay", "3 sec", "--time-unit", "s", "--files-per-batch", "1"]
    command += ["--buckets", "4", "--max-duration", "0 sec"]
    killed = 0
    while killed < KILLS:
        with (tmp_path / "log").open("ab") as log:
            process = subprocess.Popen(command, cwd=tmp_path, stderr=log)
        time.sleep(chance.uniform(1, 30))
        assert process.poll() is None, (tmp_path / "log").read_text()
        process.kill()
        process.wait()
        killed += 1
    subprocess.run([*command, "--once"], cwd=tmp_path, check=True)

    expected = run_locally(load(PROGRAM).checked(), events, until=10**6 * SECOND - 3 * SECOND - 1)
    lines = [line for file in sorted((tmp_path / "out").glob("*.jsonl")) for line in file.read_text().splitlines()]
    found = [json.loads(line)["id"] for line in lines]
    assert len(found) == len(set(found))
    assert set(found) == {one.event.id for one in expected.derived}
    assert len(found) > 500
