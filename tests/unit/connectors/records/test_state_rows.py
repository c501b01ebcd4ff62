"""States among rows of Python: dicts, tables of pandas, Polars and Arrow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import cera
from cera.connectors.records.layout import Rejected
from cera.connectors.records.rows import read_rows
from cera.errors import UsageError
from state_recordings import ANSWERS, LAYOUT, PROGRAM, events, rows

MAKERS: dict[str, Callable[[list[dict[str, Any]]], object]] = {
    "dicts": list,
    "pandas": pd.DataFrame,
    "arrow": pa.Table.from_pylist,
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_rows_that_are_states_are_read(make: Callable[[list[dict[str, Any]]], object]) -> None:
    assert list(read_rows(make(rows()), LAYOUT)) == events()


def test_a_frame_of_polars_has_states() -> None:
    polars = pytest.importorskip("polars")
    assert list(read_rows(polars.DataFrame(rows()), LAYOUT)) == events()


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_a_program_runs_over_rows_with_states(engine: Any) -> None:
    answer = cera.load(PROGRAM).run(rows(), label="label", state="state", time_unit="s", engine=engine)
    found = {(e.begin // 10**6, e.end // 10**6, e.label) for e in (each.event for each in answer.derived)}
    assert found == {(begin, end, *term) for begin, end, term in ANSWERS}


def test_a_row_with_another_mark_is_rejected_with_its_place() -> None:
    [bad] = read_rows([{"label": "door", "begin": 1, "state": 7}], LAYOUT)
    assert isinstance(bad, Rejected)
    assert bad.place == "rows[0]"
    assert "in the field `state`: a state is marked with true or 1" in bad.reason


def test_a_table_without_the_column_of_states_is_refused() -> None:
    with pytest.raises(
        UsageError, match="no column `state` that says what is a state; give `state` as the header spells it"
    ):
        cera.load(PROGRAM).run(pd.DataFrame([{"label": "a", "begin": 1, "end": 2}]), state="state")
