"""Event patterns that were meant as relative timers: XC109."""

from __future__ import annotations

import pytest

from unit.rules.programs import codes, marked, the


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
