"""By which attributes the events of constraints can be divided, and into which modules."""

from __future__ import annotations

import pytest

from cera.constraints.partition import partitions
from cera.constraints.translation.layers import by_partition
from conformance.violations import module_of


def divided_by(text: str) -> set[str]:
    """Returns the attributes by which all clauses of a text can be divided."""
    return set(frozenset[str].intersection(*map(partitions, module_of(text).clauses)))


@pytest.mark.parametrize(
    ("text", "attributes"),
    [
        ("IF event: a(k(K), v(V)) THEN exists >= 3 event: b(k(K), v(W)) END", {"k"}),
        ("IF event: a(k(K), v(V)) THEN exists >= 3 event: b(k(K), v(V)) END", {"k", "v"}),
        ("WHILE state: s(k(K)) LET IN ANY CASE exists >= 3 event: b(k(K)) group-by {} END END", {"k"}),
        (
            """LET DETECT event: d(k(K)) ON event: a(k(K)) and event: b(k(K)) END IN
              IF event: c(k(K)) THEN exists >= 3 event: d(k(K)) END END""",
            {"k"},
        ),
        ("IF event i: a(k(K)) and event j: a(k(K)) THEN {i, j} apart-by min 2 event: b(k(K)) END", {"k"}),
    ],
)
def test_events_are_divided_by_what_all_literals_share(text: str, attributes: set[str]) -> None:
    assert divided_by(text) == attributes


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("IF event: a(k(K)) THEN exists >= 3 event: b(v(V)) END", id="a literal without the attribute"),
        pytest.param("IF event: a(k(K)) and event: b(k(L)) THEN exists >= 3 event: c(k(K)) END", id="another variable"),
        pytest.param("IF event: a(k(K)) THEN exists >= 3 event: b(k(1)) END", id="a constant"),
        pytest.param("IF event: a(k(K)) THEN exists >= 3 event: b(k(_)) END", id="any value"),
        pytest.param("IF event: a(k(K)) THEN exists >= 3 event: b(k(K), k(L)) END", id="the attribute twice"),
        pytest.param("IN ANY CASE exists <= 5 event: a(k(K)) group-by {} END", id="counted over all values"),
        pytest.param("IN ANY CASE exists <= 5 event: a(k(K)) END", id="no body"),
        pytest.param("WHILE Range 1 h LET IF event: a(k(K)) THEN exists >= 3 event: b(k(K)) END END", id="the clock"),
        pytest.param("WHILE now LET IF event: a(k(K)) THEN exists >= 3 event: b(k(K)) END END", id="a moving window"),
        pytest.param(
            "IF event i: a(k(K)) and event w: from-start-backward[i, 1 h] THEN while w: exists >= 3 event: b(k(K)) END",
            id="times before",
        ),
        pytest.param("IF event i: a(k(K)) and event j: b(k(K)) THEN j south of i END", id="places"),
        pytest.param(
            """LET DETECT event: d(k(K)) ON event: a(k(K)) and event: b(k(L)) END IN
              IF event: c(k(K)) THEN exists >= 3 event: d(k(K)) END END""",
            id="a definition over several values",
        ),
    ],
)
def test_otherwise_they_stay_in_one_piece(text: str) -> None:
    assert divided_by(text) == set()


def test_clauses_are_divided_by_the_attribute_that_most_of_them_share() -> None:
    text = """CONSTRAINT one: IF event: a(k(K), v(V)) THEN exists >= 3 event: b(k(K), v(V)) END
    CONSTRAINT two: IF event: a(k(K)) THEN exists >= 3 event: b(k(K)) END
    CONSTRAINT three: IN ANY CASE exists <= 5 event: a(k(K)) group-by {} END
    CONSTRAINT four: IF event: a(v(V)) THEN exists >= 3 event: b(v(V)) END"""
    found = [(each.partition, [clause.name for clause in each.clauses]) for each in by_partition(module_of(text))]
    assert found == [("k", ["one", "two"]), ("v", ["four"]), (None, ["three"])]


def test_a_window_moves_with_the_events_of_all_clauses_of_its_file() -> None:
    text = """WHILE [now - 1h, now] LET CONSTRAINT few: IN ANY CASE exists <= 5 event: a(k(K)) END END
    CONSTRAINT two: IF event: a(k(K)) THEN exists >= 3 event: b(k(K)) END"""
    found = by_partition(module_of(text))
    assert [(each.partition, len(each.clauses)) for each in found] == [("k", 1), (None, 1)]
    assert {"a", "b"} <= found[1].reads  # what the other clause asks for moves the window, too
