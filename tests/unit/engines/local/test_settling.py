"""Rules with settlements: answers come when they are certain, and what was kept for them goes."""

from __future__ import annotations

import json
from dataclasses import replace

from cera.connectors.event_lines import event_line
from cera.diagnostics import Source
from cera.engines.local.answer_lines import AnswerLines
from cera.languages.streamlog.lowering import lower
from cera.languages.streamlog.parser import parse
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.occurrence import Occurrence, occurrence
from cera.model.time.time_text import TimeFormat
from cera.modules.driving import Driver
from cera.modules.module import Settings
from cera.modules.rules.module import RuleModule
from cera.rules.rule import RuleProgram
from cera.rules.settlements import ClosingEvent, MostMatches, Settlement
from cera.testing import SECOND, event

OFFERED = "Range 24h: offered(auction(A), number(count(I))) <- item(auction(A), item(I))."


def program_of(text: str) -> RuleProgram:
    return lower([parse(Source("auctions.slog", text)).program], "UTC").program


def driver_of(text: str, *settlements: Settlement) -> Driver:
    program = program_of(text)
    [rule] = program.rules
    settled = replace(program, rules=(replace(rule, settlements=settlements),))
    return Driver(RuleModule(settled).processor(Settings(max_duration=0)), 0)


def closed_by(text: str, *by: str) -> ClosingEvent:
    return ClosingEvent(program_of(f"x(id(A)) <- {text}.").rules[0].branches[0].events[0].pattern, by)


def item(auction: int, number: int, at: float) -> Event:
    return event(f"item{{auction{{{auction}}}, item{{{number}}}}}", at)


def pushed(driver: Driver, *events: Event) -> list[DerivedEvent]:
    return [one.result() for each in events for one in driver.push([occurrence(each)])]


def test_an_answer_comes_with_the_event_that_closes_its_group() -> None:
    driver = driver_of(OFFERED, closed_by("end(auction(A))", "A"))
    assert pushed(driver, item(1, 1, 10), item(2, 1, 11), item(1, 2, 12)) == []
    [found] = pushed(driver, event("end{auction{1}}", 20), event("tick{1}", 21))
    assert str(found.event.term) == "offered{auction{1}, number{2}}"
    assert (found.known, found.event.end) == (20 * SECOND, 24 * 3600 * SECOND - 1)
    assert driver.counts.in_state == 2  # a row of the other auction, and the end of the window
    [other] = [one.result() for one in driver.close()]
    assert str(other.event.term) == "offered{auction{2}, number{1}}"
    assert other.known == other.event.end


def test_what_ends_with_the_closing_event_still_counts() -> None:
    driver = driver_of(OFFERED, closed_by("end(auction(A))", "A"))
    found = pushed(driver, item(1, 1, 10), event("end{auction{1}}", 20), item(1, 2, 20), event("tick{1}", 21))
    assert [str(one.event.term) for one in found] == ["offered{auction{1}, number{2}}"]


def test_a_full_group_is_complete_at_once() -> None:
    driver = driver_of(OFFERED, MostMatches(2, ("A",)))
    found = pushed(driver, item(1, 1, 10), item(2, 1, 11), item(1, 2, 12), event("tick{1}", 13))
    assert [(str(one.event.term), one.known) for one in found] == [("offered{auction{1}, number{2}}", 12 * SECOND)]


def test_a_bound_on_all_groups_settles_all_of_them() -> None:
    driver = driver_of(OFFERED, MostMatches(3, ()))
    found = pushed(driver, item(1, 1, 10), item(2, 1, 11), item(1, 2, 12), event("tick{1}", 13))
    assert sorted(str(one.event.term) for one in found) == [
        "offered{auction{1}, number{2}}",
        "offered{auction{2}, number{1}}",
    ]


def test_settled_groups_do_not_stay_among_those_that_wait() -> None:
    driver = driver_of(OFFERED, closed_by("end(auction(A))", "A"))
    for auction in range(1_000):
        pushed(driver, item(auction, 1, auction), event(f"end{{auction{{{auction}}}}}", auction + 0.5))
    assert driver.counts.in_state < 200


def test_the_closing_event_is_read_by_the_rule_and_shown_in_its_plan() -> None:
    program = program_of(OFFERED)
    [rule] = program.rules
    module = RuleModule(replace(program, rules=(replace(rule, settlements=(closed_by("end(auction(A))", "A"),)),)))
    assert module.reads == {"item", "end"}


PROFIT = "unbounded: profit(auction(A), item(I)) <- item(auction(A), item(I)) and sale(auction(A), item(I))."
UNSOLD = "Range 24h: unsold(auction(A), item(I)) <- item(auction(A), item(I)) and not sale(auction(A), item(I))."


def sale(auction: int, number: int, at: float) -> Event:
    return event(f"sale{{auction{{{auction}}}, item{{{number}}}}}", at)


def test_a_rule_forgets_the_groups_that_are_over() -> None:
    closing = replace(closed_by("end(auction(A))", "A"), settles=False, forgets=True)
    driver = driver_of(PROFIT, closing)
    found = []
    for auction in range(1_000):
        at = 10.0 * auction
        found += pushed(driver, item(auction, 1, at), item(auction, 2, at + 1), sale(auction, 2, at + 2))
        found += pushed(driver, event(f"end{{auction{{{auction}}}}}", at + 3))
    assert len(found) == 1_000
    assert driver.counts.in_state < 400  # of three thousand rows


def test_what_a_window_holds_is_forgotten_with_the_answers_that_asked_for_it() -> None:
    closing = replace(closed_by("end(auction(A))", "A"), forgets=True)
    driver = driver_of(UNSOLD, closing)
    found = []
    for auction in range(1_000):
        at = 10.0 * auction
        found += pushed(driver, item(auction, 1, at), item(auction, 2, at + 1), sale(auction, 2, at + 2))
        found += pushed(driver, event(f"end{{auction{{{auction}}}}}", at + 3))
    assert len(found) == 999, "the last end is not yet followed by anything"
    assert driver.counts.in_state < 400


def test_a_row_of_the_step_in_which_its_group_is_over_is_settled_before_anything_is_forgotten() -> None:
    driver = driver_of(UNSOLD, replace(closed_by("end(auction(A))", "A"), forgets=True))
    found = pushed(driver, event("end{auction{1}}", 20), sale(1, 1, 20), item(1, 1, 20), item(1, 2, 20))
    found += [one.result() for one in driver.close()]
    assert [str(one.event.term) for one in found] == ["unsold{auction{1}, item{2}}"]


def flat(label: str, at: int, **content: int) -> Occurrence:
    return Occurrence(at * SECOND, at * SECOND, label, content)


def test_a_group_that_is_complete_with_its_first_event_is_not_kept() -> None:
    driver = driver_of(OFFERED, MostMatches(1, ("A",)))
    found = driver.push([flat("item", 10, auction=1, item=1), flat("item", 11, auction=2, item=1), flat("tick", 12)])
    assert [str(one.result().event.term) for one in found] == [
        "offered{auction{1}, number{1}}",
        "offered{auction{2}, number{1}}",
    ]
    assert driver.counts.in_state == 0


def test_the_values_of_one_event_are_counted_together_where_one_event_is_all() -> None:
    driver = driver_of(OFFERED, MostMatches(1, ("A",)))
    found = pushed(driver, event("item{auction{1}, item{1}, item{2}}", 10), event("tick{1}", 12))
    assert [str(one.event.term) for one in found] == ["offered{auction{1}, number{2}}"]


def test_groups_are_forgotten_with_flat_and_with_nested_events() -> None:
    over = replace(closed_by("end(auction(A))", "A"), settles=False, forgets=True)
    driver = driver_of(PROFIT, over)
    for number in range(1_000):
        at = 3 * number
        end = occurrence(event(f"end{{auction{{{number}}}, note{{by{{1}}}}}}", at + 1))
        end = end if number % 2 else flat("end", at + 1, auction=number)
        driver.push([flat("item", at, auction=number, item=1, value=2), end, flat("tick", at + 2)])
    assert driver.counts.in_state < 200  # of a thousand rows


def test_events_of_several_labels_end_groups_in_one_piece() -> None:
    """The store of a rule by the values of a group forgets it at once, one by more values when there are many."""
    by_auction = "unbounded: sold(auction(A)) <- item(auction(A), item(I)) and sale(auction(A), item(J))."
    over = [replace(closed_by(f"{label}(auction(A))", "A"), settles=False, forgets=True) for label in ("end", "stop")]
    for rule, most in ((by_auction, 0), (PROFIT, 300)):
        driver = driver_of(rule, *over)
        found = []
        for number in range(200):
            at = 10 * number
            found += driver.push([flat("item", at, auction=a, item=1) for a in (2 * number, 2 * number + 1)])
            found += driver.push([flat("sale", at + 1, auction=2 * number, item=1), flat("tick", at + 2)])
            ends = [flat("end", at + 3, auction=2 * number), flat("stop", at + 4, auction=2 * number + 1)]
            found += driver.push([*ends, flat("tick", at + 5)])
        assert len(found) == 200
        assert driver.counts.in_state <= most, rule


def test_the_line_of_an_early_answer_says_when_it_was_known() -> None:
    driver = driver_of(OFFERED, closed_by("end(auction(A))", "A"))
    found = driver.push([flat("item", 10, auction=1, item=1), flat("end", 20, auction=1), flat("tick", 21)])
    found = [*found, *driver.push([flat("item", 30, auction=2, item=1)]), *driver.close()]
    times = TimeFormat()
    lines = [AnswerLines(times).line(one) for one in found]
    assert [line.text for line in lines if line] == [
        json.dumps(event_line(one.result(), times), ensure_ascii=False) for one in found
    ]
    assert [line is not None and '"known"' in line.text for line in lines] == [True, False]
