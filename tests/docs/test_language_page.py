"""The reference of XChangeEQ is true and complete: its examples run, and nothing of the language is left out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cera.languages.text.scanner import scan
from cera.languages.xchangeeq.grammar import cut, parse_tree
from cera.model.evaluation.functions import FUNCTIONS
from cera.model.expressions.expression import AGGREGATES
from cera.model.time.allen import RELATIONS
from cera.model.time.clock import DATETIME_PARTS
from cera.model.time.durations import UNITS
from cera.model.time.timers import SYNONYMS, TIMERS
from cera.program import load
from cera.testing import event
from docs.blocks import PAGES, ROOT, blocks, code_in, name_of, table
from docs.examples import Example, conditions, examples, holds, problems_of

PAGE = ROOT / "docs" / "language" / "xchangeeq.md"
LANGUAGES = ROOT / "src" / "cera" / "languages"
GRAMMAR = "".join((LANGUAGES / path).read_text() for path in ("expressions/expressions.lark", "xchangeeq/grammar.lark"))

#: Pages whose programs are followed by events and answers.
WITH_EXAMPLES = [page for page in PAGES if any(b.language in ("derives", "check") for b in blocks(page))]
EXAMPLES = [example for page in WITH_EXAMPLES for example in examples(page)]
CONDITIONS = [condition for page in WITH_EXAMPLES for condition in conditions(page)]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.program.place)
def test_an_example_derives_what_the_page_says(example: Example) -> None:
    assert not problems_of(example), "\n".join(problems_of(example))


@pytest.mark.parametrize(("place", "condition"), CONDITIONS, ids=[place for place, _ in CONDITIONS])
def test_a_condition_holds_as_the_page_says(place: str, condition: str) -> None:
    assert holds(condition), place


def test_a_condition_that_does_not_hold_is_noticed() -> None:
    assert not holds("i after j")


def test_a_wrong_example_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docs.blocks.ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text(
        "```xceq\nDETECT b{} ON a{{}} END\n```\n```events\na{} [1]\na{} [2]\n```\n```derives\nb{} [2]\nb{} [1]\n```\n"
        "```xceq\nDETECT b{var X} ON a{{}} END\n```\n```check\nXC202\n```\n"
    )
    order, code = examples(page)
    assert "the order differs" in problems_of(order)[0]
    assert problems_of(code) == ["page.md:15: found XC201"]


def program_texts() -> list[str]:
    """The programs of the page that run, and its conditions."""
    programs = [example.program.text for example in examples(PAGE) if example.codes is None]
    return [*programs, *(f"DETECT x{{}} ON i{{}} where {{ {text} }} END" for _, text in conditions(PAGE))]


def test_every_rule_of_the_grammar_is_used_by_an_example() -> None:
    used = set()
    for text in program_texts():
        lexemes = [lexeme for lexeme in scan(text) if lexeme.kind != "comment"]
        for piece in cut(text, lexemes):
            used |= {tree.data for tree in parse_tree(text[piece.start : piece.end]).iter_subtrees()}
    rules = set(re.findall(r"-> ([a-z_]+)$", GRAMMAR, re.M)) | set(re.findall(r"^([a-z][a-z_]*):", GRAMMAR, re.M))
    not_shown = {"calendars"}  # a program in a block has no file beside it; the tutorial runs one
    unnamed = {"absolute_timer"}  # each of its alternatives has a name
    assert rules - used == not_shown | unnamed


def test_every_word_of_the_grammar_is_used_by_an_example() -> None:
    words = set(re.findall(r'^_?[A-Z_.0-9]+: "([A-Za-z-]+)"', GRAMMAR, re.M))
    used = {lexeme.text for text in program_texts() for lexeme in scan(text)}
    assert {"DETECT", "while", "order-by"} <= words
    assert words - used == {"CALENDARS", "practical"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_has_an_example_and_is_explained(name: str) -> None:
    call = re.compile(rf"(?<![\w-]){re.escape(name)}\(")
    assert any(call.search(text) for _, text in conditions(PAGE))
    rows = [row for heading in ("Numbers", "Strings", "Times and intervals") for row in table(PAGE, heading)]
    explained = [code for row in rows for code in code_in(row[0])]
    assert name in SYNONYMS or any(call.match(code) for code in explained)


def test_every_aggregate_has_an_example_and_is_explained() -> None:
    assert {code for row in table(PAGE, "Aggregates") for code in code_in(row[0])} == set(AGGREGATES)
    programs = " ".join(program_texts())
    assert all(re.search(rf"\b{name}\((all|distinct|var)", programs) for name in AGGREGATES)


def test_every_relative_timer_is_listed_under_all_its_names() -> None:
    listed = {name: code_in(row[0])[0] for row in table(PAGE, "Relative timers") for name in code_in(row[0] + row[1])}
    assert listed == dict(SYNONYMS)


@pytest.mark.parametrize("row", table(PAGE, "Relative timers"), ids=lambda row: row[0])
def test_a_relative_timer_stands_where_the_table_says(row: list[str]) -> None:
    for name in code_in(row[0] + row[1]):
        program = load(f"DETECT t[seconds(begin(t)), seconds(end(t))] ON and {{ e: e{{}}, t: {name}[e, 5 sec] }} END")
        [answer] = program.run([event("e", 10, 20)], engine="reference").derived
        assert [str(answer.event.term)[1:]] == code_in(row[3])
    begin, end = row[2].strip("[]").split(", ")
    (_, begin_sign), (_, end_sign) = TIMERS[code_in(row[0])[0]]
    assert [text[0] for text in (begin, end)] == [edge[0] for edge, _ in TIMERS[code_in(row[0])[0]]]
    assert ["+ d" in text for text in (begin, end)] == [sign > 0 for sign in (begin_sign, end_sign)]


def test_every_allen_relation_is_in_the_table() -> None:
    assert [code_in(row[0])[0] for row in table(PAGE, "Allen's relations")] == [f"i {name} j" for name in RELATIONS]


@pytest.mark.parametrize("row", table(PAGE, "Allen's relations"), ids=lambda row: row[0])
def test_an_allen_relation_holds_as_the_table_says(row: list[str]) -> None:
    example = re.fullmatch(r"\[(\d), (\d)\] (\S+) \[(\d), (\d)\]", code_in(row[2])[0])
    assert example
    assert example[3] == code_in(row[0])[0].split()[1]
    i, j = (int(example[1]), int(example[2])), (int(example[4]), int(example[5]))
    program = load(f"DETECT h ON and {{ i: i{{}}, j: j{{}} }} where {{ i {example[3]} j }} END")
    assert program.run([event("i", *i), event("j", *j)], engine="reference").derived
    formula = row[1].replace("b(i)", str(i[0])).replace("e(i)", str(i[1])).replace("b(j)", str(j[0]))
    formula = formula.replace("e(j)", str(j[1])).replace(" = ", " == ").replace(",", " and")
    assert eval(formula)


def test_every_spelling_of_a_unit_is_in_the_table() -> None:
    listed = {spelling: row for row, cells in enumerate(table(PAGE, "Durations")) for spelling in code_in(cells[1])}
    assert listed.keys() == UNITS.keys()
    for row in set(listed.values()):
        assert len({UNITS[spelling] for spelling, other in listed.items() if other == row}) == 1


def test_every_part_of_a_date_is_explained() -> None:
    text = PAGE.read_text()
    assert all(f"`{part}`" in text for part in DATETIME_PARTS)


def test_the_pages_with_examples_are_found() -> None:
    assert {"docs/language/xchangeeq.md", "docs/semantics.md"} <= {name_of(page) for page in WITH_EXAMPLES}
