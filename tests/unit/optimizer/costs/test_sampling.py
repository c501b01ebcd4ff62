"""Rates sampled from events: counted by hand here."""

from __future__ import annotations

import random

import pytest

from cera.model.events.occurrence import occurrence
from cera.model.events.rates import Rates
from cera.optimizer.costs.asked import Question, questions
from cera.optimizer.costs.sampling import DistinctValues, Sampler
from cera.testing import event
from unit.optimizer.semantic.rewriting import program_of

RULE = 'h(k(K)) <- i: p(k(K), v(V)) and V > 2 and j: q(k(K), c("x")).'


def _sampled(*terms: tuple[str, int, int], rules: str | None = None) -> tuple[Sampler, Rates]:
    asked: dict[str, list[Question]] = {}
    for rule in () if rules is None else program_of(rules).rules:
        for question in questions(rule):
            asked.setdefault(question.label, []).append(question)
    sampler = Sampler(asked)
    for term, begin, end in terms:
        sampler.take(occurrence(event(term, begin, end)))
    rates = sampler.rates()
    assert rates is not None
    return sampler, rates


def test_labels_values_and_how_long_values_are_in_use_are_counted() -> None:
    _, rates = _sampled(
        ("p{k{1}, v{1}}", 0, 0), ("p{k{1}, v{3}}", 4, 4), ("p{k{2}}", 6, 8), ("q{k{1}}", 10, 10), ("q{k{1.0}}", 7, 7)
    )
    assert rates.seconds == 10
    p, q = rates.labels["p"], rates.labels["q"]
    assert (p.per_second, q.per_second) == (0.3, 0.2)
    assert (p.distinct, q.distinct) == ({"k": 2, "v": 2}, {"k": 1})
    assert p.missing == {"v": pytest.approx(1 / 3)}
    assert p.lasts == pytest.approx(2 / 3)
    assert rates.in_use == {"k": pytest.approx((10 + 2) / 2), "v": 0}


def test_the_share_of_what_rules_ask_for_is_counted() -> None:
    _, rates = _sampled(
        ("p{k{1}, v{1}}", 1, 1), ("p{k{1}, v{3}}", 2, 2), ("p{k{1}, v{4}}", 3, 3), ("p{k{1}}", 4, 4),
        ('q{k{1}, c{"x"}}', 5, 5), ('q{k{1}, c{"y"}}', 6, 6), rules=RULE,
    )  # fmt: skip
    assert rates.asked == {"p: v > 2": 0.5, 'q(c("x"))': 0.5}


def test_the_same_events_give_the_same_rates_in_any_order() -> None:
    terms = [(f"p{{k{{{n % 7}}}, v{{{n}}}}}", n, n) for n in range(50)]
    assert _sampled(*terms)[1] == _sampled(*reversed(terms))[1]


def test_very_many_values_are_estimated_within_some_percent() -> None:
    found = DistinctValues()
    chance = random.Random(1)
    for _ in range(50_000):
        hashed = chance.getrandbits(64)
        found.take(hashed, 0, 2_000_000)
        found.take(hashed, 1_000_000, 4_000_000)
    assert found.count == pytest.approx(50_000, rel=0.06)
    assert found.seconds == 4


def test_what_is_not_used_is_counted_with_the_reason() -> None:
    sampler, rates = _sampled(("p{k{1}, many{1, 2}}", 1, 1), ("p{k{2}, in{x{3}}}", 2, 2))
    assert sampler.unused == {"attributes that are not a single value": 1}
    assert rates.labels["p"].distinct == {"k": 2, "in.x": 1}


def test_events_of_one_time_have_no_rates() -> None:
    sampler = Sampler()
    assert sampler.rates() is None
    sampler.take(occurrence(event("p{k{1}}", 3, 3)))
    assert sampler.rates() is None
