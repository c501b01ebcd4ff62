"""Which events become objects for rules that are answered event by event."""

from __future__ import annotations

import pytest

from cera.engines.columns.event_choice import EventChoice
from cera.engines.columns.event_tables import table_of
from cera.engines.columns.strings import Strings
from cera.model.events.occurrence import json_occurrence
from cera.modules.rules.module import RuleModule
from cera.program import load

EVENTS = [{"k": "x", "v": 1}, {"k": "y", "v": 50}, {"k": "x", "v": 60}, {"v": 70}]


def taken(body: str, values: list[dict[str, object]] = EVENTS) -> list[object]:
    [module] = load(f"DETECT r{{all n{{var V}}}} ON {body} END").layers.modules
    assert isinstance(module, RuleModule)
    events = [json_occurrence(at, at, "a", dict(each)) for at, each in enumerate(values)]
    found = EventChoice(module.plan).taken(table_of("a", events, Strings()))
    return [values[at] for at in found.end.tolist()]


def test_events_are_taken_that_match_and_pass_the_conditions_on_them_alone() -> None:
    assert taken("event e: a{{k{{var K}}, v{{var V}}}} where { var V > 40 }") == EVENTS[1:3]
    assert taken('event e: a{{k{{"x"}}, v{{var V}}}}') == [EVENTS[0], EVENTS[2]]


def test_events_are_taken_that_one_of_several_queries_asks_for() -> None:
    body = (
        'and { event e: a{{k{{"y"}}, v{{var V}}}}, event f: a{{v{{var W}}}} } where { var W > 65, {e, f} within 1 sec }'
    )
    assert taken(body) == [EVENTS[1], EVENTS[3]]


@pytest.mark.parametrize(
    "body",
    [
        "event e: a{{desc v{{var V}}}}",
        "event e: a{{v{{var V}}}} where { 1 / var V > 0 }",
        "or { event e: a{{v{{40}}, k{{var V}}}}, event e: *{{v{{var V}}}} }",
    ],
)
def test_all_events_are_taken_where_columns_do_not_say(body: str) -> None:
    assert taken(body) == EVENTS


def test_all_events_are_taken_where_a_condition_is_undefined_for_some() -> None:
    texts: list[dict[str, object]] = [{"v": "x"}, {"v": "y"}]
    assert taken("event e: a{{v{{var V}}}} where { var V > 40 }", texts) == texts
