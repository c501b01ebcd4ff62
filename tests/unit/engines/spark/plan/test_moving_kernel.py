"""The kernel of moving windows beside windows that are looked for one by one, however its input is cut."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pyarrow as pa
import pytest

from cera.engines.spark.plan import moving_kernel
from cera.engines.spark.plan.moving_kernel import ANCHOR, ELEMENT, TIE, TIME, Fold, MovingWindows, fold_name
from cera.model.evaluation.aggregates import fold
from cera.model.events.event import Event
from cera.model.terms.term import Term
from cera.model.terms.values import number
from cera.model.time.interval import point

FUNCTIONS = ("sum", "avg", "min", "max", "first", "last", "count")
FOLDS = tuple(
    Fold(each, {"sum": ("integer", "double"), "count": ("integer",)}.get(each, ("double",))) for each in FUNCTIONS
)
CHILDREN = (("sensor", "string", "S"), ("value", "double", "V"))
NUMBERS = (None, 0.1, 0.2, 0.3, -0.0, 1.0, 2.0**53, -(2.0**53), 1e300, -1e308)

#: A key, a time, a value, and whether it is an anchor.
Row = tuple[str, int, float | None, bool]


def windows(first: int, last: int, *, alone: bool = True, checked: bool = False, once: bool = False) -> MovingWindows:
    fields = [("S", pa.string()), ("V", pa.float64()), (TIME, pa.int64())]
    types = {"integer": pa.int64(), "double": pa.float64()}
    fields += [(fold_name(place, kind), types[kind]) for place, each in enumerate(FOLDS) for kind in each.kinds]
    fields += [(TIE, pa.bool_())] if checked else []
    schema = pa.schema(fields)
    return MovingWindows("r", CHILDREN, ("S",), FOLDS, first, last, alone, checked, once, (), None, schema)


def drawn(seed: int, count: int, times: int) -> list[Row]:
    draw = random.Random(seed)
    rows = [(draw.choice("st"), draw.randrange(times), draw.choice(NUMBERS), draw.random() < 0.9) for _ in range(count)]
    return sorted(rows, key=lambda row: row[1])


def batches(rows: list[Row], cuts: int, seed: int) -> Iterator[pa.RecordBatch]:
    places = sorted(random.Random(seed).choices(range(len(rows)), k=cuts))
    for begin, end in zip([0, *places], [*places, len(rows)], strict=True):
        keys, at, values, anchors = list(zip(*rows[begin:end], strict=True)) or [(), (), (), ()]
        types = {"S": pa.string(), "V": pa.float64(), TIME: pa.int64(), ANCHOR: pa.bool_(), ELEMENT: pa.float64()}
        columns = [
            pa.array(each, kind) for each, kind in zip([keys, values, at, anchors, values], types.values(), strict=True)
        ]
        yield pa.RecordBatch.from_arrays(columns, names=list(types))


def known(value: float | None) -> int | float | None:
    return None if value is None else number(value)


def identity(row: Row) -> str:
    value = known(row[2])
    children = [Term("sensor", [row[0]])] + ([] if value is None else [Term("value", [value])])
    return Event(Term("r", children), point(row[1])).id


def one_by_one(rows: list[Row], window: MovingWindows) -> list[tuple[object, ...]]:
    events: dict[str, Row] = {}
    for row in rows:
        anchor = row[3] or (identity(row) in events and events[identity(row)][3])
        events[identity(row)] = (*row[:3], anchor)
    order = sorted(events, key=lambda each: (events[each][1], each))
    found: dict[tuple[object, ...], tuple[str, tuple[object, ...]]] = {}
    for place, each in enumerate(order):
        key, time, value, anchor = events[each]
        inside = [
            exact
            for other in order
            if events[other][0] == key
            and (exact := known(events[other][2])) is not None
            and time + window.first <= events[other][1] <= time + window.last
            and not (window.alone and other == each)
        ]
        if not anchor or not inside:
            continue
        answer = (key, time, *(fold(function, inside) for function in FUNCTIONS))
        derived = answer if window.once else (*answer, place)
        mine = (each, (*answer, value))
        found[derived] = min(found.get(derived, mine), mine, key=lambda pair: pair[0])
    return sorted((row for _, row in found.values()), key=repr)


def answered(window: MovingWindows, given: Iterator[pa.RecordBatch]) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for batch in window(given):
        for row in batch.to_pylist():
            values = []
            for place, each in enumerate(FOLDS):
                parts = [row[fold_name(place, kind)] for kind in each.kinds]
                [value] = [part for part in parts if part is not None] or [None]
                values.append(known(value))
            found.append((row["S"], row[TIME], *values, row["V"]))
    return sorted(found, key=repr)


@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize(("first", "last", "alone"), [(-4, 0, True), (-3, 0, False), (-5, -2, True), (0, 0, True)])
def test_each_window_has_what_is_found_one_by_one(
    first: int, last: int, alone: bool, once: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = windows(first, last, alone=alone, once=once)
    for seed in range(6):
        monkeypatch.setattr(moving_kernel, "_STEP", (1, 7, 10_000)[seed % 3])
        # an event that is there twice is an anchor both times
        rows = [(*row[:3], len(repr(row[:3])) % 5 > 0) for row in drawn(seed, 80, (10, 60)[seed % 2])]
        expected = one_by_one(rows, window)
        assert expected
        assert answered(window, batches(rows, 9, seed)) == expected


def test_a_tie_is_a_row_where_there_may_be_none() -> None:
    window = windows(-4, 0, checked=True)
    rows: list[Row] = [("s", 1, 1.0, True), ("s", 3, 2.0, True), ("t", 3, 2.0, True)]
    assert not any(row[TIE] for batch in window(batches(rows, 0, 0)) for row in batch.to_pylist())
    rows.append(("t", 3, 2.0, True))
    [tie] = [row for batch in window(batches(rows, 0, 0)) for row in batch.to_pylist() if row[TIE]]
    assert (tie["S"], tie[TIME]) == ("t", 3)
