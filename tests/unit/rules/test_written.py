"""Rules as they would be written: names that keep their order, and parts that no text has."""

from __future__ import annotations

from dataclasses import replace

from cera.diagnostics import Source
from cera.languages.streamlog.rule_text import rule_text as streamlog
from cera.languages.xchangeeq.rule_text import rule_text as xchangeeq
from cera.model.events.states import OPENING
from cera.model.expressions.constructs import ConstructTerm
from cera.program import Program
from cera.rules.renaming import names_in_order
from cera.rules.rule import RuleProgram
from cera.rules.written import has_other_parts, meaning, written_rule


def rules(text: str, ending: str) -> RuleProgram:
    return Program((Source(f"test.{ending}", text),)).checked()


def test_new_names_keep_the_order_of_the_old_ones() -> None:
    assert names_in_order(["B", "a"], str.upper) == {"B": "B", "a": "_A"}
    hidden = names_in_order(["A", "I", "V"], str.upper, lambda old, new: f"_{new}#" if old == "I" else new)
    assert hidden == {"A": "A", "I": "I", "V": "_V"}
    assert names_in_order(["_b", "_c", "a"], str.upper) == {"_b": "_B", "_c": "_C", "a": "_C_A"}


def test_gathered_events_are_collected_ones() -> None:
    gathered = rules("event s: shift(l(L)): n(l(L), w(sum(W))) <- part(l(L), w(W)) and W > 1.", "slog")
    collected = rules(
        "DETECT n{l{var L}, w{sum(var W)}} ON and { event s: shift{{l{var L}}}, "
        "while s: collect part{{l{var L}, w{var W}}} where { var W > 1 } } END",
        "xceq",
    )
    assert [meaning(written_rule(r)) for r in gathered.rules] == [meaning(written_rule(r)) for r in collected.rules]


def test_a_rule_that_derives_states_is_not_written_as_one_of_events() -> None:
    program = rules("DETECT on{x{var X}} ON a{{x{var X}}} END", "xceq")
    [rule] = program.rules
    assert isinstance(rule.head, ConstructTerm)
    opened = replace(rule, head=replace(rule.head, label=OPENING + rule.head.label))
    assert not has_other_parts(rule)
    assert has_other_parts(opened)
    for write, code in ((streamlog, "SL401"), (xchangeeq, "XC601")):
        assert [each.code for each in write(replace(program, rules=(opened,))).diagnostics] == [code]
