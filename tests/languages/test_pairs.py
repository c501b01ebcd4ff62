"""Programs that are written in XChangeEQ and in StreamLog: both give the same events, and so do their translations.

A folder of `pairs` has `program.xceq`, `program.slog`, `events.txt` as documents write events, and the rows of
relations. On Spark all programs of a language are one.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cera.diagnostics import Source
from cera.languages.registry import LANGUAGES
from cera.model.terms.values import infer_scalar
from cera.model.time.time_text import TimeFormat
from cera.program import Program
from docs.examples import read_events
from every_engine import EVERY_ENGINE

PAIRS = sorted((Path(__file__).parent / "pairs").iterdir())
ENDINGS = ("xceq", "slog")
TARGETS = {language.target.name: language.target for language in LANGUAGES if language.target is not None}


def program(pairs: Sequence[Path], ending: str) -> Program:
    paths = [pair / f"program.{ending}" for pair in pairs]
    return Program(tuple(Source(f"{path.parent.name}.{ending}", path.read_text()) for path in paths))


def translated(pairs: Sequence[Path], ending: str) -> Program:
    """Returns the programs in the language with that ending, translated from the other one."""
    [other] = (each for each in ENDINGS if each != ending)
    write = TARGETS[ending].rules
    assert write is not None
    texts = []
    for pair in pairs:
        written = write(program([pair], other).checked())
        assert not written.diagnostics
        texts.append(Source(f"{pair.name}.{ending}", written.text))
    return Program(tuple(texts))


def answers(asked: Program, pairs: Sequence[Path], engine: str) -> list[tuple[str, str, str]]:
    """Returns the events with their ids and rules."""
    asked.checked()
    events = [each for pair in pairs for each in read_events((pair / "events.txt").read_text(), TimeFormat("s"))]
    options: Any = {"engine": engine, "relations": relations(pairs)}
    derived = asked.run(events, **options).derived
    return sorted((one.event.id, str(one.event), one.derivations[0].rule) for one in derived)


def relations(pairs: Sequence[Path]) -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = {}
    for path in (path for pair in pairs for path in pair.glob("*.csv")):
        rows = csv.DictReader(path.read_text().splitlines())
        found[path.stem] = [{name: infer_scalar(cell) for name, cell in row.items()} for row in rows]
    return found


@pytest.mark.parametrize("engine", EVERY_ENGINE)
@pytest.mark.usefixtures("spark_if_needed")
def test_both_programs_of_every_pair_and_their_translations_give_the_same_events(engine: str) -> None:
    for pairs in [PAIRS] if engine == "spark" else [[pair] for pair in PAIRS]:
        expected = answers(program(pairs, "xceq"), pairs, "reference")
        derived = {rule for _, _, rule in expected}
        assert derived == {rule.name for rule in program(pairs, "xceq").rules.rules}, "every rule has an answer"
        for ending in ENDINGS:
            assert answers(program(pairs, ending), pairs, engine) == expected
            if engine != "spark" or ending == "slog":
                assert answers(translated(pairs, ending), pairs, engine) == expected


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
@pytest.mark.parametrize("ending", ENDINGS)
def test_translations_of_translations_are_the_same_text(pair: Path, ending: str) -> None:
    """The first one may write `or` in a condition as two branches, and names as the language has them."""
    text, language = (pair / f"program.{ending}").read_text(), ending
    texts = []
    for _ in range(6):
        language = "slog" if language == "xceq" else "xceq"
        write = TARGETS[language].rules
        assert write is not None
        other = "slog" if language == "xceq" else "xceq"
        text = write(Program((Source(f"program.{other}", text),)).checked()).text
        texts.append(text)
    assert texts[-2:] == texts[-4:-2]
