"""The readings of paper 004 are all on the page about papers, each with tests that are there."""

from __future__ import annotations

import re

import pytest

from docs.blocks import ROOT, code_in, table

PAGE = ROOT / "docs" / "papers.md"
READINGS = table(PAGE, "Readings of 004")


def test_every_reading_of_004_has_a_row() -> None:
    assert [row[0] for row in READINGS] == [f"ERR-{number}" for number in range(107, 118)]


@pytest.mark.parametrize("row", READINGS, ids=lambda row: row[0])
def test_the_tests_of_a_reading_are_there(row: list[str]) -> None:
    for part in row[-1].split(";"):
        [path] = code_in(part)
        tests = re.findall(r"^def (test_\w+)", (ROOT / path).read_text(), re.M)
        entries = re.findall(r"[MN]-\d\d", part)
        assert entries
        for entry in entries:
            assert [name for name in tests if entry.replace("-", "_") in name], entry


@pytest.mark.parametrize("row", READINGS, ids=lambda row: row[0])
def test_the_choice_of_a_reading_is_on_the_page_of_a_language(row: list[str]) -> None:
    pages = [(ROOT / "docs" / name).read_text() for name in ("complex-event-types.md", "snoop.md")]
    assert any(row[0] in page for page in pages)
