"""States in a program that runs event by event: answers while they are open, closings, and what is kept."""

from __future__ import annotations

import pytest

from cera.engines.local.session import Session
from cera.model.events.event import DerivedEvent, Event
from cera.program import Program, load
from cera.testing import assert_same_events, event, state

DAY = 86_400
RULES = """
DETECT alert{ var V } ON and { state s: auction{{ id{ var A } }}, event b: bid{{ id{ var A }, v{ var V } }} }
where { b in s } END
DETECT result{ var A, count(all var V) }
ON and { state s: auction{{ id{ var A } }}, while s: collect bid{{ id{ var A }, v{ var V } }} } END
DETECT unsold{ var A } ON and { state s: auction{{ id{ var A } }}, while s: not bid{{ id{ var A } }} } END
"""
AUCTION = "auction{id{1}}"


def bid(value: int, at: float, auction: int = 1) -> Event:
    return event(f"bid{{id{{{auction}}}, v{{{value}}}}}", at)


@pytest.fixture(name="program", scope="module")
def _program() -> Program:
    return load(RULES)


def test_what_needs_no_end_is_answered_while_the_state_is_open(program: Program) -> None:
    session = program.session()
    session.push(state(AUCTION, 0), bid(5, 10))
    assert_same_events(session.push(bid(6, 12)), [event("alert{5}", 10)])


def test_a_closing_may_come_a_day_after_the_opening(program: Program) -> None:
    late: list[Event] = []
    session = program.session(late=late.append)
    session.push(state(AUCTION, 0), bid(5, 10))
    session.push(event("other", DAY))
    derived = session.push(state(AUCTION, 0, DAY + 5), event("other", DAY + 6))
    assert_same_events(derived, [event("result{1, 1}", 0, DAY + 5)])
    assert late == []


def test_a_late_closing_ends_the_state_at_the_first_time_that_is_not_decided(program: Program) -> None:
    session = program.session()
    session.push(state(AUCTION, 0), bid(5, 10), event("other", 50))
    derived = [*session.push(state(AUCTION, 0, 20)), *session.close()]
    assert_same_events(derived, [event("result{1, 1}", 0, 50)])
    assert (session.late, session.repaired) == (0, 1)


def test_a_late_closing_within_one_push_finds_its_opening(program: Program) -> None:
    session = program.session()
    derived = [*session.push(state(AUCTION, 0), event("other", 30), state(AUCTION, 0, 40)), *session.close()]
    assert_same_events(derived, [event("unsold{1}", 0, 40)])


def test_a_closing_without_an_opening_is_late_and_changes_nothing(program: Program) -> None:
    late: list[Event] = []
    session = program.session(late=late.append)
    session.push(event("other", 50))
    session.push(state(AUCTION, 0, 60), bid(5, 55))
    assert session.close() == []
    assert late == [state(AUCTION, 0, 60)]


def test_a_second_closing_is_late_and_the_first_counts(program: Program) -> None:
    session = program.session()
    session.push(state(AUCTION, 0, 20), event("other", 50))
    derived = [*session.push(state(AUCTION, 0, 60)), *session.close()]
    assert derived == []
    assert session.late == 1


def test_states_that_no_rule_asks_for_are_not_reported() -> None:
    session = load("DETECT h{} ON a{{}} END").session()
    session.push(state("on", 0), event("a", 50), state("on", 0, 60), event("a", 70))
    assert session.late == 0


def test_a_state_of_a_record_with_both_times_ends_by_itself(program: Program) -> None:
    session = program.session()
    session.push(state(AUCTION, 0, 20))
    assert_same_events(session.push(bid(5, 20), bid(6, 21)), [event("alert{5}", 20), event("result{1, 1}", 0, 20)])
    assert session.close() == []


@pytest.mark.parametrize("after", range(5))
def test_a_session_with_open_states_goes_on_from_a_saved_state(program: Program, after: int) -> None:
    stream = [state(AUCTION, 0), bid(5, 10), state("auction{id{2}}", 12), state(AUCTION, 0, 20), event("other", 30)]
    first = program.session()
    derived = first.push(*stream[:after])
    second = program.session()
    second.restore(first.save())
    derived += [*second.push(*stream[after:]), *second.close()]
    assert_same_events(derived, [event("alert{5}", 10), event("result{1, 1}", 0, 20)])


def test_rows_about_states_that_have_ended_are_dropped(program: Program) -> None:
    assert [d.code for d in program.check()] == []
    session = program.session(max_duration="0 sec")
    sizes: list[int] = []
    answers: list[DerivedEvent] = []
    for number in range(3_000):
        opened = number * 10
        answers += session.push(state(f"auction{{id{{{number}}}}}", opened), bid(7, opened + 5, number))
        answers += session.push(state(f"auction{{id{{{number}}}}}", opened, opened + 8))
        sizes.append(session.live)
    assert len(answers) + len(session.close()) == 6_000
    assert max(sizes[300:]) <= max(sizes[:300]) < 1_000


def test_an_open_state_is_kept_and_those_around_it_are_not() -> None:
    program = load("DETECT seen{ var K } ON and { state s: on{ var K }, event x: ping{ var K } } where { x in s } END")
    session = program.session(max_duration="0 sec")
    session.push(state("on{0}", 0))
    for number in range(1, 1_000):
        session.push(state(f"on{{{number}}}", number * 10, number * 10 + 5))
    assert session.live < 500
    assert_same_events([*session.push(event("ping{0}", 50_000)), *session.close()], [event("seen{0}", 50_000)])


def test_a_session_has_all_counts_after_restoring(program: Program) -> None:
    def live(session: Session) -> int:
        session.push(state(AUCTION, 0), bid(5, 10), event("other", 11))
        return session.live

    first, second = program.session(), program.session()
    kept = live(first)
    second.restore(first.save())
    assert second.live == kept > 0
