"""Patterns read directly off the JSON of an event give what the matching of the model gives on its term."""

from __future__ import annotations

import json

import pytest
from hypothesis import strategies as st

from cera.algebra.layouts import Row, pattern_layout
from cera.engines.local.feeds import compile_feeds
from cera.engines.local.python_source import Cells, SourceWriter
from cera.engines.local.row_stages import Stage
from cera.engines.local.state import State
from cera.model.events.occurrence import json_occurrence, unwrap
from cera.model.matching.matching import match, substitution_key
from cera.model.matching.patterns import Pattern, ScalarPattern, TermPattern, VariablePattern
from cera.model.terms.json_terms import loads, term_from_json
from properties.holding import holds_for

LABELS = st.sampled_from(("k", "v", "w", "{}", ""))
SCALARS = st.sampled_from((None, True, False, 0, 1, 1.0, 0.5, -0.0, "x", "", "1", 2**63 - 1))
NESTED = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(LABELS, inner, max_size=3)
        | st.lists(inner, max_size=3).map(lambda items: {"{}": items})
    ),
    max_leaves=6,
)
CONTENTS = st.dictionaries(LABELS, SCALARS | NESTED, max_size=4) | NESTED.filter(lambda content: content is not None)

VARIABLES = st.sampled_from("XYZ").map(VariablePattern)
CONSTANTS = SCALARS.filter(lambda value: value is not None).map(lambda value: ScalarPattern(value))  # type: ignore[arg-type]
CHILDREN = st.builds(
    TermPattern,
    LABELS,
    st.one_of(st.just(()), st.tuples(VARIABLES), st.tuples(CONSTANTS), st.tuples(VARIABLES, VARIABLES)),
    st.booleans(),
    st.booleans(),
)
PATTERNS = st.builds(
    TermPattern,
    st.just("e"),
    st.lists(CHILDREN, max_size=3).map(tuple),
    st.sampled_from((False, False, True)),
    st.booleans(),
)


class Gather(Stage):
    """Keeps the rows that come to it."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        return [f"{writer.name(self.rows)}.append({cells.tuple})"]


def answers(pattern: Pattern, content: object) -> list[object]:
    """The substitutions that the compiled pattern finds in the JSON of an event's children."""
    names = pattern_layout("i", pattern).variables
    occurrence = json_occurrence(0, 0, "e", loads(json.dumps(content)))
    gather = Gather()
    compile_feeds([(pattern, gather)])(State([]), occurrence)
    rows = gather.rows
    assert all(row[-1] is occurrence for row in rows)
    found = ({n: unwrap(c) for n, c in zip(names, row[:-1], strict=True) if c is not None} for row in rows)
    return sorted(substitution_key(values) for values in found)


def expected(pattern: Pattern, content: object) -> list[object]:
    term = term_from_json({"e": loads(json.dumps(content))})
    return sorted(substitution_key(values) for values in match(pattern, term))


@holds_for(st.tuples(PATTERNS, CONTENTS), short=300, long=20_000)
def test_a_compiled_pattern_finds_in_json_what_matching_finds_in_the_term(drawn: tuple[TermPattern, object]) -> None:
    assert answers(*drawn) == expected(*drawn)


def pattern(*children: TermPattern, total: bool = False) -> TermPattern:
    return TermPattern("e", children, False, total)


def child(label: str, *children: Pattern) -> TermPattern:
    return TermPattern(label, children, False, False)


X, Y = VariablePattern("X"), VariablePattern("Y")


@pytest.mark.parametrize(
    ("query", "content", "count"),
    [
        pytest.param(pattern(child("k", X), child("v", Y)), {"k": 1, "v": 2}, 1, id="flat"),
        pytest.param(pattern(child("k", ScalarPattern(1))), {"k": True}, 0, id="true is not 1"),
        pytest.param(pattern(child("k", ScalarPattern(True))), {"k": 1}, 0, id="1 is not true"),
        pytest.param(pattern(child("k", ScalarPattern(1))), {"k": 1.0}, 1, id="1.0 is 1"),
        pytest.param(pattern(child("k", ScalarPattern("1"))), {"k": 1}, 0, id="a string is not a number"),
        pytest.param(pattern(child("k", X)), {"k": None}, 0, id="null is absent"),
        pytest.param(pattern(child("k", X), total=True), {"k": 1, "v": None}, 1, id="null does not count"),
        pytest.param(pattern(child("k", X), total=True), {"k": 1, "v": 2}, 0, id="a total pattern wants every child"),
        pytest.param(pattern(child("k", X)), {"k": float("nan")}, 0, id="NaN is absent"),
        pytest.param(pattern(child("k", X)), {"k": [1, 2]}, 2, id="an array has several leaves"),
        pytest.param(pattern(child("k", X)), {"k": [[1], {"v": 2}]}, 2, id="arrays in arrays"),
        pytest.param(pattern(child("k", X)), {"{}": [{"k": 1}, {"k": 2}]}, 2, id="a label twice"),
        pytest.param(pattern(child("k", X)), [{"k": 1}, {"k": 2}], 2, id="ordered children"),
        pytest.param(pattern(child("k", X)), 5, 0, id="a leaf"),
        pytest.param(pattern(), 5, 1, id="an empty partial pattern matches a leaf"),
        pytest.param(pattern(total=True), {"k": None}, 1, id="an empty total pattern and a null"),
    ],
)
def test_what_json_means_to_a_pattern(query: TermPattern, content: object, count: int) -> None:
    assert len(answers(query, content)) == count
    assert answers(query, content) == expected(query, content)
