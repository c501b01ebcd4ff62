"""What recursive rules never drop: XC501 and XC503 for the usual conditions on time."""

from __future__ import annotations

import pytest

from cera.program import load

PATHS = """
DETECT path{ from{ var X }, to{ var Y } } ON hop{{ from{{ var X }}, to{{ var Y }} }} END
DETECT path{ from{ var X }, to{ var Z } }
ON and { event p: path{{ from{{ var X }}, to{{ var Y }} }}, event h: hop{{ from{{ var Y }}, to{{ var Z }} }} }
where { CONDITION } END
"""
BACKWARDS = PATHS.replace("path{{ from{{ var X }}, to{{ var Y }} }}, ", "path{{ from{{ var Y }}, to{{ var Z }} }}, ")
BACKWARDS = BACKWARDS.replace("hop{{ from{{ var Y }}, to{{ var Z }} }} }", "hop{{ from{{ var X }}, to{{ var Y }} }} }")


@pytest.mark.parametrize(
    ("text", "condition", "codes"),
    [
        (PATHS, "{p, h} within 1 min", []),
        (PATHS, "p before h, {p, h} within 1 min", []),
        (PATHS, "p before h", ["XC501"]),
        (PATHS, "true", ["XC501"]),
        (PATHS, "p before h, end(h) - end(p) <= 1 min", []),
        (PATHS, "p before h, begin(h) - end(p) <= 1 min", ["XC503"]),
        (BACKWARDS, "h before p, begin(p) - end(h) <= 1 min", ["XC501"]),
        (BACKWARDS, "h before p, end(p) - end(h) <= 1 min", []),
    ],
)
def test_it_is_said_what_a_recursion_never_drops(text: str, condition: str, codes: list[str]) -> None:
    program = load(text.replace("CONDITION", condition))
    found = [*program.state_warnings, *program.notes]
    assert [each.code for each in found if each.code != "XC502"] == codes
    assert all("'path#2'" in each.message for each in found)


def test_the_hint_for_a_recursion_bounds_the_whole_chain() -> None:
    [warning] = load(BACKWARDS.replace("CONDITION", "h before p, begin(p) - end(h) <= 1 min")).state_warnings
    assert "lasts as long as all that is behind it" in (warning.hint or "")
    assert "{p, h} within 1 hour" in (warning.hint or "")
    [plain] = load("DETECT r{} ON and { event a: a{{}}, event b: b{{}} } END").state_warnings
    assert (plain.hint or "").startswith("bound the time between them")


JOIN = "DETECT h ON and { state s: auction{{ id{ var A } }}, event b: bid{{ id{ var A } }} } where { CONDITION } END"


@pytest.mark.parametrize(
    ("condition", "hint"),
    [
        ("true", "say that the event is in the state, `b in s`; then both are dropped when the state ends"),
        ("s before b", "bound the time between them, for example with `end(b) < end(s) + 1 hour`"),
        ("b in s", None),
        ("s before b, end(b) < end(s) + 1 hour", None),
    ],
)
def test_XC501_ties_an_event_to_a_state(condition: str, hint: str | None) -> None:
    found = load(JOIN.replace("CONDITION", condition)).check()
    assert [each.hint for each in found if each.code == "XC501"] == ([] if hint is None else [hint])


@pytest.mark.parametrize("window", ["s: auction{{ id{ var A } }}", "s: from-end[t, 1 min]"])
def test_what_is_looked_for_in_a_state_ends_with_it(window: str) -> None:
    timed = "state t: auction{{ id{ var A } }}, " if "[t" in window else ""
    rule = f"DETECT h{{ var A }} ON and {{ {timed}state {window}, while s: not bid{{{{ id{{ var A }} }}}} }} END"
    assert [each.code for each in load(rule).check()] == []
