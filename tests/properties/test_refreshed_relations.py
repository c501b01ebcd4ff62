"""Relations that are read again while events come: sessions and streams against the reference, on random programs.

The reference is given the versions as rows that are valid from the time at which a version counts until the next one.
What these tests cannot catch is what all share, and what Spark itself does: `test_refreshed_streams` has the real one.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import strategies as st

from cera.model.events.event import Event, in_output_order
from cera.model.events.occurrence import occurrence
from cera.model.events.relation_rows import NumberedRows, ReadRows, RelationRow, RelationRows, ReplacedRows
from cera.model.terms.json_terms import term_to_json
from cera.model.time.durations import Duration
from cera.model.time.interval import MAX_TIME, MIN_TIME
from cera.modules.driving import Driver
from cera.rules.rule import RuleProgram
from cera.testing import SECOND, event
from hypothesis_profiles import examples
from module_runs import rule_operators, run_by_definition
from properties.generator import RELATIONAL, Case, cases, seeded_case
from properties.holding import holds_for
from properties.local_runs import DELAYS, differences, disordered, processor_of
from properties.theories import rules_of

pytest.importorskip("pyspark")

from properties.streaming_runs import MicroBatches, random_cuts

CASES = cases(RELATIONAL) | cases(RELATIONAL, windowed=True) | cases(RELATIONAL, with_states=True)
LAST = event("the-end", 120)

#: The versions of each relation, with the times from which they count.
Versions = dict[str, list[tuple[int, RelationRows]]]


def refreshed(program: RuleProgram) -> RuleProgram:
    return replace(program, relations=tuple(replace(r, refresh=Duration(0, SECOND)) for r in program.relations))


def some_rows(rows: RelationRows, chance: random.Random) -> RelationRows:
    """A version with some of the rows; now and then with none or with all."""
    share = chance.choice((0, 0.5, 0.5, 1))
    return ReadRows(tuple(row for row in rows.rows if chance.random() < share))


def as_valid_rows(versions: Versions) -> dict[str, RelationRows]:
    """The versions as rows that replace each other as time goes on."""
    found: dict[str, RelationRows] = {}
    for name, those in versions.items():
        untils = [since for since, _ in those[1:]] + [MAX_TIME + 1]
        found[name] = ReadRows(
            tuple(
                RelationRow(row.term, max(row.since, since), min(row.until, until))
                for (since, rows), until in zip(those, untils, strict=True)
                for row in rows.rows
                if max(row.since, since) < min(row.until, until)
            )
        )
    return found


def session_answers(
    program: RuleProgram, case: Case, events: Sequence[Event], delay: int, chance: random.Random
) -> tuple[list[object], Versions]:
    """The answers of a driver whose relations change between its calls, and from when on each version counts."""
    current = {name: ReplacedRows(some_rows(rows, chance)) for name, rows in case.relations.items()}
    versions: Versions = {name: [(MIN_TIME, rows.current)] for name, rows in current.items()}
    host = Driver(processor_of(program, events, relations=current), delay)
    derived = []
    for each in events:
        for name, rows in current.items():
            if chance.random() < 0.3:
                rows.replace(some_rows(case.relations[name], chance))
                since = MIN_TIME if host.closed_to is None else host.closed_to + 1
                versions[name].append((since, rows.current))
        if chance.random() < 0.2:
            snapshot = host.snapshot()
            host = Driver(processor_of(program, events, relations=current), delay)
            host.resume(snapshot)
        derived += host.push([occurrence(each)])
    derived += host.close()
    return list(in_output_order(one.result() for one in derived)), versions


def assert_a_session_is_right(case: Case, chance: random.Random) -> bool:
    program = refreshed(rules_of(case))
    delay = chance.choice(DELAYS)
    events = disordered(case.events, delay, chance)
    found, versions = session_answers(program, case, events, delay, chance)
    expected = list(run_by_definition(program, events, relations=as_valid_rows(versions)).derived)
    assert not differences(found, expected)  # type: ignore[arg-type]
    return bool(expected)


def _some_case(seed: int) -> Case:
    return seeded_case(seed, RELATIONAL, windowed=seed % 3 == 1, with_states=seed % 3 == 2)


@pytest.mark.parametrize(
    "programs", [pytest.param(examples(150), id="short"), pytest.param(4_000, id="long", marks=pytest.mark.long)]
)
def test_a_session_gives_each_answer_with_the_version_of_its_end(programs: int) -> None:
    answered = 0
    for seed in range(programs):
        answered += assert_a_session_is_right(_some_case(seed), random.Random(seed))
    assert answered >= programs // 5


@holds_for(st.tuples(CASES, st.randoms(use_true_random=False)), short=20, long=1_500)
def test_a_session_with_versions_agrees_with_the_reference(drawn: tuple[Case, random.Random]) -> None:
    """A failure shows the smallest program found."""
    assert_a_session_is_right(*drawn)


class NumberedVersions(NumberedRows):
    """Versions in memory."""

    def __init__(self, versions: Mapping[int, RelationRows], first: int) -> None:
        self.versions = versions
        self.first = self.number = first

    def use(self, number: int) -> None:
        self.number = number

    @property
    def current(self) -> RelationRows:
        return self.versions[self.number]


@pytest.mark.parametrize(
    "programs", [pytest.param(examples(60), id="short"), pytest.param(2_000, id="long", marks=pytest.mark.long)]
)
def test_a_stream_takes_versions_at_watermarks_whatever_is_cut_off_or_started_again(programs: int) -> None:
    for seed in range(programs):
        assert_a_stream_is_right(_some_case(seed), random.Random(seed))


def assert_a_stream_is_right(case: Case, chance: random.Random) -> None:
    program = refreshed(rules_of(case))
    delay, buckets = chance.choice(DELAYS), chance.choice((1, 2, 7))
    events = disordered(case.events, delay, chance)
    longest = max((each.end - each.begin for each in events), default=0)
    known = {name: {1: some_rows(rows, chance)} for name, rows in case.relations.items()}
    versions: Versions = {name: [(MIN_TIME, rows[1])] for name, rows in known.items()}

    def started(before: MicroBatches | None) -> MicroBatches:
        """A stream that starts, or starts again with what the one before it remembers."""
        rows = {name: NumberedVersions(numbers, max(numbers)) for name, numbers in known.items()}
        operators = rule_operators(program, max_duration=longest, buckets=buckets, relations=rows)
        return MicroBatches(operators, delay) if before is None else replace(before, operators=operators)

    stream = started(None)
    announced, taken = dict.fromkeys(known, 1), dict.fromkeys(known, 1)
    for batch in [*random_cuts(events, chance), [LAST], []]:
        if chance.random() < 0.2:  # it is cut off, and is run again with what it had taken
            before = replace(stream, stores=copy.deepcopy(stream.stores), results=list(stream.results))
            lost = stream.batch(batch, announced)
            stream = started(before)
            assert sorted(stream.batch(batch, announced), key=repr) == sorted(lost, key=repr)
        else:
            stream.batch(batch, announced)
        for name, number in announced.items():
            if number > taken[name]:
                versions[name].append((stream.watermark * 1000, known[name][number]))
                taken[name] = number
        announced = {}
        for name, numbers in known.items():
            if chance.random() < 0.3:
                announced[name] = number = max(numbers) + 1
                numbers[number] = some_rows(case.relations[name], chance)
        if chance.random() < 0.2:
            stream = started(stream)
            announced = {name: max(numbers) for name, numbers in known.items()}
    rejected = {record.place.removeprefix("event ") for record in stream.by_kind.rejected}
    kept_events = [*(each for each in events if each.id not in rejected), LAST]
    until = stream.watermark * 1000 - 1
    answer = run_by_definition(program, kept_events, until=until, relations=as_valid_rows(versions))
    found = {one.id: json.dumps(json.loads(one.term)) for one in stream.by_kind.derived}
    assert found == {one.event.id: json.dumps(term_to_json(one.event.term)) for one in answer.derived}
