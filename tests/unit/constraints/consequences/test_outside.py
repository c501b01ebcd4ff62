"""Times that are outside of their module's, or too long for it."""

from __future__ import annotations

import pytest

from cera.diagnostics import Diagnostic
from conformance.constraints import diagnostics_of

QUIET = "IN ANY CASE exists <= 1 event: call() END"


def _reported(text: str, code: str) -> list[Diagnostic]:
    return [each for each in diagnostics_of(text) if each.code == code]


def _nested(outer: str, inner: str) -> str:
    return f"WHILE {outer} LET WHILE {inner} LET {QUIET} END END"


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        ('["2026-01-01", "2026-01-31"]', '["2026-03-01", "2026-03-31"]'),
        ("event m: visit()", "from-end[m, 1h]"),
        ("state s: open()", "from-end[s, 1h]"),
        ("from-start[event m: visit(), 1h]", "shift-forward[m, 2h]"),
        ("from-end[event m: visit(), 1h]", "[b(m) - 1h, b(m) - 10 min]"),
    ],
)
def test_a_module_that_has_nothing_in_common_with_the_one_around_it_is_an_error(outer: str, inner: str) -> None:
    [problem] = _reported(_nested(outer, inner), "EC307")
    assert problem.span is not None
    assert problem.span.source.text[problem.span.start : problem.span.end] == inner
    [note] = problem.notes
    assert note.span is not None


def test_windows_are_compared_with_all_windows_around_them() -> None:
    inside = _nested("state: open()", '["2026-03-01", "2026-03-31"]')
    assert len(_reported(f'WHILE ["2026-01-01", "2026-01-31"] LET {inside} END', "EC307")) == 1


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        ('["2026-01-01", "2026-01-31"]', '["2026-01-31", "2026-03-31"]'),
        ('["2026-01-01", "2026-01-31"]', "Range 1 day"),
        ("state: open()", "Range 1h"),
        ("state: open()", "from-end[event: visit(), 1h]"),
        ("event m: visit()", "from-start[m, 1h]"),
        ("event m: visit()", "shift-forward[m, 1h]"),
        ("unbounded", "Range 1h"),
        ("Range 1h", "unbounded"),
    ],
)
def test_modules_that_can_have_something_in_common_are_not_reported(outer: str, inner: str) -> None:
    assert not _reported(_nested(outer, inner), "EC307")


PAID = "IF event o: order(id(N)) and event w: {} THEN while w: event: payment(id(N)) END"


@pytest.mark.parametrize(
    ("module", "timer"),
    [
        ("Range 1h", "from-end[o, 2h]"),
        ("Range 1h", "from-end[o, 1h]"),
        ("Range 1h Slide 10 min", "extend[o, 61 min]"),
        ("[now - 5 min, now]", "from-end-backward[o, 6 min]"),
        ("from-end[event: login(), 1h]", "from-end[o, 2h]"),
    ],
)
def test_a_timer_longer_than_its_window_is_warned_of(module: str, timer: str) -> None:
    [problem] = _reported(f"WHILE {module} LET {PAID.format(timer)} END", "EC308")
    assert problem.severity == "warning"
    if module == "Range 1h":
        assert problem.hint is not None
        assert problem.hint.startswith("a window of 1 hour has no room for a timer of ")


@pytest.mark.parametrize(
    ("module", "timer"),
    [
        ("Range 1h", "from-end[o, 59 min]"),
        ("state: open()", "from-end[o, 2h]"),
        ("from-end[event: login(), 1h]", "from-end[o, 1h]"),
        ("unbounded", "from-end[o, 2h]"),
    ],
)
def test_a_timer_that_can_lie_in_its_module_is_not_warned_of(module: str, timer: str) -> None:
    assert not _reported(f"WHILE {module} LET {PAID.format(timer)} END", "EC308")


def test_a_module_with_a_timer_longer_than_the_window_around_it_is_warned_of() -> None:
    assert len(_reported(_nested("Range 1h", "from-end[event: order(), 2h]"), "EC308")) == 1
    assert not _reported(_nested("Range 1h", "from-end[event: order(), 2 min]"), "EC308")
