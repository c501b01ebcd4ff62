"""The generated Python is what people have looked at: a change of it is seen in the golden files."""

from __future__ import annotations

import pytest

from generated_functions import GOLDEN, RUNS, generated


@pytest.mark.parametrize("name", RUNS)
def test_the_functions_of_a_program_are_those_of_its_golden_file(name: str) -> None:
    assert generated(name) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def test_every_golden_file_is_of_a_run() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(RUNS)
