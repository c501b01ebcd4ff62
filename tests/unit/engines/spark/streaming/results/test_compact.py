"""Derived events that leave an operator as columns are what the local engine derives, with ids and causes."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from cera.engines.local.derived import RuleDetection
from cera.engines.local.engine import plan_of
from cera.engines.local.processor import RuleProcessor
from cera.engines.spark.streaming.messages.messages import unpack_columns
from cera.engines.spark.streaming.results.compact import Compactor, shapes
from cera.engines.spark.streaming.results.compact_columns import finished
from cera.model.events.event import Event
from cera.model.events.occurrence import occurrence
from cera.program import load
from cera.testing import SECOND, event

#: The children of the heads are not in the order of their labels.
PROGRAM = """
DETECT mean{ value{ avg(all var T) }, sensor{ var S } }
ON and { event m: temp{{ sensor{{ var S }} }}, event w: from-start-backward[m, 1 min],
         while w: collect temp{{ sensor{{ var S }}, value{{ var T }} }} } END

DETECT silent{ since{ var T }, at{ var S }, sure{ true } }
ON and { event t: temp{{ sensor{{ var S }}, value{{ var T }} }}, event w: from-end[event t, 12 sec],
         while w: not temp{{ sensor{{ var S }} }} } END
"""


def temp(at: int, sensor: str, value: object) -> Event:
    return event(f"temp{{sensor{{{json.dumps(sensor)}}}, value{{{value}}}}}", at)


def derived(events: list[Event]) -> list[RuleDetection]:
    processor = RuleProcessor(plan_of(load(PROGRAM).checked()), max_duration=0)
    found = processor.advance(processor.start(), [occurrence(each) for each in events], 2**62)
    return [one for one in found if isinstance(one, RuleDetection)]


def columns(some: list[RuleDetection]) -> tuple[list[dict[str, Any]], list[RuleDetection]]:
    known = shapes(load(PROGRAM).checked().rules)
    payloads, others = Compactor(known).take(some)
    rows: list[dict[str, Any]] = []
    for payload in payloads:
        number, data = unpack_columns(payload)
        rows += pa.table(finished(known[number], pa.ipc.open_stream(data).read_all())).to_pylist()
    return rows, others


def test_columns_have_the_terms_ids_and_causes_of_the_events() -> None:
    some = derived([temp(0, "a", 20), temp(5, 'q"', 41.5), temp(9, "a", 21), temp(20, "a", 1.25), temp(21, 'q"', -3)])
    rows, others = columns(some)
    assert not others
    expected = {}
    for one in some:
        result = one.result()
        causes = {name: cause.id for name, cause in result.derivations[0].causes.items()}
        expected[result.event.id] = (result.event, result.derivations[0].rule, causes)
    assert {row["id"] for row in rows} == set(expected)
    assert {row["label"] for row in rows} == {"mean", "silent"}
    for row in rows:
        found, rule, causes = expected[row["id"]]
        assert (row["begin"], row["end"], row["rule"], dict(row["causes"])) == (found.begin, found.end, rule, causes)
    first = next(row for row in rows if row["label"] == "mean" and row["end"] == 9 * SECOND)
    assert json.loads(first["term"]) == {"mean": {"sensor": "a", "value": 20}}
    last = next(row for row in rows if row["label"] == "silent" and '\\"' in row["term"])
    assert json.loads(last["term"]) == {"silent": {"at": 'q"', "since": 41.5, "sure": True}}


def test_events_whose_values_are_terms_go_another_way() -> None:
    some = derived([event('temp{sensor{place{"a"}}, value{1}}', 0), temp(30, "a", 2)])
    rows, others = columns(some)
    assert [row["label"] for row in rows] == []
    assert sorted(one.label for one in others) == ["silent", "silent"]
