"""Random values and terms, for the properties that hold of all of them."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cera.model.terms.term import Term, Value
from cera.model.terms.values import MAX_INTEGER, MIN_INTEGER, Scalar

#: Names, and what is easily taken for something else: no label at all, brackets, truth values, numbers, quotes.
LABELS = st.one_of(
    st.sampled_from(["a", "b", "temp", "@id", "from-end"]),
    st.sampled_from(["", "{}", "[]", "true", "7", "two words", 'a"b', "a\\b", "timer:datetime", "ä\n"]),
    st.text(max_size=4),
)

NUMBERS = st.one_of(
    st.integers(-3, 3),
    st.integers(MIN_INTEGER, MAX_INTEGER),
    st.sampled_from([MIN_INTEGER, MAX_INTEGER, 2.0**63, 1e300, 1e-300, 0.1, -2.5]),
    st.floats(allow_nan=False, allow_infinity=False),
)

SCALARS: SearchStrategy[Scalar] = st.one_of(
    st.booleans(), NUMBERS, st.sampled_from(["", "1", "true", " ", "40.0", '"']), st.text(max_size=6)
)


def terms(
    labels: SearchStrategy[str] = LABELS, scalars: SearchStrategy[Scalar] = SCALARS, max_leaves: int = 12
) -> SearchStrategy[Term]:
    """Terms of both kinds, with children that repeat, mix and nest."""

    def term(children: SearchStrategy[Value]) -> SearchStrategy[Value]:
        return st.builds(
            lambda label, inner, ordered: Term(label, inner, ordered=ordered),
            labels,
            st.lists(children, max_size=4),
            st.booleans(),
        )

    def topmost(value: Value) -> Term:
        return value if isinstance(value, Term) else Term("x", [value])

    return st.recursive(scalars, term, max_leaves=max_leaves).map(topmost)
