"""The entries M and N of the catalogue on Spark: all of them in one run over recorded events, and in one stream.

What an entry says is asked of what was detected under its labels. The stream is cut into micro-batches without Spark;
some of the entries are in one on Spark itself, with a restart. `test_meta_model_entries` and
`test_snoop_context_entries` have the same for the other engines.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from random import Random
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark")

from cera.connectors.records.layout import Layout
from cera.connectors.sink import BatchFolder
from cera.connectors.source import source_of
from cera.engines.spark.division.operators import operators
from cera.model.events.event import Event
from cera.modules.answers.answer import Answer
from cera.testing import SECOND, event
from conformance.event_type_entries import Entry, SideBySide, asked, entries
from instance_evaluators import Evaluator
from module_runs import run_layers
from properties.local_runs import disordered
from properties.streaming_runs import MicroBatches, random_cuts
from properties.test_epl_streaming import found
from properties.test_spark_streaming import TIMES, lines_in, write_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.xdist_group("spark")

ENTRIES = list(entries())
DELAY = 3 * SECOND
LAST = event("the-end", 1_000)

#: What runs as a stream on Spark itself: timers, and some of all the rest.
CHOSEN = [
    entry
    for entry in ENTRIES
    if entry.name.startswith(
        (
            *("test_M_01", "test_M_02", "test_M_06", "test_M_17_combinations", "test_M_18"),
            *("test_N_01", "test_N_09", "test_N_16"),
        )
    )
]


def name_of(entry: Entry) -> str:
    return entry.name.removeprefix("test_")


@pytest.fixture(scope="module")
def together() -> SideBySide:
    return SideBySide(asked(ENTRIES))


@pytest.fixture(scope="module")
def recorded(spark: SparkSession, together: SideBySide) -> Evaluator:
    return together.answering(run_layers(together.layers, together.events, "spark"))


@pytest.fixture(scope="module")
def cut(together: SideBySide) -> Evaluator:
    """In random micro-batches, in disorder; the state is bytes between two of them."""
    random = Random(6)
    stream = MicroBatches(operators(together.layers), DELAY)
    for batch in [*random_cuts(disordered(together.events, DELAY, random), random), [LAST], []]:
        stream.batch(batch)
    assert not stream.by_kind.late
    return known(together, {id_: (rule, causes) for id_, (_, rule, causes) in found(stream).items()})


@pytest.fixture(scope="module")
def streamed(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Evaluator:
    """As a stream on Spark, which is stopped in the midst of the events and goes on from its checkpoint."""
    from cera.engines.spark.streaming.live import LiveStream
    from cera.running.streams.listener import StreamListener
    from cera.running.streams.request import StreamRequest, StreamSource

    folder = tmp_path_factory.mktemp("entries")
    (folder / "in").mkdir()
    some = SideBySide(asked(CHOSEN))
    events = [*disordered(some.events, DELAY, Random(6)), LAST]
    options = StreamRequest(
        (StreamSource(source_of(str(folder / "in"))),),
        BatchFolder(folder / "out"),
        folder / "checkpoint",
        Layout(times=TIMES),
        max_delay=DELAY,
        late=folder / "late",
        once=True,
    )
    middle = len(events) // 2
    for number, part in enumerate((events[:middle], events[middle:])):
        write_files(folder / "in", [part], number)
        LiveStream(operators(some.layers), options, StreamListener()).run()
    assert not lines_in(folder / "late")
    lines = [json.loads(line) for line in lines_in(folder / "out")]
    told = {line["id"]: (line["rule"], line["causes"]) for line in lines}
    assert len(told) == len(lines)
    return known(some, told)


def known(together: SideBySide, told: Mapping[str, tuple[str, Mapping[str, str]]]) -> Evaluator:
    """What a stream told, by the ids of the events: what the local engine tells as well, with its causes."""
    local = run_layers(together.layers, [*together.events, LAST], "local", until=LAST.end - DELAY - 1)
    firsts = {one.event.id: (one, one.derivations[0]) for one in local.derived}
    both = {id_: one for id_, (one, way) in firsts.items() if told.get(id_) == (way.rule, _ids(way.causes))}
    assert told.keys() <= both.keys(), "what the local engine does not detect"
    return together.answering(Answer(tuple(both.values())))


def _ids(causes: Mapping[str, Event]) -> dict[str, str]:
    return {name: cause.id for name, cause in causes.items()}


def test_the_entries_are_all_there_with_timers() -> None:
    names = {name_of(entry)[:4] for entry in ENTRIES}
    numbers = [f"M_{number:02d}" for number in range(1, 25) if number not in (19, 21)]
    assert names >= {*numbers, *(f"N_{number:02d}" for number in range(1, 17))}
    timers = {timer for module, _ in asked(CHOSEN) for timer in module.timers}
    assert {timer.repeats for timer in timers} == {False, True}


@pytest.mark.parametrize("entry", ENTRIES, ids=name_of)
def test_recorded(entry: Entry, recorded: Evaluator) -> None:
    entry.check(recorded)


@pytest.mark.parametrize("entry", ENTRIES, ids=name_of)
def test_in_micro_batches(entry: Entry, cut: Evaluator) -> None:
    entry.check(cut)


@pytest.mark.parametrize("entry", CHOSEN, ids=name_of)
def test_streamed(entry: Entry, streamed: Evaluator) -> None:
    entry.check(streamed)
