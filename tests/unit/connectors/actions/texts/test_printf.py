"""Formats as C's printf has them, and what is said of wrong ones."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cera.connectors.actions.texts.printf import ArgumentKind, FormatError, asctime, format_problems, parse_format
from cera.model.terms.term import Term


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("no values\n", [], "no values\n"),
        ("%d of %i", [7, -3], "7 of -3"),
        ("[%5d|%-5d|%05d|%+d]", [42, 42, 42, 42], "[   42|42   |00042|+42]"),
        ("%s is %s", ["Ann", 4], "Ann is 4"),
        ("[%6s|%-6s|%.2s]", ["Ann", "Ann", "Ann"], "[   Ann|Ann   |An]"),
        ("%f %.2f %8.1f", [1.5, 2, -1.25], "1.500000 2.00     -1.2"),
        ("%x %X %#x %o", [255, 255, 255, 8], "ff FF 0xff 10"),
        ("%x", [-1], "ffffffffffffffff"),
        ("100%% of %d%%", [5], "100% of 5%"),
        ("%ld %lld", [1, 2], "1 2"),
        ("%d and %f", ["00201", "2.5"], "201 and 2.500000"),
        ("%s %s", [True, 0.1], "true 0.1"),
        ("%s", [Term("a", [1])], "a{1}"),
        ("[%d|%6s|%-6.2f]", [None, None, None], "[null|  null|null  ]"),
        ("%e %g", [1234.5, 0.0001], "1.234500e+03 0.0001"),
        ("ü%s\t%%", ["ñ"], "üñ\t%"),
    ],
)
def test_values_are_written_as_in_c(text: str, values: list[Any], expected: str) -> None:
    assert parse_format(text).apply(values) == expected


@given(st.text(), st.text())
def test_a_value_is_never_read_as_a_format(before: str, value: str) -> None:
    assert parse_format(before.replace("%", "%%") + "%s").apply([value]) == before + value


@pytest.mark.parametrize(
    ("text", "kinds", "expected"),
    [
        ("%d %s", ["number", "string"], None),
        ("%d", [None], None),
        ("%s", ["boolean"], None),
        ("%d", [], "places for 1 value, and there are 0 arguments"),
        ("done", ["number"], "places for 0 values, and there are 1 arguments"),
        ("%d", ["string"], "argument 1 of the format is a string, and %d takes a number"),
        ("%s %.2f", ["string", "boolean"], "argument 2 of the format is a boolean, and %.2f takes a number"),
        ("100%", [], "ends within a conversion, '%'"),
        ("%-5", [], "ends within a conversion, '%-5'"),
        ("%n", [None], "unknown conversion '%n'; known are %d"),
        ("%y", [None], "unknown conversion '%y'"),
        ("%*d", [None, None], "takes its width from an argument"),
        ("%99999999d", [None], "wider than 10,000"),
    ],
)
def test_wrong_formats_are_found_before_there_are_values(
    text: str, kinds: list[ArgumentKind], expected: str | None
) -> None:
    found = format_problems(text, kinds)
    assert expected in found[0] if expected else not found


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("%d", 1.5, "%d takes a whole number, found 1.5"),
        ("%d", "Ann", '%d takes a whole number, found "Ann"'),
        ("%x", True, "%x takes a whole number, found true"),
        ("%.1f", "12x", '%.1f takes a number, found "12x"'),
        ("%f", Term("a"), "%f takes a number, found a{}"),
    ],
)
def test_a_value_that_does_not_fit_is_told(text: str, value: Any, expected: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_format(text).apply([value])
    assert str(caught.value) == expected


def test_asctime_writes_times_as_c_does() -> None:
    assert asctime(0) == "Thu Jan  1 00:00:00 1970"
    assert asctime(1_772_445_600_000_000) == "Mon Mar  2 10:00:00 2026"
    assert asctime(1_772_445_600_999_999, "Europe/Berlin") == "Mon Mar  2 11:00:00 2026"
