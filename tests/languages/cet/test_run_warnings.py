"""What is said to be kept for ever is kept by the engine, and what is not said to be is not."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cera.diagnostics import Diagnostic, Source
from cera.instances.events.module import EventTypeModule
from cera.instances.events.processor import InstanceProcessor
from cera.languages.cet.lowering import instance_module
from cera.languages.cet.modes import CONSUMPTIONS
from cera.languages.cet.parser import parse
from cera.model.events.occurrence import Occurrence
from cera.model.terms.term import Term
from hypothesis_profiles import examples

SECOND = 1_000_000
LENGTH = 120
#: So many instances are few: a handful of types and keys.
FEW = 30

TYPES = (
    (";(E1, E2)", ["E1"]),
    (";(first: E1, E2)", ["E1"]),
    (";(last: shared: E1, E2)", []),
    (";(last: exclusive: E1, E2) where E1.k = E2.k", []),
    (";(last: shared: E1, E2) where E1.v < E2.v", ["E1"]),
    (";(first: shared: E1, E2)", ["E1"]),
    ("right-to-left: ;(last: shared: E1, E2)", ["E1"]),
    ("non-overlapping: ;(last: shared: E1, E2)", ["E1"]),
    (";(last: shared: E1, last: shared: E2, E3)", []),
    (";(last: shared: E1, first: shared: E2, E3)", ["E1", "E2"]),
    (";(last: shared: E1, (2): E2)", ["E1", "E2"]),
    (";(last: shared: E1, last: shared: E1 as second, E2)", ["E1", "second"]),
    (";(E1, E2) within 20 sec", []),
    ("continuous: ;(E1, E2)", ["E1", "E2"]),
    ("not(last: exclusive: E1, E2, E3)", []),
    ("not(E1, E2, E3)", ["E1"]),
    ("not(last: exclusive: E1, (2-): E2, E3)", ["E2"]),
    ("not(last: exclusive: E1, E2, E3) where E1.k = E2.k", ["E1", "E2"]),
    ("and(E1, last: shared: E2)", ["E1"]),
    ("and(last: shared: E1, last: shared: E2)", []),
    ("2 of (E1, E2, E3)", ["E1", "E2", "E3"]),
    ("==(E1, E2)", []),
    ("==(first: shared: E1, cumulative: shared: E2)", ["E1", "E2"]),
    ("or(E1, E2)", []),
    ("or(cumulative: E1, E2)", []),
    ("or((3-): E1, E2)", []),
    ("or(cumulative: shared: E1, E2)", ["E1"]),
    ("or(cumulative: E1, E2) where E1.v > 3", ["E1"]),
)


def hosted(text: str) -> tuple[EventTypeModule, list[Diagnostic]]:
    parsed = parse(Source("M.cet", text))
    assert not parsed.diagnostics, parsed.diagnostics[0]
    module, diagnostics = instance_module(parsed.program, "M")
    assert module is not None, diagnostics[0]
    return module, [each for each in diagnostics if each.code == "CE501"]


def most_remembered(module: EventTypeModule) -> int:
    """Over streams of one kind of event, of two in turn, and of all as it happens."""
    streams = [["E1"], ["E2"], ["E3"], ["E1", "E2"], ["E1", "E2", "E3"]]
    return max(_remembered(module, stream) for stream in streams)


def _remembered(module: EventTypeModule, stream: list[str]) -> int:
    processor = InstanceProcessor(module)
    state = processor.start()
    random = Random(1)
    for number in range(LENGTH):
        label = random.choice(stream) if len(stream) == 3 else stream[number % len(stream)]
        fields = [Term("k", [number % 3]), Term("v", [random.randrange(5)])]
        now = number * SECOND
        processor.step(state, now, [Occurrence(now, now, label, known=Term(label, fields))])
    # The times of events, which `continuous` asks for, are looked through when there are a thousand.
    return sum(history.live - len(history.past) for history in state.histories.values())


@pytest.mark.parametrize(("type_", "names"), TYPES, ids=[type_ for type_, _ in TYPES])
def test_the_components_that_are_kept_for_ever_are_warned_of(type_: str, names: list[str]) -> None:
    module, warnings = hosted(f"A := {type_};")
    assert [each.message.split("`")[3] for each in warnings] == names
    assert (most_remembered(module) > FEW) == bool(names)


def test_the_warning_says_why_and_what_would_bound_it() -> None:
    _, [kept] = hosted("A := ;(E1, E2);")
    assert kept.message == "`A` keeps every `E1` until an event with `E2` consumes it"
    assert kept.hint == (
        "`within 1 hour` behind its brackets would forget it after an hour; with `last: shared` only the newest is kept"
    )
    _, [shared] = hosted("A := or(E3, ;(first: shared: E1, E2));")
    assert shared.message == "a type inside of `A` keeps every `E1` for ever: it is shared, so nothing consumes it"


@pytest.mark.parametrize(
    ("timer", "warnings"),
    [
        ("5 min after E1", 0),
        ("every 5 min after E1", 1),
        ("every 5 min after E1 until E2", 1),
        ("every 5 min after last E1", 0),
    ],
)
def test_timers_that_never_stop_are_warned_of(timer: str, warnings: int) -> None:
    assert len(hosted(f"T := {timer};")[1]) == warnings


@st.composite
def types(draw: st.DrawFn) -> str:
    operator = draw(st.sampled_from([";", "and", "or", "not", "==", "2 of "]))
    number = 3 if operator == "not" else draw(st.integers(2, 3))
    modes = st.tuples(
        st.sampled_from(["first", "last", "last", "last", "cumulative", "restricted cumulative"]),
        st.sampled_from(CONSUMPTIONS),
        st.sampled_from(["", "", "", "(2-): ", "(-2): ", "(1-2): "]),
    ).map(lambda parts: f"{parts[0]}: {parts[1]}: {parts[2]}")
    components = []
    for place in range(number):
        inner = operator == "not" and 0 < place < number - 1
        name = draw(st.sampled_from(["E1", "E2", "E3"]))
        components.append(f"{'' if inner else draw(modes)}{name} as c{place}")
    keys = " and ".join(f"c0.k = c{place}.k" for place in range(1, number))
    where = draw(st.sampled_from(["", "", f" where {keys}", " where c0.v < c1.v", " where c0.v > 2"]))
    mode = draw(st.sampled_from(["", "", "", "continuous: ", "right-to-left: "]))
    return f"{mode}{operator}({', '.join(components)}){where}"


@settings(max_examples=examples(50), deadline=None)
@given(types())
def test_a_type_without_a_warning_remembers_little(type_: str) -> None:
    parsed = parse(Source("M.cet", f"A := {type_};"))
    module, diagnostics = instance_module(parsed.program, "M")
    if module is not None and not any(each.code == "CE501" for each in diagnostics):
        assert most_remembered(module) <= FEW
