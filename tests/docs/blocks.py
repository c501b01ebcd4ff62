"""The fenced blocks of a document, and what its tables say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

#: The documents that are for users. Decisions and diagnostics have no blocks that run like theirs.
PAGES = sorted(
    page
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
    if not {"decisions", "diagnostics"} & set(page.relative_to(ROOT).parts)
)

_FENCE = re.compile(r"^(?P<indent> *)```(?P<info>.*)$")
_HEADING = re.compile(r"^#+ +(?P<title>.+?) *$")


@dataclass(frozen=True)
class Block:
    """A fenced block: where it opens, the words after its fence, and its text without the fences.

    The first word is the language; the others are options, `name=value` or a bare `name`.
    """

    page: Path
    line: int
    heading: str
    language: str
    options: Mapping[str, str]
    text: str

    @property
    def place(self) -> str:
        return f"{name_of(self.page)}:{self.line}"


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page from top to bottom."""
    heading, opened, lines = "", None, list[str]()
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = _FENCE.match(line)
        if opened is None:
            if fence:
                opened, lines = (number, fence["info"].split(), fence["indent"]), []
            elif title := _HEADING.match(line):
                heading = title["title"]
        elif fence and not fence["info"]:
            start, info, indent = opened
            text = "".join(f"{line.removeprefix(indent)}\n" for line in lines)
            yield Block(page, start, heading, info[0] if info else "", _options(info[1:]), text)
            opened = None
        else:
            lines.append(line)
    assert opened is None, f"{name_of(page)}: the block that opens in line {opened[0]} is not closed"


def _options(words: list[str]) -> dict[str, str]:
    return {name: value for name, _, value in (word.partition("=") for word in words)}


def table(page: Path, heading: str) -> list[list[str]]:
    """The rows of the first table below a heading, without its head; each cell as it is written."""
    lines = page.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if re.fullmatch(rf"#+ +{re.escape(heading)} *", line))
    rows: list[list[str]] = []
    for line in lines[start + 1 :]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip()[1:-1].split("|")])
        elif rows:
            break
    return rows[2:]


def code_in(cell: str) -> list[str]:
    """What stands between backticks in a cell or a paragraph."""
    return re.findall(r"`([^`]+)`", cell)
