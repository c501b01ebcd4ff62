"""Every case on every engine: program, events, expected answers. `case_folders` lists the cases.

`pytest -k X-19` runs those of one entry of CONFORMANCE.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any

import pytest

from cera.connectors.event_lines import event_line
from cera.model.events.event import DerivedEvent
from conformance.case_folders import Case, list_cases
from every_engine import EVERY_ENGINE

CASES = list_cases()

Runs = Mapping[Case, Future[Sequence[DerivedEvent]]]


def answers(case: Case, engine: str) -> Sequence[DerivedEvent]:
    options: Any = {"engine": engine, "layout": case.layout, "until": case.until, "relations": case.relations}
    return case.program.run(case.events, **options).derived


@pytest.fixture(scope="session")
def runs(request: pytest.FixtureRequest) -> Iterator[Callable[[str], Runs]]:
    """The runs of an engine over the cases that are asked for: on Spark, while one is planned, another one can run."""
    chosen = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    with ThreadPoolExecutor(2) as pool:

        @cache
        def of(engine: str) -> Runs:
            asked = [each["case"] for each in chosen if each.get("engine") == engine and each.get("case") in CASES]
            return {case: pool.submit(answers, case, engine) for case in asked}

        yield of


@pytest.mark.parametrize("engine", EVERY_ENGINE)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
@pytest.mark.usefixtures("spark_if_needed")
def test_a_case_gives_its_expected_answers(case: Case, engine: str, runs: Callable[[str], Runs]) -> None:
    derived = runs(engine)[case].result()
    actual = [event_line(each, case.times) for each in derived]
    keys = {key for line in case.expected for key in line} or {"term"}
    assert comparable(actual, keys) == comparable(case.expected, keys)


def comparable(lines: Sequence[Mapping[str, Any]], keys: set[str]) -> list[str]:
    """The lines as texts, in order, with nothing but these keys."""
    return sorted(json.dumps({key: line.get(key) for key in keys}, sort_keys=True) for line in lines)


def test_there_are_cases() -> None:
    found = {"sensors", "stock-market", "students", "library", "rising-average", "bank"}
    contexts = {"configurations", "shipments", "alarms", "meters"}
    recursive = {"network", "escalations", "processes"}
    in_states = {"auction", "metro"}
    assert found | contexts | recursive | in_states <= {case.folder.name for case in CASES}


def test_every_entry_that_asks_for_answers_is_a_case() -> None:
    algebra = {f"C-{number:02d}" for number in (9, 10, 11, 17, 21, 22, 25)}
    rules = {f"X-{number:02d}" for number in (*range(2, 6), *range(7, 16), 19, 20, 23, 27, *range(30, 35), 36, 37)}
    streamlog = {f"S-{number:02d}" for number in (*range(2, 8), *range(10, 15))}
    assert algebra | rules | streamlog <= {entry for case in CASES for entry in case.entries}
