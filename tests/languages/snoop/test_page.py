"""The page about Snoop is true and complete: its examples run, its tables are what is detected, nothing is left out."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from cera.languages.cet.parser import shared_grammar
from cera.languages.snoop.compiler import to_cet
from cera.languages.snoop.epl_translation import to_datalog
from cera.languages.snoop.modes import ROWS, modes_of
from cera.languages.snoop.parser import cut, parse_tree
from cera.languages.snoop.syntax import CONTEXTS, Kind
from cera.languages.text.scanner import scan
from docs.blocks import ROOT, Block, blocks
from docs.cet_examples import detections, events_of
from instance_evaluators import EVALUATORS
from languages.snoop.reading import module, read

PAGE = ROOT / "docs" / "snoop.md"
GRAMMAR = (ROOT / "src" / "cera" / "languages" / "snoop" / "grammar.lark").read_text()
BLOCKS = [block for block in blocks(PAGE) if block.language in ("snoop", "history", "detects", "cet", "dl1s")]
PROGRAMS = [block for block in BLOCKS if block.language == "snoop"]
SHOWN = [pair for pair in pairwise(BLOCKS) if pair[0].language == "snoop"]
HISTORIES = [
    (program, history, detects)
    for program, history, detects in zip(BLOCKS, BLOCKS[1:], BLOCKS[2:], strict=False)
    if history.language == "history"
]


def place(block: Block) -> str:
    return block.place


@pytest.mark.parametrize("program", PROGRAMS, ids=place)
def test_the_programs_of_the_page_are_right(program: Block) -> None:
    module(program.text)


@pytest.mark.parametrize(("program", "history", "detects"), HISTORIES, ids=lambda block: block.place)
def test_an_example_detects_what_the_page_says(program: Block, history: Block, detects: Block) -> None:
    found = module(program.text)
    for name in ("definitions", "processor"):
        answer = EVALUATORS[name](found, list(events_of(history.text)))
        assert detections(found, answer) == detects.text, name


@pytest.mark.parametrize(("program", "shown"), SHOWN, ids=lambda block: block.place)
def test_translations_are_those_that_are_printed(program: Block, shown: Block) -> None:
    if shown.language == "cet":
        assert to_cet(read(program.text)) == shown.text
    elif shown.language == "dl1s":
        assert to_datalog(read(program.text), "Shop") == shown.text


def test_the_tables_of_contexts_are_what_is_detected() -> None:
    text = PAGE.read_text()
    wide = re.findall(r"^\| `(\w+)` \|((?:[^|`]*\|){5})$", text, re.M)
    columns = ["X ; Y", "X and Y", "NOT(Y)[X, Z]", "A(X, Y, Z)", "A*(X, Y, Z)"]
    assert [context for context, _ in wide] == ["unrestricted", "recent", "chronicle", "continuous", "cumulative"]
    for context, cells in wide:
        for operator, cell in zip(columns, cells.split("|"), strict=False):
            assert told(f"{context} {operator}", "X X Y Y X X Z Z") == cell.strip(), f"{context} {operator}"
    narrow = re.findall(r"^\| `([a-z ]+(?:\*|last |TIMES\(\[>0\], )?X\)? ; Y)` \| (.*) \|$", text, re.M)
    assert len(narrow) == 12
    for expression, cell in narrow:
        assert told(expression, "X X Y Y") == cell, expression


def told(expression: str, history: str) -> str:
    """`X1 Y1, X2 Y1`."""
    found = module(f"E := {expression}")
    lines = detections(found, EVALUATORS["definitions"](found, list(events_of(history)))).splitlines()
    return ", ".join(line.partition(": ")[2].replace("^", "") for line in lines)


def test_the_table_of_modes_is_that_of_the_translation() -> None:
    section = PAGE.read_text().partition("## Event types")[2].partition("## Datalog")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if line.startswith("|")]
    contexts = rows[0][3:]
    kinds: dict[str, Kind] = {"and": "and", "E1 or": "or", "E1 ;": ";", "NOT": "not", "A(": "A", "A*": "A*"}
    kind: Kind = "and"
    number = 0
    compared = 0
    for row in rows[2:]:
        if row[0]:
            kind = next((each for sign, each in kinds.items() if sign in row[0]), "any")
            number = 0
        for context, cell in zip(contexts, row[3:], strict=True):
            if cell.removeprefix("? ") == "as above":
                assert ROWS["any"][context] == ROWS["and"][context]  # type: ignore[index]
                continue
            modes = modes_of(kind, context, 2)  # type: ignore[arg-type]
            assert modes is not None
            expected = modes[number]
            consumption = (
                expected.inside if expected.inside == expected.outside else f"{expected.inside} / {expected.outside}"
            )
            shown = re.sub(r"^(\?!? )+", "", cell)
            assert shown in (consumption, f"{expected.selection}: {consumption}"), (row[0], context)
            compared += 1
        number += 1
    assert compared == 11 * 5


def test_every_rule_of_the_grammar_is_used_by_an_example() -> None:
    used = set()
    for block in PROGRAMS:
        for piece in cut(block.text, [lexeme for lexeme in scan(block.text) if lexeme.kind != "comment"]):
            tree = parse_tree(block.text[piece.start : piece.end], piece.kind)
            used |= {str(node.data) for node in tree.iter_subtrees()}
    rules = set(re.findall(r"-> ([a-z_]+)$", GRAMMAR, re.M)) | set(re.findall(r"^([a-z][a-z_]*):", GRAMMAR, re.M))
    assert rules - used == {"definition"}, "it has a name of its own"


def test_every_context_and_every_word_is_on_the_page() -> None:
    text = PAGE.read_text()
    words = set(re.findall(r'^_?[A-Z_.0-9]+: "([a-z]+)"', shared_grammar(), re.M)) - {"true", "false"}
    assert {word for word in (*CONTEXTS, *words) if not re.search(rf"\b{word}\b", text)} == set()
    assert [sign for sign in "△▽^|∧∨" if sign not in text] == []
