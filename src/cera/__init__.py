"""cera: complex event processing for Apache Spark.

program = cera.load("fire.xceq")
for derived in program.run("events.jsonl"): ...
program.run(rows, label="type", time="ts").to_pandas()
"""

from cera.comparing.comparison import Comparison, compare
from cera.connectors.layout import Layout, Rejected
from cera.diagnostics import Diagnostic, Span
from cera.engines.answer import Answer
from cera.errors import (
    CeraError,
    DataError,
    EngineError,
    FailedActionsError,
    MatchLimitError,
    ProgramError,
    RecursionLimitError,
    UsageError,
)
from cera.model.events import Derivation, DerivedEvent, Event, Recipient
from cera.model.interval import Interval, Time
from cera.model.terms import Term
from cera.performing import Performed, perform
from cera.pipeline import Program, load

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "CeraError",
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
