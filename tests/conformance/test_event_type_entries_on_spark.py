"""The entries M and N of the catalogue on Spark: all of them in one run over recorded events, and in one stream.

What an entry says is asked of what Spark detected under its labels. `test_meta_model_entries` and
`test_snoop_context_entries` have the same for the other engines.
"""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING

import pytest

from cera.connectors.layout import Layout
from cera.connectors.sinks import event_line
from cera.engines.answer import Answer
from cera.engines.running import RunOptions, run_layers
from cera.instances.types import TimerType
from cera.testing import event
from conformance.event_type_entries import Entry, Evaluator, SideBySide, asked, entries
from properties.local_runs import disordered
from properties.test_spark_streaming import DELAY, TIMES, lines_in, write_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.xdist_group("spark")

ENTRIES = list(entries())
LAST = event("the-end", 1_000)


@pytest.fixture(scope="module")
def together() -> SideBySide:
    return SideBySide(asked(ENTRIES))


@pytest.fixture(scope="module")
def recorded(spark: SparkSession, together: SideBySide) -> Evaluator:
    return together.answering(run_layers(together.layers, together.events, "spark", RunOptions()))


@pytest.fixture(scope="module")
def streamed(spark: SparkSession, together: SideBySide, tmp_path_factory: pytest.TempPathFactory) -> Evaluator:
    """Events come in disorder; the stream is stopped in the midst of them and goes on from its checkpoint."""
    from cera.engines.spark.streaming.live import LiveStream, StreamOptions, Tell
    from cera.engines.spark.streaming.module_operators import layered_operators

    folder = tmp_path_factory.mktemp("entries")
    random = Random(6)
    events = [*disordered(together.events, DELAY, random), LAST]
    cut = len(events) // 2
    (folder / "in").mkdir()
    options = StreamOptions(
        (str(folder / "in"),),
        folder / "out",
        folder / "checkpoint",
        Layout(times=TIMES),
        max_delay=DELAY,
        rejected=folder / "rejected",
        late=folder / "late",
        once=True,
    )
    made = layered_operators(together.layers)
    for number, part in enumerate((events[:cut], events[cut:])):
        write_files(folder / "in", [part], number)
        LiveStream(made, options, Tell()).run()
    assert not lines_in(folder / "late")
    assert not lines_in(folder / "rejected")
    local = run_layers(together.layers, events, "local", RunOptions(until=LAST.end - DELAY - 1))
    known = {json.dumps(event_line(one, TIMES), ensure_ascii=False): one for one in local.derived}
    lines = lines_in(folder / "out")
    assert len(lines) == len(set(lines))
    assert [line for line in lines if line not in known] == []
    return together.answering(Answer(tuple(known[line] for line in lines)))


def test_all_entries_are_asked(together: SideBySide) -> None:
    names = {entry.name.split("_", 2)[1] + entry.name.split("_", 3)[2] for entry in ENTRIES}
    assert {f"M{n:02d}" for n in range(1, 25) if n not in (19, 21)} | {f"N{n:02d}" for n in range(1, 17)} <= names
    timers = [each for module in together.layers.modules for each in module.types if isinstance(each, TimerType)]
    assert {timer.repeats for timer in timers} == {False, True}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name.removeprefix("test_"))
def test_recorded(entry: Entry, recorded: Evaluator) -> None:
    entry.check(recorded)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name.removeprefix("test_"))
def test_streamed(entry: Entry, streamed: Evaluator) -> None:
    entry.check(streamed)
