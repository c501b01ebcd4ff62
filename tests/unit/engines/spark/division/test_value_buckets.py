"""Constraints that are divided by an attribute: where events with one, several and no values of it go."""

from __future__ import annotations

import pytest

from cera.constraints.translation.layers import by_rules
from cera.engines.spark.division.buckets import ValueBuckets
from cera.engines.spark.division.operators import Operator, operators
from cera.engines.spark.division.routing import DividedEventError, Router
from cera.engines.spark.modules.module_rows import Placed, events_of
from cera.model.events.occurrence import halves, occurrence
from cera.model.events.states import ending, opening
from cera.model.terms.json_terms import term_text
from cera.model.terms.term import Term
from cera.testing import event
from cera.wording import on_command_line
from conformance.violations import module_of
from module_runs import side_by_side

TEXT = """IF event: order(id(N)) THEN exists >= 3 event: item(id(N)) END
IN ANY CASE exists <= 5 event: order(id(N)) group-by {} END"""


def divided() -> Operator:
    layers = by_rules(side_by_side(module_of(TEXT)), in_parts=True)
    return next(each for each in operators(layers, buckets=16) if each.buckets > 1)


def test_constraints_that_share_an_attribute_run_in_buckets() -> None:
    made = operators(by_rules(side_by_side(module_of(TEXT)), in_parts=True), buckets=16)
    assert [each.description() for each in made] == ["module program, partitioned by id", "module program in one piece"]
    whole = operators(by_rules(side_by_side(module_of(TEXT))), buckets=16)
    assert [each.description() for each in whole] == ["module program in one piece"]


def test_an_event_goes_where_others_with_its_value_go_and_nowhere_without_one() -> None:
    router = Router([divided()])
    places = [router.destinations(occurrence(event(text, 1))) for text in ("order{id{7}}", "item{id{7}, price{3}}")]
    assert places[0] == places[1] != []
    assert router.destinations(occurrence(event("item{price{3}}", 1))) == []
    assert router.destinations(occurrence(event("item{id{7, 8}}", 1))) == []  # `id(N)` asks for one value
    assert router.destinations(occurrence(event("other{id{7}}", 1))) == []


def test_an_event_with_several_values_is_rejected_on_a_stream() -> None:
    with pytest.raises(DividedEventError) as refused:
        Router([divided()]).destinations(occurrence(event("item{id{7}, id{8}}", 1)))
    assert on_command_line(str(refused.value)) == (
        "`id`, by which the stream is divided for the constraints of `program`, has several values in this event; "
        "with --buckets 1 the stream is not divided"
    )


def test_an_event_with_several_values_has_in_each_bucket_those_that_are_in_it() -> None:
    buckets = ValueBuckets(divided().module, 16)
    alone = {number: buckets.alone(occurrence(event(f"item{{id{{{number}}}}}", 1))) for number in range(30)}
    one = 0
    same = next(number for number in alone if number != one and alone[number] == alone[one])
    other = next(number for number in alone if alone[number] != alone[one])
    found = buckets.terms(occurrence(event(f"item{{id{{{one}}}, id{{{other}}}, id{{{same}}}, price{{3}}}}", 1)))
    assert {place: str(term) for place, term in found.items()} == {
        alone[one]: f"item{{id{{{one}}}, id{{{same}}}, price{{3}}}}",
        alone[other]: f"item{{id{{{other}}}, price{{3}}}}",
    }


def test_a_state_that_ends_when_it_begins_has_its_opening_and_its_ending_in_a_history() -> None:
    opened = opening(Term("held", [Term("id", [1])]), 5)
    rows: list[Placed] = [
        (0, 0, each.end, each.begin, *halves(each.id), term_text(each.term))
        for each in (opened, ending(opened, 5), opened, ending(opened, 5))
    ]
    assert [each.label for each in events_of(iter(rows))] == ["state:opens:held", "state:ends:held"]
