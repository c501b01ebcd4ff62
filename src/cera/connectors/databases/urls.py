"""URLs of databases: which database one names, and which part of it may be shown.

A URL that is understood is shown without its password. Of any other only the scheme is shown, since the password could
stand anywhere in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from cera.errors import EngineError, UsageError
from cera.model.message_text import did_you_mean

#: The URLs of databases that can be read.
POSTGRES = "postgresql://USER@HOST/DATABASE"
KNOWN = f"sqlite:PATH, sqlite:///PATH or {POSTGRES}"

_SCHEMES = ("sqlite", "postgresql", "postgres")
_HOST = r"(?:\[[^\]@/?]*\]|[^:@/?,\[\]]*)(?::\d*)?"
#: User, password, the rest, parameters. A password may contain any character that was not escaped.
_UNDERSTOOD = re.compile(rf"//(?:([^:@/?]*)(:.*)?@)?({_HOST}(?:,{_HOST})*(?:/[^?@]*)?)(\?.*)?", re.DOTALL)
_HIDDEN = "…"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}", re.ASCII)


class UnreachableError(EngineError):
    """A database does not answer; it may do so later."""


@dataclass(frozen=True)
class Sqlite:
    """A file of SQLite."""

    path: Path

    def __str__(self) -> str:
        return f"sqlite:{self.path}"


@dataclass(frozen=True)
class Postgres:
    """A database on a server of PostgreSQL."""

    url: str

    def __str__(self) -> str:
        return without_password(self.url)


Database = Sqlite | Postgres


def database(url: str) -> Database:
    """Returns the database that a URL names. Raises UsageError where it names none, or a file that does not exist."""
    scheme, colon, rest = url.partition(":")
    match scheme.lower() if colon else "":
        case "sqlite":
            return Sqlite(_file(rest, url))
        case "postgresql" | "postgres":
            if not rest.startswith("//"):
                raise UsageError(f"'{scheme}:{_HIDDEN}' is no URL of PostgreSQL; write {POSTGRES}")
            return Postgres(url)
        case _:
            known = colon and _SCHEME.fullmatch(scheme)
            shown = f"{scheme}:{_HIDDEN}" if known else url if "@" not in url and not colon else _HIDDEN
            guess = did_you_mean(scheme, _SCHEMES) if known else ""
            raise UsageError(f"'{shown}' names no database that cera knows{guess}; known are {KNOWN}")


def without_password(url: str) -> str:
    """Returns a URL of PostgreSQL as it may be shown, also behind `db:`; any other text unchanged."""
    before, scheme, rest = _parts(url)
    if scheme is None:
        return url
    found = _UNDERSTOOD.fullmatch(rest)
    if found is None:
        return f"{before}{scheme}:{_HIDDEN}"
    user, password, host, parameters = found.groups()
    shown = f"{before}{scheme}://" + ("" if user is None else f"{user}{':***' if password else ''}@") + host
    return shown if parameters is None else f"{shown}?{'&'.join(map(_parameter, parameters[1:].split('&')))}"


def is_understood(url: str) -> bool:
    """Returns whether a URL of PostgreSQL can be read in one way only: its driver would show parts of any other in
    messages.
    """
    found = _UNDERSTOOD.fullmatch(_parts(url)[2])
    return found is not None and not re.search(r"[@/?#]", found[2] or "")


def _parts(url: str) -> tuple[str, str | None, str]:
    """Returns what stands before the scheme, the scheme of PostgreSQL, and what follows its colon."""
    found = re.fullmatch(r"((?:db:)?)(postgres(?:ql)?):(.*)", url, re.DOTALL | re.IGNORECASE)
    return ("", None, url) if found is None else (found[1], found[2], found[3])


def _parameter(text: str) -> str:
    """Returns a parameter with its value, unless it is secret: passwords, and values without a name."""
    name, is_, _ = text.partition("=")
    secret = not is_ or "pass" in unquote(name).lower() or "%" in name
    return f"{name}=***" if secret and is_ else "***" if secret and text else text


def _file(rest: str, url: str) -> Path:
    """Returns the file of a URL. After three slashes stands a relative path or, if there is no such file, an absolute
    one.
    """
    name = unquote(rest.partition("?")[0])
    if name.startswith("///"):
        candidates = [Path(name[3:]), Path(name[2:])]
    elif name.startswith("//"):
        raise UsageError(f"'sqlite:{_HIDDEN}' names a host, and SQLite has files; write sqlite:PATH or sqlite:///PATH")
    else:
        candidates = [Path(name)]
    if candidates[0].name in ("", ":memory:"):
        shown = url if name in ("", ":memory:") else f"sqlite:{_HIDDEN}"
        raise UsageError(f"'{shown}' names no file; a database in memory has no changes that another process can see")
    for file in candidates:
        if file.is_file():
            return file
    folder = candidates[0].parent
    guess = did_you_mean(candidates[0].name, [p.name for p in folder.iterdir()] if folder.is_dir() else [])
    found = "is no file" if any(file.exists() for file in candidates) else "is not there"
    named = _HIDDEN if re.search(r":.*@", name) else " or ".join(map(str, candidates))  # a URL of a server, perhaps
    raise UsageError(f"the database {named} {found}{guess}")
