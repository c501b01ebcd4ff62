"""Which laws are used, by what the rewritten rules are estimated to cost."""

from __future__ import annotations

from cera.constraints.module import ConstraintModule
from cera.model.events.rates import LabelRates, Rates
from cera.optimizer.semantic.choice import Choice, choose
from cera.optimizer.semantic.driver import knowledge_of
from cera.optimizer.semantic.estimates import CostModel
from conformance.constraints import clauses_of
from unit.optimizer.semantic.rewriting import laws, program_of

COUNTED = "Range 1h: n(k(K), number(count(V))) <- p(k(K), v(V))."
CLOSED = "CONSTRAINT closed: IF event i: p(k(K)) and event j: q(k(K)) THEN i before j END"
JOINED = "h(k(K)) <- i: p(k(K), v(V)) and j: q(k(K)) and {i, j} within 10 sec."
FILTER = "CONSTRAINT small: IF event i: p(k(K), v(V)) and event j: q(k(K)) THEN V < 5 END"


def _rates(p: float, q: float, small: float = 0.5) -> Rates:
    return Rates(
        3600.0,
        {"p": LabelRates(p, {"k": 10.0}), "q": LabelRates(q, {"k": 10.0})},
        {"k": 60.0},
        {"p: v < 5": small},
    )


def _chosen(rule: str, constraint: str, rates: Rates | None, model: CostModel | None) -> Choice:
    knowledge = knowledge_of([ConstraintModule("c", tuple(clauses_of(constraint)))])
    found, [choice] = choose(program_of(rule), knowledge, rates, model)
    assert found.rules == (choice.chosen.rewritten,)
    return choice


def test_a_closing_event_saves_state_and_waiting() -> None:
    for model in ("state", "latency"):
        choice = _chosen(COUNTED, CLOSED, _rates(1, 1000), model)
        assert laws(choice.chosen.rewritten) == ["join introduction"]
        assert choice.chosen.figures.by(model) < choice.plain.by(model)


def test_a_closing_event_that_comes_very_often_is_too_much_work() -> None:
    choice = _chosen(COUNTED, CLOSED, _rates(1, 1000), "work")
    assert choice.chosen.rewritten.rule == program_of(COUNTED).rules[0]
    assert choice.chosen.left_out == ("join introduction, by closed",)
    assert choice.chosen.figures == choice.plain


def test_a_filter_is_worth_its_work_if_it_sorts_out_much() -> None:
    much, nothing = (_chosen(JOINED, FILTER, _rates(100, 100, share), "work") for share in (0.01, 1.0))
    assert laws(much.chosen.rewritten) == ["scan reduction"]
    assert nothing.chosen.left_out == ("scan reduction",)


def test_without_a_model_all_laws_are_used_and_their_costs_are_known() -> None:
    choice = _chosen(COUNTED, CLOSED, _rates(1, 1000), None)
    assert laws(choice.chosen.rewritten) == ["join introduction"]
    assert len(choice.alternatives) == 1
    assert choice.chosen.figures.work > choice.plain.work


def test_without_rates_all_labels_are_alike() -> None:
    assert laws(_chosen(COUNTED, CLOSED, None, "state").chosen.rewritten) == ["join introduction"]


def test_a_rule_that_cannot_have_answers_costs_nothing() -> None:
    rule = "h(k(K)) <- p(k(K), v(V)) and V < 0."
    choice = _chosen(rule, "IF event: p(v(V)) THEN V > 0 END", _rates(1, 1), "work")
    assert choice.chosen.rewritten.rule is None
    assert choice.chosen.figures.by("work") == (0, 0, 0)
