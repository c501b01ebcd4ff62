"""Everything that a document points at is there: pages, headings, files, codes, numbers of readings."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from cera.cli.main import main
from docs.blocks import PAGES, ROOT, name_of

SOURCES = sorted((ROOT / "src").rglob("*.py"))
DIAGNOSTICS = ROOT / "docs" / "diagnostics"
DOCUMENTS = sorted(
    {*PAGES, *(ROOT / "docs").rglob("*.md"), *(ROOT / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md"))}
)


def prose(page: Path) -> str:
    """The text of a page without its fenced blocks."""
    return re.sub(r"^ *```.*?^ *```$", "", page.read_text(), flags=re.M | re.S)


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub makes of a page's headings."""
    titles = re.findall(r"^#+ +(.+?) *$", prose(page), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", DOCUMENTS, ids=name_of)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", DOCUMENTS, ids=name_of)
def test_the_paths_that_a_page_names_exist(page: Path) -> None:
    for path in re.findall(r"`((?:src|tests|docs|examples|benchmarks)(?:/[\w.\-]+)+/?)`", prose(page)):
        stands_for_others = re.search(r"/(CODE|NAME)\b", path)
        assert stands_for_others or (ROOT / path).exists(), path


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, waiting = set[Path](), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", prose(page))]
        found = {(page.parent / link).resolve() for link in links if link.endswith(".md") and ":" not in link}
        waiting += [target for target in found if target.exists() and target not in reached]
    assert set(DOCUMENTS) <= reached


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    code = r'"((?:XC|EP|DL|CE|SN|SL|IH|EC)\d{3})"'
    codes = {found for source in SOURCES for found in re.findall(code, source.read_text())}
    assert {page.stem for page in DIAGNOSTICS.glob("*.md")} == codes | {"README"}


def test_every_reading_that_the_code_takes_is_explained() -> None:
    explained = set(re.findall(r"ERR-\d+", (ROOT / "docs" / "semantics.md").read_text()))
    assert explained == {f"ERR-{number:02}" for number in (*range(1, 34), *range(40, 54))}
    about_epl = set(re.findall(r"ERR-\d+", (ROOT / "docs" / "epl.md").read_text()))
    assert about_epl == {f"ERR-{number}" for number in range(96, 107)}
    about_types = set[str]()
    for page in (ROOT / "docs" / name for name in ("complex-event-types.md", "snoop.md")):
        about_types |= set(re.findall(r"ERR-\d+", page.read_text())) if page.exists() else set()
    assert about_types <= {f"ERR-{number}" for number in range(107, 118)}
    about_streamlog = set(re.findall(r"ERR-\d+", (ROOT / "docs" / "streamlog.md").read_text()))
    assert about_streamlog <= {f"ERR-{number}" for number in range(34, 68)}
    about_constraints = set(re.findall(r"ERR-\d+", (ROOT / "docs" / "escl.md").read_text()))
    assert about_constraints == {f"ERR-{number}" for number in range(54, 71)}
    about_reasoning = set(re.findall(r"ERR-\d+", (ROOT / "docs" / "derived-constraints.md").read_text()))
    assert about_reasoning == {f"ERR-{number}" for number in range(71, 91)}
    about_rewriting = set(re.findall(r"ERR-\d+", (ROOT / "docs" / "optimization.md").read_text()))
    assert about_rewriting == {f"ERR-{number}" for number in range(91, 96)}
    about_seed_002 = about_streamlog | about_constraints | about_reasoning | about_rewriting
    taken = {number for source in SOURCES for number in re.findall(r"ERR-\d+", source.read_text())}
    assert taken <= explained | about_epl | about_types | about_seed_002


def test_every_option_of_the_command_line_is_in_a_document() -> None:
    text = "".join(prose(page) + page.read_text() for page in PAGES)
    options = {
        option
        for name in main.list_commands(click.Context(main))
        if (command := main.get_command(click.Context(main), name)) is not None
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
    }
    assert {option for option in options if option not in text} == set()
