"""cera: complex event processing for Apache Spark.

program = cera.load("fire.xceq")
for derived in program.run("events.jsonl"): ...
program.run(rows, label="type", time="ts").to_pandas()
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cera.comparing.comparison import Comparison, compare
    from cera.connectors.records.layout import Layout, Rejected
    from cera.diagnostics import Diagnostic, Span
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
    from cera.model.events.event import Derivation, DerivedEvent, Event, Recipient
    from cera.model.terms.term import Term
    from cera.model.time.interval import Interval, Time
    from cera.modules.answers.answer import Answer
    from cera.performing import Performed, perform
    from cera.pipeline import Program, load

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "CeraError",
    "CeraWarning",
    "Comparison",
    "DataError",
    "Derivation",
    "DerivedEvent",
    "Diagnostic",
    "EngineError",
    "Event",
    "FailedActionsError",
    "Interval",
    "Layout",
    "MatchLimitError",
    "Performed",
    "Program",
    "ProgramError",
    "Recipient",
    "RecursionLimitError",
    "Rejected",
    "Span",
    "Term",
    "Time",
    "UsageError",
    "compare",
    "load",
    "perform",
]

#: Where each public name is. A module is imported when a name of it is asked for: most commands need only a few.
_PLACES = {
    "Answer": "cera.modules.answers.answer",
    "CeraError": "cera.errors",
    "CeraWarning": "cera.errors",
    "Comparison": "cera.comparing.comparison",
    "DataError": "cera.errors",
    "Derivation": "cera.model.events.event",
    "DerivedEvent": "cera.model.events.event",
    "Diagnostic": "cera.diagnostics",
    "EngineError": "cera.errors",
    "Event": "cera.model.events.event",
    "FailedActionsError": "cera.errors",
    "Interval": "cera.model.time.interval",
    "Layout": "cera.connectors.records.layout",
    "MatchLimitError": "cera.errors",
    "Performed": "cera.performing",
    "Program": "cera.pipeline",
    "ProgramError": "cera.errors",
    "Recipient": "cera.model.events.event",
    "RecursionLimitError": "cera.errors",
    "Rejected": "cera.connectors.records.layout",
    "Span": "cera.diagnostics",
    "Term": "cera.model.terms.term",
    "Time": "cera.model.time.interval",
    "UsageError": "cera.errors",
    "compare": "cera.comparing.comparison",
    "load": "cera.pipeline",
    "perform": "cera.performing",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_PLACES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
