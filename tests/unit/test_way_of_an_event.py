"""ARCHITECTURE.md, "The way of an event": an event of `cera run --engine local` passes the files of the list."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType

from click.testing import CliRunner

from cera.cli.main import main

ROOT = Path(__file__).parents[2]
SENSORS = ROOT / "examples" / "sensors"


def files_of_the_list() -> set[str]:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    way = text[text.index("## The way of an event") : text.index("## The rooms")]
    steps = re.findall(r"^\d+\. .*$", way, re.M)
    assert len(steps) == 9
    return {path for step in steps for path in re.findall(r"`src/(cera/[\w/]+\.py)`", step)}


def test_an_event_passes_the_files_of_its_way() -> None:
    passed: set[str] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            passed.add(frame.f_code.co_filename)

    command = ["run", str(SENSORS / "fire.xceq"), "--events", str(SENSORS / "events.jsonl"), "--time-unit", "s"]
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        done = CliRunner().invoke(main, [*command, "--engine", "local", "--as", "jsonl"])
    finally:
        sys.setprofile(before)
    assert done.exit_code == 0
    expected = files_of_the_list() - {"cera/modules/layered_processor.py"}  # of several layers
    assert not {name for name in expected if not any(path.endswith(name) for path in passed)}
