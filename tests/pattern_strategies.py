"""Random terms and patterns that resemble them, so that they have a chance to match."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import strategies as st

from cera.model.matching.patterns import Pattern, ScalarPattern, TermPattern
from cera.model.terms.term import Term, Value
from pattern_building import ANY, desc, optional, regex, regex_label, var, without


def everything_in(value: Value) -> Iterator[Value]:
    yield value
    if isinstance(value, Term):
        for child in value.children:
            yield from everything_in(child)


LABELS = st.sampled_from(["a", "b"])
SCALARS = st.sampled_from([1, 2, True, "x", "xy"])
NAMES = st.sampled_from(["X", "Y", "Z"])


def data_terms(children: st.SearchStrategy[Value]) -> st.SearchStrategy[Term]:
    return st.builds(
        lambda label, inner, ordered: Term(label, inner, ordered=ordered),
        LABELS,
        st.lists(children, max_size=4),
        st.booleans(),
    )


SMALL_TERMS = data_terms(SCALARS)
TERMS = data_terms(st.one_of(SCALARS, SMALL_TERMS, data_terms(st.one_of(SCALARS, SMALL_TERMS))))


@st.composite
def patterns_like(draw: st.DrawFn, value: Value, room: int = 3) -> Pattern:
    """A pattern that resembles the value, so that it has a chance to match it."""
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return var(draw(NAMES), draw(patterns_like(value, room)))
    if kind == 1:
        return desc(draw(patterns_like(draw(st.sampled_from(list(everything_in(value)))), room)))
    if kind <= 4 and room < 3:
        return var(draw(NAMES))
    if not isinstance(value, Term):
        return regex(draw(st.sampled_from(["x.*", "x"]))) if value == "x" else ScalarPattern(value)
    return draw(term_patterns_like(value, room))


@st.composite
def term_patterns_like(draw: st.DrawFn, value: Term, room: int) -> TermPattern:
    label = draw(st.sampled_from([value.label, value.label, value.label, ANY, regex_label("[ab]")]))
    chosen = draw(st.lists(st.sampled_from(range(len(value.children))), max_size=room)) if value.children else []
    if draw(st.integers(0, 3)):
        chosen = list(dict.fromkeys(chosen))
    ordered = value.ordered and draw(st.booleans())
    if ordered and draw(st.integers(0, 3)):
        chosen.sort()
    children = [draw(patterns_like(value.children[index], room - 1)) for index in chosen]
    roles = [draw(st.sampled_from([lambda c: c, lambda c: c, lambda c: c, optional, without])) for _ in children]
    total = len(chosen) == len(value.children) and draw(st.booleans())
    return TermPattern(label, tuple(r(c) for r, c in zip(roles, children, strict=True)), ordered, total)


@st.composite
def patterns_and_terms(draw: st.DrawFn) -> tuple[Pattern, Term]:
    """A term and a pattern that resembles it or another one."""
    term = draw(TERMS)
    return draw(patterns_like(draw(st.sampled_from([term, term, term, Term("a", [term, *term.children])])))), term


@st.composite
def competing_children(draw: st.DrawFn) -> tuple[Pattern, Term]:
    """Children that look alike, so that several children of the pattern want the same child of the data."""
    inner = st.builds(lambda label, leaves: Term(label, leaves), LABELS, st.lists(st.sampled_from([1, 2]), max_size=2))
    data = Term("a", draw(st.lists(inner, min_size=1, max_size=5)), ordered=draw(st.booleans()))
    leaf = st.one_of(st.builds(var, NAMES), st.sampled_from([1, 2]).map(ScalarPattern))
    roles = st.sampled_from([lambda c: c, lambda c: c, lambda c: c, lambda c: c, optional, without])
    child = st.builds(
        lambda label, leaves, total, role: role(TermPattern(label, tuple(leaves), False, total)),
        st.sampled_from(["a", "b", ANY]),
        st.lists(st.one_of(leaf, leaf, leaf.map(optional), leaf.map(without)), max_size=2),
        st.booleans(),
        roles,
    )
    children = draw(st.lists(st.one_of(child, child, st.builds(var, NAMES)), min_size=1, max_size=4))
    return TermPattern("a", tuple(children), data.ordered and draw(st.booleans()), draw(st.integers(0, 3)) == 0), data
