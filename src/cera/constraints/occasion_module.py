"""A clause without a head as a module that only looks whether its body ever holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cera.constraints.clause import Clause
from cera.constraints.module import ConstraintModule
from cera.constraints.processor import ConstraintProcessor, ConstraintState
from cera.constraints.reports import VIOLATION
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time
from cera.modules.module import Settings
from cera.modules.processor import Detection


@dataclass(frozen=True)
class OccasionModule(ConstraintModule):
    """One clause without a head. When its body holds for the first time, its name is added to `found`."""

    found: set[str] = field(default_factory=set, compare=False, repr=False)

    @classmethod
    def of(cls, module: ConstraintModule, clause: Clause, found: set[str]) -> OccasionModule:
        """Returns what looks for an occasion of a clause of a module."""
        alone = replace(module.of_clauses((clause,)), name=module.name)
        values: dict[str, Any] = {name: getattr(alone, name) for name in alone.__dataclass_fields__}
        return cls(**values, found=found)

    @property
    def clause_name(self) -> str:
        return f"{self.name}.{self.clauses[0].name}"

    @property
    def is_found(self) -> bool:
        return self.clause_name in self.found

    def processor(self, settings: Settings) -> OccasionProcessor:
        return OccasionProcessor(self, settings)


class OccasionProcessor(ConstraintProcessor):
    """A processor that derives nothing, and rests when the body of its clause has held."""

    def __init__(self, module: OccasionModule, settings: Settings) -> None:
        super().__init__(module, settings)
        self._occasion = module
        self._reads = None if module.starts_with_any_event else module.reads

    def advance(self, state: ConstraintState, events: Sequence[Occurrence], before: Time | None) -> Sequence[Detection]:
        if self._occasion.is_found:
            return ()
        if self._reads is not None:
            events = [each for each in events if each.label in self._reads]
        if any(each.label == VIOLATION for each in super().advance(state, events, before)):
            self._occasion.found.add(self._occasion.clause_name)
            state.verifier = None
            state.wakeups.clear()
        return ()
