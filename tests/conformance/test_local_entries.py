"""C-21, C-22, C-26: the steps of the local engine, what it decides when, and how long it remembers.

That it agrees with the reference, and that dropping changes no answer, is tested on random programs in
`properties/test_local` (C-24, C-26).
"""

from __future__ import annotations

from itertools import permutations

import pytest

from cera.algebra.operators import AntiSemiJoin, Join, RelativeTimers, TemporalJoin, walk
from cera.algebra.relevance import Relevance
from cera.algebra.translation import translate
from cera.engines.local.processor import RuleProcessor
from cera.model.events.event import Event
from cera.model.events.occurrence import occurrence
from cera.modules.driving import Driver
from cera.program import load
from cera.testing import SECOND, assert_same_events, event, seconds
from conformance.asking import AVERAGE, BURNT_DOWN, FIRE, FIRE_RULES, RULES, fire_stream, temp


def steps(*events: Event) -> dict[float, tuple[list[str], list[Event]]]:
    """The steps of the processor over the sensor program: the labels that come in, and what is derived."""
    processor = RuleProcessor(translate(load(FIRE_RULES).checked()))
    state = processor.start()
    waiting = sorted(events, key=lambda one: one.end)
    found: dict[float, tuple[list[str], list[Event]]] = {}
    while times := [t for t in (processor.next_wakeup(state), *(one.end for one in waiting[:1])) if t is not None]:
        now = min(times)
        arriving = [one for one in waiting if one.end == now]
        waiting = waiting[len(arriving) :]
        derived = processor.step(state, now, [occurrence(one) for one in arriving])
        found[now / SECOND] = [one.label for one in arriving], [one.result().event for one in derived]
    return found


def test_C_21_each_step_derives_what_becomes_known_at_it() -> None:
    trace = steps(*fire_stream())
    assert trace[63] == (["temp"], [])
    assert trace[68] == (["smoke"], [])
    arriving, derived = trace[80]
    assert arriving == ["temp"]
    assert_same_events(derived, [FIRE, AVERAGE])
    assert trace[92] == ([], [BURNT_DOWN])  # ERR-09: a timer alone makes a step
    assert [now for now, (_, derived) in trace.items() if derived] == [80, 92]


def test_C_21_the_deltas_together_are_the_result() -> None:
    together = [one for _, derived in steps(*fire_stream()).values() for one in derived]
    assert_same_events(together, [FIRE, AVERAGE, BURNT_DOWN])
    assert len(together) == 3


def test_C_22_simultaneous_events_are_one_step_in_whatever_order_they_come() -> None:
    blocking = [temp(20, 90, 92), event('smoke{area{"a"}}', 91, 92), temp(50, 92, sensor="other")]
    for order in permutations(blocking):
        trace = steps(*fire_stream(), *order)
        assert not any(
            one.label == "burnt_down" for _, derived in trace.values() for one in derived if one.end <= seconds(92)
        )
        assert trace[92][0] == [one.label for one in order]


@pytest.mark.parametrize("blocked", [True, False])
def test_C_22_the_host_decides_absence_only_when_the_time_is_complete(blocked: bool) -> None:
    host = Driver(RuleProcessor(translate(load(RULES["burnt_down"]).checked())))
    derived = [one for reading in fire_stream() for one in host.push([occurrence(reading)])]
    derived += host.push([occurrence(event('smoke{area{"b"}}', 92))])  # time has come to 92, and more may end at it
    assert derived == []
    derived += host.push([occurrence(temp(20, 90, 92))]) if blocked else ()
    derived += host.advance_to(seconds(92))
    assert_same_events([one.result() for one in derived], [] if blocked else [BURNT_DOWN])


def bounds(max_duration: int | None) -> dict[str, float | None]:
    """How many seconds after its end a tuple is kept, by the identifier it belongs to; below zero it never is."""
    plan = translate(load(FIRE_RULES).checked())
    relevance = Relevance(plan, max_duration)
    found: dict[str, float | None] = {}
    for part in (part for point in plan.points for part in walk(point.expression)):
        match part:
            case Join(right=RelativeTimers()):  # made with its anchor, nothing is kept for it
                continue
            case Join():
                horizons = relevance.join_bounds(part)
            case TemporalJoin() | AntiSemiJoin():
                horizons = (relevance.window_bound(part),)
            case _:
                continue
        found |= {h.of: None if h.microseconds is None else h.microseconds / SECOND for h in horizons}
    return found


@pytest.mark.parametrize(
    ("max_duration", "collected"), [(0, 60), (10 * SECOND, 70), (None, None)], ids=["points", "at most 10 s", "unknown"]
)
def test_C_26_how_long_the_tuples_of_the_sensor_program_are_relevant(
    max_duration: int | None, collected: float | None
) -> None:
    """Smoke a minute, a reading as t never, as v 12 s; as w a minute and what the event of the window may last."""
    found = bounds(max_duration)
    assert {name: found[name] for name in "svw"} == {"s": 60, "v": 12, "w": collected}
    assert found["t"] is not None
    assert found["t"] < 0


def test_C_26_a_reading_waits_for_its_timer_and_is_gone_then() -> None:
    processor = RuleProcessor(translate(load(RULES["burnt_down"]).checked()), max_duration=0)
    state = processor.start()
    processor.step(state, seconds(70), [occurrence(temp(41, 70))])
    assert processor.next_wakeup(state) == seconds(82)
    assert len(state.waiting) == 1
    [derived] = processor.step(state, seconds(82), [])
    assert derived.result().event == event('burnt_down{sensor{"s"}}', 70, 82)
    assert not state.waiting
    processor.step(state, seconds(83), [])
    assert state.live == 0


@pytest.mark.parametrize(("late", "kept"), [(60, True), (60.000001, False)])
def test_C_26_smoke_is_dropped_when_its_minute_has_passed(late: float, kept: bool) -> None:
    processor = RuleProcessor(translate(load(RULES["fire"]).checked()), max_duration=0)
    state = processor.start()
    processor.step(state, 0, [occurrence(event('smoke{area{"a"}}', 0))])
    assert state.live == 1
    derived = processor.step(state, seconds(late), [occurrence(temp(41, late))])
    assert bool(derived) == kept
    assert state.live == kept


SEEN = "DETECT seen{var X} ON event a: a{var X} END"


@pytest.mark.parametrize(("end", "in_time"), [(5, True), (4.999999, False), (5.000001, True), (12, True)])
def test_an_event_is_late_when_it_ends_longer_before_the_latest_than_allowed(end: float, in_time: bool) -> None:
    late: list[Event] = []
    session = load(SEEN).session(max_delay="5 sec", late=late.append)
    delayed = event("a{2}", end)
    found = [*session.push(event("a{1}", 10), delayed), *session.close()]
    assert_same_events(found, [event("seen{1}", 10), *([event("seen{2}", end)] if in_time else [])])
    assert late == ([] if in_time else [delayed])
    assert session.late == len(late)


def test_an_event_that_ends_when_time_has_been_advanced_to_is_late() -> None:
    session = load(SEEN).session()
    assert session.advance_to(seconds(5)) == []
    assert session.push(event("a{1}", 5)) == []
    assert session.push(event("a{2}", 5.000001)) == []
    assert_same_events(session.close(), [event("seen{2}", 5.000001)])
    assert session.late == 1
