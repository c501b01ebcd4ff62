"""The local engine against the reference, on random programs and random streams.

Compared are the derived events with all their derivations: rules, causes and what was collected. What these tests
cannot catch is what both engines share: matching, the evaluation of conditions, and what the generator leaves out.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

import pytest
from hypothesis import strategies as st
from rich.console import Console
from rich.table import Table

from cera.engines.local import engine as local
from cera.engines.local.host import Host
from cera.engines.local.occurrence import occurrence
from cera.engines.local.processor import Processor
from cera.engines.reference import engine as reference
from cera.errors import ProgramError
from cera.model.events import DerivedEvent, Event
from cera.model.interval import Interval
from cera.pipeline import load
from cera.rules.rule import RuleProgram, Semantics
from cera.rules.strata import is_hierarchical, recursive_components
from cera.testing import SECOND, assert_same_events, event
from conformance.asking import FIRE_RULES
from properties.generator import BASIC, FEATURES, LAST_SECOND, Case, cases, constructs, seeded_case
from properties.holding import holds_for
from properties.local_runs import (
    Variation,
    differences,
    disordered,
    in_order,
    in_time,
    processor_of,
    some_variation,
)
from properties.theories import rules_of

#: What the engine accepts.
ACCEPTED = FEATURES - {"recursion"}

CASES = cases(ACCEPTED)
CHANCE = st.randoms(use_true_random=False)
SEMANTICS: tuple[Semantics, ...] = get_args(Semantics)


def expected_answers(program: RuleProgram, events: list[Event] | tuple[Event, ...]) -> list[DerivedEvent]:
    return list(reference.run(program, events).derived)


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
    [pytest.param(400, 1, id="short"), pytest.param(6_000, 20, id="long", marks=pytest.mark.long)],
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
    everything = ACCEPTED | {*BASIC, *(f"in {name} semantics" for name in SEMANTICS)}
    assert set(coverage.used) == everything
    assert {name for name in everything if coverage.used_and_answered[name] < least} == set()
    assert coverage.answered * 100 >= 45 * coverage.programs


@holds_for(CASES, short=200, long=3_000)
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


@holds_for(CASES, short=100, long=2_000)
def test_C_26_dropping_what_is_irrelevant_changes_no_answer(case: Case) -> None:
    program, events = rules_of(case), in_order(case.events)
    kept, dropped = (Variation(random.Random(0), dropping=dropping) for dropping in (False, True))
    expected = kept.answers(program, events)
    assert not differences(dropped.answers(program, events), expected)
    assert dropped.peak <= kept.peak


@holds_for(st.tuples(CASES, st.integers(-1, 3 * LAST_SECOND)), short=100, long=1_000)
def test_until_cuts_a_replay_as_if_now_were_then(drawn: tuple[Case, int]) -> None:
    case, seconds = drawn
    program = rules_of(case)
    until = seconds * SECOND
    found = local.run(program, case.events, until=until).derived
    assert not differences(found, reference.run(program, case.events, until=until).derived)


@holds_for(CASES, short=100, long=1_000)
def test_events_given_as_json_are_answered_like_events_given_as_terms(case: Case) -> None:
    program = rules_of(case)
    found = Variation(random.Random(0), reading_json=True).answers(program, in_order(case.events))
    assert not differences(found, expected_answers(program, case.events))


#: Constructs that reach further than the few minutes that the stream below lasts.
LONG_LASTING = {"calendar months", "absolute timer", "periodic", "calendar", "timer variable"}
REPETITIONS, PERIOD = 14, (LAST_SECOND + 1) * SECOND


@holds_for(cases(ACCEPTED - LONG_LASTING, most_events=8), short=60, long=1_000)
def test_the_state_of_bounded_rules_does_not_grow(case: Case) -> None:
    """The stream comes again and again; the most that is remembered is the same every time in the end."""
    processor = processor_of(rules_of(case), case.events)
    horizons = processor.network.horizons
    if not all(horizon is not None and horizon < 5 * PERIOD for horizon in horizons):
        return
    host = Host(processor)
    peaks: list[int] = []
    for repetition in range(REPETITIONS):
        live = [0]
        for one in in_order(case.events):
            list(host.push(occurrence(moved(one, repetition * PERIOD))))
            live.append(host.state.live)
        peaks.append(max(live))
    assert peaks[-1] == peaks[-2] == peaks[-3]


def moved(event: Event, by: int) -> Event:
    return Event(event.term, Interval(event.begin + by, event.end + by), event.qualifier)


def peaks_of(program: str, lengths: Sequence[int]) -> list[int]:
    """The most tuples that are remembered over streams of several lengths: a reading a second, smoke now and then."""
    plan = local.plan_of(load(program).checked())
    found = []
    for length in lengths:
        host = Host(Processor(plan, max_duration=0))
        peak = 0
        for second in range(length):
            happening = [event(f'temp{{area{{"a"}}, sensor{{{second % 5}}}, value{{{second % 60}}}}}', second)]
            happening += [event('smoke{area{"a"}}', second)] if second % 7 == 0 else []
            for one in happening:
                list(host.push(occurrence(one)))
            list(host.advance_to(second * SECOND))
            peak = max(peak, host.state.live)
        found.append(peak)
    return found


def test_the_state_of_the_sensor_program_is_the_same_on_a_short_and_on_a_long_stream() -> None:
    short, long = peaks_of(FIRE_RULES, (300, 3_000))
    assert short == long < 300


def test_the_state_of_an_unbounded_rule_grows_with_the_stream() -> None:
    program = (
        "DETECT pair{} ON and { event s: smoke{{ }}, event t: temp{{ value{{ var T }} }} } where { var T < 0 } END"
    )
    short, long = peaks_of(program, (300, 3_000))
    assert short == 300 + 43
    assert long == 3_000 + 429


@holds_for(cases(recursive=True), short=60, long=500)
def test_recursion_is_refused_with_the_rules_of_the_cycle_and_an_engine_that_can(case: Case) -> None:
    program = rules_of(case)
    cycles = recursive_components(program.rules)
    if not cycles:
        assert not differences(local.run(program, case.events).derived, expected_answers(program, case.events))
        return
    with pytest.raises(ProgramError) as refusal:
        local.run(program, case.events)
    problems = refusal.value.diagnostics
    assert len(problems) == len(cycles)
    for problem, cycle in zip(problems, cycles, strict=True):
        assert all(rule.name in problem.message for rule in cycle)
        assert "--engine reference" in (problem.hint or "")


def test_generated_programs_without_recursion_are_hierarchical() -> None:
    assert all(is_hierarchical(rules_of(seeded_case(seed, ACCEPTED)).rules) for seed in range(100))


JOIN_ON_TERMS = "DETECT h{var X} ON and { event a: a{{var X}}, event b: b{{var X}} } where { {a, b} within 1 min } END"


def test_a_state_written_by_another_process_is_read_back() -> None:
    """Python's hashes of strings differ from process to process, and stores are looked into by hash."""
    script = (
        "import sys; from cera.pipeline import load; from cera.testing import event\n"
        f"session = load({JOIN_ON_TERMS!r}).session()\n"
        "session.push(event('a{x{\"v\"}}', 0), event('a{y}', 1))\n"
        "sys.stdout.buffer.write(session.save())\n"
    )
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    written = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, check=True).stdout
    session = load(JOIN_ON_TERMS).session()
    session.restore(written)
    found = [*session.push(event('b{x{"v"}}', 2)), *session.close()]
    assert_same_events(found, [event('h{x{"v"}}', 0, 2)])
