"""Lines made of texts and columns, against joining the texts of each line."""

from __future__ import annotations

import numpy as np
import pytest

from cera.engines.columns.line_template import LineTemplate, time_texts
from cera.model.columns.arrow_buffers import binaries
from cera.model.time.time_text import TimeFormat


def texts_of(times: list[int], shown: TimeFormat) -> list[str]:
    [*lines] = LineTemplate().lines(["", time_texts(np.array(times, np.int64), shown), "|"], len(times)).to_pylist()
    return [line.decode().removesuffix("|") for line in lines]


@pytest.mark.parametrize(
    "times",
    [
        [1_700_000_000_012_000, 1_700_000_000_102_000],
        [99_999_999_000, 100_000_000_000],
        [9_999_000, 10_000_000],
        [0, 1_000, -5_000],
        [1_700_000_000_012_000, 1_900_000_000_012_000],
        [1_500, 2_000],
        [-1_700_000_000_012_000, -1_700_000_000_102_000],
        [0, 86_399_999_999, 86_400_000_000, -1, 1, 10, 120, 1_230, 12_300, 123_400, 500_000, 59_999_999],
        [1_000_000, 3_600_000_000, -62_135_596_800_000_000, 253_402_300_799_000_000],
        [253_402_300_799_999_999, -62_135_596_799_999_999],
    ],
)
@pytest.mark.parametrize("shown", [TimeFormat("ms"), TimeFormat("us"), TimeFormat()])
def test_times_are_written_as_they_are_one_by_one(times: list[int], shown: TimeFormat) -> None:
    expected = [shown.format(time) for time in times]
    assert texts_of(times, shown) == [f'"{each}"' if isinstance(each, str) else repr(each) for each in expected]


def test_arrays_are_used_again_for_fewer_and_for_more_lines() -> None:
    template = LineTemplate()
    for count in (3, 2, 5):
        fixed = np.frombuffer(b"".join(b"%02d" % number for number in range(count)), np.uint8).reshape(-1, 2)
        names = [b"n" * number for number in range(count)]
        found = template.lines(["<", fixed, "é", binaries(names), "-", fixed, ">"], count).to_pylist()
        assert found == [f"<{i:02}é{'n' * i}-{i:02}>".encode() for i in range(count)]
