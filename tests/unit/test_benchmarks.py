"""What the benchmarks compare computes the same: events, answers, and the shares that the generator promises."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cera.connectors.records.layout import Layout
from cera.model.events.event import Event
from cera.model.terms.json_terms import term_from_json
from cera.model.terms.term import Term
from cera.model.time.interval import point
from cera.program import load

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

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


@pytest.mark.parametrize(
    "name", ["Sequence", "Star", "Unrestricted", "Recent", "Chronicle", "ChronicleWithKey"], ids=str
)
def test_the_machines_written_by_hand_detect_what_epl_detects(name: str, tmp_path: Path) -> None:
    from benchmarks.epl.generate import lines
    from benchmarks.epl.handwritten import MACHINES, updates
    from benchmarks.epl.workloads import Count, detections, found, module

    changes = list(lines(6_000, accounts=300))
    file = tmp_path / "changes.jsonl"
    file.write_text("".join(changes))
    expected = set(MACHINES[name](updates(changes)))
    assert {found(one) for one in detections(module(name), str(file), Count(6_000))} == expected
    assert len(expected) > 50


@pytest.mark.parametrize("name", ["two chronicle.snoop", "three chronicle.snoop", "three chronicle.cet"])
@pytest.mark.parametrize("way", ["where", "partition"])
def test_queues_written_by_hand_detect_what_the_chronicle_context_detects(name: str, way: str, tmp_path: Path) -> None:
    from benchmarks.epl.workloads import Count, detections
    from benchmarks.instances.generate import lines
    from benchmarks.instances.handwritten import MACHINES, steps
    from benchmarks.instances.workloads import found, program

    events = list(lines(4_000, customers=200))
    file = tmp_path / "events.jsonl"
    file.write_text("".join(events))
    expected = set(MACHINES[name](steps(events)))
    assert {found(one) for one in detections(program(name, way), str(file), Count(4_000))} == expected
    assert len(expected) > 500


@pytest.mark.parametrize("context", ["recent", "continuous", "cumulative"])
def test_a_key_by_a_condition_and_a_divided_history_detect_the_same(context: str, tmp_path: Path) -> None:
    from benchmarks.epl.workloads import Count, detections
    from benchmarks.instances.generate import lines
    from benchmarks.instances.workloads import found, program

    file = tmp_path / "events.jsonl"
    file.write_text("".join(lines(2_000, customers=100)))
    for name in (f"two {context}.snoop", f"three {context}.snoop"):
        ways = [program(name, way) for way in ("where", "partition")]
        one, other = ([found(each) for each in detections(way, str(file), Count(2_000))] for way in ways)
        assert sorted(one) == sorted(other)
        assert len(one) > 100


@pytest.mark.xdist_group("spark")
def test_the_rules_written_by_hand_for_spark_derive_what_the_reference_derives(spark: SparkSession) -> None:
    from benchmarks.local.workloads import PROGRAM
    from benchmarks.spark.by_hand import RULES
    from benchmarks.spark.data import Readings

    table = Readings(400, sensors=20).table()
    derived = load(PROGRAM).run(list(events_of(table)), engine="reference").derived
    events = spark.createDataFrame(table)
    for name, rule in RULES.items():
        found = [one.event for one in derived if one.event.label == name]
        expected = [(event.begin, event.end, *leaves(event.term)) for event in found]
        assert expected, name
        assert sorted(map(_rounded, rule(events).collect())) == sorted(map(_rounded, expected))


def test_the_stream_written_by_hand_derives_what_the_reference_derives_in_any_batches() -> None:
    pytest.importorskip("pyspark")
    from benchmarks.local.workloads import PROGRAM
    from benchmarks.spark.data import Readings
    from benchmarks.spark.streaming_by_hand import HIGH, READING, SMOKE, Bucket, decided

    table = Readings(400, sensors=20).table()
    derived = [one.event for one in load(PROGRAM).run(list(events_of(table)), engine="reference").derived]
    expected = [(event.label, event.begin, event.end, *leaves(event.term)) for event in derived]
    bucket, found = Bucket(), []
    for number, row in enumerate(table.to_pylist()):
        at, value = round(row["at"].timestamp() * 1_000_000), row["value"]
        kinds = [SMOKE] if row["label"] == "smoke" else [READING, HIGH] if value > 40 else [READING]
        for kind in kinds:
            place = row["sensor"] if kind == READING else row["area"]
            bucket.waiting.append((at, kind, place, value))
        if number % 37 == 0:  # a micro-batch; what is not before its watermark waits
            found += decided(bucket, at)
    found += decided(bucket, 2**62)
    alerts = [tuple(part for part in alert if part is not None) for alert in found]
    assert sorted(map(_rounded, alerts)) == sorted(map(_rounded, expected))
    assert {label for label, *_ in alerts} == {"fire", "burnt_down", "avg_temp"}


def _rounded(values: Iterable[object]) -> tuple[Any, ...]:
    """Without the last digits of averages, which depend on the order of summation."""
    return tuple(round(value, 9) if isinstance(value, float) else value for value in values)


def events_of(table: pa.Table) -> Iterator[Event]:
    """The rows of a table of readings as events."""
    for row in table.to_pylist():
        at, label = row.pop("at"), row.pop("label")
        children = {name: value for name, value in row.items() if value is not None}
        yield Event(term_from_json({label: children}), point(round(at.timestamp() * 1_000_000)))


@pytest.mark.processes
def test_recordings_have_the_same_answers_in_every_layout(tmp_path: Path) -> None:
    from benchmarks.recordings.data import LAYOUTS, generate
    from benchmarks.recordings.runner import program_text, run

    program = tmp_path / "fire.xceq"
    program.write_text(program_text("fire"))
    found = set()
    for layout, (ending, _) in LAYOUTS.items():
        events, out = tmp_path / f"events.{ending}", tmp_path / "answers.jsonl"
        generate(6_000, layout, events)
        took, answers = run(program, events, layout, "local", out)
        assert took.status == 0
        assert took.cpu > 0
        assert took.megabytes > 10
        found.add((answers, frozenset(json.dumps(json.loads(line)["term"]) for line in out.read_text().splitlines())))
    [(answers, _)] = found
    assert answers > 0


def test_the_recursion_written_by_hand_derives_what_the_reference_derives(tmp_path: Path) -> None:
    from benchmarks.recursion.generate import generate
    from benchmarks.recursion.handwritten import detect
    from benchmarks.recursion.runner import PROGRAM

    file = tmp_path / "links.jsonl"
    generate(400, file)
    with file.open() as lines:
        expected = [(time(path.begin), time(path.end), path.source, path.site, path.target) for path in detect(lines)]
    layout = Layout(label_field="type", time_field="ts")
    for engine in ("local", "reference"):
        derived = load(PROGRAM).run(str(file), engine=engine, layout=layout).derived
        found = [(one.event.begin, one.event.end, *leaves(one.event.term)) for one in derived]
        assert sorted(found) == sorted(expected)
    assert len(expected) > 600


def time(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1_000_000)


@pytest.mark.processes
def test_the_recursion_is_measured_by_hand_and_on_the_local_engine(tmp_path: Path) -> None:
    from benchmarks.recursion.runner import WITHOUT_SPARK, run, write_events

    write_events(300, tmp_path)
    assert sum(len(file.read_text().splitlines()) for file in (tmp_path / "pieces").iterdir()) == 300
    measured = [run(way, tmp_path) for way in WITHOUT_SPARK]
    assert all(took.status == 0 and took.cpu > 0 for took, _ in measured)
    [answers] = {answers for _, answers in measured}
    assert answers > 300


@pytest.mark.xdist_group("spark")
def test_the_recursion_written_by_hand_for_spark_derives_what_the_loop_derives(
    spark: SparkSession, tmp_path: Path
) -> None:
    from benchmarks.recursion.dataframes import closure, read
    from benchmarks.recursion.generate import generate
    from benchmarks.recursion.handwritten import detect

    file = tmp_path / "links.jsonl"
    generate(400, file)
    with file.open() as lines:
        expected = [(path.site, path.source, path.target, time(path.begin), time(path.end)) for path in detect(lines)]
    assert sorted(map(tuple, closure(read(spark, str(file))).collect())) == sorted(expected)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "events"), [("bids", 40_000), ("temperature", 5_000)])  # an auction lasts 36,000
def test_the_listings_written_by_hand_derive_what_streamlog_derives(name: str, events: int, tmp_path: Path) -> None:
    from benchmarks.streamlog.generate import generate
    from benchmarks.streamlog.handwritten import LOOPS
    from benchmarks.streamlog.runner import program

    file = tmp_path / "events.jsonl"
    generate(name, events, file)
    with file.open() as lines:
        expected = [(time(begin), time(end), *leaves(term_from_json(term))) for begin, end, term in LOOPS[name](lines)]
    layout = Layout() if name == "bids" else Layout(label_field="type", time_field="ts")
    derived = load(program(name)).run(str(file), engine="local", layout=layout).derived
    assert sorted((one.event.begin, one.event.end, *leaves(one.event.term)) for one in derived) == sorted(expected)
    assert len(expected) > 50


@pytest.mark.xdist_group("spark")
def test_the_listings_written_by_hand_for_spark_derive_what_the_loops_derive(
    spark: SparkSession, tmp_path: Path
) -> None:
    from benchmarks.streamlog.dataframes import QUERIES
    from benchmarks.streamlog.generate import generate
    from benchmarks.streamlog.handwritten import LOOPS
    from pyspark.sql import functions as F

    for name, loop in LOOPS.items():
        file = tmp_path / f"{name}.jsonl"
        generate(name, 40_000 if name == "bids" else 5_000, file)
        with file.open() as lines:
            expected = [(time(begin), time(end), *leaves(term_from_json(term))) for begin, end, term in loop(lines)]
        rows = QUERIES[name](spark, str(file)).select(*(F.unix_micros(each) for each in ("begin", "end")), "term.*")
        assert sorted((begin, end, *answer) for begin, end, answer in rows.collect()) == sorted(expected)
        assert expected


@pytest.mark.processes
def test_a_listing_is_measured_by_hand_and_on_the_local_engine(tmp_path: Path) -> None:
    from benchmarks.streamlog.generate import generate
    from benchmarks.streamlog.runner import WITHOUT_SPARK, run

    file = tmp_path / "readings.jsonl"
    generate("temperature", 500, file)
    (one, expected), (other, answers) = (run("temperature", way, file, tmp_path) for way in WITHOUT_SPARK)
    assert one.status == other.status == 0
    assert min(one.cpu, other.cpu) > 0
    assert answers == expected
    assert len(answers) > 100


@pytest.mark.processes
def test_suspended_modules_are_measured_beside_none() -> None:
    from benchmarks.streamlog.suspended import measure, program

    assert len(load(program(3)).rules.rules) == 4
    table = measure(3, 200)
    assert table.row_count == 2


def test_what_is_compared_of_parsing_is_a_time_for_each_stage(capsys: pytest.CaptureFixture[str]) -> None:
    from benchmarks.parse_and_check import main

    main("one label, each on all", "5")
    assert set(json.loads(capsys.readouterr().out)["parts"]) == {"parse", "lower", "check", "fmt"}


def test_what_is_compared_on_spark_is_a_time_for_each_rule_and_what_it_derives(spark: SparkSession) -> None:
    from benchmarks.spark.workloads import recorded

    found = recorded(spark, 3_000, ["fire"], rounds=1)
    assert set(found["parts"]) == {"fire, cera", "fire, all columns"}
    assert found["answers"]["fire"]["cera"] == found["answers"]["fire"]["all columns"]
    assert found["answers"]["fire"]["cera"][0] > 0


@pytest.mark.parametrize("name", ["auctions", "metro"])
def test_the_queries_of_the_experiment_have_the_same_answers_with_constraints(name: str) -> None:
    from benchmarks.semantic.measuring import first_ends, measure
    from benchmarks.semantic.workloads import WORKLOADS

    workload = WORKLOADS[name]
    events = workload.events(3, 3)
    first = first_ends(workload.queries, events)
    plain, constrained = (measure(workload.queries, given, events, first) for given in (None, workload.constraints))
    assert plain.answers == constrained.answers
    assert len(plain.answers) > 20
    assert constrained.peak_state < plain.peak_state / 2
    assert constrained.mean_wait is not None
    assert plain.mean_wait is not None
    assert constrained.mean_wait < plain.mean_wait / 10


@pytest.mark.processes
def test_a_query_of_the_experiment_is_run_from_a_file_to_written_answers() -> None:
    from benchmarks.semantic import from_files
    from benchmarks.semantic.workloads import WORKLOADS

    workload, told = WORKLOADS["auctions"], []
    queries = [query for query in workload.queries if query.name == "bidNumber"]
    table = from_files.measure(workload, queries, workload.events(3, 3), 1, told.append)
    assert [*table.columns[0].cells] == ["bidNumber"]
    assert int(*table.columns[1].cells) > 10
    assert len(told) == 1


def test_all_rules_of_which_the_rewriting_is_timed_are_rewritten() -> None:
    from benchmarks.semantic.rewriting import rewriting_seconds

    assert rewriting_seconds(8) > 0  # it ends where a rule is not rewritten
