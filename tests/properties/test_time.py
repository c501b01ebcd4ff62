"""Theorem 2 of seed 001 (X-29): what happens outside of an interval does not matter inside."""

from __future__ import annotations

from hypothesis import strategies as st

from cera.model.events.event import Event
from cera.model.time.interval import Interval
from cera.modules.module import Settings
from cera.modules.rules.module import RuleModule
from cera.testing import SECOND
from module_runs import run_by_definition
from properties.generator import FEATURES, LAST_SECOND, Case, cases
from properties.holding import holds_for
from properties.theories import EXTENT, model_of, rules_of

CASES = cases() | cases(recursive=True)
TIMES = st.integers(-5, LAST_SECOND + 35).map(lambda second: second * SECOND)
INTERVALS = st.tuples(TIMES, TIMES).map(lambda times: Interval(min(times), max(times)))


@holds_for(st.tuples(CASES, INTERVALS))
def test_X_29_the_model_within_an_interval_needs_only_the_events_within_it(drawn: tuple[Case, Interval]) -> None:
    """M_{P,E|t}|t = M_{P,E}|t. Absolute timers are events of the calendar, not of E: they tick in both."""
    case, bounds = drawn
    program = rules_of(case)
    stream = [event for event in case.events if bounds.contains(event.interval)]
    assert inside(model_of(program, stream).events, bounds) == inside(model_of(program, case.events).events, bounds)


def inside(events: object, bounds: Interval) -> set[Event]:
    return {event for event in events if bounds.contains(event.interval)}  # type: ignore[attr-defined]


@holds_for(st.tuples(CASES, TIMES))
def test_X_29_an_event_is_known_at_its_end(drawn: tuple[Case, int]) -> None:
    """Cut at a time, a replay answers what the whole replay answers up to then, derivations included."""
    case, until = drawn
    program = rules_of(case)
    whole, cut = (
        RuleModule(program).definition(Settings(until=now)).answer(case.events, EXTENT) for now in (None, until)
    )
    assert cut.derived == tuple(derived for derived in whole.derived if derived.event.end <= until)


#: What an absolute timer depends on besides the events: the stretch of time that a replay covers.
STRETCHED = {"absolute timer"}


@holds_for(st.tuples(cases(FEATURES - STRETCHED), TIMES))
def test_X_29_an_event_is_known_at_its_end_whatever_the_replay_covers(drawn: tuple[Case, int]) -> None:
    """Without absolute timers the stretch of time that the replay covers does not matter: it may follow the events."""
    case, until = drawn
    program = rules_of(case)
    whole, cut = (run_by_definition(program, case.events, until=now) for now in (None, until))
    assert cut.derived == tuple(derived for derived in whole.derived if derived.event.end <= until)
