"""C-02 to C-08, C-14, C-15, C-17, C-20: what the operators of CERA do, on relations written by hand.

The theorems are tested on random programs as well, in `properties/test_algebra` (C-15, C-20, C-23, C-24); the steps of
the engine are in `test_local_entries`.
"""

from __future__ import annotations

from typing import Any

import pytest

from cera.algebra.differencing import delta, old
from cera.algebra.operators import (
    AntiSemiJoin,
    Construction,
    Expression,
    Join,
    Matching,
    Merging,
    Projection,
    Reference,
    RelativeTimers,
    Renaming,
    Selection,
    Stream,
    TemporalJoin,
    Union,
    walk,
)
from cera.algebra.schema import STREAM, Schema, SchemaError
from cera.algebra.translation import translate
from cera.engines.reference.entailment import Theory
from cera.model.events.event import Event
from cera.model.expressions.expression import Comparison, Literal, Variable
from cera.model.time.durations import parse_duration
from cera.program import load
from cera.testing import SECOND, assert_same_events, event, seconds
from conformance.asking import AVERAGE, BURNT_DOWN, FIRE, FIRE_RULES, RULES, fire_stream, temp
from relational import Relation, Tuple, World, event_of, fact, happening, last_end, occurrence_time, trace_of, values_of


def world(*events: Event, **points: Any) -> World:
    relations = {name: Relation(rows) for name, rows in points.items()}
    return World(events, Theory(), relations)


def relation(name: str, intervals: str, data: str = "") -> Reference:
    """A reference to a relation with these identifiers and variables, a letter each."""
    return Reference(name, Schema(frozenset(data), frozenset(intervals), frozenset(intervals)))


def spans(relation: Relation, identifier: str) -> list[tuple[float, float]]:
    """The intervals of an identifier in seconds."""
    return sorted((row[f"{identifier}.begin"] / SECOND, row[f"{identifier}.end"] / SECOND) for row in relation)


# C-02


@pytest.mark.parametrize(
    ("kind", "duration", "expected"),
    [
        ("from-end", "12 sec", {(60, 63): (63, 75), (65, 68): (68, 80), (70, 80): (80, 92)}),
        ("from-start-backward", "1 min", {(60, 63): (0, 60), (65, 68): (5, 65), (70, 80): (10, 70)}),
    ],
)
def test_C_02_there_is_a_relative_timer_for_every_event(
    kind: str, duration: str, expected: dict[tuple[float, float], tuple[float, float]]
) -> None:
    timers = RelativeTimers("i", kind, "j", parse_duration(duration))
    assert timers.schema.attributes == {"i.begin", "i.end", "i.ref", "j.ref"}
    found = world(*fire_stream()).evaluate(timers)
    assert {(row["j.ref"].interval, row["i.begin"], row["i.end"]) for row in found} == {
        (one.interval, seconds(begin), seconds(end))
        for one in fire_stream()
        for begin, end in [expected[one.begin // SECOND, one.end // SECOND]]
    }


def test_C_02_a_timer_is_joined_with_its_anchor_by_reference() -> None:
    anchors = Matching("n", load(RULES["burnt_down"]).rules.rules[0].branches[0].events[0].pattern, Stream())
    timed = Join(anchors, RelativeTimers("i", "from-end", "n", parse_duration("12 sec")))
    found = world(*fire_stream()).evaluate(timed)
    times = [(row["n.end"] / SECOND, row["i.begin"] / SECOND, row["i.end"] / SECOND, row["T"]) for row in found]
    assert sorted(times) == [(63, 63, 75, 40), (80, 80, 92, 41)]


# C-03, C-04


WINDOW = relation("R", "mi", "S")
READINGS = relation("S", "w", "ST")


@pytest.mark.parametrize("counted", [True, False])
def test_C_03_a_temporal_join_pairs_a_window_with_what_lies_inside(counted: bool) -> None:
    join = TemporalJoin("i", "w", WINDOW, READINGS, counted=counted)
    assert join.schema.attributes == {"m.begin", "m.end", "m.ref", "i.begin", "i.end", "i.ref", "S", "T"}
    row = fact(m=(70, 80), i=(10, 70), S="s")
    inside, outside, other = fact(w=(60, 63), S="s", T=40), fact(w=(70, 80), S="s", T=41), fact(w=(60, 63), S="t", T=99)
    [found] = world(R=[row], S=[inside, outside, other]).evaluate(join)
    assert values_of(found) == {"S": "s", "T": 40}
    assert trace_of(found) == trace_of(row)
    assert not {"w.begin", "w.end", "w.ref"} & found.keys()


@pytest.mark.parametrize(
    ("span", "joins"), [((10, 70), True), ((10, 10), True), ((70, 70), True), ((9, 70), False), ((10, 71), False)]
)
def test_C_03_the_bounds_of_the_window_belong_to_it(span: tuple[int, int], joins: bool) -> None:
    found = world(R=[fact(m=(70, 80), i=(10, 70), S="s")], S=[fact(w=span, S="s", T=40)])
    assert len(found.evaluate(TemporalJoin("i", "w", WINDOW, READINGS))) == joins


def test_C_03_collected_events_with_equal_data_collapse_unless_they_are_counted() -> None:
    there = world(
        R=[fact(m=(70, 80), i=(10, 70), S="s")], S=[fact(w=(20, 20), S="s", T=40), fact(w=(30, 30), S="s", T=40)]
    )
    assert len(there.evaluate(TemporalJoin("i", "w", WINDOW, READINGS, counted=False))) == 1  # ERR-07
    assert len(there.evaluate(TemporalJoin("i", "w", WINDOW, READINGS, counted=True))) == 2


@pytest.mark.parametrize(
    ("readings", "kept"),
    [
        ([], True),
        ([fact(v=(80, 80), S="s")], False),
        ([fact(v=(70, 80), S="s")], True),
        ([fact(v=(92, 92), S="s")], False),
        ([fact(v=(92.1, 93), S="s")], True),
        ([fact(v=(85, 86), S="other")], True),
        ([fact(v=(85, 86), S="other"), fact(v=(85, 86), S="s")], False),
    ],
)
def test_C_04_an_anti_semi_join_keeps_what_has_no_partner_in_its_window(readings: list[Tuple], kept: bool) -> None:
    row = fact(n=(70, 80), i=(80, 92), S="s")
    absence = AntiSemiJoin("i", "v", relation("R", "ni", "S"), relation("S", "v", "S"))
    assert absence.schema == absence.left.schema
    assert world(R=[row], S=readings).evaluate(absence) == Relation([row] if kept else [])


def test_ERR_05_an_excluded_reference_is_not_inside_its_own_window() -> None:
    row = fact(n=(70, 70), i=(70, 82), S="s")
    itself = {**fact(v=(70, 70), S="s"), "v.ref": happening("n", 70, 70)}
    left, right = relation("R", "ni", "S"), relation("S", "v", "S")
    there = world(R=[row], S=[itself])
    assert len(there.evaluate(AntiSemiJoin("i", "v", left, right))) == 0
    assert len(there.evaluate(AntiSemiJoin("i", "v", left, right, excluded=frozenset("n")))) == 1


# C-05 to C-08


@pytest.mark.parametrize(
    ("one", "other", "merged"),
    [
        ((65, 68), (70, 80), (65, 80)),
        ((70, 80), (80, 92), (70, 92)),
        ((70, 80), (10, 70), (10, 80)),
        ((10, 90), (20, 30), (10, 90)),
    ],
)
def test_C_05_merging_takes_the_hull_and_keeps_everything_else(
    one: tuple[int, int], other: tuple[int, int], merged: tuple[int, int]
) -> None:
    row = fact(s=one, t=other, A="a")
    [found] = world(R=[row]).evaluate(Merging(("s", "t"), relation("R", "st", "A")))
    begin, end = merged
    assert found == {
        "begin": seconds(begin),
        "end": seconds(end),
        "s.ref": row["s.ref"],
        "t.ref": row["t.ref"],
        "A": "a",
    }


def test_C_06_renaming_changes_names_and_nothing_else() -> None:
    renamed = Renaming((("w", "n"),), (("U", "T"),), relation("R", "n", "ST"))
    row = fact(n=(70, 80), S="s", T=41)
    [found] = world(R=[row]).evaluate(renamed)
    assert found == {"w.begin": row["n.begin"], "w.end": row["n.end"], "w.ref": row["n.ref"], "S": "s", "U": 41}


@pytest.mark.parametrize(
    ("identifiers", "variables"),
    [
        pytest.param((("i", "n"),), (), id="name of another interval"),
        pytest.param((), (("T", "S"),), id="name of another variable"),
        pytest.param((), (("w.begin", "S"),), id="data to time"),
        pytest.param((), (("w.ref", "S"),), id="data to reference"),
        pytest.param((("w", "x"),), (), id="nothing of that name"),
    ],
)
def test_C_06_renaming_refuses(
    identifiers: tuple[tuple[str, str], ...], variables: tuple[tuple[str, str], ...]
) -> None:
    with pytest.raises(SchemaError, match="ρ"):
        Renaming(identifiers, variables, relation("R", "ni", "ST"))


def test_C_06_the_relations_of_the_sensor_program_are_equal_up_to_renaming() -> None:
    """Temp_w = ρ[w ← n](Temp_n) and Temp_v = ρ[v ← m](Temp_m) (seed 000 section 3.4.2)."""
    matchings = {
        part.identifier: part
        for point in translate(load(FIRE_RULES).checked()).points
        for part in walk(point.expression)
        if isinstance(part, Matching)
    }
    there = world(*fire_stream())
    for new, known in (("w", "n"), ("v", "m")):
        renamed = there.evaluate(Renaming(((new, known),), (), matchings[known]))
        assert renamed == there.evaluate(matchings[new])
        assert len(renamed) == 2


def test_C_07_projection_drops_data_and_keeps_events_apart() -> None:
    kept = frozenset({"S", "n.begin", "n.end", "n.ref"})
    rows = [fact(n=(1, 2), S="s", T=1), fact(n=(1, 2), S="s", T=2), fact(n=(1, 3), S="s", T=1)]
    found = world(R=rows).evaluate(Projection(kept, relation("R", "n", "ST")))
    assert found == Relation([fact(n=(1, 2), S="s"), fact(n=(1, 3), S="s")])


def test_C_07_natural_join_and_selection_are_the_usual_ones_and_keep_all_times() -> None:
    smoke = [fact(s=(1, 2), A="a"), fact(s=(3, 4), A="b")]
    there = world(R=smoke, S=[fact(t=(5, 6), A="a", T=1), fact(t=(7, 8), A="a", T=2)])
    joined = Join(relation("R", "s", "A"), relation("S", "t", "AT"))
    one, other = fact(s=(1, 2), t=(5, 6), A="a", T=1), fact(s=(1, 2), t=(7, 8), A="a", T=2)
    assert there.evaluate(joined) == Relation([one, other])
    assert there.evaluate(Selection(Comparison(">", Variable("T"), Literal(1)), joined)) == Relation([other])


def constructed(head: str, rows: list[Tuple]) -> list[Event]:
    """C[head] over a relation with the interval of m, the reference m.ref, S and T."""
    text = f"DETECT {head} ON event m: e{{{{ s{{{{var S}}}}, t{{{{var T}}}} }}}} END"
    merged = Merging(("m",), relation("R", "m", "ST"))
    construction = Construction("h", load(text).rules.rules[0].head, merged, (("m", "m"),))
    assert construction.schema == STREAM
    return [event_of(row) for row in world(R=rows).evaluate(construction)]


def test_C_08_without_grouping_there_is_an_event_for_each_tuple() -> None:
    rows = [fact(m=(1, 2), S="s", T=1), fact(m=(1, 2), S="s", T=2), fact(m=(3, 4), S="s", T=1)]
    expected = [event("h{1}", 1, 2), event("h{2}", 1, 2), event("h{1}", 3, 4)]
    assert_same_events(constructed("h{var T}", rows), expected)


def test_C_08_grouping_is_by_references_and_times_first_and_then_as_the_head_says() -> None:
    rows = [fact(m=(1, 2), S=s, T=t) for s, t in (("s", 1), ("s", 3), ("t", 9))]
    rows += [fact(m=(3, 4), S="s", T=7)]
    expected = [event('h{"s", 2}', 1, 2), event('h{"t", 9}', 1, 2), event('h{"s", 7}', 3, 4)]
    assert_same_events(constructed("h{var S, avg(all var T)}", rows), expected)
    assert_same_events(constructed("h{sum(all var T)}", rows), [event("h{13}", 1, 2), event("h{7}", 3, 4)])


# C-14, C-15, C-17


def test_C_14_the_occurrence_time_of_a_tuple_is_the_hull_of_its_intervals() -> None:
    row = fact(n=(70, 80), i=(80, 92), S="s")
    assert occurrence_time(row) == happening("n", 70, 92).interval
    assert last_end(row) == seconds(92)
    timer = {**fact(i=(80, 92)), "j.ref": happening("j", 70, 99)}
    assert last_end(timer) == seconds(92)  # ERR-10: a reference without times does not count
    assert last_end({"begin": seconds(1), "end": seconds(2), "n.ref": happening("n", 0, 9)}) == seconds(2)


def test_C_15_a_backward_timer_as_an_operator_of_its_own_is_not_temporally_preserving() -> None:
    """ERR-08: at 75 the timer [10,70] of the event [70,80] has ended, but nobody can know of it yet."""
    timers = RelativeTimers("i", "from-start-backward", "j", parse_duration("1 min"))
    now = seconds(75)
    there = world(temp(41, 70, 80))
    ended = Relation(row for row in there.evaluate(timers) if last_end(row) <= now)
    known = World(there.events, there.theory, until=now).evaluate(timers)
    assert spans(ended, "i") == [(10, 70)]
    assert len(known) == 0


@pytest.mark.parametrize("now", [62, 63, 68, 70, 75, 79, 80, 91, 92, 100])
def test_C_15_with_timers_made_with_their_anchors_the_plan_of_the_sensor_program_is(now: float) -> None:
    plan = translate(load(FIRE_RULES).checked())
    there = world(*fire_stream())
    everything = there.derived(plan)
    known = World(there.events, there.theory, until=seconds(now)).derived(plan)
    for name, relation in everything.items():
        assert known[name] == Relation(row for row in relation if last_end(row) <= seconds(now))


def test_C_17_the_plan_of_the_sensor_program_derives_its_three_events() -> None:
    plan = translate(load(FIRE_RULES).checked())
    assert [point.name for point in plan.points] == ["fire", "burnt_down", "avg_temp"]
    derived = world(*fire_stream()).derived(plan)
    for name, expected in (("fire", FIRE), ("burnt_down", BURNT_DOWN), ("avg_temp", AVERAGE)):
        assert_same_events(map(event_of, derived[name]), [expected])


# C-20


def absence_of_the_sensor_program() -> AntiSemiJoin:
    plan = translate(load(FIRE_RULES).checked())
    [absence] = (part for part in walk(plan.by_name["burnt_down"].expression) if isinstance(part, AntiSemiJoin))
    return absence


def test_C_20_the_printed_rule_for_the_anti_semi_join_forgets_what_blocked_before() -> None:
    """ERR-01: a report at [85,86] came in an earlier step than the end of the timer at 92, and still blocks."""
    absence = absence_of_the_sensor_program()
    there = World((temp(41, 70, 80), temp(20, 85, 86)), Theory(), now=seconds(92))
    new = delta(absence.left)
    printed = Union(
        (
            AntiSemiJoin("i", absence.element, new, old(absence.right), absence.excluded),
            AntiSemiJoin("i", absence.element, new, delta(absence.right), absence.excluded),
        )
    )
    assert spans(there.evaluate(new), "n") == [(70, 80)]
    assert spans(there.evaluate(printed), "n") == [(70, 80)]
    assert len(there.evaluate(delta(absence))) == 0
    assert len(there.evaluate(absence)) == 1  # the report itself is followed by silence, until 98


OPERATORS = {
    "Q": Matching("n", load(RULES["burnt_down"]).rules.rules[0].branches[0].events[0].pattern, Stream()),
    "σ": Selection(Comparison(">", Variable("T"), Literal(1)), relation("R", "n", "ST")),
    "ρ": Renaming((("w", "n"),), (), relation("R", "n", "ST")),
    "π": Projection(frozenset({"S", "n.begin", "n.end", "n.ref"}), relation("R", "n", "ST")),
    "μ": Merging(("n", "i"), relation("R", "ni", "S")),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_C_20_an_operator_on_one_relation_commutes_with_differencing(name: str) -> None:
    operator = OPERATORS[name]
    for part, changed in (("Δ", delta(operator)), ("∘", old(operator))):
        assert type(changed) is type(operator)
        [leaf] = (e for e in walk(changed) if isinstance(e, Reference))
        assert leaf.name == f"{part}{'E' if name == 'Q' else 'R'}"


def shape(expression: Expression) -> str:
    """Joins as Fig. 11 writes them."""
    match expression:
        case Reference():
            return expression.name
        case Join():
            return f"{shape(expression.left)} ⋈ {shape(expression.right)}"
        case TemporalJoin():
            return f"{shape(expression.left)} ⋈⊒ {shape(expression.right)}"
        case AntiSemiJoin():
            return f"{shape(expression.left)} ▷ ({shape(expression.right)})"
        case Union():
            return " ∪ ".join(map(shape, expression.inputs))
        case _:
            raise AssertionError(expression)


def test_C_20_the_equations_for_joins_are_those_of_the_figure_corrected() -> None:
    left, right = relation("R", "i", "S"), relation("S", "v", "S")
    join, temporal = Join(left, right), TemporalJoin("i", "v", left, right)
    absence = AntiSemiJoin("i", "v", left, right)
    assert shape(delta(join)) == "ΔR ⋈ ∘S ∪ ΔR ⋈ ΔS ∪ ∘R ⋈ ΔS"
    assert shape(delta(temporal)) == "ΔR ⋈⊒ ∘S ∪ ΔR ⋈⊒ ΔS"
    assert shape(delta(absence)) == "ΔR ▷ (∘S ∪ ΔS)"  # ERR-01
    assert [shape(old(e)) for e in (join, temporal, absence)] == ["∘R ⋈ ∘S", "∘R ⋈⊒ ∘S", "∘R ▷ (∘S)"]  # ERR-02
