"""What a layout says about the records of a source."""

from __future__ import annotations

import pytest

from cera.connectors.records.layout import Layout


@pytest.mark.parametrize(
    ("layout", "points"),
    [
        (Layout(label_field="type", time_field="ts"), True),
        (Layout(label="reading", time_field="ts"), True),
        (Layout(envelope="debezium"), True),
        (Layout(label_field="type", time_field="ts", end_field="te"), False),
        (Layout(label_field="type"), False),  # its times are in `at`, or in `begin` and `end`
        (Layout(), False),
    ],
)
def test_records_are_points_where_the_layout_has_a_time_and_no_end(layout: Layout, points: bool) -> None:
    assert layout.is_points is points
