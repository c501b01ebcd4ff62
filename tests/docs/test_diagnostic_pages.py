"""The pages of docs/diagnostics: every code has one, its programs are what it says, its message is the real one.

`CERA_UPDATE_PAGES=1 pytest tests/docs/test_diagnostic_pages.py` writes the messages anew.
"""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import pytest

from cera.constraints.locations import NO_LOCATIONS, locations_of
from cera.diagnostics import Diagnostic, Source, render
from cera.languages.streamlog.language import STREAMLOG
from cera.languages.xchangeeq.language import XCHANGEEQ
from cera.program import Program
from cera.wording import on_command_line
from docs.blocks import ROOT, Block, blocks

FOLDER = ROOT / "docs" / "diagnostics"
PAGES = sorted(FOLDER.glob("[A-Z][A-Z][0-9]*.md"))

#: The first letters of the codes of a language, and the ending of its files.
LANGUAGES = {
    "XC": "xceq",
    "EP": "epl",
    "DL": "dl1s",
    "CE": "cet",
    "SN": "snoop",
    "SL": "slog",
    "IH": "ihta",
    "EC": "escl",
}

#: Warnings that have a page, and on the pages of others would only distract: what a program remembers for good.
BESIDES = {"XC501", "EC501"}

#: The pages whose programs cannot have their own diagnostic alone.
ACCOMPANIED = {"XC206": {"XC105"}, "EC410": {"EC405"}}


#: The pages whose program stands beside one in another language.
BESIDE = {"EC109": "ihta"}


#: The codes of what a language cannot say: their programs are in another one, and are translated to it.
TRANSLATED = {"XC601": ("slog", XCHANGEEQ), "SL401": ("xceq", STREAMLOG)}


def ending(code: str) -> str:
    return TRANSLATED[code][0] if code in TRANSLATED else LANGUAGES[code[:2]]


def programs(page: Path) -> list[Block]:
    """Returns the wrong program, its message and the right program."""
    return [block for block in blocks(page) if block.language not in ("toml", BESIDE.get(page.stem))]


def diagnose(text: str, page: Path) -> list[Diagnostic]:
    """Returns what is said of a program; notes, and warnings that distract, on the page that is about them only."""
    code = page.stem
    places = [locations_of(tomllib.loads(block.text)) for block in blocks(page) if block.language == "toml"]
    others = [Source(f"other.{each.language}", each.text) for each in blocks(page) if each.language == BESIDE.get(code)]
    own = Source(f"program.{ending(code)}", text)
    program = Program((own, *others), locations=places[0] if places else NO_LOCATIONS)
    if code in TRANSLATED:
        target = TRANSLATED[code][1].target
        assert target is not None
        assert target.rules is not None
        return [*target.rules(program.checked()).diagnostics]
    found = [*program.check(), *program.notes]
    return [one for one in found if one.code == code or not (one.severity == "note" or one.code in BESIDES)]


def severity_of(page: str) -> str:
    return page.splitlines()[2].strip("*.").lower().split()[0]


def test_every_code_in_the_package_has_a_page() -> None:
    code = re.compile(rf'"((?:{"|".join(LANGUAGES)})\d{{3}})"')
    raised = {found for path in (ROOT / "src").rglob("*.py") for found in code.findall(path.read_text())}
    assert raised == {page.stem for page in PAGES}


@pytest.mark.parametrize("letters", LANGUAGES)
def test_the_index_lists_every_page_with_its_title_and_severity(letters: str) -> None:
    row = rf"^\| \[({letters}\d{{3}})\]\(\1\.md\) \| (error|warning|note) \| (.*) \|$"
    texts = [(page.stem, page.read_text()) for page in PAGES if page.stem.startswith(letters)]
    assert re.findall(row, (FOLDER / "README.md").read_text(), re.MULTILINE) == [
        (code, severity_of(text), text.splitlines()[0].removeprefix(f"# {code}: ")) for code, text in texts
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_wrong_program_of_a_page_gets_the_message_shown(page: Path) -> None:
    wrong, shown, _ = programs(page)
    found = diagnose(wrong.text, page)
    message = "\n\n".join(on_command_line(render(diagnostic)) for diagnostic in found) + "\n"
    text = page.read_text()
    if os.environ.get("CERA_UPDATE_PAGES"):
        page.write_text(text.replace(f"```text\n{shown.text}```", f"```text\n{message}```"))
        return
    assert shown.language == "text"
    assert message == shown.text
    assert {each.code for each in found} == {page.stem, *ACCOMPANIED.get(page.stem, ())}
    assert {each.severity for each in found if each.code == page.stem} == {severity_of(text)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_right_program_of_a_page_is_right(page: Path) -> None:
    *_, right = programs(page)
    assert right.language == ending(page.stem)
    assert [str(diagnostic) for diagnostic in diagnose(right.text, page)] == []
