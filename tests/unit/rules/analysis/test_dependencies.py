"""Which rule depends on which: four kinds, by unifiability of query and head (X-26)."""

from __future__ import annotations

from cera.rules.analysis.dependencies import dependencies
from unit.rules.programs import rules

SOURCE = "DETECT temp{ sensor{ var S }, value{ var V } } ON raw{{ var S, var V }} END\n"


def edges(text: str) -> list[tuple[str, str, str]]:
    return [(d.rule.name, d.on.name, d.kind) for d in dependencies(rules(text))]


def test_X_26_a_query_of_what_another_rule_derives_is_a_positive_dependency() -> None:
    assert edges(SOURCE + "DETECT hot ON temp{{ value{{ var V }} }} where { var V > 40 } END") == [
        ("hot", "temp", "positive")
    ]


def test_X_26_an_anchor_of_a_timer_is_a_temporal_dependency() -> None:
    assert edges(SOURCE + "DETECT late ON and{ event t: temp{{}}, event w: extend[t, 1 min] } END") == [
        ("late", "temp", "temporal")
    ]


def test_X_26_the_window_of_an_accumulation_is_no_anchor() -> None:
    assert edges(SOURCE + "DETECT h ON and{ event t: temp{{}}, while t: collect raw{{}} } END") == [
        ("h", "temp", "positive")
    ]


def test_X_26_a_head_with_grouping_depends_by_grouping_on_all_that_it_queries() -> None:
    text = (
        SOURCE + "DETECT h{ avg(all var V) } ON and{ event t: day{{}}, while t: collect temp{{ value{ var V } }} } END"
    )
    assert edges(text) == [("h", "temp", "grouping")]
    assert edges(SOURCE + "DETECT h{ all v{ var V } } ON temp{{ value{ var V } }} END") == [("h", "temp", "grouping")]


def test_X_26_a_negated_query_is_a_negative_dependency() -> None:
    assert edges(SOURCE + "DETECT calm ON and{ event d: day{{}}, while d: not temp{{}} } END") == [
        ("calm", "temp", "negative")
    ]


def test_X_26_a_dependency_is_positive_only_if_it_is_of_no_other_kind() -> None:
    text = (
        SOURCE
        + """
        DETECT burnt_down{ count(all var S) }
        ON and{ event n: temp{{ sensor{{ var S }} }}, event i: from-end[n, 12 sec], while i: not temp{{}} }
        END"""
    )
    assert edges(text) == [
        ("burnt_down", "temp", "grouping"),
        ("burnt_down", "temp", "negative"),
        ("burnt_down", "temp", "temporal"),
    ]


def test_X_26_without_inside_of_a_query_is_no_negative_dependency() -> None:
    assert edges(SOURCE + "DETECT h ON temp{{ value{{}}, without sensor{{}} }} END") == [("h", "temp", "positive")]


def test_X_26_a_query_that_does_not_unify_is_no_dependency() -> None:
    assert edges(SOURCE + "DETECT h ON temp{ value{ var V } } where { var V > 0 } END") == []
    assert edges(SOURCE + "DETECT h ON temp[[ sensor{{}} ]] END") == []


def test_X_26_a_query_without_a_label_depends_on_all_that_it_could_match() -> None:
    assert edges(SOURCE + "DETECT h ON *{{ sensor{{}} }} END") == [("h", "temp", "positive")]


def test_a_head_that_is_a_variable_can_derive_anything() -> None:
    first, second = rules("DETECT var X ON wrapped{{ var X }} END DETECT h ON a{ 1 } END")
    found = dependencies((first, second))
    assert [(d.rule, d.on) for d in found] == [(first, first), (second, first)]


def test_nothing_depends_on_what_is_sent_away() -> None:
    assert edges('RAISE to(recipient="http://a") { alarm } ON fire{{}} END DETECT h ON alarm{{}} END') == []


def test_the_rule_that_sends_depends_on_what_it_queries() -> None:
    assert edges('DETECT fire ON smoke{{}} END RAISE to(recipient="http://a") { alarm } ON fire{{}} END') == [
        ("alarm", "fire", "positive")
    ]


def test_every_branch_of_a_disjunction_counts() -> None:
    text = SOURCE + "DETECT other ON x END DETECT h ON or{ temp{{}}, and{ event d: day, while d: not other{{}} } } END"
    assert edges(text) == [("h", "temp", "positive"), ("h", "other", "negative")]


def test_a_dependency_knows_its_places() -> None:
    (found,) = dependencies(rules(SOURCE + "DETECT hot ON event t: temp{{}} END"))
    assert found.query_span is not None
    assert found.head_span is not None
    assert found.query_span.text == "event t: temp{{}}"
    assert found.head_span.text == "temp{ sensor{ var S }, value{ var V } }"
