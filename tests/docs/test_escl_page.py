"""The pages about ESCL: their constraints have no errors, and what they say violates them does."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

import pytest

from cera.constraints.locations import NO_LOCATIONS, locations_of
from cera.constraints.queries import COMBINATIONS
from cera.constraints.stream import Happening
from cera.model.time.allen import RELATIONS
from cera.model.time.timers import TIMERS
from conformance.constraints import diagnostics_of, event, judged, state
from docs.blocks import ROOT, Block, blocks

PAGE = ROOT / "docs" / "escl.md"
MONITORS = ROOT / "docs" / "monitors.md"
SENTENCES = ROOT / "docs" / "from-a-sentence-to-a-constraint.md"
GRAMMAR = (ROOT / "src" / "cera" / "languages" / "escl" / "grammar.lark").read_text()
_EVENT = re.compile(r"event (\S+)(?: (\S+))? ([\w-]+)\((.*)\)")
_STATE = re.compile(r"state (\S+) (\S+) ([\w-]+)\((.*)\)")
_ROW = re.compile(r"row (\w+)\((.*)\)")


#: The places of the page's own file.
PLACES = locations_of(tomllib.loads(next(b.text for b in blocks(PAGE) if b.options.get("file") == "metro.toml")))


def examples() -> Iterator[tuple[Block, Block, Block]]:
    """Yields the constraints of the pages with a stream and what violates them."""
    for page in (PAGE, SENTENCES):
        found = [block for block in blocks(page) if not block.options]
        for program, stream, violations in zip(found, found[1:], found[2:], strict=False):
            if [each.language for each in (program, stream, violations)] == ["escl", "stream", "violations"]:
                yield program, stream, violations


def happening(line: str) -> Happening:
    if (found := _EVENT.fullmatch(line)) is not None:
        end = None if found[2] is None else float(found[2])
        return event(found[3], float(found[1]), end, **attributes(found[4]))
    found = _STATE.fullmatch(line)
    assert found is not None, line
    return state(found[3], float(found[1]), float(found[2]), **attributes(found[4]))


def attributes(text: str) -> dict[str, int | str]:
    pairs = (pair.strip().split("=") for pair in text.split(",") if pair.strip())
    return {name: int(value) if value.isdigit() else value for name, value in pairs}


@pytest.mark.parametrize("example", list(examples()), ids=lambda example: example[0].place)
def test_a_constraint_is_violated_as_the_page_says(example: tuple[Block, Block, Block]) -> None:
    program, stream, expected = example
    rows: dict[str, list[dict[str, int | str]]] = {}
    happenings = []
    for line in stream.text.splitlines():
        if (row := _ROW.fullmatch(line)) is not None:
            rows.setdefault(row[1], []).append(attributes(row[2]))
        else:
            happenings.append(happening(line))
    found = judged(program.text, happenings, rows=rows, locations=PLACES if program.page == PAGE else NO_LOCATIONS)
    lines = [f"{each.at / 1_000_000:g} {each.clause.constraint} {each.expected}" for each in found.violations]
    assert lines == expected.text.splitlines()


#: Constraints that are shown beside each other may contradict each other, or follow from others.
BESIDE_EACH_OTHER = ("EC404", "EC405")


def test_all_constraints_of_the_page_are_right() -> None:
    programs = [block for page in (PAGE, SENTENCES, MONITORS) for block in blocks(page) if block.language == "escl"]
    assert len(programs) >= 9 + 12
    for block in programs:
        found = [each for each in diagnostics_of(block.text) if each.code not in BESIDE_EACH_OTHER]
        assert [str(each) for each in found if each.severity != "note"] == [], block.place


def test_every_sentence_becomes_a_constraint_that_is_run() -> None:
    sentences = [line for line in SENTENCES.read_text().splitlines() if line.startswith("**") and "- **" not in line]
    run = [program for program, _, _ in examples() if program.page == SENTENCES]
    assert len(run) == len(sentences) >= 12


def test_every_word_of_the_language_is_on_the_page() -> None:
    text = PAGE.read_text()
    words = set(re.findall(r'^_?[A-Z_.0-9]+: "([A-Za-z-]+)"', GRAMMAR, re.MULTILINE))
    assert {"WHILE", "apart-by"} <= words
    missing = {word for word in (*words, *COMBINATIONS, *RELATIONS, *TIMERS) if not re.search(rf"\b{word}\b", text)}
    assert missing == set()
