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

from cera.diagnostics import Source
from cera.engines.spark.division.operators import Operator, operators
from cera.engines.spark.division.routing import Router
from cera.errors import RecursionLimitError
from cera.model.events.event import Event
from cera.model.events.occurrence import occurrence
from cera.model.terms.json_terms import term_to_json
from cera.program import load
from cera.testing import SECOND, event
from properties.generator import RELATIONAL, Case, cases
from properties.holding import holds_for
from properties.local_runs import DELAYS, disordered
from properties.streaming_runs import MicroBatches, random_cuts
from properties.theories import rules_of

CASES = cases() | cases(recursive=True) | cases(windowed=True) | cases(RELATIONAL)
CHANCE = st.randoms(use_true_random=False)

#: An event at which all of a random stream is decided.
LAST = event("the-end", 120)


def expected(case: Case, events: list[Event], until: int) -> dict[str, tuple[str, str, dict[str, str]]]:
    answer = run_by_definition(rules_of(case), events, until=until, relations=case.relations)
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
    return rule_operators(rules_of(case), max_duration=longest, buckets=buckets, relations=case.relations)


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


NETS = """
DETECT path{ net{ var N }, from{ var X }, to{ var Y } } ON hop{{ net{{ var N }}, from{{ var X }}, to{{ var Y }} }} END
DETECT path{ net{ var N }, from{ var X }, to{ var Z } }
ON and { event p: path{{ net{{ var N }}, from{{ var X }}, to{{ var Y }} }},
         event h: hop{{ net{{ var N }}, from{{ var Y }}, to{{ var Z }} }} }
where { {p, h} within 20 sec } END
DETECT turn{ net{ var N }, at{ var X } } ON path{{ net{{ var N }}, from{{ var X }}, to{{ var X }} }} END
"""
STOPS = NETS.replace("net{ var N }, ", "").replace("net{{ var N }}, ", "")
EPL_BELOW = "begin Walk monitor step; R: step(X) as hop(X.net, X.from, X.to). end."
EPL_ABOVE = "begin Twice monitor turn; partition by at; R: (turn(X), turn(Y)) as twice(X.at). end."
TYPES_BELOW = Source("walk.cet", "Walk := or(step) as hop(step.net, step.from, step.to);")
TYPES_ABOVE = Source("back.cet", "Back := ;(first: turn, turn as again) where turn.at = again.at as back(turn.at);")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("parts", "label", "divided"),
    [
        ([NETS], "hop", True),
        ([STOPS], "hop", False),
        ([EPL_BELOW, NETS, EPL_ABOVE], "step", True),
        ([TYPES_BELOW, STOPS, TYPES_ABOVE], "step", False),
    ],
    ids=["by net", "in one piece", "between modules of EPL", "between event types"],
)
def test_a_recursion_on_a_stream_derives_what_the_reference_does(
    parts: list[str | Source], label: str, divided: bool, seed: int
) -> None:
    chance = random.Random(seed)
    program = load(parts)
    assert not program.errors
    made = operators(program.layers, max_duration=0, buckets=5)
    assert [each.buckets > 1 for each in made if "path#2" in each.parts] == [divided]
    times = sorted(chance.sample(range(60), 14))
    events = [
        event(
            f"{label}{{net{{{chance.randrange(2)}}}, from{{{chance.randrange(3)}}}, to{{{chance.randrange(3)}}}}}", time
        )
        for time in times
    ]
    order = disordered(events, 2 * SECOND, chance)
    stream = MicroBatches(made, 2 * SECOND)
    for batch in [*random_cuts(order, chance), [LAST], []]:
        stream.batch(batch)
    answer = program.run([*events, LAST], engine="reference", until=stream.watermark * 1000 - 1)
    assert {result.id for result in stream.by_kind.derived} == {one.event.id for one in answer.derived}
    assert {one.event.label for one in answer.derived} >= {"path", "turn"}


@pytest.mark.parametrize("buckets", [1, 3])
def test_a_recursion_without_an_end_stops_a_stream_at_its_limit(buckets: int) -> None:
    endless = "DETECT n{ k{ var K }, v{ var V + 1 } } ON n{{ k{{ var K }}, v{{ var V }} }} END"
    stream = MicroBatches(operators(load(endless).layers, buckets=buckets, recursion_limit=9), 0)
    stream.batch([event('n{k{"a"}, v{0}}', 1)])
    stream.batch([LAST])
    with pytest.raises(RecursionLimitError, match=r"rule 'n' .* more than 9 events that end at one time"):
        stream.batch([])


def test_a_limit_of_a_recursion_is_for_each_bucket_of_a_stream() -> None:
    """Six events end at one time for each of ten keys: 60 are too many together, and few enough bucket by bucket."""
    bounded = "DETECT n{ k{ var K }, v{ var V + 1 } } ON n{{ k{{ var K }}, v{{ var V }} }} where { var V < 6 } END"
    events = [event(f"n{{k{{{key}}}, v{{0}}}}", 1) for key in range(10)]
    with pytest.raises(RecursionLimitError, match="more than 59 events"):
        load(bounded).run(events, engine="reference", recursion_limit=59)
    for buckets, stops in ((1, True), (3, False)):
        stream = MicroBatches(operators(load(bounded).layers, buckets=buckets, recursion_limit=59), 0)
        stream.batch(events)
        stream.batch([LAST])
        if stops:
            with pytest.raises(RecursionLimitError, match="more than 59 events"):
                stream.batch([])
        else:
            stream.batch([])
            assert len(stream.by_kind.derived) == 60


def test_the_state_of_a_bounded_recursion_does_not_grow_with_the_stream() -> None:
    stream = MicroBatches(operators(load(NETS).layers, max_duration=0, buckets=3), 0)
    sizes = []
    for number in range(40):
        times = (30 * number + second for second in range(0, 30, 5))
        stream.batch([event(f"hop{{net{{1}}, from{{{t % 3}}}, to{{{(t + 5) % 3}}}}}", t) for t in times])
        sizes.append(sum(len(value) for store in stream.stores.values() for (value,) in store.values.values()))
    assert max(sizes[20:]) <= max(sizes[5:20]) + 64  # numbers grow by a few bytes
