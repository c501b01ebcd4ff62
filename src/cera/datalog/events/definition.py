"""A module over a whole recording, by the evaluator of whole histories: slow on purpose."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from cera.datalog.events.detections import Heads
from cera.datalog.history import HistoryStage, evaluate
from cera.datalog.modules import EventModule
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.event import Event, in_output_order
from cera.model.events.occurrence import occurrence
from cera.model.time.interval import Interval, Time
from cera.modules.answers.answer import Answer
from cera.modules.arrivals import NO_HISTORY, Arrival, Key, Recognizer
from cera.modules.stages import cut


@dataclass(frozen=True)
class HistoryDefinition:
    """The meaning of a Datalog_1S program over events."""

    module: EventModule
    timezone: str = "UTC"

    def answer(self, events: Sequence[Event], extent: Interval | None = None) -> Answer:
        return _answer(self.module, events, self.timezone)


def _answer(module: EventModule, events: Iterable[Event], timezone: str) -> Answer:
    evaluator = Evaluator((), timezone)
    found = []
    histories, left_out = _histories(module, events)
    for stages in histories:
        facts = evaluate(module.program, stages, evaluator=evaluator)[1:]
        for now, together in groupby(zip(stages, facts, strict=True), key=lambda pair: pair[0].time):
            assert now is not None
            found.append((now, [at for _, at in together]))
    heads = Heads(module, evaluator)
    times = sorted({now for now, _ in found})
    together_at = {time: [at for now, several in found if now == time for at in several] for time in times}
    derived = [each for time in times for each in heads.detections(together_at[time], time)]
    return Answer(tuple(in_output_order(each.result() for each in derived)), evaluator.undefined, left_out)


def _histories(module: EventModule, events: Iterable[Event]) -> tuple[list[list[HistoryStage]], int]:
    """Returns the stages of each history, in the order of time, and how many events belong to none."""
    ordered = sorted(dict.fromkeys(events), key=lambda event: event.end)
    recognizer = Recognizer(module)
    number = left_out = 0
    histories: dict[Key, list[HistoryStage]] = {}
    for time, together in groupby(ordered, key=lambda event: event.end):
        several = [occurrence(event) for event in together]
        by_key: dict[Key, list[Arrival]] = {}
        for key, arrival in recognizer.arrivals(several, number):
            by_key.setdefault(key, []).append(arrival)
        number += len(several)
        left_out += len(by_key.pop(NO_HISTORY, ()))
        for key, arrivals in by_key.items():
            histories.setdefault(key, []).extend(_stages(module, arrivals, time))
    return list(histories.values()), left_out


def _stages(module: EventModule, arrivals: list[Arrival], time: Time) -> list[HistoryStage]:
    return [HistoryStage(dict(stage), time) for stage in cut(arrivals, module.granularity)]
