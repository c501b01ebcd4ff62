"""The table of docs/comparing.md says what the search finds."""

from __future__ import annotations

import pytest

from cera.comparing.comparison import compare
from docs.blocks import ROOT, code_in, table

PAGE = ROOT / "docs" / "comparing.md"


@pytest.mark.parametrize("row", table(PAGE, "Peculiarities of Snoop"), ids=lambda row: row[0])
def test_the_shortest_history_is_the_one_beside_the_types(row: list[str]) -> None:
    [first], [second], [history] = map(code_in, row[:3])
    assert [str(each) for each in compare(first, second).differences] == [history]
