"""Snoop's sequences by seed 003 and by seed 004: both ways detect the same where events never occur together.

The first is a module of EPL, evaluated as Datalog_1S over stages; the second event types, evaluated by definition. They
have nothing in common but the reading of the program.
"""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cera.diagnostics import Source
from cera.errors import ProgramError, UsageError
from cera.languages.epl.printer import print_modules
from cera.languages.snoop.epl_translation import epl_module, to_datalog
from cera.program import Program as RunnableProgram
from instance_building import detected, history, seen
from languages.snoop.reading import module, read
from module_runs import meaning

TWO, THREE = "A ; B", "A ; B ; C"

event_types = cache(module)


@cache
def datalog(text: str) -> RunnableProgram:
    """By way of the text of the `.dl1s` file."""
    return RunnableProgram((Source("M.dl1s", to_datalog(read(text), "M")),))


def by_event_types(text: str, events: str) -> list[str]:
    return detected(meaning(event_types(text), history(events)))


def by_datalog(text: str, events: str) -> list[str]:
    return detected(datalog(text).run(history(events)))


words = st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=1, max_size=9).map(" ".join)
valued = st.lists(
    st.one_of(st.just("."), st.builds("{}(v={})".format, st.sampled_from(["a", "b", "c"]), st.integers(1, 3))),
    max_size=9,
).map(" ".join)


@pytest.mark.parametrize("context", ["unrestricted", "recent", "chronicle"])
@pytest.mark.parametrize("sequence", [TWO, THREE, "A ; (B ; C)", "(A ; B) ; (C ; D)", "A ; B ; C ; D", "A ; B ; a: A"])
@example("a a b c b c")
@given(words)
def test_N_16_both_papers_detect_the_same_sequences(context: str, sequence: str, events: str) -> None:
    text = f"E := {context} {sequence}"
    assert by_datalog(text, events) == by_event_types(text, events)


@pytest.mark.parametrize(
    "text",
    [
        "recent A ; B ; C where B.v < 3 and C.v > 1",
        "recent A ; B ; C within 4 sec",
        "chronicle (A ; B within 2 sec) ; C",
        "chronicle A ; B where A.v = B.v",
        "chronicle A ; B ; C where A.v = C.v and A.v <= B.v as E(A.v, w: B.v)",
        "A ; B ; C where A.v < C.v within 5 sec as E(A.v)",
        "samos *A ; B",
    ],
)
@given(valued)
def test_conditions_and_limits_of_time_are_the_same_both_ways(text: str, events: str) -> None:
    text = f"E := {text}"
    assert by_datalog(text, events) == by_event_types(text, events)


@pytest.mark.parametrize(
    ("entry", "context", "expected"),
    [
        ("D-16", "unrestricted", "a^1 b^1 c^1, a^2 b^1 c^1, a^1 b^1 c^2, a^2 b^1 c^2, a^1 b^2 c^2, a^2 b^2 c^2"),
        ("D-17", "recent", "a^2 b^1 c^1, a^2 b^2 c^2"),
        ("D-18", "chronicle", "a^1 b^1 c^1, a^2 b^2 c^2"),
    ],
)
def test_D_16_D_17_D_18_example_9_both_ways(entry: str, context: str, expected: str) -> None:
    text = f"E := {context} {THREE}"
    assert by_datalog(text, "a a b c b c") == by_event_types(text, "a a b c b c") == seen(expected), entry


def test_of_simultaneous_events_datalog_takes_all_and_event_types_one() -> None:
    """Those of a stage are equally old to the rules; in a sequence of instances each has a place."""
    [one] = by_event_types("E := recent A ; B", "a|a b")
    assert one in by_datalog("E := recent A ; B", "a|a b") == seen("a^1 b^1, a^2 b^1")
    used = {pair[:3] for pair in by_event_types("E := chronicle A ; B", "a a b|b")}
    assert used == {"a^1", "a^2"}, "each event is used once"
    assert by_datalog("E := chronicle A ; B", "a a b|b") == seen("a^1 b^1, a^1 b^2")
    unrestricted = seen("a^1 b^1, a^1 b^2, a^2 b^1, a^2 b^2")
    assert by_event_types("E := A ; B", "a|a b|b") == by_datalog("E := A ; B", "a|a b|b") == unrestricted


def test_the_module_of_epl_says_the_same_in_its_words() -> None:
    text = """
        event Paid = update(ACC);
        partition by k;
        One := recent E1 ; Paid ; last: E1 where Paid.v > 3 as told(v: E1.v, last.w)
        Two := chronicle E1 ; (E2 ; E-3) within 5 min
    """
    assert print_modules((epl_module(read(text), "M"),)) == (
        "begin M\n"
        "  monitor update(ACC), E1, E2, E-3;\n"
        "  partition by k;\n"
        "\n"
        "  One:\n"
        "    [E1(e1), update(ACC(paid), paid.v > 3), E1(last)]\n"
        "    in recent context\n"
        "    as told(v: e1.v, w: last.w).\n"
        "\n"
        "  Two:\n"
        "    prior(E1(e1), [E2(e2), E-3(e_3)]) within 5 min\n"
        "    in chronicle context.\n"
        "end.\n"
    )


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("E := recent A and B", "`and`"),
        ("E := recent A ; NOT(B)[C, D]", "`NOT`"),
        ("E := recent A*(A, B, C)", r"`A\*`"),
        ("E := continuous A ; B", "`;` in the context `continuous`"),
        ("E := ode A ; B", "`;` in the context `ode`"),
        ("E := recent A ; (chronicle B ; C)", "several contexts"),
        ("E := samos last A ; B", "`last` of SAMOS"),
        ("E := recent A ; B where A.v = B.v", "relate two events in the recent context"),
        ("E := chronicle A ; (B ; C) where A.v = C.v as E()", "relate an event to a sequence after it"),
        ("E := chronicle A ; (B ; C) ; D where A.v = C.v as E()", "relate an event to a sequence after it"),
        ("E := recent a: A ; b: A", "two of the same event"),
        ("P := recent A ; B\nE := recent P ; C", "`P` is defined in the program"),
        ("E := recent A ; B as E(count(A))", r"`count\(…\)` in a head"),
        ("E := recent p: (A ; B) ; C where p.v = 3", "an attribute of a sequence"),
    ],
)
def test_what_has_no_translation_is_named(text: str, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        to_datalog(read(text), "M")


def test_a_wrong_program_is_not_translated() -> None:
    with pytest.raises(ProgramError, match="CE201"):
        to_datalog(read("E := recent A ; B where C.v = 1"), "M")
