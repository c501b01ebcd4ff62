"""One part of an operator whose events are answered in columns, from micro-batch to micro-batch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pyarrow as pa
import pytest

pytest.importorskip("pyspark")

from cera.engines.local.state_bytes import restore
from cera.engines.spark.division.operators import Operator, operators
from cera.engines.spark.division.operators_in_columns import SWITCH, in_columns, why_not_in_columns
from cera.engines.spark.streaming.messages.messages import LatePolicy, pack_events, pack_table
from cera.engines.spark.streaming.results.column_results import derived_results
from cera.engines.spark.streaming.state.columns_kernel import ColumnsKernel, ColumnsOutcome
from cera.engines.spark.streaming.state.kernel import Outcome
from cera.engines.spark.streaming.state.shell import _kernel
from cera.model.columns.flat_events import BEGIN, END, LABEL, QUALIFIER, arrow_stream, encoded
from cera.model.events.event import Event
from cera.model.events.occurrence import occurrence
from cera.program import load
from cera.testing import event, seconds

SILENT = """
DETECT silent{ sensor{ var S } }
ON and { event t: temp{{ sensor{{ var S }} }}, event w: from-end[event t, 12 sec],
         while w: not temp{{ sensor{{ var S }} }} } END
"""


def operator(text: str = SILENT, max_duration: int | None = 0) -> Operator:
    [made] = in_columns(operators(load(text).layers, max_duration=max_duration))
    return made


class Bucket:
    """A bucket of a stream that is started again after each call."""

    def __init__(self, made: Operator) -> None:
        self.operator = made
        self.data: bytes | None = None
        self.in_state = 0
        self.time = 0.0

    def call(self, payloads: Iterable[bytes], watermark: float) -> Outcome:
        kernel = _kernel(self.operator)
        assert isinstance(kernel, ColumnsKernel)
        part = kernel.load(self.data)
        outcome = kernel.advance(part, payloads, seconds(watermark))
        self.in_state = kernel.counts(part).in_state
        self.data = kernel.save(part)
        return outcome

    def take(self, *events: Event, until: float) -> list[str]:
        """Takes events, none of which is late, and all times before one."""
        packed = [pack_events([(occurrence(each), LatePolicy.REPORT) for each in events])] if events else []
        found = texts(self.call(packed, self.time))
        self.time = until
        return found + texts(self.call([], until))

    @property
    def is_in_columns(self) -> bool:
        return self.data is not None and restore(self.data)[0] == "columns"


def texts(outcome: Outcome) -> list[str]:
    if isinstance(outcome, ColumnsOutcome):
        return [one.term for block in outcome.blocks for one in derived_results(block, outcome.strings)]
    return [str(one.occurrence.term) for one in outcome.derived]


def temp(at: float, sensor: str = "s") -> Event:
    return event(f'temp{{sensor{{"{sensor}"}}}}', at)


def test_an_absence_is_found_when_the_watermark_has_passed_it_without_another_event() -> None:
    bucket = Bucket(operator())
    assert not bucket.take(temp(1), until=0)
    assert bucket.is_in_columns
    outcome = bucket.call([], 13)
    assert not texts(outcome)
    assert outcome.wake_at == seconds(13)
    outcome = bucket.call([], 13.000001)
    assert texts(outcome) == ['{"silent": {"sensor": "s"}}']
    assert outcome.wake_at is None


def test_a_state_in_which_nothing_matters_any_more_is_empty() -> None:
    bucket = Bucket(operator())
    bucket.take(temp(1), until=2)
    assert bucket.in_state == 1
    bucket.take(until=60)
    assert bucket.data is None


def test_an_event_at_the_watermark_is_in_time_and_waits() -> None:
    bucket = Bucket(operator())
    packed = pack_events([(occurrence(temp(at)), LatePolicy.REPORT) for at in (4, 5, 9)])
    outcome = bucket.call([packed], 5)
    assert [each.end for each in outcome.late] == [seconds(4)]
    assert outcome.wake_at == seconds(5)
    assert bucket.in_state == 2
    assert bucket.is_in_columns


def test_events_that_do_not_fit_let_a_bucket_go_on_event_by_event_for_good() -> None:
    bucket = Bucket(operator())
    assert not bucket.take(temp(1), temp(2, "other"), until=3)
    large = event(f"temp{{sensor{{{2**60 + 1}}}}}", 4)
    assert not bucket.take(large, until=5)
    assert not bucket.is_in_columns
    assert bucket.take(until=14.5) == ['silent{sensor{"s"}}', 'silent{sensor{"other"}}']
    assert bucket.take(temp(20), until=40) == [f"silent{{sensor{{{2**60 + 1}}}}}", 'silent{sensor{"s"}}']


def test_what_waits_goes_on_event_by_event_too() -> None:
    bucket = Bucket(operator())
    bucket.take(temp(1), temp(6), until=3)
    assert bucket.is_in_columns
    bucket.take(event(f"temp{{sensor{{{2**60}}}}}", 4), until=5)
    assert not bucket.is_in_columns
    assert bucket.take(until=20) == [f"silent{{sensor{{{2**60}}}}}", 'silent{sensor{"s"}}']


def test_a_state_of_events_goes_on_with_events() -> None:
    made = operator()
    bucket = Bucket(replace(made, in_columns=False))
    bucket.take(temp(1), until=3)
    bucket.operator = made
    bucket.take(temp(5), until=8)
    assert not bucket.is_in_columns
    assert bucket.take(until=20) == ['silent{sensor{"s"}}']


def test_a_state_of_columns_goes_on_event_by_event_where_columns_are_turned_off() -> None:
    made = operator()
    bucket = Bucket(made)
    assert not bucket.take(temp(1), temp(2, "other"), temp(9), until=5)
    bucket.operator = replace(made, in_columns=False)
    assert bucket.take(until=15) == ['silent{sensor{"other"}}']
    assert not bucket.is_in_columns
    assert bucket.take(until=30) == ['silent{sensor{"s"}}']


def test_columns_are_turned_off_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SWITCH, "0")
    assert not operator().in_columns


@pytest.mark.parametrize(
    ("text", "max_duration", "reason"),
    [
        (SILENT.replace("12 sec", "1 month"), 0, "a timer counts months"),
        ("DETECT r{} ON and { event a: a{{}}, event b: b{{}} } where { a before b } END", 0, "may matter for good"),
        ("DETECT p{ x{ var X } } ON p{{ x{{ var X }} }} END", 0, "recursive"),
    ],
)
def test_operators_that_are_not_in_columns_say_why(text: str, max_duration: int, reason: str) -> None:
    made = operator(text, max_duration)
    assert not made.in_columns
    assert reason in (why_not_in_columns(made) or "")


def table(**columns: list[object]) -> bytes:
    ends: list[int] = columns[END]  # type: ignore[assignment]
    return pack_table(min(ends), len(ends), arrow_stream(encoded(pa.table(columns))))


def test_a_table_is_divided_by_its_labels_and_sorted() -> None:
    bucket = Bucket(operator())
    ends = [seconds(at) for at in (3, 1, 2)]
    packed = table(**{END: ends, LABEL: ["temp", "temp", "door"], "string:sensor": ["b", "a", None]})
    bucket.call([packed], 0)
    bucket.take(until=2.5)
    assert bucket.in_state == 2
    assert bucket.is_in_columns
    assert bucket.take(until=20) == ['{"silent": {"sensor": "a"}}', '{"silent": {"sensor": "b"}}']


@pytest.mark.parametrize(
    "column",
    [
        {"json:sensor": ['{"x": 1}'], "h1": [1], "h2": [2]},
        {"integer:sensor": [2**53]},
        {"double:sensor": [2.0**60]},
        {QUALIFIER: ["q"], "h1": [1], "h2": [2], "string:sensor": ["t"]},
    ],
    ids=["nested", "large", "large double", "ids"],
)
def test_a_table_that_does_not_fit_goes_on_event_by_event(column: dict[str, list[object]]) -> None:
    bucket = Bucket(operator())
    bucket.take(temp(1), until=2)
    bucket.call([table(**{BEGIN: [seconds(3)], END: [seconds(3)], LABEL: ["temp"], **column})], 2)
    bucket.take(until=4)
    assert not bucket.is_in_columns
    assert len(bucket.take(until=30)) == 2


def test_numbers_of_two_columns_are_one_child() -> None:
    bucket = Bucket(operator())
    packed = table(
        **{
            END: [seconds(1), seconds(2)],
            LABEL: ["temp", "temp"],
            "integer:sensor": [1, None],
            "fraction:sensor": [None, 0.5],
        }
    )
    bucket.call([packed], 0)
    assert bucket.is_in_columns
    assert bucket.take(until=20) == ['{"silent": {"sensor": 1}}', '{"silent": {"sensor": 0.5}}']
