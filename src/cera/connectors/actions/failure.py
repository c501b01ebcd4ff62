"""Failures of actions: as JSON for people, as text for a retry, and which of them are worth one."""

from __future__ import annotations

import errno
import json
from dataclasses import dataclass
from typing import Any

from cera.connectors.actions.action import Call, PlannedAction, text_of
from cera.connectors.event_lines import base_line
from cera.model.events.event import Event
from cera.model.terms.json_terms import term_from_json, term_to_json
from cera.model.terms.term import Term, Value
from cera.model.time.interval import Interval
from cera.model.time.time_text import TimeFormat

#: The key of an argument that is a term.
_TERM = "term"


@dataclass(frozen=True)
class Failure:
    """An action that failed."""

    call: Call
    reason: str
    attempts: int

    def line(self, times: TimeFormat) -> dict[str, Any]:
        """Returns the JSON line of the failure, with the whole event, so that the action can be done by hand."""
        arguments = [str(v) if not isinstance(v, str | int | float | None) else v for v in self.call.arguments]
        return {
            "rule": self.call.rule,
            "action": str(self.call.action),
            "text": text_of(self.call.action),
            "arguments": arguments,
            "reason": self.reason,
            "attempts": self.attempts,
            "event": base_line(self.call.event, times),
        }


def stored(call: Call) -> str:
    """Returns the part of a call that the plan of a program does not contain, as JSON."""
    event = call.event
    arguments = [{_TERM: term_to_json(v)} if isinstance(v, Term) else v for v in call.arguments]
    return json.dumps([event.begin, event.end, term_to_json(event.term), arguments])


def restored(planned: PlannedAction, text: str) -> Call:
    """Returns the stored call of a planned action."""
    begin, end, term, arguments = json.loads(text)
    values: list[Value | None] = [term_from_json(v[_TERM]) if isinstance(v, dict) else v for v in arguments]
    event = Event(term_from_json(term), Interval(begin, end))
    return Call(planned.rule, event, planned.action, tuple(values), planned.spelled)


#: Errors of the system that do not go away by themselves.
_LASTING = frozenset(
    {
        errno.E2BIG,
        errno.EACCES,
        errno.EINVAL,
        errno.EISDIR,
        errno.ELOOP,
        errno.ENAMETOOLONG,
        errno.ENOENT,
        errno.ENOEXEC,
        errno.ENOTDIR,
        errno.EPERM,
        errno.EROFS,
    }
)


@dataclass(frozen=True)
class RetryPolicy:
    """A policy of retries: the number of attempts, and the pauses between, in seconds, each `factor` times the last.

    No attempt begins later than `whole` seconds after the first.
    """

    attempts: int = 4
    pause: float = 0.5
    factor: float = 4.0
    longest: float = 10.0
    whole: float = 60.0

    def pause_after(self, attempt: int) -> float | None:
        """Returns the pause after an attempt, counted from 1; None after the last one."""
        return None if attempt >= self.attempts else min(self.pause * self.factor ** (attempt - 1), self.longest)


def passing(error: OSError) -> bool:
    """Returns whether an error of the system may be gone a moment later, such as a full disk, but not a missing
    permission.
    """
    return error.errno not in _LASTING
