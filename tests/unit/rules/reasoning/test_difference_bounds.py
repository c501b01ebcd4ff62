"""Networks of difference bounds against enumeration of all small solutions.

Enumeration over a range of values can miss solutions outside of it; with bounds of at most 4 between 4 nodes every
network that has a solution has one within 0 to 12, so here it cannot.
"""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cera.rules.reasoning.difference_bounds import Bound, Constraint, DifferenceBounds

NODES = "abcd"
constraints = st.lists(
    st.builds(
        lambda left, right, bound, reason: Constraint(left, right, bound, f"reason {reason}"),
        st.sampled_from(NODES),
        st.sampled_from(NODES),
        st.integers(-4, 4),
        st.integers(0, 9),
    ),
    max_size=7,
)


def solutions(network: list[Constraint[str, str]]) -> list[dict[str, int]]:
    used = sorted({node for c in network for node in (c.left, c.right)})
    found = (dict(zip(used, values, strict=True)) for values in product(range(13), repeat=len(used)))
    return [s for s in found if all(s[c.left] - s[c.right] <= c.bound for c in network)]


@given(constraints)
def test_a_contradiction_is_found_exactly_where_there_is_no_solution(network: list[Constraint[str, str]]) -> None:
    contradiction = DifferenceBounds(network).contradiction
    assert (contradiction is not None) == (solutions(network) == [])
    if contradiction is not None:
        assert set(contradiction) <= set(network)
        assert sum(constraint.bound for constraint in contradiction) < 0
        ends = [constraint.left for constraint in contradiction]
        assert [constraint.right for constraint in contradiction] == ends[-1:] + ends[:-1]


@given(constraints, st.sampled_from(NODES), st.sampled_from(NODES))
def test_a_tightest_bound_is_reached_by_a_solution_and_exceeded_by_none(
    network: list[Constraint[str, str]], left: str, right: str
) -> None:
    found = solutions(network)
    bounds = DifferenceBounds(network)
    if not found or not {left, right} <= set(bounds.nodes):
        return
    bound = bounds.bound(left, right)
    if bound is not None:
        assert max(s[left] - s[right] for s in found) == bound.value
        needed = [c for c in network if c.reason in bound.reasons]
        assert left == right or DifferenceBounds(needed).bound(left, right) == bound
    else:
        assert DifferenceBounds([*network, Constraint(right, left, -12, "wider")]).contradiction is None


def test_the_reasons_of_a_bound_are_those_on_its_path() -> None:
    network = DifferenceBounds(
        [
            Constraint("b", "a", 5, "b within 5 of a"),
            Constraint("c", "b", 2, "c within 2 of b"),
            Constraint("c", "a", 9, "c within 9 of a"),
            Constraint("d", "c", 0),
        ]
    )
    assert network.bound("d", "a") == Bound(7, ("b within 5 of a", "c within 2 of b"))
    assert network.bound("a", "d") is None
    assert network.bound("a", "a") == Bound(0, ())


def test_of_two_constraints_between_the_same_nodes_the_tighter_counts() -> None:
    network = DifferenceBounds([Constraint("b", "a", 5, "wide"), Constraint("b", "a", 3, "narrow")])
    assert network.bound("b", "a") == Bound(3, ("narrow",))


def test_adding_leaves_the_network_as_it_is() -> None:
    network = DifferenceBounds([Constraint("b", "a", 5, "five")])
    larger = network.adding([Constraint("a", "b", -6, "six")])
    assert network.contradiction is None
    assert {constraint.reason for constraint in larger.contradiction or ()} == {"five", "six"}


def test_a_node_that_is_less_than_itself_is_a_contradiction() -> None:
    assert DifferenceBounds([Constraint("a", "a", -1, "a < a")]).contradiction is not None
    assert DifferenceBounds([Constraint("a", "a", 0, "a <= a")]).contradiction is None


def test_a_network_without_a_solution_has_no_tightest_bounds() -> None:
    network = DifferenceBounds([Constraint("a", "a", -1, "a < a")])
    with pytest.raises(ValueError, match="contradiction"):
        network.bound("a", "a")


def test_bounds_are_exact() -> None:
    far = 10**40
    network = DifferenceBounds([Constraint("b", "a", far, "far"), Constraint("a", "b", -far - 1, "farther")])
    assert network.contradiction is not None


@given(constraints, st.sampled_from(NODES), st.sampled_from(NODES))
def test_nodes_are_equal_where_they_are_so_in_every_solution(
    network: list[Constraint[str, str]], left: str, right: str
) -> None:
    found = solutions(network)
    bounds = DifferenceBounds(network)
    if found and {left, right} <= set(bounds.nodes):
        assert bounds.equal(left, right) == (bounds.least(left, right) == 0 == bounds.least(right, left))
