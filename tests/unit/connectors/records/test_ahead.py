"""Events ahead of the clock, and events that are nearly all late."""

from __future__ import annotations

import time

import pytest

from cera.cli.ahead import max_ahead_of
from cera.connectors.records.ahead import ONE_DAY, Lateness, not_ahead
from cera.connectors.records.layout import Rejected
from cera.connectors.source import source_of
from cera.model.events.event import Event
from cera.model.events.occurrence import occurrence
from cera.model.terms.term import Term
from cera.model.time.interval import point

YEAR_9999 = 253_402_300_799_000_000


def event(time: int) -> Event:
    return Event(Term("e", []), point(time))


def test_an_event_too_far_ahead_of_the_clock_is_rejected_and_no_other() -> None:
    now = time.time_ns() // 1000
    past, soon, far = event(0), event(now + ONE_DAY // 2), event(YEAR_9999)
    found = list(not_ahead([past, far, soon, Rejected("f:1", "not JSON")], ONE_DAY))
    assert [one for one in found if isinstance(one, Event)] == [past, soon]
    rejected, other = (one for one in found if isinstance(one, Rejected))
    assert rejected.place == f"event {far.id}"
    assert "ends at 9999-12-31T23:59:59Z, more than 1 day ahead of the clock; ⟦max_ahead⟧" in rejected.reason
    assert other.reason == "not JSON"


def test_the_limit_goes_on_with_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 10_000_000, 1_000_000))
    monkeypatch.setattr(time, "time_ns", lambda: next(clock))
    found = list(not_ahead([occurrence(event(at)) for at in (0, 1_000, 2_000, 9_000)], 0))
    assert [isinstance(one, Rejected) for one in found] == [False, False, False, True]


def test_without_a_limit_nothing_is_ahead() -> None:
    assert list(not_ahead([event(YEAR_9999)], None)) == [event(YEAR_9999)]


@pytest.mark.parametrize(
    ("given", "source", "recorded", "limit"),
    [
        (None, "-", False, ONE_DAY),
        (None, "db:sqlite:bank.db", False, ONE_DAY),
        (None, "incoming", False, None),
        (None, "-", True, None),
        ("1 min", "incoming", True, 60_000_000),
        ("none", "-", False, None),
    ],
)
def test_live_sources_have_a_limit_of_a_day(given: str | None, source: str, recorded: bool, limit: int | None) -> None:
    assert max_ahead_of(given, source_of(source), recorded=recorded) == limit


def test_it_is_said_once_that_nearly_all_events_are_late() -> None:
    lateness = Lateness(10)
    assert not lateness.take(100, 9)
    assert not lateness.take(5, 5)
    assert not lateness.take(2, 0)  # the row is broken
    assert not lateness.take(9, 9)
    assert lateness.take(10, 9)
    assert (lateness.events, lateness.late) == (19, 18)
    assert not lateness.take(100, 100)
