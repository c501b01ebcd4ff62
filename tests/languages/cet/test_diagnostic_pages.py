"""The pages of docs/diagnostics about event types: every code has one, its programs are what it says, its message is
real.

`CERA_UPDATE_PAGES=1 pytest tests/languages/cet/test_diagnostic_pages.py` writes the messages anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from cera.diagnostics import Diagnostic, Source, render
from cera.languages.cet.hosting import instance_module
from cera.languages.cet.parser import parse

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "docs" / "diagnostics"
PAGES = sorted(FOLDER.glob("CE*.md"))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def diagnose(text: str, code: str) -> list[Diagnostic]:
    """What is said of a program. How it runs is of interest on the pages for that only."""
    parsed = parse(Source("program.cet", text))
    found = parsed.diagnostics or instance_module(parsed.program, "program")[1]
    return [diagnostic for diagnostic in found if diagnostic.severity != "note" or diagnostic.code == code]


def severity_of(page: str) -> str:
    return page.splitlines()[2].strip("*.").lower()


def test_every_code_in_the_package_has_a_page() -> None:
    raised = {code for path in (ROOT / "src").rglob("*.py") for code in re.findall(r'"(CE\d{3})"', path.read_text())}
    assert raised == {page.stem for page in PAGES}


def test_the_index_lists_every_page_with_its_title_and_severity() -> None:
    index = (FOLDER / "README.md").read_text()
    listed = re.findall(r"^\| \[(CE\d{3})\]\(\1\.md\) \| (error|warning|note) \| (.*) \|$", index, re.MULTILINE)
    expected = []
    for page in PAGES:
        text = page.read_text()
        expected.append((page.stem, severity_of(text), text.splitlines()[0].removeprefix(f"# {page.stem}: ")))
    assert listed == expected


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_wrong_program_of_a_page_gets_the_message_shown(page: Path) -> None:
    text = page.read_text()
    (_, wrong), (kind, shown), _ = BLOCK.findall(text)
    found = diagnose(wrong, page.stem)
    message = "\n\n".join(render(diagnostic) for diagnostic in found) + "\n"
    if os.environ.get("CERA_UPDATE_PAGES"):
        page.write_text(text.replace(f"```text\n{shown}```", f"```text\n{message}```"))
        return
    assert kind == "text"
    assert message == shown
    assert {(each.code, each.severity) for each in found} == {(page.stem, severity_of(text))}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_right_program_of_a_page_is_right(page: Path) -> None:
    *_, (kind, right) = BLOCK.findall(page.read_text())
    assert kind == "cet"
    assert [str(diagnostic) for diagnostic in diagnose(right, page.stem)] == []
