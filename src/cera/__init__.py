"""cera: complex event processing for Apache Spark.

program = cera.load("fire.xceq")
for derived in program.run("events.jsonl"): ...
program.run(rows, label="type", time="ts").to_pandas()
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cera.comparing.comparison import Comparison, compare
    from cera.connectors.actions.failure import Failure
    from cera.connectors.records.csv_dialect import CsvDialect
    from cera.connectors.records.layout import Layout, Rejected
    from cera.diagnostics import Diagnostic, Source, Span
    from cera.engines.local.session import Session
    from cera.errors import (
        CeraError,
        CeraWarning,
        DataError,
        EngineError,
        FailedActionsError,
        MatchLimitError,
        ProgramError,
        RecursionLimitError,
        UsageError,
    )
    from cera.model.calendars.calendar_files import Calendar
    from cera.model.events.event import Derivation, DerivedEvent, Event, Recipient
    from cera.model.events.states import State, state_of
    from cera.model.terms.term import Term
    from cera.model.time.interval import Interval, Time
    from cera.model.time.time_text import TimeFormat
    from cera.modules.answers.answer import Answer
    from cera.performing import Performed, perform
    from cera.program import Program, load

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Calendar",
    "CeraError",
    "CeraWarning",
    "Comparison",
    "CsvDialect",
    "DataError",
    "Derivation",
    "DerivedEvent",
    "Diagnostic",
    "EngineError",
    "Event",
    "FailedActionsError",
    "Failure",
    "Interval",
    "Layout",
    "MatchLimitError",
    "Performed",
    "Program",
    "ProgramError",
    "Recipient",
    "RecursionLimitError",
    "Rejected",
    "Session",
    "Source",
    "Span",
    "State",
    "Term",
    "Time",
    "TimeFormat",
    "UsageError",
    "compare",
    "load",
    "perform",
    "state_of",
]

#: Where each public name is. A module is imported when a name of it is asked for: most commands need only a few.
_PLACES = {
    "Answer": "cera.modules.answers.answer",
    "Calendar": "cera.model.calendars.calendar_files",
    "CeraError": "cera.errors",
    "CeraWarning": "cera.errors",
    "Comparison": "cera.comparing.comparison",
    "CsvDialect": "cera.connectors.records.csv_dialect",
    "DataError": "cera.errors",
    "Derivation": "cera.model.events.event",
    "DerivedEvent": "cera.model.events.event",
    "Diagnostic": "cera.diagnostics",
    "EngineError": "cera.errors",
    "Event": "cera.model.events.event",
    "FailedActionsError": "cera.errors",
    "Failure": "cera.connectors.actions.failure",
    "Interval": "cera.model.time.interval",
    "Layout": "cera.connectors.records.layout",
    "MatchLimitError": "cera.errors",
    "Performed": "cera.performing",
    "Program": "cera.program",
    "ProgramError": "cera.errors",
    "Recipient": "cera.model.events.event",
    "RecursionLimitError": "cera.errors",
    "Rejected": "cera.connectors.records.layout",
    "Session": "cera.engines.local.session",
    "Source": "cera.diagnostics",
    "Span": "cera.diagnostics",
    "State": "cera.model.events.states",
    "Term": "cera.model.terms.term",
    "Time": "cera.model.time.interval",
    "TimeFormat": "cera.model.time.time_text",
    "UsageError": "cera.errors",
    "compare": "cera.comparing.comparison",
    "load": "cera.program",
    "perform": "cera.performing",
    "state_of": "cera.model.events.states",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_PLACES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
