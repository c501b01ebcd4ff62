"""Actions of rules, and their calls with values."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import assert_never

from cera.connectors.actions.texts.printf import ArgumentKind
from cera.model.events.event import Event
from cera.model.tags import tag_of, tagged
from cera.model.terms.term import Value


@tagged("Write")
@dataclass(frozen=True)
class Write:
    """Writes a text, with values put in as printf does, to standard output or at the end of a file."""

    format: str
    file: str | None = None

    def __str__(self) -> str:
        return f"write to {self.file}" if self.file is not None else "write"


@tagged("Sql")
@dataclass(frozen=True)
class Sql:
    """Runs one SQL command; `:1`, `:2` … (or the conversions of printf) are parameters, never pasted into its text."""

    statement: str

    def __str__(self) -> str:
        return "SQL command"


@tagged("System")
@dataclass(frozen=True)
class System:
    """Calls a program. The text is cut into words first; values are put into words, and no shell reads them."""

    command: str

    def __str__(self) -> str:
        return "operating system call"


Action = Write | Sql | System


#: What an action is known by: the id of the event, the rule, and a mark of how the action is written.
Key = tuple[str, str, str]


def text_of(action: Action) -> str:
    """The format or command of an action."""
    match action:
        case Write():
            return action.format
        case Sql():
            return action.statement
        case System():
            return action.command
        case other:
            assert_never(other)


@lru_cache(maxsize=1000)
def mark(action: Action, spelled: tuple[str, ...]) -> str:
    """The same for actions that are written the same, with their arguments; an edited action is another one."""
    file = action.file if isinstance(action, Write) else None
    written = json.dumps([tag_of(type(action)), text_of(action), file, *spelled])
    return hashlib.sha256(written.encode("utf-8", "backslashreplace")).hexdigest()[:16]


@dataclass(frozen=True)
class Planned:
    """An action of a rule before anything runs: where it stands, what is known of its arguments, how they are written.

    Without that, all actions with the same text are taken for one.
    """

    rule: str
    place: str
    action: Action
    arguments: Sequence[ArgumentKind] = ()
    spelled: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.place}: the {self.action} of the rule {self.rule}"

    @property
    def mark(self) -> str:
        return mark(self.action, self.spelled)


@dataclass(frozen=True)
class Call:
    """An action for one detected event."""

    rule: str
    event: Event
    action: Action
    arguments: tuple[Value | None, ...] = ()
    spelled: tuple[str, ...] = ()

    @property
    def key(self) -> Key:
        """What is done once."""
        return (self.event.id, self.rule, mark(self.action, self.spelled))


class ActionError(Exception):
    """An action could not be done this time. `passing`: it may be possible a moment later."""

    def __init__(self, reason: str, *, passing: bool) -> None:
        super().__init__(reason)
        self.passing = passing
