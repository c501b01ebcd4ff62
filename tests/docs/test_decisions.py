"""What decision 0014 says of complex event types is so, by the definitions and by the processor."""

from __future__ import annotations

import pytest

from cera.comparing.comparison import compare
from cera.diagnostics import Source
from cera.languages.cet.lowering import instance_module
from cera.languages.cet.parser import parse
from docs.cet_examples import detections, events_of
from instance_evaluators import EVALUATORS


def detected(type_: str, history: str) -> list[str]:
    module, _ = instance_module(parse(Source("test.cet", f"E := {type_};")).program, "M")
    assert module is not None
    answers = {name: detections(module, EVALUATORS[name](module, list(events_of(history)))) for name in EVALUATORS}
    assert len(set(answers.values())) == 1, answers
    return [line.removeprefix("E at ") for line in answers["definitions"].splitlines()]


def test_what_is_simultaneous_is_all_there_before_anything_is_detected() -> None:
    assert detected("==(E1, E2)", "E1|E2") == ["1: E1^1 E2^1"]
    assert detected("not(E1, E2, E3)", "E1 E2|E3") == ["2: E1^1 E3^1"]


def test_of_simultaneous_events_the_order_of_components_decides() -> None:
    assert detected("and(first: E1, first: E2)", "E1 E1|E2") == ["2: E1^2 E2^1"]
    assert detected("and(first: E2, first: E1)", "E1 E1|E2") == ["2: E1^1 E2^1"]
    found = compare("chronicle E1 and E2", "chronicle E2 and E1", simultaneous=True)
    assert [str(each) for each in found.differences] == ["e1^1 e1^2|e2^1"]
    assert not compare("chronicle E1 and E2", "chronicle E2 and E1").differences


@pytest.mark.parametrize(
    ("type_", "history", "expected"),
    [
        (
            "and(cumulative: shared: E1, cumulative: shared: E2) where E1.k = E2.k",
            "E1(k=1) E2(k=1) E1(k=2) E2(k=2)",
            ["2: E1^1 E2^1", "4: E1^2 E2^2"],
        ),
        (";(cumulative: E1, shared: E2)", "E1 E2 E1", ["2: E1^1 E2^1"]),
        ("and((1): E1 as a, E1 as b)", "E1 E1", ["2: E1^1 E1^2"]),
        (
            ";(last: exclusive: E1, E2) where E1.k = E2.k",
            "E1(k=1) E1(k=2) E1(k=2) E2(k=2) E2(k=2) E2(k=1)",
            ["4: E1^3 E2^1", "6: E1^1 E2^3"],
        ),
        (";(first: E1, restricted cumulative: shared: (0-): E2, E3)", "E1 E2 E1 E3", ["4: E1^1 E2^1 E3^1"]),
    ],
)
def test_what_is_gathered_counted_and_deleted(type_: str, history: str, expected: list[str]) -> None:
    assert detected(type_, history) == expected
