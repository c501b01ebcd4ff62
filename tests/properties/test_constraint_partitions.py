"""Random constraints whose events are divided by an attribute: what buckets find is what the definition says.

The workers of Spark are played here, without Spark: events are divided as rows, and each bucket is verified by itself.
Some events have several values of the attribute, or none.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter

import pytest

pytest.importorskip("pyspark")

import pyarrow as pa

from cera.constraints.module import ConstraintModule
from cera.engines.reference.engine import run
from cera.engines.spark.modules.module_rows import PLACED, EventDivider, HistoryDetector, TimerLimits
from cera.engines.spark.tables.event_rows import event_row
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.states import with_endings
from cera.model.terms.json_terms import term_text
from cera.model.terms.term import Term
from cera.modules.driving import Driver
from cera.modules.module import Settings
from conformance.constraint_steps import stepped
from conformance.constraints import SECOND
from conformance.violations import Shown, shown
from hypothesis_profiles import examples
from module_runs import side_by_side
from properties.constraint_cases import ROWS, events_of, random_module, random_stream

_STREAMS = 3


def divided_module(choose: random.Random) -> tuple[str, ConstraintModule]:
    """Returns a constraint whose events can be divided."""
    while True:
        text, module = random_module(choose)
        if module.partition is not None:
            return text, module


def with_several_values(events: Sequence[Event], choose: random.Random) -> list[Event]:
    """Returns events of which some have another value of the key, or none; the endings of states as their openings."""
    found: list[Event] = []
    for event in events:
        children = list(event.term.children)
        if not event.label.startswith("state:") and choose.random() < 0.3:
            more = choose.choice([1, 2, 3, "x"])
            children = choose.choice(
                [
                    [*children, Term("k", [more])],
                    [Term("k", [*each.children, more]) if _is_key(each) else each for each in children],
                    [each for each in children if not _is_key(each)],
                ]
            )
        found.append(replace(event, term=Term(event.label, children, ordered=event.term.ordered)))
    return list(dict.fromkeys(found))


def _is_key(child: object) -> bool:
    return isinstance(child, Term) and child.label == "k"


def in_buckets(module: ConstraintModule, events: Sequence[Event], settings: Settings, buckets: int) -> set[Shown]:
    """Returns the violations that are found in the buckets of a recording."""
    base = [event for event in with_endings(events) if settings.until is None or event.end <= settings.until]
    rows = [(event_row(each), term_text(each.term)) for each in base]
    columns = [
        [row[1] for row, _ in rows],
        *([row[at] for row, _ in rows] for at in (0, 2, 3)),
        [text for _, text in rows],
    ]
    batch = pa.RecordBatch.from_arrays([pa.array(each) for each in columns], PLACED[2:])
    placed = [row for part in EventDivider(((module,),), buckets)(iter([batch])) for row in _rows(part)]
    end = max(each.end for each in base) if settings.until is None else settings.until
    detector = HistoryDetector(((module,),), settings, pa.schema([]), TimerLimits(end, settings.until))
    found: list[DerivedEvent] = []
    for _, history in groupby(sorted(placed), key=itemgetter(0, 1)):
        detections = detector.detections(Driver(module.processor(settings)), history)
        one = [each.result() for each in detections]
        assert not {each.event.id for each in one} & {each.event.id for each in found}  # each violation in one bucket
        found += one
    return shown(found)


def _rows(batch: pa.RecordBatch) -> list[tuple[object, ...]]:
    return list(zip(*(column.to_pylist() for column in batch.columns), strict=True))


def compare(seed: int) -> int:
    choose = random.Random(seed)
    text, module = divided_module(choose)
    violations = 0
    for _ in range(_STREAMS):
        events = with_several_values(events_of(random_stream(choose), choose), choose)
        until = choose.choice([None, None, choose.randint(1, 24) * SECOND])
        if until is not None and not any(each.end <= until for each in events):
            continue
        settings = Settings(relations=ROWS, until=until)
        expected = shown(run(side_by_side(module), events, settings).derived)
        given = "\n".join([f"seed {seed}", text, *(f"{e.begin / SECOND} {e.end / SECOND} {e.term}" for e in events)])
        assert stepped(module, events, settings) == expected, given
        assert in_buckets(module, events, settings, choose.choice((2, 5, 16))) == expected, given
        violations += len(expected)
    return violations


@pytest.mark.parametrize(
    "constraints", [pytest.param(examples(60), id="short"), pytest.param(3_000, id="long", marks=pytest.mark.long)]
)
def test_constraints_in_buckets_find_what_the_definition_does(constraints: int) -> None:
    assert sum(map(compare, range(constraints))) > constraints / 10
