"""Capture in PostgreSQL: what triggers record, and that a reader loses nothing, whatever the order of commits."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from cera.cli.main import main
from cera.connectors.databases.capture import capture, drop
from cera.connectors.databases.reading import poll, problems, read_changes
from cera.connectors.databases.urls import UnreachableError
from cera.connectors.records.layout import Rejected
from cera.errors import UsageError
from cera.model.events.event import Event
from cera.model.terms.json_terms import term_to_json

pytestmark = pytest.mark.xdist_group("postgres")

ACCOUNTS = 'CREATE TABLE "ACC" ("Accno" int PRIMARY KEY, "Owner" text, "Balance" numeric)'


class Bank:
    """A database with a table ACC, and connections of writers."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.connections: list[psycopg.Connection] = []
        self.writer = self.connect(autocommit=True)
        self.writer.execute(ACCOUNTS)

    def connect(self, *, autocommit: bool = False) -> psycopg.Connection:
        self.connections.append(psycopg.connect(self.url, autocommit=autocommit))
        return self.connections[-1]

    def do(self, *statements: str) -> None:
        for statement in statements:
            self.writer.execute(statement.encode())

    def changes(self, after: str | None = None) -> list[dict[str, object]]:
        return [term_to_json(e.term)["change"] for e in read_changes(self.url, after) if isinstance(e, Event)]


@pytest.fixture
def bank(postgres: str) -> Iterator[Bank]:
    made = Bank(postgres)
    yield made
    for connection in made.connections:
        connection.close()


def insert(connection: psycopg.Connection, number: int) -> None:
    connection.execute('INSERT INTO "ACC" ("Accno") VALUES (%s)', (number,))


def numbers(records: object) -> list[int]:
    assert isinstance(records, tuple | list)
    return [term_to_json(event.term)["change"]["new"]["Accno"] for event in records]


def test_every_operation_is_recorded_with_old_and_new_row(bank: Bank) -> None:
    assert capture(bank.url, ["ACC"]) == [
        "made the table public.cera_changes",
        'ACC: captured, the table public."ACC"',
    ]
    bank.do("""INSERT INTO "ACC" VALUES (1, 'Ann', 10.50)""")
    with bank.connect() as connection:
        connection.execute('UPDATE "ACC" SET "Balance" = 4, "Owner" = NULL')
        connection.execute('DELETE FROM "ACC"')
    inserted, updated, deleted = bank.changes()
    first, second = {"Accno": 1, "Owner": "Ann", "Balance": 10.5}, {"Accno": 1, "Balance": 4}
    assert (inserted["operation"], inserted["table"], inserted["position"]) == ("insert", "ACC", 1)
    assert inserted["new"] == first
    assert "old" not in inserted
    assert (updated["operation"], updated["old"], updated["new"]) == ("update", first, second)
    assert (deleted["operation"], deleted["old"]) == ("delete", second)
    assert "new" not in deleted
    assert updated["transaction"] == deleted["transaction"] != inserted["transaction"]


def test_the_changes_of_a_transaction_have_the_time_of_its_commit(bank: Bank) -> None:
    capture(bank.url, ["ACC"])
    slow = bank.connect()
    insert(slow, 1)
    insert(bank.writer, 2)
    insert(slow, 3)
    slow.commit()
    events = [event for event in read_changes(bank.url) if isinstance(event, Event)]
    assert numbers(events) == [2, 1, 3]
    assert events[0].end < events[1].end == events[2].end
    assert [term_to_json(event.term)["change"]["position"] for event in events] == [2, 1, 3]


def test_a_transaction_that_commits_later_with_lower_positions_is_not_skipped(bank: Bank) -> None:
    capture(bank.url, ["ACC"])
    slow, other = bank.connect(), bank.connect()
    insert(slow, 1)
    insert(other, 2)
    insert(bank.writer, 3)
    first = poll(bank.url)
    assert numbers(first.records) == [3]
    slow.commit()
    second = poll(bank.url, first.position)
    assert numbers(second.records) == [1]
    insert(bank.writer, 4)
    other.commit()
    third = poll(bank.url, second.position)
    assert numbers(third.records) == [4, 2]
    assert poll(bank.url, third.position).records == ()
    assert numbers(list(read_changes(bank.url, second.position))) == [4, 2]


def test_whatever_the_order_of_commits_and_the_size_of_polls_every_change_comes_once(bank: Bank) -> None:
    capture(bank.url, ["ACC"])
    chance = random.Random(5)
    open_, seen, place, kept = [bank.connect() for _ in range(6)], [], None, []
    for number in range(300):
        connection = chance.choice(open_)
        insert(connection, number)
        match chance.random():
            case r if r < 0.2:
                connection.commit()
            case r if r < 0.3:
                connection.rollback()
            case r if r < 0.6:
                polled = poll(bank.url, place, limit=chance.choice([1, 2, 3, 50]))
                seen += numbers(polled.records)
                place = polled.position
    for connection in open_:
        connection.commit()
    more = True
    while more:
        polled = poll(bank.url, place, limit=7)
        seen += numbers(polled.records)
        place, more = polled.position, polled.more
    kept = [row[0] for row in bank.writer.execute('SELECT "Accno" FROM "ACC"')]
    assert sorted(seen) == sorted(kept)
    assert sorted(numbers(list(read_changes(bank.url)))) == sorted(kept)
    assert len(kept) < 300


def test_what_comes_while_a_long_reading_is_cut_into_pages_follows_it(bank: Bank) -> None:
    capture(bank.url, ["ACC"])
    bank.do('INSERT INTO "ACC" ("Accno") SELECT generate_series(1, 5)')
    first = poll(bank.url, None, limit=3)
    assert (numbers(first.records), first.more) == ([1, 2, 3], True)
    insert(bank.writer, 6)
    second = poll(bank.url, first.position, limit=4)
    assert (numbers(second.records), second.more) == ([4, 5, 6], False)
    assert numbers(list(read_changes(bank.url, first.position))) == [4, 5, 6]


def test_a_savepoint_that_is_rolled_back_never_happened(bank: Bank) -> None:
    capture(bank.url, ["ACC"])
    with bank.connect() as connection:
        connection.execute("SAVEPOINT s")
        insert(connection, 1)
        connection.execute("ROLLBACK TO s")
        insert(connection, 2)
    assert [change["new"] for change in bank.changes()] == [{"Accno": 2}]


def test_values_of_every_kind_do_not_depend_on_the_writers_settings(bank: Bank) -> None:
    bank.do("""CREATE TABLE t (b bytea, d date, at timestamptz, span interval, doc jsonb, j json, flag bool,
        "un it" text, list int[], f float8, nothing text)""")
    capture(bank.url, ["t"])
    bank.do(
        "SET timezone = 'Asia/Tokyo'", "SET bytea_output = 'escape'", "SET datestyle = 'German'",
        "SET extra_float_digits = -5", "SET intervalstyle = 'sql_standard'",
        r"""INSERT INTO t VALUES ('\x00ff', '2026-03-02', '2026-03-02T10:00:00Z', '90 minutes', '{"a": [1, null]}',
            '{"b": 1}', true, 'it''s "quoted" \', '{1,2}', 0.1::float8 + 0.2::float8, NULL)""",
    )  # fmt: skip
    [change] = bank.changes()
    assert change["new"] == {
        "b": "\\x00ff",
        "d": "2026-03-02",
        "at": "2026-03-02T10:00:00+00:00",
        "span": "PT1H30M",
        "doc": {"a": [1]},
        "j": {"b": 1},
        "flag": True,
        "un it": 'it\'s "quoted" \\',
        "list": [1, 2],
        "f": 0.1 + 0.2,
    }


def test_a_number_past_all_bounds_and_a_truncated_table_are_rejected_with_their_positions(bank: Bank) -> None:
    capture(bank.url, ["ACC"])
    bank.do('INSERT INTO "ACC" ("Accno", "Balance") VALUES (1, 1e400)', 'TRUNCATE "ACC"')
    large, truncated = (record for record in poll(bank.url).records if isinstance(record, Rejected))
    assert large.place.endswith(" position 1")
    assert "too large" in large.reason
    assert "the table ACC was truncated" in truncated.reason


def test_a_table_may_be_altered_truncated_and_changed_in_one_transaction(bank: Bank) -> None:
    capture(bank.url, ["ACC"])
    with bank.connect() as connection:
        insert(connection, 1)
        connection.execute('ALTER TABLE "ACC" ADD COLUMN "Branch" text')
        connection.execute("""UPDATE "ACC" SET "Branch" = 'b'""")
    assert bank.changes()[1]["new"] == {"Accno": 1, "Branch": "b"}
    assert problems(bank.url) == []


def test_an_unquoted_name_means_the_table_in_lower_case_and_else_the_one_spelt_like_it(bank: Bank) -> None:
    bank.do('CREATE TABLE "MiXed" (a int)', 'CREATE SCHEMA "S"', 'CREATE TABLE "S"."T" (a int)')
    assert capture(bank.url, ["MiXed"])[-1] == 'MiXed: captured, the table public."MiXed"'
    assert drop(bank.url, ["MiXed"]) == ["MiXed: no longer captured"]
    bank.do("CREATE TABLE mixed (a int)", "CREATE SCHEMA s", "CREATE TABLE s.t (a int)")
    assert capture(bank.url, ["MiXed"]) == ["MiXed: captured, the table public.mixed"]
    again = capture(bank.url, ["mixed", '"MiXed"'])
    assert again == ["mixed: triggers made anew (it was called MiXed in events)", "MiXed: captured"]
    assert capture(bank.url, ["S.T"]) == ["T: captured, the table s.t"]
    drop(bank.url, ["s.t"])
    assert capture(bank.url, ['"S".T']) == ['T: captured, the table "S"."T"']
    bank.do("INSERT INTO mixed VALUES (1)", 'INSERT INTO "MiXed" VALUES (2)')
    assert [(change["table"], change["new"]["a"]) for change in bank.changes()] == [("mixed", 1), ("MiXed", 2)]


def test_nan_and_infinities_are_absent_numbers_beyond_64_bits_rejected_and_fractions_the_nearest_real(
    bank: Bank,
) -> None:
    bank.do(
        "CREATE DOMAIN rate AS float8", "CREATE TABLE n (k int, f float4, d float8, n numeric, r rate, t text, at date)"
    )
    capture(bank.url, ["n"])
    bank.do(
        "INSERT INTO n VALUES (1, 'NaN', 'Infinity', 'NaN', '-Infinity', 'NaN', 'infinity')",
        "INSERT INTO n VALUES (2, 0.1, 0.1, 0.1000000000000000055511151231257827, 1e300, '\"Infinity\"', NULL)",
        "INSERT INTO n (k, n) VALUES (3, 9223372036854775807)",
        "INSERT INTO n (k, n) VALUES (4, 9223372036854775808)",  # numeric counts every digit; a real is 64 bits anyway
        "INSERT INTO n (k, d) VALUES (5, 'NaN')",
        "UPDATE n SET d = 2 WHERE k = 5",
    )
    found = list(read_changes(bank.url))
    large = found.pop(3)
    assert isinstance(large, Rejected)
    assert "9223372036854775808" in large.text
    assert "too large" in large.reason
    rows = [term_to_json(one.term)["change"].get("new", {}) for one in found if isinstance(one, Event)]
    assert rows == [
        {"k": 1, "t": "NaN", "at": "infinity"},
        {"k": 2, "f": 0.1, "d": 0.1, "n": 0.1, "r": 1e300, "t": '"Infinity"'},
        {"k": 3, "n": 2**63 - 1},
        {"k": 5},
        {"k": 5, "d": 2},
    ]


def test_names_are_found_as_in_sql_and_called_as_they_were_given(bank: Bank) -> None:
    bank.do('CREATE SCHEMA "Other"', 'CREATE TABLE "Other"."My ""Table" (a int)', "CREATE TABLE orders (a int)")
    capture(bank.url, ['Other."My ""Table"', "Orders", "public.ACC"])
    bank.do('INSERT INTO "Other"."My ""Table" VALUES (1)', "INSERT INTO orders VALUES (2)")
    assert [change["table"] for change in bank.changes()] == ['My "Table', "Orders"]
    assert capture(bank.url, ["orders"]) == ["orders: triggers made anew (it was called Orders in events)"]


def test_capture_again_changes_nothing_and_drop_removes_everything(bank: Bank) -> None:
    inventory = (
        "SELECT count(*) FROM pg_class UNION ALL SELECT count(*) FROM pg_proc UNION ALL SELECT count(*) FROM pg_trigger"
    )
    before = bank.writer.execute(inventory).fetchall()
    capture(bank.url, ["ACC"])
    insert(bank.writer, 1)
    assert capture(bank.url, ["ACC"]) == ['ACC: captured already, the table public."ACC"']
    assert len(bank.changes()) == 1
    assert drop(bank.url, ["ACC"]) == ["ACC: no longer captured"]
    insert(bank.writer, 2)
    assert len(bank.changes()) == 1
    capture(bank.url, ["ACC"])
    assert drop(bank.url) == ["ACC: no longer captured", "removed the table public.cera_changes"]
    assert bank.writer.execute(inventory).fetchall() == before
    with pytest.raises(UsageError, match="has `cera capture` been run"):
        poll(bank.url)


def test_a_writer_needs_no_rights_on_the_change_table(bank: Bank) -> None:
    capture(bank.url, ["ACC"])
    bank.do("DROP ROLE IF EXISTS clerk", "CREATE ROLE clerk", 'GRANT INSERT ON "ACC" TO clerk', "SET ROLE clerk")
    insert(bank.writer, 1)
    bank.do("RESET ROLE", 'REVOKE ALL ON "ACC" FROM clerk', "DROP ROLE clerk")
    assert len(bank.changes()) == 1


def test_who_may_not_capture_is_told_so(bank: Bank) -> None:
    bank.do("DROP ROLE IF EXISTS guest", "CREATE ROLE guest LOGIN")
    url = bank.url.replace("postgres@", "guest@")
    with pytest.raises(UsageError, match=r"no right to do that \(permission denied for schema public\)"):
        capture(url, ["ACC"])
    bank.do("DROP ROLE guest")


@pytest.mark.parametrize(
    ("table", "expected"),
    [("ACT", "there is no table ACT; did you mean 'ACC'?"), ("all", "all is a view"), ("no.ACC", "no table no.ACC")],
)
def test_a_wrong_table_is_named(bank: Bank, table: str, expected: str) -> None:
    bank.do('CREATE VIEW "all" AS SELECT 1')
    with pytest.raises(UsageError) as caught:
        capture(bank.url, [table])
    assert expected in str(caught.value)


def test_a_place_that_is_none_or_of_another_server_is_refused(bank: Bank) -> None:
    capture(bank.url, ["ACC"])
    with pytest.raises(UsageError, match="'42' is no place"):
        poll(bank.url, "42")
    with pytest.raises(UsageError, match="another server"):
        poll(bank.url, "999999998:999999999:")


def test_a_table_that_somebody_holds_is_told(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cera.connectors.databases.postgres._LOCK_SECONDS", 0.05)
    insert(bank.connect(), 1)
    with pytest.raises(UnreachableError, match="another transaction has held a table"):
        capture(bank.url, ["ACC"])


def test_the_partitions_of_a_table_are_captured_with_it(bank: Bank) -> None:
    bank.do(
        "CREATE TABLE parted (a int) PARTITION BY LIST (a)", "CREATE TABLE part1 PARTITION OF parted FOR VALUES IN (1)"
    )
    assert capture(bank.url, ["parted"])[-1] == "parted: captured"
    bank.do("CREATE TABLE part2 PARTITION OF parted FOR VALUES IN (2)", "INSERT INTO parted VALUES (1), (2)")
    assert [(change["table"], change["new"]) for change in bank.changes()] == [
        ("parted", {"a": 1}),
        ("parted", {"a": 2}),
    ]
    assert capture(bank.url, ["parted"]) == ["parted: captured already"]
    assert drop(bank.url)[0] == "parted: no longer captured"


def test_run_reads_the_changes_of_a_database(bank: Bank, tmp_path: Path) -> None:
    capture(bank.url, ["ACC"])
    bank.do("""INSERT INTO "ACC" VALUES (1, 'Ann', 10)""", 'UPDATE "ACC" SET "Balance" = 4')
    rule = tmp_path / "rule.xceq"
    rule.write_text("DETECT less{by{var O - var N}} ON change{{old{{Balance{var O}}}, new{{Balance{var N}}}}} END")
    done = CliRunner().invoke(main, ["run", str(rule), "--events", f"db:{bank.url}", "--engine", "local"])
    assert json.loads(done.stdout)["term"] == {"less": {"by": 6}}, done.stderr


def test_a_server_that_does_not_answer_is_said_to_be_away() -> None:
    with pytest.raises(UnreachableError, match=r"postgresql://me:\*\*\*@localhost:1/x cannot be reached") as caught:
        capture("postgresql://me:secret@localhost:1/x", ["ACC"])
    assert "secret" not in str(caught.value)


def test_a_server_that_refuses_is_not_waited_for(bank: Bank) -> None:
    with pytest.raises(UsageError, match='database "nowhere" does not exist'):
        capture(bank.url + "&dbname=nowhere", ["ACC"])
