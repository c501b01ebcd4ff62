"""Programs of several languages: rules and modules see what others derive."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

import cera
from cera.errors import UsageError
from cera.model.events.event import Event
from cera.testing import event

BOTH = pytest.mark.parametrize("engine", ["reference", "local"])

HOT = "DETECT hot{sensor{var S}} ON event t: temp{{ sensor{var S}, value{var V} }} where { var V > 40 } END"
TWICE = "begin Twice monitor hot, cool; partition by sensor; R: (hot(X), hot(Y)) as twice(X.sensor). end."
ALARM = """DETECT alarm{var S} ON and { event t: twice{{ sensor{var S} }}, event h: hot{{ sensor{var S} }} }
where { h finishes t } END"""


def temp(sensor: str, value: int, time: float) -> Event:
    return event(f'temp{{sensor{{"{sensor}"}}, value{{{value}}}}}', time)


READINGS = [temp("a", 50, 1), temp("b", 50, 2), temp("a", 30, 3), temp("a", 51, 4), event('cool{sensor{"b"}}', 5)]
READINGS += [temp("b", 60, 6)]


def found(program: cera.Program, events: list[Event], engine: Any) -> list[str]:
    return [str(one.event.term) for one in program.run(events, engine=engine).derived]


@BOTH
def test_rules_see_what_modules_derive_and_modules_what_rules_derive(engine: str) -> None:
    program = cera.load([HOT, TWICE, ALARM])
    assert program.check() == ()
    names = [[unit.name for module in layer.modules for unit in module.units] for layer in program.layers.layers]
    assert names == [["hot"], ["Twice"], ["alarm"]]
    last = [
        (str(one.event), [way.rule for way in one.derivations])
        for one in program.run(READINGS, engine=engine).derived  # type: ignore[arg-type]
        if one.event.label != "hot"
    ]
    assert last == [
        ('alarm{"a"}[1000000,4000000]', ["alarm"]),
        ('twice{sensor{"a"}}[1000000,4000000]', ["Twice.R"]),
    ]


@BOTH
def test_modules_see_what_other_modules_derive(engine: str) -> None:
    text = """begin Two monitor seen; S: (seen(X), seen(Y)) as both(X.n, other: Y.n). end.
      begin One monitor A; R: A(X) as seen(X.n). end."""
    events = [event(f"A{{n{{{n}}}}}", n) for n in (1, 2)]
    assert found(cera.load(text), events, engine) == ["seen{n{1}}", "both{n{1}, other{2}}", "seen{n{2}}"]


@BOTH
def test_a_module_sees_an_event_once_that_is_derived_and_in_the_input(engine: str) -> None:
    rules = "DETECT A{n{1}} ON event b: b{} END"
    module = "begin M monitor A; R: A(X) as seen(X.n). end."
    program = cera.load([rules, module])
    derived = program.run([event("b{}", 1), event("A{n{1}}", 1)], engine=engine).derived  # type: ignore[arg-type]
    assert [str(one.event.term) for one in derived] == ["A{n{1}}", "seen{n{1}}"]


@BOTH
def test_what_a_rule_and_a_module_derive_alike_is_one_event_with_both_derivations(engine: str) -> None:
    rules = "DETECT seen{n{var N}} ON event a: A{n{var N}} END"
    module = "begin M monitor A; R: A(X) as seen(X.n). end."
    [one] = cera.load([rules, module]).run([event("A{n{1}}", 1)], engine=engine).derived  # type: ignore[arg-type]
    assert sorted(way.rule for way in one.derivations) == ["M.R", "seen"]


@BOTH
def test_what_is_sent_away_is_not_seen(engine: str) -> None:
    rules = 'RAISE to(recipient="x", transport="y") { A{n{1}} } ON event b: b{} END'
    module = "begin M monitor A; R: A(X) as seen(X.n). end."
    assert found(cera.load([rules, module]), [event("b{}", 1)], engine) == ["A{n{1}}"]


@BOTH
def test_timers_below_and_above_a_module_run_out(engine: str) -> None:
    below = "DETECT late{} ON and { event a: a{}, event t: from-end[a, 10 sec] } END"
    module = "begin M monitor late, a; R: (a(X), late(Y)) as missed(). end."
    above = "DETECT over{} ON and { event m: missed{}, event t: from-end[m, 5 sec] } END"
    program = cera.load([below, module, above])
    derived = program.run([event("a{}", 1)], engine=engine).derived  # type: ignore[arg-type]
    assert [str(one.event) for one in derived] == [
        "late{}[1000000,11000000]",
        "missed{}[1000000,11000000]",
        "over{}[1000000,16000000]",
    ]
    with_end = program.run([event("a{}", 1)], engine=engine, until=12_000_000).derived  # type: ignore[arg-type]
    assert [one.event.label for one in with_end] == ["late", "missed"]


@BOTH
def test_absolute_timers_above_a_module_tick_as_long_as_the_recording_lasts(engine: str) -> None:
    """Every minute: 00:00 and 00:01 lie in the recording, 00:02 only in the time until the last timer has run out."""
    below = "DETECT late{} ON and { event a: a{}, event t: from-end[a, 2 min] } END"
    module = "begin M monitor late; R: late(X) as seen(). end."
    above = (
        """DETECT tick{var M} ON and { event t: timer:datetime{{ minute{var M}, second{0} }}, event s: seen{} } END"""
    )
    program = cera.load([below, module, above])
    assert not program.errors, program.errors
    derived = program.run([event("a{}", 0), event("b{}", 61)], engine=engine).derived  # type: ignore[arg-type]
    assert [str(one.event.term) for one in derived] == ["late{}", "seen{}", "tick{0}", "tick{1}"]


HOPS = [event(f'hop{{from{{"{x}"}}, to{{"{y}"}}}}', time) for time, (x, y) in enumerate(("ab", "bc", "cd", "da"), 1)]
STEPS = [event(str(hop.term).replace("hop", "step"), number) for number, hop in enumerate(HOPS, 1)]
PATHS = """DETECT path{from{var X}, to{var Y}} ON hop{{ from{var X}, to{var Y} }} END
DETECT path{from{var X}, to{var Z}}
ON and { event p: path{{ from{var X}, to{var Y} }}, event h: hop{{ from{var Y}, to{var Z} }} }
where { p before h } END"""
WALK = "begin Walk monitor step; R: step(X) as hop(X.from, X.to). end."
ROUND = "begin Round monitor path; R: path(X, X.from = X.to) as round(X.from). end."


@BOTH
def test_recursive_rules_lie_above_a_module_and_below_one(engine: str) -> None:
    program = cera.load([WALK, PATHS, ROUND])
    assert program.errors == ()
    names = [[unit.name for module in layer.modules for unit in module.units] for layer in program.layers.layers]
    assert names == [["Walk"], ["path", "path#2"], ["Round"]]
    derived = found(program, STEPS, engine)
    assert [one for one in derived if one.startswith("round")] == ['round{from{"a"}}']
    assert [one for one in derived if one.startswith("path")] == found(cera.load(PATHS), HOPS, engine)


@BOTH
def test_event_types_are_chained_with_recursive_rules(engine: str) -> None:
    below = "Walk := or(step) as hop(step.from, step.to);"
    above = "Round := or(path) where path.from = path.to as round(path.from);"
    program = cera.load([cera.Source("walk.cet", below), PATHS, cera.Source("round.cet", above)])
    assert program.errors == ()
    derived = found(program, STEPS, engine)
    assert [one for one in derived if one.startswith("round")] == ['round{from{"a"}}']
    assert [one for one in derived if one.startswith("path")] == found(cera.load(PATHS), HOPS, engine)


def test_a_recursion_through_a_rule_that_is_recursive_and_a_module_is_shown_as_a_circle() -> None:
    back = "begin Back monitor path; R: path(X) as hop(from: X.to, to: X.from). end."
    [problem] = cera.load([PATHS, back]).errors
    assert problem.code == "EP303"
    assert "Back → path" in problem.message
    assert problem.message.endswith("→ Back")


def test_a_circle_through_a_rule_and_a_module_is_an_error_with_its_places(tmp_path: Path) -> None:
    (tmp_path / "rules.xceq").write_text("DETECT A{var N} ON event s: seen{{ n{var N} }} END\n")
    (tmp_path / "module.epl").write_text("begin M\n  monitor A;\n  R: A(X) as seen(X.n).\nend.\n")
    program = cera.load([tmp_path / "rules.xceq", tmp_path / "module.epl"])
    [problem] = program.errors
    assert problem.code == "EP303"
    assert "M → A → M" in problem.message
    places = [problem.span, *(note.span for note in problem.notes)]
    assert [f"{Path(each.source.name).name}:{each.line}" for each in places if each is not None] == [
        "module.epl:2",
        "rules.xceq:1",
        "rules.xceq:1",
        "module.epl:3",
    ]


def test_a_module_may_not_monitor_what_it_derives_itself() -> None:
    [problem] = cera.load("begin M monitor A; R: A(X) as A(X.n). end.").errors
    assert (problem.code, problem.message) == ("EP303", "the module `M` monitors events that it derives itself")


def test_a_module_that_is_not_enabled_closes_no_circle() -> None:
    text = "begin M monitor A; R: A(X) as B(X.n). end. begin N monitor B; R: B(X) as A(X.n). end."
    assert [problem.code for problem in cera.load(text).errors] == ["EP303"]
    assert cera.load(text, enable=["N"]).errors == ()


def test_labels_that_modules_derive_are_known_to_the_checks_of_rules() -> None:
    module = "begin M monitor A; R: A(X) as observed(X.n). end."
    near = "DETECT x{} ON event o: obsreved{{}} END"
    right = "SOURCE A\nDETECT x{} ON event o: observed{{}} END"
    assert [(d.code, d.hint and d.hint[:27]) for d in cera.load([module, near]).check()] == [
        ("XC104", "did you mean `observed`? If")
    ]
    assert cera.load([module, right]).check() == ()


def test_a_session_gives_what_a_run_gives_and_can_be_saved_anywhere() -> None:
    texts = [HOT, TWICE, ALARM, "begin All monitor temp; R: [temp(X), temp(Y, Y.sensor = X.sensor)] as p(). end."]
    program = cera.load(texts)
    expected = program.run(READINGS, engine="reference").derived
    for seed in range(10):
        random = Random(seed)
        session = program.session()
        got = []
        for each in READINGS:
            got += session.push(each)
            if random.random() < 0.5:
                saved = session.save()
                session = cera.load(texts).session()
                session.restore(saved)
        got += session.close()
        assert sorted(got, key=lambda one: one.event.output_key) == list(expected)
        assert session.live > 0


def test_the_state_of_another_module_is_refused() -> None:
    session = cera.load("begin M monitor A; R: (A(X), A(Y)). end.").session()
    session.push(event("A{}", 1))
    other = cera.load("begin M monitor A; R: (A(X), A(Y, Y.n = 1)). end.").session()
    with pytest.raises(UsageError, match="another program"):
        other.restore(session.save())


def test_a_late_event_is_told_to_a_session_with_modules() -> None:
    late: list[Event] = []
    session = cera.load("begin M monitor A; R: (A(X), A(Y)). end.").session(max_delay="5 sec", late=late.append)
    session.push(event("A{n{1}}", 10), event("A{n{2}}", 7), event("A{n{3}}", 2))
    assert late == [event("A{n{3}}", 2)]
    assert len(session.close()) == 1
