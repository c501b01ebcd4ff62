"""Blocks of flat lines read without a parser have the values of Python's JSON reader, or are left to another reader."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

from cera.connectors.formats.byte_columns import BlockBytes
from cera.connectors.formats.line_columns import Field, LineColumn, LineColumns, RecordFields, StringColumn
from cera.connectors.formats.line_times import LineTimes
from cera.connectors.formats.time_columns import TimeColumns
from cera.connectors.records.layout import Layout
from cera.model.time.time_text import TimeFormat

FLAT = RecordFields(frozenset(("ts",)), "type")
OBJECTS = RecordFields(frozenset(("at", "begin", "end")), "", has_term=True)
TIMES = TimeFormat("us")


def records(columns: dict[Field, LineColumn], count: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{} for _ in range(count)]
    for field, column in columns.items():
        values = column.values
        cells = [values.texts[p] for p in values.places.tolist()] if isinstance(values, StringColumn) else values
        for row, record in enumerate(found):
            if column.present is None or column.present[row]:
                record[field.name] = cells[row]
    return found


def read(*lines: str, known: RecordFields = FLAT) -> list[dict[str, Any]] | None:
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
    columns = LineColumns(known, TimeColumns(TIMES)).read(BlockBytes(data))
    return None if columns is None else records(dict(columns), len(lines))


def test_short_numbers_that_repeat_are_read_once_each() -> None:
    texts = ["24.7", "-3", "0.5", "24.70", "1"] * 20
    found = read(*(f'{{"ts":5,"x":{text}}}' for text in texts))
    assert found is not None
    assert [each["x"] for each in found] == [float(text) for text in texts]
    assert read(*(f'{{"ts":5,"x":{text}}}' for text in [*texts, "01"])) is None


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


def test_event_objects_have_their_label_and_children_in_a_term() -> None:
    lines = [
        '{"at": 5, "term": {"temp": {"sensor": "s1", "wet": true, "at": 3, "gone": null}}}',
        '{"at": 6, "term": {"tick": {}}}',
        '{"term": {"temp": {"sensor": "", "wet": false}}, "at": "1970-01-01T00:00:00.000007Z"}',
    ]
    assert read(*lines, known=OBJECTS) == [
        {"": "temp", "at": 3, "sensor": "s1", "wet": True},
        {"": "tick", "at": 6},
        {"": "temp", "at": 7, "sensor": "", "wet": False},
    ]


@pytest.mark.parametrize(
    "line",
    [
        '{"at": 1, "term": {"a": {"b": {"c": 1}}}}',
        '{"at": 1, "term": {"a": {"b": [1]}}}',
        '{"at": 1, "term": {"a": {}, "b": {}}}',
        '{"at": 1, "term": {}}',
        '{"at": 1, "id": "x", "term": {"a": {}}}',
        '{"at": 1, "term": {"a": {}}, "term": {"a": {}}}',
        '{"at": null, "term": {"a": {}}}',
        '{"at": true, "term": {"a": {}}}',
        '{"at": 1, "term": {"a": {"b": 1, "b": 2}}}',
        '{"at": 1}',
    ],
)
def test_other_objects_are_left_to_another_reader(line: str) -> None:
    assert read('{"at": 1, "term": {"a": {}}}', line, known=OBJECTS) is None


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"a\\"b","ts":1}',
        '{"type":"a\tb","ts":1}',
        '{"type":"a","ts":1}}',
        '{"type":"a","ts":1} x',
        '{"type":"a","type":"b","ts":1}',
        '{"type":null,"ts":1}',
        '{"type":true,"ts":1}',
        '{"type":"a","ts":true}',
        '{"type":"a","ts":1,"x":truE}',
        '{"type":"a","ts":1,"x":nul}',
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
        (('{"a":3,"ts":1}', '{"ts":2}'), [1, 2]),
        (('{"ts":1,"a":3}', '{"ts":2,"a":34}'), [1, 2]),
        (('{"a":"x","ts":1}', '{"a":"{","ts":2}'), [1, 2]),
        (('{"ts":"1"}',), None),
        (('{"ts":"1970-01-01T01:00:01+01:00"}',), [1_000_000]),
        (('{"x":"\\\\","ts":"1970-01-01T01:00:01+01:00"}',), [1_000_000]),
        (('{"at":1,"term":{"ts":1}}',), None),
        (("", '{"ts":1}'), None),
    ],
)
def test_times_are_those_of_the_records_or_not_known(lines: tuple[str, ...], times: list[int] | None) -> None:
    found = LineTimes(Layout(time_field="ts", times=TIMES)).read("".join(f"{line}\n" for line in lines).encode())
    assert (None if found is None else found[1].tolist()) == times


@pytest.mark.parametrize(
    ("lines", "times"),
    [
        (('{"at":1,"term":{"a":{"x":2}}}', '{"at": "1970-01-01 00:00:00.000003Z","term":{"a":{}}}'), None),
        (('{"at":1,"term":{"a":{"x":2}}}', '{"at": 3,"term":{"a":{"begin":1}}}'), [1, 3]),
        (('{"at":1,"term":{"a":{"at":2}}}',), None),
        (('{"term":{"a":{"at":2}}}',), None),
        (('{"term":{"a":{}},"at":2}',), None),
        (('{"at":1,"state":true,"term":{"a":{}}}',), None),
        (('{"begin":1,"end":4,"term":{"a":{}}}',), [4]),
        (('{"begin":1,"end":4,"term":{"a":{}}}', '{"at":4,"term":{"a":{}}}'), None),
    ],
)
def test_times_of_event_objects_stand_before_their_terms(lines: tuple[str, ...], times: list[int] | None) -> None:
    found = LineTimes(Layout(times=TIMES)).read("".join(f"{line}\n" for line in lines).encode())
    assert (None if found is None else found[1].tolist()) == times
