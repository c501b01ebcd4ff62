"""StreamLog in XChangeEQ, XChangeEQ in StreamLog, and each back again: random rules give the same events in both.

Rules are translated one by one, so that what one of them cannot say does not hide the others; then those of a program
that can be said are translated together. Patterns and heads of XChangeEQ are made such as atoms are before.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from cera.diagnostics import Source
from cera.languages.protocol.language import RuleText
from cera.languages.streamlog import rule_text as streamlog
from cera.languages.streamlog.checks import check_program
from cera.languages.streamlog.lowering import lower as lower_streamlog
from cera.languages.streamlog.parser import parse as parse_streamlog
from cera.languages.xchangeeq import rule_text as xchangeeq
from cera.languages.xchangeeq.lowering import lower as lower_xchangeeq
from cera.languages.xchangeeq.parser import parse as parse_xchangeeq
from cera.model.events.states import state_label
from cera.model.expressions.constructs import Construct, ConstructTerm
from cera.model.matching.patterns import Pattern, ScalarPattern, TermPattern, VariablePattern
from cera.rules.checks.check import check
from cera.rules.rule import Branch, Rule, RuleProgram
from hypothesis_profiles import examples
from module_runs import run_by_definition
from properties.generator import RELATIONAL, Case, seeded_case
from properties.generator.streamlog import StreamLogCase, streamlog_case
from properties.local_runs import disordered, some_variation
from properties.test_streamlog import rules_of as streamlog_rules
from properties.theories import rules_of as xchangeeq_rules

#: What both languages have, and what a rule can be made to lack.
COMMON = RELATIONAL - (
    {"recursion", "as", "desc", "without", "optional", "label regex", "string regex", "any label", "whole child"}
    | {"calendar", "absolute timer", "timer variable", "periodic", "raise", "raise variable", "all", "nested all"}
    | {"optional construct", "default", "branch variable", "group-by", "order-by", "order-by desc"}
    | {"semantics formal", "accumulation where"}
)


@dataclass(frozen=True)
class Language:
    """A language as one to translate to: the writer of its text, and the reader."""

    write: Callable[[RuleProgram], RuleText]
    read: Callable[[str], RuleProgram]


def read_xchangeeq(text: str) -> RuleProgram:
    parsed = parse_xchangeeq(Source("translation.xceq", text))
    program, problems = lower_xchangeeq([parsed.program], calendars=(), timezone="UTC", semantics=None)
    assert not [*parsed.diagnostics, *problems], text
    return program


def read_streamlog(text: str) -> RuleProgram:
    parsed = parse_streamlog(Source("translation.slog", text))
    found = [each for each in check_program(parsed.program) if each.severity == "error"]
    lowered = lower_streamlog([parsed.program], "UTC")
    assert not [*parsed.diagnostics, *found, *lowered.problems], text
    return lowered.program


XCHANGEEQ = Language(xchangeeq.rule_text, read_xchangeeq)
STREAMLOG = Language(streamlog.rule_text, read_streamlog)

AnyCase = Case | StreamLogCase


def derived(program: RuleProgram, case: AnyCase) -> set[tuple[str, str, frozenset[str]]]:
    """Returns the events with their ids and the rules that derive them."""
    found = run_by_definition(program, case.events, relations=case.relations).derived
    return {(str(one.event), one.event.id, frozenset(way.rule for way in one.derivations)) for one in found}


def compared(program: RuleProgram, case: AnyCase, there: Language, back: Language) -> Counter[str]:
    """Translates the rules of a program there and back; returns how many could be, and how many answered."""
    counts = Counter[str]()
    sayable: list[Rule] = []
    for rule in program.rules:
        alone = replace(program, rules=(rule,))
        written = there.write(alone)
        if written.diagnostics:
            counts["refused"] += 1
            continue
        sayable.append(rule)
        expected = derived(alone, case)
        counts["answered" if expected else "silent"] += 1
        read = there.read(written.text)
        assert not [each for each in check(read) if each.severity == "error"], written.text
        named = replace(read, rules=tuple(replace(each, name=rule.name) for each in read.rules))
        assert derived(named, case) == expected, f"{written.text}{case!r}"
        again = back.write(named)
        if again.diagnostics:
            counts["not back"] += 1
            continue
        found = back.read(again.text)
        named = replace(found, rules=tuple(replace(each, name=rule.name) for each in found.rules))
        assert derived(named, case) == expected, f"{written.text}{again.text}{case!r}"
    if len(sayable) == len(program.rules) > 1:
        written = there.write(program)
        assert not written.diagnostics
        together = there.read(written.text)
        assert [rule.name for rule in together.rules] == [rule.name for rule in program.rules]
        assert derived(together, case) == derived(program, case), written.text
        counts["programs"] += 1
    return counts


# what looks like atoms


def like_atoms(program: RuleProgram) -> RuleProgram:
    """Returns the program with patterns and heads such as StreamLog has them."""
    rules = (replace(r, head=_head(r.head), branches=tuple(map(_branch, r.branches))) for r in program.rules)
    return replace(program, rules=tuple(rules))


def _branch(branch: Branch) -> Branch:
    return replace(
        branch,
        events=tuple(replace(each, pattern=_pattern(each.pattern)) for each in branch.events),
        collections=tuple(replace(each, pattern=_pattern(each.pattern)) for each in branch.collections),
        absences=tuple(replace(each, pattern=_pattern(each.pattern)) for each in branch.absences),
        relations=tuple(replace(each, pattern=_pattern(each.pattern)) for each in branch.relations),
    )


def _pattern(pattern: Pattern) -> Pattern:
    if not isinstance(pattern, TermPattern):
        return pattern
    values = [each for each in pattern.children if isinstance(each, VariablePattern | ScalarPattern)]
    of_state = isinstance(pattern.label, str) and state_label(pattern.label) is not None
    plain = bool(values) and len(values) == len(pattern.children) - of_state and not of_state
    ordered = plain and len(values) > 1
    return replace(pattern, children=tuple(map(_pattern, pattern.children)), total=plain, ordered=ordered)


def _head(head: Construct) -> Construct:
    if not isinstance(head, ConstructTerm):
        return head
    plain = not any(isinstance(each, ConstructTerm) for each in head.children)
    return replace(head, children=tuple(map(_head, head.children)), ordered=plain and len(head.children) > 1)


@pytest.mark.parametrize(
    "programs", [pytest.param(examples(150), id="short"), pytest.param(5_000, id="long", marks=pytest.mark.long)]
)
def test_rules_of_streamlog_in_xchangeeq_give_the_same_events(programs: int) -> None:
    counts = Counter[str]()
    for seed in range(programs):
        case = streamlog_case(seed)
        program = streamlog_rules(case)
        if program is not None:
            counts += compared(program, case, XCHANGEEQ, STREAMLOG)
    said = counts["answered"] + counts["silent"]
    assert said >= programs // 4
    assert counts["answered"] >= programs // 10
    assert counts["not back"] * 5 <= said
    assert counts["programs"] > 0


@pytest.mark.parametrize(
    "programs", [pytest.param(examples(300), id="short"), pytest.param(5_000, id="long", marks=pytest.mark.long)]
)
def test_rules_of_xchangeeq_in_streamlog_give_the_same_events(programs: int) -> None:
    counts = Counter[str]()
    for seed in range(programs):
        case = seeded_case(seed, COMMON, with_states=seed % 2 == 0)
        counts += compared(like_atoms(xchangeeq_rules(case)), case, STREAMLOG, XCHANGEEQ)
    said = counts["answered"] + counts["silent"]
    assert said >= programs // 2
    assert counts["answered"] >= programs // 5
    assert counts["not back"] == 0
    assert counts["programs"] > 0


def test_the_local_engine_gives_the_same_for_translations() -> None:
    for seed in range(examples(60)):
        case = seeded_case(seed, COMMON, with_states=seed % 2 == 0)
        program = like_atoms(xchangeeq_rules(case))
        rules = tuple(
            each for each in program.rules if not STREAMLOG.write(replace(program, rules=(each,))).diagnostics
        )
        if not rules:
            continue
        program = replace(program, rules=rules)
        translated = STREAMLOG.read(STREAMLOG.write(program).text)
        chance = random.Random(seed)
        variation = replace(some_variation(chance), relations=case.relations)
        events = disordered(case.events, variation.max_delay, chance)
        found = {(str(one.event), one.event.id) for one in variation.answers(translated, events)}
        expected = run_by_definition(program, case.events, relations=case.relations).derived
        assert found == {(str(one.event), one.event.id) for one in expected}
