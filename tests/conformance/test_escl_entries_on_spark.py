"""The E entries on Spark: recordings of all entries in a few runs, and each in micro-batches of a stream.

What the definition says of a case alone is tested in `test_escl_entries`. The streams of one text are one stream here,
and all texts run side by side over one recording, which changes what is judged at its edges: what the definition says
decides which cases can run together, and which alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

import pytest

pytest.importorskip("pyspark")

from cera.constraints.translation.layers import by_rules, divided
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

#: So many clauses are planned as rules of one program in reasonable time.
_TOGETHER = 6

Run = Callable[[Layers, Sequence[Event], Settings], Answer]

#: All but those about what follows from automata and rules.
ENTRIES = [f"E{number:02}" for number in range(1, 36)]


def _cases(entry: str) -> list[EntryCase]:
    found = [case for case in cases() if case.entry == entry]
    assert found
    return found


def _settings(several: Iterable[EntryCase]) -> Settings:
    [until] = {case.until for case in several}
    return Settings(until=until, relations={name: rows for case in several for name, rows in case.relations.items()})


def _by_module(derived: Sequence[DerivedEvent]) -> dict[str, set[Shown]]:
    found: dict[str, list[DerivedEvent]] = {}
    for one in derived:
        found.setdefault(one.derivations[0].rule.partition(".")[0], []).append(one)
    return {name: first_shown(several) for name, several in found.items()}


def _verified(several: Sequence[EntryCase], run: Run) -> Mapping[str, set[Shown]]:
    """Returns the violations of several cases in one run, by module."""
    events = dict.fromkeys(each for case in several for each in case.events)
    modules = {(case.module.name, case.module.clauses): case.module for case in several}
    return _by_module(run(side_by_side(*modules.values()), list(events), _settings(several)).derived)


def _meant(case: EntryCase) -> set[Shown]:
    """Returns what the definition says of a case alone."""
    return _verified([case], reference.run).get(case.module.name, set())


def _as_one_stream(several: Sequence[EntryCase]) -> list[EntryCase] | None:
    """Returns the cases of one text as one stream, if the definition says the same of each."""
    among = [case.among(several[0].number) for case in several]

    def outline(found: set[Shown]) -> list[Time]:
        return sorted(at for at, *_ in found)

    if any(outline(_meant(one)) != outline(_meant(case)) for one, case in zip(among, several, strict=True)):
        return None
    together = _verified(among, reference.run).get(among[0].module.name, set())
    return among if together == set().union(*map(_meant, among)) else None


@cache
def _texts() -> list[list[EntryCase]]:
    """Returns all cases: those of one text as one stream, where that can be, and each of the others."""
    by_text: dict[object, list[EntryCase]] = {}
    for case in cases():
        by_text.setdefault((case.until, case.text), []).append(case)
    found: list[list[EntryCase]] = []
    for several in by_text.values():
        together = _as_one_stream(several) if len(several) > 1 else None
        found += [[case] for case in several] if together is None else [together]
    return found


def _parts(several: Sequence[EntryCase]) -> Iterator[list[EntryCase]]:
    """Yields the cases of one text with its clauses that go event by event, and with some of those that are rules."""
    module = several[0].module
    stepped = divided(module)[1].clauses
    rules = [clause for clause in module.clauses if clause not in stepped]
    parts = [stepped, *(rules[first : first + _TOGETHER] for first in range(0, len(rules), _TOGETHER))]
    for clauses in filter(None, parts):
        own = module.of_clauses(tuple(clauses))
        yield [replace(case, module=own) for case in several]


@cache
def _runs() -> list[list[EntryCase]]:
    """Returns the cases of each run: those that go side by side, with so many rules as are planned in time."""
    runs: list[list[EntryCase]] = []
    for until in {case.until for case in cases()}:
        texts = [several for several in _texts() if several[0].until == until]
        found = _verified([case for several in texts for case in several], reference.run)
        stepped: list[EntryCase] = []
        run: list[EntryCase] = []
        size = 0
        for several in texts:
            module = several[0].module
            if found.get(module.name, set()) != set().union(*map(_meant, several)):
                runs.append(several)
                continue
            for part in _parts(several):
                clauses = part[0].module.clauses
                if divided(part[0].module)[1].clauses:
                    stepped += part
                    continue
                if run and size + len(clauses) > _TOGETHER:
                    runs.append(run)
                    run, size = [], 0
                run = [*run, *part]
                size += len(clauses)
        runs += filter(None, (run, stepped))
    return runs


@cache
def _on_spark(number: int) -> Mapping[str, set[Shown]]:
    """Returns the violations of the cases of one run, by module."""
    return _verified(_runs()[number], lambda layers, *given: spark.run(by_rules(layers), *given))


@pytest.mark.long
@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("entry", ENTRIES)
def test_spark_finds_in_the_recordings_of_an_entry_what_the_definition_says(entry: str) -> None:
    seen: set[int] = set()
    for number, run in enumerate(_runs()):
        for name in {case.module.name for case in run if case.entry == entry}:
            several = [case for case in run if case.module.name == name]
            found = _on_spark(number).get(name, set())
            assert found == set().union(*map(_meant, several)), [case.id for case in several]
            seen |= {case.number for case in several}
    assert seen >= {case.number for case in _cases(entry)}


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
