"""The reference engine as a processor: it collects a recording, and answers when that is complete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

from cera.engines.reference import engine
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.occurrence import Occurrence, occurrence
from cera.model.events.states import is_opening
from cera.model.time.interval import Time
from cera.modules.layering import Layers
from cera.modules.module import Settings
from cera.modules.processor import Counts


class DefinitionState:
    """The events so far, and what was counted when they were answered."""

    def __init__(self) -> None:
        self.events: dict[Event, None] = {}
        self.closing = False
        self.answered = False
        self.undefined = 0
        self.left_out = 0


class AnsweredEvent:
    """A derived event of an answer."""

    def __init__(self, derived: DerivedEvent) -> None:
        self._derived = derived

    @property
    def begin(self) -> Time:
        return self._derived.event.begin

    @property
    def end(self) -> Time:
        return self._derived.event.end

    @property
    def label(self) -> str:
        return self._derived.event.label

    @property
    def leaves(self) -> bool:
        return self._derived.recipient is not None

    @property
    def early(self) -> Time | None:
        return self._derived.early

    @property
    def occurrence(self) -> Occurrence:
        return occurrence(self._derived.event)

    def result(self) -> DerivedEvent:
        return self._derived


class DefinitionProcessor:
    """Answers a program by its definitions, when the stream is closed or has come to `until`. It saves no states."""

    def __init__(self, layers: Layers, settings: Settings) -> None:
        self._layers = layers
        self._settings = settings

    @property
    def identity(self) -> object:
        return [module.identity for module in self._layers.modules]

    def start(self) -> DefinitionState:
        return DefinitionState()

    def advance(
        self, state: DefinitionState, events: Sequence[Occurrence], before: Time | None
    ) -> Sequence[AnsweredEvent]:
        state.events.update(dict.fromkeys(event.event for event in events))
        until = self._settings.until
        is_over = state.closing or (until is not None and before is not None and before > until)
        if state.answered:
            return self._after_until(state, until) if until is not None and before is None else ()
        if not is_over:
            return ()
        state.answered = True
        answer = engine.run(self._layers, state.events, self._settings)
        state.undefined, state.left_out = answer.undefined, answer.left_out
        return [AnsweredEvent(derived) for derived in answer.derived]

    def _after_until(self, state: DefinitionState, until: Time) -> Sequence[AnsweredEvent]:
        """Returns what follows after `until` from what was known by then, if nothing else comes."""
        known = [event for event in state.events if event.end <= until]
        answer = engine.run(self._layers, known, replace(self._settings, until=None))
        return [AnsweredEvent(derived) for derived in answer.derived if derived.event.end > until]

    def next_wakeup(self, state: DefinitionState) -> Time | None:
        return None

    def close(self, state: DefinitionState) -> None:
        state.closing = True

    def counts(self, state: DefinitionState) -> Counts:
        return Counts(len(state.events), state.left_out, state.undefined)

    def is_open(self, state: DefinitionState, opening: Occurrence) -> bool:
        return any(is_opening(event.label) and event.id == opening.id for event in state.events)

    def trim(self, state: DefinitionState) -> bool:
        return not state.events

    def pack(self, state: DefinitionState) -> NoReturn:
        raise NotImplementedError("the reference engine takes whole recordings, and has no state to go on from")

    def unpack(self, data: Any) -> NoReturn:
        raise NotImplementedError("the reference engine takes whole recordings, and has no state to go on from")
