"""Finding the rules that a query could match: the index leaves out none and adds none."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cera.model.expressions.constructs import Construct, ConstructTerm, ConstructValue
from cera.model.expressions.expression import Literal
from cera.model.matching.patterns import Pattern, ScalarPattern, TermPattern, VariablePattern
from cera.rules.analysis.producers import Producers
from cera.rules.analysis.unification import could_match
from cera.rules.rule import Rule
from hypothesis_profiles import examples
from unit.rules.analysis.test_unification import construct_terms, head_values, heads, query_terms
from unit.rules.programs import query, rules

keyed_heads = st.builds(
    lambda label, value, more: ConstructTerm("a", (ConstructTerm(label, (ConstructValue(Literal(value)),)), *more)),
    st.sampled_from("bc"),
    st.sampled_from([1, True, "1", 2]),
    st.lists(st.one_of(head_values, construct_terms(head_values)), max_size=1),
)
keyed_children = st.builds(
    lambda label, value: TermPattern(label, (ScalarPattern(value),)),
    st.sampled_from("bc"),
    st.sampled_from([1, True, "1", 2]),
)
keyed_queries = st.one_of(keyed_children, st.builds(VariablePattern, st.just("X"), keyed_children)).map(
    lambda child: TermPattern("a", (child,), total=False)
)


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(heads | keyed_heads, max_size=6), st.lists(query_terms | keyed_queries, max_size=4))
def test_X_26_the_index_finds_what_trying_every_head_finds(
    constructs: list[Construct], patterns: list[Pattern]
) -> None:
    among = [Rule(f"r{i}", construct, ()) for i, construct in enumerate(constructs)]
    producers = Producers(among)
    for pattern in patterns:
        expected = tuple(i for i, construct in enumerate(constructs) if could_match(pattern, construct))
        assert producers.of(pattern) == expected


def test_a_child_that_is_written_out_a_child_that_is_open_and_one_that_could_be_any() -> None:
    among = rules(
        """DETECT a{ s{"1"} } ON q END
           DETECT a{ s{"2"} } ON q END
           DETECT a{ s{var X} } ON q{{ var X }} END
           DETECT a{ var X } ON q{{ var X }} END
           DETECT a{ t{"1"} } ON q END
           DETECT b{ s{"1"} } ON q END
           RAISE to(recipient="x") { a{ s{"1"} } } ON q END
           DETECT var X ON q{{ var X }} END"""
    )
    assert Producers(among).of(query('a{{ s{"1"} }}')) == (0, 2, 3, 7)
    assert Producers(among).of(query("a{{ s{{}} }}")) == (0, 1, 2, 3, 7)
