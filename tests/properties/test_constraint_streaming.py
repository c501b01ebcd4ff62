"""Random constraints on streams: cut into random micro-batches, in disorder, what the definition says up to then."""

from __future__ import annotations

import json
import random

import pytest

pytest.importorskip("pyspark")

from cera.engines.reference.engine import run
from cera.engines.spark.division.operators import operators
from cera.modules.module import Settings
from cera.testing import SECOND, event
from hypothesis_profiles import examples
from module_runs import side_by_side
from properties.constraint_cases import ROWS, events_of, random_module, random_stream
from properties.local_runs import DELAYS, disordered
from properties.streaming_runs import MicroBatches, random_cuts


def compare(seed: int) -> int:
    """How many violations are found, in random micro-batches the same as by definition."""
    choose = random.Random(seed)
    text, module = random_module(choose)
    events = sorted(events_of(random_stream(choose), choose), key=lambda each: each.end)
    delay = choose.choice(DELAYS)
    layers = side_by_side(module)
    stream = MicroBatches(operators(layers, relations=ROWS, buckets=choose.choice((1, 2, 7))), delay)
    last = event("the-end", (events[-1].end + delay) / SECOND + choose.choice((1, 2.5, 7)))
    for batch in [*random_cuts(disordered(events, delay, choose), choose), [last], []]:
        stream.batch(batch)
    until = stream.watermark * 1000 - 1
    answer = run(layers, [*events, last], Settings(relations=ROWS, until=until))
    expected = {
        (one.event.id, one.event.label, one.event.end, *sorted((n, c.id) for n, c in way.causes.items()))
        for one in answer.derived
        for way in one.derivations
        if one.event.end < until  # at the end of a recording all of time is judged, and a stream has none
    }
    found = {(r.id, r.label, r.end, *sorted(json.loads(r.causes).items())) for r in stream.by_kind.derived}
    given = "\n".join([text, *(f"{e.begin / SECOND} {e.end / SECOND} {e.term}" for e in events)])
    assert {each for each in found if each[2] < until} == expected, f"seed {seed}\n{given}"
    return len(expected)


@pytest.mark.parametrize(
    "constraints", [pytest.param(examples(200), id="short"), pytest.param(3_000, id="long", marks=pytest.mark.long)]
)
def test_constraints_in_random_micro_batches_find_what_the_definition_does(constraints: int) -> None:
    assert sum(map(compare, range(constraints))) > constraints / 10
