"""Datalog_1S on random programs and histories: stage by stage as over the whole history, as text and written out.

What these tests cannot catch is what both evaluators share: the evaluation of conditions, and what the generator leaves
out (functions other than `abs`, terms as attributes).
"""

from __future__ import annotations

import pickle
import random
from collections import Counter

import pytest

from cera.datalog import rule_source, stages
from cera.datalog.history import evaluate
from cera.datalog.normal import normal_rules
from cera.datalog.printer import print_program
from cera.datalog.scheduling import schedule
from cera.datalog.stages import Facts
from cera.datalog.syntax import NEXT, J, Program, atoms
from cera.diagnostics import Source
from cera.languages.datalog.parser import parse
from hypothesis_profiles import examples
from properties.datalog_cases import Case, seeded_case

SIZES = [pytest.param(examples(150), id="short"), pytest.param(10_000, id="long", marks=pytest.mark.long)]


def expected_answers(case: Case) -> list[Facts]:
    derived = {rule.head.predicate for rule in case.program.rules}
    whole = evaluate(case.program, case.history, case.relations)
    return [{name: rows for name, rows in stage.items() if name in derived} for stage in whole]


def answers(case: Case, written_out: random.Random | None = None) -> list[Facts]:
    """The facts of each stage; the state goes through bytes now and then if there is chance."""
    machine = stages.compile(case.program)
    state, facts = machine.begin(case.relations)
    found = [facts]
    for stage in case.history:
        if written_out is not None and written_out.random() < 0.5:
            data = pickle.dumps(machine.dump(state))
            machine = stages.compile(case.program)
            state = machine.restore(pickle.loads(data))
        facts = machine.step(state, stage.events, stage.time)
        found.append({name: frozenset(rows) for name, rows in facts.items()})
    return found


@pytest.mark.parametrize("programs", SIZES)
def test_stage_by_stage_gives_the_facts_of_the_whole_history(programs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the programs look up the facts of a stage by index however few they are."""
    seen: Counter[str] = Counter()
    for seed in range(programs):
        case = seeded_case(seed)
        monkeypatch.setattr(rule_source, "FEW", seed % 2 * 8)
        expected = expected_answers(case)
        assert answers(case) == expected, f"seed {seed}\n{print_program(case.program)}"
        staged = schedule([rule for rule in normal_rules(case.program) if rule.when != "always"])
        seen["kept in place"] += bool(staged.frames)
        seen["removed"] += any(frame.removals for frame in staged.frames.values())
        seen["expired"] += any(frame.expiry for frame in staged.frames.values())
        seen["answered"] += any(expected)
    assert all(seen[what] > programs / 10 for what in ("kept in place", "removed", "expired", "answered")), seen


@pytest.mark.parametrize("programs", SIZES)
def test_a_state_that_was_written_out_goes_on_as_if_it_had_not(programs: int) -> None:
    for seed in range(1, programs, 4):
        case = seeded_case(seed)
        assert answers(case, random.Random(seed)) == answers(case), f"seed {seed}\n{print_program(case.program)}"


@pytest.mark.parametrize("programs", SIZES)
def test_asking_for_one_predicate_gives_its_facts_and_no_others(programs: int) -> None:
    for seed in range(2, programs, 4):
        case = seeded_case(seed)
        every = answers(case)
        for name in sorted({rule.head.predicate for rule in case.program.rules})[:2]:
            machine = stages.compile(case.program, [name])
            state, facts = machine.begin(case.relations)
            found = [facts.get(name, frozenset())]
            for stage in case.history:
                found.append(frozenset(machine.step(state, stage.events, stage.time).get(name, ())))
            assert found == [stage.get(name, frozenset()) for stage in every], f"seed {seed}, {name}"


@pytest.mark.parametrize("programs", SIZES)
def test_a_printed_program_is_read_as_the_same_program(programs: int) -> None:
    for seed in range(programs):
        program = _with_visible_stages(seeded_case(seed).program)
        text = print_program(program)
        parsed = parse(Source("printed", text))
        assert not parsed.diagnostics, text
        assert repr(parsed.program) == repr(program), text


def _with_visible_stages(program: Program) -> Program:
    """Without the predicates of which only numbered stages are used: a number alone may be a constant."""
    visible = {a.predicate for r in program.rules for a in (r.head, *atoms(r)) if a.stage in (J, NEXT, None)}
    kept = [rule for rule in program.rules if {a.predicate for a in (rule.head, *atoms(rule))} <= visible]
    return program if len(kept) == len(program.rules) else _with_visible_stages(Program(tuple(kept)))
