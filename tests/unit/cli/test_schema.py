"""`cera schema`: what the events of an input look like, as text, as JSON, and as declarations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import cera.program
from cera.diagnostics import Source
from cera.model.events import event_schema
from unit.cli.command_line import Cera, write_lines

FLAT = ("--label-field", "type", "--time-field", "ts", "--time-unit", "s")
RECORDS = [
    '{"type": "reading", "ts": 1, "fridge": "f1", "temp": 4, "at": {"x": 1, "y": 2.5}, "tags": ["a", "b"]}',
    '{"type": "reading", "ts": 5, "fridge": "f1", "temp": 4.5}',
    '{"type": "reading", "ts": 3, "fridge": 7, "temp": 5}',
    '{"type": "door", "ts": 6, "open": true, "odd name": null}',
    '{"type": "power_cut", "ts": 9}',
]


@pytest.fixture
def records(folder: Path) -> Path:
    write_lines(folder / "log.jsonl", RECORDS)
    return folder / "log.jsonl"


@pytest.mark.usefixtures("records")
def test_labels_attributes_types_and_times_are_shown(cera: Cera) -> None:
    result = cera("schema", "--events", "log.jsonl", *FLAT)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "door: 1 event, 6 to 6",
        "  open  boolean",
        "power_cut: 1 event, 9 to 9",
        "reading: 3 events, 1 to 5",
        "  at      object (in 1 of 3)",
        "    x     integer (in 1 of 3)",
        "    y     decimal (in 1 of 3)",
        "  fridge  string 2, integer 1",
        "  tags    list (in 1 of 3)",
        "  temp    integer 2, decimal 1",
    ]
    assert result.stderr == "5 events read; 1 out of order, by at most 2 sec; points of time\n"


@pytest.mark.usefixtures("records")
def test_the_same_as_json(cera: Cera) -> None:
    found = json.loads(cera("schema", "--events", "log.jsonl", *FLAT, "--json").stdout)
    assert (found["events"], found["in_order"], found["greatest_delay_us"]) == (5, False, 2_000_000)
    reading = found["labels"]["reading"]
    assert (reading["events"], reading["first"], reading["last"]) == (3, 1, 5)
    assert reading["attributes"]["fridge"] == {"events": 3, "types": {"string": 2, "integer": 1}}
    assert reading["attributes"]["at"]["attributes"]["y"] == {"events": 1, "types": {"decimal": 1}}


@pytest.mark.usefixtures("records")
def test_declarations_are_a_program_against_which_rules_are_held(cera: Cera) -> None:
    declared = cera("schema", "--events", "log.jsonl", *FLAT, "--declare").stdout
    assert declared.splitlines() == [
        "SOURCE door{open: boolean}",
        "SOURCE power_cut{}",
        "SOURCE reading{at{x: number, y: number}, fridge, tags, temp: number}",
    ]
    rules = "DETECT x ON reading{{ frigde{{}} }} END\nDETECT y ON power_cut END\n"
    program = cera_program(declared + rules)
    assert [(each.code, each.hint) for each in program.diagnostics] == [("XC110", "did you mean `fridge`?")]


def cera_program(text: str) -> cera.program.Program:
    return cera.program.Program((Source("a.xceq", text),))


@pytest.mark.parametrize(
    ("name", "content", "options", "shown"),
    [
        ("a.csv", "type,ts,v\nt,1,5\n", FLAT, "t: 1 event, 1 to 1\n  v  integer\n"),
        ("a.json", '[{"begin": 1, "end": 3, "term": {"t": 5}}]', ("--time-unit", "s"), "(a value)  integer\n"),
        ("a.xml", '<events><event at="1"><t n="1"><v>x</v></t></event></events>', ("--time-unit", "s"), "v   string\n"),
    ],
)
def test_every_format_that_runs_without_spark(
    cera: Cera, folder: Path, name: str, content: str, options: tuple[str, ...], shown: str
) -> None:
    (folder / name).write_text(content)
    result = cera("schema", "--events", name, *options)
    assert result.exit_code == 0, result.stderr
    assert shown in result.stdout


def test_malformed_records_are_shown_and_counted_and_all_of_them_are_status_7(cera: Cera, folder: Path) -> None:
    write_lines(folder / "log.jsonl", [RECORDS[0], "nonsense"])
    result = cera("schema", "--events", "log.jsonl", *FLAT)
    assert (result.exit_code, "1 record rejected" in result.stderr) == (0, True)
    assert cera("schema", "--events", "log.jsonl").exit_code == 7


def test_what_is_kept_is_bounded(cera: Cera, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_schema, "MOST_LABELS", 2)
    monkeypatch.setattr(event_schema, "MOST_ATTRIBUTES", 3)
    monkeypatch.setattr(event_schema, "_MOST_SIGNATURES", 2)
    lines = [f'{{"type": "t{n % 3}", "ts": {n}, "a{n}": 1}}' for n in range(30)]
    write_lines(folder / "log.jsonl", lines)
    result = cera("schema", "--events", "log.jsonl", *FLAT)
    assert "  a0  integer (in 1 of 10)\n" in result.stdout
    assert result.stdout.count("… and other attributes") == 2
    assert "10 of labels that are not shown" in result.stderr
    assert cera("schema", "--events", "log.jsonl", *FLAT, "--declare").stdout == "SOURCE t0\nSOURCE t1\n"


def test_the_ends_of_states_are_counted_and_are_times_too(cera: Cera, folder: Path) -> None:
    """A second record of a state says when it ends, and comes at that time; one with both times comes at its begin."""
    lines = [
        '{"begin": 1, "state": true, "term": {"auction": {"id": 1}}}',
        '{"at": 2, "term": {"bid": {"id": 1}}}',
        '{"begin": 3, "end": 20, "state": true, "term": {"auction": {"id": 2}}}',
        '{"begin": 4, "state": true, "term": {"auction": {"id": 3}}}',
        '{"begin": 1, "end": 9, "state": true, "term": {"auction": {"id": 1}}}',
        '{"at": 8, "term": {"bid": {"id": 1}}}',
    ]
    write_lines(folder / "auctions.jsonl", lines)
    result = cera("schema", "--events", "auctions.jsonl", "--time-unit", "s")
    assert "state auction: 4 records, 2 with an end, 1 to 20" in result.stdout.splitlines()
    assert result.stderr == "6 events read; 1 out of order, by at most 1 sec; points of time\n"
    found = json.loads(cera("schema", "--events", "auctions.jsonl", "--time-unit", "s", "--json").stdout)
    assert [found["states"]["auction"][part] for part in ("events", "ends", "first", "last")] == [4, 2, 1, 20]
