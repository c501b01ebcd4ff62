"""ARCHITECTURE.md, "The way of an event": the events of the running example take each of the ways, step by step."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from calls.called_functions import Function, Recorder
from cera.cli.main import main
from cera.program import load
from import_graph import PACKAGE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROOT = Path(__file__).parents[2]
SENSORS = ROOT / "examples" / "sensors"
FIRE = str(SENSORS / "fire.xceq")
DERIVED = ["avg_temp", "burnt_down", "fire"]
#: A layer above the rules, in a language whose modules are no rules.
ALARM = "Alarm := recent smoke ; fire as alarm(area: fire.area)"
#: Lets a stream decide all that is before it.
LATER = {"begin": 300, "end": 300, "term": {"other": {}}}
COLUMNS = "label string, begin bigint, end bigint, area string, sensor string, value bigint"

_STEP = re.compile(r"\d+\. ")
_FUNCTION = re.compile(r"`src/cera/([\w/]+\.py)`, `([\w.]+)`")
_OTHER_STEPS = re.compile(r"Steps (\d+) to (\d+) of ([^:,]+)")


@dataclass(frozen=True)
class Way:
    """The steps of a way as the page lists them, each with its functions."""

    steps: tuple[tuple[Function, ...], ...]

    def strayed(self, called: Sequence[Function]) -> list[str]:
        """Returns where the calls left the way: functions that were not called, or before the one that precedes."""
        found: list[str] = []
        last = -1
        for function in (function for step in self.steps for function in step):
            if function not in called:
                found.append(f"{function.file}, {function.name} is not called")
                continue
            if called.index(function) < last:
                found.append(f"{function.file}, {function.name} is called before {called[last].name}")
            last = max(last, called.index(function))
        return found


def ways(text: str) -> dict[str, Way]:
    """Returns the ways of the section by their headings. Steps of a way before may be among those of another one."""
    section = text[text.index("\n## The way of an event\n") : text.index("\n## The rooms\n")]
    found: dict[str, Way] = {}
    for part in section.split("\n### ")[1:]:
        heading, *lines = part.splitlines()
        steps: list[tuple[Function, ...]] = []
        for line in lines:
            functions = tuple(Function(*names) for names in _FUNCTION.findall(line))
            assert len(functions) == line.count("`src/"), f"a file without its function: {line}"
            others = [found[way].steps[int(first) - 1 : int(last)] for first, last, way in _OTHER_STEPS.findall(line)]
            if _STEP.match(line):
                steps.append(functions + tuple(function for some in others for step in some for function in step))
                assert steps[-1], f"a step without a function: {line}"
            else:
                steps += [step for some in others for step in some]
        found[heading] = Way(tuple(steps))
    return found


def run(engine: str, folder: Path) -> Collection[str]:
    (folder / "alarm.snoop").write_text(ALARM)
    events = str(SENSORS / "events.jsonl")
    lines = cera("run", FIRE, str(folder / "alarm.snoop"), "--events", events, "--engine", engine, "--as", "jsonl")
    return [label for label in labels(lines) if label != "alarm"]


def stream(folder: Path) -> Collection[str]:
    (folder / "in").mkdir()
    (folder / "in" / "1.jsonl").write_text((SENSORS / "events.jsonl").read_text() + json.dumps(LATER))
    folders = ("--source", str(folder / "in"), "--sink", str(folder / "out"), "--checkpoint", str(folder / "state"))
    cera("stream", FIRE, *folders, "--once", "--buckets", "1", "--max-duration", "1 min")
    return labels("".join(file.read_text() for file in (folder / "out").rglob("*.jsonl")))


def cera(*arguments: str) -> str:
    done = CliRunner().invoke(main, [*arguments, "--time-unit", "s"])
    assert done.exit_code == 0, done.stderr
    return done.stdout


def labels(lines: str) -> list[str]:
    return [label for line in lines.splitlines() for label in json.loads(line)["term"]]


def detect_recorded(spark: SparkSession, folder: Path) -> Collection[str]:
    events = spark.read.schema(COLUMNS).json(flat_events(folder))
    return [row["label"] for row in events.transform(load(FIRE).detect).collect()]


def detect_stream(spark: SparkSession, folder: Path) -> Collection[str]:
    from cera.engines.spark.streaming.patience import patiently

    found: list[str] = []

    def take(rows: DataFrame, batch: int) -> None:
        found.extend(row["label"] for row in rows.collect())

    events = spark.readStream.schema(COLUMNS).json(flat_events(folder))
    writer = events.transform(load(FIRE).detect).writeStream.foreachBatch(take).trigger(availableNow=True)
    ready = writer.option("checkpointLocation", str(folder / "state"))
    patiently(lambda: ready.start().awaitTermination())
    return found


def flat_events(folder: Path) -> str:
    """Returns a folder with the events as rows of flat columns."""
    lines = [*map(json.loads, (SENSORS / "events.jsonl").read_text().splitlines()), LATER]
    rows = [
        {"label": label, "begin": line["begin"], "end": line["end"], **children}
        for line in lines
        for label, children in line["term"].items()
    ]
    (folder / "rows").mkdir()
    (folder / "rows" / "1.json").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(folder / "rows")


def run_rows(folder: Path) -> Collection[str]:
    lines = [json.loads(line) for line in (SENSORS / "events.jsonl").read_text().splitlines()]
    return [one.event.label for one in load(FIRE).run(lines).derived]


IN_PROCESS: dict[str, Callable[[Path], Collection[str]]] = {
    "`cera run --engine local`": lambda folder: run("local", folder),
    "`cera run --engine reference`": lambda folder: run("reference", folder),
    "`program.run`": run_rows,
}
ON_SPARK: dict[str, Callable[[SparkSession, Path], Collection[str]]] = {
    "`cera run --engine spark`": lambda spark, folder: run("spark", folder),
    "`cera stream`": lambda spark, folder: stream(folder),
    "`program.detect` of recorded rows": detect_recorded,
    "`program.detect` of a stream": detect_stream,
}


@pytest.fixture(scope="module", name="listed")
def _listed() -> dict[str, Way]:
    return ways((ROOT / "ARCHITECTURE.md").read_text())


@pytest.fixture(scope="module", name="recorder")
def _recorder(tmp_path_factory: pytest.TempPathFactory) -> Recorder:
    return Recorder(PACKAGE, tmp_path_factory.mktemp("calls"))


def test_every_way_of_the_page_is_followed(listed: dict[str, Way]) -> None:
    assert listed.keys() == IN_PROCESS.keys() | ON_SPARK.keys()


@pytest.mark.parametrize("way", IN_PROCESS)
def test_an_event_takes_the_way_of_the_page(
    way: str, listed: dict[str, Way], recorder: Recorder, tmp_path: Path
) -> None:
    with recorder.recording():
        derived = IN_PROCESS[way](tmp_path)
    assert sorted(derived) == DERIVED
    assert listed[way].strayed(recorder.functions()) == []


@pytest.mark.parametrize("way", ON_SPARK)
def test_an_event_takes_the_way_of_the_page_on_spark(
    way: str, spark: SparkSession, listed: dict[str, Way], recorder: Recorder, tmp_path: Path
) -> None:
    with recorder.recording(spark.sparkContext):
        derived = ON_SPARK[way](spark, tmp_path)
    assert sorted(derived) == DERIVED
    assert listed[way].strayed(recorder.functions()) == []


def test_a_function_that_no_event_comes_to_is_reported(
    listed: dict[str, Way], recorder: Recorder, tmp_path: Path
) -> None:
    with recorder.recording():
        run("reference", tmp_path)
    strayed = listed["`cera run --engine local`"].strayed(recorder.functions())
    assert "engines/local/processor.py, RuleProcessor.advance is not called" in strayed


def test_a_way_in_another_order_is_reported() -> None:
    first, second, third = (Function("a.py", name) for name in ("first", "second", "third"))
    way = Way(((first, second), (third,)))
    assert way.strayed([first, second, third]) == []
    assert way.strayed([second, first, third]) == ["a.py, second is called before first"]
    assert way.strayed([third, first, second]) == ["a.py, third is called before second"]
