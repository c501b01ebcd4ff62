"""Shapes of lines: what is learnt from one line, and which other lines have it."""

from __future__ import annotations

import pytest

from cera.connectors.line_shapes import MOST_SHAPES, Shapes
from cera.model.occurrence import Occurrence
from cera.model.time_text import TimeFormat

LINE = '{"at": 1.5, "term": {"temp": {"area": "a", "value": 40}}}\n'
LEARNT = Occurrence(1_500_000, 1_500_000, "temp", {"area": "a", "value": 40})


def shapes() -> Shapes:
    found = Shapes(TimeFormat("s"))
    found.learn(LINE, LEARNT)
    return found


def read(known: Shapes, line: str) -> tuple[int, int, str, dict[str, object] | None] | None:
    match = known.match(line, 0)
    if match is None:
        return None
    event = known.makers[match.lastindex or 0](match)
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
        '{"at": 1.5, "term": {"temp": {"area": "a", "value": 40}}}',
    ],
)
def test_a_line_that_differs_in_more_has_another_shape(line: str) -> None:
    assert read(shapes(), line) is None


def test_a_time_that_is_none_is_left_to_the_ordinary_reader() -> None:
    known = Shapes(TimeFormat("s"))
    known.learn('{"at": "2006-09-18T09:00:00Z", "term": {"e": {}}}\n', Occurrence(0, 0, "e", {}))
    assert read(known, '{"at": "2006-09-18T09:00:01Z", "term": {"e": {}}}\n') == (1158570001000000,) * 2 + ("e", {})
    assert read(known, '{"at": "at noon", "term": {"e": {}}}\n') is None


def test_several_shapes_are_known_at_once_and_not_more_than_so_many() -> None:
    known = shapes()
    lines = [f'{{"at": 1, "term": {{"e{i}": {{"k{i}": {i}}}}}}}\n' for i in range(MOST_SHAPES + 2)]
    for i, line in enumerate(lines):
        known.learn(line, Occurrence(1, 1, f"e{i}", {f"k{i}": i}))
    assert read(known, lines[3]) == (1_000_000, 1_000_000, "e3", {"k3": 3})
    assert read(known, LINE) is not None
    assert read(known, lines[-1]) is None
