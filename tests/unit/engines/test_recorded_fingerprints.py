"""What is saved belongs to the same programs as ever."""

from __future__ import annotations

from pathlib import Path

import pytest

from recorded_fingerprints import ROOT, marks, programs, recorded

pytest.importorskip("pyspark")


@pytest.mark.parametrize("name", recorded())
def test_a_program_has_the_marks_that_were_recorded(name: str) -> None:
    assert marks(programs()[name]) == recorded()[name]


def test_the_marks_of_every_example_are_recorded() -> None:
    examples = [path for path in Path(ROOT / "examples").iterdir() if path.is_dir()]
    assert {f"examples/{path.name}" for path in examples} <= set(recorded())
