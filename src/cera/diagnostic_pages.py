"""The pages about errors and warnings: in an installed package beside its code, in the repository in `docs`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from cera.errors import UsageError
from cera.model.message_text import did_you_mean

#: The folder of the pages in the package; pyproject.toml puts them there.
_IN_PACKAGE = "diagnostic_pages_text"
_IN_REPOSITORY = Path(__file__).parents[2] / "docs" / "diagnostics"


@cache
def pages() -> Mapping[str, Traversable]:
    """Returns the pages by their codes."""
    packaged = resources.files("cera") / _IN_PACKAGE
    folder: Traversable = packaged if packaged.is_dir() else _IN_REPOSITORY
    if not folder.is_dir():
        return {}
    found = {each.name.removesuffix(".md"): each for each in folder.iterdir() if each.name.endswith(".md")}
    return {code: found[code] for code in sorted(found) if code != "README"}


def page(code: str) -> str:
    """Returns the Markdown of the page about a code, in upper or lower case. Raises UsageError if there is none."""
    known = pages()
    if code.upper() not in known:
        if not known:
            raise UsageError("this installation of cera has no pages about errors and warnings; install it again")
        raise UsageError(f"there is no error or warning with the code {code}{did_you_mean(code.upper(), known)}")
    return known[code.upper()].read_text(encoding="utf-8")


def is_code(word: str) -> bool:
    """Returns whether a word on the command line is meant as a code: it begins as codes do, and has no file ending."""
    begins = {known[:2] for known in pages()}
    return len(word) in range(3, 8) and word.isalnum() and word[:2].upper() in begins
