"""Actions of rules, and their calls with values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cera.model.events import Event
from cera.model.printf import ArgumentKind
from cera.model.terms import Value


@dataclass(frozen=True)
class Write:
    """Writes a text, with values put in as printf does, to standard output or at the end of a file."""

    format: str
    file: str | None = None

    def __str__(self) -> str:
        return f"write to {self.file}" if self.file is not None else "write"


@dataclass(frozen=True)
class Sql:
    """Runs one SQL command; `:1`, `:2` … (or the conversions of printf) are parameters, never pasted into its text."""

    statement: str

    def __str__(self) -> str:
        return "SQL command"


@dataclass(frozen=True)
class System:
    """Calls a program. The text is cut into words first; values are put into words, and no shell reads them."""

    command: str

    def __str__(self) -> str:
        return "operating system call"


Action = Write | Sql | System


@dataclass(frozen=True)
class Planned:
    """An action of a rule before anything runs: where it stands, and what is known of its arguments."""

    rule: str
    place: str
    action: Action
    arguments: Sequence[ArgumentKind] = ()

    def __str__(self) -> str:
        return f"{self.place}: the {self.action} of the rule {self.rule}"


@dataclass(frozen=True)
class Call:
    """An action for one detected event. `number` tells the actions of one rule apart."""

    rule: str
    event: Event
    action: Action
    arguments: tuple[Value | None, ...] = ()
    number: int = 0

    @property
    def key(self) -> tuple[str, str, int]:
        """What is done once: the event's id, the rule, the number of the action."""
        return (self.event.id, self.rule, self.number)


class ActionError(Exception):
    """An action could not be done this time."""
