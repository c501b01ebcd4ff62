"""Allen's thirteen relations, with points among the intervals."""

from __future__ import annotations

import itertools

import pytest

from cera.model.time.allen import CONVERSES, RELATIONS
from cera.model.time.interval import Interval

SMALL = [Interval(b, e) for b in range(5) for e in range(b, 5)]
PROPER = [i for i in SMALL if not i.is_point]


def holding(i: Interval, j: Interval) -> set[str]:
    return {name for name, relation in RELATIONS.items() if relation(i, j)}


def test_there_are_thirteen() -> None:
    assert len(RELATIONS) == 13
    assert set(CONVERSES) == set(RELATIONS)


@pytest.mark.parametrize(
    ("i", "relation", "j"),
    [
        ((0, 1), "before", (2, 3)),
        ((2, 3), "after", (0, 1)),
        ((0, 1), "meets", (1, 3)),
        ((1, 3), "met-by", (0, 1)),
        ((0, 2), "overlaps", (1, 3)),
        ((1, 3), "overlapped-by", (0, 2)),
        ((0, 1), "starts", (0, 3)),
        ((0, 3), "started-by", (0, 1)),
        ((1, 2), "during", (0, 3)),
        ((0, 3), "contains", (1, 2)),
        ((2, 3), "finishes", (0, 3)),
        ((0, 3), "finished-by", (2, 3)),
        ((0, 3), "equals", (0, 3)),
    ],
    ids=str,
)
def test_E_29_each_relation_on_proper_intervals_is_the_only_one(
    i: tuple[int, int], relation: str, j: tuple[int, int]
) -> None:
    assert holding(Interval(*i), Interval(*j)) == {relation}


def test_ERR_21_overlaps_is_allens_not_the_one_printed_in_the_papers() -> None:
    assert RELATIONS["overlaps"](Interval(0, 2), Interval(1, 3))
    assert not RELATIONS["overlaps"](Interval(1, 3), Interval(0, 2))


def test_intervals_that_share_an_edge_do_not_overlap() -> None:
    assert not RELATIONS["overlaps"](Interval(0, 2), Interval(0, 3))
    assert not RELATIONS["overlaps"](Interval(0, 3), Interval(1, 3))
    assert not RELATIONS["overlaps"](Interval(0, 1), Interval(1, 3))


def test_E_29_exactly_one_relation_holds_between_proper_intervals() -> None:
    for i, j in itertools.product(PROPER, PROPER):
        assert len(holding(i, j)) == 1, (i, j)


@pytest.mark.parametrize(
    ("i", "j", "relations"),
    [
        ((0, 0), (0, 0), {"equals", "meets", "met-by"}),
        ((0, 0), (0, 1), {"meets", "starts"}),
        ((0, 1), (1, 1), {"meets", "finished-by"}),
        ((0, 1), (0, 0), {"met-by", "started-by"}),
        ((1, 1), (0, 1), {"met-by", "finishes"}),
        ((1, 1), (0, 2), {"during"}),
        ((0, 0), (1, 1), {"before"}),
    ],
)
def test_ERR_22_several_relations_hold_on_points(i: tuple[int, int], j: tuple[int, int], relations: set[str]) -> None:
    assert holding(Interval(*i), Interval(*j)) == relations


def test_ERR_22_between_any_two_intervals_one_to_three_relations_hold() -> None:
    counts = {len(holding(i, j)) for i in SMALL for j in SMALL}
    assert counts == {1, 2, 3}


@pytest.mark.parametrize("name", RELATIONS)
def test_a_converse_is_the_relation_with_its_sides_exchanged(name: str) -> None:
    assert CONVERSES[CONVERSES[name]] == name
    for i, j in itertools.product(SMALL, SMALL):
        assert RELATIONS[name](i, j) == RELATIONS[CONVERSES[name]](j, i)


def test_relations_other_than_before_and_after_need_a_common_point() -> None:
    for i, j in itertools.product(SMALL, SMALL):
        apart = i.end < j.begin or j.end < i.begin
        assert apart == bool(holding(i, j) & {"before", "after"})
        assert not apart or len(holding(i, j)) == 1
