"""Shapes of lines: what is learnt from one line, and which other lines have it."""

from __future__ import annotations

import pytest

from cera.connectors.formats.line_shapes import MOST_SHAPES, Shapes
from cera.connectors.formats.plain_lines import PlainReader
from cera.connectors.records.layout import Layout
from cera.model.time.time_text import TimeFormat

LINE = '{"at": 1.5, "term": {"temp": {"area": "a", "value": 40}}}\n'
EVENTS = Layout(times=TimeFormat("s"))
FLAT = Layout(label_field="type", time_field="ts")


def shapes(line: str = LINE, layout: Layout = EVENTS) -> Shapes:
    found = Shapes(layout.times)
    assert learn(found, line, layout)
    return found


def learn(known: Shapes, line: str, layout: Layout = EVENTS) -> bool:
    plain = PlainReader(layout).read(line)
    assert plain is not None
    return known.learn(line, plain)


def read(known: Shapes, line: str) -> tuple[int, int, str, dict[str, object] | None] | None:
    [event] = known.read(line)
    return None if event is None else (event.begin, event.end, event.label, event.content)


@pytest.mark.parametrize(
    ("line", "time", "content"),
    [
        (LINE, 1_500_000, {"area": "a", "value": 40}),
        ('{"at": 2, "term": {"temp": {"area": "ü:{", "value": -0.25}}}\n', 2_000_000, {"area": "ü:{", "value": -0.25}),
        ('{"at": -1, "term": {"temp": {"area": "", "value": 7.0}}} \r\n', -1_000_000, {"area": "", "value": 7}),
    ],
)
def test_a_line_with_other_values_has_the_shape(line: str, time: int, content: dict[str, object]) -> None:
    found = read(shapes(), line)
    assert found == (time, time, "temp", content)
    assert found[3] is not None
    assert type(found[3]["value"]) is type(content["value"])


@pytest.mark.parametrize(
    "line",
    [
        '{"at": 1.5, "term": {"smoke": {"area": "a", "value": 40}}}\n',
        '{"at": 1.5, "term": {"temp": {"value": 40, "area": "a"}}}\n',
        '{"at": 1.5, "term": {"temp": {"area": "a", "value": "40"}}}\n',
        '{"at": 1.5, "term": {"temp": {"area": "a", "value": 1e5}}}\n',
        '{"at": 1.5, "term": {"temp": {"area": "a", "value": 007}}}\n',
        '{"at": 1.5, "term": {"temp": {"area": "a\\"", "value": 40}}}\n',
        '{"at": 1.5, "term": {"temp": {"area": "a\tb", "value": 40}}}\n',
        '{"at": 1.5, "term": {"temp": {"area": "a", "value": 40}}} x\n',
        '{"at": 1.5, "term": {"temp": {"area": "a", "value": 12345678901234567890}}}\n',
    ],
)
def test_a_line_that_differs_in_more_has_another_shape(line: str) -> None:
    assert read(shapes(), line) is None


def test_a_text_has_an_event_or_none_for_each_of_its_lines() -> None:
    found = shapes().read(f"{LINE}\nno JSON\n{LINE}")
    assert [event is not None for event in found] == [True, False, False, True]


def test_a_time_that_is_none_is_left_to_the_ordinary_reader() -> None:
    known = shapes('{"at": "2006-09-18T09:00:00Z", "term": {"e": {}}}\n')
    assert read(known, '{"at": "2006-09-18T09:00:01Z", "term": {"e": {}}}\n') == (1158570001000000,) * 2 + ("e", {})
    assert read(known, '{"at": "at noon", "term": {"e": {}}}\n') is None
    assert read(known, '{"at": "2006-09-31T09:00:00Z", "term": {"e": {}}}\n') is None


FLAT_LINE = '{"type": "temp", "ts": "2026-03-02T10:00:00.120+01:00", "area": "a"}\n'


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (FLAT_LINE, (1772442000120000, "temp", {"area": "a"})),
        ('{"type": "smoke", "ts": "2026-03-02T10:00:00.120+02:00", "area": "b"}\n', (1772438400120000, "smoke")),
        ('{"type": "", "ts": "2026-03-02T10:00:00.120+02:00", "area": "b"}\n', None),
        ('{"type": "temp", "ts": "2026-03-02T10:00:60+02:00", "area": "b"}\n', None),
        ('{"type": "temp", "ts": "2026-03-02T24:00:00+02:00", "area": "b"}\n', None),
        ('{"type": "temp", "ts": "2026-03-02T10:00:00+24:00", "area": "b"}\n', None),
        ('{"type": "temp", "ts": "0001-01-01T00:00:00+02:00", "area": "b"}\n', None),
        ('{"type": "temp", "ts": "2026-03-02T10:00:00.123456789+02:00", "area": "b"}\n', (1772438400123456, "temp")),
        ('{"type": "temp", "ts": "2026-03-02T10:00:00.1234567890+02:00", "area": "b"}\n', None),
    ],
)
def test_the_label_and_the_time_of_a_flat_record_are_values(line: str, expected: tuple[object, ...] | None) -> None:
    found = read(shapes(FLAT_LINE, FLAT), line)
    assert found == expected if expected is None else found is not None and found[1 : 1 + len(expected)] == expected


def test_a_shape_is_learnt_once() -> None:
    known = shapes()
    assert not learn(known, LINE.replace("40", "41"))


def test_several_shapes_are_known_at_once_and_not_more_than_so_many() -> None:
    known = shapes()
    lines = [f'{{"at": 1, "term": {{"e{i}": {{"k{i}": {i}}}}}}}\n' for i in range(MOST_SHAPES + 2)]
    assert [learn(known, line) for line in lines] == [True] * (MOST_SHAPES - 1) + [False] * 3
    assert read(known, lines[3]) == (1_000_000, 1_000_000, "e3", {"k3": 3})
    assert read(known, LINE) is not None
    assert read(known, lines[-1]) is None


STATE = '{"begin": 1, "end": null, "state": true, "term": {"I0": {"item": 7, "name": "a"}}}\n'
ENDED = '{"begin": 1, "end": 2.5, "state": true, "term": {"I0": {"item": 7, "name": "a"}}}\n'


@pytest.mark.parametrize(
    ("line", "other"),
    [
        (STATE, '{"begin": 3, "end": null, "state": true, "term": {"offer": {"item": 8, "name": ""}}}\n'),
        (ENDED, '{"begin": 3, "end": 3, "state": true, "term": {"offer": {"item": 8.0, "name": ""}}}\n'),
    ],
)
def test_states_of_other_labels_have_the_shape_of_a_state(line: str, other: str) -> None:
    reader, known = PlainReader(EVENTS), Shapes(EVENTS.times)
    plain, expected = reader.read_state(line), reader.read_state(other)
    assert plain is not None
    assert expected is not None
    assert known.learn(line, plain)
    [found] = known.read(other)
    assert found is not None
    assert found.__getstate__() == expected.event.__getstate__()


@pytest.mark.parametrize(
    "other",
    [
        STATE,
        ENDED.replace("true", "false"),
        ENDED.replace("2.5", "0.5"),
        ENDED.replace("I0", "a-b"),
        ENDED.replace('"item"', '"thing"'),
    ],
)
def test_lines_that_are_not_like_a_state_do_not_have_its_shape(other: str) -> None:
    known = Shapes(EVENTS.times)
    plain = PlainReader(EVENTS).read_state(ENDED)
    assert plain is not None
    assert known.learn(ENDED, plain)
    assert known.read(other) == [None]
