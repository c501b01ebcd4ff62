"""Figures 6.4 and 6.9 to 6.16 of seed 002 with their runs, by the definitions and by the processor.

The automata of the figures are incomplete: here they have an enter transition, an end, and a key `k`. The caption of
Figure 6.12 is lost; it stands beside the order in which a run is modified, which I-26 tests.
"""

from __future__ import annotations

from conformance.automata import AUCTION, answered, configuration, happens, module, runs_after, violations


def test_figure_6_4_two_runs_of_the_auction() -> None:
    events = []
    for auction, bidders in ((1, (3, 4)), (2, (1, 2))):
        events.append(happens("auctionStart", auction, auctionID=auction))
        for place, name in enumerate(bidders):
            at = 10 * auction + 4 * place
            events.append(happens("enrollment", at, auctionID=auction, enrollID=name))
            for number, label in enumerate(("bidderData", "authenticationData", "true"), 1):
                if (auction, name, label) != (1, 4, "true"):
                    events.append(happens(label, at + number, auctionID=auction, enrollID=name, dataID=name))
    events.append(happens("itemDescription", 50, auctionID=2, itemID=5))
    assert runs_after(module(AUCTION), events) == [
        ["Auction(1): BidderEnrollment [BidderEnrollment(1, 3): B3, BidderEnrollment(1, 4): B2]"],
        ["Auction(2): ItemOffer [ItemOffer(2, 5): I0]"],
    ]


NESTED = """automaton L(k(A)) { start G; end H;
  state M(x(X)) { end Q;
    start state N(x(X), y(Y)) { start end K; }
    N -> K: b(k(A), x(X), y(Y*));
    K -> Q: over(k(A), x(X));
  }
  enter -> G: start(k(A*));
  G -> K: a(k(A), x(X*), y(Y*));
  M -> K: a(k(A), x(X*), y(Y*));
  Q -> H: end(k(A)); }"""


def test_figure_6_9_transformation_and_instantiation() -> None:
    begin = [happens("start", 0, k=9)]
    assert runs_after(module(NESTED), begin) == [["L(9): G"]]
    events = [*begin, happens("a", 1, k=9, x=1, y=2)]
    assert runs_after(module(NESTED), events) == [["L(9): M [M(1): N [N(1, 2): K]]"]]
    [run] = configuration(module(NESTED), events).sets[0].runs
    assert [(i.variables["X"], i.variables["Y"], i.events["last"]) for i in run.instances] == [(1, 2, events[-1])] * 3


def test_figure_6_10_concurrent_processes() -> None:
    events = [happens("start", 0, k=9), happens("a", 1, k=9, x=1, y=2)]
    events.append(happens("b", 2, k=9, x=1, y=3))
    assert runs_after(module(NESTED), events) == [["L(9): M [M(1): N [N(1, 2): K, N(1, 3): K]]"]]
    events.append(happens("a", 3, k=9, x=4, y=5))
    assert runs_after(module(NESTED), events) == [["L(9): M [M(1): N [N(1, 2): K, N(1, 3): K], M(4): N [N(4, 5): K]]"]]
    [run] = configuration(module(NESTED), events).sets[0].runs
    bound = {i.name: i.variables["Y"] for i in run.instances}
    assert bound[("x", 1),] == 3  # Y of M(1) is shadowed, and its first child has the old value
    assert bound[("x", 1), ("y", 2)] == 2


DEEP = """automaton R(k(A)) { start G; end T;
  state K(x(X)) { end Q;
    start state j: N(x(X), y(Y)) { end O;
      start state M(x(X), y(Y)) { start P; end S; P -> S: done(k(A), x(X), y(Y)); }
      S -> O: never(k(A), x(X), y(Y));
    }
    N -> P: b(k(A), x(X), y(Y*));
    S -> Q: neither(k(A), x(X));
  }
  enter -> G: start(k(A*));
  G -> P: a(k(A), x(X*), y(Y*));
  Q -> T: nothing(k(A));
  S -> T: over(k(A))CONSTRAINT; }"""


def test_figure_6_11_a_state_identifier_in_termination_constraints() -> None:
    """The transition S -> T leaves K, N and M, of which the identifier j names N."""
    events = [happens("start", 0, k=9), happens("a", 1, k=9, x=1, y=1)]
    events += [happens("b", y, k=9, x=1, y=y) for y in (2, 3)]
    events += [happens("done", 4, k=9, x=1, y=1), happens("done", 5, k=9, x=1, y=3)]
    counted = module(DEEP.replace("CONSTRAINT", " and finishedInstances(j) = 2 and allInstances(j) = 3"))
    assert runs_after(counted, events) == [
        [
            "R(9): K [K(1): N [N(1, 1): M [M(1, 1): S], N(1, 2): M [M(1, 2): P], N(1, 3): M [M(1, 3): S]]]",
        ]
    ]
    over = happens("over", 6, k=9)
    assert violations(answered(counted, [*events, over])) == []
    by_default = module(DEEP.replace("CONSTRAINT", ""))
    assert violations(answered(by_default, [*events, over])) == ["over in P, S"]
    last = happens("done", 5.5, k=9, x=1, y=2)
    assert violations(answered(by_default, [*events, last, over])) == []


def test_figure_6_13_powerset_construction() -> None:
    text = """automaton X(k(A)) { start G; K, H; end F; enter -> G: start(k(A*));
      G -> K: a(k(A)); G -> H: a(k(A)); K -> F: b(k(A)); H -> F: c(k(A)); F -> F: d(k(A)); }"""
    events = [happens("start", 0, k=1), happens("a", 1, k=1), happens("b", 2, k=1)]
    assert runs_after(module(text), events[:1]) == [["X(1): G"]]
    assert runs_after(module(text), events[:2]) == [["X(1): H", "X(1): K"]]
    assert runs_after(module(text), events) == [["X(1): F"]]


BRANCHING = """automaton L(k(A)) { start G; K; end H;
  state M(k(A)) { start P; end Q; P -> Q: b(k(A)); }
  enter -> G: start(k(A*));
  G -> K: a(k(A)); G -> P: a(k(A)); K -> H: c(k(A)); Q -> H: d(k(A)); }"""


def test_figure_6_14_an_event_branches_the_run_for_which_it_is_relevant() -> None:
    begin = [happens("start", 0, k=1), happens("start", 0, k=2)]
    assert runs_after(module(BRANCHING), begin) == [["L(1): G"], ["L(2): G"]]
    assert runs_after(module(BRANCHING), [*begin, happens("a", 1, k=1)]) == [
        ["L(1): K", "L(1): M [M(1): P]"],
        ["L(2): G"],
    ]
    after = [*begin, happens("a", 1, k=1), happens("b", 2, k=1)]  # it is no business of the run that is in K
    assert runs_after(module(BRANCHING), after) == [["L(1): K", "L(1): M [M(1): Q]"], ["L(2): G"]]
    assert runs_after(module(BRANCHING), [*after, happens("d", 3, k=1)]) == [["L(2): G"]]
    assert violations(answered(module(BRANCHING), [*after, happens("d", 3, k=1)])) == []


def test_figure_6_15_the_order_of_simultaneous_events_that_is_accepted_is_found() -> None:
    text = """automaton L(k(A)) { start G; K, U; end H;
      state M(k(A)) { start P; end Q; P -> Q: c(k(A)); }
      enter -> G: start(k(A*)); G -> K: a(k(A)); K -> P: b(k(A)); G -> U: b(k(A));
      U -> H: d(k(A)); Q -> H: d(k(A)); }"""
    begin = [happens("start", 0, k=1), happens("start", 0, k=2)]
    together = [happens("a", 1, k=1), happens("b", 1, k=1)]
    assert runs_after(module(text), [*begin, *together]) == [["L(1): M [M(1): P]"], ["L(2): G"]]
    in_order = [happens("b", 1, k=1), happens("a", 2, k=1)]
    assert violations(answered(module(text), [*begin, *in_order])) == ["a in U"]


def test_figure_6_16_four_simultaneous_events_lead_to_one_run() -> None:
    text = """automaton R(k(A)) { start S; U; end T;
      state M(x(X)) { start P0; P1; end P2;
        P0 -> P1: a(k(A), x(X)); P1 -> P2: b(k(A), x(X)); P0 -> P2: c(k(A), x(X)); }
      enter -> S: start(k(A*)); S -> P0: m(k(A), x(X*)); M -> P0: m(k(A), x(X*));
      P2 -> U: d(k(A)); U -> T: end(k(A)); }"""
    begin = [happens("start", 0, k=1), happens("m", 1, k=1, x=1), happens("m", 2, k=1, x=2)]
    assert runs_after(module(text), begin) == [["R(1): M [M(1): P0, M(2): P0]"]]
    together = [happens("a", 3, k=1, x=1), happens("b", 3, k=1, x=1), happens("c", 3, k=1, x=2), happens("d", 3, k=1)]
    assert runs_after(module(text), [*begin, *together]) == [["R(1): U"]]
    assert runs_after(module(text), [*begin, *together[:3]]) == [["R(1): M [M(1): P2, M(2): P2]"]]
