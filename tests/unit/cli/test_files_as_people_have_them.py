"""`cera run` over files as people have them: separators, decimal commas, their own times, compressed."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import zstandard

from every_engine import EVERY_ENGINE
from unit.cli.command_line import Cera, records, terms

HOT = "DETECT hot{ room{var R}, value{var V} } ON reading{{ room{{var R}}, value{{var V}} }} where { var V > 8 } END"
SEMICOLONS = "kind;when;room;value\nreading;02/03/2026 10:01;hall;8,5\nreading;02/03/2026 10:02;attic;7,25\n"
LAYOUT = ("--label-field", "kind", "--time-field", "when", "--time-format", "%d/%m/%Y %H:%M")
FOUND = [{"hot": {"room": "hall", "value": 8.5}}]


@pytest.fixture
def hot(folder: Path) -> Path:
    (folder / "hot.xceq").write_text(HOT)
    return folder


@pytest.mark.parametrize("engine", EVERY_ENGINE)
@pytest.mark.parametrize("ending", ["csv", "csv.gz", "csv.zst"])
@pytest.mark.usefixtures("spark_if_needed")
def test_semicolons_decimal_commas_and_times_of_ones_own(cera: Cera, hot: Path, engine: str, ending: str) -> None:
    data = SEMICOLONS.encode()
    write = {"csv": bytes, "csv.gz": gzip.compress, "csv.zst": zstandard.compress}[ending]
    (hot / f"log.{ending}").write_bytes(write(data))
    result = cera("run", "hot.xceq", "--events", f"log.{ending}", *LAYOUT, "--engine", engine)
    assert result.exit_code == 0, result.stderr
    assert terms(result.stdout) == FOUND
    assert records(result.stdout)[0]["end"] == "2026-03-02T10:01:00Z"
    assert f"log.{ending}: read with ';' between cells and decimal commas (--csv says otherwise)" in result.stderr


def test_settings_of_csv_follow_one_another(cera: Cera, hot: Path) -> None:
    (hot / "log.csv").write_text(SEMICOLONS)
    result = cera("run", "hot.xceq", "--csv", "delimiter=;", "decimal=,", "--events", "log.csv", *LAYOUT)
    assert terms(result.stdout) == FOUND
    assert "read with" not in result.stderr
    again = cera("run", "--csv", "delimiter=;", "--csv", "decimal=,", "hot.xceq", "--events", "log.csv", *LAYOUT)
    assert again.stdout == result.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--csv", "delimeter=;"), "did you mean 'delimiter'"),
        (("--csv", "decimal=dot"), "--csv decimal is ',' or '.', not 'dot'"),
        (("--time-format", "%H:%M"), "the time format '%H:%M' does not tell year, month and day"),
        (("--time-format", "%d/%m/%Y %Q"), "the time format '%d/%m/%Y %Q' has %Q, which is unknown; write one like"),
        (("--time-format", "%-d/%m/%Y"), "the time format '%-d/%m/%Y' has %-d, which is unknown"),
        (("--time-format", "%d/%m/%Y %"), "the time format '%d/%m/%Y %' has %, which is unknown"),
    ],
)
def test_what_makes_no_sense_is_refused(cera: Cera, hot: Path, options: tuple[str, ...], said: str) -> None:
    result = cera("run", "hot.xceq", "--events", "events.jsonl", *options)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_time_that_is_not_of_the_format_is_rejected_with_the_format(cera: Cera, hot: Path) -> None:
    (hot / "log.csv").write_text(SEMICOLONS + "reading;2026-03-02;cellar;9\n")
    result = cera("run", "hot.xceq", "--events", "log.csv", *LAYOUT)
    assert terms(result.stdout) == FOUND
    assert "log.csv:4: in the field `when`: '2026-03-02' is not a time like %d/%m/%Y %H:%M" in result.stderr


def test_standard_input_may_have_semicolons_too(cera: Cera, hot: Path) -> None:
    result = cera("run", "hot.xceq", "--format", "csv", "--events", "-", *LAYOUT, input=SEMICOLONS)
    assert terms(result.stdout) == FOUND
