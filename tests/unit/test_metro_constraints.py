"""Smoke that is generated, against Listings 7.7 to 7.9 (`examples/metro/smoke.escl`): what spreads as it should
violates nothing, and each record that breaks a rule is found by the constraint that says it, when it comes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cera.constraints.locations import locations_of
from cera.model.events.event import Event
from cera.model.terms.term import Term
from cera.model.time.interval import Interval
from cera.program import load
from hypothesis_profiles import examples
from module_runs import run_layers

if TYPE_CHECKING:
    from benchmarks.constraints.metro import Smoke

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _benchmarks_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))


def event(smoke: Smoke) -> Event:
    children = [Term(name, [value]) for name, value in smoke.attributes.items()]
    return Event(Term("smoke", children), Interval(smoke.at, smoke.at))


def violated(records: Sequence[Smoke], stations: int, engine: str) -> set[tuple[int, str]]:
    """Returns when which constraints are violated."""
    from benchmarks.constraints.metro import locations

    program = replace(load(ROOT / "examples" / "metro" / "smoke.escl"), locations=locations_of(locations(stations)))
    rows = [{"area": f"station {station}", "direction": "south"} for station in range(2 * stations)]
    answer = run_layers(program.layers, map(event, records), engine, relations={"airflow": rows})
    found = set()
    for one in answer.derived:
        assert one.event.label == "violation"
        parts = {each.label: each.children[0] for each in one.event.term.children if isinstance(each, Term)}
        found.add((one.event.end, str(parts["constraint"])))
    return found


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_smoke_that_spreads_as_it_should_violates_nothing(engine: str) -> None:
    from benchmarks.constraints.metro import fires

    assert violated(list(fires(8, 0.0, 1)), 8, engine) == set()


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_smoke_that_breaks_a_rule_is_found_by_the_constraint_that_says_it(engine: str) -> None:
    from benchmarks.constraints.metro import Kind, fires

    seen = set()
    for seed in range(max(2, examples(8))):  # so many show every kind
        records = list(fires(6, 0.7, seed))
        expected = {(each.at, each.breaks.value) for each in records if each.breaks is not None}
        found = violated(records, 6, engine)
        assert expected <= found
        assert {at for at, _ in found} == {at for at, _ in expected}
        seen |= {each.breaks for each in records}
    assert set(Kind) <= seen
