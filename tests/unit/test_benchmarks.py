"""What the benchmarks compare computes the same: events, answers, and the shares that the generator promises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cera.model.terms import Term

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _benchmarks_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))


def leaves(term: Term) -> tuple[object, ...]:
    return tuple(leaf for child in term.children for leaf in (leaves(child) if isinstance(child, Term) else (child,)))


def test_the_hand_written_loop_derives_what_cera_derives(tmp_path: Path) -> None:
    from benchmarks.local.generate import generate
    from benchmarks.local.handwritten import detect
    from benchmarks.local.workloads import Count, answers, sensor_plan

    from cera.optimizer.driver import optimize

    file = tmp_path / "events.jsonl"
    generate(20_000, file)
    with file.open() as lines:
        expected = sorted((a.label, a.begin, a.end, a.values) for a in detect(lines))
    found = [derived.occurrence for derived in answers(optimize(sensor_plan()), str(file), Count())]
    assert sorted((o.label, o.begin, o.end, leaves(o.term)) for o in found) == expected
    assert {label for label, *_ in expected} == {"fire", "burnt_down", "avg_temp"}


def test_the_generated_events_are_as_promised() -> None:
    from benchmarks.local.generate import lines

    events = [json.loads(line) for line in lines(40_000)]
    times = [event["at"] for event in events]
    readings = [event["term"]["temp"] for event in events if "temp" in event["term"]]
    assert times == sorted(times)
    assert len({reading["sensor"] for reading in readings}) == 1_000
    assert len({reading["area"] for reading in readings}) == 100
    assert 0.015 < sum(reading["value"] > 40 for reading in readings) / len(events) < 0.025
    assert 0.003 < sum("smoke" in event["term"] for event in events) / len(events) < 0.007
    assert list(lines(100)) == list(lines(100))
