"""Rules of constraints that Python workers run, each on the events with some values of an attribute."""

from __future__ import annotations

import pytest

from cera.constraints.translation.layers import by_rules
from cera.engines.reference import engine as reference
from cera.engines.spark import engine as spark_engine
from cera.engines.spark.division.divided_rules import attributes_of, divided
from cera.model.events.event import Event
from cera.model.events.states import ENDING, OPENING, ending, opening
from cera.model.terms.term import Term
from cera.model.time.interval import Interval
from cera.modules.module import Settings
from cera.modules.rules.module import RuleModule
from cera.program import load
from cera.testing import SECOND
from conformance.violations import module_of, shown
from module_runs import side_by_side

SHOP = """
CONSTRAINT fair: IF state: held(id(N)) THEN exists <= 1 event: item(id(N)) END
CONSTRAINT paid: IF event x: order(id(N), by(P)) and event w: from-end[x, 10 sec] THEN
  while w: event: payment(id(N), by(P)) END
CONSTRAINT cheap: IF event: order(by(P)) and event: card(by(P)) THEN P != 3 END
CONSTRAINT apart: IF event i: order(id(N)) and event j: order(id(M)) and i before j THEN N < M END
"""


def rules_of(text: str) -> RuleModule:
    [module] = by_rules(side_by_side(module_of(text)), in_parts=True).modules
    assert isinstance(module, RuleModule)
    return module


def test_rules_with_one_attribute_are_together_and_others_stay_dataframes() -> None:
    parts, rest = divided(rules_of(SHOP))
    assert [(part.partition, [rule.name for rule in part.rules]) for part in parts] == [
        ("id", ["program.fair", "program.paid"]),
        ("by", ["program.cheap"]),
    ]
    assert [rule.name for rule in rest.rules] == ["program.apart"]
    assert {OPENING + "held", ENDING + "held", "item", "order", "payment"} == parts[0].reads
    assert parts[0].description == "rules program.fair, program.paid, partitioned by id"


def test_the_rules_of_a_user_are_dataframes() -> None:
    [module] = load("examples/sensors/fire.xceq").layers.modules
    assert isinstance(module, RuleModule)
    parts, rest = divided(module)
    assert (parts, rest) == ([], module)
    assert [attributes_of(rule) for rule in module.rules if rule.name == "fire"] == [frozenset()]  # {{ var A }}


def test_a_rule_that_looks_into_a_relation_is_a_dataframe() -> None:
    text = "CONSTRAINT known: IF event: order(id(N)) and price(id(N), value(V)) THEN V > 0 END"
    [rule] = rules_of(f"relation price(id, value)\n{text}").rules
    assert attributes_of(rule) == frozenset()


def item(at: int, *numbers: int) -> Event:
    """An item of several orders, with an id that its source gave it."""
    term = Term("item", [Term("id", [number]) for number in numbers])
    return Event(term, Interval(at * SECOND, at * SECOND), f"item {at}")


def held(number: int, begin: int, end: int) -> list[Event]:
    opened = opening(Term("held", [Term("id", [number])]), begin * SECOND)
    return [opened, ending(opened, end * SECOND)]


@pytest.mark.xdist_group("spark")
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("until", [None, 14 * SECOND])
def test_events_of_several_keys_are_in_several_parts_with_the_value_of_each(until: int | None) -> None:
    many = [item(at, at % 7, at % 5) for at in range(1, 30)]
    events = [*many, item(31, 40, 41), item(32, 40), *held(40, 30, 33), *(e for n in range(7) for e in held(n, 2, 12))]
    layers = side_by_side(module_of(SHOP))
    expected = shown(reference.run(layers, events, Settings(until=until)).derived)
    assert len(expected) > 3
    made = by_rules(layers, in_parts=True)
    assert shown(spark_engine.run(made, events, Settings(until=until)).derived) == expected
