"""The intended model of rules over a recorded stream: what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cera.engines.reference.entailment import Theory
from cera.engines.reference.fixpoint import intended_model
from cera.model.events.event import Event
from cera.model.events.states import is_ending
from cera.model.time.interval import Interval
from cera.modules.answers.answer import Answer
from cera.modules.module import Settings
from cera.rules.rule import RuleProgram


@dataclass(frozen=True)
class RuleDefinition:
    """The meaning of rules: relative timers run out even after the last event, and absolute ones tick in the extent.

    With `until`, as if now were that time: nothing that ends later has happened yet.
    """

    program: RuleProgram
    settings: Settings

    def answer(self, events: Sequence[Event], extent: Interval | None) -> Answer:
        program, settings = self.program, self.settings
        until = settings.until
        base = [event for event in events if until is None or event.end <= until]
        theory = Theory(
            program.semantics, program.calendars, settings.timezone, extent, settings.tick_limit, settings.relations
        )
        theory.ends.update((event.id, event.end) for event in base if is_ending(event.label))
        model = intended_model(program.rules, base, theory, limit=settings.recursion_limit)
        derived = tuple(d for d in model.derived() if until is None or d.event.end <= until)
        return Answer(derived, theory.evaluator.undefined)
