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
    """An action that writes a text, with values put in as printf does, to standard output or to the end of a file."""

    format: str
    file: str | None = None

    def __str__(self) -> str:
        return f"write to {self.file}" if self.file is not None else "write"


@tagged("Sql")
@dataclass(frozen=True)
class Sql:
    """An action that runs one SQL command; `:1`, `:2` … (or the conversions of printf) are parameters, never pasted
    into it.
    """

    statement: str

    def __str__(self) -> str:
        return "SQL command"


@tagged("System")
@dataclass(frozen=True)
class System:
    """An action that calls a program. The text is split into words before values are put into words; no shell reads
    them.
    """

    command: str

    def __str__(self) -> str:
        return "operating system call"


Action = Write | Sql | System


#: The key of an action: the id of the event, the rule, and a mark of how the action is written.
Key = tuple[str, str, str]


def text_of(action: Action) -> str:
    """Returns the format or command of an action."""
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
    """Returns a mark, equal for actions written the same with their arguments; an edited action gets another."""
    file = action.file if isinstance(action, Write) else None
    written = json.dumps([tag_of(type(action)), text_of(action), file, *spelled])
    return hashlib.sha256(written.encode("utf-8", "backslashreplace")).hexdigest()[:16]


@dataclass(frozen=True)
class PlannedAction:
    """An action of a rule before anything runs: where it stands, the kinds of its arguments, and their source.

    Without the source, all actions with the same text are taken for one.
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
    """A call of an action for one detected event."""

    rule: str
    event: Event
    action: Action
    arguments: tuple[Value | None, ...] = ()
    spelled: tuple[str, ...] = ()

    @property
    def key(self) -> Key:
        """The key under which the action is done once."""
        return (self.event.id, self.rule, mark(self.action, self.spelled))


class ActionError(Exception):
    """An action failed. `passing`: it may succeed a moment later."""

    def __init__(self, reason: str, *, passing: bool) -> None:
        super().__init__(reason)
        self.passing = passing
