"""Random automata on streams: cut into random micro-batches, in disorder, against the local engine."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("pyspark")

from cera.engines.spark.division.operators import operators
from cera.errors import MatchLimitError
from cera.modules.layering import layered
from cera.testing import SECOND, event
from hypothesis_profiles import examples
from module_runs import run_layers
from properties.local_runs import DELAYS, disordered
from properties.streaming_runs import MicroBatches, random_cuts
from properties.test_automata import case


def compare(seed: int) -> int:
    """How much an automaton reports, in random micro-batches the same as the local engine."""
    module, events, chance = case(seed)
    events.sort(key=lambda each: each.end)
    delay = chance.choice(DELAYS)
    layers, _ = layered([module, *module.uniqueness])
    stream = MicroBatches(operators(layers, buckets=chance.choice((1, 2, 7))), delay)
    last = event("the-end", (events[-1].end + delay) / SECOND + chance.choice((1, 2.5, 7)))
    try:
        for batch in [*random_cuts(disordered(events, delay, chance), chance), [last], []]:
            stream.batch(batch)
        answer = run_layers(layers, [*events, last], "local", until=stream.watermark * 1000 - 1, changes=True)
    except MatchLimitError:
        return 0
    expected = {
        (one.event.id, one.event.label, one.event.end, *sorted((n, c.id) for n, c in way.causes.items()))
        for one in answer.derived
        for way in one.derivations
    }
    found = {(r.id, r.label, r.end, *sorted(json.loads(r.causes).items())) for r in stream.by_kind.derived}
    # what several instances report alike is one event, of which a stream writes the first derivation
    assert found <= expected, f"seed {seed}"
    assert {each[:3] for each in found} == {each[:3] for each in expected}, f"seed {seed}"
    return len(answer.derived)


@pytest.mark.parametrize(
    "automata", [pytest.param(examples(150), id="short"), pytest.param(3_000, id="long", marks=pytest.mark.long)]
)
def test_automata_in_random_micro_batches_report_what_the_local_engine_does(automata: int) -> None:
    assert sum(map(compare, range(automata))) > automata
