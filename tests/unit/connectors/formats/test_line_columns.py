"""Blocks of flat lines read without a parser have the values of Python's JSON reader, or are left to another reader."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

from cera.connectors.formats.byte_columns import BlockBytes
from cera.connectors.formats.line_columns import LineColumn, LineColumns, StringColumn
from cera.connectors.formats.line_times import line_times

TIMES = frozenset(("ts",))


def records(columns: dict[str, LineColumn], count: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{} for _ in range(count)]
    for name, column in columns.items():
        values = column.values
        cells = [values.texts[p] for p in values.places.tolist()] if isinstance(values, StringColumn) else values
        for row, record in enumerate(found):
            if column.present is None or column.present[row]:
                record[name] = cells[row]
    return found


def read(*lines: str) -> list[dict[str, Any]] | None:
    columns = LineColumns(TIMES).read("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"))
    return None if columns is None else records(dict(columns), len(lines))


def random_number(chance: random.Random) -> str:
    whole = chance.choice(["0", str(chance.randrange(10)), str(chance.randrange(10 ** chance.randrange(1, 17)))])
    behind = str(chance.randrange(10 ** chance.randrange(1, 16))).zfill(chance.randrange(1, 8))
    return chance.choice(["", "-"]) + chance.choice([whole, f"{whole}.{behind}"])


def test_numbers_have_the_bits_that_python_reads() -> None:
    chance = random.Random(3)
    taken = 0
    for _ in range(3_000):
        texts = [random_number(chance) for _ in range(chance.randrange(1, 4))]
        found = read(*(f'{{"ts":5,"x":{text}}}' for text in texts))
        if found is not None:
            taken += 1
            assert [each["x"] for each in found] == [float(text) for text in texts], texts
            assert all(abs(float(text)) < 2**53 for text in texts)
    assert taken > 1_500


@pytest.mark.parametrize(
    "number", ["01", "-01", "1.", ".5", "-", "-.5", "1..2", "1.2.3", "+1", "1e3", "NaN", "1_0", "", "00.1", "0x1", "१"]
)
@pytest.mark.parametrize("field", ["x", "ts"])
def test_what_json_does_not_have_as_a_number_is_left_alone(number: str, field: str) -> None:
    usual = json.dumps({"x": 1.5, "ts": 7}, separators=(",", ":"))
    assert read(usual, usual.replace("1.5" if field == "x" else "7", number)) is None


def test_lines_of_several_shapes_are_read_together() -> None:
    lines = [
        '{"type":"temp","sensor":"s1","value":-0.25,"ts":1700000000001}',
        '{"type":"smoke","ts":1700000000002}',
        '{"type": "temp", "ts": 1700000000003, "sensor": "ein längerer Name, mit Komma und {Klammer}"}',
        '{"type":"temp","sensor":"","value":3,"ts":-5}',
    ]
    assert read(*lines) == [json.loads(line) for line in lines]


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"a\\"b","ts":1}',
        '{"type":"a\tb","ts":1}',
        '{"type":"a","ts":1}}',
        '{"type":"a","ts":1} x',
        '{"type":"a","type":"b","ts":1}',
        '{"type":null,"ts":1}',
        '{"type":["a"],"ts":1}',
        '{"type":"a","ts":1.5}',
        '{"type":"a","ts":"1"}',
        '{"type":"\ud800","ts":1}',
        '{"type":"' + "x" * 70 + '","ts":1}',
        '{"type":"a\0","ts":1}',
        "{}",
        "",
        "[1]",
        '{"type":7,"ts":1}',
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_what_is_not_plain_leaves_the_block_to_another_reader(line: str, place: int) -> None:
    lines = ['{"type":"a","ts":1}'] * 2
    lines.insert(place, line)
    assert read(*lines) is None


def test_texts_are_found_wherever_they_stand() -> None:
    data = b'ab"ts":1,\n"ts"x"ts":2'
    block = BlockBytes(data)
    assert (block.occurrences(b'"ts":') - block.first).tolist() == [2, 15]
    assert block.next(ord("x"), np.array([block.first])).tolist() == [block.first + 14]


@pytest.mark.parametrize(
    ("lines", "times"),
    [
        (('{"ts":1,"a":2}', '{"a":"}","ts": 22}'), [1, 22]),
        (('{"ts":-12345678901}',), [-12345678901]),
        (('{"ts" : 4}',), [4]),
        (('{"ts":1,"a":{"ts":2}}',), [1]),
        (('{"ts":1}', '{"a":{"ts":2}}'), None),
        (('{"ts":1.5}',), None),
        (('{"ts":"1"}',), None),
        (('{"at":1,"term":{"ts":1}}',), None),
        (("", '{"ts":1}'), None),
    ],
)
def test_times_are_those_of_the_records_or_not_known(lines: tuple[str, ...], times: list[int] | None) -> None:
    found = line_times("".join(f"{line}\n" for line in lines).encode(), ("ts",))
    assert (None if found is None else found["ts"].tolist()) == times
