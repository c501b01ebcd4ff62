"""The local engine against the reference where months, days and time zones matter: streams over half a year.

The streams of the generator last half a minute, so bounds of a month are never reached there.
"""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from cera.model.calendars.calendar_files import Calendar, parse_calendars
from cera.model.events.event import Event
from cera.model.terms.term import Term
from cera.model.time.interval import Interval
from cera.model.time.time_text import parse_datetime
from cera.program import load
from cera.rules.rule import RuleProgram
from cera.testing import SECOND
from module_runs import run_by_definition, run_locally
from properties.holding import holds_for
from properties.local_runs import differences

DAY, HOUR = 86_400 * SECOND, 3_600 * SECOND
ZONES = ("UTC", "Europe/Berlin", "America/New_York")

CALENDARS: tuple[Calendar, ...] = parse_calendars(
    """
    [office]
    hours = ["09:00", "17:30"]
    weekdays = ["mon", "tue", "wed", "thu", "fri"]
    [night]
    hours = ["22:00", "06:00"]
    [payday]
    cron = "0 12 1 * *"
    """,
    "calendars of the test",
)

PROGRAMS = {
    "within a month": """
        DETECT h{var X} ON and { event a: a{var X}, event b: b{var X} } where { {a, b} within 1 month } END""",
    "a month and a day": """
        DETECT h{var X} ON and { event a: a{var X}, event b: b{var X} }
        where { a before b, timeDiff(a, b) <= 1 month 1 day } END""",
    "begin within months": """
        DETECT h{var X} ON and { event a: a{var X}, event b: b{var X} } where { begin(b) - begin(a) < 2 months } END""",
    "not within a month": """
        DETECT h{var X} ON and { event a: a{var X}, event t: extend[a, 1 month], while t: not b{var X} } END""",
    "the month before": """
        DETECT h{var X, count(all var Y)} ON and { event a: a{var X}, event t: from-start-backward[a, 1 month],
        while t: collect b{var Y} } END""",
    "shifted by a month": """
        DETECT h{var X} ON and { event a: a{var X}, event t: shift-forward[a, 1 month], event b: b{var X} }
        where { b during extend(t, 3 days) } END""",
    "chained": """
        DETECT pair{var X} ON and { event a: a{var X}, event b: b{var X} }
        where { a before b, {a, b} within 1 month } END
        DETECT alone{var X} ON and { event p: pair{var X}, event t: extend[p, 1 month],
        while t: not pair{var X} } END""",
    "every morning": """
        DETECT h{count(all var X)} ON and { event t: timer:datetime{{hour{9}, weekday{1}}},
        event w: extend-begin[t, 3 days], while w: collect a{var X} } END""",
    "nights": "DETECT h{count(all var X)} ON and { event t: timer:night{{}}, while t: collect a{var X} } END",
    "office hours": "DETECT h{var X} ON event a: a{var X} where { a during timer:office{{}} } END",
    "payday": """
        DETECT h{var X} ON and { event t: timer:payday{{}}, event a: a{var X} }
        where { t before a, {t, a} within 1 week } END""",
}


def rules(name: str) -> RuleProgram:
    return load(PROGRAMS[name], calendars=CALENDARS).checked()


@st.composite
def streams(draw: st.DrawFn) -> list[Event]:
    """Events at times where a month, a night or an hour more or less decides."""
    events = []
    for _ in range(draw(st.integers(2, 10))):
        month = draw(st.integers(1, 6))
        day = draw(st.sampled_from((1, 2, 15, 28, 29, 30, 31)))
        hour = draw(st.sampled_from((0, 6, 9, 12, 22)))
        first = parse_datetime(f"2024-{month:02}-01", "UTC").begin + (day - 1) * DAY + hour * HOUR
        begin = first + draw(st.sampled_from((0, 0, 1, -1)))
        lasting = draw(st.sampled_from((0, 0, HOUR, 2 * DAY)))
        term = Term(draw(st.sampled_from("ab")), [draw(st.integers(0, 1))])
        events.append(Event(term, Interval(begin, begin + lasting)))
    return events


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_has_no_errors(name: str) -> None:
    assert rules(name)


@holds_for(st.tuples(st.sampled_from(sorted(PROGRAMS)), streams(), st.sampled_from(ZONES)), short=125, long=5_000)
def test_months_and_calendars_mean_the_same_to_both_engines(drawn: tuple[str, list[Event], str]) -> None:
    name, events, zone = drawn
    program = rules(name)
    ordered = sorted(events, key=lambda event: event.end)
    found = run_locally(program, ordered, timezone=zone, max_delay=0, max_duration=2 * DAY).derived
    assert not differences(found, run_by_definition(program, events, timezone=zone).derived)
