"""Names of files between Python and Spark: any character may occur in them.

Spark takes some characters of a path for a pattern, puts a scheme before the paths that it finds, and sees a file only
if its name has a meaning in the encoding of Java's locale.
"""

from __future__ import annotations

import locale
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cera.connectors.records.layout import Rejected, rejected

_PATTERN_CHARACTERS = re.compile(r"[\\*?\[\]{}]")
_LOCALE, _UTF_8 = "LC_ALL", "C.UTF-8"


def literal(folder: str) -> str:
    """Returns the path of a folder as Spark must be given it, so that no character of it is a pattern."""
    return _PATTERN_CHARACTERS.sub(r"\\\g<0>", folder)


def local_path(found: str) -> str:
    """Returns the path of a file that Spark found, without its scheme; nothing in it is escaped."""
    return "/" + found.removeprefix("file:").lstrip("/")


@contextmanager
def utf_8_names() -> Iterator[None]:
    """Lets a Java process that is started meanwhile read names as UTF-8, as Python does, whatever the locale says."""
    before = os.environ.get(_LOCALE)
    if locale.getencoding().upper() in ("UTF-8", "UTF8"):
        yield
        return
    os.environ[_LOCALE] = _UTF_8
    try:
        yield
    finally:
        os.environ.pop(_LOCALE)
        if before is not None:
            os.environ[_LOCALE] = before


def unreadable(folder: Path) -> Iterator[Rejected]:
    """Yields the files of a folder that Spark ignores silently: their names are not UTF-8."""
    for parent, _, names in os.walk(folder):
        for name in names:
            if not name.startswith((".", "_")) and not _is_utf_8(name):
                reason = "the name is not UTF-8, and Spark does not find such a file; rename it"
                yield rejected(os.path.join(parent, name), reason)


def _is_utf_8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
