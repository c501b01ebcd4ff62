"""Permissions of actions, checked before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from cera.connectors.actions.action import PlannedAction, Sql, System, Write
from cera.connectors.actions.commands import command_problems
from cera.connectors.actions.texts.printf import format_problems
from cera.connectors.actions.texts.statements import statement_problems
from cera.errors import UsageError
from cera.model.url_paths import no_folder_for
from cera.wording import Setting


@dataclass(frozen=True)
class Permissions:
    """The permissions of a run: the database of SQL commands, if any, whether programs may be called, and the folders
    below which texts are written into files.
    """

    sql: str | None = None
    exec: bool = False
    write: tuple[Path, ...] = ()

    def place(self, file: str) -> Path | None:
        """Returns where a file really is, links and `..` followed; None if that is not below an allowed folder."""
        try:
            found = Path(file).resolve()
            return found if any(found.is_relative_to(folder.resolve()) for folder in self.write) else None
        except (OSError, RuntimeError, ValueError):  # a cycle of links, or an invalid name
            return None


def problems(planned: PlannedAction, permissions: Permissions) -> list[str]:
    """Returns the reasons why an action cannot run; none if it can."""
    match planned.action:
        case Write(format, file):
            return [*format_problems(format, planned.arguments), *_file_problems(file, permissions)]
        case Sql(statement):
            refused = [f"is not allowed; give {Setting.ALLOW_SQL.of('URL')} with the database that it is for"]
            return statement_problems(statement, planned.arguments) or (refused if permissions.sql is None else [])
        case System(command):
            if not permissions.exec:
                return [f"is not allowed; give {Setting.ALLOW_EXEC}, or leave the rule out"]
            return command_problems(command, planned.arguments)
        case other:
            assert_never(other)


def check(actions: Iterable[PlannedAction], permissions: Permissions) -> None:
    """Raises UsageError with every action that cannot run, its rule and its place."""
    found = list(_refusals(actions, permissions))
    if found:
        raise UsageError(*found)


def _refusals(actions: Iterable[PlannedAction], permissions: Permissions) -> Iterator[str]:
    for planned in actions:
        for problem in problems(planned, permissions):
            yield f"{planned} {problem}" if problem.startswith("is not") else f"{planned}: {problem}"


def _file_problems(file: str | None, permissions: Permissions) -> list[str]:
    if file is None:
        return []
    if permissions.place(file) is None:
        below = ", ".join(map(str, permissions.write))
        where = f"; {file} is not below {below}" if below else ""
        given = Setting.ALLOW_WRITE.of("DIR")
        return [f"is not allowed; give {given} with a folder that the file is below{where}"]
    return file_problems(Path(file))


def file_problems(path: Path) -> list[str]:
    """Returns the reasons why a path cannot become a file."""
    if path.is_dir():
        return [f"{path} is a folder; name a file"]
    return [] if path.parent.is_dir() else [no_folder_for(path)]
