"""`cera run` in columns is `cera run` event by event: the same lines, messages and exit status, whatever comes."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cera.connectors import read_times
from cera.engines.columns import csv_blocks, line_blocks, parquet_blocks
from cera.engines.columns.recording import ColumnsRecording
from cera.running import columns_flow
from cera.running.split_recording import SplitRecording
from unit.cli.command_line import FIRE, STREAM, Cera, write_lines

RUN = ("run", "fire.xceq", "--events", "events.jsonl", "--time-unit", "s", "--engine", "local")


@pytest.fixture(autouse=True)
def program(folder: Path) -> None:
    (folder / "fire.xceq").write_text(FIRE)


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What became of each batch that came to columns."""
    found: list[str] = []
    for name in ("answer", "answer_tables"):
        answer = getattr(ColumnsRecording, name)

        def watched(self: ColumnsRecording, *arguments: Any, answer: Any = answer) -> Any:
            found.append("handed over")
            answered = answer(self, *arguments)
            found[-1] = "answered"
            return answered

        monkeypatch.setattr(ColumnsRecording, name, watched)
    return found


def both_ways(cera: Cera, monkeypatch: pytest.MonkeyPatch, *options: str) -> str:
    """Runs both ways, which must not differ. Returns the lines of the answers."""
    return same_lines(cera, monkeypatch, *RUN, *options)


def same_lines(cera: Cera, monkeypatch: pytest.MonkeyPatch, *command: str, input: str | None = None) -> str:
    monkeypatch.setenv(columns_flow.SWITCH, "0")
    one = cera(*command, input=input)
    monkeypatch.setenv(columns_flow.SWITCH, "1")
    other = cera(*command, input=input)
    assert (other.stdout, other.stderr, other.exit_code) == (one.stdout, one.stderr, one.exit_code)
    return one.stdout


def temp(at: int, sensor: object = "s", value: object = 41, **more: object) -> str:
    return json.dumps({"at": at, "term": {"temp": {"area": "a", "sensor": sensor, "value": value, **more}}})


def test_the_stream_of_the_paper_is_answered_in_columns(
    cera: Cera, folder: Path, monkeypatch: pytest.MonkeyPatch, batches: list[str]
) -> None:
    write_lines(folder / "events.jsonl", STREAM)
    assert both_ways(cera, monkeypatch).count("\n") == 3
    assert batches == ["answered"]


def test_small_recordings_and_those_without_the_switch_are_answered_event_by_event(
    cera: Cera, folder: Path, batches: list[str]
) -> None:
    write_lines(folder / "events.jsonl", STREAM)
    assert cera(*RUN).exit_code == 0
    assert not batches


@pytest.mark.parametrize("least", [1, 2_000_000])
def test_standard_input_is_read_in_blocks_when_it_is_large(
    cera: Cera, folder: Path, monkeypatch: pytest.MonkeyPatch, batches: list[str], least: int
) -> None:
    lines = "".join(f"{line}\n" for line in [*STREAM, "{"])
    run = ("run", "fire.xceq", "--events", "-", "--time-unit", "s", "--engine", "local")
    assert same_lines(cera, monkeypatch, *run, input=lines).count("\n") == 3
    assert batches == ["answered"]
    monkeypatch.delenv(columns_flow.SWITCH)
    monkeypatch.setattr(columns_flow, "COLUMNS_FROM", least)
    assert cera(*run, input=lines).stdout.count("\n") == 3
    assert batches == ["answered"] * (2 if least == 1 else 1)


ODD_LINES = {
    "a large integer": temp(200, value=2**60 + 1),
    "a string among numbers": temp(200, value="hot"),
    "a truth value among numbers": temp(200, value=True),
    "a truth value of its own": temp(200, wet=False),
    "a nested child": temp(200, value={"c": 41}),
    "a list": temp(200, value=[41, 42]),
    "nothing": temp(200, value=None),
    "a huge number": temp(200, value=1e300),
    "a number and not a string": temp(200, sensor=7),
    "a child without a name": temp(200, **{"": 1}),
    "a surrogate": temp(200, sensor="\ud800"),
    "a line that is not an event": "{",
    "a child twice": '{"at": 200, "term": {"temp": {"area": "a", "area": "b"}}}',
    "an equal event": temp(190),
    "an event of another label": '{"at": 200, "term": {"noise": [1, {"x": null}]}}',
    "an interval": '{"begin": 150, "end": 200, "term": {"temp": {"area": "a", "sensor": "s", "value": 1}}}',
    "a number without a fraction": temp(200, value=41.0),
}


@pytest.mark.parametrize("size", [1, 7, 1_000])
@pytest.mark.parametrize("line", ODD_LINES.values(), ids=ODD_LINES.keys())
def test_what_columns_do_not_hold_goes_on_event_by_event(
    cera: Cera, folder: Path, monkeypatch: pytest.MonkeyPatch, batches: list[str], line: str, size: int
) -> None:
    monkeypatch.setattr(columns_flow, "BATCH", size)
    smoke = '{"at": %d, "term": {"smoke": {"area": "a"}}}'
    before = [each for at in range(100, 195, 5) for each in (temp(at, value=at / 10), smoke % (at + 1))]
    after = [temp(at, sensor=f"s{at % 3}", value=at / 5) for at in range(201, 260, 3)]
    write_lines(folder / "events.jsonl", [*before, line, *after])
    assert both_ways(cera, monkeypatch).count("\n") > 30
    assert batches
    assert "answered" in batches or size == 1_000


@pytest.mark.parametrize(
    "options",
    [("--until", "70"), ("--until", "80"), ("--select", "fire"), ("--strict",), ("--max-duration", "5 sec")],
    ids=lambda options: " ".join(options),
)
def test_options_mean_the_same(
    cera: Cera, folder: Path, monkeypatch: pytest.MonkeyPatch, batches: list[str], options: tuple[str, ...]
) -> None:
    write_lines(folder / "events.jsonl", [*STREAM, *(temp(at) for at in range(60, 90, 4))])
    both_ways(cera, monkeypatch, *options)
    assert batches == ["answered"]


@pytest.mark.parametrize("options", [("--base",), ("--as", "table"), ("--max-delay", "1 sec")], ids=" ".join)
def test_what_is_asked_beside_lines_is_answered_event_by_event(
    cera: Cera, folder: Path, monkeypatch: pytest.MonkeyPatch, batches: list[str], options: tuple[str, ...]
) -> None:
    write_lines(folder / "events.jsonl", STREAM)
    both_ways(cera, monkeypatch, *options)
    assert not batches


def test_the_columns_of_csv_are_columns(
    cera: Cera, folder: Path, monkeypatch: pytest.MonkeyPatch, batches: list[str]
) -> None:
    rows = [f"temp,{at},a,s{at % 3},{at / 2}" for at in range(80, 160, 2)]
    write_lines(folder / "events.csv", ["type,ts,area,sensor,value", "smoke,79,a,,", *rows])
    options = ("--events", "events.csv", "--label-field", "type", "--time-field", "ts")
    write_lines(folder / "events.jsonl", [])
    assert both_ways(cera, monkeypatch, *options).count("\n") > 30
    assert batches == ["answered"]


ODD_ROWS = {
    "nothing odd": "temp,1970-01-01T00:02:40Z,a,s,41",
    "another offset": "temp,1970-01-01 01:02:40.5+01:00,a,s,41",
    "quotes": 'temp,"1970-01-01T00:02:40Z","a","s","41"',
    "a doubled quote": 'temp,1970-01-01T00:02:40Z,a,"s""",41',
    "a cell of two lines": 'temp,1970-01-01T00:02:40Z,a,"s\nt",41',
    "a quote that is not closed": 'temp,1970-01-01T00:02:40Z,a,"s,41',
    "an empty cell": "temp,1970-01-01T00:02:40Z,a,,41",
    "no label": ",1970-01-01T00:02:40Z,a,s,41",
    "no time": "temp,,a,s,41",
    "too few cells": "temp,1970-01-01T00:02:40Z,a,s",
    "an empty line": "",
    "a text among numbers": "temp,1970-01-01T00:02:40Z,a,s,hot",
    "a number with zeros before it": "temp,1970-01-01T00:02:40Z,a,007,41",
    "no day": "temp,1970-02-30T00:02:40Z,a,s,41",
    "a return": "temp,1970-01-01T00:02:40Z,a,s,41\r",
    "a byte order mark": "\ufefftemp,1970-01-01T00:02:40Z,a,s,41",
}


@pytest.mark.parametrize("block", [100, 1 << 22])
@pytest.mark.parametrize("row", ODD_ROWS.values(), ids=ODD_ROWS.keys())
def test_blocks_of_csv_are_read_as_rows_are(
    cera: Cera, folder: Path, monkeypatch: pytest.MonkeyPatch, batches: list[str], row: str, block: int
) -> None:
    monkeypatch.setattr(csv_blocks, "BLOCK", block)
    monkeypatch.setattr(read_times, "_LARGE", 0)
    monkeypatch.setattr(read_times, "_BLOCK", block)
    monkeypatch.setattr(columns_flow, "BATCH", 5)
    rows = [f"temp,1970-01-01T00:{at // 60:02}:{at % 60:02}Z,a,s{at % 3},{at / 2}" for at in range(80, 240, 4)]
    write_lines(folder / "events.csv", ["type,ts,area,sensor,value", *rows[:20], row, *rows[20:]])
    command = ("run", "fire.xceq", "--events", "events.csv", "--engine", "local", *FLAT)
    same_lines(cera, monkeypatch, *command, "--rejected", "rejected.jsonl")
    assert batches


FLAT = ("--label-field", "type", "--time-field", "ts")


def record(time: object, **more: object) -> str:
    return json.dumps({"type": "temp", "ts": time, "area": "a", "sensor": "s", "value": 41, **more})


ODD_RECORDS = {
    "a large integer": record(200, value=2**60 + 1),
    "a string among numbers": record(200, value="hot"),
    "a new child": record(200, wet=False),
    "another label": record(200, type="noise"),
    "a label that is a number": record(200, type=7),
    "no label": '{"ts": 200}',
    "a nested child": record(200, value={"c": 41}),
    "nothing": record(200, value=None),
    "a time with a fraction": record(200.5),
    "a time that is a text": record("200"),
    "a time too far away": record(10**18),
    "a surrogate": record(200, sensor="\ud800"),
    "an equal event": record(190, value=19),
    "a line that is not an event": "{",
    "an empty line": "",
    "two records in a line": record(200) + record(200),
    "a record in two lines": record(200).replace(", ", ",\n", 1),
    "a child twice": '{"type": "temp", "ts": 200, "area": "a", "area": "b"}',
    "not a number": record(200, value=float("nan")),
    "a number without a fraction": record(200, value=41.0),
    "an escape": record(200, sensor='"\n'),
    "an event object": '{"at": 200, "term": {"temp": {"area": "a", "sensor": "s", "value": 1}}}',
    "a field with the name of another layout": record(200, at=3, rule="x", id="y"),
    "a record out of order": record(150, value=1),
    "a child without a name": record(200, **{"": 1}),
    "a text that is a day": record(200, sensor="2020-01-01"),
    "the first integer that is a double elsewhere": record(200, value=2**63),
    "the first integer that is not a double": record(200, value=2**53 + 1),
    "an infinite number": record(200, value=float("inf")),
    "a very small number": record(200, value=1e-7),
    "zero with a sign": record(200, value=-0.0),
    "a fraction of seventeen digits": record(200, value=0.30000000000000004),
    "a bad field that no rule needs": record(200).replace("}", ', "note": nan}'),
    "an escape of half a character": record(200, note="x").replace('"x"', '"\\ud800"'),
    "a zero before a number": record(200).replace("41", "041"),
}


@pytest.mark.parametrize("block", [100, 1_000, 1 << 22])
@pytest.mark.parametrize("line", ODD_RECORDS.values(), ids=ODD_RECORDS.keys())
def test_blocks_of_records_are_read_as_lines_are(
    cera: Cera, folder: Path, monkeypatch: pytest.MonkeyPatch, batches: list[str], line: str, block: int
) -> None:
    monkeypatch.setattr(line_blocks, "BLOCK", block)
    monkeypatch.setattr(read_times, "_LARGE", 0)
    monkeypatch.setattr(read_times, "_BLOCK", block)
    monkeypatch.setattr(columns_flow, "BATCH", 5)
    before = [each for at in range(100, 195, 5) for each in (record(at, value=at / 10), smoke(at + 1))]
    after = [record(at, sensor=f"s{at % 3}", value=at / 5) for at in range(201, 260, 3)]
    write_lines(folder / "events.jsonl", [*before, line, *after])
    both_ways(cera, monkeypatch, *FLAT, "--rejected", "rejected.jsonl")
    assert (folder / "rejected.jsonl").exists()
    assert batches


def test_numbers_are_written_as_python_writes_them(
    cera: Cera, folder: Path, monkeypatch: pytest.MonkeyPatch, batches: list[str]
) -> None:
    values = (1e-7, 0.1, 41.0, 1e9 + 0.5, 123456789012.25, -0.0, 0.30000000000000004)
    lines = [record(100 * number + at, value=value) for number, value in enumerate(values, 1) for at in (0, 1)]
    write_lines(folder / "events.jsonl", lines)
    found = both_ways(cera, monkeypatch, *FLAT)
    written = [json.loads(line)["term"]["avg_temp"]["value"] for line in found.splitlines() if "avg_temp" in line]
    assert written == [*values]
    assert '"value": 1e-07}' in found
    assert '"value": 41}' in found
    assert batches == ["answered"]


def test_what_is_undefined_is_counted_as_event_by_event(
    cera: Cera, folder: Path, monkeypatch: pytest.MonkeyPatch, batches: list[str]
) -> None:
    (folder / "fire.xceq").write_text(
        "DETECT large{v{var V * 3000000000000}}\nON event e: temp{{value{{var V}}}}\nwhere { var V < 50 }\nEND\n"
    )
    monkeypatch.setattr(columns_flow, "BATCH", 3)
    values = [1, 2.5, 40, -7, 1_000, 2_000_000, 3_000_000, 30]
    write_lines(folder / "events.jsonl", [record(100 + at, value=value) for at, value in enumerate(values)])
    both_ways(cera, monkeypatch, *FLAT)
    (folder / "fire.xceq").write_text(
        "DETECT large{v{var V * 3000000000000}}\nON event e: temp{{value{{var V}}}}\nEND\n"
    )
    both_ways(cera, monkeypatch, *FLAT)
    assert "handed over" in batches


def test_blocks_behind_a_bad_line_are_read_as_blocks_again(
    cera: Cera, folder: Path, monkeypatch: pytest.MonkeyPatch, batches: list[str]
) -> None:
    monkeypatch.setattr(line_blocks, "BLOCK", 500)
    monkeypatch.setattr(columns_flow, "BATCH", 20)
    monkeypatch.setattr(ColumnsRecording, "answer", lambda *_: pytest.fail("events are taken one by one"))
    lines = [record(at, value=at / 10) for at in range(100, 400, 2)]
    lines[20:20] = ["{", record(138, value=2.5, note="ü\\"), "null"]
    lines[103:103] = [smoke(299), record(299, at="noon")]
    write_lines(folder / "events.jsonl", lines)
    both_ways(cera, monkeypatch, *FLAT, "--rejected", "rejected.jsonl")
    assert batches.count("answered") > 5
    places = [json.loads(line)["place"] for line in (folder / "rejected.jsonl").read_text().splitlines()]
    assert places == ["events.jsonl:21", "events.jsonl:23"]


def test_a_child_of_another_kind_in_a_later_block_goes_on_event_by_event(
    cera: Cera, folder: Path, monkeypatch: pytest.MonkeyPatch, batches: list[str]
) -> None:
    monkeypatch.setattr(line_blocks, "BLOCK", 500)
    monkeypatch.setattr(columns_flow, "BATCH", 50)
    numbers = [record(at, value=at / 10) for at in range(100, 300, 2)]
    write_lines(folder / "events.jsonl", [*numbers, *(record(at, value="hot") for at in range(300, 400, 2))])
    both_ways(cera, monkeypatch, *FLAT)
    assert batches


RUN_PARQUET = ("run", "fire.xceq", "--events", "events.parquet", "--time-unit", "s", "--engine", "local", *FLAT)
ODD_COLUMNS: dict[str, pa.Array] = {
    "nothing odd": pa.array([1.5] * 40),
    "a large integer": pa.array([1] * 39 + [2**60 + 1]),
    "integers": pa.array([None, *range(39)]),
    "not a number": pa.array([1.0] * 39 + [float("nan")]),
    "infinity": pa.array([1.0] * 39 + [float("inf")]),
    "truth values": pa.array([True, None] * 20),
    "lists": pa.array([[1, 2], None] * 20),
    "structs": pa.array([{"c": 1}, None] * 20),
    "days": pa.array([date(2020, 1, 1), None] * 20),
    "bytes": pa.array([b"x", None] * 20),
    "nothing": pa.nulls(40),
    "small numbers": pa.array([0.1] * 40, pa.float32()),
}


@pytest.mark.parametrize("block", [7, 1 << 16])
@pytest.mark.parametrize("more", ODD_COLUMNS.values(), ids=ODD_COLUMNS.keys())
def test_parquet_is_read_in_blocks_as_row_by_row(
    cera: Cera, folder: Path, monkeypatch: pytest.MonkeyPatch, batches: list[str], more: pa.Array, block: int
) -> None:
    monkeypatch.setattr(parquet_blocks, "BLOCK", block)
    monkeypatch.setattr(columns_flow, "BATCH", 10)
    table = pa.table(
        {
            "type": ["temp", "smoke"] * 20,
            "ts": pa.array([100 + row for row in range(40)], pa.int64()),
            "area": ["a"] * 40,
            "sensor": ["s", None] * 20,
            "value": [41.5, None] * 20,
            "more": more,
        }
    )
    pq.write_table(table, folder / "events.parquet")
    same_lines(cera, monkeypatch, *RUN_PARQUET, "--rejected", "rejected.jsonl")
    pq.write_table(table.slice(20, 20), folder / "events.parquet")
    same_lines(cera, monkeypatch, *RUN_PARQUET, "--rejected", "rejected.jsonl")
    assert batches


@pytest.mark.parametrize("block", [300, 1 << 16])
def test_texts_of_parquet_may_come_by_their_numbers_in_a_dictionary(
    cera: Cera, folder: Path, monkeypatch: pytest.MonkeyPatch, batches: list[str], block: int
) -> None:
    monkeypatch.setattr(parquet_blocks, "BLOCK", block)
    monkeypatch.setattr(columns_flow, "BATCH", 500)
    rows = range(2_400)
    table = pa.table(
        {  # in one group of rows are more labels and sensors than in a block
            "type": ["smoke" if row % 700 == 3 else "noise" if row > 2_000 else "temp" for row in rows],
            "ts": pa.array(rows, pa.int64()),
            "area": ["a" if row < 900 else "é" for row in rows],
            "sensor": [None if row % 700 == 3 else f"s{row // 800}" for row in rows],
            "value": [float(row % 90) for row in rows],
        }
    )
    pq.write_table(table, folder / "events.parquet", row_group_size=1_000)
    assert same_lines(cera, monkeypatch, *RUN_PARQUET).count("\n") > 30
    assert set(batches) == {"answered"}
    days = pa.array([f"2020-01-0{1 + row // 600}" for row in rows])  # few times are a dictionary too
    pq.write_table(table.set_column(1, "ts", days), folder / "events.parquet", row_group_size=1_000)
    batches.clear()
    assert same_lines(cera, monkeypatch, *RUN_PARQUET)
    assert set(batches) == {"answered"}
    encoded = table.set_column(2, "area", table["area"].dictionary_encode())
    pq.write_table(encoded, folder / "events.parquet", row_group_size=1_000)
    assert same_lines(cera, monkeypatch, *RUN_PARQUET).count("\n") > 30


def test_parquet_out_of_order_or_without_a_time_is_read_row_by_row(
    cera: Cera, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for times in ([103, 101, 102], [101, None, 103], ["101", "102", "x"], [1.5, 2.5, 3.0]):
        table = pa.table({"type": ["temp"] * 3, "ts": times, "area": ["a"] * 3, "sensor": ["s"] * 3, "value": [50] * 3})
        pq.write_table(table, folder / "events.parquet")
        same_lines(cera, monkeypatch, *RUN_PARQUET)


def smoke(at: int) -> str:
    return json.dumps({"type": "smoke", "ts": at, "area": "a"})


SPLIT = f"""
{FIRE}
DETECT spread{{area{{var A}}}} ON event f: fire{{{{area{{{{var A}}}}}}}} END
DETECT spread{{area{{var A}}}}
ON and {{ event s: spread{{{{area{{{{var A}}}}}}}}, event n: smoke{{{{area{{{{var A}}}}}}}} }}
where {{ s before n, {{s, n}} within 1 min }}
END
DETECT spreads{{area{{var A}}, number{{count(all var B)}}}}
ON and {{
  event s: spread{{{{area{{{{var A}}}}}}}}, event i: from-end-backward[s, 1 min],
  while i: collect smoke{{{{area{{{{var B}}}}}}}}
}}
END
"""


@pytest.mark.parametrize("size", [1, 7, 1_000])
@pytest.mark.parametrize("value", [41, "hot"])
def test_rules_event_by_event_stand_between_rules_in_columns(
    cera: Cera, folder: Path, monkeypatch: pytest.MonkeyPatch, size: int, value: object
) -> None:
    """A group whose events do not fit goes on event by event alone: temperatures are read by the first one only."""
    monkeypatch.setattr(columns_flow, "BATCH", size)
    (folder / "fire.xceq").write_text(SPLIT)
    ways: set[tuple[int, bool]] = set()
    in_columns = SplitRecording._in_columns

    def watched(self: SplitRecording, place: int, *arguments: Any) -> Any:
        answers = in_columns(self, place, *arguments)
        ways.add((place, answers is not None))
        return answers

    monkeypatch.setattr(SplitRecording, "_in_columns", watched)
    smoke = '{"at": %d, "term": {"smoke": {"area": "a"}}}'
    lines = [line for at in range(100, 300, 5) for line in (smoke % at, temp(at + 1, value=at / 3), temp(at + 2))]
    write_lines(folder / "events.jsonl", [*lines, temp(301, value=value), smoke % 302, temp(303), smoke % 304])
    assert both_ways(cera, monkeypatch).count("spreads") > 30
    first = {(0, True)} if value == 41 else {(0, False)} if size == 1_000 else {(0, True), (0, False)}
    assert ways == {*first, (1, False), (2, True)}
