"""The pages of docs/diagnostics about Datalog_1S: every code has one, its message is the real one.

`CERA_UPDATE_PAGES=1 pytest tests/unit/datalog/test_diagnostic_pages.py` writes the messages anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from cera.diagnostics import Diagnostic, Source, render
from cera.pipeline import Program

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "docs" / "diagnostics"
PAGES = sorted(FOLDER.glob("DL*.md"))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def diagnose(text: str) -> tuple[Diagnostic, ...]:
    return Program((Source("program.dl1s", text),)).check()


def test_every_code_in_the_package_has_a_page() -> None:
    raised = {code for path in (ROOT / "src").rglob("*.py") for code in re.findall(r'"(DL\d{3})"', path.read_text())}
    assert raised == {page.stem for page in PAGES}


def severity_of(page: str) -> str:
    return page.splitlines()[2].strip("*.").lower()


def test_the_index_lists_every_page_with_its_title_and_severity() -> None:
    index = (FOLDER / "README.md").read_text()
    listed = re.findall(r"^\| \[(DL\d{3})\]\(\1\.md\) \| (error|warning) \| (.*) \|$", index, re.M)
    pages = [(page.stem, page.read_text()) for page in PAGES]
    assert listed == [
        (code, severity_of(text), text.splitlines()[0].removeprefix(f"# {code}: ")) for code, text in pages
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_wrong_program_of_a_page_gets_the_message_shown(page: Path) -> None:
    text = page.read_text()
    (_, wrong), (kind, shown), _ = BLOCK.findall(text)
    found = diagnose(wrong)
    message = "\n\n".join(render(diagnostic) for diagnostic in found) + "\n"
    if os.environ.get("CERA_UPDATE_PAGES"):
        page.write_text(text.replace(f"```text\n{shown}```", f"```text\n{message}```"))
        return
    assert kind == "text"
    assert message == shown
    assert {(d.code, d.severity) for d in found} == {(page.stem, severity_of(text))}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_right_program_of_a_page_is_right(page: Path) -> None:
    *_, (kind, right) = BLOCK.findall(page.read_text())
    assert kind == "dl1s"
    assert [str(diagnostic) for diagnostic in diagnose(right)] == []
