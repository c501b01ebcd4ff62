"""Random constraints on streams: cut into random micro-batches, in disorder, what the definition says up to then."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("pyspark")

from cera.engines.reference.engine import run
from cera.engines.spark.division.operators import operators
from cera.modules.module import Settings
from cera.testing import SECOND, event
from conformance.violations import first_shown, result_shown
from hypothesis_profiles import examples
from module_runs import side_by_side
from properties.constraint_cases import ROWS, events_of, longest, random_module, random_stream
from properties.local_runs import DELAYS, disordered
from properties.streaming_runs import MicroBatches, random_cuts


def compare(seed: int) -> int:
    """How many violations are found, in random micro-batches the same as by definition."""
    choose = random.Random(seed)
    text, module = random_module(choose)
    events = sorted(events_of(random_stream(choose), choose), key=lambda each: each.end)
    delay = choose.choice(DELAYS)
    layers = side_by_side(module)
    promised = longest(events) if seed % 2 else None
    buckets = choose.choice((1, 2, 7))
    stream = MicroBatches(operators(layers, relations=ROWS, buckets=buckets, max_duration=promised), delay)
    last = event("the-end", (events[-1].end + delay) / SECOND + choose.choice((1, 2.5, 7)))
    for batch in [*random_cuts(disordered(events, delay, choose), choose), [last], []]:
        stream.batch(batch)
    until = stream.watermark * 1000 - 1
    answer = run(layers, [*events, last], Settings(relations=ROWS, until=until))
    # at the end of a recording all of time is judged, and a stream has none
    expected = {each for each in first_shown(answer.derived) if each[0] < until}
    found = {each for each in map(result_shown, stream.by_kind.derived) if each[0] < until}
    given = "\n".join([text, *(f"{e.begin / SECOND} {e.end / SECOND} {e.term}" for e in events)])
    assert found == expected, f"seed {seed}\n{given}"
    return len(expected)


@pytest.mark.parametrize(
    "constraints", [pytest.param(examples(200), id="short"), pytest.param(3_000, id="long", marks=pytest.mark.long)]
)
def test_constraints_in_random_micro_batches_find_what_the_definition_does(constraints: int) -> None:
    assert sum(map(compare, range(constraints))) > constraints / 10
