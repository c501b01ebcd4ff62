"""Modules on streams against the local engine, cut into random micro-batches, without Spark.

Random modules lie between rules of XChangeEQ. Events come in disorder within the delay; the stream ends with an event
that nothing reads, late enough that everything else is decided.
"""

from __future__ import annotations

import json
from random import Random

import pytest

pytest.importorskip("pyspark")

from cera.engines.spark.streaming.module_operators import layered_operators
from cera.model.json_terms import term_to_json
from cera.pipeline import Program
from cera.testing import SECOND, event
from properties.epl_modules import random_program, random_stream
from properties.local_runs import DELAYS, disordered
from properties.streaming_runs import MicroBatches, random_cuts

LAST = event("the-end", 1_000)

Told = dict[str, tuple[str, str, dict[str, str]]]


def expected(program: Program, events: list, until: int) -> Told:  # type: ignore[type-arg]
    return {
        one.event.id: (
            json.dumps(term_to_json(one.event.term)),
            one.derivations[0].rule,
            {name: cause.id for name, cause in one.derivations[0].causes.items()},
        )
        for one in program.run(events, engine="local", until=until).derived
    }


def found(stream: MicroBatches) -> Told:
    first = {}
    for result in sorted(stream.of_kind("derived"), key=lambda result: result[-1], reverse=True):
        first[result[1]] = (json.dumps(json.loads(result[5])), result[6], json.loads(result[7]))
    return first


def compare(seed: int) -> int:
    random = Random(seed)
    program = random_program(random, 4)
    delay = random.choice(DELAYS)
    events = disordered(random_stream(random, random.randrange(5, 40)), delay, random)
    stream = MicroBatches(layered_operators(program.layers, buckets=random.choice((1, 2, 7))), delay)
    for batch in [*random_cuts(events, random), [LAST], []]:
        stream.batch(batch)
    assert not stream.of_kind("late")
    assert not stream.of_kind("rejected")
    answers = expected(program, [*events, LAST], stream.watermark * 1000 - 1)
    assert found(stream) == answers, f"seed {seed}"
    return len(answers)


def test_modules_in_random_micro_batches_detect_what_the_local_engine_does() -> None:
    assert sum(map(compare, range(60))) > 1_000


@pytest.mark.long
def test_many_modules_in_random_micro_batches_detect_what_the_local_engine_does() -> None:
    assert sum(map(compare, range(1_000, 3_000))) > 30_000


def test_a_history_that_has_come_to_rest_is_forgotten() -> None:
    text = "begin M monitor A, B; partition by k; R: [A(X), B(Y)] within 5 sec as found(k: X.k). end."
    from cera.pipeline import load

    stream = MicroBatches(layered_operators(load(text).layers, buckets=1), 0)
    for second in range(100):
        stream.batch([event("A", second, k=second)])
    [store] = stream.stores.values()
    [(data,)] = store.values.values()
    early = len(data)
    for second in range(100, 300):
        stream.batch([event("A", second, k=second)])
    [(data,)] = store.values.values()
    assert len(data) < 2 * early
    assert SECOND == 1_000_000
