"""The states in which events come, as automata say: which order follows of them, and what looks nearly the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from cera.automata.module import AutomatonModule
from cera.constraints.derivation.evaluation_states import evaluation_states
from cera.diagnostics import Source
from cera.optimizer.semantic.rule_states import RuleState, rule_state
from cera.pipeline import Pipeline
from cera.program import Program, load
from cera.rules.settlements import ClosingEvent
from cera.testing import event
from unit.optimizer.semantic.rewriting import answers, laws, program_of

SHOP = """
automaton Shop(order(K)) {
  start S0;
  S1;
  state Parcel(order(K), parcel(P)) {
    start P0;
    end P1;
    P0 -> P1: scan(order(K), parcel(P));
    P1 -> P1: scan(order(K), parcel(P));
  }
  end S2;
  enter -> S0: placed(order(unique K*));
  S0 -> S1: paid(order(K));
  S1 -> P0: packed(order(K), parcel(unique P*));
  P1 -> S2: closed(order(K));
}
"""


def _automaton(text: str) -> AutomatonModule:
    [found] = [each.module for each in Pipeline((Source("a.ihta", text),)).modules.found]
    assert isinstance(found, AutomatonModule)
    return found


def _orders(text: str, label: str = "shop") -> set[tuple[str, str]]:
    states = [each for each in evaluation_states(_automaton(text).structure) if each.label == label]
    return {order for each in states for order in each.orders()}


def test_what_comes_in_a_state_is_ordered_by_its_ways() -> None:
    assert _orders(SHOP) == {
        *(("placed", other) for other in ("paid", "packed", "scan", "closed")),
        *(("paid", other) for other in ("packed", "scan", "closed")),
        *(("packed", other) for other in ("scan", "closed")),
        ("scan", "closed"),
    }
    assert _orders(SHOP, "parcel") == {("packed", "scan")}


@pytest.mark.parametrize(
    ("changed", "into", "gone"),
    [
        # a way leads back
        ("P1 -> S2: closed", "S2 -> S1: paid(order(K)); P1 -> S2: closed", {("scan", "closed"), ("paid", "scan")}),
        # the event is accepted elsewhere, by what has another value
        ("enter -> S0: placed", "enter -> S0: scan(order(unique K*)); enter -> S0: placed", {("scan", "closed")}),
        # it does not say which instance it belongs to
        ("closed(order(K))", "closed(parcel(P*))", {("scan", "closed"), ("paid", "closed")}),
        # the value may be used again
        ("unique K*", "K*", {("scan", "closed"), ("placed", "paid")}),
    ],
)
def test_what_need_not_be_so_has_no_order(changed: str, into: str, gone: set[tuple[str, str]]) -> None:
    assert changed in SHOP
    assert gone <= _orders(SHOP)
    assert not gone & _orders(SHOP.replace(changed, into))


def test_the_innermost_state_of_a_rule() -> None:
    def state(rules: str) -> RuleState | None:
        return rule_state(program_of(rules).rules[0], [_automaton(SHOP)])

    assert state("h(order(K)) <- paid(order(K)) and scan(order(K)).") == RuleState("shop", "Shop", "K", ("placed",))
    inner = state("h(parcel(P)) <- packed(parcel(P)) and scan(parcel(P)).")
    assert inner == RuleState("parcel", "Shop", "P", ("packed",))
    assert state("h(order(K)) <- paid(order(K)) and scan(order(L)).") is None, "two instances"
    assert state("h(order(K)) <- paid(order(K)) and other(order(K)).") is None, "another event"


JOINED = "h(order(K)) <- i: paid(order(K)) and j: scan(order(K))."


def _trusting(*supposing: str) -> Program:
    return load(Source("r.slog", JOINED), constraints=Source("a.ihta", SHOP), supposing=supposing)  # type: ignore[arg-type]


def test_a_rule_forgets_with_the_event_that_ends_its_state_and_waits_for_nothing_before() -> None:
    [found] = _trusting("distinct", "unique", "expected").rewritten.rules
    assert laws(found) == ["scan reduction", "join introduction"]
    assert found.rule is not None
    [closing] = found.rule.settlements
    assert isinstance(closing, ClosingEvent)
    assert (closing.forgets, closing.by) == (True, ("K",))


def test_what_is_not_supposed_is_not_used() -> None:
    [found] = _trusting("distinct", "unique").rewritten.rules
    assert found.rewritings == ()
    late = (event("paid{order{1}}", 1), event("closed{order{1}}", 2), event("scan{order{1}}", 3))  # it is not expected
    [forgets] = _trusting("distinct", "unique", "expected").rewritten.rules
    assert forgets.rule is not None
    program = program_of(JOINED)
    assert answers(program, *late) != answers(_trusting("distinct", "unique", "expected").rewritten.program, *late)


def test_the_figure_of_the_paper_closes_bids_with_the_end_of_the_auction() -> None:
    text = (Path(__file__).parents[4] / "examples" / "auction-workflow" / "auction.ihta").read_text()
    found = _orders(text, "auction")
    assert {("bid", "auctionEnd"), ("enrollment", "bid"), ("auctionStart", "bid")} <= found
    assert ("bid", "itemDescription") not in found, "the next item has bids, too"
    assert ("itemDescription", "bid") not in found
