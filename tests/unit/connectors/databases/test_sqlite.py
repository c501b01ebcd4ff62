"""Capture in SQLite: what triggers record, what readers make of it, and what is said when something is wrong."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from cera.cli.main import main
from cera.connectors.databases.capture import capture, drop
from cera.connectors.databases.reading import poll, problems, read_changes
from cera.connectors.databases.sqlite_schema import MADE, triggers
from cera.connectors.records.layout import Rejected
from cera.errors import EngineError, UsageError
from cera.model.events.event import Event
from cera.model.terms.json_terms import term_to_json
from cera.wording import on_command_line

BANK = "CREATE TABLE ACC (Accno INTEGER PRIMARY KEY, Owner TEXT, Type TEXT, Balance REAL)"


class Bank:
    """A database with a table ACC, and a connection of somebody who writes into it."""

    def __init__(self, path: Path, schema: str = BANK) -> None:
        self.url = f"sqlite:{path}"
        self.writer = sqlite3.connect(path, isolation_level=None)
        self.writer.execute(schema)

    def do(self, *statements: str) -> None:
        for statement in statements:
            self.writer.execute(statement)

    def changes(self, after: str | None = None) -> list[dict[str, object]]:
        events = [record for record in read_changes(self.url, after) if isinstance(record, Event)]
        return [term_to_json(event.term)["change"] for event in events]

    def rejected(self) -> list[Rejected]:
        return [record for record in read_changes(self.url) if isinstance(record, Rejected)]


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Bank]:
    made = Bank(tmp_path / "bank.db")
    yield made
    made.writer.close()


def test_every_operation_is_recorded_with_old_and_new_row(bank: Bank) -> None:
    assert capture(bank.url, ["ACC"]) == ["made the table cera_changes", "ACC: captured"]
    bank.do(
        "INSERT INTO ACC VALUES (1, 'Ann', 'Savings', 10.5)",
        "UPDATE ACC SET Balance = 4, Owner = NULL",
        "DELETE FROM ACC",
    )
    first = {"Accno": 1, "Owner": "Ann", "Type": "Savings", "Balance": 10.5}
    second = {"Accno": 1, "Type": "Savings", "Balance": 4}
    assert bank.changes() == [
        {"operation": "insert", "table": "ACC", "transaction": "1", "position": 1, "new": first},
        {"operation": "update", "table": "ACC", "transaction": "2", "position": 2, "old": first, "new": second},
        {"operation": "delete", "table": "ACC", "transaction": "3", "position": 3, "old": second},
    ]


def test_a_change_is_a_point_of_time_and_times_do_not_go_back(bank: Bank) -> None:
    capture(bank.url, ["ACC"])
    bank.do("INSERT INTO ACC (Accno) VALUES (1)", "UPDATE cera_changes SET committed = '2999-01-01T00:00:00.000Z'")
    bank.do("INSERT INTO ACC (Accno) VALUES (2)")
    one, other = (record for record in read_changes(bank.url) if isinstance(record, Event))
    assert one.begin == one.end == other.begin


def test_capture_again_changes_nothing_and_drop_removes_everything(bank: Bank) -> None:
    before = bank.writer.execute("SELECT * FROM sqlite_master WHERE name <> 'sqlite_sequence'").fetchall()
    capture(bank.url, ["ACC"])
    bank.do("INSERT INTO ACC (Accno) VALUES (1)")
    assert capture(bank.url, ["acc"]) == ["acc: triggers made anew (it was called ACC in events)"]
    assert capture(bank.url, ["acc"]) == ["acc: captured already"]
    assert len(bank.changes()) == 1
    assert drop(bank.url) == ["ACC: no longer captured", "removed the table cera_changes"]
    assert bank.writer.execute("SELECT * FROM sqlite_master WHERE name <> 'sqlite_sequence'").fetchall() == before
    assert drop(bank.url) == []


def test_drop_with_tables_keeps_what_was_recorded(bank: Bank) -> None:
    bank.do("CREATE TABLE LOG (line)")
    capture(bank.url, ["ACC,LOG"])
    bank.do("INSERT INTO ACC (Accno) VALUES (1)")
    assert drop(bank.url, ["ACC"]) == ["ACC: no longer captured"]
    assert drop(bank.url, ["ACC"]) == ["ACC: was not captured"]
    bank.do("INSERT INTO ACC (Accno) VALUES (2)", "INSERT INTO LOG VALUES (1)")
    assert [change["table"] for change in bank.changes()] == ["ACC", "LOG"]


def test_names_with_spaces_quotes_and_keywords_are_kept(bank: Bank) -> None:
    bank.do("""CREATE TABLE "or""der's, all" ("un it" TEXT, "quo'te" TEXT, "dou""ble" TEXT, "select" TEXT)""")
    capture(bank.url, ['"or""der\'s, all"'])
    bank.do("""INSERT INTO "or""der's, all" VALUES ('it''s', '"', '\\', 'naïve' || char(10) || '🙂')""")
    [change] = bank.changes()
    assert change["table"] == "or\"der's, all"
    assert change["new"] == {"un it": "it's", "quo'te": '"', 'dou"ble': "\\", "select": "naïve\n🙂"}


def test_values_of_every_kind(tmp_path: Path) -> None:
    bank = Bank(tmp_path / "b.db", "CREATE TABLE T (i, big, r, third, inf, b, empty, text, doc JSON, broken JSON, n)")
    capture(bank.url, ["T"])
    bank.do(
        "INSERT INTO T VALUES (7, 9223372036854775807, 1e300, 1.0/3, 9e999, x'00ff', x'', '[1]', "
        """'{"a": [1, {"b": null}]}', '{', NULL)"""
    )
    [change] = bank.changes()
    assert change["new"] == {
        "i": 7,
        "big": 2**63 - 1,
        "r": 1e300,
        "third": 1 / 3,
        "b": "\\x00ff",
        "empty": "\\x",
        "text": "[1]",
        "doc": {"a": [1]},
        "broken": "{",
    }
    bank.writer.close()


#: SQLite itself prints very large and very small numbers to about 15 digits.
ORDINARY = (
    st.floats(1e-12, 1e18) | st.floats(-1e18, -1e-12) | st.floats(width=32, allow_nan=False, allow_infinity=False)
)


@given(st.lists(ORDINARY, min_size=1))
def test_reals_are_recorded_to_the_last_digit(values: list[float]) -> None:
    connection = sqlite3.connect(":memory:")
    for statement in (*MADE, "CREATE TABLE T (v REAL)", *triggers("T", "T", {"v": "REAL"})):
        connection.execute(statement)
    connection.executemany("INSERT INTO T VALUES (?)", [(value,) for value in values])
    rows = connection.execute("SELECT new_row FROM cera_changes ORDER BY position").fetchall()
    connection.close()
    assert [json.loads(row)["v"] for (row,) in rows] == values


def test_a_table_with_more_columns_than_a_function_takes_arguments(tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(150)]
    bank = Bank(tmp_path / "wide.db", f"CREATE TABLE W ({', '.join(names)})")
    capture(bank.url, ["W"])
    bank.writer.execute(f"INSERT INTO W VALUES ({', '.join('?' * 150)})", [None if i == 70 else i for i in range(150)])
    [change] = bank.changes()
    assert change["new"] == {f"c{i}": i for i in range(150) if i != 70}
    bank.writer.close()


def test_changes_that_a_writer_announces_as_a_transaction_belong_together(bank: Bank) -> None:
    capture(bank.url, ["ACC"])
    bank.do("INSERT INTO ACC (Accno) VALUES (1)")
    for end in ("COMMIT", "ROLLBACK", "COMMIT"):
        bank.do(
            "BEGIN",
            "INSERT INTO cera_transaction DEFAULT VALUES",
            "UPDATE ACC SET Type = 'a'",
            "UPDATE ACC SET Type = 'b'",
            "UPDATE cera_changes SET committed = '2000' WHERE position >= (SELECT number FROM cera_transaction)",
            "DELETE FROM cera_transaction",
            end,
        )
    bank.do("INSERT INTO ACC (Accno) VALUES (2)")
    assert [(c["position"], c["transaction"]) for c in bank.changes()] == [
        (1, "1"), (2, "2"), (3, "2"), (4, "4"), (5, "4"), (6, "6"),
    ]  # fmt: skip
    times = [record.end for record in read_changes(bank.url) if isinstance(record, Event)]
    assert times[1] == times[2] >= times[0]  # the commit's time, not that of the operations


def test_polls_go_on_where_the_last_one_ended(bank: Bank) -> None:
    capture(bank.url, ["ACC"])
    assert poll(bank.url).records == ()
    for number in range(5):
        bank.do(f"INSERT INTO ACC (Accno) VALUES ({number})")
    seen: list[int] = []
    place, more = None, True
    while more:
        polled = poll(bank.url, place, limit=2)
        seen += [term_to_json(r.term)["change"]["position"] for r in polled.records if isinstance(r, Event)]
        place, more = polled.position, polled.more
    assert seen == [1, 2, 3, 4, 5]
    assert poll(bank.url, place).records == ()
    bank.do("DELETE FROM ACC WHERE Accno = 0")
    assert len(poll(bank.url, place).records) == 1


def test_what_is_rolled_back_never_happened(bank: Bank) -> None:
    capture(bank.url, ["ACC"])
    bank.do("BEGIN", "INSERT INTO ACC (Accno) VALUES (1)", "ROLLBACK", "INSERT INTO ACC (Accno) VALUES (2)")
    assert [change["new"] for change in bank.changes()] == [{"Accno": 2}]


def test_positions_are_not_used_again_when_old_changes_are_deleted(bank: Bank) -> None:
    capture(bank.url, ["ACC"])
    bank.do("INSERT INTO ACC (Accno) VALUES (1)", "DELETE FROM cera_changes", "INSERT INTO ACC (Accno) VALUES (2)")
    assert [change["position"] for change in bank.changes("1")] == [2]


def test_a_change_that_cannot_be_read_is_rejected_with_its_position(bank: Bank) -> None:
    capture(bank.url, ["ACC"])
    bank.do("INSERT INTO ACC (Accno) VALUES (1)", "UPDATE cera_changes SET new_row = '{'")
    bank.do("INSERT INTO ACC (Accno) VALUES (2)", "UPDATE cera_changes SET operation = 'merge' WHERE position = 2")
    bank.do("INSERT INTO ACC (Accno) VALUES (3)", "UPDATE cera_changes SET committed = 'now' WHERE position = 3")
    broken, merged, undated = bank.rejected()
    assert broken.place.endswith("bank.db position 1")
    assert "not JSON" in broken.reason
    assert 'found "merge"' in merged.reason
    assert "'now' is not a time" in undated.reason


def test_a_table_that_was_altered_is_told_and_captured_anew(bank: Bank) -> None:
    capture(bank.url, ["ACC"])
    assert problems(bank.url) == []
    bank.do("ALTER TABLE ACC ADD COLUMN Branch TEXT", "INSERT INTO ACC (Accno, Branch) VALUES (1, 'b')")
    [problem] = bank.rejected()
    assert problem.place.endswith("bank.db table ACC")
    assert "new columns since it was captured: Branch is not recorded" in problem.reason
    assert "--tables ACC` again" in on_command_line(problem.reason)
    assert "Branch is not recorded" in capture(bank.url, ["ACC"])[0]
    bank.do("UPDATE ACC SET Branch = 'c'")
    assert problems(bank.url) == []
    assert bank.changes()[1]["new"] == {"Accno": 1, "Branch": "c"}


def test_a_renamed_column_and_a_lost_trigger_are_told(bank: Bank) -> None:
    capture(bank.url, ["ACC"])
    bank.do("ALTER TABLE ACC RENAME COLUMN Owner TO Holder")
    assert "Holder is not recorded" in problems(bank.url)[0].reason
    capture(bank.url, ["ACC"])
    bank.do('DROP TRIGGER "cera delete ACC"')
    assert "one of its triggers has been removed" in problems(bank.url)[0].reason


def test_a_renamed_table_is_told_and_captured_anew_or_dropped_by_either_name(bank: Bank) -> None:
    capture(bank.url, ["acc"])  # another case is no other name
    bank.do("ALTER TABLE ACC RENAME TO LEDGER", "INSERT INTO LEDGER (Accno) VALUES (1)")
    [problem] = problems(bank.url)
    assert "the table was renamed since it was captured: events still call it acc; run" in problem.reason
    assert "--tables LEDGER` again" in on_command_line(problem.reason)
    bank.do("CREATE TABLE ACC (Accno INTEGER)")
    with pytest.raises(UsageError, match="the table LEDGER is called acc in events already"):
        capture(bank.url, ["ACC"])
    bank.do("DROP TABLE ACC")
    assert drop(bank.url, ["ACC"]) == ["LEDGER: no longer captured"]
    assert capture(bank.url, ["LEDGER"]) == ["LEDGER: captured"]
    assert problems(bank.url) == []


def test_a_table_that_is_named_twice_in_another_case_is_captured_once(bank: Bank) -> None:
    assert capture(bank.url, ["ACC,acc"]) == ["made the table cera_changes", "ACC: captured"]
    assert drop(bank.url, ["acc,ACC"]) == ["ACC: no longer captured"]


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        ("ACT", "there is no table ACT; did you mean 'ACC'?"),
        ("elsewhere", "there is no table elsewhere; there are ACC"),
        ("all", "all is a view"),
        ("public.LOG", "SQLite has no schema public"),
        ("ACC,,", "no list of tables"),
        ("", "no list of tables"),
        ('"ACC', "no list of tables"),
        ("a.b.c", "no list of tables"),
    ],
)
def test_a_wrong_table_is_named_and_nothing_is_done(bank: Bank, tables: str, expected: str) -> None:
    bank.do('CREATE VIEW "all" AS SELECT * FROM ACC')
    with pytest.raises(UsageError) as caught:
        capture(bank.url, [f"ACC,{tables}" if "no list" not in expected else tables])
    assert expected in str(caught.value)
    assert bank.writer.execute("SELECT * FROM sqlite_master WHERE name GLOB 'cera*'").fetchall() == []


def test_the_change_table_itself_is_not_captured(bank: Bank) -> None:
    capture(bank.url, ["ACC"])
    with pytest.raises(UsageError, match="a table of cera's own"):
        capture(bank.url, ["cera_changes"])


def test_a_place_that_is_none_is_refused(bank: Bank) -> None:
    with pytest.raises(UsageError, match="no changes are captured there"):
        poll(bank.url)
    capture(bank.url, ["ACC"])
    with pytest.raises(UsageError, match="'x' is no place"):
        poll(bank.url, "x")
    with pytest.raises(UsageError, match="lies after the last change, 0"):
        poll(bank.url, "7")


def test_a_table_called_cera_changes_of_somebody_else_is_left_alone(bank: Bank) -> None:
    bank.do("CREATE TABLE cera_changes (a)")
    with pytest.raises(UsageError, match="with other columns"):
        capture(bank.url, ["ACC"])


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text("no database, but long enough to look at" * 50)
    with pytest.raises(UsageError, match="is no database of SQLite"):
        capture(f"sqlite:{tmp_path / 'x.db'}", ["ACC"])


def test_a_database_that_somebody_holds_is_said_to_be_away(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cera.connectors.databases.sqlite._BUSY_SECONDS", 0.05)
    bank.do("BEGIN EXCLUSIVE")
    with pytest.raises(EngineError, match="another process has held the database"):
        capture(bank.url, ["ACC"])


@pytest.mark.parametrize("options", [["--engine", "reference"], ["--engine", "local", "--max-delay", "1 sec"]])
def test_run_reads_the_changes_of_a_database(bank: Bank, tmp_path: Path, options: list[str]) -> None:
    capture(bank.url, ["ACC"])
    bank.do("INSERT INTO ACC VALUES (1, 'Ann', 'Savings', 10)", "UPDATE ACC SET Balance = 4")
    rule = tmp_path / "rule.xceq"
    rule.write_text("DETECT less{by{var O - var N}} ON change{{old{{Balance{var O}}}, new{{Balance{var N}}}}} END")
    done = CliRunner().invoke(main, ["run", str(rule), "--events", f"db:{bank.url}", *options])
    assert json.loads(done.stdout)["term"] == {"less": {"by": 6}}, done.stderr
    assert "2 events read" in done.stderr
    wrong = CliRunner().invoke(main, ["run", str(rule), "--events", "db:mysql://x", *options])
    assert (wrong.exit_code, "names no database" in wrong.stderr) == (2, True)


@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
def test_a_reader_beside_a_writer_sees_every_change_once_and_in_order(bank: Bank, journal: str) -> None:
    bank.do(f"PRAGMA journal_mode = {journal}")
    capture(bank.url, ["ACC"])

    def write() -> None:
        other = sqlite3.connect(bank.url.removeprefix("sqlite:"), isolation_level=None, timeout=60)
        for number in range(100):
            other.execute("BEGIN")
            other.execute("INSERT INTO ACC (Accno) VALUES (?)", (number,))
            other.execute("ROLLBACK" if number % 5 == 4 else "COMMIT")
        other.close()

    writer = threading.Thread(target=write)
    writer.start()
    place, seen = None, list[int]()
    while writer.is_alive() or poll(bank.url, place).records:
        polled = poll(bank.url, place, limit=7)
        place = polled.position
        seen += [term_to_json(r.term)["change"]["new"]["Accno"] for r in polled.records if isinstance(r, Event)]
    writer.join()
    assert seen == [number for number in range(100) if number % 5 != 4]
