"""What a diagnostic shows of its source."""

from __future__ import annotations

import pytest

from cera.diagnostics import WIDEST, Diagnostic, Source, Span, render


def shown(text: str, start: int, end: int) -> tuple[str, str]:
    """The line of the source, and the marks below it."""
    *_, line, marks = render(Diagnostic("XC001", "error", "wrong", Span(Source("x", text), start, end))).split("\n")
    return line.removeprefix("  1 | "), marks.removeprefix("    | ")


def test_a_short_line_is_shown_as_it_is() -> None:
    assert shown("one two three", 4, 7) == ("one two three", "    ^^^")


@pytest.mark.parametrize("start", [0, 40, 70, 81, 300, 5_800, 5_920, 5_990])
def test_of_a_long_line_only_what_is_near_is_shown(start: int) -> None:
    text = "".join(f"<{number:04}>" for number in range(1_000))
    line, marks = shown(text, start, start + 10)
    assert len(line) == WIDEST
    place = marks.index("^")
    assert line[place : place + marks.count("^")] == text[start : start + 10]
    assert line.startswith("…") == (start > 75)
    assert line.endswith("…") == (start < 5_920)


def test_a_long_place_is_shown_from_its_beginning() -> None:
    line, marks = shown("a" * 50 + "b" * 6_000, 50, 6_050)
    assert line == "a" * 50 + "b" * (WIDEST // 2) + "…"
    assert marks == " " * 50 + "^" * (WIDEST // 2)
