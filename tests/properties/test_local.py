"""The local engine against the reference, on random programs and random streams.

Compared are the derived events with all their derivations: rules, causes and what was collected. What these tests
cannot catch is what both engines share: matching, the evaluation of conditions, and what the generator leaves out.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import get_args

import pytest
from hypothesis import strategies as st
from rich.console import Console
from rich.table import Table

from cera.errors import ProgramError
from cera.model.events.event import DerivedEvent, Event
from cera.program import load
from cera.rules.analysis.strata import is_hierarchical, recursive_components
from cera.rules.rule import RuleProgram, Semantics
from cera.testing import SECOND, event
from hypothesis_profiles import examples
from module_runs import run_by_definition, run_locally
from properties.generator import BASIC, FEATURES, LAST_SECOND, Case, cases, constructs, seeded_case
from properties.holding import holds_for
from properties.local_runs import (
    Variation,
    differences,
    disordered,
    in_order,
    in_time,
    some_variation,
)
from properties.theories import rules_of

#: What the engine accepts.
ACCEPTED = FEATURES - {"recursion"}

CASES = cases(ACCEPTED)
CHANCE = st.randoms(use_true_random=False)
SEMANTICS: tuple[Semantics, ...] = get_args(Semantics)


def expected_answers(program: RuleProgram, events: list[Event] | tuple[Event, ...]) -> list[DerivedEvent]:
    return list(run_by_definition(program, events).derived)


@dataclass
class Coverage:
    """In how many programs each construct occurred, and how many answers there were."""

    programs: int = 0
    answered: int = 0
    answers: int = 0
    derivations: int = 0
    used: Counter[str] = field(default_factory=Counter)
    used_and_answered: Counter[str] = field(default_factory=Counter)

    def count(self, case: Case, program: RuleProgram, derived: list[DerivedEvent]) -> None:
        names = {*constructs(case.program), f"in {program.semantics} semantics"}
        self.programs += 1
        self.answered += bool(derived)
        self.answers += len(derived)
        self.derivations += sum(len(one.derivations) for one in derived)
        self.used.update(names)
        self.used_and_answered.update(names if derived else ())

    def show(self) -> None:
        share = self.answered / self.programs
        title = (
            f"{self.programs} programs and streams, {self.answered} ({share:.0%}) with answers: "
            f"{self.answers} events with {self.derivations} derivations"
        )
        table = Table(title=title)
        for column in ("construct", "programs", "with answers"):
            table.add_column(column, justify="left" if column == "construct" else "right")
        for name, count in sorted(self.used.items()):
            table.add_row(name, str(count), str(self.used_and_answered[name]))
        Console(width=100).print(table)


@pytest.mark.parametrize(
    ("programs", "least"),
    [pytest.param(examples(500), 1, id="short"), pytest.param(6_000, 20, id="long", marks=pytest.mark.long)],
)
def test_C_24_both_engines_give_the_same_answers_whatever_way_a_stream_arrives(programs: int, least: int) -> None:
    """Prints the table with -s: how often each construct occurred, and how many of the programs with it had answers."""
    coverage = Coverage()
    for seed in range(programs):
        case = seeded_case(seed, ACCEPTED)
        program = replace(rules_of(case), semantics=SEMANTICS[seed % 2])
        expected = expected_answers(program, case.events)
        chance = random.Random(seed)
        variation = some_variation(chance)
        found = variation.answers(program, disordered(case.events, variation.max_delay, chance))
        assert not differences(found, expected), f"seed {seed}, {variation}"
        assert not variation.late
        coverage.count(case, program, expected)
    coverage.show()
    if programs < 500:
        return  # too few for all constructs
    everything = ACCEPTED | {*BASIC, *(f"in {name} semantics" for name in SEMANTICS)}
    assert set(coverage.used) == everything
    assert {name for name in everything if coverage.used_and_answered[name] < least} == set()
    assert coverage.answered * 100 >= 45 * coverage.programs


@holds_for(CASES, short=100, long=3_000)
def test_C_24_both_engines_give_the_same_answers(case: Case) -> None:
    """In both semantics, on a stream without delays; a failure shows the smallest program found."""
    for semantics in SEMANTICS:
        program = replace(rules_of(case), semantics=semantics)
        found = Variation(random.Random(0)).answers(program, in_order(case.events))
        assert not differences(found, expected_answers(program, case.events)), semantics


@holds_for(st.tuples(CASES, CHANCE), short=50, long=1_000)
def test_disorder_within_the_bound_changes_nothing(drawn: tuple[Case, random.Random]) -> None:
    case, chance = drawn
    program = rules_of(case)
    expected = Variation(chance).answers(program, in_order(case.events))
    for max_delay in (2 * SECOND, 2 * LAST_SECOND * SECOND):
        variation = Variation(chance, max_delay)
        found = variation.answers(program, disordered(case.events, max_delay, chance))
        assert not differences(found, expected)
        assert not variation.late


@holds_for(st.tuples(CASES, CHANCE), short=50, long=1_000)
def test_late_events_are_handed_over_and_change_nothing_else(drawn: tuple[Case, random.Random]) -> None:
    case, chance = drawn
    program = rules_of(case)
    max_delay = chance.choice((0, SECOND, 5 * SECOND))
    shuffled = chance.sample(case.events, len(case.events))
    accepted, late = in_time(shuffled, max_delay)
    variation = Variation(chance, max_delay)
    found = variation.answers(program, shuffled)
    assert variation.late == late
    assert not differences(found, expected_answers(program, accepted))


@holds_for(st.tuples(CASES, CHANCE), short=50, long=1_000)
def test_the_stream_may_be_cut_anywhere(drawn: tuple[Case, random.Random]) -> None:
    case, chance = drawn
    program = rules_of(case)
    found = Variation(chance, cutting=True).answers(program, in_order(case.events))
    assert not differences(found, expected_answers(program, case.events))


@holds_for(st.tuples(CASES, CHANCE), short=50, long=1_000)
def test_the_state_can_be_written_and_read_back_between_any_two_events(drawn: tuple[Case, random.Random]) -> None:
    case, chance = drawn
    program = rules_of(case)
    variation = Variation(chance, chance.choice((0, 5 * SECOND)), restarting=True)
    found = variation.answers(program, disordered(case.events, variation.max_delay, chance))
    assert not differences(found, expected_answers(program, case.events))


@holds_for(CASES, short=50, long=2_000)
def test_C_26_dropping_what_is_irrelevant_changes_no_answer(case: Case) -> None:
    program, events = rules_of(case), in_order(case.events)
    kept, dropped = (Variation(random.Random(0), dropping=dropping) for dropping in (False, True))
    expected = kept.answers(program, events)
    assert not differences(dropped.answers(program, events), expected)
    assert dropped.peak <= kept.peak


@holds_for(st.tuples(CASES, st.integers(-1, 3 * LAST_SECOND)), short=50, long=1_000)
def test_until_cuts_a_replay_as_if_now_were_then(drawn: tuple[Case, int]) -> None:
    case, seconds = drawn
    program = rules_of(case)
    until = seconds * SECOND
    found = run_locally(program, case.events, until=until).derived
    assert not differences(found, run_by_definition(program, case.events, until=until).derived)


@holds_for(CASES, short=50, long=1_000)
def test_events_given_as_json_are_answered_like_events_given_as_terms(case: Case) -> None:
    program = rules_of(case)
    found = Variation(random.Random(0), reading_json=True).answers(program, in_order(case.events))
    assert not differences(found, expected_answers(program, case.events))


@holds_for(cases(recursive=True), short=60, long=500)
def test_recursion_is_refused_with_the_rules_of_the_cycle_and_an_engine_that_can(case: Case) -> None:
    program = rules_of(case)
    cycles = recursive_components(program.rules)
    if not cycles:
        assert not differences(run_locally(program, case.events).derived, expected_answers(program, case.events))
        return
    with pytest.raises(ProgramError) as refusal:
        run_locally(program, case.events)
    problems = refusal.value.diagnostics
    assert len(problems) == len(cycles)
    for problem, cycle in zip(problems, cycles, strict=True):
        assert all(rule.name in problem.message for rule in cycle)
        assert '`engine="reference"`' in (problem.hint or "")


def test_generated_programs_without_recursion_are_hierarchical() -> None:
    assert all(is_hierarchical(rules_of(seeded_case(seed, ACCEPTED)).rules) for seed in range(100))


@pytest.mark.parametrize("semantics", SEMANTICS)
def test_what_branches_collect_for_one_trace_is_told_together(semantics: Semantics) -> None:
    """Found by the comparison: two branches of an `or` with the same events, one of which collects, and no grouping."""
    program = """
    DETECT r{} ON or { event j: a{{}}, and { event j: a{{}}, while j: collect b{{}} },
                       and { event j: a{{}}, while j: collect c{{}} } } END
    """
    stream = [event("a{}", 0, 9), event("b{}", 1), event("c{}", 0), event("c{}", 2)]
    rules = load(program, semantics=semantics).checked()
    [derived] = expected_answers(rules, stream)
    assert len(derived.derivations[0].collected) == (3 if semantics == "practical" else 0)
    assert not differences(Variation(random.Random(0)).answers(rules, in_order(stream)), [derived])
