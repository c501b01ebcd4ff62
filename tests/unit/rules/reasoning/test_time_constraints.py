"""The network of a branch: nothing that happens is excluded, and the bounds are those one would compute by hand."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cera.model.evaluation.evaluator import Evaluator
from cera.model.expressions.expression import (
    And,
    Arithmetic,
    Call,
    Comparison,
    DurationLiteral,
    EventReference,
    Expression,
    Not,
    Or,
    Temporal,
    Within,
)
from cera.model.matching.patterns import TermPattern
from cera.model.time.allen import RELATIONS
from cera.model.time.durations import Duration, shift
from cera.model.time.interval import Interval
from cera.model.time.timers import TIMERS, relative_timer
from cera.rules.reasoning.cases import no_case_holds
from cera.rules.reasoning.difference_bounds import DifferenceBounds
from cera.rules.reasoning.time_cases import no_times
from cera.rules.reasoning.time_consequences import time_network
from cera.rules.reasoning.time_constraints import TimeNetwork, combined, literal_constraints
from cera.rules.reasoning.time_points import TimePoint, length_of
from cera.rules.rule import Branch, EventQuery, RelativeTimer
from hypothesis_profiles import examples
from unit.rules.programs import branch

SECOND = 1_000_000


def begin(identifier: str) -> TimePoint:
    return TimePoint(identifier, "begin")


def end(identifier: str) -> TimePoint:
    return TimePoint(identifier, "end")


def test_the_bounds_of_the_first_rule_of_seed_000() -> None:
    """C-26: a smoke is irrelevant once a minute has passed since its begin."""
    network = time_network(
        branch("and{ event s: smoke{{}}, event t: temp{{}} } where { s before t, {s,t} within 1 min }")
    )
    within = network.bound(end("t"), begin("s"))
    assert within is not None
    assert within.value == 60 * SECOND
    (reason,) = within.reasons
    assert isinstance(reason, Within)
    before = network.bound(end("s"), begin("t"))
    assert before is not None
    assert before.value == -1
    assert network.bound(begin("s"), end("t")) is not None


def test_the_bounds_of_the_timers_of_seed_000() -> None:
    network = time_network(branch("and{ event n: temp{{}}, event i: timer:from-end[ event n, 12 sec ] }"))
    ends = network.bound(end("i"), end("n"))
    assert ends is not None
    assert ends.value == 12 * SECOND
    assert network.bound(end("i"), begin("n")) is None, "an event can last as long as it likes"


@given(st.integers(1, 30), st.integers(0, 8_000 * 366), st.booleans())
def test_a_number_of_months_lies_between_its_bounds(months: int, day: int, backward: bool) -> None:
    time = (day - 4_000 * 366) // 10 * 86_400 * SECOND
    moved = shift(time, Duration(-months if backward else months))
    bounds = length_of(Duration(months))
    assert moved is not None
    assert bounds.least <= abs(moved - time) <= bounds.most


# conditions on the intervals of a, b, c in which small times are likely to satisfy them

references = st.sampled_from("abc").map(EventReference)
durations = st.integers(0, 6).map(lambda n: DurationLiteral(Duration(0, n)))
intervals: st.SearchStrategy[Expression] = st.one_of(
    references,
    st.builds(lambda f, i: Call(f, (i,)), st.sampled_from(["begin", "end"]), references),
    st.builds(lambda f, i, d: Call(f, (i, d)), st.sampled_from(sorted(TIMERS)), references, durations),
)
points = st.builds(lambda f, i: Call(f, (i,)), st.sampled_from(["begin", "end"]), intervals)
lengths = st.one_of(
    st.builds(lambda i: Call("length", (i,)), intervals),
    st.builds(lambda i, j: Call("timeDiff", (i, j)), intervals, intervals),
    st.builds(lambda p, q: Arithmetic("-", p, q), points, points),
)
operators = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
atoms: st.SearchStrategy[Expression] = st.one_of(
    st.builds(Temporal, st.sampled_from(sorted(RELATIONS)), intervals, intervals),
    st.builds(Within, st.lists(intervals, min_size=1, max_size=3).map(tuple), durations),
    st.builds(Comparison, operators, lengths, durations),
    st.builds(Comparison, operators, durations, lengths),
    st.builds(Comparison, operators, intervals, intervals),
    st.builds(
        Comparison,
        operators,
        st.builds(lambda sign, p, d: Arithmetic(sign, p, d), st.sampled_from("+-"), points, durations),
        points,
    ),
)
conditions = st.one_of(
    atoms,
    atoms,
    st.lists(atoms, min_size=1, max_size=2).map(lambda parts: And(tuple(parts))),
    st.lists(atoms, min_size=1, max_size=2).map(lambda parts: Or(tuple(parts))),
)
times = st.builds(lambda begin, length: Interval(begin, begin + length), st.integers(0, 6), st.integers(0, 4))


@settings(max_examples=examples(500), deadline=None)
@given(st.lists(conditions, min_size=1, max_size=4), st.tuples(times, times, times), st.sampled_from(sorted(TIMERS)))
def test_times_that_satisfy_the_conditions_solve_the_network(
    chosen: list[Expression], happened: tuple[Interval, Interval, Interval], kind: str
) -> None:
    """Catches a warning that is wrong; the warnings that must come are in `test_satisfiability`."""
    trace = dict(zip("abc", happened, strict=True))
    holding = [c for c in chosen if Evaluator().holds(c, {}, trace)]
    timers = []
    timer = relative_timer(kind, trace["a"], Duration(0, 3))
    if timer is not None:
        trace["t"] = timer
        timers.append(RelativeTimer("t", kind, "a", Duration(0, 3)))
    body = Branch(
        events=tuple(EventQuery(name, TermPattern(name)) for name in "abc"),
        relative_timers=tuple(timers),
        conditions=tuple(holding),
    )
    certain, clauses = combined(holding)
    constraints = (*literal_constraints(body), *certain)
    value = {TimePoint(name, edge): getattr(i, edge) for name, i in trace.items() for edge in ("begin", "end")}
    assert all(value[c.left] - value[c.right] <= c.bound for c in constraints)
    for clause in clauses:
        assert any(all(value[c.left] - value[c.right] <= c.bound for c in alternative) for alternative in clause)
    assert DifferenceBounds(constraints).contradiction is None


@settings(max_examples=examples(500), deadline=None)
@given(st.lists(st.tuples(conditions, st.booleans()), min_size=1, max_size=4), st.tuples(times, times, times))
def test_times_of_which_conditions_hold_or_not_are_possible(
    chosen: list[tuple[Expression, bool]], happened: tuple[Interval, Interval, Interval]
) -> None:
    """Every condition, or its negation where it does not hold: then there is a case that the times are in."""
    trace = dict(zip("abc", happened, strict=True))
    signed = [Not(condition) if inner else condition for condition, inner in chosen]
    holding = [c if Evaluator().holds(c, {}, trace) else Not(c) for c in signed]
    body = Branch(events=tuple(EventQuery(name, TermPattern(name)) for name in "abc"))
    network: TimeNetwork = DifferenceBounds(literal_constraints(body))
    assert not no_case_holds(holding, lambda case: no_times(network, case))
