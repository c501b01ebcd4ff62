"""A program in a process, event by event."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cera.engines.local.session import Session
from cera.engines.local.state_bytes import restore
from cera.errors import DataError, EngineError, RecursionLimitError, UsageError
from cera.model.events.event import DerivedEvent, Event
from cera.program import load
from cera.testing import assert_same_events, event, seconds
from conformance.asking import FIRE_RULES, fire_stream, temp

FIRE = event('fire{area{"a"}}', 65, 80)
BURNT_DOWN = event('burnt_down{sensor{"s"}}', 70, 92)
AVERAGE = event('avg_temp{sensor{"s"}, value{40}}', 10, 80)


def labels(derived: list[DerivedEvent]) -> list[str]:
    return sorted(one.event.label for one in derived)


def test_C_21_each_event_is_told_when_nothing_can_change_it_any_more() -> None:
    session = load(FIRE_RULES).session()
    first, smoke, last = fire_stream()
    assert session.push(first) == session.push(smoke) == session.push(last) == []
    assert_same_events(session.advance_to(seconds(80)), [FIRE, AVERAGE])
    assert session.advance_to(seconds("91.999999")) == []
    assert_same_events(session.advance_to(seconds(92)), [BURNT_DOWN])
    assert session.close() == []


def test_a_later_event_completes_the_time_before_it() -> None:
    session = load(FIRE_RULES).session()
    session.push(*fire_stream())
    assert_same_events(session.push(temp(20, 81, 82)), [FIRE, AVERAGE])


def test_closing_runs_the_timers_out() -> None:
    session = load(FIRE_RULES).session()
    session.push(*fire_stream())
    assert_same_events(session.close(), [FIRE, AVERAGE, BURNT_DOWN])


def test_events_within_the_delay_are_sorted() -> None:
    session = load(FIRE_RULES).session(max_delay="30 sec")
    derived = session.push(*reversed(fire_stream()))
    assert_same_events([*derived, *session.close()], [FIRE, AVERAGE, BURNT_DOWN])
    assert session.late == 0


def test_an_event_behind_the_delay_is_late_and_changes_nothing() -> None:
    late: list[Event] = []
    session = load(FIRE_RULES).session(max_delay="5 sec", late=late.append)
    first, smoke, last = fire_stream()
    derived = session.push(first, last, smoke)
    assert late == [smoke]
    assert session.late == 1
    assert_same_events([*derived, *session.close()], [AVERAGE, BURNT_DOWN])


@pytest.mark.parametrize("after", range(4))
def test_a_session_goes_on_from_a_saved_state(after: int) -> None:
    stream = fire_stream()
    first = load(FIRE_RULES).session()
    derived = first.push(*stream[:after])
    second = load(FIRE_RULES).session()
    second.restore(first.save())
    derived += [*second.push(*stream[after:]), *second.close()]
    assert_same_events(derived, [FIRE, AVERAGE, BURNT_DOWN])


def test_state_of_a_bounded_program_does_not_grow() -> None:
    session = load(FIRE_RULES).session(max_duration="0 sec")
    sizes = []
    for second in range(0, 3600, 5):
        session.push(temp(39 + second % 3, second))
        sizes.append(session.live)
    assert max(sizes[100:]) == max(sizes[:100])


def test_state_of_an_unbounded_rule_grows_and_the_check_says_so() -> None:
    program = load("DETECT h{} ON and { event x: a{{}}, event y: b{{}} } END")
    assert [d.code for d in program.check()] == ["XC501"]
    session = program.session()
    for second in range(100):
        session.push(event(f"a{{{second}}}", second))
    assert session.live == 99  # the last one waits for the end of its step


@pytest.mark.parametrize(
    "calendar",
    [
        'cron = "*/15 * * * *"\nduration = "5 min"',
        'hours = ["09:00", "10:00"]',
        'intervals = [["1970-01-01", "1970-01-02"]]',
    ],
    ids=["cron", "hours", "intervals"],
)
@pytest.mark.parametrize("query", ["while w: collect a{{ var X }}", "event x: a{{ var X }}"], ids=["window", "join"])
def test_the_occurrences_of_a_calendar_bound_what_is_remembered(calendar: str, query: str, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(f"[open]\n{calendar}\n")
    where = "where { x during w }" if "event x" in query else ""
    rule = f"DETECT h{{ count(all var X) }} ON and {{ event w: timer:open{{{{}}}}, {query} }} {where} END"
    program = load(rule, calendars=tmp_path / "c.toml")
    assert [d.code for d in program.check()] == []
    [note] = program.notes
    assert (note.code, "a window that an event has" in (note.hint or "")) == ("XC502", True)
    session = program.session()
    sizes = []
    for minute in range(4 * 24 * 60):
        session.push(event(f"a{{{minute}}}", 60 * minute))
        sizes.append(session.live)
    assert max(sizes[2 * 24 * 60 :]) <= max(sizes[: 2 * 24 * 60])
    assert max(sizes) < 2 * 24 * 60


def test_a_session_answers_a_recursion_event_by_event() -> None:
    session = load("DETECT p{var X} ON q{var X} END DETECT q{var X} ON p{var X} END").session()
    assert [str(one.event.term) for one in session.push(event("p{1}", 0))] == []
    assert {str(one.event.term) for one in session.push(event("p{2}", 1))} == {"p{1}", "q{1}"}
    assert {str(one.event.term) for one in session.close()} == {"p{2}", "q{2}"}


def test_a_recursion_that_does_not_end_stops_at_the_limit_of_one_time() -> None:
    """Ten events at each of two times are within a limit of ten, whatever the stream has brought before."""
    program = load("DETECT n{var X + 1} ON n{var X} where { var X < 10 } END")
    for limit in (10, 9):
        session = program.session(recursion_limit=limit)
        session.push(event("n{0}", 0))
        if limit == 10:
            assert len(session.push(event("n{0}", 1))) == 10
            assert len(session.close()) == 10
        else:
            with pytest.raises(RecursionLimitError, match=r"rule 'n' .* more than 9 events that end at one time"):
                session.push(event("n{0}", 1))


def test_a_session_that_failed_is_not_saved_and_goes_on_from_what_was_saved_before() -> None:
    program = load("DETECT n{var X + 1} ON n{var X} where { var X < 10 } END")
    session = program.session(recursion_limit=5)
    session.push(event("n{0}", 1))
    saved = session.save()
    with pytest.raises(RecursionLimitError):
        session.push(event("x{}", 2))
    for call in (session.save, session.close, lambda: session.push(event("x{}", 3))):
        with pytest.raises(EngineError, match="restore a state that was saved before"):
            call()
    patient = program.session(recursion_limit=10)
    patient.restore(saved)
    assert len(patient.push(event("x{}", 3))) == 10
    session.restore(saved)
    with pytest.raises(RecursionLimitError):
        session.close()


@pytest.mark.parametrize("limit", [0, -1, 1.5, "abc", True, None])
def test_a_limit_is_a_whole_number_above_zero(limit: Any) -> None:
    program = load(FIRE_RULES)
    for call in (program.session, lambda **limits: program.run([], **limits)):
        with pytest.raises(UsageError, match="`recursion_limit` is a whole number above zero"):
            call(recursion_limit=limit)


@pytest.mark.parametrize("delay", ["soon", "1 month"])
def test_a_delay_must_be_a_length_of_time(delay: str) -> None:
    with pytest.raises(UsageError):
        load(FIRE_RULES).session(max_delay=delay)


@pytest.mark.parametrize("delay", [-1, 1.5, None])
def test_a_delay_as_a_number_is_a_count_of_microseconds(delay: Any) -> None:
    with pytest.raises(UsageError, match="not a duration"):
        load(FIRE_RULES).session(max_delay=delay)


AFTER_CLOSING: dict[str, Callable[[Session], object]] = {
    "push": lambda session: session.push(temp(41, 200)),
    "advance_to": lambda session: session.advance_to(seconds(200)),
}


@pytest.mark.parametrize("use", AFTER_CLOSING)
@pytest.mark.parametrize("restored", [False, True])
def test_after_it_was_closed_a_session_takes_nothing_more(use: str, restored: bool) -> None:
    session = load(FIRE_RULES).session()
    session.push(*fire_stream())
    session.close()
    if restored:
        saved, session = session.save(), load(FIRE_RULES).session()
        session.restore(saved)
    with pytest.raises(UsageError, match="closed"):
        AFTER_CLOSING[use](session)
    assert session.close() == []


def test_an_event_that_breaks_the_promise_is_refused_and_no_other_is_taken_with_it() -> None:
    session = load(FIRE_RULES).session(max_duration="9 sec")
    first, smoke, last = fire_stream()
    with pytest.raises(DataError, match=r"temp.* lasts longer than max_duration, which is 9 sec"):
        session.push(first, smoke, last)
    shorter = temp(41, 71, 80)
    assert session.push(first, smoke, shorter) == []
    assert_same_events(
        session.close(),
        [
            event('fire{area{"a"}}', 65, 80),
            event('avg_temp{sensor{"s"}, value{40}}', 11, 80),
            event('burnt_down{sensor{"s"}}', 71, 92),
        ],
    )


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_a_run_hands_events_that_break_the_promise_to_reject(engine: Any) -> None:
    program, rejected = load(FIRE_RULES), []
    derived = program.run(fire_stream(), engine=engine, max_duration="9 sec", reject=rejected.append).derived
    assert [record.reason for record in rejected] == ["the event lasts longer than max_duration"]
    assert_same_events(derived, [])
    with pytest.raises(DataError, match="lasts longer than max_duration"):
        program.run(fire_stream(), engine=engine, max_duration=seconds(9))


@pytest.mark.parametrize("thing", ["temp{}", {"at": 1}, None, [temp(41, 1)]], ids=["text", "dict", "None", "list"])
def test_what_is_no_event_is_refused(thing: Any) -> None:
    with pytest.raises(UsageError, match=f"not {type(thing).__name__}"):
        load(FIRE_RULES).session().push(thing)


@pytest.mark.parametrize("time", [1.5, "80", None])
def test_what_is_no_time_is_refused(time: Any) -> None:
    with pytest.raises(UsageError, match="microseconds"):
        load(FIRE_RULES).session().advance_to(time)


def test_what_is_no_state_is_refused() -> None:
    with pytest.raises(UsageError, match="does not come from `save`"):
        load(FIRE_RULES).session().restore("x")  # type: ignore[arg-type]


def test_what_was_counted_is_saved_too() -> None:
    program = load("DETECT r{1 / var X} ON event a: a{var X} END")
    first, second = program.session(), program.session()
    first.push(event("a{0}", 1), event("a{1}", 2), event("a{1}", 1))
    assert (first.late, first.undefined) == (1, 1)
    second.restore(first.save())
    assert (second.late, second.undefined) == (1, 1)


def test_the_state_of_another_program_is_refused_and_the_session_stays_as_it_was() -> None:
    other = load("DETECT h{} ON and { event x: a{{}}, event y: b{{}} } END").session()
    other.push(event("a{}", 1), event("a{}", 2))
    session = load(FIRE_RULES).session()
    session.push(*fire_stream())
    with pytest.raises(UsageError, match="another program"):
        session.restore(other.save())
    assert_same_events(session.close(), [FIRE, AVERAGE, BURNT_DOWN])


def test_the_state_of_a_session_with_another_promise_is_refused() -> None:
    """It may hold events that are longer than what is promised now, and lack what they could meet."""
    saved = load(FIRE_RULES).session(max_duration="1 min").save()
    for promise in (None, "0 sec"):
        with pytest.raises(UsageError, match="max_duration"):
            load(FIRE_RULES).session(max_duration=promise).restore(saved)
    load(FIRE_RULES).session(max_duration="60 sec").restore(saved)


@pytest.mark.parametrize("cut", [0, 10, 60, -1])
def test_bytes_that_are_no_state_are_refused(cut: int) -> None:
    session = load(FIRE_RULES).session()
    session.push(*fire_stream())
    with pytest.raises(UsageError, match="state"):
        session.restore(session.save()[:cut])


def call(function: tuple[str, str], argument: str) -> bytes:
    """A pickle that calls a function, as somebody might write it in the place of a state."""
    module, name, given = (b"\x8c" + bytes([len(part)]) + part.encode() for part in (*function, argument))
    return b"\x80\x04" + module + name + b"\x93" + given + b"\x85R."


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("io", "open"),
        ("cera.engines.local.state", "io.open"),
        ("cera.model.calendars.calendar_files", "load_calendars"),
    ],
)
def test_reading_a_state_back_runs_nothing_but_cera_s_own_classes(module: str, name: str) -> None:
    with pytest.raises(pickle.UnpicklingError, match="does not belong in a state"):
        restore(call((module, name), "/dev/null"))


def test_a_state_belongs_to_event_types_in_any_order() -> None:
    paid, shipped = "Paid := ;(E1, E2);", "Shipped := ;(first: Paid, and(E3, E4));"
    before, after = load(f"{paid}\n{shipped}\n").session(), load(f"{shipped}\n{paid}\n").session()
    before.push(event("E1{}", 1), event("E2{}", 2), event("E3{}", 3))
    after.restore(before.save())
    after.push(event("E4{}", 4))
    assert [derived.event.label for derived in after.close()] == ["Shipped"]
