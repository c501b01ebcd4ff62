"""Modules on streams against the local engine, cut into random micro-batches, without Spark.

Random modules lie between rules of XChangeEQ. Events come in disorder within the delay; the stream ends with an event
that nothing reads, late enough that everything else is decided.
"""

from __future__ import annotations

import json
from random import Random

import pytest

pytest.importorskip("pyspark")

from cera.engines.spark.division.operators import operators
from cera.engines.spark.streaming.state.kernel import Kernel
from cera.model.events.event import Event
from cera.model.terms.json_terms import term_to_json
from cera.modules.module import Settings
from cera.program import Program, load
from cera.testing import event
from hypothesis_profiles import examples
from properties.epl_modules import random_program, random_stream
from properties.local_runs import DELAYS, disordered
from properties.streaming_runs import MicroBatches, random_cuts

LAST = event("the-end", 1_000)

Told = dict[str, tuple[str, str, dict[str, str]]]


def expected(program: Program, events: list[Event], until: int, longest: int) -> tuple[Told, int]:
    answer = program.run(events, engine="local", until=until, max_duration=longest)
    told = {
        one.event.id: (
            json.dumps(term_to_json(one.event.term)),
            one.derivations[0].rule,
            {name: cause.id for name, cause in one.derivations[0].causes.items()},
        )
        for one in answer.derived
    }
    return told, answer.left_out


def found(stream: MicroBatches) -> Told:
    first = {}
    for result in sorted(stream.by_kind.derived, key=lambda result: result.key, reverse=True):
        first[result.id] = (json.dumps(json.loads(result.term)), result.rule, json.loads(result.causes))
    return first


def compare(seed: int) -> int:
    random = Random(seed)
    return compare_stream(random_program(random, 4), random_stream(random, random.randrange(5, 40)), random, seed)


def compare_stream(program: Program, in_order: list[Event], random: Random, seed: int) -> int:
    """How many events a program derives, in random micro-batches the same as the local engine."""
    delay = random.choice(DELAYS)
    events = disordered(in_order, delay, random)
    longest = max(each.end - each.begin for each in events)
    made = operators(program.layers, max_duration=longest, buckets=random.choice((1, 2, 7)))
    stream = MicroBatches(made, delay)
    for batch in [*random_cuts(events, random), [LAST], []]:
        stream.batch(batch)
    assert not stream.by_kind.late
    assert not stream.by_kind.rejected
    answers, left_out = expected(program, [*events, LAST], stream.watermark * 1000 - 1, longest)
    assert found(stream) == answers, f"seed {seed}"
    assert sum(state.without_key for state in stream.by_kind.states) == left_out, f"seed {seed}"
    return len(answers)


def test_modules_in_random_micro_batches_detect_what_the_local_engine_does() -> None:
    assert sum(map(compare, range(examples(40)))) > examples(600)


@pytest.mark.long
def test_many_modules_in_random_micro_batches_detect_what_the_local_engine_does() -> None:
    assert sum(map(compare, range(1_000, 3_000))) > 30_000


def test_histories_that_have_come_to_rest_are_not_kept() -> None:
    """What (A, B) waits for is over with each B, whatever it is."""
    program = load("begin M monitor A, B; partition by k; R: (A(X), B(Y, Y.v = 1)) as found(k: X.k). end.")
    stream = MicroBatches(operators(program.layers, buckets=1), 0)
    for number in range(50):
        stream.batch(
            [event(f"A{{k{{{number}}}}}", number), event(f"B{{k{{{number - 1}}}, v{{{number % 2}}}}}", number)]
        )
    [store] = stream.stores.values()
    [(data,)] = store.values.values()
    [module] = program.layers.modules
    kept = Kernel(module.processor(Settings())).load(data)
    assert len(kept.state.histories) == 1
    assert len(stream.by_kind.derived) == 24
