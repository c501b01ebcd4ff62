"""One part of an operator, between two micro-batches and in them."""

from __future__ import annotations

from collections.abc import Iterable

from cera.engines.local.engine import plan_of
from cera.engines.local.processor import RuleProcessor
from cera.engines.spark.streaming.messages.messages import LatePolicy, pack_events
from cera.engines.spark.streaming.state.kernel import Kernel, Outcome, Part
from cera.model.events.event import Event
from cera.model.events.occurrence import occurrence
from cera.program import load
from cera.testing import event, seconds, state

PROGRAM = """
DETECT silent{ sensor{ var S } }
ON and { event t: temp{{ sensor{{ var S }} }}, event w: from-end[event t, 12 sec],
         while w: not temp{{ sensor{{ var S }} }} } END
"""
KERNEL = Kernel(RuleProcessor(plan_of(load(PROGRAM).checked()), max_duration=0))


def advance(part: Part, events: Iterable[Event], watermark: float, policy: LatePolicy = LatePolicy.REPORT) -> Outcome:
    some = [(occurrence(each), policy) for each in events]
    return KERNEL.advance(part, [pack_events(some)] if some else [], seconds(watermark))


def temp(at: float, sensor: str = "s") -> Event:
    return event(f'temp{{sensor{{"{sensor}"}}}}', at)


def texts(outcome: Outcome) -> list[str]:
    return [str(one.occurrence.term) for one in outcome.derived]


def test_nothing_is_decided_before_the_watermark_has_passed_it() -> None:
    part = KERNEL.load(None)
    advance(part, [temp(1)], 0)
    assert not advance(part, [], 13).derived
    assert texts(advance(part, [], 13.000001)) == ['silent{sensor{"s"}}']


def test_an_event_at_the_watermark_is_in_time_and_waits() -> None:
    part = KERNEL.load(None)
    outcome = advance(part, [temp(5)], 5)
    assert not outcome.late
    assert KERNEL.counts(part).in_state == 1
    assert outcome.wake_at == seconds(5)


def test_events_of_one_payload_are_in_time_or_late_each_by_itself() -> None:
    part = KERNEL.load(None)
    outcome = advance(part, [temp(4), temp(6)], 5)
    assert [each.end for each in outcome.late] == [seconds(4)]
    assert KERNEL.counts(part).in_state == 1


def test_what_waits_in_a_payload_is_not_late_when_time_has_passed_it() -> None:
    part = KERNEL.load(None)
    advance(part, [temp(1), temp(30)], 0)
    outcome = advance(part, [], 20)
    assert not outcome.late
    assert texts(outcome) == ['silent{sensor{"s"}}']


def test_an_event_before_the_watermark_is_late_and_changes_nothing() -> None:
    part = KERNEL.load(None)
    outcome = advance(part, [temp(4.999999)], 5)
    assert [each.end for each in outcome.late] == [seconds("4.999999")]
    assert KERNEL.counts(part).in_state == 0


def test_a_late_event_that_is_reported_elsewhere_is_not_reported_again() -> None:
    assert not advance(KERNEL.load(None), [temp(1)], 5, policy=LatePolicy.DROP).late


def test_what_another_operator_derived_is_never_late() -> None:
    part = KERNEL.load(None)
    assert not advance(part, [temp(1)], 5, policy=LatePolicy.TAKE).late
    assert part.state.live > 0


def test_a_part_is_woken_for_its_timers_without_further_events() -> None:
    part = KERNEL.load(None)
    advance(part, [temp(1)], 0)
    assert advance(part, [], 2).wake_at == seconds(13)


def test_events_of_several_batches_are_put_in_order() -> None:
    part = KERNEL.load(None)
    advance(part, [temp(9)], 0)
    advance(part, [temp(1)], 0)
    assert not advance(part, [], 21).derived  # each is followed by another within 12 seconds, but for the last
    assert texts(advance(part, [], 22)) == ['silent{sensor{"s"}}']


def test_a_part_goes_on_from_what_was_saved() -> None:
    part = KERNEL.load(None)
    advance(part, [temp(1), temp(20)], 0)
    advance(part, [], 2)
    saved = KERNEL.save(part)
    assert saved is not None
    assert texts(advance(KERNEL.load(saved), [], 14)) == ['silent{sensor{"s"}}']


def test_a_part_with_nothing_to_remember_is_not_saved() -> None:
    part = KERNEL.load(None)
    assert KERNEL.save(part) is None
    advance(part, [temp(1)], 0)
    assert KERNEL.save(part) is not None


AUCTIONS = """
DETECT unsold{ var A } ON and { state s: auction{{ id{ var A } }}, while s: not bid{{ id{ var A } }} } END
"""


def auctions(*batches: tuple[Iterable[Event], float]) -> tuple[list[str], list[Event], int]:
    """What is derived, what is late and how many ends were repaired, batch by batch, with bytes in between."""
    kernel = Kernel(RuleProcessor(plan_of(load(AUCTIONS).checked()), max_duration=0))
    derived: list[str] = []
    late: list[Event] = []
    repaired = 0
    saved: bytes | None = None
    for events, watermark in batches:
        part = kernel.load(saved)
        payload = [pack_events([(occurrence(each), LatePolicy.REPORT) for each in events])]
        outcome = kernel.advance(part, payload, seconds(watermark))
        derived += [f"{one.occurrence.term} {one.end // 1_000_000}" for one in outcome.derived]
        late += [each.event for each in outcome.late]
        repaired += outcome.repaired
        saved = kernel.save(part)
    return derived, late, repaired


def test_a_record_that_closes_an_open_state_is_not_late() -> None:
    opened, closed, other = state("auction{id{1}}", 0), state("auction{id{1}}", 0, 150), event("other", 200)
    assert auctions(([opened], 0), ([closed, other], 120), ([other], 200)) == (["unsold{1} 150"], [], 0)


def test_a_state_ends_at_the_watermark_if_its_end_lies_before_it() -> None:
    opened, closed, other = state("auction{id{1}}", 0), state("auction{id{1}}", 0, 50), event("other", 200)
    assert auctions(([opened], 0), ([closed, other], 120), ([other], 200)) == (["unsold{1} 120"], [], 1)


def test_a_state_that_opens_with_the_same_watermark_is_found() -> None:
    opened, closed, other = state("auction{id{1}}", 60), state("auction{id{1}}", 60, 150), event("other", 200)
    assert auctions(([opened], 50), ([closed, other], 120), ([other], 200)) == (["unsold{1} 150"], [], 0)


def test_a_record_that_closes_no_open_state_is_late() -> None:
    closed, other = state("auction{id{1}}", 0, 150), event("other", 200)
    assert auctions(([event("bid{id{2}}", 100)], 100), ([closed, other], 120), ([other], 200)) == ([], [closed], 0)
