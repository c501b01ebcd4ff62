"""Programs of EPL and Datalog_1S on the command line: checks, translations, answers, causes and actions."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from unit.cli.command_line import Cera, records, terms, write_lines

BANK = """\
begin Bank
  monitor update(ACC);
  relation ACC(Accno, Owner, Balance);

  Large: update(ACC(X), X.old_Balance - X.new_Balance > 100)
    -> write("%s took %d after %s", X.Owner, X.old_Balance - X.new_Balance, asctime(X.evtime)).
  Back: [update(ACC(X), X.Balance < X.old_Balance), update(ACC(Y), Y.Balance > Y.old_Balance)]
    as back(account: Y.Accno, after: Y.evtime - X.evtime)
    -> write to "back.txt" ("%d came back after %s\\n", Y.Accno, asctime(Y.evtime - X.evtime)).
end.

begin Quiet
  monitor back;
  Twice: (back(X), back(Y)).
end.
"""


def change(position: int, old: int, new: int) -> dict[str, Any]:
    rows = {name: {"Accno": 7, "Owner": "Ann", "Balance": amount} for name, amount in (("old", old), ("new", new))}
    return {"change": {"operation": "update", "table": "ACC", "position": position, **rows}}


@pytest.fixture
def bank(folder: Path) -> Path:
    (folder / "bank.epl").write_text(BANK)
    changes = [(60, change(1, 500, 300)), (90, change(2, 300, 350)), (120, change(3, 350, 400))]
    write_lines(folder / "changes.jsonl", (json.dumps({"at": at, "term": term}) for at, term in changes))
    return folder


RUN = ("run", "bank.epl", "--events", "changes.jsonl", "--time-unit", "s", "--engine", "local", "--allow-write", ".")


@pytest.mark.parametrize(
    "engine", ["reference", "local", pytest.param("spark", marks=pytest.mark.xdist_group("spark"))]
)
@pytest.mark.usefixtures("spark_if_needed")
def test_texts_of_actions_come_first_and_then_the_events(cera: Cera, bank: Path, engine: str) -> None:
    result = cera(*RUN, "--engine", engine)
    assert result.exit_code == 0, result.stderr
    text, *lines = result.stdout.splitlines()
    assert text == "Ann took 200 after Thu Jan  1 00:01:00 1970"
    assert [(line["rule"], line["term"]) for line in map(json.loads, lines)] == [
        ("Bank.Large", {"Large": {"Owner": "Ann", "old_Balance": 500, "new_Balance": 300, "evtime": 60_000_000}}),
        ("Bank.Back", {"back": {"account": 7, "after": 30_000_000}}),
        ("Quiet.Twice", {"Twice": {}}),
        ("Bank.Back", {"back": {"account": 7, "after": 60_000_000}}),
    ]
    assert (bank / "back.txt").read_text() == "7 came back after 30 sec\n7 came back after 1 min\n"
    assert "3 events read\n4 events derived: Large 1, Twice 1, back 2\n3 actions done\n" in result.stderr


def test_with_out_standard_output_has_the_texts_only(cera: Cera, bank: Path) -> None:
    result = cera(*RUN, "--out", "found.jsonl", "--select", "back")
    assert result.stdout == "Ann took 200 after Thu Jan  1 00:01:00 1970\n"
    assert [term["back"]["after"] for term in terms((bank / "found.jsonl").read_text())] == [30_000_000, 60_000_000]


def test_events_that_flow_through_have_their_texts_right_before_them(cera: Cera, bank: Path) -> None:
    result = cera(*RUN, "--max-delay", "0 sec")
    assert [line[:8] for line in result.stdout.splitlines()] == [
        "Ann took",
        '{"begin"',
        '{"begin"',
        '{"begin"',
        '{"begin"',
    ]
    assert "3 actions done" in result.stderr


def test_a_run_with_a_ledger_does_nothing_again(cera: Cera, bank: Path) -> None:
    options = ("--actions-ledger", "done.db", "--out", "found.jsonl")
    assert "3 actions done\n" in cera(*RUN, *options).stderr
    again = cera(*RUN, *options)
    assert again.stdout == ""
    assert "no actions done; 3 done before\n" in again.stderr
    assert len((bank / "back.txt").read_text().splitlines()) == 2


def test_sql_and_programs_are_refused_before_anything_is_read(cera: Cera, folder: Path) -> None:
    (folder / "sql.epl").write_text(
        'begin M monitor A; R: A(X) -> sql "insert into log values (:1)", X.n.\nS: A(X) -> system("echo %d", X.n). end.'
    )
    result = cera("run", "sql.epl", "--events", "missing.jsonl", "--engine", "local")
    assert result.exit_code == 2
    assert "sql.epl:1:31: the SQL command of the rule M.R is not allowed; give --allow-sql URL" in result.stderr
    assert "the operating system call of the rule M.S is not allowed; give --allow-exec" in result.stderr
    assert "missing.jsonl" not in result.stderr


@pytest.mark.processes
def test_sql_commands_and_programs_run_where_they_are_allowed_and_failures_are_kept(cera: Cera, folder: Path) -> None:
    connection = sqlite3.connect(folder / "log.db")
    connection.executescript("CREATE TABLE log (n INTEGER CHECK (n < 5))")
    (folder / "sql.epl").write_text(
        'begin M monitor A; R: A(X) -> sql "insert into log values (:1)", X.n.\nS: A(X) -> system("echo %d", X.n). end.'
    )
    write_lines(folder / "a.jsonl", ['{"at": 1, "term": {"A": {"n": 4}}}', '{"at": 2, "term": {"A": {"n": 3}}}'])
    run = ("run", "sql.epl", "--events", "a.jsonl", "--engine", "local", "--out", "found.jsonl")
    result = cera(*run, "--allow-sql", "sqlite:log.db", "--allow-exec", "--actions-failed", "failed.jsonl")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == "4\n3\n"
    assert connection.execute("SELECT n FROM log ORDER BY n").fetchall() == [(3,), (4,)]
    assert not (folder / "failed.jsonl").exists()
    (folder / "wrong.epl").write_text('begin M monitor A; S: A(X) -> write("%d", X.text). end.')
    write_lines(folder / "b.jsonl", ['{"at": 1, "term": {"A": {"text": "no number"}}}'])
    failing = ("run", "wrong.epl", "--events", "b.jsonl", "--engine", "local", "--actions-failed", "failed.jsonl")
    failed = cera(*failing, "--out", "found.jsonl")
    assert failed.exit_code == 5
    assert "no actions done; 1 failed\nerror: 1 action failed, with the events in failed.jsonl\n" in failed.stderr
    [kept] = records((folder / "failed.jsonl").read_text())
    assert (kept["rule"], kept["event"]["term"]) == ("M.S", {"S": {"text": "no number"}})


def test_check_counts_rules_of_modules_and_shows_warnings_and_notes(cera: Cera, bank: Path) -> None:
    result = cera("check", "bank.epl")
    assert result.exit_code == 0
    assert result.stderr.count("note[EP502]") == 2
    assert result.stderr.count("warning[EP501]") == 1
    assert "1 file, 3 rules: no errors, 1 warning, 2 notes" in result.stderr
    only = cera("check", "bank.epl", "--enable", "Quiet")
    assert "1 file, 1 rule: no errors, no warnings, 1 note" in only.stderr


def test_an_unknown_module_is_refused_with_the_name_that_is_meant(cera: Cera, bank: Path) -> None:
    for command in (("check",), ("run", "--events", "changes.jsonl"), ("stream", "--source", "-", "--sink", "-")):
        more = ("--checkpoint", "c") if command[0] == "stream" else ()
        result = cera(command[0], "bank.epl", *command[1:], *more, "--enable", "Qiet")
        assert result.exit_code == 2
        assert "the program has no module 'Qiet'; did you mean `Quiet`?" in result.stderr


def test_only_enabled_modules_run_and_act(cera: Cera, bank: Path) -> None:
    result = cera(*RUN, "--enable", "Quiet", "--enable", "Quiet")
    assert result.stdout == ""
    assert "no events derived" in result.stderr
    assert "the program asks for `back`, and no event has this label" in result.stderr
    assert not (bank / "back.txt").exists()


def test_why_shows_the_events_that_variables_stand_for(cera: Cera, bank: Path) -> None:
    cera(*RUN, "--out", "found.jsonl")
    [twice] = [line for line in records((bank / "found.jsonl").read_text()) if "Twice" in line["term"]]
    result = cera("why", *RUN[1:-2], "--event", twice["id"][:8])
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()[1:]
    assert lines[:4] == [
        "Twice{} [60, 120]",
        "└─ by rule Quiet.Twice (bank.epl:14:3)",
        "   ├─ X: back{account{7}, after{30000000}} [60, 90]",
        "   │  └─ by rule Bank.Back (bank.epl:8:5)",
    ]
    assert lines[4].startswith("   │     ├─ X: change{new{")
    data = json.loads(cera("why", *RUN[1:-2], "--event", twice["id"], "--json").stdout)
    [derivation] = data["events"][0]["derivations"]
    assert (derivation["rule"], list(derivation["causes"])) == ("Quiet.Twice", ["X", "Y"])


def test_explain_shows_modules_with_layers_and_what_runs(cera: Cera, bank: Path) -> None:
    result = cera("explain", "bank.epl", "fire.xceq")
    assert result.exit_code == 0, result.stderr
    for line in (
        "module Quiet: layer 2",
        "  monitors: update(ACC)",
        "  rule Quiet.Twice at bank.epl:14:3: satE with X, Y derives Twice",
        "    satE(X, Y, s(J)) <- back(Y, s(J)), sat1(X, J).",
        "rule fire at fire.xceq:1:1: stratum 1",
    ):
        assert line in result.stdout.splitlines(), line
    data = json.loads(cera("explain", "bank.epl", "--json").stdout)
    assert [(module["name"], module["layer"]) for module in data["modules"]] == [("Bank", 1), ("Quiet", 2)]


def test_a_translation_detects_by_itself_what_the_modules_detect(cera: Cera, bank: Path) -> None:
    result = cera("translate", "bank.epl", "--to", "datalog")
    assert result.exit_code == 0, result.stderr
    assert "satE_Large(X, J) <- upd_ACC(X, J), X.old_Balance - X.new_Balance > 100.\n" in result.stdout
    left_out = [line for line in result.stdout.splitlines() if line.startswith("%")]
    assert left_out == [f"% Bank.{rule}: its action is left out" for rule in ("Large", "Back")]
    (bank / "bank.dl1s").write_text(result.stdout)
    expected = cera(*RUN, "--out", "expected.jsonl")
    ran = cera("run", "bank.dl1s", *RUN[2:], "--out", "found.jsonl")
    assert (expected.exit_code, ran.exit_code) == (0, 0), ran.stderr
    found, wanted = (records((bank / name).read_text()) for name in ("found.jsonl", "expected.jsonl"))
    assert found == wanted
    assert len(found) == 4
    assert cera("fmt", "--check", "bank.dl1s").exit_code == 0, "it is printed as it is formatted"
    assert cera("check", "bank.dl1s").stderr.endswith("1 file, 9 rules: no errors, no warnings\n")
    assert cera("translate", "fire.xceq", "--to", "datalog").exit_code == 2


def test_a_translation_keeps_histories_stages_and_odd_names(cera: Cera, folder: Path) -> None:
    (folder / "m.epl").write_text(
        """begin Odd-one
        monitor A, B, update(ACC); relation ACC(k, "a b"); granularity time; partition by k;
        my-rule: (A(x, lower-case(x.w) = "y"), update(ACC(row), row."a b" = 1)) as pair(x.k, "a b": x.w).
        Next: (A(X), A(Y)).
        end."""
    )
    changed = {"operation": "update", "table": "acc", "old": {"K": 1}, "new": {"K": 1, "A B": 1}}
    terms_of = [(1, {"A": {"k": 1, "w": "Y"}}), (1, {"A": {"k": 2}}), (2, {"change": changed}), (3, {"A": {"k": 2}})]
    write_lines(folder / "a.jsonl", (json.dumps({"at": at, "term": term}) for at, term in terms_of))
    (folder / "m.dl1s").write_text(cera("translate", "m.epl", "--to", "datalog").stdout)
    told = [cera("run", name, "--events", "a.jsonl", "--engine", "local") for name in ("m.epl", "m.dl1s")]
    found, again = (records(result.stdout) for result in told)
    assert [(line["rule"], line["term"]) for line in found] == [
        ("Odd-one.my-rule", {"pair": {"k": 1, "a b": "Y"}}),
        ("Odd-one.Next", {"Next": {}}),
    ]
    assert again == found


def test_every_refused_action_is_an_error_of_its_own(cera: Cera, folder: Path) -> None:
    (folder / "m.epl").write_text('begin M monitor A; R: A -> system("ls"). S: A -> sql "delete from A". end.')
    result = cera("run", "m.epl", "--events", "events.jsonl", "--engine", "local")
    assert result.exit_code == 2
    assert [line.split(":")[0] for line in result.stderr.splitlines()] == ["error", "error"]


CHANGES = [
    {"operation": "update", "table": "ACC", "new": {"k": 1}},
    {"operation": "upsert", "table": "ACC", "new": {"k": 1}},
    {"table": "ACC", "new": {"k": 1}},
    {"operation": "insert", "new": {"k": 1}},
]


@pytest.mark.parametrize(
    "options", [("--engine", "local"), ("--engine", "reference"), ("--engine", "local", "--max-delay", "1 sec")]
)
def test_tables_and_changes_that_count_nowhere_are_told(cera: Cera, folder: Path, options: tuple[str, ...]) -> None:
    lines = (json.dumps({"at": at, "term": {"change": change}}) for at, change in enumerate(CHANGES))
    write_lines(folder / "changes.jsonl", lines)
    run = ("run", "m.epl", "--events", "changes.jsonl", *options)
    (folder / "m.epl").write_text("begin M monitor update(ACCC), insert(ACC); R: update(ACCC(X)). end.")
    told = cera(*run).stderr
    assert "3 changes without a table or an operation" in told
    assert 'no operation 1, no table 1, operation "upsert" 1' in told
    assert "monitors update(ACCC), and no change is of the table ACCC; did you mean `ACC`?" in told
    assert "insert(ACC)" not in told, "that there was none may be right"
    (folder / "m.epl").write_text("begin M monitor update(acc); relation acc(K); R: update(acc(X)). end.")
    assert "warning" not in cera(*run).stderr, "where a relation is declared, the case does not matter"


def test_a_run_without_any_change_says_what_is_missing(cera: Cera, folder: Path) -> None:
    (folder / "m.epl").write_text("begin M monitor update(ACC); R: update(ACC(X)). end.")
    told = cera("run", "m.epl", "--events", "events.jsonl", "--time-unit", "s", "--engine", "local").stderr
    assert "the program monitors update(ACC), and no event is a change (label `change`)" in told


def test_fmt_writes_every_language_in_its_layout(cera: Cera, folder: Path) -> None:
    (folder / "m.epl").write_text("begin M monitor A; # these\nR: (A,A). end.")
    (folder / "p.dl1s").write_text("% pairs\n\n\nq(X,s( J))<-p(X,J) , % of\n p(Y,s(J)).  % two\nr(J)<-q(_,J).\n")
    assert cera("fmt", "m.epl", "p.dl1s").exit_code == 0
    assert (folder / "m.epl").read_text() == "begin M\n  monitor A;  # these\n\n  R:\n    (A, A).\nend.\n"
    expected = "% pairs\n\n% of\nq(X, s(J)) <- p(X, J), p(Y, s(J)).  % two\nr(J) <- q(_, J).\n"
    assert (folder / "p.dl1s").read_text() == expected
    assert cera("fmt", "--check", "m.epl", "p.dl1s").exit_code == 0
    assert cera("fmt", "-", input="begin M monitor A; R: (A,A). end.").stdout.startswith("begin M\n  monitor A;")


def test_a_bank_in_sqlite_from_capture_to_action(cera: Cera, folder: Path) -> None:
    connection = sqlite3.connect(folder / "bank.db", isolation_level=None)
    connection.executescript("CREATE TABLE ACC (Accno INTEGER, Balance INTEGER); CREATE TABLE notes (n INTEGER)")
    assert cera("capture", "--db", "sqlite:bank.db", "--tables", "ACC").exit_code == 0
    connection.executescript("INSERT INTO ACC VALUES (1, 500); UPDATE ACC SET Balance = 1; UPDATE ACC SET Balance = 2")
    (folder / "bank.epl").write_text(
        """begin Bank monitor insert(ACC), update(ACC);
        R: (insert(ACC(X)), update(ACC(Y), Y.Balance < X.Balance)) -> sql "INSERT INTO notes VALUES (:1)", Y.Balance.
        end."""
    )
    run = (
        "run",
        "bank.epl",
        "--events",
        "db:sqlite:bank.db",
        "--engine",
        "local",
        "--allow-sql",
        "sqlite:bank.db",
        "--allow-write",
        ".",
    )
    for told in ("1 action done", "no actions done; 1 done before"):
        result = cera(*run, "--out", "found.jsonl")
        assert result.exit_code == 0, result.stderr
        assert told in result.stderr
        assert connection.execute("SELECT n FROM notes").fetchall() == [(1,)]


def test_changes_in_the_layout_of_debezium(cera: Cera, bank: Path) -> None:
    rows = [{"accno": 7, "owner": "Ann", "balance": balance} for balance in (500, 300)]
    envelope = {"op": "u", "before": rows[0], "after": rows[1], "source": {"table": "acc", "lsn": 1, "ts_ms": 60_000}}
    write_lines(bank / "log.jsonl", [json.dumps(envelope)])
    result = cera(
        "run", "bank.epl", "--events", "log.jsonl", "--layout", "debezium", "--engine", "local", "--allow-write", "."
    )
    assert result.stdout.startswith("Ann took 200 after Thu Jan  1 00:01:00 1970\n")


def test_mistakes_of_all_languages_are_told_together(cera: Cera, folder: Path) -> None:
    (folder / "a.xceq").write_text("DETECT x{var Y} ON event a: a{} END")
    (folder / "b.epl").write_text("begin M monitor A; R: B. end.")
    (folder / "c.dl1s").write_text("p(X, Y, J) <- q(X, J).")
    result = cera("check", "a.xceq", "b.epl", "c.dl1s")
    assert result.exit_code == 1
    for code in ("XC201", "EP104", "DL201"):
        assert code in result.stderr


@pytest.mark.parametrize("nothing", ["", ","])
def test_an_option_without_a_name_does_not_enable_everything(cera: Cera, bank: Path, nothing: str) -> None:
    result = cera(*RUN, "--enable", nothing)
    assert result.exit_code == 2
    assert "--enable has no name of a module" in result.stderr
    assert not (bank / "back.txt").exists()


def test_modules_of_files_with_one_name_and_different_endings_run_together(cera: Cera, folder: Path) -> None:
    (folder / "p.cet").write_text("event A(k); event B(k);\nX := ;(A, B) as x();")
    (folder / "p.snoop").write_text("Y := recent A ; B as y()")
    write_lines(folder / "e.jsonl", ('{"at": 1, "term": {"A": {"k": 1}}}', '{"at": 2, "term": {"B": {"k": 1}}}'))
    events = ("--events", "e.jsonl", "--time-unit", "s")
    alone = {name: cera("run", name, *events) for name in ("p.cet", "p.snoop")}
    assert {line["rule"] for name in alone for line in records(alone[name].stdout)} == {"p.X", "p.Y"}
    together = cera("run", "p.cet", "p.snoop", *events)
    assert together.exit_code == 0, together.stderr
    assert {line["rule"] for line in records(together.stdout)} == {"p.cet.X", "p.snoop.Y"}
    assert sorted(line["id"] for line in records(together.stdout)) == sorted(
        line["id"] for one in alone.values() for line in records(one.stdout)
    )
    assert [
        line["rule"] for line in records(cera("run", "p.cet", "p.snoop", *events, "--enable", "p.snoop").stdout)
    ] == ["p.snoop.Y"]


def test_two_files_of_one_language_with_one_name_are_an_error(cera: Cera, folder: Path) -> None:
    for name in ("one", "two"):
        (folder / name).mkdir()
        (folder / name / "p.cet").write_text("event A(k); event B(k);\nX := ;(A, B) as x();")
    result = cera("check", "one/p.cet", "two/p.cet")
    assert result.exit_code == 1
    assert "error[EP101]: there are two modules with the name `p.cet`" in result.stderr
