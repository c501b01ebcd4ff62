"""The E entries on Spark: recordings of all entries in a few runs, and each in micro-batches of a stream.

What the definition says of a case alone is tested in `test_escl_entries`. Side by side all cases have one extent, which
changes what is judged at the edges of a recording: cases for which the definition says so run alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import cache

import pytest

pytest.importorskip("pyspark")

from cera.constraints.translation.layers import by_rules
from cera.engines.reference import engine as reference
from cera.engines.spark import engine as spark
from cera.engines.spark.division.operators import operators
from cera.model.events.event import DerivedEvent, Event
from cera.model.time.interval import Time
from cera.modules.answers.answer import Answer
from cera.modules.layering import Layers
from cera.modules.module import Settings
from cera.testing import SECOND, event
from conformance.constraints_side_by_side import EntryCase, cases
from conformance.violations import Shown, first_shown, result_shown
from module_runs import side_by_side
from properties.local_runs import disordered
from properties.streaming_runs import MicroBatches, random_cuts

#: So many modules are planned in reasonable time.
_TOGETHER = 12

Run = Callable[[Layers, Sequence[Event], Settings], Answer]

#: The entries about streams. The others are about texts, normal forms and what follows from what.
ENTRIES = [f"E{number:02}" for number in (*range(1, 11), 19, *range(21, 36))]


def _cases(entry: str) -> list[EntryCase]:
    found = [case for case in cases() if case.entry == entry]
    assert found
    return found


def _settings(several: Sequence[EntryCase]) -> Settings:
    [until] = {case.until for case in several}
    return Settings(until=until, relations={name: rows for case in several for name, rows in case.relations.items()})


def _by_case(derived: Sequence[DerivedEvent]) -> dict[str, set[Shown]]:
    found: dict[str, list[DerivedEvent]] = {}
    for one in derived:
        found.setdefault(one.derivations[0].rule.partition(".")[0], []).append(one)
    return {name: first_shown(several) for name, several in found.items()}


def _meant(case: EntryCase) -> set[Shown]:
    """Returns what the definition says of a case alone."""
    return first_shown(reference.run(side_by_side(case.module), case.events, _settings([case])).derived)


def _verified(several: Sequence[EntryCase], run: Run) -> Mapping[str, set[Shown]]:
    """Returns the violations of several cases in one run, by case."""
    events = [each for case in several for each in case.events]
    return _by_case(run(side_by_side(*(case.module for case in several)), events, _settings(several)).derived)


@cache
def _runs(until: Time | None) -> list[list[EntryCase]]:
    """Returns the cases of one end, divided into those that can run side by side, and each of the others."""
    several = [case for case in cases() if case.until == until]
    found = _verified(several, reference.run)
    alone = [case for case in several if found.get(case.module.name, set()) != _meant(case)]
    others = [case for case in several if case not in alone]
    together = [others[first : first + _TOGETHER] for first in range(0, len(others), _TOGETHER)]
    return [*together, *([case] for case in alone)]


@cache
def _on_spark(until: Time | None) -> Mapping[str, set[Shown]]:
    """Returns the violations of all cases of one end, by case."""
    found: dict[str, set[Shown]] = {}
    for several in _runs(until):
        found |= _verified(several, lambda layers, *given: spark.run(by_rules(layers), *given))
    return found


@pytest.mark.long
@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("entry", ENTRIES)
def test_spark_finds_in_the_recordings_of_an_entry_what_the_definition_says(entry: str) -> None:
    for case in _cases(entry):
        assert _on_spark(case.until).get(case.module.name, set()) == _meant(case), case.id


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_in_micro_batches_gives_what_the_definition_says(entry: str) -> None:
    for case in _cases(entry):
        found, meant = in_micro_batches(case)
        assert found == meant, case.id


def in_micro_batches(case: EntryCase) -> tuple[set[Shown], set[Shown]]:
    """Returns the violations that a stream finds in random micro-batches, and those that the definition does."""
    chance = random.Random(case.number)
    events = sorted(case.events, key=lambda each: each.end)
    delay = chance.choice((0, 2 * SECOND))
    layers = by_rules(side_by_side(case.module))
    stream = MicroBatches(operators(layers, relations=case.relations, buckets=3), delay)
    last = event("the-end", events[-1].end / SECOND + 300)
    for batch in [*random_cuts(disordered(events, delay, chance), chance), [last], []]:
        stream.batch(batch)
    until = stream.watermark * 1000 - 1
    settings = Settings(until=until, relations=case.relations)
    meant = first_shown(reference.run(side_by_side(case.module), [*events, last], settings).derived)
    found = {*map(result_shown, stream.by_kind.derived)}
    # at the end of a recording all of time is judged, and a stream has none
    return {each for each in found if each[0] < until}, {each for each in meant if each[0] < until}
