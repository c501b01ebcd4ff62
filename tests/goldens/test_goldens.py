"""What the command line writes for every example stays as it is recorded, byte for byte, on every engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from every_engine import EVERY_ENGINE
from goldens.recording import ENGINES, EXAMPLES, GOLDENS, golden, outputs, texts


@pytest.mark.parametrize("example", EXAMPLES)
def test_what_an_example_becomes_stays_as_it_is_recorded(example: str, tmp_path: Path) -> None:
    for name, text in texts(example, tmp_path).items():
        assert text == golden(example, name), name


@pytest.mark.parametrize("engine", EVERY_ENGINE)
@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.usefixtures("spark_if_needed")
def test_what_an_engine_answers_stays_as_it_is_recorded(example: str, engine: str, tmp_path: Path) -> None:
    for name, text in outputs(example, engine, tmp_path).items():
        assert text == golden(example, name, engine), name


def test_all_examples_and_engines_are_recorded() -> None:
    assert sorted(path.name for path in GOLDENS.iterdir() if (path / "answers.txt").exists()) == EXAMPLES
    assert sorted(ENGINES) == sorted(str(each.values[0]) for each in EVERY_ENGINE)
