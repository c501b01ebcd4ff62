"""Which rules cannot be divided on a stream, and why; it is what the operators are made by."""

from __future__ import annotations

import pytest

from cera.engines.spark.division.divisions import KeyDivision
from cera.program import load
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


def test_a_program_that_no_stream_can_run_has_no_notes() -> None:
    recursive = "DETECT b{ var X } ON event b: b{{ var X }} END"
    assert load(recursive).notes == ()
    assert load("DETECT b{ var X } ON event b: a{{}} END").notes == ()
