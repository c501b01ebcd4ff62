"""Could a query match what a head derives? Never "no" where it can, and "no" wherever that is easy to see (X-26)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct
from cera.model.expressions.expression import Arithmetic, Literal, Variable
from cera.model.matching.matching import match
from cera.model.matching.patterns import (
    AnyLabel,
    Descendant,
    OptionalPattern,
    Pattern,
    RegexLabel,
    RegexPattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
    Without,
)
from cera.model.terms.term import Term, Value
from cera.rules.analysis.unification import could_match, head_label, query_label
from hypothesis_profiles import examples
from unit.rules.programs import head, query


@pytest.mark.parametrize(
    ("pattern", "construct"),
    [
        ("a", "a"),
        ("a{{}}", "a{ b, c }"),
        ("a{{}}", "a[ b, c ]"),
        ("a{ b, c }", "a[ c, b ]"),
        ("a[[ b, d ]]", "a[ b, c, d ]"),
        ("a[ b ]", "a{ b }"),
        ("a[[]]", "a{}"),
        ("a{ b }", "a{ optional b }"),
        ("a{}", "a{ optional b }"),
        ("a{ b, b, b }", "a{ all b }"),
        ("a{}", "a{ all b }"),
        ("a[ b{1}, b{2}, c ]", "a[ all b{ var X }, c ]"),
        ("a{ c }", "a{ optional b{ var X } with default c }"),
        ("a{{ b{1} }}", "a{ b{ var X } }"),
        ("a{{ b{ c } }}", "a{ b{ var X } }"),
        ("a{{ b{ var Y } }}", "a{ b{ 1 } }"),
        ("a{{ b{ 7 } }}", "a{ b{ var X + 1 } }"),
        ("a{{ b{ 7 } }}", "a{ b{ count(all var X) } }"),
        ('a{{ b{ "x" } }}', "a{ b{ max(all var X) } }"),
        ("a{{ b{ 1 } }}", "a{ b{ 1.0 } }"),
        ("a{{ b{ /x.*/ } }}", 'a{ b{ "xy" } }'),
        ("*{{ b }}", "a{ b }"),
        ("/al.*/{{}}", "alarm{ var X }"),
        ("desc c{{}}", "a{ b{ c } }"),
        ("desc a", "a"),
        ("a{{ desc d }}", "a{ b{ c{ var X } } }"),
        ("var E", "a{ b }"),
        ("var E -> a{{}}", "a{ b }"),
        ("a{ b, optional c }", "a{ b, c }"),
        ("a{ b, optional c }", "a{ b }"),
        ("a{ b, without c }", "a{ b }"),
        ("a{{ var X, b }}", "a{ b, c }"),
        ("a{{ b{{}} }}", "var X"),
        ("a{{ b{ var X }, c{ var X } }}", "a{ b{1}, c{1} }"),
    ],
)
def test_X_26_a_query_that_an_instance_of_the_head_matches(pattern: str, construct: str) -> None:
    assert could_match(query(pattern), head(construct))


@pytest.mark.parametrize(
    ("pattern", "construct", "why"),
    [
        ("a", "b", "labels"),
        ("a{{ b }}", "a{ c }", "labels below"),
        ("/al.*/{{}}", "fire{ var X }", "a regular expression for labels"),
        ("a{ b }", "a{ b, c }", "a total query has no place for the second child"),
        ("a{}", "a{ b }", "a total query without children"),
        ("a{{ b, c }}", "a{ b }", "a child that is missing"),
        ("a{{ b, b }}", "a{ b, c }", "different children of the query need different children"),
        ("a[ b, c ]", "a[ c, b ]", "order"),
        ("a[[ b, c ]]", "a[ c, b ]", "order in a partial query"),
        ("a[[ b ]]", "a{ b, c }", "an ordered query and unordered children"),
        ("a[ b, b ]", "a{ all b }", "an ordered query and more than one unordered child"),
        ("a{{ b{1} }}", "a{ b{2} }", "different numbers"),
        ("a{{ b{1} }}", 'a{ b{"1"} }', "a number and a string"),
        ("a{{ b{ true } }}", "a{ b{ 1 } }", "a truth value and a number"),
        ('a{{ b{ "x" } }}', "a{ b{ var X + 1 } }", "a string and arithmetic"),
        ("a{{ b{ c } }}", "a{ b{ count(all var X) } }", "a term and a number"),
        ("a{{ b{ /x/ } }}", 'a{ b{ "y" } }', "a regular expression for strings"),
        ("a{{ b{ /x/ } }}", "a{ b{ 1 } }", "a regular expression and a number"),
        ("a{{ 1 }}", "a{ b }", "a scalar and a term"),
        ("a{{ b{ c } }}", "a{ b{ 1 } }", "a term and a scalar"),
        ("desc d", "a{ b{ c } }", "no such descendant"),
        ("a{ b, b }", "a{ b, all c }", "all of another label"),
        ("a{ b, optional c }", "a{ b, d }", "an optional child of another label does not fill the place"),
        ("a{ b, without c }", "a{ b, c }", "a negated child fills no place"),
        ("var E -> b{{}}", "a", "a restricted variable"),
        ("a[ c, b{1} ]", "a[ all b{ var X }, c ]", "all in the order of its place"),
    ],
)
def test_X_26_a_query_that_no_instance_of_the_head_matches(pattern: str, construct: str, why: str) -> None:
    assert not could_match(query(pattern), head(construct)), why


def test_the_label_of_a_query_and_of_a_head() -> None:
    assert query_label(query("var E -> a{{}}")) == "a"
    assert query_label(query("*{{}}")) is None
    assert query_label(query("desc a")) is None
    assert head_label(head("a{ b }")) == "a"
    assert head_label(head("var X")) is None


# soundness on random patterns and heads

LABELS = "ab"
SCALARS: st.SearchStrategy[str | int] = st.sampled_from([1, 2, "x"])
values: st.SearchStrategy[Value] = st.recursive(
    SCALARS,
    lambda inner: st.builds(
        lambda label, children, ordered: Term(label, children, ordered=ordered),
        st.sampled_from(LABELS),
        st.lists(inner, max_size=3),
        st.booleans(),
    ),
    max_leaves=4,
)
leaves: st.SearchStrategy[Pattern] = st.one_of(
    SCALARS.map(ScalarPattern),
    st.sampled_from(["X", "Y"]).map(VariablePattern),
    st.just(RegexPattern("x|y")),
    st.sampled_from(LABELS).map(lambda label: TermPattern(label, total=False)),
)


def term_patterns(inner: st.SearchStrategy[Pattern]) -> st.SearchStrategy[Pattern]:
    children = st.one_of(inner, inner, inner.map(Without), inner.map(OptionalPattern), inner.map(Descendant))
    return st.builds(
        TermPattern,
        st.sampled_from(["a", "b", AnyLabel(), RegexLabel("[a]")]),
        st.lists(children, max_size=3).map(tuple),
        st.booleans(),
        st.booleans(),
    )


query_terms = term_patterns(st.recursive(leaves, term_patterns, max_leaves=5))
head_values = st.one_of(
    SCALARS.map(lambda value: ConstructValue(Literal(value))),
    st.sampled_from(["X", "Y"]).map(lambda name: ConstructValue(Variable(name))),
    st.just(ConstructValue(Arithmetic("+", Variable("N"), Literal(1)))),
)


def construct_terms(inner: st.SearchStrategy[Construct]) -> st.SearchStrategy[Construct]:
    children = st.one_of(
        inner,
        inner,
        inner.map(All),
        inner.map(OptionalConstruct),
        st.builds(OptionalConstruct, inner, inner),
    )
    return st.builds(ConstructTerm, st.sampled_from(LABELS), st.lists(children, max_size=3).map(tuple), st.booleans())


heads = construct_terms(st.recursive(head_values, construct_terms, max_leaves=4))


@st.composite
def instances(draw: st.DrawFn, construct: Construct) -> list[Value]:
    """Values that a construct could yield, each variable and each choice anew."""
    match construct:
        case ConstructTerm():
            children = [value for child in construct.children for value in draw(instances(child))]
            return [Term(construct.label, children, ordered=construct.ordered)]
        case ConstructValue(expression=Literal(value=value)):
            return [value]
        case ConstructValue(expression=Variable()):
            return [draw(values)]
        case ConstructValue():
            return [draw(st.integers(0, 3))]
        case All():
            return [value for _ in range(draw(st.integers(0, 3))) for value in draw(instances(construct.construct))]
        case OptionalConstruct():
            if draw(st.booleans()):
                return draw(instances(construct.construct))
            return [] if construct.default is None else draw(instances(construct.default))


@settings(max_examples=examples(400), deadline=None)
@given(query_terms, heads, st.data())
def test_X_26_a_match_that_is_possible_is_never_denied(
    pattern: Pattern, construct: Construct, data: st.DataObject
) -> None:
    """Catches a "no" that is wrong; what is needlessly "yes" is the matter of the examples above."""
    (value,) = data.draw(instances(construct))
    if match(pattern, value):
        assert could_match(pattern, construct)


@settings(max_examples=examples(200), deadline=None)
@given(query_terms, values)
def test_X_26_on_a_head_without_variables_the_answer_is_that_of_matching(pattern: Pattern, value: Value) -> None:
    """Only for patterns without `without`, `optional` and repeated variables, which are taken generously."""
    if not isinstance(value, Term):
        return
    names = iter(range(100))

    def linear(part: Pattern) -> Pattern:
        match part:
            case TermPattern():
                kept = [c for c in part.children if not isinstance(c, Without | OptionalPattern)]
                return replace(part, children=tuple(linear(c) for c in kept))
            case VariablePattern():
                return replace(part, name=f"V{next(names)}")
            case Descendant():
                return replace(part, pattern=linear(part.pattern))
            case _:
                return part

    plain = linear(pattern)
    assert could_match(plain, constant_head(value)) == bool(match(plain, value))


def constant_head(value: Value) -> Construct:
    if isinstance(value, Term):
        return ConstructTerm(value.label, tuple(constant_head(c) for c in value.children), value.ordered)
    return ConstructValue(Literal(value))
