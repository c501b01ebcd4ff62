"""URLs where a path is expected: the part that may be shown, and what to write instead.

If `db:` is missing before the URL of a database, it names a file that does not exist, and a message would show its
password.
"""

from __future__ import annotations

import re
from pathlib import Path

_HIDDEN = "…"
_DATABASES = r"sqlite|postgres(?:ql)?|mysql|mariadb|oracle|mssql|sqlserver|mongodb|redis|jdbc|odbc"
#: Where a path begins to be a URL: at its beginning a scheme, later one that is known, or before a slash or an `@`.
_URL_IN_PATH = re.compile(
    rf"^([A-Za-z][A-Za-z0-9+.-]*):|(?<=/)({_DATABASES}|https?|[A-Za-z][A-Za-z0-9+.-]*(?=:/|:.*@)):|(?=[^/]*:.*@)",
    re.ASCII | re.IGNORECASE | re.DOTALL,
)


def shown_path(path: str | Path) -> str:
    """Returns a path as it may be shown: of a URL only the scheme, because a password may follow.

    A path that was a URL has one slash where the URL has two.
    """
    text = str(path)
    found = _URL_IN_PATH.search(text)
    return text if found is None else f"{text[: found.end()]}{_HIDDEN}"


def no_folder_for(path: Path) -> str:
    """Returns the message for a file that is to be written into a folder that does not exist."""
    shown = shown_path(path)
    name = path.name if shown == str(path) else shown
    return f"there is no folder {shown_path(path.parent)} to write {name} to"


def url_for_a_path(path: str | Path) -> str | None:
    """Returns what is wrong with a URL in place of a file or folder, and what to write; None if it is not a URL."""
    found = _URL_IN_PATH.search(str(path))
    if found is None or (scheme := found[1] or found[2]) is None:
        return None
    found_is = f"'{shown_path(path)}' is a URL, no file or folder"
    if re.fullmatch("sqlite", scheme, re.IGNORECASE):
        return f"{found_is}; write db:sqlite:PATH for the changes that a database has captured"
    if re.fullmatch("postgres(ql)?", scheme, re.IGNORECASE):
        return f"{found_is}; write db:{scheme.lower()}://{_HIDDEN} for the changes that a database has captured"
    if re.fullmatch(_DATABASES, scheme, re.IGNORECASE):
        known = "db:postgresql://USER@HOST/DATABASE or db:sqlite:PATH"
        return f"{found_is}; the databases that can be read are written {known}"
    return f"{found_is}; download it first" if re.fullmatch("https?", scheme, re.IGNORECASE) else None
