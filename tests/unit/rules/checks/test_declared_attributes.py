"""Queries held against the attributes that SOURCE declares: XC110, XC111."""

from __future__ import annotations

import pytest

from unit.rules.programs import codes, marked, the

SOURCE = "SOURCE reading{ fridge: string, temp: number, at{ x, y } }, door\n"


def test_XC110_an_attribute_that_is_not_declared_with_the_one_that_was_meant() -> None:
    found = the("XC110", SOURCE + "DETECT h{ var F } ON reading{{ frigde{ var F } }} END")
    assert (found.severity, marked(found), found.hint) == ("warning", "frigde{ var F }", "did you mean `fridge`?")


def test_XC110_inside_of_an_attribute() -> None:
    found = the("XC110", SOURCE + "DETECT h ON reading{{ at{{ z{{}} }} }} END")
    assert (marked(found), found.hint) == ("z{{}}", "there are `x` and `y`")


@pytest.mark.parametrize("how", ["optional tmep{{}}", "without tmep{{}}", "var _T -> tmep{{}}"])
def test_XC110_wherever_it_is_asked_for(how: str) -> None:
    assert codes(SOURCE + f"DETECT h ON reading{{{{ {how} }}}} END") == ["XC110"]


@pytest.mark.parametrize(
    "condition", ["var F > 3", "var F + 1 = 2", "var F = true", "var T = 1, var F = var T", 'concat(var T, "x") = "x"']
)
def test_XC111_a_value_of_another_kind(condition: str) -> None:
    body = "reading{{ fridge{ var F }, temp{ var T } }}"
    assert "XC111" in codes(SOURCE + f"DETECT h{{ var F, var T }} ON {body} where {{ {condition} }} END")


def test_XC111_a_value_that_is_written_out() -> None:
    found = the("XC111", SOURCE + "DETECT h ON reading{{ fridge{ 3 } }} END")
    assert found.message == "`fridge` of `reading` is declared as a string, and this takes a number"


@pytest.mark.parametrize(
    "rule",
    [
        "DETECT h{ var F } ON reading{{ fridge{ var F }, temp{ var T }, at{{ x{ 1 } }} }} where { var T > 3 } END",
        "DETECT h ON reading{{ desc any{{}}, /t.*/{{}} }} END",
        "DETECT h ON door{{ anything{ 1 } }} END",
        "DETECT reading{ other{ 1 } } ON door{{}} END  DETECT h ON reading{{ other{{}} }} END",
        "DETECT h ON reading{{ fridge{ var F } }} where { number(var F) > 3 } END",
    ],
)
def test_what_is_declared_or_open_is_fine(rule: str) -> None:
    assert [code for code in codes(SOURCE + rule) if code in ("XC110", "XC111")] == []


def test_states_are_held_against_their_declaration() -> None:
    rule = (
        "DETECT h ON and { state s: auction{{ idd{ var X } }}, event b: bid{{}} } where { s before b, var X > 1 } END"
    )
    assert codes(f"SOURCE bid, auction{{ id: number }} {rule}") == ["XC110"]
    assert (
        the("XC110", f"SOURCE bid, auction{{ id: number }} {rule}").message == "`idd` is not an attribute of `auction`"
    )
    found = the("XC111", f"SOURCE bid, auction{{ idd: string }} {rule}")
    assert found.message == "`idd` of `auction` is declared as a string, and this takes a number"
