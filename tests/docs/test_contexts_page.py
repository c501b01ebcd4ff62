"""The page about contexts is what running gives, and its advice is true of its tables."""

from __future__ import annotations

import re

import pytest

from cera.languages.snoop.syntax import CONTEXTS
from docs.blocks import code_in, table
from docs.cet_examples import CetExample, cet_examples, problems_of
from docs.contexts import PAGE, SPELLINGS, generated, rows

OPERATORS = re.findall(r"<!-- detects: (.+?) -->", PAGE.read_text())
#: The operators by their names in the prose.
NAMES = {";": "Alarm ; Call", "and": "Alarm and Call", "NOT": "NOT(Call)[Alarm, Done]"}
NAMES |= {"A": "A(Alarm, Call, Done)", "A*": "A*(Alarm, Call, Done)"}


def test_the_tables_are_what_running_gives() -> None:
    text = PAGE.read_text()
    assert generated(text) == text, "`PYTHONPATH=tests python -m docs.contexts` writes them anew"


def test_there_is_a_table_for_each_operator_with_every_context_that_has_it() -> None:
    assert set(OPERATORS) == set(NAMES.values())
    assert {context for context, _ in SPELLINGS} == set(CONTEXTS)
    found = {operator: [row.expression.partition(" ")[0] for row in rows(operator)] for operator in OPERATORS}
    assert [len(found[operator]) for operator in NAMES.values()] == [11, 9, 9, 5, 5]


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_evaluator_detects_what_the_tables_have(operator: str) -> None:
    expected = list(rows(operator))
    for evaluator in ("processor", "interrupted", "local", "reference"):
        assert list(rows(operator, evaluator)) == expected, evaluator


def test_the_same_alarm_is_told_twice_where_the_page_says_so() -> None:
    told_twice = set()
    for name, operator in NAMES.items():
        for row in rows(operator):
            told = [set(each.split()) for cell in row.detected.values() for each in cell.split(",")]
            if any(sum(alarm in each for each in told) > 1 for alarm in ("a1", "a2", "a3", "a4")):
                told_twice.add((row.expression.partition(f" {operator}")[0], name))
    recent = {("recent", name) for name in (";", "and", "A")}
    unrestricted = {("unrestricted", name) for name in NAMES} | {("ode unrestricted", ";")}
    assert told_twice == recent | unrestricted | {("continuous", "A")}


def test_only_recent_remembers_no_more_than_the_newest() -> None:
    bounded = {
        row.expression.split()[0] for operator in OPERATORS for row in rows(operator) if row.remembers == "the newest"
    }
    assert bounded == {"recent"}
    [collected] = [row for row in rows(NAMES["A*"]) if row.expression.startswith("recent")]
    assert collected.remembers == "every Call until a Done"


def test_the_irregularities_are_those_that_check_warns_of() -> None:
    warned = {
        f"{row.expression.split()[0]} {name}"
        for name, operator in NAMES.items()
        for row in rows(operator)
        if "irregular" in row.remarks
    }
    assert warned == {code_in(cells[0])[0] for cells in table(PAGE, "What is irregular")}


@pytest.mark.parametrize("example", list(cet_examples(PAGE)), ids=lambda example: example.program.place)
def test_the_types_beyond_the_contexts_detect_what_the_page_says(example: CetExample) -> None:
    assert not list(problems_of(example))
