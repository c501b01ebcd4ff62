"""Periodic windows and gathering on every engine, by programs that are known to the last event."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cera.model.events.event import DerivedEvent
from cera.model.expressions.expression import EventReference, InOneWindow
from cera.model.time.interval import Interval
from cera.modules.rules.module import rule_layers
from cera.rules.rule import PeriodicWindow, RuleProgram
from cera.testing import event
from every_engine import EVERY_ENGINE
from module_runs import run_layers
from unit.rules.programs import program

pytestmark = pytest.mark.parametrize("engine", EVERY_ENGINE)

MINUTE = 60_000_000

TEMPERATURES = [
    event('temp{ area{"a"}, value{10} }', 0),
    event('temp{ area{"a"}, value{20} }', 40 * 60),
    event('temp{ area{"a"}, value{30} }', 70 * 60),
]


def window(*over: str, length: int = 60, slide: int = 30, origin: int = 0) -> PeriodicWindow:
    return PeriodicWindow("w", length * MINUTE, slide * MINUTE, origin * MINUTE, over)


def changed(text: str, windows: tuple[PeriodicWindow, ...], *gathered: str) -> RuleProgram:
    made = program(text)
    rules = [
        replace(rule, branches=tuple(replace(b, windows=windows, gathered=gathered) for b in rule.branches))
        for rule in made.rules
    ]
    return replace(made, rules=tuple(rules))


def answers(made: RuleProgram, events: list, engine: str) -> list[DerivedEvent]:  # type: ignore[type-arg]
    return list(run_layers(rule_layers(made), events, engine).derived)


def shown(derived: list[DerivedEvent]) -> list[tuple[float, float, str]]:
    """[begin, end[ in minutes, and the term."""
    return [(one.event.begin / MINUTE, (one.event.end + 1) / MINUTE, str(one.event.term)) for one in derived]


def test_S_07_the_average_of_an_hour_every_half_hour(engine: str) -> None:
    made = changed(
        "DETECT mean{ area{var A}, value{avg(all var V)} } ON event t: temp{{ area{var A}, value{var V} }} END",
        (window("t"),),
        "t",
    )
    derived = answers(made, TEMPERATURES, engine)
    assert shown(derived) == [
        (-30, 30, 'mean{area{"a"}, value{10}}'),
        (0, 60, 'mean{area{"a"}, value{15}}'),
        (30, 90, 'mean{area{"a"}, value{25}}'),
        (60, 120, 'mean{area{"a"}, value{30}}'),
    ]
    [derivation] = derived[1].derivations
    assert {name: str(cause.term) for name, cause in derivation.causes.items()} == {
        "w": '"timer:window"["1 hour", "30 min"]'
    }
    if engine != "spark":  # which does not list what was collected
        assert list(derivation.collected) == TEMPERATURES[:2]


def test_a_window_has_a_row_for_each_event_that_is_not_gathered(engine: str) -> None:
    made = changed("DETECT seen{ var V } ON event t: temp{{ value{var V} }} END", (window("t", slide=60),))
    assert shown(answers(made, TEMPERATURES, engine)) == [
        (0, 60, "seen{10}"),
        (0, 60, "seen{20}"),
        (60, 120, "seen{30}"),
    ]


def test_ERR_35_an_event_in_a_gap_is_in_no_window(engine: str) -> None:
    made = changed("DETECT seen{ var V } ON event t: temp{{ value{var V} }} END", (window("t", length=30, slide=60),))
    assert shown(answers(made, TEMPERATURES, engine)) == [(0, 30, "seen{10}"), (60, 90, "seen{30}")]


def test_ERR_38_a_group_counts_every_combination_of_gathered_events(engine: str) -> None:
    """Joined by a variable and by time; the events of the window that do not join do not count."""
    made = changed(
        """
        DETECT pairs{ key{var K}, n{count(all var X)}, s{sum(all var X)}, f{first(all var X)}, l{last(all var X)} }
        ON and { event a: a{{ key{var K}, x{var X} }}, event b: b{{ key{var K} }} } where { a before b }
        END
        """,
        (window("a", "b", slide=60),),
        "a",
        "b",
    )
    events = [
        event('a{ key{"k"}, x{3} }', 60),
        event('a{ key{"k"}, x{3} }', 120),
        event('a{ key{"m"}, x{5} }', 120),
        event('b{ key{"k"} }', 180),
        event('a{ key{"k"}, x{8} }', 200),
        event('b{ key{"k"} }', 240),
        event('b{ key{"m"} }', 61 * 60),  # in the next window
        event('a{ key{"k"}, x{1} }', 300),
    ]
    [found] = answers(made, events, engine)
    assert str(found.event.term) == 'pairs{f{3}, key{"k"}, l{8}, n{5}, s{20}}'
    assert found.event.interval == Interval(0, 60 * MINUTE - 1)


def test_the_answer_has_the_time_of_what_is_not_gathered(engine: str) -> None:
    made = changed(
        "DETECT before{ id{var I}, n{count(all var X)} } ON and { event a: a{{ var X }}, event b: b{{ var I }} }"
        " where { a before b, {a, b} within 10 min } END",
        (),
        "a",
    )
    events = [event(f"a{{{n}}}", n * 60) for n in range(5)] + [event("b{1}", 150, 200), event("b{2}", 12 * 60)]
    found = answers(made, events, engine)
    assert [(str(one.event.term), tuple(one.event.interval)) for one in found] == [
        ("before{id{1}, n{3}}", (150_000_000, 200_000_000)),
        ("before{id{2}, n{3}}", (720_000_000, 720_000_000)),
    ]


def test_a_periodic_window_may_be_the_window_of_accumulations(engine: str) -> None:
    made = program(
        "DETECT calm{ a{var A}, n{count(all var V)} } ON and { event a: a{{ var A }}, while a: collect c{{ var V }},"
        " while a: not d{{ var A }} } END"
    )
    [branch] = made.rules[0].branches
    branch = replace(
        branch,
        windows=(window("a", length=10, slide=10),),
        collections=tuple(replace(part, window="w") for part in branch.collections),
        absences=tuple(replace(part, window="w") for part in branch.absences),
    )
    made = replace(made, rules=(replace(made.rules[0], branches=(branch,)),))
    events = [
        *(event("a{1}", 60), event("c{7}", 30), event("c{8}", 599), event("c{9}", 600)),
        *(event("a{2}", 700), event("d{2}", 1100), event("c{1}", 1000)),
    ]
    assert shown(answers(made, events, engine)) == [(0, 10, "calm{a{1}, n{2}}")]


def test_a_condition_that_events_lie_in_one_window_is_answered_with_the_last_of_them(engine: str) -> None:
    made = program("DETECT both{ var X, var Y } ON and { event a: a{{ var X }}, event b: b{{ var Y }} } END")
    [branch] = made.rules[0].branches
    condition = InOneWindow((EventReference("a"), EventReference("b")), 10 * MINUTE, 5 * MINUTE, MINUTE)
    made = replace(made, rules=(replace(made.rules[0], branches=(replace(branch, conditions=(condition,)),)),))
    events = [event("a{1}", 0), event("b{1}", 5 * 60), event("b{2}", 6 * 60 - 1), event("b{3}", 6 * 60)]
    found = answers(made, events, engine)
    assert [(str(one.event.term), one.event.end) for one in found] == [
        ("both{1, 1}", 300_000_000),
        ("both{1, 2}", 359_000_000),
    ]


def test_gathered_events_of_the_branches_of_an_or_are_one_group(engine: str) -> None:
    made = changed(
        "DETECT either{ n{count(all var X)}, s{sum(all var X)} } ON or { event e: a{{ var X }}, event e: b{{ var X }} }"
        " END",
        (window("e", slide=60),),
        "e",
    )
    events = [event("a{1}", 60), event("b{2}", 120), event("b{2}", 180)]
    assert shown(answers(made, events, engine)) == [(0, 60, "either{n{3}, s{5}}")]


def test_rules_over_answers_of_windows(engine: str) -> None:
    made = program(
        """
        DETECT mean{ value{avg(all var V)} } ON event t: temp{{ value{var V} }} END
        DETECT rise{ var X, var Y } ON and { event i: mean{{ value{var X} }}, event j: mean{{ value{var Y} }} }
          where { i before j, {i, j} within 3 hour } END
        """
    )
    [branch] = made.rules[0].branches
    tumbling = replace(branch, windows=(window("t", slide=60),), gathered=("t",))
    made = replace(made, rules=(replace(made.rules[0], branches=(tumbling,)), made.rules[1]))
    assert shown(answers(made, TEMPERATURES, engine)) == [
        (0, 60, "mean{value{15}}"),
        (0, 120, "rise{15, 30}"),
        (60, 120, "mean{value{30}}"),
    ]


@pytest.mark.parametrize("gathering", [False, True], ids=["collected", "gathered"])
def test_in_the_formal_semantics_a_substitution_counts_once_where_it_comes_first(engine: str, gathering: bool) -> None:
    head = "DETECT r{ f{first(all var V)}, l{last(all var V)}, n{count(all var V)} }"
    if gathering:
        made = changed(f"{head} ON event b: b{{{{ var V }}}} END", (window("b", slide=60),), "b")
    else:
        made = program(f"{head} ON and {{ event w: w{{{{}}}}, while w: collect b{{{{ var V }}}} }} END")
    events = [event("w{}", 0, 10), *(event(f"b{{{value}}}", at) for at, value in enumerate((5, 3, 8, 5, 4, 3)))]
    [found] = answers(replace(made, semantics="formal"), events, engine)
    assert str(found.event.term) == "r{f{5}, l{4}, n{4}}"
