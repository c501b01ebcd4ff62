"""The path of a new user, from an empty environment on: what is typed, and the message that helps.

It installs the package as a user would, so it needs a package registry and minutes: `make test-long`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docs.blocks import blocks

ROOT = Path(__file__).parents[2]
FIELDS = ("--label-field", "type", "--time-field", "ts")
FRIDGES = 50
EVENTS = 1_000_000

pytestmark = [pytest.mark.long, pytest.mark.processes, pytest.mark.spark, pytest.mark.xdist_group("new user")]


class User:
    """Somebody in an empty folder, with an environment in which nothing but cera is installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        environment = folder / "venv"
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        self.bin = environment / "bin"
        copy = folder / "cera"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "__pycache__", "tests"))
        pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        subprocess.run([self.bin / "python", *pip, f"{copy}[spark]"], check=True)
        shutil.rmtree(copy)  # what is installed must not need it
        for block in blocks(ROOT / "docs" / "tutorial.md"):
            if "file" in block.options:
                (folder / block.options["file"]).write_text(block.text)

    def types(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs a command as the user types it."""
        kept = {name: os.environ[name] for name in ("HOME", "JAVA_HOME", "LANG") if name in os.environ}
        environment = {**kept, "PATH": f"{self.bin}:{os.environ['PATH']}"}
        return subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=1_500)


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> User:
    return User(tmp_path_factory.mktemp("user"))


def test_the_first_rule_of_the_tutorial_answers(user: User) -> None:
    result = user.types("cera", "run", "warm.xceq", "--events", "log.jsonl", *FIELDS)
    assert result.returncode == 0, result.stderr
    assert [json.loads(line)["rule"] for line in result.stdout.splitlines()] == ["warm"] * 4
    assert "engine: local" in result.stderr


def test_a_file_with_semicolons_from_a_spreadsheet_is_read(user: User) -> None:
    (user.folder / "fridges.csv").write_text(
        "type;when;fridge;temp\nreading;02/03/2026 08:00;f1;9,5\nreading;02/03/2026 08:05;f1;4,0\n"
    )
    command = ("cera", "run", "warm.xceq", "--events", "fridges.csv", "--label-field", "type", "--time-field", "when")
    refused = user.types(*command)
    assert refused.returncode == 7
    assert "'02/03/2026 08:00' is not a time" in refused.stderr
    assert "for another format give --time-format, like '%d/%m/%Y %H:%M'" in refused.stderr
    result = user.types(*command, "--time-format", "%d/%m/%Y %H:%M")
    assert result.returncode == 0, result.stderr
    assert [json.loads(line)["term"] for line in result.stdout.splitlines()] == [
        {"warm": {"fridge": "f1", "temp": 9.5}}
    ]
    assert "read with ';' between cells and decimal commas" in result.stderr


def test_a_typo_in_an_attribute_is_reported_with_a_guess(user: User) -> None:
    program = (user.folder / "warm.xceq").read_text()
    (user.folder / "typo.xceq").write_text(
        program.replace("ON event r: reading{{fridge", "ON event r: reading{{frigde")
    )
    result = user.types("cera", "run", "typo.xceq", "--events", "log.jsonl", *FIELDS)
    assert result.stdout == ""
    assert "frigde" in result.stderr
    assert "did you mean `fridge`" in result.stderr


def test_the_page_of_a_diagnostic_is_installed(user: User) -> None:
    result = user.types("cera", "explain", "XC201")
    assert result.returncode == 0, result.stderr
    assert "XC201" in result.stdout


def test_a_million_events_are_answered_on_every_engine(user: User) -> None:
    with (user.folder / "big.jsonl").open("w") as file:
        for number in range(EVENTS):
            fridge, minute = f"f{number % FRIDGES}", number // FRIDGES
            day, hour = 1 + minute // 1440, minute % 1440 // 60
            ts = f"2026-03-{day:02}T{hour:02}:{minute % 60:02}:{number % FRIDGES:02}Z"
            kind = {"type": "reading", "ts": ts, "fridge": fridge, "temp": 2 + number * 7919 % 97 / 10}
            if number % 10 == 0:
                kind = {"type": "door", "ts": ts, "fridge": fridge, "state": "open" if number % 20 else "closed"}
            file.write(json.dumps(kind) + "\n")
    rules = ("door.xceq", "average.xceq", "alert.xceq")
    written = {}
    for engine in ("local", "spark"):
        out = user.folder / f"{engine}.jsonl"
        result = user.types(
            "cera", "run", *rules, "--events", "big.jsonl", *FIELDS, "--engine", engine, "--out", str(out)
        )
        assert result.returncode == 0, result.stderr
        assert "1,000,000 events read" in result.stderr
        written[engine] = out.read_bytes()
    assert written["local"] == written["spark"]
    assert written["local"].count(b"\n") > 1_000


def test_a_cell_of_a_notebook_shows_a_table(user: User) -> None:
    (user.folder / "cell.py").write_text(
        "import cera, pandas as pd\n"
        "rows = pd.DataFrame({'type': ['reading', 'reading'], 'ts': pd.to_datetime(['2026-03-02', '2026-03-03']),\n"
        "                     'fridge': ['f1', 'f2'], 'temp': [9, 3]})\n"
        "answer = cera.load('warm.xceq').run(rows, label='type', time='ts')\n"
        "print(answer._repr_html_())\n"
        "print(len(answer.to_pandas()))\n"
    )
    result = user.types("python", "cell.py")
    assert result.returncode == 0, result.stderr
    assert "<table" in result.stdout
    assert result.stdout.rstrip().endswith("1")
