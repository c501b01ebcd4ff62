"""Automata on Spark: recorded events give the states and violations of the definitions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cera.modules.layering import layered
from cera.testing import event
from conformance.automata import AUCTION, module
from conformance.test_automata_entries import FIGURE_6_16, ITEM, NFA, enrolled, happens, item
from module_runs import run_layers, side_by_side
from properties.test_automata import case, told

#: Labels that are patterns.
PATTERNS = """automaton Parcel(id(O)) { start Open; Full; end Sent; enter -> Open: ordered{{ id{{ var O* }} }};
  Open -> Full: packed{{ id{{ var O }}, box{{ var B* }}, without broken{{ }} }};
  Full -> Sent: sent{{ id{{ var O }}, desc box{{ var B }} }}; }"""
#: Instances that cannot be told apart.
TWINS = "automaton Twin { start T0; end T1; enter -> T0: ta(n(N*)); T0 -> T1: tb(n(N)); }"

pytestmark = pytest.mark.xdist_group("spark")


@pytest.mark.usefixtures("spark")
def test_recorded_events_give_what_the_definitions_say() -> None:
    events = [
        *enrolled(1, 1, 2),
        *item("bid10", "hb40", "hb70", "hb100", "sell100.5"),
        *[happens("itemDescription", 50, auctionID=1, itemID=9), happens("bid", 90, auctionID=1, itemID=9)],
        *[
            happens("z", 0, k=1),
            happens("z", 0, k=2),
            happens("a", 1, k=1),
            happens("b", 2, k=1),
            happens("m", 3, k=2, x=1),
        ],
        *[happens("a", 4, k=2, x=1), happens("b", 4, k=2, x=1), happens("d", 4, k=2)],
        *[happens("z", 0, k=3), happens("m", 3, k=3, x=1), happens("c", 6, k=3, x=1)],
        *[happens("ta", 0, n=1), happens("ta", 0, n=2), happens("tb", 1, n=1), happens("tb", 2, n=2)],
        *(
            event(text, second)
            for second, text in enumerate(
                (
                    *("ordered{id{1}}", "packed{id{1}, box{7}, box{8}}", "packed{id{1}, box{9}, broken{}}"),
                    *("ordered{id{2}}", "packed{id{2}, box{8}}", "sent{id{2}, car{box{8}}}"),
                )
            )
        ),
    ]
    layers = side_by_side(*(module(text) for text in (AUCTION, ITEM, NFA, FIGURE_6_16, PATTERNS, TWINS)))
    expected, found = (run_layers(layers, events, engine, changes=True) for engine in ("reference", "spark"))
    assert told(found.derived) == told(expected.derived)
    assert found.left_out == expected.left_out
    assert {one.event.label for one in found.derived} >= {"violation", "state:ends:itemOffer", "state:opens:r"}
    assert sum(one.event.label == "state:opens:m" for one in found.derived) == 2
    assert [len(one.derivations) for one in found.derived if one.event.label == "state:opens:twin"] == [2]
    assert sum(one.event.label == "state:ends:Sent" for one in found.derived) == 1


@pytest.mark.usefixtures("spark")
def test_what_is_possible_and_what_must_be_unique_is_that_of_the_definitions() -> None:
    text = """automaton X(k(K)) { start G; K1, H; end F; enter -> G: z(k(K*), n(unique N* for 1 min));
      G -> K1: a(k(K)); G -> H: a(k(K)); K1 -> F: b(k(K)); H -> F: c(k(K)); }"""
    made = replace(module(text), possible=True, marks_violated=True)
    events = [
        *(happens("z", time, k=key, n=7) for key, time in ((1, 0), (2, 30), (3, 100))),
        *(happens(label, time, k=1) for label, time in (("a", 1), ("b", 2))),
        happens("b", 31, k=2),
    ]
    layers, _ = layered([made, *made.uniqueness])
    expected, found = (run_layers(layers, events, engine, changes=True) for engine in ("reference", "spark"))
    assert told(found.derived) == told(expected.derived)
    labels = [one.event.label for one in found.derived]
    assert (labels.count("violation"), labels.count("possible"), labels.count("past")) == (2, 2, 1)
    assert not any(label.startswith("internal:") for label in labels)


@pytest.mark.usefixtures("spark")
@pytest.mark.long
@pytest.mark.parametrize("seed", range(40))
def test_random_automata_give_what_the_definitions_say(seed: int) -> None:
    made, events, _ = case(seed)
    layers = side_by_side(made)
    expected, found = (run_layers(layers, events, engine, changes=True) for engine in ("reference", "spark"))
    assert told(found.derived) == told(expected.derived)
