"""Which rules cannot be divided on a stream, and why; it is what the operators are made by."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cera.engines.spark.division.divisions import KeyDivision
from cera.engines.spark.division.undivided import check_division
from cera.program import load
from cera.rules.rule import PeriodicWindow
from module_runs import rule_operators

FIRE = """DETECT fire{ area{ var A } }
ON and { event s: smoke{{ area{{ var A }} }}, event t: temp{{ area{{ var A }} }} } END
"""
REASONS = {
    "no variable is bound by all of its queries": """DETECT a{ x{ var A } }
        ON and { event s: s{{ x{ var A } }}, event b: b{{}} } END""",
    "it has an absolute timer": """DETECT a{ x{ var A } }
        ON and { event s: s{{ x{ var A } }}, event d: timer:datetime{{ hour{9} }} } END""",
    "`var A` in a place that is the same": "DETECT a{ x{ var A } } ON event s: s{{ desc x{{ var A }} }} END",
}


@pytest.mark.parametrize("reason", REASONS)
def test_it_is_noted_why_a_rule_runs_in_one_piece(reason: str) -> None:
    program = load(FIRE + REASONS[reason])
    [note] = program.notes
    assert "rule 'a' runs in one piece" in note.message
    assert reason in note.message
    pieces = [operator.division for operator in rule_operators(program.rules)]
    undivided = [
        rule.name for each in pieces if isinstance(each, KeyDivision) and not each.slots for rule in each.rules
    ]
    assert undivided == ["a"]


def test_a_value_that_a_producer_does_not_have_in_its_place_divides_nothing() -> None:
    producer = "DETECT seen{ area{ var A, var B } } ON event s: s{{ x{ var A }, y{ var B } }} END "
    consumer = "DETECT again{ area{ var A } } ON event s: seen{{ area{{ var A }} }} END"
    [note] = load(producer + consumer).notes
    assert "'again'" in note.message


def test_what_is_gathered_is_divided_only_by_what_the_head_groups_by() -> None:
    body = "event t: temp{{ area{ var A }, value{ var V } }}"
    heads = {"mean": "mean{ area{ var A }, value{ avg(all var V) } }", "total": "total{ avg(all var V) }"}
    made = load(" ".join(f"DETECT {head} ON {body} END" for head in heads.values())).rules
    window = PeriodicWindow("w", 10, 10, 0, ("t",))
    rules = [replace(r, branches=(replace(r.branches[0], windows=(window,), gathered=("t",)),)) for r in made.rules]
    program = replace(made, rules=tuple(rules))
    [note] = check_division(program)
    assert "rule 'total' runs in one piece" in note.message
    assert "its head groups by no variable that is bound by all of its queries" in note.message
    keys = {
        rule.name: [slot.variables[rule.name] for slot in operator.division.slots]
        for operator in rule_operators(program)
        if isinstance(operator.division, KeyDivision)
        for rule in operator.division.rules
    }
    assert keys == {"mean": ["A"], "total": []}


PATHS = """DETECT path{ from{ var X }, to{ var Y } } ON hop{{ from{{ var X }}, to{{ var Y }} }} END
DETECT path{ from{ var X }, to{ var Z } }
ON and { event p: path{{ from{{ var X }}, to{{ var Y }} }}, event h: hop{{ from{{ var Y }}, to{{ var Z }} }} }
where { {p, h} within 1 min } END
"""
TURNS = """DETECT ping{ a{ var X }, b{ var Y } } ON pong{{ c{{ var X }}, d{{ var Y }} }} END
DETECT pong{ c{ var Y }, d{ var X } } ON ping{{ a{{ var X }}, b{{ var Y }} }} END
"""


def test_it_is_noted_that_the_key_of_a_recursion_changes_from_round_to_round() -> None:
    [note] = load(PATHS).notes
    assert note.code == "XC502"
    assert "rule 'path#2'" in note.message
    assert note.message.endswith("it is recursive, and the value of `var Y` changes from round to round")
    assert "every head" in (note.hint or "")


def test_it_is_noted_which_rules_depend_on_each_other() -> None:
    ping, pong = load(TURNS).notes
    both = "and the values of `var X`, `var Y` change from round to round"
    assert ping.message.endswith(f"it and 'pong' depend on each other, {both}")
    assert pong.message.endswith(f"it and 'ping' depend on each other, {both}")
    assert [note.message for note in ping.notes] == ["rule 'pong' is on the cycle"]


def test_a_rule_on_a_cycle_with_one_that_cannot_be_divided_says_so() -> None:
    ping, pong = load(
        TURNS.replace("ON ping{{ a{{ var X }}", "ON ping{{ desc a{{ var X }}").replace(
            "b{{ var Y }} }} END", "desc b{{ var Y }} }} END"
        )
    ).notes
    assert ping.message.endswith("it and 'pong' depend on each other, and 'pong' cannot be divided")
    assert "in a place that is the same" in pong.message


@pytest.mark.parametrize(
    "text",
    [
        PATHS.replace("from{", "net{ var N }, from{").replace("net{ var N }, from{{", "net{{ var N }}, from{{"),
        TURNS.replace("c{ var Y }, d{ var X }", "c{ var X }, d{ var Y }"),
    ],
)
def test_a_recursion_that_hands_its_key_on_has_no_note(text: str) -> None:
    assert load(text).notes == ()
    assert all(each.buckets > 1 for each in rule_operators(load(text).rules))


def test_a_program_with_errors_has_no_notes() -> None:
    assert load("DETECT b{ var X } ON event b: a{{}} END").notes == ()
