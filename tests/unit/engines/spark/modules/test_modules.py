"""Modules of EPL and Datalog over recorded events on Spark: what other engines detect, with the same ids and causes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession

from cera.cli.main import main
from cera.errors import UsageError
from cera.program import Program, load
from cera.testing import event

pytestmark = pytest.mark.xdist_group("spark")

BANK = Path(__file__).parents[5] / "examples" / "bank"


@pytest.mark.usefixtures("spark")
def test_what_has_no_value_in_a_module_is_counted() -> None:
    program = load("begin M monitor A; R: A(X, 10 / X.v > 2) as f(v: X.v). S: A(X) as g(w: X.none + 1). end.")
    events = [event(f"A{{v{{{value}}}}}", second) for second, value in enumerate((0, 1, 2, 0))]
    local, spark = (program.run(events, engine=engine) for engine in ("local", "spark"))
    assert local.undefined == spark.undefined > 0


@pytest.mark.usefixtures("spark")
def test_events_without_the_partition_attribute_are_counted_once_for_each_module() -> None:
    modules = [f"begin {name} monitor A; partition by k; R: A(X) as {name}1(). end." for name in "MN"]
    program = load("\n".join(modules))
    events = [event("A{k{1}}", 1), event("A{v{1}}", 2), event("A{v{1}}", 2), event("A{v{1}}", 3), event("B{}", 4)]
    answers = [program.run(events, engine=engine) for engine in ("local", "spark")]
    assert [answer.left_out for answer in answers] == [4, 4]
    assert [len(answer.derived) for answer in answers] == [2, 2]


@pytest.mark.usefixtures("spark")
def test_a_module_without_events_detects_nothing() -> None:
    program = load("begin M monitor A; partition by k; R: A(X). end.")
    assert not program.run([], engine="spark").derived
    assert not program.run([event("B", 1), event("A{v{1}}", 2)], engine="spark").derived


def frame_of_changes(spark: SparkSession) -> Any:
    lines = [json.loads(line) for line in (BANK / "events.jsonl").read_text().splitlines()]
    rows = [(line["at"], json.dumps(line["term"])) for line in lines]
    return spark.createDataFrame(rows, "at string, term string")


def bank() -> Program:
    silent = "DETECT silent{ account{ var A } } ON event e: emptied{{ account{{ var A }} }} END"
    return load([*(BANK / name for name in ("accounts.epl", "alerts.epl", "translation.epl")), silent])


def test_detect_takes_modules_and_rules_over_a_frame_of_changes(spark: SparkSession) -> None:
    program = bank()
    rows = program.detect(frame_of_changes(spark)).toArrow().to_pylist()  # rows of Spark lose the order of causes
    expected = program.run(BANK / "events.jsonl", engine="local").derived
    assert {(row["id"], row["rule"], tuple(row["causes"])) for row in rows} == {
        (one.event.id, way.rule, tuple((name, cause.id) for name, cause in way.causes.items()))
        for one in expected
        for way in one.derivations[:1]
    }
    assert {json.loads(row["term"])[row["label"]]["account"] for row in rows if row["rule"] == "silent"}


@pytest.mark.usefixtures("spark")
def test_causes_are_told_in_one_order_whoever_tells_them() -> None:
    program = load(
        [
            "DETECT both{ } ON and { event z: b{{}}, event t: from-end[z, 1 sec], event a: a{{}} } END",
            "begin M monitor a, b; R: (a(Z), b(Y), a(X)) as three(v: Z.v). end.",
        ]
    )
    events = [event("a{v{1}}", 1), event("b{v{2}}", 2), event("a{v{3}}", 4)]
    told = [
        [(one.event.id, [list(way.causes) for way in one.derivations]) for one in program.run(events, engine=e).derived]
        for e in ("reference", "local", "spark")
    ]
    assert told[0] == told[1] == told[2]
    assert ["Z", "Y", "X"] in [names for _, ways in told[0] for names in ways]


def test_the_children_of_what_a_module_detects_have_no_types(spark: SparkSession) -> None:
    with pytest.raises(UsageError, match="the module Alerts derives"):
        bank().detect(frame_of_changes(spark), label="emptied")


@pytest.mark.usefixtures("spark")
def test_cera_run_on_spark_writes_what_the_local_engine_does(tmp_path: Path) -> None:
    (tmp_path / "over.xceq").write_text("DETECT over{ no{ var A } } ON event e: sunk{{ no{{ var A }} }} END")
    (tmp_path / "sinks.epl").write_text(
        "begin Sinks monitor update(ACC); partition by Accno;"
        " R: (update(ACC(X)), update(ACC(Y), Y.Balance < X.Balance)) as sunk(no: X.Accno). end."
    )
    files = [str(tmp_path / name) for name in ("sinks.epl", "over.xceq")]
    written = []
    for engine in ("local", "spark"):
        arguments = ["run", *files, "--engine", engine, "--events", str(BANK / "events.jsonl"), "--as", "jsonl"]
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, result.stderr
        written.append((result.stdout, result.stderr))
    assert written[0][0] == written[1][0]
    assert "over" in written[1][0]
