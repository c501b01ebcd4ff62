"""Range restriction: every variable that is used has a value (X-06)."""

from __future__ import annotations

import pytest

from cera.model.expressions.constructs import ConstructTerm
from cera.model.time.durations import Duration
from cera.rules.checks.ranges import check_ranges
from cera.rules.rule import Branch, RelativeTimer, Rule, RuleProgram
from unit.rules.programs import codes, marked, the


def test_X_06_a_head_variable_that_only_a_negation_has_is_refused() -> None:
    found = the("XC202", "DETECT h{ var X } ON and{ event w: s{{}}, while w: not q{{ var X }} } END")
    assert found.severity == "error"
    assert marked(found) == "var X"
    assert found.span is not None
    assert found.span.column == 11
    assert [note.span.text for note in found.notes if note.span] == ["var X"]


def test_X_06_the_same_variable_bound_outside_of_the_negation_is_fine() -> None:
    assert codes("DETECT h{ var X } ON and{ event w: s{{ var X }}, while w: not q{{ var X }} } END") == []


def test_X_06_a_variable_inside_of_without_is_not_bound() -> None:
    found = the("XC202", "DETECT h{ var X } ON s{{ a, without b{ var X } }} END")
    assert "only inside a negation" in found.message


def test_XC201_a_head_variable_that_no_query_binds_is_refused() -> None:
    found = the("XC201", "DETECT h{ x{ var X } } ON s{{ var Y, var Y }} END")
    assert marked(found) == "var X"
    assert found.hint is not None
    assert "var X" in found.hint


def test_XC201_guesses_the_misspelt_variable() -> None:
    found = the("XC201", "DETECT h{ var Sensr } ON s{{ var Sensor }} END")
    assert found.hint == "did you mean `Sensor`?"


@pytest.mark.parametrize(
    "head",
    ["h{ all x{ var X } }", "h{ sum(all var X) }", "h{ all y order-by var X }", "h{ all y group-by var X }"],
)
def test_XC201_looks_into_all_aggregates_and_the_keys_of_groups(head: str) -> None:
    assert "XC201" in codes(f"DETECT {head} ON s{{{{}}}} END")
    assert "XC201" not in codes(f"DETECT {head} ON s{{{{ var X }}}} END")


def test_XC201_is_reported_once_for_a_variable() -> None:
    assert codes("DETECT h{ var X, var X, all y{ var X } } ON s{{}} END") == ["XC201"]


@pytest.mark.parametrize(
    "body",
    [
        "a{{ var X }}",
        "var X -> a{{}}",
        "a{{ b{{ desc var X }} }}",
        "and{ event w: a{{}}, while w: collect b{{ var X }} }",
        "timer:datetime{{ hour{ var X }, minute{0} }}",
    ],
)
def test_queries_collections_and_absolute_timers_bind_variables(body: str) -> None:
    assert codes(f"DETECT h{{ var X }} ON {body} END") == []


def test_XC203_a_condition_needs_bound_variables() -> None:
    found = the("XC203", "DETECT h ON s{{ var Y }} where { var X > var Y } END")
    assert marked(found) == "var X"


def test_XC203_says_that_the_variable_is_in_a_negation() -> None:
    found = the("XC203", "DETECT h ON and{ event w: s{{}}, while w: not q{{ var X }} } where { var X > 3 } END")
    assert found.message.endswith("outside of a negation")
    assert len(found.notes) == 1


def test_a_condition_on_a_negated_query_can_use_its_variables() -> None:
    assert codes("DETECT h ON and{ event w: s{{}}, while w: not q{{ var X }} where { var X > 3 } } END") == []


def test_XC203_a_condition_on_a_collection_needs_bound_variables_as_well() -> None:
    text = (
        "DETECT h ON and{{ event w: s{{{{}}}}, while w: collect q{{{{ var X }}}} where {{ var X > 3 * var {0} }} }} END"
    )
    assert "XC203" in codes(text.format("Y"))
    assert codes(text.format("X")) == []


def test_XC204_every_branch_of_an_or_has_to_bind_the_variable() -> None:
    found = the("XC204", "DETECT h{ var X } ON or{ a{{ var X }}, b{{}} } END")
    assert marked(found) == "var X"
    assert [note.span.text for note in found.notes if note.span] == ["b{{}}"]


def test_a_variable_that_every_branch_binds_is_fine() -> None:
    assert codes("DETECT h{ var X } ON or{ a{{ var X }}, b{{ var X }} } END") == []


def test_a_variable_that_one_branch_binds_can_be_used_inside_optional() -> None:
    assert codes("DETECT h{ optional x{ var X } } ON or{ a{{ var X }}, b{{}} } END") == []


def test_XC204_a_condition_on_the_whole_or_holds_for_each_branch() -> None:
    found = the("XC204", "DETECT h ON or{ a{{ var X }}, b{{}} } where { var X > 3 } END")
    assert found.message.startswith("a condition uses `var X`")


def test_XC204_is_reported_once_with_every_branch_that_lacks_the_variable() -> None:
    found = the("XC204", "DETECT h ON and{ s, or{ a{{ var X }}, b{{}}, c{{}} } } where { var X > 3 } END")
    assert [note.span.text for note in found.notes if note.span] == ["b{{}}", "c{{}}"]


def test_a_condition_on_one_branch_concerns_that_branch_only() -> None:
    assert codes("DETECT h ON or{ a{{ var X }} where { var X > 3 }, b{{}} } END") == []


def test_XC205_an_optional_variable_outside_of_optional_in_the_head_is_refused() -> None:
    found = the("XC205", "DETECT h{ x{ var X } } ON a{{ optional b{ var X } }} END")
    assert marked(found) == "var X"
    assert len(found.notes) == 1


def test_an_optional_variable_inside_of_optional_in_the_head_is_fine() -> None:
    assert codes("DETECT h{ optional x{ var X } } ON a{{ optional b{ var X } }} END") == []


def test_a_default_is_not_guarded_by_its_optional() -> None:
    text = (
        "DETECT h{ optional x{ var X } with default y{ var Y } } ON a{{ optional b{ var X }, optional c{ var Y } }} END"
    )
    assert "`var Y`" in the("XC205", text).message


def test_an_optional_variable_can_be_used_in_conditions() -> None:
    assert codes("DETECT h ON a{{ optional b{ var X } }} where { var X > 3 } END") == []


def test_a_variable_that_the_same_query_binds_elsewhere_is_not_optional() -> None:
    assert codes("DETECT h{ var X } ON a{{ optional b{ var X }, c{ var X } }} END") == []


def test_XC206_a_body_needs_something_that_happens_by_itself() -> None:
    timer = RelativeTimer("t", "extend", "t", Duration(0, 1))
    (found,) = check_ranges(RuleProgram((Rule("h", ConstructTerm("h"), (Branch(relative_timers=(timer,)),)),)))
    assert found.code == "XC206"


@pytest.mark.parametrize("body", ["a", "timer:datetime{{ hour{9} }}"])
def test_an_event_query_or_an_absolute_timer_is_enough(body: str) -> None:
    assert codes(f"DETECT h ON {body} END") == []
