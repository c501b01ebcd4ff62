"""Which stored tuples a new one can meet: their ends follow from its begin and its end."""

from __future__ import annotations

import pytest

from cera.algebra.operators import Join, walk
from cera.algebra.reach import Reach
from cera.algebra.relevance import Relevance
from cera.algebra.translation import translate
from cera.engines.local.storage import Bucket
from cera.program import load
from cera.testing import SECOND, event


def into_a(condition: str, max_duration: int | None = None) -> list[str]:
    """How far a new b reaches among the stored a: `first` as ≥, `last` as ≤, in seconds."""
    text = f"DETECT r{{}} ON and {{ event a: a{{{{}}}}, event b: b{{{{}}}} }} where {{ {condition} }} END"
    plan = translate(load(text).checked())
    [join] = (part for part in walk(plan.points[0].expression) if isinstance(part, Join))
    return shown(Relevance(plan, max_duration).join_reaches(join)[0])


def shown(reach: Reach) -> list[str]:
    return [
        f"{sign} {limit.point.edge}(b) {limit.offset / SECOND:+.6f}"
        for sign, limits in (("≥", reach.first), ("≤", reach.last))
        for limit in limits
    ]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("a meets b", ["≥ begin(b) +0.000000", "≤ begin(b) +0.000000"]),
        ("begin(a) = begin(b)", ["≥ begin(b) +0.000000"]),
        ("a during b", ["≥ begin(b) +0.000001"]),
        ("a before b", ["≤ begin(b) -0.000001"]),
        ("begin(b) - end(a) >= 50 sec", ["≤ begin(b) -50.000000"]),
        ("end(b) - end(a) >= 50 sec", ["≤ end(b) -50.000000"]),
        ("{a, b} within 1 min", []),
        ("end(a) >= begin(b) - 1 min, {a, b} within 2 min", ["≥ begin(b) -60.000000"]),
    ],
)
def test_the_reach_of_an_event_follows_from_its_begin_and_its_end(condition: str, expected: list[str]) -> None:
    assert into_a(condition) == expected


def test_for_points_a_limit_that_leaves_out_only_what_is_simultaneous_is_left_out() -> None:
    assert into_a("a before b", max_duration=0) == []
    assert into_a("a before b", max_duration=SECOND) == ["≤ begin(b) -0.000001"]


def test_conditions_that_contradict_each_other_give_no_reach() -> None:
    assert into_a("a before b, b before a") == []


def test_a_tuple_of_several_events_ends_with_the_last_of_them() -> None:
    """a ends before c begins, and b no later than a second after it: the pair of both may end then."""
    text = """
    DETECT r{} ON and { event a: a{{}}, event b: b{{}}, event c: c{{}} }
    where { a before c, end(b) <= begin(c) + 1 sec, begin(b) >= begin(c) } END
    """
    plan = translate(load(text).checked())
    joins = [part for part in walk(plan.points[0].expression) if isinstance(part, Join)]
    [pair] = (join for join in joins if isinstance(join.left, Join))
    reach = Relevance(plan).join_reaches(pair)[0]
    assert [(limit.point, limit.offset) for limit in reach.first] == [(("c", "begin"), 0)]
    assert [(limit.point, limit.offset) for limit in reach.last] == [(("c", "begin"), SECOND)]


def test_a_bucket_gives_the_rows_between_two_times() -> None:
    bucket = Bucket(1, (1,))
    for end in (2, 2, 4, 7):
        bucket.ends.append(end)
        bucket.rows.append((end,))
    assert bucket.between(2, 4) == [(2,), (2,), (4,)]
    assert bucket.between(None, 1) == [(1,)]
    assert bucket.between(5, 6) == []
    assert bucket.between(3, 9) == [(4,), (7,)]
    bucket.start = 2
    assert bucket.between(None, 4) == [(2,), (4,)]


def test_a_step_looks_only_at_what_it_can_join(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing says how long an event lasts, so that all are kept; each of the second kind meets one of the first."""
    looked_at: list[int] = []
    between = Bucket.between

    def counted(self: Bucket, first: int | None, last: int) -> list[tuple[object, ...]]:
        rows = between(self, first, last)
        looked_at.append(len(rows))
        return rows

    monkeypatch.setattr(Bucket, "between", counted)
    program = load("DETECT r{} ON and { event a: a{{}}, event b: b{{}} } where { a meets b } END")
    stream = [one for t in range(200) for one in (event("a{}", t), event("b{}", t, t + 0.5))]
    assert len(program.run(stream, engine="local").derived) == 200
    assert len(looked_at) == 200
    assert set(looked_at) == {1}
