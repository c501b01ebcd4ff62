"""Pages of docs/diagnostics, as tests of languages look at them: a wrong program, what is said of it, a right one.

With `CERA_UPDATE_PAGES=1` the messages are written anew.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from cera.diagnostics import Diagnostic, render

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "diagnostics"

#: What is said of a program, as far as the page with a code is about it.
Diagnose = Callable[[str, str], Sequence[Diagnostic]]

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pages_of(prefix: str) -> list[Path]:
    return sorted(FOLDER.glob(f"{prefix}*.md"))


def raised_codes(prefix: str) -> set[str]:
    """The codes that stand in the package."""
    sources = (path.read_text() for path in (ROOT / "src").rglob("*.py"))
    return {code for source in sources for code in re.findall(rf'"({prefix}\d{{3}})"', source)}


def listed_codes(prefix: str) -> list[tuple[str, str, str]]:
    """Code, severity and title of each page, as the index has them."""
    index = (FOLDER / "README.md").read_text()
    return re.findall(rf"^\| \[({prefix}\d{{3}})\]\(\1\.md\) \| (error|warning|note) \| (.*) \|$", index, re.MULTILINE)


def said_codes(prefix: str) -> list[tuple[str, str, str]]:
    """The same as the pages have it."""
    texts = ((page.stem, page.read_text()) for page in pages_of(prefix))
    return [(code, _severity(text), text.splitlines()[0].removeprefix(f"# {code}: ")) for code, text in texts]


def check_wrong_program(page: Path, diagnose: Diagnose) -> None:
    """It gets the message that is shown, and no other."""
    text = page.read_text()
    (_, wrong), (kind, shown), _ = _BLOCK.findall(text)
    found = diagnose(wrong, page.stem)
    message = "\n\n".join(render(diagnostic) for diagnostic in found) + "\n"
    if os.environ.get("CERA_UPDATE_PAGES"):
        page.write_text(text.replace(f"```text\n{shown}```", f"```text\n{message}```"))
        return
    assert kind == "text"
    assert message == shown
    assert {(each.code, each.severity) for each in found} == {(page.stem, _severity(text))}


def check_right_program(page: Path, language: str, diagnose: Diagnose) -> None:
    *_, (kind, right) = _BLOCK.findall(page.read_text())
    assert kind == language
    assert [str(diagnostic) for diagnostic in diagnose(right, page.stem)] == []


def _severity(page: str) -> str:
    return page.splitlines()[2].strip("*.").lower()
