"""Which database a URL names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from cera.errors import EngineError, UsageError
from cera.model.spelling import did_you_mean

#: How the databases that can be read are named.
KNOWN = "sqlite:PATH, sqlite:///PATH or postgresql://USER@HOST/DATABASE"

_SCHEMES = ("sqlite", "postgresql", "postgres")
_PASSWORD = re.compile(r"(//[^:@/?]*:)[^@]*(?=@)|([?&]password=)[^&]*")


class UnreachableError(EngineError):
    """A database does not answer; it may later."""


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
    """The database that a URL names. Raises UsageError where it names none, or a file that is not there."""
    scheme, colon, rest = url.partition(":")
    match scheme.lower() if colon else "":
        case "sqlite":
            return Sqlite(_file(rest, url))
        case "postgresql" | "postgres":
            if not rest.startswith("//"):
                raise UsageError(f"'{url}' is no URL of PostgreSQL; write postgresql://USER@HOST/DATABASE")
            return Postgres(url)
        case _:
            shown = without_password(url)
            guess = did_you_mean(scheme, _SCHEMES) if colon else ""
            raise UsageError(f"'{shown}' names no database that cera knows{guess}; known are {KNOWN}")


def without_password(url: str) -> str:
    return _PASSWORD.sub(r"\1\2***", url)


def _file(rest: str, url: str) -> Path:
    """The file of a URL. After three slashes stands a path from here or, if there is no such file, from the root."""
    name = unquote(rest.partition("?")[0])
    if name.startswith("///"):
        candidates = [Path(name[3:]), Path(name[2:])]
    elif name.startswith("//"):
        raise UsageError(f"'{url}' names a host, and SQLite has files; write sqlite:PATH or sqlite:///PATH")
    else:
        candidates = [Path(name)]
    if candidates[0].name in ("", ":memory:"):
        raise UsageError(f"'{url}' names no file; a database in memory has no changes that another process can see")
    for file in candidates:
        if file.is_file():
            return file
    folder = candidates[0].parent
    guess = did_you_mean(candidates[0].name, [p.name for p in folder.iterdir()] if folder.is_dir() else [])
    found = "is no file" if any(file.exists() for file in candidates) else "is not there"
    raise UsageError(f"the database {' or '.join(map(str, candidates))} {found}{guess}")
