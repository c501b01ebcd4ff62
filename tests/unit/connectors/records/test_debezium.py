"""Debezium's envelopes as change events, and what is said of records that are none."""

from __future__ import annotations

import io
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cera.cli.main import main
from cera.connectors.formats import json_files, jsonl
from cera.connectors.records.debezium import event_from_envelope, is_tombstone
from cera.connectors.records.layout import RECORD_ERRORS, Layout, Rejected
from cera.connectors.source import source_of
from cera.errors import UsageError
from cera.model.events.event import Event
from cera.model.terms.json_terms import term_to_json
from cera.wording import on_command_line

DEBEZIUM = Layout(envelope="debezium")
ROW = {"Accno": 1, "Owner": "Ann"}
SOURCE = {"connector": "postgresql", "table": "ACC", "lsn": 24023128, "txId": 571, "ts_ms": 1_700_000_000_123}


def envelope(op: str, before: Any = None, after: Any = None, **others: Any) -> dict[str, Any]:
    return {"op": op, "before": before, "after": after, "source": SOURCE, "ts_ms": 1_700_000_000_999, **others}


def change(record: object) -> Any:
    return term_to_json(event_from_envelope(record).term)["change"]


def reason(record: object) -> str:
    with pytest.raises(RECORD_ERRORS) as caught:
        event_from_envelope(record)
    return str(caught.value)


def test_an_envelope_is_the_same_change_with_and_without_its_wrapper() -> None:
    event = event_from_envelope(envelope("u", ROW, {**ROW, "Owner": None}))
    assert term_to_json(event.term) == {
        "change": {
            "operation": "update",
            "table": "ACC",
            "transaction": "571",
            "position": 24023128,
            "old": ROW,
            "new": {"Accno": 1},
        }
    }
    assert event.begin == event.end == 1_700_000_000_123_000
    assert event_from_envelope({"schema": {"type": "struct"}, "payload": envelope("u", ROW, {"Accno": 1})}) == event


@pytest.mark.parametrize(
    ("op", "before", "after", "expected"),
    [
        ("c", None, ROW, {"operation": "insert", "new": ROW}),
        ("r", None, ROW, {"operation": "insert", "new": ROW}),
        ("u", None, ROW, {"operation": "update", "new": ROW}),
        ("d", ROW, None, {"operation": "delete", "old": ROW}),
        ("d", None, None, {"operation": "delete"}),
        ("u", None, {**ROW, "Owner": "__debezium_unavailable_value"}, {"operation": "update", "new": {"Accno": 1}}),
    ],
)
def test_the_letters_of_operations(op: str, before: Any, after: Any, expected: dict[str, Any]) -> None:
    found = change(envelope(op, before, after))
    assert {name: found[name] for name in found if name not in ("table", "transaction", "position")} == expected


@pytest.mark.parametrize(
    ("fields", "microseconds"),
    [
        ({"source": {"table": "T", "ts_ms": 5, "ts_us": 5001, "ts_ns": 5001999}}, 5001),
        ({"source": {"table": "T", "ts_ms": "5"}}, 5000),
        ({"source": {"table": "T", "ts_ns": 5001999}}, 5001),
        ({"source": {"table": "T"}, "ts_ms": 7}, 7000),
        ({"source": {"table": "T"}, "ts_ms": 7, "ts_us": 7001}, 7001),
    ],
)
def test_the_finest_time_of_the_source_counts(fields: dict[str, Any], microseconds: int) -> None:
    assert event_from_envelope({**envelope("c", None, ROW), "ts_ms": 9, **fields}).end == microseconds


def test_places_in_a_log_of_mysql_grow_from_file_to_file_and_row_to_row() -> None:
    places = [("bin.000003", 4_000_000_000, 0), ("bin.000003", 4_000_000_000, 7), ("bin.000004", 4, 0)]
    sources = [{"table": "T", "ts_ms": 1, "file": file, "pos": place, "row": row} for file, place, row in places]
    positions = [change(envelope("c", None, ROW, source=source))["position"] for source in sources]
    assert positions == sorted(set(positions))


def test_transaction_and_position_may_be_told_elsewhere_or_not_at_all() -> None:
    source = {"table": "T", "ts_ms": 1}
    told = change(envelope("c", None, ROW, source=source, transaction={"id": "b7", "total_order": "3"}))
    assert (told["transaction"], told["position"]) == ("b7", 3)
    untold = change(envelope("c", None, ROW, source=source, transaction=None))
    assert "transaction" not in untold
    assert "position" not in untold


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (envelope("t"), "the table ACC was truncated"),
        (envelope("m"), "a message that a program wrote into the log"),
        (envelope("x"), 'one of c, r, u, d, t, found "x"'),
        (envelope("c", None, [1]), "the new row is an object with a field for each column, found an array"),
        (envelope("c", None, {"a": {"b": 2**70}}), "no representation"),
        ({**envelope("c", None, ROW), "source": {"ts_ms": 1}}, "does not name the table"),
        (envelope("c"), 'the new row is missing: `op` is "c", and `after` is null or not there'),
        (envelope("r"), "the new row is missing"),
        (envelope("u", ROW), "the new row is missing"),
        ({**envelope("c", None, ROW), "source": {"ts_ms": 1, "table": ""}}, "does not name the table"),
        ({**envelope("c", None, ROW), "source": {"ts_ms": 1, "table": {"name": "T"}}}, "does not name the table"),
        (
            {**envelope("c", None, ROW), "source": SOURCE | {"lsn": {"a": 1}}},
            "`source.lsn` is a whole number of 64 bits, found an object",
        ),
        ({**envelope("c", None, ROW), "source": SOURCE | {"lsn": -1}}, "`source.lsn` is a whole number"),
        ({**envelope("c", None, ROW), "source": SOURCE | {"lsn": None, "scn": "9" * 19}}, "`source.scn` is a whole"),
        ({**envelope("c", None, ROW), "source": SOURCE | {"lsn": None, "pos": True}}, "`source.pos` is a whole number"),
        ({**envelope("c", None, ROW), "source": SOURCE | {"txId": [1]}}, "`source.txId` names a transaction, found an"),
        (envelope("c", None, ROW, transaction="7"), "`transaction` is an object with the field id"),
        ({"op": "c", "source": {"table": "T"}, "after": ROW}, "the time is missing"),
        (
            {"op": "c", "source": {"table": "T", "ts_ms": "soon"}, "after": ROW},
            "in the field `source.ts_ms`: 'soon' is not a time",
        ),
        (ROW, 'found an object with the keys "Accno", "Owner"; expected Debezium\'s envelope'),
        ([], "found an array; expected Debezium's envelope"),
        ({"payload": None}, "found null; expected Debezium's envelope"),
    ],
)
def test_what_is_no_change_of_a_row_is_told(record: object, expected: str) -> None:
    assert expected in reason(record)


def test_tombstones_are_passed_over() -> None:
    for text in ("null", ' {"schema": null, "payload": null}', '{"payload":null}'):
        assert is_tombstone(text)
    assert not is_tombstone(json.dumps(envelope("d", ROW)))
    lines = f"{json.dumps(envelope('d', ROW))}\nnull\n{json.dumps(envelope('t'))}\n"
    [deleted, truncated] = jsonl.read(io.BytesIO(lines.encode()), "f", DEBEZIUM)
    assert isinstance(deleted, Event)
    assert isinstance(truncated, Rejected)
    assert truncated.place == "f:3"
    [alone] = json_files.read(io.BytesIO(f"[{json.dumps(envelope('d', ROW))}, null]".encode()), "f", DEBEZIUM)
    assert alone == deleted


def test_only_json_has_envelopes(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")
    (tmp_path / "b.jsonl").write_text(json.dumps(envelope("c", None, ROW)))
    with pytest.raises(UsageError, match="are JSON lines or JSON"):
        source_of(str(tmp_path / "a.csv")).events(DEBEZIUM)
    with pytest.raises(UsageError) as refused:
        source_of(str(tmp_path / "b.jsonl")).events(Layout(envelope="debezium", format="csv"))
    assert on_command_line(refused.value.message).startswith("--format csv and --layout debezium: change events")
    unread, read = source_of(str(tmp_path)).events(DEBEZIUM)
    assert isinstance(unread, Rejected)
    assert isinstance(read, Event)


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_run_reads_the_layout(tmp_path: Path, engine: str) -> None:
    (tmp_path / "rule.xceq").write_text(
        'DETECT opened{owner{var O}} ON change{{operation{"insert"}, table{"ACC"}, new{{Owner{var O}}} }} END'
    )
    (tmp_path / "log.jsonl").write_text(f"{json.dumps(envelope('c', None, ROW))}\nnull\n")
    command = ["run", str(tmp_path / "rule.xceq"), "--events", str(tmp_path / "log.jsonl"), "--layout", "debezium"]
    done = CliRunner().invoke(main, [*command, "--engine", engine])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["term"] == {"opened": {"owner": "Ann"}}
    delayed = CliRunner().invoke(main, [*command, "--engine", engine, "--max-delay", "1 sec"])
    assert json.loads(delayed.stdout)["term"] == {"opened": {"owner": "Ann"}}
    refused = CliRunner().invoke(main, [*command, "--label-field", "op"])
    assert (refused.exit_code, "options about fields do not go with it" in refused.stderr) == (2, True)
    missing = CliRunner().invoke(main, [*command[:-2], "--engine", engine])
    assert "looks like a change event of Debezium" in missing.stderr
    assert "give --layout debezium" in missing.stderr


@pytest.mark.parametrize("command", [["run", "--events"], ["stream", "--sink", "-", "--checkpoint", "c", "--source"]])
def test_changes_of_a_database_have_no_layout(
    tmp_path: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rule.xceq").write_text("DETECT a{} ON change{{}} END")
    sqlite3.connect("bank.db").close()
    refused = CliRunner().invoke(main, [*command, "db:sqlite:bank.db", "rule.xceq", "--layout", "debezium"])
    assert refused.exit_code == 2
    assert "--layout debezium is for files and standard input" in refused.stderr
