"""Random EPL events over random histories: whatever way they are evaluated, they detect the same.

The matcher knows nothing of Datalog or of Tables 1 and 2; the two evaluators know nothing of EPL. What this cannot
catch: a misreading of Definition 1 that is in the matcher and in the translation.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from cera.datalog import stages
from cera.datalog.checks import check
from cera.diagnostics import Source
from cera.languages.epl.event_shapes import check_shapes
from cera.languages.epl.parser import parse
from cera.languages.epl.printer import print_event
from cera.languages.epl.syntax import Basic, Context, Event, Prior, RelaxedSequence, Rule, Sequence, Within
from cera.languages.epl.translation import Translation, program_of, translate
from cera.languages.epl.variables import with_variables
from cera.languages.text.nodes import EventType, Identifier
from cera.model.expressions.expression import Comparison, Variable
from cera.model.time.durations import Duration
from cera.modules.tuples import EventTuple
from hypothesis_profiles import examples
from properties.epl_matcher import Matcher, Stage
from properties.epl_programs import (
    LABELS,
    MONITORED,
    SECOND,
    Detections,
    left_out,
    named,
    random_event,
    random_history,
    stage_wise,
    variants,
    whole_history,
)


def compare(seed: int, simultaneous: bool, depth: int = 3) -> bool:
    """Whether something was detected."""
    random = Random(seed)
    event = random_event(random, random.randrange(1, depth + 1))
    history = random_history(random, simultaneous)
    expected: Detections = set()
    for bindings, end in Matcher(history).detections(event):
        expected.add((tuple((name, each.identity) for name, each in bindings), end))
    for translated in variants(event):
        story = f"seed {seed}: {print_event(event)}\n{history}"
        assert stage_wise(translated, history) == expected, story
    assert whole_history(variants(event)[0], history) == expected, story
    return bool(expected)


@pytest.mark.parametrize("simultaneous", [False, True], ids=["one event a stage", "simultaneous events"])
def test_stage_wise_and_whole_history_and_the_matcher_agree(simultaneous: bool) -> None:
    detected = sum(compare(seed, simultaneous) for seed in range(examples(150)))
    assert detected > examples(60)


@pytest.mark.long
@pytest.mark.parametrize("simultaneous", [False, True], ids=["one event a stage", "simultaneous events"])
def test_thousands_of_events_agree(simultaneous: bool) -> None:
    detected = sum(compare(seed, simultaneous, depth=4) for seed in range(1_000, 4_000))
    assert detected > 1_000


def compare_context(seed: int, context: Context) -> bool:
    """The same for the other contexts, of which the matcher knows nothing."""
    random = Random(seed)
    event = random_event(random, random.randrange(1, 4), context)
    history = random_history(random, simultaneous=seed % 2 == 0)
    plain, folded = (translate(event, MONITORED, context, copies=copies) for copies in (True, False))
    story = f"seed {seed}: {print_event(event)} in {context} context\n{history}"
    found = whole_history(plain, history)
    assert stage_wise(plain, history) == found, story
    assert stage_wise(folded, history) == found, story
    return bool(found)


@pytest.mark.parametrize("context", ["recent", "chronicle"])
def test_contexts_are_evaluated_alike_stage_by_stage_and_over_the_whole_history(context: Context) -> None:
    assert sum(compare_context(seed, context) for seed in range(examples(60))) > examples(20)


@pytest.mark.long
@pytest.mark.parametrize("context", ["recent", "chronicle"])
def test_contexts_of_thousands_of_events_are_evaluated_alike(context: Context) -> None:
    assert sum(compare_context(seed, context) for seed in range(1_000, 3_000)) > 600


def forgetful(translated: Translation, history: list[Stage]) -> tuple[Detections, int]:
    """What is detected if everything that is of no use is forgotten after each stage, and how often that was all."""
    machine = stages.compile(program_of([translated]), outputs=[translated.predicate])
    state, found, anew = machine.start(), set(), 0
    for number, stage in enumerate(history, 1):
        machine.forget(state, stage.time)
        if number > 1 and machine.goes_on_like(state, machine.start()):
            state, anew = machine.start(), anew + 1
        events = {label: [(each,) for each in tuples] for label, tuples in stage.events.items()}
        facts = machine.step(state, events, stage.time).get(translated.predicate, ())
        found |= {(named(translated, fact), number) for fact in facts}
    return found, anew


def compare_forgetful(seed: int, context: Context) -> int:
    random = Random(seed)
    event = random_event(random, random.randrange(1, 4), context)
    if isinstance(event, Sequence | RelaxedSequence | Prior) and random.random() < 0.7:
        limited = Within(event, Duration(0, random.randrange(1, 6) * SECOND))
        event = event if list(check_shapes(Rule(Identifier("R"), limited, context))) else limited
    history = random_history(random, simultaneous=seed % 2 == 0)
    translated = translate(event, MONITORED, context, copies=False)
    found, anew = forgetful(translated, history)
    assert found == stage_wise(translated, history), (
        f"seed {seed}: {print_event(event)} in {context} context\n{history}"
    )
    return anew


@pytest.mark.parametrize("context", ["unrestricted", "recent", "chronicle"])
def test_what_is_forgotten_in_idle_histories_is_of_no_use(context: Context) -> None:
    assert sum(compare_forgetful(seed, context) for seed in range(examples(150))) > examples(50)


@pytest.mark.long
@pytest.mark.parametrize("context", ["unrestricted", "recent", "chronicle"])
def test_what_is_forgotten_in_thousands_of_histories_is_of_no_use(context: Context) -> None:
    assert sum(compare_forgetful(seed, context) for seed in range(1_000, 5_000)) > 1_000


def facts_of(event: Event, context: Context, history: list[Stage]) -> set[tuple[tuple[str, ...], int]]:
    """The identities of the events of each detection, in the order of the rule, and its stage, as rules run."""
    [rule] = (
        parse(Source("test.epl", f"begin M monitor A, B, C; R: {print_event(event)} in {context} context end."))
        .modules[0]
        .rules
    )
    translated = translate(with_variables(rule).event, MONITORED, context, copies=False)
    found = stage_wise(translated, history)
    order = {name: place for place, name in enumerate(translated.variables)}
    return {
        (tuple(identity for _, identity in sorted(events, key=lambda pair: order[pair[0]])), stage)
        for events, stage in found
    }


def compare_left_out(seed: int, context: Context) -> bool:
    random = Random(seed)
    event = random_event(random, random.randrange(1, 4), context)
    history = random_history(random, simultaneous=seed % 2 == 0)
    every = left_out(event, random, named=True)
    less = left_out(every, random)
    found = facts_of(every, context, history)
    assert facts_of(less, context, history) == found, f"seed {seed}: {print_event(every)} and {print_event(less)}"
    return less != every and bool(found)


@pytest.mark.parametrize("context", ["unrestricted", "recent", "chronicle"])
def test_variables_that_are_left_out_change_nothing(context: Context) -> None:
    assert sum(compare_left_out(seed, context) for seed in range(examples(150))) > examples(30)


@pytest.mark.long
@pytest.mark.parametrize("context", ["unrestricted", "recent", "chronicle"])
def test_variables_left_out_of_thousands_of_events_change_nothing(context: Context) -> None:
    assert sum(compare_left_out(seed, context) for seed in range(1_000, 4_000)) > 600


def test_every_translated_program_passes_the_checks_of_datalog() -> None:
    for seed in range(examples(200)):
        random = Random(seed)
        context: Context = random.choice(("unrestricted", "recent", "chronicle"))
        event = random_event(random, 3, context)
        for copies in (True, False):
            program = program_of([translate(event, MONITORED, context, copies=copies)])
            assert [str(found) for found in check(program)] == [], print_event(event)


def flat_sequence(length: int, keyed: bool) -> RelaxedSequence:
    """[A(X0), B(X1, X1.v = X0.v), …]."""
    events = []
    for index in range(length):
        same = Comparison("=", Variable(f"X{index}.v"), Variable(f"X{index - 1}.v"))
        conditions = (same,) if keyed and index else ()
        events.append(Basic(EventType(None, LABELS[index]), Identifier(f"X{index}"), conditions))
    return RelaxedSequence(tuple(events))


Run = tuple[EventTuple, ...]


def extended(waiting: set[Run], happened: EventTuple, keyed: bool) -> set[Run]:
    return {(*run, happened) for run in waiting if not keyed or run[-1].fields["v"] == happened.fields["v"]}


def recent(history: list[Stage], length: int, keyed: bool) -> set[tuple[Run, int]]:
    """By hand: of each beginning of the sequence, only what was found at the last stage where one was found."""
    last: list[set[Run]] = [{()}, *(set() for _ in range(length))]
    found = set()
    for number, stage in enumerate(history, 1):
        new = [
            {run for each in stage.events.get(LABELS[k], ()) for run in extended(last[k], each, keyed and k > 0)}
            for k in range(length)
        ]
        for k in range(length):
            last[k + 1] = new[k] or last[k + 1]
        found |= {(run, number) for run in new[-1]}
    return found


def chronicle(history: list[Stage], length: int, keyed: bool) -> set[tuple[Run, int]]:
    """By hand: a queue of each beginning of the sequence; an event takes those from the earliest stage that it fits."""
    queues: list[dict[int, set[Run]]] = [{} for _ in range(length)]
    found = set()
    for number, stage in enumerate(history, 1):
        before = [{age: set(runs) for age, runs in queue.items()} for queue in queues]
        for k in range(length):
            new: set[Run] = set()
            for each in stage.events.get(LABELS[k], ()):
                if k == 0:
                    new.add((each,))
                    continue
                for age in sorted(before[k - 1]):
                    if runs := extended(before[k - 1][age], each, keyed):
                        new |= runs
                        queues[k - 1][age] -= {run[:-1] for run in runs}
                        break
            if k == length - 1:
                found |= {(run, number) for run in new}
            else:
                queues[k][number] = new
    return found


def compare_flat(seed: int, context: Context, by_hand: Any, keyed: bool) -> bool:
    random = Random(seed)
    length = random.choice((2, 3))
    history = random_history(random, simultaneous=seed % 2 == 0) + random_history(random, simultaneous=False)
    history = [renamed(stage, number) for number, stage in enumerate(history)]
    translated = translate(flat_sequence(length, keyed), MONITORED, context, copies=False)
    expected = {
        (tuple((f"X{index}", each.identity) for index, each in enumerate(run)), number)
        for run, number in by_hand(history, length, keyed)
    }
    assert stage_wise(translated, history) == expected, seed
    return bool(expected)


@pytest.mark.parametrize("keyed", [False, True])
@pytest.mark.parametrize(("context", "by_hand"), [("recent", recent), ("chronicle", chronicle)])
def test_contexts_of_flat_sequences_are_what_queues_would_do(context: Context, by_hand: Any, keyed: bool) -> None:
    assert sum(compare_flat(seed, context, by_hand, keyed) for seed in range(examples(80))) > examples(20)


@pytest.mark.long
@pytest.mark.parametrize("keyed", [False, True])
@pytest.mark.parametrize(("context", "by_hand"), [("recent", recent), ("chronicle", chronicle)])
def test_contexts_of_a_thousand_flat_sequences(context: Context, by_hand: Any, keyed: bool) -> None:
    assert sum(compare_flat(seed, context, by_hand, keyed) for seed in range(1_000, 2_000)) > 250


def renamed(stage: Stage, number: int) -> Stage:
    """The stage with identities and times of its own, so that two histories can follow each other."""
    return Stage(
        {
            label: tuple(EventTuple(f"{each.identity}@{number}", each.fields, number) for each in tuples)
            for label, tuples in stage.events.items()
        },
        number,
    )


def test_a_random_event_is_read_back_as_it_is_printed() -> None:
    for seed in range(examples(300)):
        event = random_event(Random(seed), 4)
        text = print_event(event)
        parsed = parse(Source("test.epl", f"begin M monitor A, B, C; R: {text} end."))
        assert not parsed.diagnostics, text
        assert parsed.modules[0].rules[0].event == event, text
