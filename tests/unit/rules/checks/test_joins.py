"""A value that may be missing joins nothing."""

from __future__ import annotations

import pytest

from unit.rules.programs import codes, marked, the


@pytest.mark.parametrize(
    "body",
    [
        "and{ a{{ optional b{ var X } }}, c{{ var X }} }",
        "and{ a{{ optional b{ var X } }}, c{{ optional d{ var X } }} }",
        "and{ event w: a{{ optional b{ var X } }}, while w: not c{{ var X }} }",
        "and{ event w: a{{ optional b{ var X } }}, while w: collect c{{ var X }} }",
        "and{ event w: a{{ var X }}, while w: not c{{ optional d{ var X } }} }",
    ],
)
def test_XC207_an_optional_variable_in_two_queries_is_refused(body: str) -> None:
    assert "XC207" in codes(f"DETECT h ON {body} END")


def test_XC207_points_at_both_places() -> None:
    found = the("XC207", "DETECT h ON and{ a{{ optional b{ var X } }}, c{{ d{ var X } }} } END")
    assert found.severity == "error"
    assert marked(found) == "var X"
    assert found.span is not None
    (note,) = found.notes
    assert note.span is not None
    assert (found.span.column, note.span.column) == (34, 53)


@pytest.mark.parametrize(
    "body",
    [
        "and{ a{{ b{ var X } }}, c{{ var X }} }",
        "and{ a{{ optional b{ var X }, d{ var X } }}, c{{ var X }} }",
        "or{ a{{ optional b{ var X } }}, c{{ var X }} }",
        "and{ a{{ optional b{ var X } }}, c{{ var Y }} } where { var X = var Y }",
    ],
)
def test_values_that_are_there_or_are_only_compared_are_fine(body: str) -> None:
    assert codes(f"DETECT h{{ optional x{{ var X }} }} ON {body} END") == []


def test_XC208_a_variable_under_without_cannot_be_shared_with_another_query() -> None:
    program = "DETECT h{} ON and { event c: a{{x{var N}}}, event l: b{{without y{var N}}} } END"
    assert codes(program) == ["XC208"]


def test_XC208_a_variable_under_without_that_its_own_query_binds_can() -> None:
    program = "DETECT h{var N} ON and { event c: a{{x{var N}}}, event l: b{{z{var N}, without y{var N}}} } END"
    assert codes(program) == []
