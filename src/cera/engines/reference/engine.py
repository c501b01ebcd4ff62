"""The reference engine: the intended model of a program over a recorded stream."""

from __future__ import annotations

from collections.abc import Iterable

from cera.engines.answers.answer import Answer
from cera.engines.reference.entailment import Theory
from cera.engines.reference.fixpoint import RECURSION_LIMIT, intended_model
from cera.model.events.event import Event
from cera.model.time.interval import Interval, Time
from cera.rules.rule import RuleProgram


def run(
    program: RuleProgram,
    events: Iterable[Event],
    *,
    until: Time | None = None,
    timezone: str = "UTC",
    extent: Interval | None = None,
    recursion_limit: int = RECURSION_LIMIT,
    tick_limit: int | None = None,
) -> Answer:
    """Returns the answers of a program over a complete stream: relative timers run out even after its last event.

    With `until`, as if now were that time: nothing that ends later has happened yet. `extent` is the stretch of time in
    which absolute timers tick; by default from the first end of an event to the last.
    """
    base = [event for event in events if until is None or event.end <= until]
    if extent is None and base:
        ends = [event.end for event in base]
        extent = Interval(min(ends), max(ends) if until is None else until)
    theory = Theory(program.semantics, program.calendars, timezone, extent, tick_limit)
    model = intended_model(program.rules, base, theory, limit=recursion_limit)
    derived = tuple(d for d in model.derived() if until is None or d.event.end <= until)
    return Answer(derived, theory.evaluator.undefined)
