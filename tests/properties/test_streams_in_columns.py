"""Operators in columns against the reference, on random flat programs, cut into random micro-batches, without Spark.

Each micro-batch loads the state that the one before it has saved, as bytes. Events come in disorder within the delay,
packed one by one or as tables of Arrow, and some do not fit into columns, so that their bucket goes on event by event.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

pytest.importorskip("pyspark")

from cera.engines.columns import readings
from cera.engines.spark.division.operators import Operator, operators
from cera.engines.spark.division.operators_in_columns import in_columns
from cera.engines.spark.division.routing import Router
from cera.engines.spark.streaming.messages.stage_results import ResultsByKind
from cera.model.events.event import Event
from cera.model.events.occurrence import occurrence
from cera.model.terms.json_terms import term_text
from cera.program import load
from cera.testing import SECOND, event
from hypothesis_profiles import examples
from module_runs import run_by_definition
from properties.flat_programs import FlatCase, chained_case, choosing_case, flat_case
from properties.local_runs import DELAYS, disordered
from properties.streaming_runs import MicroBatches, random_cuts

#: An event at which all of a random stream is decided.
LAST = event("the-end", 400)

Answers = dict[str, tuple[str, str, int, int]]


def derived(found: ResultsByKind) -> Answers:
    first: Answers = {}
    for result in sorted(found.derived, key=lambda result: result.key, reverse=True):
        first[result.id] = (result.term, f"{result.rule} {result.causes}", result.begin, result.end)
    return first


def expected(program_text: str, events: list[Event], until: int) -> Answers:
    answer = run_by_definition(load(program_text).checked(), events, until=until)
    found: Answers = {}
    for one in answer.derived:
        way = one.derivations[0]
        causes = json.dumps({name: cause.id for name, cause in way.causes.items()}, ensure_ascii=False)
        found[one.event.id] = (term_text(one.event.term), f"{way.rule} {causes}", one.event.begin, one.event.end)
    return found


def divided(case: FlatCase, buckets: int) -> tuple[Operator, ...]:
    longest = max((each.end - each.begin for each in case.events), default=0)
    return operators(load(case.text).layers, max_duration=longest, buckets=buckets)


def switched(made: tuple[Operator, ...], chance: random.Random) -> tuple[Operator, ...]:
    """The operators as another start of the stream may have them: with columns, or with columns turned off."""
    return tuple(replace(each, in_columns=False) for each in made) if chance.random() < 0.2 else made


def streamed(made: tuple[Operator, ...], batches: list[list[Event]], delay: int, chance: random.Random) -> MicroBatches:
    """A stream that is started again before each micro-batch."""
    stream = MicroBatches(made, delay, tables=chance.random() < 0.5)
    switching = chance.random() < 0.2
    for batch in [*batches, [LAST], []]:
        stream.operators = switched(made, chance) if switching else made
        stream.batch(batch)
    return stream


def accepted(stream: MicroBatches, events: list[Event]) -> list[Event]:
    """The events that belong to one bucket, and the last one."""
    rejected = {record.place.removeprefix("event ") for record in stream.by_kind.rejected}
    return [*(each for each in events if each.id not in rejected), LAST]


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(flat_case, id="flat"),
        pytest.param(chained_case, id="chained"),
        pytest.param(choosing_case, id="choosing"),
    ],
)
@pytest.mark.parametrize(
    "tried", [pytest.param(examples(40), id="short"), pytest.param(3_000, id="long", marks=pytest.mark.long)]
)
def test_a_stream_in_columns_derives_what_the_reference_does(
    tried: int, make: Callable[[int], FlatCase], monkeypatch: pytest.MonkeyPatch
) -> None:
    ways: Counter[str] = Counter()
    for seed in range(tried):
        chance = random.Random(seed)
        monkeypatch.setattr(readings, "LOOKED_AT_FROM", 1_000 if seed % 3 == 0 else 1)
        case = make(seed)
        made = in_columns(divided(case, chance.choice((1, 2, 7))))
        ways.update("columns" if operator.in_columns else "events" for operator in made)
        delay = chance.choice(DELAYS)
        events = disordered(case.events, delay, chance)
        stream = streamed(made, random_cuts(events, chance), delay, chance)
        assert not stream.by_kind.late
        until = stream.watermark * 1000 - 1
        assert derived(stream.by_kind) == expected(case.text, accepted(stream, events), until), f"seed {seed}"
    assert tried < 10 or ways["columns"] >= tried // 3, ways


@pytest.mark.parametrize(
    "tried", [pytest.param(examples(30), id="short"), pytest.param(1_000, id="long", marks=pytest.mark.long)]
)
def test_late_events_are_reported_once_and_change_nothing(tried: int) -> None:
    for seed in range(tried):
        chance = random.Random(seed)
        case, delay = flat_case(seed), 2 * SECOND
        made = in_columns(divided(case, 3))
        order = disordered(case.events, 20 * SECOND, chance)
        taken: list[Event] = []
        late: list[Event] = []
        for each in order:  # a batch each: lateness is what it is event by event
            latest = max((one.end for one in (*taken, *late)), default=None)
            (taken if latest is None or each.end >= latest - delay else late).append(each)
        stream = streamed(made, [[each] for each in order], delay, chance)
        router = Router(made)
        known = accepted(stream, late)[:-1]
        queried = [each for each in known if router.destinations(occurrence(each))]
        found = sorted((one.event.label, one.event.occurrence.id) for one in stream.by_kind.late)
        assert found == sorted((each.label, each.id) for each in queried), f"seed {seed}"
        until = stream.watermark * 1000 - 1
        assert derived(stream.by_kind) == expected(case.text, accepted(stream, taken), until), f"seed {seed}"


@pytest.mark.parametrize(
    "tried", [pytest.param(examples(20), id="short"), pytest.param(500, id="long", marks=pytest.mark.long)]
)
def test_expressions_without_a_value_are_counted_as_event_by_event(tried: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readings, "LOOKED_AT_FROM", 1)
    for seed in range(tried):
        case = choosing_case(seed) if seed % 2 else flat_case(seed)
        made = divided(case, 2)
        counted = []
        for operators_ in (made, in_columns(made)):
            chance = random.Random(seed)
            events = disordered(case.events, SECOND, chance)
            batches = random_cuts(events, chance)
            stream = MicroBatches(operators_, SECOND)
            for batch in [*batches, [LAST], []]:
                stream.batch(batch)
            counted.append(sum(report.undefined for report in stream.by_kind.states))
        assert counted[0] == counted[1], f"seed {seed}"
