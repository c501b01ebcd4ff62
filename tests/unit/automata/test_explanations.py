"""What a violation says: what was expected, until when, and the nearest alternative."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from cera.model.events.event import Event
from cera.model.terms.term import Term
from cera.model.time.time_text import TimeFormat
from conformance.automata import answered, happens, module

ORDER = """automaton Order(id(O)) {
  start Open; Paid, Sent; end Done;
  state p: Parcel(id(O), parcel(P)) { start Packed; end Gone; Packed -> Gone: fetched(id(O), parcel(P)); }
  enter -> Open: ordered(id(O*));
  Open -> Open: item(id(O), number(unique N*), kind("book"));
  Open -> Paid: paid(id(O), sum(S*)) and e(this) - e(last) <= 60 s and S > 10;
  Paid -> Paid: item(id(O), kind("pen"));
  Paid -> Sent: sent(id(O)) and e(this) - e(last) >= 30 s;
  Sent -> Packed: packed(id(O), parcel(P*));
  Parcel -> Packed: packed(id(O), parcel(P*));
  Gone -> Done: closed(id(O));
}"""

ORDERED = happens("ordered", 0, id=1)
PAID = happens("paid", 10, id=1, sum=20)


def said(events: Sequence[Event], text: str = ORDER) -> dict[str, object]:
    """The attributes of the only violation; times are seconds."""
    made = replace(module(text), times=TimeFormat("s"))
    [found] = [one.event.term for one in answered(made, events) if one.event.label == "violation"]
    return {child.label: child.children[0] if child.children else None for child in found.children}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("events", "nearest"),
    [
        ([PAID, happens("sent", 20, id=1)], "the same event from 40 on (Paid -> Sent)"),
        ([happens("paid", 90, id=1, sum=20)], "the same event until 60 (Open -> Paid)"),
        ([happens("paid", 10, id=1, sum=5)], "the same event with values for which the conditions hold (Open -> Paid)"),
        ([happens("item", 5, id=1, number=1, kind="pen")], "the same event with kind book (Open -> Open)"),
        (
            [happens("item", number, id=1, number=7, kind="book") for number in (5, 6)],
            "the same event with another number than 7 (Open -> Open)",
        ),
        ([happens("sent", 20, id=1)], "paid(id(1)) until 60 (Open -> Paid)"),
        (
            [
                PAID,
                happens("sent", 50, id=1),
                happens("packed", 60, id=1, parcel=1),
                happens("packed", 61, id=1, parcel=2),
                happens("fetched", 62, id=1, parcel=1),
                happens("closed", 63, id=1),
            ],
            "the same event when all instances of Parcel are finished (Gone -> Done)",
        ),
    ],
)
def test_the_nearest_alternative_changes_as_little_as_possible(events: Sequence[Event], nearest: str) -> None:
    assert said([ORDERED, *events])["nearest"] == nearest


def test_it_says_which_event_of_which_instance_in_which_state_and_what_was_expected() -> None:
    found = said([ORDERED, PAID, happens("sent", 20, id=1)])
    assert found == {
        "automaton": "Order",
        "instance": Term("id", [1]),
        "reason": "no transition accepts it",
        "event": Term("sent", [Term("id", [1])]),
        "state": "Paid",
        "expected": "item(id(1), kind(pen)); or sent(id(1)) from 40 on",
        "nearest": "the same event from 40 on (Paid -> Sent)",
    }


def test_an_instance_inside_of_the_automaton_is_named() -> None:
    begun = [ORDERED, PAID, happens("sent", 50, id=1), happens("packed", 60, id=1, parcel=1)]
    found = said([*begun, happens("fetched", 62, id=1, parcel=1), happens("fetched", 63, id=1, parcel=1)])
    assert found["part"] == Term("parcel", [Term("id", [1]), Term("parcel", [1])])
    assert found["state"] == "Gone"


def test_where_time_is_over_it_says_what_was_awaited_until_then() -> None:
    text = """automaton A(k(K)) { start S; end T; S while now - e(last) <= 20 s;
      enter -> S: z(k(K*)); S -> T: a(k(K)); }"""
    found = said([happens("z", 0, k=1)], text)
    assert found["reason"] == "the time in this state is over"
    assert found["expected"] == "a(k(1)) until 20"
    assert found["nearest"] == "a(k(1)) until 20 (S -> T)"


def test_times_are_iso_8601_where_the_run_has_no_unit() -> None:
    found = answered(module(ORDER), [ORDERED, PAID, happens("sent", 20, id=1)])
    [term] = [str(one.event.term) for one in found if one.event.label == "violation"]
    assert "from 1970-01-01T00:00:40Z on" in term
