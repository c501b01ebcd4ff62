"""How many events one event may end: a run stops, names the rule or the type, and the limit can be raised."""

from __future__ import annotations

from typing import Any

import pytest

import cera
from cera.errors import MatchLimitError
from cera.testing import event

UNRESTRICTED = {
    "epl": ("begin M monitor A, B; R: [A(X), B(Y)] as f(n: X.n). end.", "the rule `M.R` was cut off"),
    "dl1s": (
        "a(X, J) <- A(X, J).\na(X, s(J)) <- a(X, J), any(s(J)).\nf(X, Y, s(J)) <- a(X, J), B(Y, s(J)).",
        "the rule `Text.f` was cut off",
    ),
    "pairs": ("R := unrestricted A ; B as f(n: A.n)", "the event type `R` was cut off"),
    "a sequence inside": (
        "R := unrestricted A ; B ; C within 1 hour as f(n: A.n)",
        "a type inside of `R` was cut off",
    ),
    "a condition": (
        "R := ;(combinations minimum: shared: A, shared: B) where A.n < B.n;",
        "the event type `R` was cut",
    ),
    "sets": ("R := ;(combinations: shared: A, shared: B);", "the event type `R` was cut off"),
}
EVENTS = [*(event(f"A{{n{{{number}}}}}", number) for number in range(5)), event("B{n{9}}", 9), event("C{n{10}}", 10)]


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("name", UNRESTRICTED)
def test_more_than_the_limit_is_refused_and_it_can_be_raised(name: str, engine: Any) -> None:
    text, message = UNRESTRICTED[name]
    with pytest.raises(MatchLimitError, match=message) as refused:
        cera.load(text, answer_limit=4).run(EVENTS, engine=engine)
    assert "one event ends more than 4 of its events" in str(refused.value)
    assert "raise `answer_limit`" in str(refused.value)
    enough = 31 if name == "sets" else 5
    answers = cera.load(text, answer_limit=enough).run(EVENTS, engine=engine).derived
    assert len(answers) == enough


def test_a_session_has_the_limit_too() -> None:
    session = cera.load(UNRESTRICTED["pairs"][0], answer_limit=4).session()
    with pytest.raises(MatchLimitError):
        session.push(*EVENTS)


def test_the_limit_does_not_belong_to_what_a_saved_state_is_of() -> None:
    text, _ = UNRESTRICTED["epl"]
    session = cera.load(text, answer_limit=4).session()
    session.push(*EVENTS[:5])
    raised = cera.load(text, answer_limit=100).session()
    raised.restore(session.save())
    assert len([*raised.push(*EVENTS[5:]), *raised.close()]) == 5


JOINED = "DETECT f{ var N } ON and { event a: A{{ n{ var N } }}, event b: A{{}}, event c: B{{}} } END"


def test_the_combinations_of_a_join_are_counted_for_each_event() -> None:
    """B meets 5 * 5 pairs of A; before it, each A meets those before it."""
    with pytest.raises(MatchLimitError, match="the rule `f` was cut off: one event makes more than 24 combinations"):
        cera.load(JOINED, answer_limit=24).run(EVENTS, engine="local")
    assert len(cera.load(JOINED, answer_limit=25).run(EVENTS, engine="local").derived) == 15


def test_events_that_are_no_flat_records_are_counted_alike() -> None:
    nested = [*(event(f"A{{n{{{number}}}, m{{ o{{1}} }}}}", number) for number in range(5)), event("B{m{o{1}}}", 9)]
    with pytest.raises(MatchLimitError, match="more than 24 combinations"):
        cera.load(JOINED, answer_limit=24).run(nested, engine="local")
    assert len(cera.load(JOINED, answer_limit=25).run(nested, engine="local").derived) == 15


def test_an_event_may_meet_any_number_of_single_events() -> None:
    pairs = "DETECT f{ var N } ON and { event a: A{{ n{ var N } }}, event c: B{{}} } END"
    assert len(cera.load(pairs, answer_limit=1).run(EVENTS, engine="local").derived) == 5


def test_many_queries_are_counted_over_all_of_them() -> None:
    """Loops inside of one another are written into several functions."""
    query = ", ".join(f"event e{at}: A{{{{ n{{ var N{at} }} }}}}" for at in range(9))
    rule = f"DETECT f{{ var N0 }} ON and {{ event b: B{{{{}}}}, {query} }} where {{ e0 before b }} END"
    with pytest.raises(MatchLimitError, match="combinations of"):
        cera.load(rule, answer_limit=10_000).run(EVENTS, engine="local")
