"""Ways to run a case on the local engine that must not change its answers.

A run feeds the events in some order, cuts the stream by advancing time, writes the state out and goes on from what was
written, gives the content of events as JSON or as terms, drops what is no longer relevant or keeps it, and follows a
plan that some passes of the optimizer have rewritten.
"""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from cera.algebra.operators import AntiSemiJoin, Join, TemporalJoin
from cera.algebra.relevance import Relevance
from cera.algebra.translation import translate
from cera.engines.local.compiler import compile_plan
from cera.engines.local.derived import RuleDetection
from cera.engines.local.processor import RuleProcessor
from cera.model.events.event import DerivedEvent, Event, in_output_order
from cera.model.events.occurrence import Occurrence, json_occurrence, occurrence
from cera.model.events.relation_rows import NO_RELATIONS, RelationRows
from cera.model.events.states import is_internal
from cera.model.terms.json_terms import loads, term_to_json
from cera.modules.driving import Driver
from cera.optimizer.driver import PASSES, optimize
from cera.rules.early_states import with_waiting_answers
from cera.rules.rule import RuleProgram
from cera.testing import SECOND

ALL_PASSES = frozenset(each.name for each in PASSES)

DELAYS = tuple(seconds * SECOND for seconds in (0, 1, 3, 10, 40))


class EverythingIsRelevant(Relevance):
    """Nothing is ever dropped."""

    def join_horizons(self, join: Join) -> tuple[int | None, int | None]:
        return None, None

    def window_horizon(self, operator: TemporalJoin | AntiSemiJoin) -> int | None:
        return None


def processor_of(
    program: RuleProgram,
    events: Iterable[Event],
    *,
    dropping: bool = True,
    without: Collection[str] = ALL_PASSES,
    relations: Mapping[str, RelationRows] = NO_RELATIONS,
) -> RuleProcessor:
    """The compiled program; the longest event is what the source is said to promise."""
    longest = max((event.end - event.begin for event in events), default=0)
    processor = RuleProcessor(
        optimize(translate(with_waiting_answers(program)), without, program.rates),
        max_duration=longest,
        relations=relations,
    )
    if not dropping:
        relevance = EverythingIsRelevant(processor.plan)
        processor.network = compile_plan(processor.plan, relevance, processor.evaluator, relations=relations)
    return processor


def from_json(event: Event) -> Occurrence:
    """The event as a connector hands it over: with the JSON of its children, read from a text."""
    content = loads(json.dumps(term_to_json(event.term)[event.label]))
    return json_occurrence(event.begin, event.end, event.label, content, event.qualifier)


@dataclass
class Variation:
    """How a run differs from the plain one."""

    chance: random.Random
    max_delay: int = 0
    cutting: bool = False
    restarting: bool = False
    reading_json: bool = False
    dropping: bool = True
    without: Collection[str] = ALL_PASSES
    late: list[Event] = field(default_factory=list)
    relations: Mapping[str, RelationRows] = field(default_factory=dict)
    peak: int = 0

    def answers(self, program: RuleProgram, events: Sequence[Event]) -> list[DerivedEvent]:
        """The answers over the events in the order given."""
        host = self._host(program, events)
        derived: list[RuleDetection] = []
        for at, event in enumerate(events):
            if self.restarting and self.chance.random() < 0.3:
                snapshot = host.snapshot()
                host = self._host(program, events)
                host.resume(snapshot)
            if self.cutting and self.chance.random() < 0.3:
                before_the_rest = min(later.end for later in events[at:]) - 1
                derived += host.advance_to(before_the_rest - self.chance.choice((0, 0, 1, SECOND)))
            derived += host.push([from_json(event) if self.reading_json else occurrence(event)])
            self.peak = max(self.peak, host.counts.in_state)
        derived += host.close()
        return in_output_order(one.result() for one in derived if not is_internal(one.label))

    def _host(self, program: RuleProgram, events: Sequence[Event]) -> Driver:
        rows = self.relations
        processor = processor_of(program, events, dropping=self.dropping, without=self.without, relations=rows)
        return Driver(processor, self.max_delay, lambda occurrence: self.late.append(occurrence.event))


def some_variation(chance: random.Random) -> Variation:
    flags = [chance.random() < 0.5 for _ in range(4)]
    without = [name for name in sorted(ALL_PASSES) if chance.random() < 0.3]
    return Variation(chance, chance.choice(DELAYS), *flags, without)


def in_order(events: Iterable[Event]) -> list[Event]:
    """As a stream without delays brings them; simultaneous ones stay in the order they have."""
    return sorted(events, key=lambda event: event.end)


def disordered(events: Sequence[Event], max_delay: int, chance: random.Random) -> list[Event]:
    """The events as a stream may bring them in which none is delayed longer than allowed."""
    delayed = [(event.end + chance.randint(0, max_delay), chance.random(), event) for event in events]
    return [event for _, _, event in sorted(delayed, key=lambda item: item[:2])]


def in_time(events: Sequence[Event], max_delay: int) -> tuple[list[Event], list[Event]]:
    """The events that are in time, and those that come later than allowed behind the latest before them."""
    accepted: list[Event] = []
    late: list[Event] = []
    for event in events:
        latest = max((known.end for known in accepted), default=event.end)
        (accepted if event.end >= latest - max_delay else late).append(event)
    return accepted, late


def differences(found: Sequence[DerivedEvent], expected: Sequence[DerivedEvent]) -> str:
    """What is missing and what is too much, derivations included; empty if there is no difference."""
    lines = [f"missing     {show(one)}" for one in expected if one not in found]
    lines += [f"unexpected  {show(one)}" for one in found if one not in expected]
    return "\n".join(lines) or ("" if list(found) == list(expected) else "the same events in another order")


def show(derived: DerivedEvent) -> str:
    ways = [
        f"{way.rule}({', '.join(f'{name}={event}' for name, event in sorted(way.causes.items()))})"
        + (f" of {', '.join(map(str, way.collected))}" if way.collected else "")
        for way in derived.derivations
    ]
    return f"{derived.event} {derived.recipient or ''} by {'; '.join(ways)}"
