"""The errors of cera, and the exit status of each kind on the command line.

CeraError
├── ProgramError      1   the program is wrong; carries its diagnostics
├── UsageError        2   the command line, an option or an argument is wrong
├── DataError         3   the data is wrong and may not be skipped
├── EngineError       4   the engine could not finish
│   ├── MatchLimitError       a pattern or an event type has too many answers on one event
│   ├── RecursionLimitError   a recursion does not end
│   └── TickLimitError        a timer ticks too often while nothing else happens
├── FailedActionsError  5   everything is done but some actions of rules, which are recorded
└── UnusableInputError  7   there was input, and none of it could be used; what was derived is written

CeraWarning, a UserWarning, is for what is probably a mistake; the command line prints it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from cera.diagnostics import Diagnostic, render
from cera.wording import MarkedError, in_python


class CeraError(MarkedError):
    """Any error that cera raises on purpose."""

    exit_status: ClassVar[int] = 4


class CeraWarning(UserWarning):
    """A warning of a function in Python: the program asks for something that no event has."""


class ProgramError(CeraError):
    """The program has errors; `diagnostics` lists them with places, in words of Python, and `findings` with marks."""

    exit_status = 1

    def __init__(self, findings: Sequence[Diagnostic]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n\n".join(render(each) for each in self.findings))

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return tuple(each.worded(in_python) for each in self.findings)


class UsageError(CeraError):
    """An option or argument does not make sense, or names something that is missing; each message is one mistake."""

    exit_status = 2

    def __init__(self, *messages: str) -> None:
        self.messages = messages
        super().__init__("\n".join(messages))


class DataError(CeraError):
    """Input that may not be skipped is malformed."""

    exit_status = 3


class EngineError(CeraError):
    """The engine could not finish."""

    exit_status = 4


class MatchLimitError(EngineError):
    """A pattern or an event type has more answers on one event than the limit allows."""


class RecursionLimitError(EngineError):
    """A recursive rule goes on deriving events past the limit."""


class TickLimitError(EngineError):
    """A timer ticks more often between two events than the limit allows."""


class FailedActionsError(CeraError):
    """Some actions of rules failed; everything else is done."""

    exit_status = 5


class UnusableInputError(CeraError):
    """Every record of the input was rejected, or no event had a label that the program asks for."""

    exit_status = 7
