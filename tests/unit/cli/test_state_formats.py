"""A recording with states has the same answers in whatever format it comes, on every engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from cera.connectors.records.layout import Rejected
from cera.connectors.source import source_of
from state_recordings import ANSWERS, FILES, LAYOUT, OPTIONS, PARQUET, PROGRAM, events
from unit.cli.command_line import Cera, records, write_lines

EXPECTED = sorted(ANSWERS, key=str)


@pytest.fixture(autouse=True)
def _program(folder: Path) -> None:
    (folder / "p.xceq").write_text(PROGRAM)


def answers(cera: Cera, folder: Path, name: str, engine: str) -> list[object]:
    write, options = {**FILES, **PARQUET}[name]
    write(folder / name)
    path = str(folder / name)  # Spark may have been started elsewhere
    result = cera("run", "p.xceq", "--events", path, *options, "--engine", engine)
    assert "9 events read" in result.stderr, result.stderr
    return sorted(((r["begin"], r["end"], r["term"]) for r in records(result.stdout)), key=str)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("engine", ["local", "reference"])
def test_the_answers_do_not_depend_on_the_format(cera: Cera, folder: Path, name: str, engine: str) -> None:
    assert answers(cera, folder, name, engine) == EXPECTED


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("name", ["flat.csv", "wrapped.xml", *PARQUET])
def test_the_answers_on_spark_do_not_depend_on_the_format(cera: Cera, folder: Path, name: str) -> None:
    """What Python reads for Spark is what it reads for others; two rules are enough, since many take long to plan."""
    rules = PROGRAM.split("DETECT visits")[0]
    (folder / "p.xceq").write_text(rules.replace("{{ id{", "{{ door_id{") if name == "own.parquet" else rules)
    assert answers(cera, folder, name, "spark") == [each for each in EXPECTED if next(iter(each[2])) in rules]


@pytest.mark.parametrize("name", ["flat.jsonl", "nulls.jsonl", "flat.json", "flat.csv"])
def test_every_reader_finds_the_same_states(folder: Path, name: str) -> None:
    FILES[name][0](folder / name)
    source = source_of(str(folder / name))
    found = list(source.events(LAYOUT))
    assert found == events()
    quick = [each if isinstance(each, Rejected) else (each.event, each.id) for each in source.occurrences(LAYOUT)]
    assert quick == [(each, each.id) for each in events()]


@pytest.mark.parametrize("engine", ["local", pytest.param("spark", marks=pytest.mark.xdist_group("spark"))])
@pytest.mark.usefixtures("spark_if_needed")
def test_bad_marks_and_times_of_states_are_rejected(cera: Cera, folder: Path, engine: str) -> None:
    lines = (
        "label,begin,end,state,id",
        "door,1,,maybe,d1",
        "door,,9,1,d1",
        "door,9,5,1,d1",
        "door,1,,0,d1",
        "door,1,,1,d1",
    )
    write_lines(folder / "s.csv", lines)
    result = cera("run", "p.xceq", "--events", "s.csv", *OPTIONS, "--engine", engine, "--rejected", "r.jsonl")
    assert [(r["place"], r["reason"]) for r in records((folder / "r.jsonl").read_text())] == [
        (
            "s.csv:2",
            'in the field `state`: a state is marked with true or 1, an event with false, 0 or nothing; found "maybe"',
        ),
        ("s.csv:3", "a state has its times in `begin` and, once it has ended, in `end`"),
        ("s.csv:4", 'the end lies before the begin: "5" before "9"'),
        ("s.csv:5", "the time is missing: there is no field `end`"),
    ]
    assert "1 event read; 4 records rejected" in result.stderr


def test_a_header_without_the_field_of_states_is_refused(cera: Cera, folder: Path) -> None:
    write_lines(folder / "s.csv", ("label,begin,end,stat,id", "door,1,,1,d1"))
    result = cera("run", "p.xceq", "--events", "s.csv", *OPTIONS)
    assert "no column `state` that says what is a state; give --state-field as the header spells it" in result.stderr


def test_the_schema_of_a_file_names_its_states(cera: Cera, folder: Path) -> None:
    FILES["flat.csv"][0](folder / "flat.csv")
    shown = cera("schema", "--events", "flat.csv", *OPTIONS).stdout
    assert "state door: 4 records, 2 with an end, 0 to 310\n  id  string\n" in shown
    assert "visit: 4 events" in shown
