"""A run in Python warns of labels and attributes that the program asks for and no event has."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner

import cera
from cera.cli.main import main
from cera.running.choice import Engine

ROWS = [{"type": "reading", "ts": at, "fridge": "f1", "temp": at} for at in (1, 2)]
ATTRIBUTE = "DETECT warm{var F} ON reading{{frigde{{var F}}}} END"
LABEL = "DETECT warm{var F} ON readng{{fridge{{var F}}}} END"
SAID = {
    ATTRIBUTE: "the program asks for `frigde` of `reading` (<text>:1:32), and no such event has it; "
    "did you mean `fridge`?",
    LABEL: "the program asks for `readng`, and no event has this label; did you mean `reading`?",
}
KINDS: dict[str, Callable[[list[dict[str, Any]]], object]] = {
    "dicts": list,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.Table.from_pylist,
}


def said(text: str, events: object, **arguments: Any) -> list[str]:
    """The warnings of a run."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cera.load(text).run(events, label="type", time="ts", **arguments)
    assert all(each.category is cera.CeraWarning and each.filename == __file__ for each in caught)
    return [str(each.message) for each in caught]


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("program", SAID, ids=["attribute", "label"])
def test_what_is_misspelt_is_named_with_what_was_meant(program: str, kind: str, engine: Engine) -> None:
    assert said(program, KINDS[kind](ROWS), engine=engine) == [SAID[program]]


@pytest.mark.parametrize("program", SAID, ids=["attribute", "label"])
def test_files_are_looked_at_too(program: str, tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    file.write_text("type,ts,fridge\nreading,1,f1\n")
    assert said(program, file) == [SAID[program]]


def test_modules_ask_for_labels_too() -> None:
    module = 'begin M monitor readng; R: readng(X) as hot(t: X.temp) -> write("hot"). end.'
    assert said(module, ROWS) == [SAID[LABEL]]


@pytest.mark.parametrize(
    "program",
    [
        "DETECT warm{var F} ON reading{{fridge{{var F}}}} END",
        "DETECT warm ON reading{{optional alarm{{}}}} END",
        "DETECT a{x{var F}} ON reading{{fridge{{var F}}}} where {var F = 9} END DETECT b{var F} ON a{{x{{var F}}}} END",
    ],
)
def test_what_is_there_or_could_be_is_no_warning(program: str) -> None:
    assert said(program, ROWS) == []


def test_an_attribute_of_one_late_event_is_enough() -> None:
    rows = [*ROWS, {"type": "reading", "ts": 0, "frigde": "f1"}]
    assert said(ATTRIBUTE, rows, max_delay=0) == []


def test_without_events_there_is_nothing_to_say() -> None:
    assert said(ATTRIBUTE, []) == []


def test_a_command_warns_once_and_by_itself(tmp_path: Path) -> None:
    (tmp_path / "p.xceq").write_text(ATTRIBUTE)
    (tmp_path / "log.csv").write_text("type,ts,fridge\nreading,1,f1\n")
    options = ["--label-field", "type", "--time-field", "ts", "--engine", "reference"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = CliRunner().invoke(
            main, ["run", str(tmp_path / "p.xceq"), "--events", str(tmp_path / "log.csv"), *options]
        )
    assert result.exit_code == 0
    assert result.stderr.count("the program asks for `frigde`") == 1


def test_very_many_missing_labels_share_a_warning() -> None:
    program = cera.load("\n".join(f"DETECT a{number}{{}} ON event e: b{number}{{{{}}}} END" for number in range(40)))
    said = list(program.expectations.missing_labels(["reading"]))
    assert len(said) == 21
    assert said[0] == "the program asks for `b0`, and no event has this label"
    assert said[-1].endswith("… and 10 more, and no event has one of these labels")
