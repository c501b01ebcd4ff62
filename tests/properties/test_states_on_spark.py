"""Programs with states on Spark: over recordings, and over streams in random micro-batches, against the reference."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import strategies as st

from cera.model.events.states import names_end
from module_runs import run_by_definition

pytest.importorskip("pyspark")

from module_runs import run_on_spark
from properties.generator import FEATURES, Case, cases, seeded_case
from properties.holding import holds_for
from properties.local_runs import DELAYS, disordered
from properties.state_arrivals import as_it_happens
from properties.streaming_runs import MicroBatches, random_cuts
from properties.test_spark import derivations
from properties.test_streaming_layers import LAST, divided, expected, found
from properties.theories import rules_of

ACCEPTED = FEATURES - {"recursion"}

#: Programs in one test.
PART = 10


@holds_for(
    st.tuples(cases(ACCEPTED, with_states=True), st.randoms(use_true_random=False)),
    short=75,
    long=3_000,
)
def test_a_stream_with_states_derives_what_the_reference_does(drawn: tuple[Case, random.Random]) -> None:
    case, chance = drawn
    delay = chance.choice(DELAYS)
    events = disordered(case.events, delay, chance)
    stream = MicroBatches(divided(case, chance.choice((1, 2, 7)), events), delay)
    for batch in [*random_cuts(events, chance), [LAST], []]:
        stream.batch(batch)
    assert not stream.by_kind.late
    rejected = {record.place.removeprefix("event ") for record in stream.by_kind.rejected}
    kept = [each for each in events if each.id not in rejected]
    assert found(stream) == expected(case, [*kept, LAST], stream.watermark * 1000 - 1)


@holds_for(
    st.tuples(cases(ACCEPTED, with_states=True), st.randoms(use_true_random=False)),
    short=75,
    long=3_000,
)
def test_states_of_a_stream_may_be_closed_when_they_end(drawn: tuple[Case, random.Random]) -> None:
    case, chance = drawn
    delay = chance.choice(DELAYS)
    events = as_it_happens(case.events, delay, chance)
    stream = MicroBatches(divided(case, chance.choice((1, 2, 7)), events), delay)
    for batch in [*random_cuts(events, chance), [LAST], []]:
        stream.batch(batch)
    assert all(names_end(late.event.label, late.event.qualifier) for late in stream.by_kind.late)
    assert not any(report.repaired for report in stream.by_kind.states)
    rejected = {record.place.removeprefix("event ") for record in stream.by_kind.rejected}
    kept = [each for each in events if each.id not in rejected]
    assert found(stream) == expected(case, [*kept, LAST], stream.watermark * 1000 - 1)


def compared(seed: int) -> int:
    """The number of answers of a random program with states on which Spark and the reference agree."""
    case = seeded_case(seed, ACCEPTED, with_states=True)
    program = rules_of(case)
    answers = run_by_definition(program, case.events).derived
    assert derivations(run_on_spark(program, case.events).derived) == derivations(answers), f"seed {seed}{case}"
    return len(answers)


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.long) for part in range(1, 60))])
@pytest.mark.usefixtures("spark")
def test_spark_agrees_with_the_reference_on_programs_with_states(part: int) -> None:
    with ThreadPoolExecutor(2) as pool:
        assert sum(pool.map(compared, range(part * PART, (part + 1) * PART))) > 0
