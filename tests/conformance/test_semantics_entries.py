"""X-17 to X-27, ERR-05, ERR-06, ERR-16, ERR-18, ERR-23, ERR-24: the model theory and the fixpoint theory."""

from __future__ import annotations

from itertools import product

import pytest

from cera.engines.reference.entailment import Theory
from cera.engines.reference.enumeration import matches
from cera.engines.reference.fixpoint import immediate_consequence, intended_model
from cera.engines.reference.interpretation import Interpretation
from cera.model.time.interval import Interval
from cera.pipeline import load
from cera.rules.analysis.strata import stratify
from cera.testing import assert_same_events, event
from conformance.asking import FIRE_RULES, ask, codes, fire_stream, temp
from every_engine import EVERY_ENGINE

M1 = [
    event('fire{area{"a"}}', 65, 80),
    event('burnt_down{sensor{"s"}}', 70, 92),
    event('avg_temp{sensor{"s"}, value{40}}', 10, 80),
]


@pytest.mark.parametrize("semantics", ["practical", "formal"])
def test_X_20_the_intended_model_of_the_sensor_program(semantics: str) -> None:
    assert_same_events(ask(FIRE_RULES, *fire_stream(), semantics=semantics), M1)  # type: ignore[arg-type]


def is_model(program: str, events: Interpretation) -> bool:
    rules = load(program).checked().rules
    return all(e in events for e in immediate_consequence(rules, events, Theory()))


def test_X_21_an_unjustified_event_makes_a_model_that_is_not_the_intended_one() -> None:
    unjustified = temp(20, 1, 2, area="b", sensor="t")
    assert is_model(FIRE_RULES, Interpretation([*fire_stream(), *M1]))
    assert is_model(FIRE_RULES, Interpretation([*fire_stream(), *M1, unjustified]))
    assert unjustified not in ask(FIRE_RULES, *fire_stream())


@pytest.mark.parametrize("missing", range(3))
def test_X_21_without_one_of_its_events_it_is_no_model(missing: int) -> None:
    rest = [e for i, e in enumerate(M1) if i != missing]
    assert not is_model(FIRE_RULES, Interpretation([*fire_stream(), *rest]))


def test_X_22_one_application_in_one_stratum_reaches_the_fixpoint() -> None:
    rules = load(FIRE_RULES).checked().rules
    assert [len(stratum) for stratum in stratify(rules).strata] == [3]
    base = Interpretation(fire_stream())
    assert set(immediate_consequence((), base, Theory())) == set(base)
    once = immediate_consequence(rules, base, Theory())
    assert set(once) == {*fire_stream(), *M1}
    assert set(immediate_consequence(rules, once, Theory())) == set(once)


POINTS = [temp(40, 60), event('smoke{area{"a"}}', 65), temp(41, 70)]


def test_X_23_with_point_events_formal_windows_contain_their_own_trigger() -> None:
    expected = [
        event('fire{area{"a"}}', 65, 70),
        event('avg_temp{sensor{"s"}, value{40}}', 0, 60),
        event('avg_temp{sensor{"s"}, value{40.5}}', 10, 70),
    ]
    assert_same_events(ask(FIRE_RULES, *POINTS, semantics="formal"), expected)


def test_X_23_with_point_events_practical_windows_do_not() -> None:
    expected = [
        event('fire{area{"a"}}', 65, 70),
        event('burnt_down{sensor{"s"}}', 70, 82),
        event('avg_temp{sensor{"s"}, value{40}}', 10, 70),
    ]
    assert_same_events(ask(FIRE_RULES, *POINTS), expected)


def test_ERR_05_an_anchor_is_excluded_through_a_chain_of_timers() -> None:
    program = """
    DETECT quiet{} ON and { event n: a{{}}, event i: extend[n, 5 sec], event j: extend[i, 5 sec],
      while j: not a{{}} } END
    """
    assert_same_events(ask(program, event("a{}", 0)), [event("quiet{}", 0, 10)])
    assert ask(program, event("a{}", 0), semantics="formal") == []
    assert_same_events(ask(program, event("a{}", 0), event("a{}", 10, id="other")), [event("quiet{}", 10, 20)])


def test_ERR_05_an_event_is_not_inside_the_window_that_it_is() -> None:
    program = "DETECT alone{} ON and { event w: s{{}}, while w: not s{{}} } END"
    assert_same_events(ask(program, event("s{}", 1, 3)), [event("alone{}", 1, 3)])
    assert ask(program, event("s{}", 1, 3), semantics="formal") == []


def test_ERR_06_the_average_before_a_report_does_not_include_it() -> None:
    reports = [temp(10, 0, 1), temp(20, 30, 31), temp(90, 70, 71)]
    averages = [e for e in ask(FIRE_RULES, *reports) if e.label == "avg_temp"]
    expected = [
        event('avg_temp{sensor{"s"}, value{10}}', -30, 31),  # the first report has no average
        event('avg_temp{sensor{"s"}, value{20}}', 10, 71),  # the report at 0 is older than a minute
    ]
    assert_same_events(averages, expected)


def test_ERR_16_a_query_without_an_identifier_is_one_with_a_fresh_one() -> None:
    named, bare = ("DETECT r[var X] ON and { event i: a[var X], b[var X] } END", "DETECT r[var X] ON and { %s } END")
    events = [event("a[1]", 0, 2), event("b[1]", 5, 6), event("b[2]", 7)]
    assert_same_events(ask(bare % "a[var X], b[var X]", *events), ask(named, *events))
    assert_same_events(ask(named, *events), [event("r[1]", 0, 6)])


def test_ERR_16_an_absolute_timer_is_an_event_like_any_other() -> None:
    program = (
        "DETECT r[var X] ON and { event i: a[var X], event j: timer:datetime{{second{30}}} } where { i before j } END"
    )
    assert_same_events(ask(program, event("a[1]", 10), event("a[2]", 50)), [event("r[1]", 10, 30)])


MUTUAL = """
DETECT p[var X] ON and { event w: s[var X], while w: not q[var X] } END
DETECT q[var X] ON and { event w: s[var X], while w: not p[var X] } END
"""


def test_X_24_a_program_with_two_symmetric_models_is_rejected() -> None:
    assert codes(MUTUAL) == ["XC301"]


def test_X_24_both_models_are_models_and_a_naive_application_derives_both() -> None:
    rules = load(MUTUAL).rules.rules
    s, p, q = (event(f"{label}[1]", 1, 3) for label in "spq")
    for model in ([s, p], [s, q]):
        interpretation = Interpretation(model)
        assert set(immediate_consequence(rules, interpretation, Theory())) == set(model)
    assert set(immediate_consequence(rules, Interpretation([s]), Theory())) == {s, p, q}  # ERR-33


def test_X_27_the_model_is_computed_stratum_by_stratum() -> None:
    program = """
    DETECT b{var X} ON a{var X} END
    DETECT c{} ON and { event w: w{{}}, while w: not b{2} } END
    DETECT d{} ON and { event w: w{{}}, while w: not c{{}} } END
    """
    rules = load(program).checked().rules
    assert [[rule.name for rule in stratum] for stratum in stratify(rules).strata] == [["b"], ["c"], ["d"]]
    window = event("w{}", 0, 10)
    assert {e.label for e in intended_model(rules, [window, event("a{1}", 5)], Theory()).events} == set("wabc")
    assert {e.label for e in intended_model(rules, [window, event("a{2}", 5)], Theory()).events} == set("wabd")


def test_ERR_18_a_head_with_grouping_groups_the_union_of_the_branches() -> None:
    program = """
    DETECT traded{sum(all var V)}
    ON and { event t: day{{}}, or { while t: collect buy{{var V}}, while t: collect sell{{var V}} } } END
    """
    stream = [event("day{}", 0, 10), event("buy{3}", 1), event("sell{4}", 2), event("sell{4}", 3)]
    assert_same_events(ask(program, *stream), [event("traded{11}", 0, 10)])
    assert_same_events(ask(program, *stream, semantics="formal"), [event("traded{7}", 0, 10)])


@pytest.mark.parametrize("engine", EVERY_ENGINE)
@pytest.mark.usefixtures("spark_if_needed")
def test_ERR_18_an_event_that_two_branches_collect_counts_once(engine: str) -> None:
    program = """
    DETECT r[sum(all var P), count(all var P)]
    ON and { event d: day{{}}, or { while d: collect sell{{price{var P}}}, while d: collect *{{price{var P}}} } } END
    """
    stream = [event("day{}", 0, 10), event("sell{price{5}}", 1)]
    answer = load(program).run(stream, engine=engine)  # type: ignore[arg-type]
    assert_same_events(answer.derived, [event("r[5, 1]", 0, 10)])


def test_a_disjunction_without_grouping_answers_for_each_branch() -> None:
    program = "DETECT seen{var X} ON or { event a: a{var X}, event b: b{var X} } END"
    stream = [event("a{1}", 0), event("b{2}", 1)]
    assert_same_events(ask(program, *stream), [event("seen{1}", 0), event("seen{2}", 1)])


def test_ERR_23_absence_is_judged_for_each_substitution() -> None:
    program = """
    DETECT free{all var X} ON and { event w: w{{}}, while w: collect a{var X}, while w: not b{var X} } END
    """
    stream = [event("w{}", 0, 10), event("a{1}", 1), event("a{2}", 2), event("b{1}", 3)]
    assert_same_events(ask(program, *stream), [event("free{2}", 0, 10)])


def test_ERR_24_an_empty_collection_gives_no_answer() -> None:
    program = "DETECT n{count(all var X)} ON and { event w: w{{}}, while w: collect a{var X} } END"
    assert ask(program, event("w{}", 0, 10), event("a{1}", 11)) == []


def test_X_17_entailment_and_its_enumeration_agree_on_the_sensor_program() -> None:
    """Every (τ, σ) over all events of the stream that entails a body is a match, and the other way round."""
    events = Interpretation(fire_stream())
    theory = Theory()
    values = [{"A": "a", "T": t, "S": "s"} for t in (40, 41)]
    [fire, _, _] = load(FIRE_RULES).checked().rules
    [branch] = fire.branches
    entailed = {
        (s, t, sigma["T"])
        for s, t in product(events, repeat=2)
        for sigma in values
        if theory.entails(
            events,
            sigma,
            {"s": s, "t": t},
            branch,
            Interval(min(s.begin, t.begin), max(s.end, t.end)),
        )
    }
    matched = {(m.trace["s"], m.trace["t"], m.values["T"]) for m in matches(theory, events, branch)}
    assert entailed == matched == {(fire_stream()[1], fire_stream()[2], 41)}


@pytest.mark.parametrize("rule", [1, 2])
def test_X_18_accumulation_is_entailed_exactly_for_the_matches(rule: int) -> None:
    events = Interpretation(fire_stream())
    theory = Theory()
    branch = load(FIRE_RULES).checked().rules[rule].branches[0]
    [match] = matches(theory, events, branch)
    assert theory.entails(events, match.values, match.trace, branch, match.interval)
    assert not theory.entails(events, {**match.values, "S": "other"}, match.trace, branch, match.interval)
    shifted = Interval(match.interval.begin, match.interval.end + 1)
    assert not theory.entails(events, match.values, match.trace, branch, shifted)
