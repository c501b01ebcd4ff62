"""Ids computed for columns are those that the model computes for single events."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyarrow as pa

from cera.model.columns.column_hashes import event_hashes, hexadecimal, timer_hashes
from cera.model.terms.hashing import event_id
from cera.model.terms.term import Term
from cera.model.terms.values import number
from cera.model.time.interval import Interval

ROWS = 300
TEXTS = ("", "a", "ü", "x" * 31, "y" * 32, "z" * 70)
DOUBLES = (0.5, 2.0, -0.0, 1e300, 2.0**63, -(2.0**63), 2.0**53)


def ids(digits: bytes) -> list[str]:
    text = digits.decode()
    return [text[start : start + 32] for start in range(0, len(text), 32)]


def test_events_with_any_values_and_absent_children() -> None:
    draw = random.Random(4)
    labels = [draw.choice(("temp", "smoke", "é")) for _ in range(ROWS)]
    text = [draw.choice((*TEXTS, None)) for _ in range(ROWS)]
    double = [draw.choice((*DOUBLES, draw.random(), None)) for _ in range(ROWS)]
    integer = [draw.choice((1, -5, 2**63 - 1, -(2**63), None)) for _ in range(ROWS)]
    instead = [draw.choice(("1", None)) if value is None else None for value in integer]
    truth = [draw.choice((True, False)) for _ in range(ROWS)]
    begins = np.array([draw.randrange(-(10**15), 10**15) for _ in range(ROWS)], np.int64)
    children = {
        "text": {"string": pa.array(text, pa.string())},
        "double": {"double": pa.array(double, pa.float64())},
        "mixed": {"integer": pa.array(integer, pa.int64()), "string": pa.array(instead, pa.string())},
        "truth": {"boolean": pa.array(truth, pa.bool_())},
        "never": {"string": pa.nulls(ROWS, pa.string())},
    }
    found = ids(hexadecimal(event_hashes(pa.array(labels), children, begins, begins + 7)))
    for row in range(ROWS):
        values: dict[str, Any] = {
            "text": text[row],
            "double": None if double[row] is None else number(double[row]),
            "mixed": instead[row] if integer[row] is None else integer[row],
            "truth": truth[row],
        }
        term = Term(labels[row], [Term(name, (value,)) for name, value in values.items() if value is not None])
        begin = int(begins[row])
        assert found[row] == event_id(term, Interval(begin, begin + 7))


def test_events_of_one_label_with_one_child_or_none() -> None:
    times = np.array([1, 2], np.int64)
    [one, other] = ids(hexadecimal(event_hashes("a", {"b": {"fraction": pa.array([0.5, 1.5])}}, times, times)))
    assert one == event_id(Term("a", (Term("b", (0.5,)),)), Interval(1, 1))
    assert other == event_id(Term("a", (Term("b", (1.5,)),)), Interval(2, 2))
    assert ids(hexadecimal(event_hashes("a", {}, times, times)))[1] == event_id(Term("a", ()), Interval(2, 2))


def test_timers_have_the_ids_of_their_terms() -> None:
    times = np.array([10, 20, 30], np.int64)
    anchors = event_hashes("a", {"b": {"integer": pa.array([1, 2, 3])}}, times, times)
    found = ids(hexadecimal(anchors, timer_hashes("timer:from-end", anchors, "12 sec", times, times + 5)))
    for row, time in enumerate(times.tolist()):
        anchor, timer = found[2 * row : 2 * row + 2]
        term = Term("timer:from-end", (anchor, "12 sec"), ordered=True)
        assert timer == event_id(term, Interval(time, time + 5))
