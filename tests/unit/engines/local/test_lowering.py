"""Physical plans of the event-by-event engine: what is stored, what waits, and what one function does at once."""

from __future__ import annotations

from typing import TypeVar

from cera.algebra.physical import (
    ClockWindows,
    Collect,
    Derive,
    Forgetting,
    Lookup,
    Pairs,
    PhysicalPlan,
    Probe,
    Wait,
)
from cera.algebra.relevance import Relevance
from cera.diagnostics import Source
from cera.engines.local.engine import plan_of
from cera.engines.local.lowering import lower
from cera.languages.streamlog.lowering import lower as lower_streamlog
from cera.languages.streamlog.parser import parse
from cera.program import load
from cera.rules.rule import RuleProgram

T = TypeVar("T")

MINUTE = 60_000_000

JOIN = """
DETECT hot { area { var A } }
ON and { event s: smoke {{ area {{ var A }} }}, event t: temp {{ area {{ var A }}, value {{ var T }} }} }
where { {s, t} within 1 min, s before t }
END
"""
AVERAGE = """
DETECT average { sensor { var S }, value { avg(all var T) } }
ON and {
  event m: temp {{ sensor {{ var S }} }},
  event i: timer:from-start-backward [event m, 1 min],
  while i: collect temp {{ sensor {{ var S }}, value {{ var T }} }}
}
END
"""
QUIET = """
DETECT quiet { sensor { var S } }
ON and {
  event n: temp {{ sensor {{ var S }} }},
  event i: timer:from-end [event n, 12 sec],
  while i: not temp {{ sensor {{ var S }} }}
}
END
"""


def lowered(text: str) -> PhysicalPlan:
    return of_rules(load(text).rules)


def of_rules(program: RuleProgram) -> PhysicalPlan:
    plan = plan_of(program)
    return lower(plan, Relevance(plan, 0))


def streamlog(text: str) -> PhysicalPlan:
    return of_rules(lower_streamlog([parse(Source("rules.slog", text)).program], "UTC").program)


def only(plan: PhysicalPlan, kind: type[T]) -> T:
    [found] = [part for part in plan.parts if isinstance(part, kind)]
    return found


def test_the_side_of_a_join_whose_rows_can_meet_nothing_later_has_no_store() -> None:
    plan = lowered(JOIN)
    pairs = only(plan, Pairs)
    [store] = plan.stores
    assert (pairs.left.store, pairs.right.store) == (store.number, None)
    assert (store.of, store.key, store.horizon, store.windows) == (("s",), ("A",), MINUTE, 0)


def test_a_pair_is_found_in_a_loop_so_its_slot_is_not_finished_at_once() -> None:
    plan = lowered(JOIN)
    assert only(plan, Derive).head.written
    assert {feed.label: feed.alone for feed in plan.feeds} == {"smoke": frozenset(), "temp": frozenset()}


def test_a_window_that_feeds_one_head_is_collected_and_summed_up() -> None:
    plan = lowered(AVERAGE)
    collect = only(plan, Collect)
    [store] = plan.stores
    assert collect.head.written
    assert (collect.window.store, store.windows, store.horizon) == (store.number, 1, MINUTE)
    assert {collect.window.right.columns[at].name for at in store.summed} == {"T"}


def test_the_window_of_an_event_that_has_ended_is_collected_at_once() -> None:
    plan = lowered(AVERAGE)
    [feed] = plan.feeds
    assert feed.alone == {only(plan, Collect).slot}


def test_rows_wait_for_the_timer_of_an_absence_and_not_once_more_for_their_head() -> None:
    plan = lowered(QUIET)
    probe = only(plan, Probe)
    [before, after] = sorted((part for part in plan.parts if isinstance(part, Wait)), key=lambda wait: wait.slot)
    assert probe.input is before
    assert [before.layout.columns[at].name for at in before.timers] == ["i"]
    assert after.timers == ()


def test_windows_over_the_same_rows_share_a_store_for_the_longest_of_them() -> None:
    longer = AVERAGE.replace("average", "longer").replace("1 min", "3 min")
    plan = lowered(AVERAGE + longer)
    [store] = plan.stores
    assert (store.windows, store.horizon) == (2, 3 * MINUTE)


def test_events_that_rules_derive_have_no_function_of_their_own() -> None:
    plan = lowered(QUIET + "DETECT noted { var S } ON quiet {{ sensor {{ var S }} }} END")
    assert {feed.label: feed.alone is None for feed in plan.feeds} == {"temp": False, "quiet": True}
    assert plan.queries_what_it_derives


def test_windows_of_the_clock_say_whether_a_row_has_one_or_several() -> None:
    rule = "Range 1h{}: busy(n(count(I))) <- item(item(I))."
    assert only(streamlog(rule.format("")), ClockWindows).is_tumbling
    assert not only(streamlog(rule.format(" Slide 30min")), ClockWindows).is_tumbling


def test_a_plan_of_a_program_is_the_same_each_time() -> None:
    assert lowered(JOIN + AVERAGE + QUIET) == lowered(JOIN + AVERAGE + QUIET)
    assert not [part for part in lowered(JOIN).parts if isinstance(part, Lookup | Forgetting)]
