"""Texts of times read many at a time are the times that `TimeFormat` reads one by one, or are left alone."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from cera.connectors.formats.byte_columns import BlockBytes
from cera.connectors.formats.time_columns import TimeColumns
from cera.model.time.time_text import TimeError, TimeFormat
from hypothesis_profiles import examples


def read(texts: list[str], times: TimeFormat) -> list[int] | None:
    data = [f'{text}"'.encode() for text in texts]
    block = BlockBytes(b"".join(data))
    ends = np.cumsum([len(each) for each in data]) - 1 + block.first
    found = TimeColumns(times).texts(block, np.concatenate([[block.first], ends[:-1] + 1]), ends)
    return None if found is None else [int(time) for time in found]


def one_by_one(texts: list[str], times: TimeFormat) -> list[int] | None:
    try:
        return [times.parse(text) for text in texts]
    except TimeError:
        return None


def random_text(chance: random.Random) -> str:
    odd = chance.random() < 0.1
    year = chance.choice(["0000", "0001", "1900", "9999"] if odd else ["1970", "2000", "2011", "2024"])
    month, day = chance.choice(["00", "13"] if odd else ["02", "03", "10"]), chance.choice(["25", "28", "29", "31"])
    clock = chance.choice(["24:00:00", "23:60:00", "12:00:60"] if odd else ["00:00:00", "02:30:59", "23:59:59"])
    fraction = chance.choice([".", ".1234567890", ",5"] if odd else ["", ".5", ".546", ".123456", ".123456789"])
    offset = chance.choice(["z", "+24:00", "+02", " Z", "-00:60"] if odd else ["", "Z", "+02:00", "-0530", "+23:59"])
    text = f"{year}-{month}-{day}{chance.choice('TTT t')}{clock}{fraction}{offset}"
    if chance.random() < 0.03:
        place = chance.randrange(len(text))
        text = text[:place] + chance.choice("x0-:+é٣") + text[place + 1 :]
    return text


@pytest.mark.parametrize("tried", [examples(1_500), pytest.param(200_000, marks=pytest.mark.long)])
def test_texts_are_the_times_that_are_read_one_by_one(tried: int) -> None:
    chance = random.Random(5)
    taken = 0
    for _ in range(tried):
        times = TimeFormat(timezone=chance.choice(["UTC", "Europe/Berlin", "America/New_York"]))
        one = random_text(chance)
        texts = [one] * 3 if chance.random() < 0.3 else [random_text(chance) for _ in range(chance.randrange(1, 4))]
        found = read(texts, times)
        if found is not None:
            taken += 1
            assert found == one_by_one(texts, times), texts
    assert taken > tried // 5


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_what_people_write_is_read_here(zone: str) -> None:
    texts = [f"2024-02-29T1{hour}:00:0{hour}.{hour}00+0{hour}:00" for hour in range(1, 4)]
    local = ["2024-02-29 10:00:00", "2024-03-31 10:00:00.25", "2024-06-01T10:00:00"]
    for each in (texts, local, [*texts, *local], [text[:19] + "Z" for text in texts]):
        found = read(each, TimeFormat(timezone=zone))
        assert found is not None
        assert found == one_by_one(each, TimeFormat(timezone=zone))


def test_a_minute_in_which_a_clock_is_changed_is_left_alone() -> None:
    assert read(["1893-04-01T00:06:10"], TimeFormat(timezone="Europe/Berlin")) is None


def test_arrays_of_arrow_are_times() -> None:
    times = TimeColumns(TimeFormat("ms"))
    texts = pa.array(["x", "1970-01-01T00:00:01Z", "1970-01-01T01:00:02+01:00"])[1:]
    moments = pa.array([1_000, 2_000], pa.timestamp("ms", "Europe/Berlin"))
    nanoseconds = pa.array([0, 10**9, 2 * 10**9])[1:].cast("timestamp[ns]")
    for array in (texts, moments, pa.array([1_000, 2_000], pa.int32()), nanoseconds):
        found = times.array(array)
        assert found is not None
        assert found.tolist() == [1_000_000, 2_000_000]
    for other in (pa.array([1.5]), pa.array(["1"]), pa.array([10**15]), pa.array([-1], pa.timestamp("ns"))):
        assert times.array(other) is None
    assert TimeColumns(TimeFormat(timezone="Europe/Berlin")).array(pa.array([0], pa.timestamp("us"))) is None
