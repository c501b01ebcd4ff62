"""StreamLog against its meaning, and the engines against each other, on random programs and streams.

`streamlog_meaning` finds errors of the lowering, the reference engine errors of the others. Programs that are refused
are left out, and counted.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from cera.diagnostics import Source
from cera.languages.streamlog.lowering import lower
from cera.languages.streamlog.parser import parse
from cera.model.events.event import Event
from cera.model.events.states import opening
from cera.model.terms.term import Term, Value, value_key
from cera.rules.checks.check import check
from cera.rules.rule import RuleProgram
from cera.testing import SECOND
from hypothesis_profiles import examples
from module_runs import run_by_definition
from properties.generator.states import STATE_LABELS
from properties.generator.streamlog import StreamLogCase, streamlog_case, streamlog_cases
from properties.holding import holds_for
from properties.local_runs import Variation, differences, disordered, in_order, some_variation
from properties.streamlog_meaning import answers

Answer = tuple[object, int, int]

#: Errors of random programs: an evaluation time is missing (SL303), has no event around it (SL305) or unusual bounds
#: (SL308), a timer cannot be (SL309), an aggregate would have to wait (SL310), a relation is negated (SL311), values of
#: two kinds are compared (XC206).
_REFUSED = ("SL303", "SL305", "SL308", "SL309", "SL310", "SL311", "XC206")


def rules_of(case: StreamLogCase) -> RuleProgram | None:
    """Returns the rules of a program; None if it is one of those that are not run yet."""
    lowered = lower([case.program], "UTC")
    program, problems = lowered.program, lowered.problems
    errors = [problem for problem in (*problems, *check(program)) if problem.severity == "error"]
    if errors and all(problem.code in _REFUSED for problem in errors):
        return None
    assert not errors, "\n".join(map(str, errors)) + repr(case)
    return program


def by_meaning(case: StreamLogCase) -> set[Answer]:
    rows = {name: [row.term for row in relation.rows] for name, relation in case.relations.items()}
    return {_answer(event) for event in answers(case.program, case.events, STATE_LABELS, rows)}


def by_reference(case: StreamLogCase, program: RuleProgram) -> set[Answer]:
    derived = run_by_definition(program, case.events, relations=case.relations).derived
    return {_answer(one.event) for one in derived}


def _answer(event: Event) -> Answer:
    return _key(event.term), event.begin, event.end


def _key(value: Value) -> object:
    return value_key(value)


def compared(case: StreamLogCase) -> int | None:
    """Returns the number of answers on which the meaning and the reference agree; None if the program is refused."""
    program = rules_of(case)
    if program is None:
        return None
    expected, found = by_meaning(case), by_reference(case, program)
    missing, unexpected = sorted(map(str, expected - found)), sorted(map(str, found - expected))
    assert (missing, unexpected) == ([], []), f"{case!r}\nmissing {missing}\nunexpected {unexpected}"
    return len(found)


@pytest.mark.parametrize(
    "programs", [pytest.param(examples(400), id="short"), pytest.param(10_000, id="long", marks=pytest.mark.long)]
)
def test_the_reference_engine_gives_the_answers_that_the_text_of_the_language_demands(programs: int) -> None:
    kinds = Counter[str]()
    for seed in range(programs):
        found = compared(streamlog_case(seed))
        kinds["refused" if found is None else "answered" if found else "silent"] += 1
    assert kinds["answered"] * 100 >= 20 * programs
    assert kinds["refused"] * 100 <= 50 * programs


@holds_for(streamlog_cases(), short=50, long=3_000)
def test_a_program_with_other_answers_than_its_meaning_in_its_smallest_form(case: StreamLogCase) -> None:
    compared(case)


@pytest.mark.parametrize(
    "programs", [pytest.param(examples(200), id="short"), pytest.param(8_000, id="long", marks=pytest.mark.long)]
)
def test_the_local_engine_agrees_with_the_reference_on_streamlog(programs: int) -> None:
    for seed in range(programs):
        case = streamlog_case(seed, 12)
        program = rules_of(case)
        if program is None:
            continue
        expected = list(run_by_definition(program, case.events, relations=case.relations).derived)
        chance = random.Random(seed)
        variation = replace(some_variation(chance), relations=case.relations)
        found = variation.answers(program, disordered(case.events, variation.max_delay, chance))
        assert not differences(found, expected), f"seed {seed}, {variation}{case}"


def test_states_that_touch_share_no_time_on_the_local_engine_either() -> None:
    """A condition that is decided in the step in which a state ends knows that it does."""
    program = parse(Source("test.slog", "state i: on(): p(k(K)) <- state: on(k(K)).")).program
    touching = [opening(Term("on", [Term("k", [k])]), k * SECOND, (k + 1) * SECOND) for k in range(3)]
    overlapping = opening(Term("on", [Term("k", [9])]), SECOND // 2, SECOND)
    for events, answered in (touching, []), ([*touching, overlapping], ["p{k{0}}", "p{k{9}}"]):
        case = StreamLogCase(program, tuple(events), {})
        rules = rules_of(case)
        assert rules is not None
        assert compared(case) == len(answered)
        found = Variation(random.Random(0)).answers(rules, in_order(events))
        assert sorted(str(one.event.term) for one in found) == answered


@pytest.mark.parametrize(
    ("code", "text"),
    [
        pytest.param("SL303", "p(n(count(K))) <- i: a(k(K)) and while i: b.", id="an aggregate over two times"),
        pytest.param("SL305", "Range 1h: p(k(K)) <- state: on(k(K)) and not a.", id="a window around states"),
        pytest.param("SL307", "event h: p(k(K)) and b(h) = b(i) <- i: a(k(K)).", id="a time of the answer"),
        pytest.param("SL308", "[b(i), e(i) + K]: p(k(K)) <- i: a(k(K)) and not b.", id="bounds that are no times"),
        pytest.param("SL309", "p(k(K)) <- w: now and a(k(K)) and from-end[w, 1h].", id="a timer on a window"),
        pytest.param("SL310", "state: on(): p(n(sum(K))) <- a(k(K)) and from-end[event: b, 1h].", id="a late timer"),
        pytest.param("SL310", "p <- i: a and while shift-forward[i, 1h]: state: on().", id="a state in the future"),
    ],
)
def test_what_cannot_be_answered_is_said_with_its_place(code: str, text: str) -> None:
    parsed = parse(Source("test.slog", text))
    assert not parsed.diagnostics
    problems = lower([parsed.program], "UTC").problems
    assert {problem.code for problem in problems} == {code}
    assert all(problem.span is not None and problem.hint for problem in problems)
