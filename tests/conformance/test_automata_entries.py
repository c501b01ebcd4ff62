"""The I entries: automata, by the definitions and by the processor, which is saved and started again on the way."""

from __future__ import annotations

from itertools import permutations

import pytest

from cera.automata.automaton import Declaration, Reference
from cera.automata.exploring import Explorer
from cera.diagnostics import Source
from cera.languages.ihta.parser import parse
from cera.languages.ihta.printer import print_program
from cera.model.events.occurrence import occurrence
from cera.modules.driving import Driver
from cera.modules.module import Settings
from conformance.automata import (
    AUCTION,
    answered,
    codes,
    configuration,
    happens,
    labels,
    module,
    periods,
    structure,
    violations,
)


def item(*scenario: str) -> list[object]:
    """Events of an item offer such as `bid10`, after a description at 0."""
    names = {"bid": "bid", "hb": "hammerBeat", "sell": "sell"}
    found = [happens("itemDescription", 0, auctionID=1, itemID=5)]
    for each in scenario:
        name = next(n for n in names if each.startswith(n))
        found.append(happens(names[name], float(each.removeprefix(name)), auctionID=1, itemID=5))
    return list(found)


def inner(text: str, name: str) -> str:
    """The braces of a state in a text."""
    begin = text.index(name)
    end = text.index("\n  }", begin)
    return text[text.index("{", begin) + 1 : end]


ITEM = (
    "automaton ItemOffer(auctionID(A), itemID(I)) {"
    + inner(AUCTION, "state ItemOffer")
    + "\n enter -> I0: itemDescription(auctionID(A*), itemID(I*)); }"
)


def test_I_01_the_automaton_of_figure_6_1_is_an_example() -> None:
    found = structure(AUCTION)
    assert [path[-1] for path in found.states] == [
        *("Auction", "A0", "A1", "BidderEnrollment", "B0", "B1", "B2", "B3"),
        *("ItemOffer", "I0", "I1", "I2", "I3", "I4", "I5"),
    ]
    assert found.identified == {"b": ("Auction", "BidderEnrollment")}
    assert len(found.executed["Auction", "ItemOffer"]) == 9


def test_I_02_states_are_atomic_or_not_and_start_or_end_states() -> None:
    found = structure(AUCTION)
    assert [p[-1] for p, s in found.states.items() if s.is_start] == ["A0", "B0", "I0"]
    assert [p[-1] for p, s in found.states.items() if s.is_end] == ["A1", "B3", "I5"]
    assert [p[-1] for p, s in found.states.items() if not s.is_atomic] == ["Auction", "BidderEnrollment", "ItemOffer"]
    assert codes("automaton X(k(K)) { S; end T; enter -> S: a(k(K*)); S -> T: b(k(K)); }") >= {"IH207"}


def test_I_03_roles_of_transitions() -> None:
    roles = {step.transition.name: step.role for step in structure(AUCTION).steps}
    assert roles["BidderEnrollment -> B0"] == roles["A0 -> B0"] == "instantiating"
    assert roles["I5 -> A1"] == roles["B3 -> A1"] == "terminating"
    assert roles["B3 -> I0"] == "instantiating and terminating"
    assert roles["I1 -> I2"] == "neither"


def test_I_04_a_label_has_an_event_or_a_constraint() -> None:
    begin = "automaton X(k(K)) { start S; end T; enter -> S: a(k(K*)); "
    assert codes(begin + "S -> T: ; }") == {"IH001"}
    assert codes(begin + "S -> T: not b(k(K)); }") == {"IH206"}
    assert not codes(begin + "S -> T: not b(k(K)) and now - e(last) <= 3s; }")
    assert not codes(begin + "S -> T: now - e(last) >= 3s; }")


def test_I_05_variables_are_declared_before_they_are_referred_to() -> None:
    begin = "automaton X(k(K)) { start S; U; end T; enter -> S: a(k(K*)); "
    assert codes(begin + "S -> U: b(k(K), x(V*), y(V)); U -> T: c(k(K)); }") == {"IH212"}
    assert codes(begin + "S -> U: not b(k(K), x(V*)) and now - e(last) < 3s; U -> T: c(k(K)); }") == {"IH212"}
    assert codes(begin + "S -> U: b(k(K), x(V*)); S -> U: d(k(K)); U -> T: c(k(K), x(V)); }") == {"IH210"}
    assert not codes(begin + "S -> U: b(k(K), x(V*)); U -> T: c(k(K), x(V)); }")


def test_I_06_a_unique_variable_has_no_value_twice() -> None:
    text = "automaton X(k(K)) { start end S; T; enter -> S: a(k(K*)); S -> T: b(k(K), d(unique D*)); T -> S: c(k(K)); }"
    first, again = [happens("a", 0, k=1), happens("b", 1, k=1, d=7), happens("c", 2, k=1)], happens("b", 3, k=1, d=7)
    assert violations(answered(module(text), [*first, happens("b", 3, k=1, d=8)])) == []
    assert violations(answered(module(text), [*first, again])) == ["b in S"]
    assert violations(answered(module(text), [*first, happens("a", 0, k=2), happens("b", 4, k=2, d=7)])) == []


def test_I_07_this_last_and_identifiers() -> None:
    text = """automaton X(k(K)) { start S; U; V; end T; enter -> S: first: a(k(K*));
      S -> U: b(k(K)) and b(this) - e(last) >= 1s; U -> V: c(k(K)) and e(this) - e(first) <= 5s;
      V -> T: now - e(last) >= 2s; }"""
    found = answered(module(text), [happens("a", 0, k=1), happens("b", 1, k=1), happens("c", 5, k=1)])
    assert violations(found) == []
    assert periods(found, "V") == [(5, 7)]
    late = answered(module(text), [happens("a", 0, k=1), happens("b", 1, k=1), happens("c", 5.5, k=1)])
    assert violations(late) == ["c in U"]
    nothing = "automaton X(k(K)) { start S; end T; enter -> S: a(k(K*)); S -> T: now - e(this) > 1s; }"
    assert codes(nothing) == {"IH213"}


@pytest.mark.parametrize(
    ("constraint", "fires"),
    [
        ("", False),
        (" and finishedInstances(b) >= 2", True),
        (" and finishedInstances(b) > 2", False),
        (" and allInstances(b) = 3", True),
        (" and allInstances(b) != 3", False),
        (" and finishedInstances(b) < 3", True),
        (" and allInstances(b) <= 2", False),
    ],
)
def test_I_08_I_25_termination_constraints_count_instances(constraint: str, fires: bool) -> None:
    text = f"""automaton X(k(K)) {{ start S; end T;
      state b: M(k(K), x(V)) {{ start B0; end B3; B0 -> B3: done(k(K), x(V)); }}
      enter -> S: a(k(K*)); S -> B0: begin(k(K), x(V*)); M -> B0: begin(k(K), x(V*));
      B3 -> T: over(k(K)){constraint}; }}"""
    events = [happens("a", 0, k=1), *(happens("begin", n, k=1, x=n) for n in (1, 2, 3))]
    events += [happens("done", 4, k=1, x=1), happens("done", 5, k=1, x=3), happens("over", 6, k=1)]
    assert violations(answered(module(text), events)) == ([] if fires else ["over in B0, B3"])


def test_I_09_the_grammar_of_labels_is_read_and_printed() -> None:
    parsed = parse(Source("program.ihta", AUCTION))
    assert parse(Source("program.ihta", print_program(parsed.program))).program == parsed.program
    text = """automaton X(k(K)) { start S; end T; enter -> S: a(k(K*)) and b(this) = e(this);
      S -> T: not b(k(K)) and now - e(last) <= 1 min; }"""
    once = parse(Source("program.ihta", text)).program
    assert parse(Source("program.ihta", print_program(once))).program == once


def test_I_10_or_is_two_transitions_and_and_is_a_path_for_each_order() -> None:
    either = "automaton X(k(K)) { start S; end T; enter -> S: z(k(K*)); S -> T: a(k(K)); S -> T: b(k(K)); }"
    for label in "ab":
        assert violations(answered(module(either), [happens("z", 0, k=1), happens(label, 1, k=1)])) == []
    both = """automaton X(k(K)) { start S; Sa, Sb; end T; enter -> S: z(k(K*));
      S -> Sa: a(k(K)); Sa -> T: b(k(K)); S -> Sb: b(k(K)); Sb -> T: a(k(K)); }"""
    assert len(module(both).automaton.transitions) == 1 + 4  # ERR-49: n * 2^(n-1), with 2^n - 2 states between
    for first, second in permutations("ab"):
        events = [happens("z", 0, k=1), happens(first, 1, k=1), happens(second, 2, k=1)]
        assert periods(answered(module(both), events), "T") == [(2, 2)]
    assert violations(answered(module(both), [happens("z", 0, k=1), happens("a", 1, k=1), happens("a", 2, k=1)])) == [
        "a in Sa"
    ]
    assert codes("automaton X(k(K)) { start S; end T; enter -> S: z(k(K*)); S -> T: a(k(K)) or b(k(K)); }") == {"IH001"}


def test_I_11_enter_transitions_have_no_source_and_lead_to_a_start_state() -> None:
    assert codes("automaton X { start S; end T; S -> T: a; }") >= {"IH203"}
    assert codes("automaton X(k(K)) { start S; end T; enter -> T: a(k(K*)); S -> T: b(k(K)); }") == {"IH203"}
    assert codes("automaton X(k(K)) { start S; end T; enter -> S: now - e(last) > 3s; S -> T: b(k(K)); }") >= {"IH203"}


def test_I_12_I_15_the_transitions_of_an_item_offer() -> None:
    steps = [s for s in structure(AUCTION).steps if s.level == ("Auction", "ItemOffer")]
    assert [(step.transition.name, step.trigger) for step in steps] == [
        ("I0 -> I1", "event"),
        ("I0 -> I5", "delay"),
        ("I1 -> I1", "event"),
        ("I1 -> I2", "event"),
        ("I2 -> I1", "event"),
        ("I2 -> I3", "event"),
        ("I3 -> I1", "event"),
        ("I3 -> I4", "event"),
        ("I4 -> I5", "event"),
    ]
    assert {step.role for step in steps} == {"neither"}


def test_I_13_I_18_the_schema_is_that_of_the_labels_and_other_events_are_ignored() -> None:
    found = structure(ITEM).schemas["ItemOffer",]
    assert {query.label for query in found} == {"bid", "hammerBeat", "sell"}
    assert {name for query in found for name in query.referenced} == {"A", "I"}
    other = [happens("bid", 5, auctionID=1, itemID=6), happens("auctionEnd", 6, auctionID=1)]
    assert violations(answered(module(ITEM), [*item("bid10"), *other])) == []  # type: ignore[list-item]


def test_I_14_ancestors_and_descendants() -> None:
    found = structure(AUCTION)
    offer = ("Auction", "ItemOffer")
    assert [path[-1] for path in found.descendants(offer)] == ["I0", "I1", "I2", "I3", "I4", "I5"]
    assert len(list(found.descendants(("Auction",)))) == len(found.states) - 1
    assert found.ancestors((*offer, "I0")) == (("Auction",), offer)
    assert found.parent(("Auction",)) is None


def test_I_16_I_19_the_level_of_a_transition_and_its_states_before_and_after() -> None:
    steps = {step.transition.name: step for step in structure(AUCTION).steps}
    auction, enrolling, offer = ("Auction",), ("Auction", "BidderEnrollment"), ("Auction", "ItemOffer")
    assert (steps["I1 -> I2"].level, steps["I1 -> I2"].before) == (offer, (*offer, "I1"))
    assert (steps["A0 -> B0"].level, steps["A0 -> B0"].after) == (auction, enrolling)
    assert (steps["I5 -> A1"].level, steps["I5 -> A1"].before, steps["I5 -> A1"].after) == (
        auction,
        offer,
        (*auction, "A1"),
    )
    assert (steps["B3 -> I0"].level, steps["B3 -> I0"].before, steps["B3 -> I0"].after) == (auction, enrolling, offer)


def enrolled(auction: int, *names: int, begin: float = 0) -> list[object]:
    found = [happens("auctionStart", begin, auctionID=auction)]
    for place, name in enumerate(names):
        at, data = begin + 1 + 10 * place, 100 * auction + name
        found.append(happens("enrollment", at, auctionID=auction, enrollID=name))
        for number, label in enumerate(("bidderData", "authenticationData", "true"), 1):
            found.append(happens(label, at + number, auctionID=auction, enrollID=name, dataID=data))
    return list(found)


def test_I_17_two_runs_with_their_instances() -> None:
    events = [*enrolled(1, 3, 4), *enrolled(2, 1, 2), happens("itemDescription", 50, auctionID=2, itemID=5)]
    found = configuration(module(AUCTION), events)  # type: ignore[arg-type]
    trees = [[instance.name for instance in each.runs[0].instances] for each in found.sets]
    assert trees == [
        [(("auctionID", 1),), (("auctionID", 1), ("enrollID", 3)), (("auctionID", 1), ("enrollID", 4))],
        [(("auctionID", 2),), (("auctionID", 2), ("itemID", 5))],
    ]


def test_I_20_a_transition_is_enabled_by_an_event_of_the_step_with_this_as_that_event() -> None:
    text = """automaton X(k(K)) { start S; end T; enter -> S: a(k(K*)) and e(this) - b(this) = 0s;
      S -> T: not b(k(K)) and now - e(last) <= 3s; }"""
    found = answered(module(text), [happens("a", 0, k=1)])
    assert periods(found, "S") == [(0, 3)]  # an absence is certain at the last time that its constraint allows
    assert violations(answered(module(text), [happens("a", 0, k=1), happens("b", 3, k=1)])) == ["b in S"]


def test_I_21_initial_runs_have_an_instance_for_each_state_that_is_entered() -> None:
    text = """automaton X(k(K)) { start end T;
      state M(k(K)) { end Q; start state N(k(K)) { start P; end R; P -> R: b(k(K)); } R -> Q: c(k(K)); }
      enter -> P: a(k(K*)); Q -> T: d(k(K)); }"""
    found = configuration(module(text), [happens("a", 0, k=1)])
    [run] = found.sets[0].runs
    assert [(i.state[-1], i.active[-1]) for i in run.instances] == [("X", "M"), ("M", "N"), ("N", "P")]
    assert all(i.events["last"] == happens("a", 0, k=1) and i.variables == {"K": 1} for i in run.instances)


FIGURE_6_9 = """automaton L(k(K)) { start G; end H;
  state M(x(X)) { end Q; start state N(x(X), y(Y)) { start end K; } K -> Q: over(k(K)); }
  enter -> G: start(k(K*)); G -> K: a(k(K), x(X*), y(Y*)); M -> K: a(k(K), x(X*), y(Y*)); Q -> H: end(k(K)); }"""


def test_I_22_I_23_instances_are_created_below_each_other_and_beside_each_other() -> None:
    first = [happens("start", 0, k=9), happens("a", 1, k=9, x=1, y=2)]
    [run] = configuration(module(FIGURE_6_9), first).sets[0].runs
    assert [(i.state[-1], i.active[-1], i.name) for i in run.instances] == [
        ("L", "M", (("k", 9),)),
        ("M", "N", (("x", 1),)),
        ("N", "K", (("x", 1), ("y", 2))),
    ]
    assert all(i.events["last"].label == "a" and i.variables["Y"] == 2 for i in run.instances)
    [run] = configuration(module(FIGURE_6_9), [*first, happens("a", 2, k=9, x=3, y=4)]).sets[0].runs
    assert [i.name for i in run.instances[1:]] == [(("x", 1),), (("x", 1), ("y", 2)), (("x", 3),), (("x", 3), ("y", 4))]
    assert run.instances[0].variables["Y"] == 4
    assert run.instances[2].variables["Y"] == 2


def test_I_24_instances_are_finished_with_respect_to_an_end_state() -> None:
    text = FIGURE_6_9.replace("M(x", "m: M(x").replace(
        "Q -> H: end(k(K))", "K -> H: end(k(K)) and finishedInstances(m) = 2"
    )
    events = [happens("start", 0, k=9), happens("a", 1, k=9, x=1, y=2), happens("a", 2, k=9, x=3, y=4)]
    assert violations(answered(module(text), [*events, happens("end", 3, k=9)])) == []


def test_I_26_what_is_left_is_terminated_before_new_instances_are_created() -> None:
    events = [*enrolled(1, 1, 2), happens("itemDescription", 50, auctionID=1, itemID=5)]
    found = answered(module(AUCTION), events)  # type: ignore[arg-type]
    assert {end for _, end in periods(found, "bidderEnrollment")} == {50}
    assert periods(found, "itemOffer") == [(50, None)]


NFA = """automaton X(k(K)) { start G; K1, H; end F; enter -> G: z(k(K*));
  G -> K1: a(k(K)); G -> H: a(k(K)); K1 -> F: b(k(K)); H -> F: c(k(K)); }"""


def test_I_27_both_runs_are_followed_and_the_one_that_fails_is_dropped() -> None:
    after_a = configuration(module(NFA), [happens("z", 0, k=1), happens("a", 1, k=1)])
    assert sorted(run.root.active[-1] for run in after_a.sets[0].runs) == ["H", "K1"]
    found = answered(module(NFA), [happens("z", 0, k=1), happens("a", 1, k=1), happens("b", 2, k=1)])
    assert violations(found) == []
    assert labels(found) == {"x", "G", "F"}  # whether K1 or H held was not certain while it did


def test_I_28_an_event_branches_only_the_run_it_is_relevant_for() -> None:
    events = [happens("z", 0, k=1), happens("z", 0, k=2), happens("a", 1, k=1)]
    found = configuration(module(NFA), events)
    assert sorted(len(each.runs) for each in found.sets) == [1, 2]


def test_I_29_the_only_order_of_simultaneous_events_that_can_be_accepted_is_found() -> None:
    text = "automaton X(k(K)) { start S; U; end T; enter -> S: z(k(K*)); S -> U: a(k(K)); U -> T: b(k(K)); }"
    events = [happens("z", 0, k=1), happens("a", 1, k=1), happens("b", 1, k=1)]
    assert violations(answered(module(text), events)) == []


FIGURE_6_16 = """automaton R(k(K)) { start S; end T;
  state M(x(X)) { start P0; P1; end P2; P0 -> P1: a(k(K), x(X)); P0 -> P2: c(k(K), x(X)); P1 -> P2: b(k(K), x(X)); }
  enter -> S: z(k(K*)); S -> P0: m(k(K), x(X*)); M -> P0: m(k(K), x(X*)); P2 -> T: d(k(K)); }"""


def test_I_30_only_orders_that_matter_lead_to_the_one_run() -> None:
    begin = [happens("z", 0, k=1), happens("m", 1, k=1, x=1), happens("m", 2, k=1, x=2)]
    together = [happens("a", 3, k=1, x=1), happens("b", 3, k=1, x=1), happens("c", 3, k=1, x=2), happens("d", 3, k=1)]
    found = answered(module(FIGURE_6_16), [*begin, *together])
    assert violations(found) == []
    assert periods(found, "r") == [(0, 3)]
    accepted = []
    for order in permutations(range(4)):
        one_by_one = [
            happens(together[n].label, 3 + place, **_attributes(together[n])) for place, n in enumerate(order)
        ]
        if not violations(answered(module(FIGURE_6_16), [*begin, *one_by_one])):
            accepted.append("".join(together[n].label for n in order))
    assert sorted(accepted) == ["abcd", "acbd", "cabd"]


def _attributes(event: object) -> dict[str, object]:
    return {child.label: child.children[0] for child in event.term.children}  # type: ignore[attr-defined]


def test_I_31_an_event_is_accepted_by_every_instance_for_which_it_is_relevant() -> None:
    text = """automaton X(k(K)) { start S; end T;
      state M(k(K)) { start P; Q; end R; P -> Q: tick(k(K)); Q -> R: tick(k(K)); }
      enter -> S: z(k(K*)); S -> P: m(k(K)); M -> P: m(k(K)); R -> T: d(k(K)); }"""
    events = [happens("z", 0, k=1), happens("m", 1, k=1), happens("tick", 2, k=1), happens("m", 3, k=1)]
    found = configuration(module(text), [*events, happens("tick", 4, k=1)])
    assert sorted(i.active[-1] for i in found.sets[0].runs[0].instances[1:]) == ["Q", "R"]
    assert violations(answered(module(text), [*events, happens("tick", 4, k=1), happens("tick", 5, k=1)])) == [
        "tick in Q, R"
    ]


def test_I_32_relevant_events_are_accepted_once_by_each_run() -> None:
    text = "automaton X(k(K)) { start G; end H; enter -> G: z(k(K*)); G -> H: a(k(K)); }"
    found = answered(module(text), [happens("z", 0, k=1), happens("a", 1, k=1)])  # ERR-40 would reject it
    assert violations(found) == []
    assert periods(found, "x") == [(0, 1)]


def test_I_33_delays_that_could_go_on_at_one_time_are_an_error() -> None:
    text = """automaton X(k(K)) { start S; U; end T; enter -> S: z(k(K*));
      S -> U: now - e(last) >= 1s; U -> S: now - e(last) >= 2s; U -> T: a(k(K)); }"""
    assert "IH303" in codes(text)
    assert "IH303" not in codes(text.replace("now - e(last) >= 1s", "now - e(last) < 1s"))


def test_many_delays_that_never_come_together_are_checked_soon() -> None:
    """All ways through them are far too many."""
    states = [f"S{number}" for number in range(12)]
    delays = [
        f"{one} -> {other}: now - e(last) = {12 * place + to} s;"
        for place, one in enumerate(states)
        for to, other in enumerate(states)
        if one != other
    ]
    begin = f"automaton X(k(K)) {{ start {states[0]}; {', '.join(states[1:])}; end T; enter -> S0: z(k(K*)); "
    assert "IH303" not in codes(f"{begin} {' '.join(delays)} S0 -> T: a(k(K)); }}")
    back = "S3 -> S7: now - e(last) >= 1 min; S7 -> S3: now - e(last) >= 2 min;"
    assert "IH303" in codes(f"{begin} {' '.join(delays)} {back} S0 -> T: a(k(K)); }}")


@pytest.mark.parametrize(
    ("scenario", "fault"),
    [
        ("bid10 hb40 hb70 hb100 sell100.5", None),
        ("", None),
        ("bid30", "bid in I0"),
        ("bid10 hb39", "hammerBeat in I1"),
        ("bid10 hb40 bid50 hb80 hb110 hb140 sell140.9", None),
        ("bid10 hb40 bid50 hb80 hb110 hb140 sell141", "sell in I4"),
        ("bid10 bid39.9 hb69.9 hb100 hb130 sell130.2", None),
        ("bid10 hb41", None),  # ERR-50
    ],
)
def test_I_34_scenarios_of_an_item_offer(scenario: str, fault: str | None) -> None:
    found = answered(module(ITEM), item(*scenario.split()))  # type: ignore[arg-type]
    assert violations(found) == ([] if fault is None else [fault])
    if not scenario:
        assert periods(found, "I0") == [(0, 30)]


def test_I_35_an_item_is_offered_if_two_bidders_are_enrolled() -> None:
    described = happens("itemDescription", 50, auctionID=1, itemID=5)
    assert violations(answered(module(AUCTION), [*enrolled(1, 1, 2), described])) == []  # type: ignore[list-item]
    assert violations(answered(module(AUCTION), [*enrolled(1, 1), described])) == ["itemDescription in B3"]  # type: ignore[list-item]
    over = answered(module(AUCTION), [*enrolled(1, 1), happens("auctionEnd", 60, auctionID=1)])  # type: ignore[list-item]
    assert (violations(over), periods(over, "auction")) == ([], [(0, 60)])


def test_I_36_an_instance_is_in_one_child_of_its_state_at_a_time() -> None:
    events = [*enrolled(1, 1, 2), happens("itemDescription", 50, auctionID=1, itemID=5)]
    for number in range(1, len(events) + 1):
        for each in configuration(module(AUCTION), events[:number]).sets:  # type: ignore[arg-type]
            for instance in each.runs[0].instances:
                assert instance.active[:-1] == instance.state
                assert all(child.state == instance.active for child in instance.children)


def test_I_37_a_thousand_processes_need_no_product_of_states() -> None:
    found = module(AUCTION)
    events = [happens("auctionStart", 0, auctionID=1)]
    events += [happens("enrollment", 1, auctionID=1, enrollID=name) for name in range(5)]
    events += [happens("enrollment", 2 + name / 1000, auctionID=1, enrollID=name) for name in range(5, 1000)]
    events += [happens("bidderData", 10 + n / 1000, auctionID=1, enrollID=n, dataID=n) for n in range(1000)]
    driver = Driver(found.processor(Settings()), 0)
    driver.push(occurrence(event) for event in events)
    driver.advance_to(events[-1].end)
    assert driver.counts.in_state == 1001 + 1  # the root, the enrollments, and a value that is unique
    assert len(found.structure.states) == 15


def test_ten_simultaneous_events_of_ten_instances_cost_ten_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    found = module(AUCTION)
    events = [happens("auctionStart", 0, auctionID=1)]
    events += [happens("enrollment", 1 + name, auctionID=1, enrollID=name) for name in range(10)]
    events += [happens("bidderData", 20, auctionID=1, enrollID=name, dataID=name) for name in range(10)]
    taken = []
    accept = Explorer._accept
    monkeypatch.setattr(Explorer, "_accept", lambda self, *given: taken.append(given) or accept(self, *given))
    driver = Driver(found.processor(Settings()), 0)
    driver.push(occurrence(event) for event in events)
    reported = driver.advance_to(events[-1].end)
    assert len(taken) == 10
    assert sum(one.label == "state:opens:B1" for one in reported) == 10


def test_declarations_and_references_of_a_label() -> None:
    query = structure(AUCTION).enters[0].transition.label.query
    assert query is not None
    assert dict(query.attributes) == {("auctionID",): Declaration("A", unique=True, memory=86_400_000_000)}
    assert Reference("A") not in dict(query.attributes).values()
