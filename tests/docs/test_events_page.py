"""The tables of docs/events.md say how JSON and XML are read, which endings and exit statuses there are."""

from __future__ import annotations

import pytest

from cera.cli.verify import VIOLATED
from cera.connectors.files import ENDINGS
from cera.errors import DataError, EngineError, FailedActionsError, ProgramError, UnusableInputError, UsageError
from cera.model.terms.json_terms import loads, term_from_json, term_to_json
from cera.model.terms.term_text import parse_term
from cera.model.terms.xml_terms import term_from_xml
from docs.blocks import ROOT, code_in, table

PAGE = ROOT / "docs" / "events.md"


@pytest.mark.parametrize("row", table(PAGE, "JSON and terms"), ids=lambda row: row[0])
def test_a_json_value_is_the_term_beside_it(row: list[str]) -> None:
    [text], [term] = code_in(row[0]), code_in(row[1])
    assert term_from_json(loads(text)) == parse_term(term)
    assert term_to_json(term_from_json(loads(text))) == loads(text)


@pytest.mark.parametrize("row", table(PAGE, "XML and terms"), ids=lambda row: row[0])
def test_an_xml_element_is_the_term_beside_it(row: list[str]) -> None:
    [text], [term] = code_in(row[0]), code_in(row[1])
    assert term_from_xml(text) == parse_term(term)


def test_the_endings_are_these() -> None:
    assert {ending for row in table(PAGE, "Where events come from") for ending in code_in(row[0])} == set(ENDINGS)


def test_the_exit_statuses_are_these() -> None:
    errors = (ProgramError, UsageError, DataError, EngineError, FailedActionsError, UnusableInputError)
    statuses = sorted([*(error.exit_status for error in errors), VIOLATED])
    assert [int(row[0]) for row in table(PAGE, "Exit status")] == [0, *statuses]
