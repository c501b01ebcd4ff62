"""Changes of databases on Spark: the events that other engines read."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cera.connectors.databases.capture import capture
from cera.connectors.records.layout import Layout
from cera.connectors.source import source_of
from cera.engines.spark.reading.recordings import read_sources

pytestmark = pytest.mark.xdist_group("spark")


def test_captured_changes_and_envelopes_of_debezium_are_events(spark: SparkSession, tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "bank.db", isolation_level=None)
    connection.execute("CREATE TABLE ACC (Accno, Owner)")
    capture(f"sqlite:{tmp_path / 'bank.db'}", ["ACC"])
    connection.execute("INSERT INTO ACC VALUES (1, 'Ann')")
    connection.execute("UPDATE cera_changes SET committed = '2026-03-02T10:00:00.000Z'")
    connection.close()
    source = {"table": "ACC", "lsn": 1, "txId": 1, "ts_ms": "1772445600000"}
    lines = [{"op": "c", "after": {"Accno": 1, "Owner": "Ann"}, "source": source}, None, {"op": "t", "source": source}]
    (tmp_path / "log.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    captured = read_sources(spark, [source_of(f"db:sqlite:{tmp_path / 'bank.db'}")], Layout())
    envelopes = read_sources(spark, [source_of(str(tmp_path / "log.jsonl"))], Layout(envelope="debezium"))
    ids = [
        [row["h1"] for table in reading.tables for row in table.frame.collect()] for reading in (captured, envelopes)
    ]
    assert ids[0] == ids[1]
    assert len(ids[0]) == 1
    assert captured.rejected.count() == 0
    [truncated] = envelopes.rejected.collect()
    assert truncated["place"].endswith("log.jsonl:3")
