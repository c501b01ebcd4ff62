"""The operators of a stream against the reference, on random programs, cut into random micro-batches, without Spark.

What Spark itself does is played by `streaming_runs`; `test_spark_streaming` has the real one, on fewer programs. Events
come in disorder within the delay. The stream ends with an event that no rule queries, late enough that everything else
is decided.
"""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import strategies as st

from module_runs import rule_operators, run_by_definition

pytest.importorskip("pyspark")

from cera.engines.spark.division.operators import Operator
from cera.engines.spark.division.routing import Router
from cera.model.events.event import Event
from cera.model.events.occurrence import occurrence
from cera.model.terms.json_terms import term_to_json
from cera.testing import SECOND, event
from properties.generator import FEATURES, Case, cases
from properties.holding import holds_for
from properties.local_runs import DELAYS, disordered
from properties.streaming_runs import MicroBatches, random_cuts
from properties.theories import rules_of

CASES = cases(FEATURES - {"recursion"})
CHANCE = st.randoms(use_true_random=False)

#: An event at which all of a random stream is decided.
LAST = event("the-end", 120)


def expected(case: Case, events: list[Event], until: int) -> dict[str, tuple[str, str, dict[str, str]]]:
    answer = run_by_definition(rules_of(case), events, until=until)
    return {
        one.event.id: (
            json.dumps(term_to_json(one.event.term)),
            one.derivations[0].rule,
            {name: cause.id for name, cause in one.derivations[0].causes.items()},
        )
        for one in answer.derived
    }


def found(stream: MicroBatches) -> dict[str, tuple[str, str, dict[str, str]]]:
    """The derived events; of one that several parts derived in a batch the first derivation."""
    first = {}
    for result in sorted(stream.by_kind.derived, key=lambda result: result.key, reverse=True):
        first[result.id] = (json.dumps(json.loads(result.term)), result.rule, json.loads(result.causes))
    return first


def divided(case: Case, buckets: int, events: list[Event]) -> tuple[Operator, ...]:
    longest = max((each.end - each.begin for each in events), default=0)
    return rule_operators(rules_of(case), max_duration=longest, buckets=buckets)


@holds_for(st.tuples(CASES, CHANCE), short=75, long=3_000)
def test_a_stream_in_random_micro_batches_derives_what_the_reference_does(drawn: tuple[Case, random.Random]) -> None:
    case, chance = drawn
    delay = chance.choice(DELAYS)
    events = disordered(case.events, delay, chance)
    stream = MicroBatches(divided(case, chance.choice((1, 2, 7)), events), delay)
    batches = random_cuts(events, chance)
    # a batch may hold everything, and then none of it is late
    for batch in [*batches, [LAST], []]:
        stream.batch(batch)
    assert not stream.by_kind.late
    rejected = {record.place.removeprefix("event ") for record in stream.by_kind.rejected}
    kept = [each for each in events if each.id not in rejected]
    assert found(stream) == expected(case, [*kept, LAST], stream.watermark * 1000 - 1)


@holds_for(st.tuples(CASES, CHANCE), short=60, long=1_000)
def test_late_events_are_told_once_and_change_nothing(drawn: tuple[Case, random.Random]) -> None:
    case, chance = drawn
    delay = 2 * SECOND
    order = disordered(case.events, 20 * SECOND, chance)
    stream = MicroBatches(divided(case, 3, order), delay)
    accepted: list[Event] = []
    late: list[Event] = []
    for each in order:  # a batch each: lateness is what it is event by event
        (accepted if stream.latest is None or each.end >= stream.latest - delay else late).append(each)
        stream.batch([each])
    for batch in ([LAST], []):
        stream.batch(batch)
    rejected = {record.place.removeprefix("event ") for record in stream.by_kind.rejected}
    router = Router(stream.operators)
    queried = [each for each in late if each.id not in rejected and router.destinations(occurrence(each))]
    times = sorted((one.event.begin, one.event.end) for one in stream.by_kind.late)
    assert times == sorted((each.begin, each.end) for each in queried)
    kept = [each for each in accepted if each.id not in rejected]
    assert found(stream) == expected(case, [*kept, LAST], stream.watermark * 1000 - 1)
