"""StreamLog on Spark: over recordings, and over streams in random micro-batches, against the reference."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from module_runs import rule_operators, run_by_definition

pytest.importorskip("pyspark")

from cera.model.terms.json_terms import term_to_json
from hypothesis_profiles import examples
from module_runs import run_on_spark
from properties.generator.streamlog import streamlog_case
from properties.local_runs import DELAYS, disordered
from properties.streaming_runs import MicroBatches, random_cuts
from properties.test_spark import derivations
from properties.test_streaming_layers import LAST, found
from properties.test_streamlog import rules_of

#: Programs in one test.
PART = 5


@pytest.mark.parametrize(
    "programs", [pytest.param(examples(150), id="short"), pytest.param(4_000, id="long", marks=pytest.mark.long)]
)
def test_a_stream_in_random_micro_batches_derives_what_the_reference_does_for_streamlog(programs: int) -> None:
    for seed in range(programs):
        case = streamlog_case(seed)
        program = rules_of(case)
        if program is None:
            continue
        chance = random.Random(seed)
        delay = chance.choice(DELAYS)
        events = disordered(case.events, delay, chance)
        longest = max((each.end - each.begin for each in events), default=0)
        buckets = chance.choice((1, 2, 7))
        operators = rule_operators(program, max_duration=longest, buckets=buckets, relations=case.relations)
        stream = MicroBatches(operators, delay)
        for batch in [*random_cuts(events, chance), [LAST], []]:
            stream.batch(batch)
        assert not stream.by_kind.late
        rejected = {record.place.removeprefix("event ") for record in stream.by_kind.rejected}
        kept = [each for each in events if each.id not in rejected]
        until = stream.watermark * 1000 - 1
        answer = run_by_definition(program, [*kept, LAST], until=until, relations=case.relations)
        expected = {
            one.event.id: (
                json.dumps(term_to_json(one.event.term)),
                one.derivations[0].rule,
                {name: cause.id for name, cause in one.derivations[0].causes.items()},
            )
            for one in answer.derived
        }
        assert found(stream) == expected, f"seed {seed}{case}"


def compared(seed: int) -> int:
    """Returns the number of answers on which Spark and the reference agree."""
    case = streamlog_case(seed)
    program = rules_of(case)
    if program is None:
        return 0
    expected = run_by_definition(program, case.events, relations=case.relations).derived
    actual = run_on_spark(program, case.events, relations=case.relations).derived
    assert derivations(actual) == derivations(expected), f"seed {seed}{case}"
    return len(expected)


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.long) for part in range(1, 120))])
@pytest.mark.usefixtures("spark")
def test_spark_agrees_with_the_reference_on_streamlog(part: int) -> None:
    with ThreadPoolExecutor(2) as pool:
        answers = sum(pool.map(compared, range(part * PART, (part + 1) * PART)))
    assert answers or part  # some parts of the long run are silent
