"""S-02, S-08, S-09, S-10: the windows, the grammar and the static rules of StreamLog (seed 002, chapters 4 and 5).

What its programs answer is in the folders of `entries`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cera.diagnostics import Source
from cera.languages.streamlog.language import STREAMLOG
from cera.model.events.states import opening
from cera.model.time.durations import parse_duration
from cera.model.time.interval import point
from cera.model.time.periodic_windows import Period
from cera.program import Program, load
from cera.testing import SECOND, event

LISTINGS = sorted((Path(__file__).parents[1] / "languages" / "streamlog" / "ok").glob("*.slog"))
MINUTE = 60 * SECOND


@pytest.mark.parametrize("path", LISTINGS, ids=lambda path: path.stem)
def test_S_08_every_listing_is_read_and_read_back(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not STREAMLOG.parse(Source(path.name, text)).diagnostics
    printed = STREAMLOG.format(Source(path.name, text))
    assert not STREAMLOG.parse(Source(path.name, printed)).diagnostics
    assert STREAMLOG.format(Source(path.name, printed)) == printed


def codes(text: str) -> list[str]:
    return [each.code for each in Program((Source("test.slog", text),)).errors]


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("unbounded: h(x(X)) <- i: a(x(X)) and i before j.", "SL101"),
        ("unbounded: h(x(Y)) <- a(x(X)).", "SL201"),
        ("unbounded: h(x(X)) <- a(x(X)) and Y > 3.", "SL202"),
        ("Range 1h: h(x(X)) <- a(x(X)) and not b(x(X), y(Y)) and Y > 3.", "SL202"),
        ("unbounded: h(x(X)) <- a(x(X)) and not b(x(X)).", "SL303"),
        ('["2011-01-01", "2011-02-01"]: h(x(X)) <- while ["2012-01-01", "2012-02-01"]: a(x(X)).', "SL304"),
    ],
)
def test_S_09_what_a_rule_may_not_say_is_an_error(program: str, code: str) -> None:
    assert codes(program) == [code]


def test_S_09_a_label_of_events_and_states_has_to_say_which() -> None:
    assert not codes("unbounded: h(x(X)) <- event: a(x(X)) and state: a(x(X)).")
    assert codes("unbounded: h(x(X)) <- event: a(x(X)) and state: a(x(X)) and a(x(X)).") == ["SL103"]


def test_S_09_a_module_does_nothing_outside_of_its_evaluation_time() -> None:
    """It has two rules, since no evaluation time stands before the second."""
    program = load("auction(x(X)): g(x(X)) <- a(x(X)). h(x(X)) <- a(x(X)).")
    stream = [
        opening(event("auction{x{1}}", 2).term, 2 * SECOND, 5 * SECOND),
        *(event("a{x{1}}", t) for t in (1, 4, 6)),
    ]
    found = [(each.event.label, each.event.end // SECOND) for each in program.run(stream, engine="reference").derived]
    assert found == [("g", 4), ("h", 4)]


def test_S_10_durations_are_exact() -> None:
    assert parse_duration("1h30min") == parse_duration("5400 s")
    assert parse_duration("1h30min").microseconds == 5400 * SECOND
    assert parse_duration("1ms").microseconds * 1000 == SECOND


@pytest.mark.parametrize("minute", [0, 29, 30, 59, 60, 61, 119])
def test_S_02_a_time_is_in_one_tumbling_window_and_in_two_that_slide_by_half(minute: int) -> None:
    assert count(Period(60 * MINUTE, 60 * MINUTE, 0), minute) == 1
    assert count(Period(60 * MINUTE, 30 * MINUTE, 0), minute) == 2
    assert count(Period(30 * MINUTE, 60 * MINUTE, 0), minute) == (1 if minute % 60 < 30 else 0)


def count(period: Period, minute: int) -> int:
    return len(list(period.windows(point(minute * MINUTE))))
