"""The pages of docs/diagnostics about Snoop: every code has one, what it says is so.

`CERA_UPDATE_PAGES=1 pytest tests/languages/snoop/test_diagnostic_pages.py` writes the messages anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cera.diagnostics import Diagnostic, Source
from cera.languages.snoop.hosting import instance_module
from cera.languages.snoop.parser import parse
from diagnostic_pages import check_right_program, check_wrong_program, listed_codes, pages_of, raised_codes, said_codes

PAGES = pages_of("SN")


def diagnose(text: str, code: str) -> list[Diagnostic]:
    """What is said of a program; notes only on the page that is about them."""
    parsed = parse(Source("program.snoop", text))
    found = parsed.diagnostics or instance_module(parsed.program, "program")[1]
    return [diagnostic for diagnostic in found if diagnostic.severity != "note" or diagnostic.code == code]


def test_every_code_in_the_package_has_a_page() -> None:
    assert raised_codes("SN") == {page.stem for page in PAGES}


def test_the_index_lists_every_page_with_its_title_and_severity() -> None:
    assert listed_codes("SN") == said_codes("SN")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_wrong_program_of_a_page_gets_the_message_shown(page: Path) -> None:
    check_wrong_program(page, diagnose)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_right_program_of_a_page_is_right(page: Path) -> None:
    check_right_program(page, "snoop", diagnose)
