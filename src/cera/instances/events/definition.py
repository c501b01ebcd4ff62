"""A module of complex event types over a whole recording, by the definitions: slow on purpose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from cera.instances.detections import Heads
from cera.instances.history.evaluation import Moment, Recording, evaluate
from cera.instances.instance import Instance, primitive
from cera.instances.types import InstanceModule
from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.event import Event, in_output_order
from cera.model.events.occurrence import occurrence
from cera.model.time.interval import Interval, Time
from cera.modules.answers.answer import Answer
from cera.modules.arrivals import NO_HISTORY, Arrival, Key, Recognizer
from cera.modules.stages import Stage, cut


@dataclass(frozen=True)
class TypeDefinition:
    """The meaning of event types. With `until`, as if now were that time."""

    module: InstanceModule
    timezone: str = "UTC"
    until: Time | None = None
    tick_limit: int = TICK_LIMIT

    def answer(self, events: Sequence[Event], extent: Interval | None = None) -> Answer:
        """Returns what is detected in a complete stream: timers that tick once do so even after its last event.

        `extent` is the stretch of the recording; without it, that of the events.
        """
        until, module = self.until, self.module
        seen = [event for event in dict.fromkeys(events) if until is None or event.end <= until]
        end = until if extent is None else extent.end
        if end is None:
            end = max((event.end for event in seen), default=0)
        evaluator = Evaluator((), self.timezone)
        heads = Heads(module, evaluator)
        histories, left_out = _histories(module, seen)
        recordings = [Recording(moments, end, until, self.timezone, self.tick_limit) for moments in histories]
        found = [one for recording in recordings for one in evaluate(module, recording, heads)]
        found.sort(key=lambda one: one.end)
        derived = [each for _, same in groupby(found, key=lambda one: one.end) for each in heads.detections(list(same))]
        return Answer(tuple(in_output_order(each.result() for each in derived)), evaluator.undefined, left_out)


def _histories(module: InstanceModule, events: Sequence[Event]) -> tuple[list[list[Moment]], int]:
    """Returns the content of each history, in the order of time, and how many events belong to none."""
    recognizer = Recognizer(module)
    number = left_out = 0
    histories: dict[Key, list[Moment]] = {}
    for time, together in groupby(sorted(events, key=lambda event: event.end), key=lambda event: event.end):
        several = [occurrence(event) for event in together]
        by_key: dict[Key, list[Arrival]] = {}
        for key, arrival in recognizer.arrivals(several, number):
            by_key.setdefault(key, []).append(arrival)
        number += len(several)
        left_out += len(by_key.pop(NO_HISTORY, ()))
        for key, arrivals in by_key.items():
            histories.setdefault(key, []).append(_moment(module, arrivals, time))
    return list(histories.values()), left_out


def _moment(module: InstanceModule, arrivals: Sequence[Arrival], time: Time) -> Moment:
    """Returns the stages of one time; ticks come with the events that have no position."""
    placed = [each for each in arrivals if _has_place(module, each)]
    others = [each for each in arrivals if not _has_place(module, each)]
    stages, rest = ([_instances(stage) for stage in cut(some, module.granularity)] for some in (placed, others))
    return Moment(time, tuple(stages), rest[0] if rest else ())


def _has_place(module: InstanceModule, arrival: Arrival) -> bool:
    match module.granularity:
        case "operation":
            return arrival.position is not None
        case "transaction":
            return arrival.transaction is not None
        case "time":
            return False


def _instances(stage: Stage) -> tuple[Instance, ...]:
    return tuple(primitive(predicate, one) for predicate, several in stage.items() for (one,) in several)
