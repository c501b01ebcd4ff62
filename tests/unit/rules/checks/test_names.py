"""Names that lead nowhere: unused variables, labels that nothing produces, circles of timers, timers read as events."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cera.rules.checks.names import NEAR, NearLabels
from unit.rules.programs import codes, diagnose, marked, the


def test_XC103_a_variable_that_occurs_once_is_suspicious() -> None:
    found = the("XC103", "DETECT h{ var X } ON a{{ var X, b{ var Y } }} END")
    assert found.severity == "warning"
    assert marked(found) == "var Y"
    assert found.hint is not None
    assert "`var _Y`" in found.hint


def test_XC103_a_name_for_a_whole_term_can_be_left_out() -> None:
    assert the("XC103", "DETECT h ON var E -> a{{}} END").hint == "leave out `var E ->`"


@pytest.mark.parametrize(
    "text",
    [
        "DETECT h{ var Y } ON a{{ var Y }} END",
        "DETECT h ON a{{ var Y }} where { var Y > 3 } END",
        "DETECT h ON and{ a{{ var Y }}, b{{ var Y }} } END",
        "DETECT h ON a{{ var Y, b{ var Y } }} END",
        "DETECT h{ all x group-by var Y } ON a{{ var Y }} END",
        "DETECT h ON and{ event w: a{{ var Y }}, while w: not b{{ var Y }} } END",
        "DETECT h ON and{ event w: a{{}}, while w: not b{{ var Y }} where { var Y > 3 } } END",
        "DETECT h ON a{{ var _ }} END",
        "DETECT h ON a{{ var _Anything }} END",
        "DETECT h ON timer:datetime{{ minute{ var M } }} END",
    ],
)
def test_a_variable_that_is_used_or_says_that_it_is_not_is_fine(text: str) -> None:
    assert "XC103" not in codes(text)


def test_XC103_a_literal_outside_of_an_or_counts_once() -> None:
    assert codes("DETECT h ON and{ a{{ var X }}, or{ b, c } } END") == ["XC103"]


def test_XC103_the_same_name_in_two_branches_is_two_uses() -> None:
    assert codes("DETECT h ON or{ a{{ var X }}, b{{ var X }} } END") == []


def test_XC104_with_declared_sources_a_label_that_nothing_produces() -> None:
    found = the("XC104", "SOURCE smoke, temp\nDETECT fire ON tmp{{}} END")
    assert found.severity == "warning"
    assert marked(found) == "tmp{{}}"
    assert found.hint == "did you mean `temp`?"


def test_XC104_guesses_among_derived_labels_too() -> None:
    text = "SOURCE smoke\nDETECT fire ON smoke END\nDETECT alarm ON fires{{}} END"
    assert the("XC104", text).hint == "did you mean `fire`?"


def test_XC104_guesses_among_relations_too() -> None:
    text = """
    RELATION ventilation{ area }
    DETECT fan{ area{var A} } ON and { event t: temp{{ area{var A} }}, event v: ventilaton{{ area{var A} }} } END
    """
    found = the("XC104", text)
    assert found.message == "no rule derives `ventilaton`, and there is no such relation"
    assert (found.hint or "").startswith("did you mean the relation `ventilation`?")
    assert the("XC104", f"SOURCE temp\n{text}").hint == "did you mean the relation `ventilation`?"
    assert "XC104" not in codes(text.replace("ventilaton", "draught"))


def test_XC104_without_a_guess_says_how_to_declare_a_source() -> None:
    hint = the("XC104", "SOURCE smoke\nDETECT fire ON pressure END").hint
    assert hint is not None
    assert "SOURCE" in hint


def test_XC104_looks_at_collected_and_negated_queries() -> None:
    text = "SOURCE day\nDETECT h ON and{ event d: day, while d: not a{{}}, while d: collect b{{}} } END"
    assert codes(text) == ["XC104", "XC104"]


def test_XC104_a_derived_label_in_a_form_that_no_head_has() -> None:
    text = "SOURCE smoke\nDETECT fire{ area{ var A } } ON smoke{{ var A }} END\nDETECT h ON fire{} END"
    found = the("XC104", text)
    assert "in a form that this query matches" in found.message
    assert [note.span.text for note in found.notes if note.span] == ["fire{ area{ var A } }"]


@pytest.mark.parametrize(
    "text",
    [
        "SOURCE smoke\nDETECT fire ON smoke{{}} END\nDETECT alarm ON fire{{}} END",
        "SOURCE smoke\nDETECT h ON *{{ level }} END",
        "SOURCE smoke\nDETECT h ON desc level END",
        "SOURCE wrapper\nDETECT var X ON wrapper{{ var X -> *{{}} }} END\nDETECT h ON anything END",
        'SOURCE smoke\nSOURCE "hot day"\nDETECT h ON and{ smoke, "hot day"{{}} } END',
    ],
)
def test_labels_that_something_can_produce_are_fine(text: str) -> None:
    assert "XC104" not in codes(text)


def test_XC104_what_is_sent_away_is_not_produced() -> None:
    text = 'SOURCE fire\nRAISE to(recipient="http://a") { alarm } ON fire END\nDETECT h ON alarm{{}} END'
    assert codes(text) == ["XC104"]


def test_XC104_without_declared_sources_only_a_near_miss_of_a_derived_label() -> None:
    text = "DETECT big_buy ON buy END\nDETECT h ON {0}{{{{}}}} END"
    found = the("XC104", text.format("bigbuy"))
    assert found.hint is not None
    assert found.hint.startswith("did you mean `big_buy`?")
    assert codes(text.format("sell")) == []
    assert codes(text.format("big_buy")) == []


def test_a_near_miss_that_other_queries_use_too_is_a_name_of_its_own() -> None:
    assert codes("DETECT big_buy ON buy END\nDETECT h ON bigbuy END\nDETECT i ON bigbuy END") == []


def test_a_near_miss_of_what_the_rule_itself_derives_is_meant() -> None:
    assert codes("DETECT orders{ all o{ var X } } ON order{{ var X }} END") == []


def test_labels_that_differ_in_their_numbers_are_meant_to_differ() -> None:
    assert codes("DETECT sensor_12 ON x END\nDETECT h ON sensor_13 END") == []


labels = st.text("abcd", min_size=3, max_size=9)


@given(st.sets(labels, max_size=8), labels)
def test_the_index_of_labels_finds_what_comparing_with_each_would_find(known: set[str], label: str) -> None:
    near = [k for k in known if label not in known and SequenceMatcher(None, label, k).ratio() >= NEAR]
    assert sorted(NearLabels(known).near(label)) == sorted(near)


def test_XC105_timers_in_a_circle() -> None:
    text = "DETECT h ON and{ a, event s: extend[t, 1 min], event t: shorten[s, 1 min] } END"
    found = the("XC105", text)
    assert found.severity == "error"
    assert "`s` and `t`" in found.message
    assert marked(found) == "event s: extend[t, 1 min]"
    assert [note.span.text for note in found.notes if note.span] == ["event t: shorten[s, 1 min]"]


def test_XC105_a_timer_that_starts_from_itself() -> None:
    assert "relative to itself" in the("XC105", "DETECT h ON and{ a, event s: extend[s, 1 min] } END").message


def test_a_chain_of_timers_is_fine_in_any_order() -> None:
    assert codes("DETECT h ON and{ event u: extend[t, 1 min], event t: extend[e, 1 min], event e: a } END") == []


def test_a_timer_that_hangs_on_a_circle_is_not_part_of_it() -> None:
    text = "DETECT h ON and{ a, event u: extend[s, 1 min], event s: extend[t, 1 min], event t: extend[s, 1 min] } END"
    (found,) = diagnose(text)
    assert found.message == "the timers `s` and `t` are defined relative to each other"


def rule(literal: str) -> str:
    return f"DETECT h ON and {{ event x: a{{{{}}}}, event w: {literal} }} END"


@pytest.mark.parametrize(
    ("literal", "hint"),
    [
        ("until-begin[x]", "did you mean `extend-begin[x, 10 sec]`?"),
        ("form-end[x]", "did you mean `from-end[x, 10 sec]`?"),
        ("until-end[x]", "the timers are extend, "),
        ("from-end{x}", "a timer has single brackets: write `from-end[x, 10 sec]`."),
        ("extend{{x}}", "a timer has single brackets: write `extend[x, 10 sec]`."),
        ("shift-forward[[x]]", "a timer has single brackets: write `shift-forward[x, 10 sec]`."),
    ],
)
def test_XC109_a_pattern_like_a_timer_over_an_event_of_the_rule(literal: str, hint: str) -> None:
    found = the("XC109", rule(literal))
    assert found.severity == "error"
    assert marked(found) == literal
    assert str(found.hint).startswith(hint)


@pytest.mark.parametrize(
    "text",
    [
        rule("from-end[x, 10 sec]"),
        rule("order{x}"),
        rule("from-end{y}"),
        rule("from-end{{ x{ 1 } }}"),
        "SOURCE a, from-end\n" + rule("from-end{x}"),
        "DETECT from-end{ x } ON b{{}} END\n" + rule("from-end{x}"),
        "DETECT h ON and { a{{}}, event w: from-end{a} } END",
    ],
)
def test_other_events_are_events(text: str) -> None:
    assert "XC109" not in codes(text)


STATES = "DETECT h{ var X } ON and { state s: auction{{ id{ var X } }}, while s: not bid{{ id{ var X } }} } END"


def test_XC104_a_declared_label_is_one_of_events_and_of_states() -> None:
    assert codes(f"SOURCE auction, bid {STATES}") == []


def test_XC104_a_state_that_is_not_declared_is_reported_once_by_the_name_it_has() -> None:
    found = the("XC104", f"SOURCE bid {STATES}")
    assert found.message == "`auction` is not a source, and no states come from elsewhere"
    assert found.hint == "add `auction` to the SOURCE directive if such states come from outside"
    assert the("XC104", f"SOURCE bid, auctions {STATES}").hint == "did you mean `auctions`?"


def test_a_state_is_no_near_miss_of_an_event() -> None:
    assert codes(f"DETECT auctions{{}} ON a{{{{}}}} END {STATES}") == []
