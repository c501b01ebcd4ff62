"""What is told of a running stream."""

from __future__ import annotations

from cera.engines.spark.streaming.messages.stage_results import StateReport
from cera.engines.spark.streaming.progress import Counters, Stall, microseconds, observed


def test_a_batch_is_reported_once_with_what_is_remembered_in_all_buckets() -> None:
    counters = Counters()
    counters.take(0, 2, 1, 0, [StateReport("op", 0, 5, 0, 2), StateReport("op", 1, 7, 1, 1)])
    counters.take(1, 0, 0, 3, [StateReport("op", 1, 1, 0, 1)])
    first, second = counters.report(0, 10, None, 0.5), counters.report(1, 4, 9, 0.5)
    assert first is not None
    assert second is not None
    assert (first.events, first.derived, first.late, first.undefined, first.live) == (10, 2, 1, 1, 12)
    assert (second.rejected, second.undefined, second.live, second.watermark) == (3, 0, 6, 9)
    assert counters.report(1, 4, 9, 0.5) is None
    assert (first.without_key, second.without_key) == (3, 1)
    assert (counters.events, counters.undefined, counters.without_key) == (14, 1, 4)


def test_a_source_that_is_behind_holds_time_back_and_is_told_of_once() -> None:
    stall = Stall(["fast", "slow"])
    stall.take(5, {"fast": 100, "slow": 15})
    assert stall.held_back_by(busy=False, after=60) is None
    assert stall.held_back_by(busy=False, after=0) == "slow"
    assert stall.held_back_by(busy=False, after=0) is None
    stall.take(6, {"slow": 200})
    assert stall.held_back_by(busy=False, after=0) == "fast"


def test_time_does_not_stand_still_while_the_first_batch_is_busy() -> None:
    stall = Stall(["some"])
    assert stall.held_back_by(busy=True, after=0) is None
    stall.take(None, {})
    assert stall.held_back_by(busy=True, after=0) == "some"


def test_how_long_a_batch_takes_does_not_count_and_idle_time_does() -> None:
    now = 0.0
    stall = Stall(["some"], clock=lambda: now)

    def held(at: float, *, busy: bool) -> str | None:
        nonlocal now
        now = at
        return stall.held_back_by(busy=busy, after=30)

    assert held(100, busy=False) is None, "Spark took a while to start"
    assert held(200, busy=True) is None
    assert held(201, busy=False) is None, "the batch is done, and what it had is not known yet"
    stall.take(None, {"some": 7})
    stall.take(5, {})
    assert [held(at, busy=True) for at in (210, 300)] == [None, None], "the next batch takes long"
    assert [held(at, busy=False) for at in (301, 330)] == [None, None]
    assert held(331, busy=False) == "some"
    stall.take(6, {"some": 8})
    for at in (340, 350, 360, 400):
        now = at
        stall.take(6, {})
    assert held(400, busy=True) == "some", "one batch after the other, and time stands still"


def test_newer_events_move_time_on_before_the_watermark_tells_of_it() -> None:
    stall = Stall(["some"])
    stall.take(None, {})
    assert stall.held_back_by(busy=False, after=0) == "some"
    stall.take(None, {"some": 7})
    assert stall.held_back_by(busy=False, after=60) is None
    assert stall.held_back_by(busy=False, after=0) == "some"


def test_a_source_without_any_event_holds_time_back() -> None:
    stall = Stall(["some", "none"])
    stall.take(None, {"some": -5})
    assert stall.held_back_by(busy=False, after=0) == "none"


def test_the_watermark_before_the_first_is_none() -> None:
    assert microseconds("1970-01-01T00:00:00.000Z") is None
    assert microseconds("1970-01-01T00:00:01.500Z") == 1_500_000


def test_events_are_counted_over_all_sources() -> None:
    metrics = {"observedMetrics": {"source 0": {"events": 3, "latest": 7}, "source 1": {"events": 0, "latest": 0}}}
    assert observed(metrics, ["a", "b"]) == (3, {"a": 7})
    assert observed({}, ["a"]) == (0, {})
